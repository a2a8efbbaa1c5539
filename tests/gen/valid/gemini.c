/*
 * gemini.c - the rules of Gemini contents
 */
#include <stdlib.h>

#include "conversation.h"

/* Returns the value of a key in camelCase (JSON of the API) or in snake_case
 * (dumps of Python). */
static const json_t *
either(const json_t *object, const char *camel, const char *snake)
{
	const json_t *value = json_object_get(object, camel);

	return value != NULL ? value : json_object_get(object, snake);
}

static const json_t *
gemini_call(const json_t *part)
{
	return either(part, "functionCall", "function_call");
}

static const json_t *
gemini_response(const json_t *part)
{
	return either(part, "functionResponse", "function_response");
}

static bool
gemini_signed(const json_t *part)
{
	return *text(part, "thoughtSignature") != '\0' ||
	    *text(part, "thought_signature") != '\0';
}

static bool
gemini_model(const json_t *m)
{
	return is(m, "role", "model");
}

static size_t
gemini_count(const json_t *m, const json_t *(*what)(const json_t *))
{
	const json_t *part;
	size_t i, n = 0;

	json_array_foreach(json_object_get(m, "parts"), i, part)
		n += what(part) != NULL;
	return n;
}

static void
gemini_content(struct conversation *t, size_t at, const json_t *m)
{
	const json_t *parts = json_object_get(m, "parts"), *part;
	size_t i, thoughts = 0;

	if (json_array_size(parts) == 0)
		refuse(t, at, "empty", "content has no parts");
	json_array_foreach(parts, i, part) {
		thoughts += json_is_true(json_object_get(part, "thought"));
		if (json_object_size(part) == (has(part, "thought") ? 1 : 0))
			refuse(t, at, "empty", "a part says nothing");
	}
	if (thoughts > 0 && thoughts == json_array_size(parts))
		refuse(t, at, "reasoning-only", "model only thinks");
}

/* Returns true if a response belongs to a call: by id if both have an id,
 * otherwise by name. */
static bool
gemini_pair(const json_t *call, const json_t *response)
{
	if (has(call, "id") && has(response, "id"))
		return is(response, "id", text(call, "id"));
	return is(response, "name", text(call, "name"));
}

/* Returns the index of the first call to which the response belongs, and that
 * has no response yet. */
static size_t
gemini_call_of(const json_t *response, const json_t *calls, const bool *taken)
{
	const json_t *part;
	size_t i;

	json_array_foreach(calls, i, part) {
		if (!taken[i] && gemini_call(part) != NULL &&
		    gemini_pair(gemini_call(part), response))
			break;
	}
	return i;
}

/* Returns true if the newest earlier response to the same call says that more
 * responses will come. */
static bool
gemini_goes_on(const struct conversation *t, size_t at, const json_t *response)
{
	const json_t *part, *earlier;
	bool more = false;
	size_t i, k;

	for (i = 0; i < at; i++) {
		json_array_foreach(
		    json_object_get(json_array_get(t->message, i), "parts"), k,
		    part) {
			earlier = gemini_response(part);
			if (earlier != NULL && gemini_pair(earlier, response))
				more = json_is_true(either(earlier,
				    "willContinue", "will_continue"));
		}
	}
	return more;
}

/* The calls in neighbouring contents of one role, and for each call the number
 * of its content. */
struct row {
	json_t *call, *at;
};

/* Checks the responses in a content.  The calls directly before must have one
 * response each, all in the content directly after them.  A response may also
 * belong to a call that has had a response already. */
