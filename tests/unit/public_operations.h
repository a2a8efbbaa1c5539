/* public_operations.h - the operations of ctx.h as functions of one type, whose
 * errors are stored in the variable "error" */
#ifndef PUBLIC_OPERATIONS_H
#define PUBLIC_OPERATIONS_H

#include "public_shared.h"

static struct ctx_error error = CTX_ERROR_INIT;

/* archive: path of the file with the originals of changed messages, or NULL */
typedef int operation(struct ctx_input *input, struct ctx_output *output,
    const char *archive);

#define OPERATION(name, init)                                             \
	static int run_##name(struct ctx_input *input,                    \
	    struct ctx_output *output, const char *archive)               \
	{                                                                 \
		struct ctx_##name##_options options = init;               \
                                                                          \
		options.archive = archive;                                \
		return ctx_##name(input, output, &options, NULL, &error); \
	}
OPERATION(prune, CTX_PRUNE_OPTIONS_INIT)
OPERATION(truncate, CTX_TRUNCATE_OPTIONS_INIT)
OPERATION(age, CTX_AGE_OPTIONS_INIT)
OPERATION(restore, CTX_RESTORE_OPTIONS_INIT)
OPERATION(check, CTX_CHECK_OPTIONS_INIT)

static int
run_count(struct ctx_input *input, struct ctx_output *output,
    const char *archive)
{
	(void)output, (void)archive;
	return ctx_count(input, NULL, NULL, &error);
}

#endif
