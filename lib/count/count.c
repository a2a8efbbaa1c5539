/* count.c - tokens of a message */
#include <string.h>

#include "count/media.h"

uint64_t
ctx_count_scale(const struct ctx_counter *counter, uint64_t tokens)
{
	uint64_t factor = counter->factor == 0 ? 100 : counter->factor;

	/* In two steps, for products beyond 64 bits. */
	return tokens / 100 * factor + (tokens % 100 * factor + 50) / 100;
}

uint64_t
ctx_count_room(const struct ctx_counter *counter, uint64_t tokens)
{
	uint64_t factor = counter->factor == 0 ? 100 : counter->factor;

	return tokens / factor * 100 + tokens % factor * 100 / factor;
}

static int
count_text(struct ctx_counter *counter, const char *p, size_t n,
    struct ctx_cost *cost, struct ctx_err *err)
{
	uint64_t tokens;

	if (ctx_token_count(counter->tokens, p, n, &tokens, err) < 0)
		return -1;
	tokens = ctx_count_scale(counter, tokens);
	cost->tokens += tokens;
	cost->chars += ctx_utf8_count(p, n);
	if (!counter->exact)
		cost->estimated += tokens;
	return 0;
}

int
ctx_count_value(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_str text = ctx_json_str(json, node);

	if (json->nodes[node].kind == CTX_JSON_STRING) {
		if (json->nodes[node].escaped) {
			counter->text.n = 0;
			if (ctx_text_decode(&counter->text, text, err) < 0)
				return -1;
			text.p = counter->text.p;
			text.n = counter->text.n;
		} else {
			text.p++;
			text.n -= 2;
		}
	}
	return count_text(counter, text.p, text.n, cost, err);
}

/* base64 is 4 bytes for 3, and 4 bytes of text are about a token. */
static void
add_sealed(const struct ctx_json *json, uint32_t node, struct ctx_cost *cost)
{
	uint64_t tokens = (uint64_t)ctx_json_str(json, node).n * 3 / 16;

	cost->tokens += tokens;
	cost->estimated += tokens;
}

int
ctx_count_part(struct ctx_counter *counter, const struct ctx_view *view,
    size_t i, struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_part *part = &view->parts[i];
	uint64_t tokens;

	if (part->kind == CTX_PART_MEDIA) {
		if (ctx_media_tokens(&counter->image, view->json, part->value,
			&counter->text, &tokens, err) < 0)
			return -1;
		cost->tokens += tokens;
		cost->estimated += tokens;
		return 0;
	}
	if (part->sealed && part->value != 0) {
		add_sealed(view->json, part->value, cost);
		return 0;
	}
	if (part->kind == CTX_PART_CALL && part->name != 0 &&
	    ctx_count_value(counter, view->json, part->name, cost, err) < 0)
		return -1;
	/* What is in a result's body may be parts of their own. */
	if (part->value == 0 ||
	    (part->kind == CTX_PART_RESULT &&
		(view->json->nodes[part->value].kind == CTX_JSON_ARRAY ||
		    (i + 1 < view->n && view->parts[i + 1].owner == i + 1))))
		return 0;
	return ctx_count_value(counter, view->json, part->value, cost, err);
}

/* What is left of a result when it is cleared; counted once. */
static int
cleared(struct ctx_counter *counter, uint64_t *tokens, struct ctx_err *err)
{
	if (counter->cleared == 0) {
		if (ctx_token_count(counter->tokens, CTX_CLEARED,
			strlen(CTX_CLEARED), &counter->cleared, err) < 0)
			return -1;
		counter->cleared = ctx_count_scale(counter, counter->cleared);
	}
	*tokens = counter->cleared;
	return 0;
}

/* Adds a result and the blocks it owns, *i being the last of them after. */
static int
add_result(struct ctx_counter *counter, const struct ctx_view *view,
    size_t *i, struct ctx_cost *cost, struct ctx_err *err)
{
	uint64_t before = cost->tokens, body, then;
	size_t result = *i;

	for (;;) {
		if (ctx_count_part(counter, view, *i, cost, err) < 0)
			return -1;
		if (*i + 1 >= view->n ||
		    view->parts[*i + 1].owner != result + 1)
			break;
		++*i;
	}
	if (cleared(counter, &then, err) < 0)
		return -1;
	body = cost->tokens - before;
	cost->results += body;
	cost->kinds[CTX_PART_RESULT] += body;
	if (view->parts[result].value != 0 && body > then)
		cost->bodies += body - then;
	return 0;
}

