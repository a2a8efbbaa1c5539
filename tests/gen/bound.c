/*
 * bound.c - finds signed reasoning after a change, without libctx
 *
 *     bound [-t] INPUT OUTPUT...
 *
 * Each file holds as many lines, each a record with the messages of Anthropic
 * or Bedrock; with -t each file is a session of Claude Code.  A Claude model
 * that binds its reasoning refuses a block if the system prompt, the tools or
 * any block before it differs from what it was, so every signed block of an
 * OUTPUT must stand where INPUT has it, after the same blocks.  Cache markers
 * and the two ways to write a text count as equal.  Prints a line for each
 * record with such a block, last how many signed blocks there are in the
 * OUTPUTs, and ends with 1 if a line was printed.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a model sees of a request, in order: system, tools, blocks. */
struct seen {
	char **text; /* owned */
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

/* Is the block reasoning that carries a signature or is redacted? */
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

/* Takes a block, which is freed. */
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

/* Takes a request, or a line of a batch that holds one. */
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

/* The first signed block of out after a change, or SIZE_MAX. */
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

/* A record of INPUT, or all of a session. */
struct record {
	char *text; /* owned */
	size_t n;
	struct seen seen;
};

static struct record *inputs;
static size_t n_inputs;
static bool sessions; /* -t */
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

/* Takes the messages of a session, one a line. */
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

/* The next record of a file, or all of a session; false at the end. */
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

/* Compares a record with what became of it; true if all is well. */
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
