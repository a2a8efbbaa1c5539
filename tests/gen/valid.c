/*
 * valid.c - finds what a provider would refuse in a conversation
 *
 * Used to test ctx-check, with which it shares no code. jansson parses every
 * message.  Each provider has its own function that checks a conversation.  The
 * code is slow and simple on purpose.  The rules are those of the providers'
 * error messages.
 *
 *     valid DIALECT [--wrap] [--allow-pending] [--templates] [--cache] < STREAM
 *
 * prints LINE: RULE: WHAT for each violation, and exits with status 1 if there
 * is one.  With --templates, also checks the rules of other servers that accept
 * the format.  With --cache, also checks the rules for cache breakpoints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "valid/conversation.h"

static const struct {
	const char *name;
	void (*check)(struct conversation *);
} dialects[] = {
    {"openai-chat", check_chat},
    {"generic", check_generic},
    {"openai-responses", check_responses},
    {"anthropic", check_anthropic},
    {"bedrock", check_bedrock},
    {"gemini", check_gemini},
};

struct input {
	char *p;
	size_t n, cap;
};

/* Reads the file into in->p, with a NUL byte after it. */
static void
read_all(struct input *in, FILE *f)
{
	size_t got;

	do {
		if (in->cap - in->n < 65536) {
			in->cap = in->cap * 2 + 65536;
			in->p = realloc(in->p, in->cap);
			if (in->p == NULL)
				die("out of memory");
		}
		got = fread(in->p + in->n, 1, in->cap - in->n, f);
		in->n += got;
	} while (got > 0);
	if (ferror(f))
		die("cannot read");
	in->p[in->n] = '\0';
}

/* Returns the messages in a request, or in an object around a request. */
static json_t *
messages_of(json_t *record, json_t **request)
{
	static const char *const inner[] = {"messages", "contents", "input"};
	static const char *const outer[] = {"body", "params", "request",
	    "modelInput", NULL};
	json_t *found = NULL;
	size_t i;

	for (i = 0; found == NULL && outer[i] != NULL; i++)
		found = json_object_get(record, outer[i]);
	if (found != NULL)
		record = found;
	*request = record;
	for (i = 0; i < 3; i++) {
		found = json_object_get(record, inner[i]);
		if (json_is_array(found))
			return found;
	}
	return NULL;
}

static void
check_record(struct conversation *t, void (*check)(struct conversation *),
    const char *cache, json_t *record, size_t line)
{
	json_t *all = t->message, *lines = t->line, *request;
	size_t i, n;

	t->message = messages_of(record, &request);
	t->line = json_array();
	n = json_array_size(t->message);
	for (i = 0; i < n || i == 0; i++)
		json_array_append_new(t->line, json_integer((json_int_t)line));
	if (t->message == NULL)
		refuse(t, 0, "json", "no messages in this record");
	else
		check(t);
	if (cache != NULL)
		check_cache(t, cache, request);
	json_decref(t->line);
	t->message = all;
	t->line = lines;
}

/* Splits the stream into lines.  With wrap, each line is checked as a
 * conversation. */
static void
check_stream(struct conversation *t, void (*check)(struct conversation *),
    const char *cache, bool wrap, const struct input *in)
{
	const char *p = in->p, *end = in->p + in->n, *eol;
	json_error_t error;
	json_t *record;
	size_t line;

	for (line = 1; p < end; line++, p = eol + 1) {
		eol = memchr(p, '\n', (size_t)(end - p));
		if (eol == NULL)
			eol = end;
		if (strspn(p, " \t\r") >= (size_t)(eol - p))
			continue;
		/* Integers may be larger than jansson's integers, so they are
		 * read as real numbers. */
		record = json_loadb(p, (size_t)(eol - p),
		    JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL,
		    &error);
		if (!json_is_object(record)) {
			printf("%zu: json: %s\n", line,
			    record != NULL ? "not an object" : error.text);
			t->refused = true;
		} else if (wrap) {
			check_record(t, check, cache, record, line);
		} else {
			json_array_append(t->message, record);
			json_array_append_new(t->line,
			    json_integer((json_int_t)line));
		}
		json_decref(record);
	}
	if (wrap)
		return;
	check(t);
	if (cache != NULL)
		check_cache(t, cache, NULL);
}

int
main(int argc, char **argv)
{
	struct conversation t = {.message = json_array(), .line = json_array()};
	void (*check)(struct conversation *) = NULL;
	struct input in = {0};
	const char *cache = NULL;
	bool wrap = false;
	size_t k;
	int i;

	for (k = 0; argc > 1 && k < sizeof dialects / sizeof dialects[0]; k++) {
		if (strcmp(argv[1], dialects[k].name) == 0)
			check = dialects[k].check;
	}
	for (i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--wrap") == 0)
			wrap = true;
		else if (strcmp(argv[i], "--allow-pending") == 0)
			t.allow_pending = true;
		else if (strcmp(argv[i], "--templates") == 0)
			t.templates = true;
		else if (strcmp(argv[i], "--cache") == 0)
			cache = argv[1];
		else
			check = NULL;
	}
	if (check == NULL)
		die("usage: valid DIALECT [--wrap] [--allow-pending] "
		    "[--templates] [--cache] < STREAM");
	read_all(&in, stdin);
	check_stream(&t, check, cache, wrap, &in);
	free(in.p);
	json_decref(t.message);
	json_decref(t.line);
	if (fflush(stdout) != 0 || ferror(stdout))
		die("cannot write");
	return t.refused ? 1 : 0;
}