int
ctx_count_cleared(struct ctx_counter *counter, const struct ctx_view *view,
    size_t i, uint64_t *saved, struct ctx_err *err)
{
	struct ctx_cost cost = {0};

	if (add_result(counter, view, &i, &cost, err) < 0)
		return -1;
	*saved = cost.bodies;
	return 0;
}

static int
add_parts(struct ctx_counter *counter, const struct ctx_view *view,
    struct ctx_cost *cost, struct ctx_err *err)
{
	uint64_t before;
	size_t i;

	for (i = 0; i < view->n; i++) {
		if (view->parts[i].kind == CTX_PART_RESULT) {
			if (add_result(counter, view, &i, cost, err) < 0)
				return -1;
			continue;
		}
		before = cost->tokens;
		if (ctx_count_part(counter, view, i, cost, err) < 0)
			return -1;
		cost->kinds[view->parts[i].kind] += cost->tokens - before;
	}
	return 0;
}

/* What stripping would save: nothing where it would leave nothing, or where
 * the format has reasoning go only with its message. */
static uint64_t
loose_reasoning(const struct ctx_view *view, const struct ctx_cost *cost)
{
	uint64_t reasoning = cost->kinds[CTX_PART_REASONING], all = 0;
	size_t i;

	for (i = 0; i < CTX_PART_KINDS; i++)
		all += cost->kinds[i];
	for (i = 0; i < view->n; i++)
		if (view->parts[i].kind == CTX_PART_REASONING &&
		    view->parts[i].child == 0)
			return 0;
	return all > reasoning ? reasoning : 0;
}

int
ctx_count_message(struct ctx_counter *counter,
    const struct ctx_dialect *dialect, const struct ctx_view *view,
    struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_cost role = {0};

	memset(cost, 0, sizeof *cost);
	if (view->flags & CTX_VIEW_HIDDEN)
		return 0;
	/* What goes on with a message has the framing of its beginning. */
	if (!(view->flags & CTX_VIEW_CONTINUES)) {
		if (view->role_node != 0 && dialect->per_message > 0 &&
		    ctx_count_value(counter, view->json, view->role_node,
			&role, err) < 0)
			return -1;
		cost->framing = dialect->per_message + role.tokens;
	}
	cost->tokens = cost->framing;
	if (view->name != 0 && dialect->per_name > 0) {
		cost->tokens += dialect->per_name;
		if (ctx_count_value(counter, view->json, view->name, cost,
			err) < 0)
			return -1;
	}
	if (add_parts(counter, view, cost, err) < 0)
		return -1;
	cost->reasoning = loose_reasoning(view, cost);
	if (!counter->exact)
		cost->estimated = cost->tokens;
	return 0;
}

/* A system prompt may be a text, or blocks of text; of {"parts": [...]} the
 * parts are the prompt. */
static int
count_prompt(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err)
{
	uint32_t parts = ctx_json_find(json, node, "parts"), one, text;

	if (parts != 0)
		node = parts;
	if (json->nodes[node].kind != CTX_JSON_ARRAY ||
	    json->nodes[node].next == node + 1 ||
	    ctx_json_find(json, node + 1, "text") == 0)
		return ctx_count_value(counter, json, node, cost, err);
	for (one = node + 1; one < json->nodes[node].next;
	    one = json->nodes[one].next) {
		text = ctx_json_find(json, one, "text");
		if (text != 0 &&
		    ctx_count_value(counter, json, text, cost, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_count_beside(struct ctx_counter *counter, const struct ctx_json *json,
    const struct ctx_shape *shape, struct ctx_cost *cost, struct ctx_err *err)
{
	static const char *const keys[] = {"tools", "functions", "system",
	    "instructions", "systemInstruction", "system_instruction",
	    "toolConfig"};
	uint32_t node;
	size_t i;

	if (!shape->answers)
		cost->tokens += shape->dialect->priming;
	for (i = 0; shape->in_request && i < sizeof keys / sizeof keys[0];
	    i++) {
		node = ctx_json_find(json, shape->request, keys[i]);
		if (node != 0 && json->nodes[node].kind != CTX_JSON_NULL &&
		    count_prompt(counter, json, node, cost, err) < 0)
			return -1;
	}
	return 0;
}

void
ctx_counter_release(struct ctx_counter *counter)
{
	ctx_buf_release(&counter->text);
}
