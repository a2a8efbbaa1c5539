/*
 * conversation.c - functions that all rules use: reading JSON, sets of ids, and
 * reports
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conversation.h"

void
die(const char *what)
{
	fprintf(stderr, "valid: %s\n", what);
	exit(2);
}

void
refuse(struct conversation *t, size_t at, const char *rule, const char *format,
    ...)
{
	json_t *line = json_array_get(t->line, at);
	va_list ap;

	printf("%lld: %s: ", line ? (long long)json_integer_value(line) : 0LL,
	    rule);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	t->refused = true;
}

const char *
text(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s != NULL ? s : "";
}

bool
is(const json_t *object, const char *key, const char *want)
{
	return strcmp(text(object, key), want) == 0;
}

bool
has(const json_t *object, const char *key)
{
	return json_object_get(object, key) != NULL;
}

bool
blank(const char *s)
{
	return s[strspn(s, " \t\r\n")] == '\0';
}

bool
in(const json_t *set, const char *name)
{
	return json_object_get(set, name) != NULL;
}

void
put(json_t *set, const char *name, size_t at)
{
	if (json_object_set_new(set, name, json_integer((json_int_t)at)) != 0)
		die("out of memory");
}

json_t *
new_set(void)
{
	json_t *set = json_object();

	if (set == NULL)
		die("out of memory");
	return set;
}

void
unanswered(struct conversation *t, json_t *open)
{
	const char *id;
	json_t *at;

	json_object_foreach(open, id, at) {
		refuse(t, (size_t)json_integer_value(at), "unanswered-call",
		    "call %s has no result", id);
	}
	json_object_clear(open);
}

bool
plain_id(const char *id, const char *more)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
				    "qrstuvwxyz0123456789_-";
	size_t n = 0;

	while (id[n] != '\0' &&
	    (strchr(plain, id[n]) != NULL || strchr(more, id[n]) != NULL))
		n++;
	return id[n] == '\0' && n >= 1 && n <= 64;
}
