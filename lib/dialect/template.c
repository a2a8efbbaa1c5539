/* template.c - fills in the templates of the messages and tool results that ctx
 * inserts */
#include <string.h>

#include "dialect/dialect.h"

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '/';
}

int
ctx_template_fill(struct ctx_buf *out, const char *template,
    ctx_template_value *find, void *user, struct ctx_err *err)
{
	struct ctx_str name, value;
	const char *next;

	for (; (next = strchr(template, '$')) != NULL;
	     template = name.p + name.n) {
		name = (struct ctx_str){next + 1, 0};
		while (is_name_char(name.p[name.n]))
			name.n++;
		if (ctx_buf_add(out, template, (size_t)(next - template), err) <
			0 ||
		    find(user, name, &value, err) < 0 ||
		    ctx_buf_add(out, value.p, value.n, err) < 0)
			return -1;
	}
	return ctx_buf_add(out, template, strlen(template), err);
}
