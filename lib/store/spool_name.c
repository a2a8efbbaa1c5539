/* spool_name.c - makes and checks the names of files in the spool (directory of
 * stored results); a name has a hash of the file's contents and, by default, a
 * tool's name */
#include <sha2.h>
#include <string.h>

#include "store/store.h"

void
ctx_spool_hash_chunks(char digits[CTX_SPOOL_DIGITS],
    const struct ctx_str *chunks, size_t n)
{
	char hash[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX sum;

	SHA256Init(&sum);
	for (size_t i = 0; i < n; i++)
		SHA256Update(&sum, (const uint8_t *)chunks[i].p, chunks[i].n);
	SHA256End(&sum, hash);
	memcpy(digits, hash, CTX_SPOOL_DIGITS);
}

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool
ctx_spool_is_name(struct ctx_str name, struct ctx_str *digits)
{
	size_t stem = name.n;

	if (name.n == 0 || name.n > CTX_SPOOL_NAME ||
	    (!is_name_byte(name.p[0]) || name.p[0] == '-'))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!is_name_byte(name.p[i]) && name.p[i] != '.')
			return false;
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '.')
			stem = i;
	if (stem < CTX_SPOOL_DIGITS)
		return false;
	digits->p = name.p + stem - CTX_SPOOL_DIGITS;
	digits->n = CTX_SPOOL_DIGITS;
	for (size_t i = 0; i < digits->n; i++)
		if (strchr("0123456789abcdef", digits->p[i]) == NULL)
			return false;
	return true;
}

/* Appends the name of a tool to the name of a file.  Bytes that are not safe in
 * a file name become underscores.  If the name is empty, appends "tool". */
static int
append_tool_name(struct ctx_buf *out, struct ctx_str tool, struct ctx_err *err)
{
	size_t from = out->n, n;

	if (tool.n == 0)
		tool = (struct ctx_str){"tool", 4};
	n = tool.n < CTX_SPOOL_TOOL ? tool.n : CTX_SPOOL_TOOL;
	if (ctx_buf_add(out, tool.p, n, err) < 0)
		return -1;
	for (size_t i = from; i < out->n; i++)
		if (!is_name_byte(out->p[i]) || (i == 0 && out->p[i] == '-'))
			out->p[i] = '_';
	return 0;
}

int
ctx_spool_name(struct ctx_buf *out, const char *format, struct ctx_str tool,
    const char digits[CTX_SPOOL_DIGITS], struct ctx_err *err)
{
	static const char tool_mark[] = "{tool}", hash_mark[] = "{sha256}";
	struct ctx_str found;
	const char *p = format;

	out->n = 0;
	while (*p != '\0') {
		if (strncmp(p, tool_mark, sizeof tool_mark - 1) == 0) {
			p += sizeof tool_mark - 1;
			if (append_tool_name(out, tool, err) < 0)
				return -1;
		} else if (strncmp(p, hash_mark, sizeof hash_mark - 1) == 0) {
			p += sizeof hash_mark - 1;
			if (ctx_buf_add(out, digits, CTX_SPOOL_DIGITS, err) < 0)
				return -1;
		} else if (ctx_buf_add(out, p++, 1, err) < 0) {
			return -1;
		}
	}
	if (!ctx_spool_is_name(ctx_buf_str(out), &found) ||
	    memcmp(found.p, digits, CTX_SPOOL_DIGITS) != 0)
		return ctx_err_set(err, CTX_EARG,
		    "the path format '%.40s' must give a name of at most %d "
		    "letters, digits, '_', '-' and '.' that does not begin "
		    "with '-' or '.', with {sha256} at the end or before the "
		    "extension, as in {tool}-{sha256}.md",
		    format, CTX_SPOOL_NAME);
	return ctx_buf_add(out, "", 1, err);
}
