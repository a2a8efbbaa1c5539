/*
 * bound.c - finds signed reasoning after a changed block; does not use libctx
 *
 *     bound [-t] INPUT OUTPUT...
 *
 * All files have the same number of lines.  Each line is a record with messages
 * of Anthropic or Bedrock; with -t, each file is a session of Claude Code.
 * Some Claude models refuse a signed block if the system prompt, the tools or
 * any block before the signed block was changed.  So before each signed block
 * of an OUTPUT, everything must be equal to INPUT.  Cache breakpoints, and the
 * two ways to write a text, are ignored.  Prints a line for each record with a
 * signed block after a change, then the number of signed blocks in the OUTPUTs.
 * The exit status is 1 if there is such a record.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a model gets of a request, in order: system prompt, tools, blocks. */
struct seen {
	char **text; /* texts, owned by this struct */
	bool *is_signed;
	size_t n, cap;
};

static void
die(const char *what)
{
	fprintf(stderr, "bound: %s\n", what);
	exit(2);
}

static bool
is_text(const json_t *value)
{
	return json_is_string(value) && json_string_length(value) > 0;
}

/* Returns true if the block is reasoning with a signature, or encrypted
 * reasoning. */
static bool
is_signed(const json_t *block)
{
	const char *type = json_string_value(json_object_get(block, "type"));
	const json_t *content = json_object_get(block, "reasoningContent");

	if (type != NULL && strcmp(type, "redacted_thinking") == 0)
		return true;
	if (type != NULL && strcmp(type, "thinking") == 0)
		return is_text(json_object_get(block, "signature"));
	return json_object_get(content, "redactedContent") != NULL ||
	    is_text(json_object_get(json_object_get(content, "reasoningText"),
		"signature"));
}

/* Adds a block to *seen, and frees the block. */
static void
add(struct seen *seen, const char *role, json_t *block)
{
	char *text;
	size_t n;

	if (block == NULL || json_object_get(block, "cachePoint") != NULL) {
		json_decref(block);
		return;
	}
	if (seen->n == seen->cap) {
		seen->cap = seen->cap * 2 + 64;
		seen->text = realloc(seen->text, seen->cap * sizeof(char *));
		seen->is_signed = realloc(seen->is_signed, seen->cap);
		if (seen->text == NULL || seen->is_signed == NULL)
			die("out of memory");
	}
	(void)json_object_del(block, "cache_control");
	text = json_dumps(block, JSON_SORT_KEYS | JSON_ENCODE_ANY);
	if (text == NULL)
		die("out of memory");
	n = strlen(role) + strlen(text) + 2;
	seen->is_signed[seen->n] = is_signed(block);
	seen->text[seen->n] = malloc(n);
	if (seen->text[seen->n] == NULL)
		die("out of memory");
	(void)snprintf(seen->text[seen->n++], n, "%s %s", role, text);
	free(text);
	json_decref(block);
}

static void
add_content(struct seen *seen, const char *role, json_t *content)
{
	json_t *block;
	size_t i;

	if (json_is_string(content)) {
		add(seen, role,
		    json_pack("{s:s, s:O}", "type", "text", "text", content));
		return;
	}
	json_array_foreach(content, i, block)
		add(seen, role, json_incref(block));
}

static void
add_message(struct seen *seen, const json_t *message)
{
	const char *role = json_string_value(json_object_get(message, "role"));

	add_content(seen, role == NULL ? "" : role,
	    json_object_get(message, "content"));
}

/* Adds a request, or the request in a line of a batch, to *seen. */
static void
read_request(struct seen *seen, const json_t *request)
{
	const json_t *message;
	size_t i;

	if (json_object_get(request, "params") != NULL)
		request = json_object_get(request, "params");
	if (json_object_get(request, "modelInput") != NULL)
		request = json_object_get(request, "modelInput");

	add_content(seen, "system", json_object_get(request, "system"));
	add_content(seen, "tools", json_object_get(request, "tools"));
	json_array_foreach(json_object_get(request, "messages"), i, message)
		add_message(seen, message);
}

static void
empty(struct seen *seen)
{
	while (seen->n > 0)
		free(seen->text[--seen->n]);
	free(seen->text);
	free(seen->is_signed);
	memset(seen, 0, sizeof *seen);
}

/* Returns the index of the first signed block of "out" after a change, or
 * SIZE_MAX. */
