/*
 * spool.c - fuzz target: the file names of stored tool results
 *
 * Input: a format, a NUL byte, the name of a tool (any bytes).
 */
#include "store/store.h"
#include "fuzz.h"

static bool
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* Checks that a name cannot be a path, a hidden file or an option, and that its
 * digits can be found again. */
static void
judge(const char *name, size_t n, const char *digits)
{
	struct ctx_str found;
	size_t i;

	must(n > 0 && n <= CTX_SPOOL_NAME);
	must(name[n] == '\0' && strlen(name) == n);
	must(name[0] != '.' && name[0] != '-');
	for (i = 0; i < n; i++)
		must(is_plain(name[i]));
	must(ctx_spool_is_name((struct ctx_str){name, n}, &found));
	must(found.n == CTX_SPOOL_DIGITS && found.p >= name &&
	    found.p + found.n <= name + n);
	must(memcmp(found.p, digits, CTX_SPOOL_DIGITS) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end;
	char digits[CTX_SPOOL_DIGITS];
	struct ctx_buf name = {0};
	struct ctx_str tool, found;
	struct ctx_err err;
	size_t i;

	/* Whatever the name of a file is, the digits that are found must be
	 * inside the name. */
	if (ctx_spool_is_name((struct ctx_str){p, size}, &found)) {
		must(size <= CTX_SPOOL_NAME);
		must(found.p >= p && found.p + found.n <= p + size);
		for (i = 0; i < size; i++)
			must(is_plain(p[i]));
	}
	end = size > 0 ? memchr(p, '\0', size) : NULL;
	if (end == NULL)
		return 0;
	tool.p = end + 1;
	tool.n = size - (size_t)(tool.p - p);
	ctx_spool_hash_chunks(digits, &tool, 1);
	if (ctx_spool_name(&name, p, tool, digits, &err) == 0)
		judge(name.p, name.n - 1, digits);
	else
		must(err.code == CTX_EARG);
	name.n = 0;
	must(ctx_spool_name(&name, "{tool}-{sha256}.md", tool, digits, &err) ==
	    0);
	judge(name.p, name.n - 1, digits);
	ctx_buf_release(&name);
	return 0;
}
