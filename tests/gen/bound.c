/*
 * bound.c - finds signed reasoning after a change, without libctx
 *
 *     bound INPUT OUTPUT
 *
 * Both files hold as many lines, each a record with the messages of Anthropic
 * or Bedrock.  A Claude model that binds its reasoning refuses a block if the
 * system prompt, the tools or any block before it differs from what it was,
 * so every signed block of OUTPUT must stand where INPUT has it, after the
 * same blocks.  Cache markers and the two ways to write a text count as equal.
 * Prints a line for each record with such a block, then ends with 1.
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
		add(seen, role, json_deep_copy(block));
}

/* Takes a request, or a line of a batch that holds one. */
static void
read_request(struct seen *seen, const json_t *request)
{
	const json_t *message;
	const char *role;
	size_t i;

	if (json_object_get(request, "params") != NULL)
		request = json_object_get(request, "params");
	if (json_object_get(request, "modelInput") != NULL)
		request = json_object_get(request, "modelInput");

	add_content(seen, "system", json_object_get(request, "system"));
	add_content(seen, "tools", json_object_get(request, "tools"));
	json_array_foreach(json_object_get(request, "messages"), i, message) {
		role = json_string_value(json_object_get(message, "role"));
		add_content(seen, role == NULL ? "" : role,
		    json_object_get(message, "content"));
	}
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

	while (i < in->n && i < out->n &&
	    strcmp(in->text[i], out->text[i]) == 0)
		i++;
	for (; i < out->n; i++)
		if (out->is_signed[i])
			return i;
	return SIZE_MAX;
}

/* The next record, to be freed; NULL at the end. */
static json_t *
next(FILE *f)
{
	static char *line;
	static size_t cap;
	json_error_t error;
	json_t *record;
	ssize_t n = getline(&line, &cap, f);

	if (n < 0)
		return NULL;
	record = json_loadb(line, (size_t)n, JSON_ALLOW_NUL |
	    JSON_DECODE_INT_AS_REAL, &error);
	if (record == NULL)
		die(error.text);
	return record;
}

/* Compares a record with what became of it; true if all is well. */
static bool
compare(unsigned long line, json_t *before, json_t *after)
{
	struct seen in = {0}, out = {0};
	size_t at;

	read_request(&in, before);
	read_request(&out, after);
	at = refused(&in, &out);
	if (at != SIZE_MAX)
		printf("%lu: block %zu: %.200s\n", line, at, out.text[at]);
	empty(&in);
	empty(&out);
	json_decref(before);
	json_decref(after);
	return at == SIZE_MAX;
}

int
main(int argc, char **argv)
{
	json_t *before, *after;
	unsigned long line;
	bool good = true;
	FILE *f, *g;

	if (argc != 3)
		die("usage: bound INPUT OUTPUT");
	f = fopen(argv[1], "rb");
	g = fopen(argv[2], "rb");
	if (f == NULL || g == NULL)
		die("cannot open a file");
	for (line = 1; (before = next(f)) != NULL; line++) {
		after = next(g);
		if (after == NULL)
			die("OUTPUT has fewer records");
		good &= compare(line, before, after);
	}
	return good ? 0 : 1;
}