static void
gemini_answers(struct conversation *t, size_t at, const struct row *row,
    const json_t *m)
{
	const json_t *part;
	size_t n = json_array_size(row->call), i, k;
	bool *taken = calloc(n + 1, sizeof *taken);

	if (taken == NULL)
		die("out of memory");
	json_array_foreach(json_object_get(m, "parts"), i, part) {
		if (gemini_response(part) == NULL)
			continue;
		k = gemini_call_of(gemini_response(part), row->call, taken);
		taken[k] = true;
		if (k == n && !gemini_goes_on(t, at, gemini_response(part)))
			refuse(t, at, "orphan-result",
			    "%s was not called in the content before",
			    text(gemini_response(part), "name"));
	}
	json_array_foreach(row->call, k, part) {
		if (!taken[k])
			refuse(t,
			    (size_t)json_integer_value(
				json_array_get(row->at, k)),
			    "unanswered-call", "call of %s has no response",
			    text(gemini_call(part), "name"));
	}
	free(taken);
}

/* Checks the responses in a content.  Then adds its calls to the row of calls
 * if the content has the same role as the one before (again).  Otherwise begins
 * a new row. */
static void
gemini_speaks(struct conversation *t, size_t at, struct row *row,
    const json_t *m, bool again)
{
	static const struct row none;
	const json_t *part;
	size_t i;

	gemini_answers(t, at, again ? &none : row, m);
	if (!again) {
		json_array_clear(row->call);
		json_array_clear(row->at);
	}
	json_array_foreach(json_object_get(m, "parts"), i, part) {
		if (gemini_call(part) == NULL)
			continue;
		json_array_append(row->call, (json_t *)part);
		json_array_append_new(row->at, json_integer((json_int_t)at));
	}
}

/* Returns the part that has the signature of a step, or NULL. */
static const json_t *
gemini_first_call(const json_t *m)
{
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(m, "parts"), i, part) {
		if (gemini_call(part) != NULL)
			return part;
	}
	return NULL;
}

/*
 * Checks signatures: in the newest turn, the first call of each step is signed
 * or, with older models, no call is signed.  Earlier turns are not checked.
 */
static void
gemini_signatures(struct conversation *t)
{
	size_t i, first = 0, with = 0, n = json_array_size(t->message);
	const json_t *m, *call;

	json_array_foreach(t->message, i, m) {
		if (!gemini_model(m) && gemini_count(m, gemini_response) == 0)
			first = i;
	}
	for (i = first; i < n; i++) {
		call = gemini_first_call(json_array_get(t->message, i));
		with += call != NULL && gemini_signed(call);
	}
	for (i = first; with > 0 && i < n; i++) {
		call = gemini_first_call(json_array_get(t->message, i));
		if (call != NULL && !gemini_signed(call))
			refuse(t, i, "signature",
			    "first call has no thoughtSignature");
	}
}

/* With templates, checks that roles alternate: some servers demand this, and
 * ctx-prune does not break it. */
static void
gemini_role(struct conversation *t, size_t at, const json_t *m, bool again)
{
	if (at == 0 && gemini_model(m))
		refuse(t, at, "first", "the user must begin");
	if (has(m, "role") && !gemini_model(m) && !is(m, "role", "user") &&
	    !is(m, "role", "function"))
		refuse(t, at, "role", "role is \"%s\"", text(m, "role"));
	if (again && t->templates)
		refuse(t, at, "alternation", "%s speaks twice",
		    gemini_model(m) ? "model" : "user");
}

/* To the API, neighbouring contents of one role are one turn
 * (lib/dialect/NOTES.md). */
void
check_gemini(struct conversation *t)
{
	struct row row = {json_array(), json_array()};
	const json_t *m, *before = NULL;
	size_t i, n = json_array_size(t->message);
	bool again;

	json_array_foreach(t->message, i, m) {
		again = i > 0 && gemini_model(before) == gemini_model(m);
		gemini_role(t, i, m, again);
		gemini_content(t, i, m);
		gemini_speaks(t, i, &row, m, again);
		before = m;
	}
	if (!t->allow_pending && json_array_size(row.call) > 0)
		refuse(t, n - 1, "unanswered-call", "calls at the end");
	json_decref(row.call);
	json_decref(row.at);
	gemini_signatures(t);
}
