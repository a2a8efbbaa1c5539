/*
 * copy_sized.c - copies structs between a program and the library; each struct
 * begins with its size in bytes
 *
 * A program may have been compiled with an older version of the library, in
 * which a struct had fewer members.  Only the members that both versions have
 * are copied.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"

_Static_assert((int)CTX_ERROR_MEMORY == (int)CTX_ENOMEM &&
	(int)CTX_ERROR_SYSTEM == (int)CTX_ESYS &&
	(int)CTX_ERROR_PIPE == (int)CTX_EPIPE &&
	(int)CTX_ERROR_INPUT == (int)CTX_EINPUT &&
	(int)CTX_ERROR_LIMIT == (int)CTX_ELIMIT &&
	(int)CTX_ERROR_ARGUMENT == (int)CTX_EARG &&
	(int)CTX_ERROR_FILE == (int)CTX_EFILE,
    "kinds of errors are the codes of the library");

void
ctx_api_give(void *program, const void *known, size_t size)
{
	size_t given;

	if (program == NULL)
		return;
	memcpy(&given, program, sizeof given);
	if (given > sizeof given)
		memcpy((char *)program + sizeof given,
		    (const char *)known + sizeof given,
		    (given < size ? given : size) - sizeof given);
}

int
ctx_api_fail(struct ctx_error *error, const struct ctx_err *err)
{
	struct ctx_error known = CTX_ERROR_INIT;

	known.kind = (int)err->code;
	known.system = err->code == CTX_ESYS ? err->sys : 0;
	known.line = err->line;
	known.column = err->column;
	if (err->file != NULL)
		(void)snprintf(known.file, sizeof known.file, "%s", err->file);
	(void)snprintf(known.text, sizeof known.text, "%s", err->text);
	ctx_api_give(error, &known, sizeof known);
	return -1;
}

int
ctx_api_take_options(void *known, size_t size, const void *program,
    struct ctx_err *err)
{
	const char *bytes = program;
	size_t given, i;

	memset(known, 0, size);
	if (program == NULL)
		return 0;
	memcpy(&given, program, sizeof given);
	if (given < sizeof given || given > 65536)
		return ctx_err_set(err, CTX_EARG,
		    "the struct of options does not begin with its size; "
		    "initialize it with the macro ..._INIT");
	for (i = size; i < given; i++)
		if (bytes[i] != 0)
			return ctx_err_set(err, CTX_EARG,
			    "an option is newer than this libctx; link the "
			    "libctx of the same version as ctx.h");
	memcpy(known, program, given < size ? given : size);
	return 0;
}

const char *
ctx_version(void)
{
	return CTX_VERSION;
}

void
ctx_free(void *memory)
{
	free(memory);
}

void
ctx_error_format(const struct ctx_error *error, char *out, size_t size)
{
	int n = 0;

	if (size == 0)
		return;
	out[0] = '\0';
	if (error->file[0] != '\0')
		n = snprintf(out, size, "%s:", error->file);
	if (n >= 0 && (size_t)n < size && error->line > 0)
		n += snprintf(out + n, size - (size_t)n,
		    "%llu:", (unsigned long long)error->line);
	if (n >= 0 && (size_t)n < size && error->column > 0)
		n += snprintf(out + n, size - (size_t)n,
		    "%llu:", (unsigned long long)error->column);
	if (n >= 0 && (size_t)n < size)
		(void)snprintf(out + n, size - (size_t)n, "%s%s",
		    n > 0 ? " " : "", error->text);
}