static size_t
refused(const struct seen *in, const struct seen *out)
{
	size_t i = 0;

	while (
	    i < in->n && i < out->n && strcmp(in->text[i], out->text[i]) == 0)
		i++;
	for (; i < out->n; i++)
		if (out->is_signed[i])
			return i;
	return SIZE_MAX;
}

static size_t
count_signed(const struct seen *seen)
{
	size_t n = 0, i;

	for (i = 0; i < seen->n; i++)
		n += seen->is_signed[i];
	return n;
}

/* ---- files ---- */

/* A record of INPUT, or a whole session. */
struct record {
	char *text; /* owned by this struct */
	size_t n;
	struct seen seen;
};

static struct record *inputs;
static size_t n_inputs;
static bool sessions; /* true with the option -t */
static unsigned long blocks;

static json_t *
load(const char *text, size_t n)
{
	json_error_t error;
	json_t *value = json_loadb(text, n,
	    JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);

	if (value == NULL)
		die(error.text);
	return value;
}

/* Adds the messages of a session, one per line, to *seen. */
static void
read_session(struct seen *seen, const char *text, size_t n)
{
	const char *end = text + n, *eol;
	json_t *line;

	for (; text < end; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		if (eol == NULL)
			eol = end;
		line = load(text, (size_t)(eol - text));
		add_message(seen, json_object_get(line, "message"));
		json_decref(line);
	}
}

static void
read_text(struct seen *seen, const char *text, size_t n)
{
	json_t *request;

	if (sessions) {
		read_session(seen, text, n);
		return;
	}
	request = load(text, n);
	read_request(seen, request);
	json_decref(request);
}

static FILE *
open_file(const char *name)
{
	FILE *f = fopen(name, "rb");

	if (f == NULL)
		die("cannot open a file");
	return f;
}

/* Reads the next record of a file, or the whole session.  Returns false at the
 * end of the file. */
static bool
next(FILE *f, char **text, size_t *cap, size_t *n)
{
	ssize_t got = getdelim(text, cap, sessions ? '\0' : '\n', f);

	*n = got < 0 ? 0 : (size_t)got;
	return got >= 0;
}

static void
read_input(const char *name)
{
	FILE *f = open_file(name);
	struct record *record;
	size_t cap = 0;

	for (;;) {
		inputs = realloc(inputs, (n_inputs + 1) * sizeof *inputs);
		if (inputs == NULL)
			die("out of memory");
		record = &inputs[n_inputs];
		memset(record, 0, sizeof *record);
		cap = 0;
		if (!next(f, &record->text, &cap, &record->n))
			break;
		read_text(&record->seen, record->text, record->n);
		n_inputs++;
	}
	free(record->text);
	fclose(f);
}

/* Compares a record with the output for this record.  Returns true if no signed
 * block is after a change. */
static bool
compare(const char *name, size_t i, const char *text, size_t n)
{
	const struct record *in = &inputs[i];
	struct seen out = {0};
	size_t at;

	if (n == in->n && memcmp(text, in->text, n) == 0) {
		blocks += count_signed(&in->seen);
		return true;
	}
	read_text(&out, text, n);
	blocks += count_signed(&out);
	at = refused(&in->seen, &out);
	if (at != SIZE_MAX)
		printf("%s:%zu: block %zu: %.200s\n", name, i + 1, at,
		    out.text[at]);
	empty(&out);
	return at == SIZE_MAX;
}

static bool
judge(const char *name)
{
	FILE *f = open_file(name);
	char *text = NULL;
	size_t cap = 0, n, i;
	bool good = true;

	for (i = 0; next(f, &text, &cap, &n); i++) {
		if (i == n_inputs)
			die("an OUTPUT has more records");
		good &= compare(name, i, text, n);
	}
	if (i < n_inputs)
		die("an OUTPUT has fewer records");
	free(text);
	fclose(f);
	return good;
}

int
main(int argc, char **argv)
{
	bool good = true;
	size_t i;
	int arg;

	sessions = argc > 1 && strcmp(argv[1], "-t") == 0;
	arg = 1 + sessions;
	if (argc - arg < 2)
		die("usage: bound [-t] INPUT OUTPUT...");
	read_input(argv[arg]);
	while (++arg < argc)
		good &= judge(argv[arg]);
	printf("# %lu signed blocks\n", blocks);
	for (i = 0; i < n_inputs; i++) {
		free(inputs[i].text);
		empty(&inputs[i].seen);
	}
	free(inputs);
	return good ? 0 : 1;
}
