/*
 * prompt_writer.c - writes texts of the model's prompt, and the tool
 * definitions of Claude
 *
 * Claude's form of a definition is <function>, JSON, </function> and a line
 * feed.  Anthropic has not published the form.  It was inferred from recorded
 * requests to Sonnet 4.5 and Haiku 4.5: the tokens of most definitions differ
 * by at most two from those billed (November 2026).
 */
#include "cost/prompt_writer.h"

/* Maximum depth of nested objects and arrays. */
#define DEEPEST 64

void
ctx_prompt_put_bytes(struct ctx_prompt_writer *to, const char *p, size_t n)
{
	to->failed = to->failed || ctx_buf_add(to->out, p, n, to->err) < 0;
}

void
ctx_prompt_put_text(struct ctx_prompt_writer *to, uint32_t node)
{
	to->failed = to->failed ||
	    ctx_json_append_text(to->json, node, to->out, to->err) < 0;
}

void
ctx_prompt_put_json(struct ctx_prompt_writer *to, uint32_t node)
{
	to->failed = to->failed ||
	    ctx_json_append_compact(to->json, node, to->out, to->err) < 0;
}

/* Writes a JSON text, and inserts a space after each comma and colon outside of
 * strings.  The JSON text must have no white space between its tokens. */
static void
put_spaced(struct ctx_prompt_writer *to, struct ctx_str text)
{
	bool within = false; /* true inside a string */
	size_t i, start = 0;

	for (i = 0; i < text.n; i++) {
		if (within && text.p[i] == '\\') {
			i++;
		} else if (text.p[i] == '"') {
			within = !within;
		} else if (!within && (text.p[i] == ',' || text.p[i] == ':')) {
			ctx_prompt_put_bytes(to, text.p + start, i + 1 - start);
			ctx_prompt_put(to, " ");
			start = i + 1;
		}
	}
	ctx_prompt_put_bytes(to, text.p + start, text.n - start);
}

void
ctx_prompt_put_spaced(struct ctx_prompt_writer *to, uint32_t node)
{
	struct ctx_buf scratch = {0};
	struct ctx_str text = {"", 0};

	to->failed = to->failed ||
	    ctx_json_compact(to->json, node, &scratch, &text, to->err) < 0;
	put_spaced(to, text);
	ctx_buf_release(&scratch);
}

/* ---- objects and arrays ---- */

/* A value that is being written. */
struct nested_writer {
	struct ctx_prompt_writer *to;
	const struct ctx_nested_form *form;
	/* A stack of the objects and arrays that are being written: each
	 * contains the next one. */
	struct nested_value {
		/* JSON nodes. at: element or key that is written next; end:
		 * node after the last element. */
		uint32_t at, end;
		enum ctx_content content;
		bool object;
		bool any; /* true once an element has been written */
	} open[DEEPEST];
	size_t n;
};

/* If the form is indented, begins a new line, with indentation for the
 * innermost open object or array. */
static void
put_line_start(const struct nested_writer *w)
{
	size_t depth = w->n;

	if (!w->form->indented)
		return;
	ctx_prompt_put(w->to, "\n");
	while (depth-- > 0)
		ctx_prompt_put(w->to, "  ");
}

/* Writes a value.  For an object or array that is not empty, writes only the
 * opening bracket. */
static void
put_value(struct nested_writer *w, uint32_t node, enum ctx_content content)
{
	const struct ctx_node *value = &w->to->json->nodes[node];
	bool object = value->kind == CTX_JSON_OBJECT;

	if ((!object && value->kind != CTX_JSON_ARRAY) ||
	    value->next == node + 1 || w->n == DEEPEST) {
		w->form->put(w->to, node, content);
		return;
	}
	w->open[w->n++] = (struct nested_value){.at = node + 1,
	    .end = value->next,
	    .content = content,
	    .object = object};
	ctx_prompt_put(w->to, object ? "{" : "[");
}

/* Writes the next element of the innermost object or array that is being
 * written.  After the last element, writes the closing bracket. */
static void
put_next(struct nested_writer *w)
{
	struct nested_value *top = &w->open[w->n - 1];
	uint32_t key = 0, value = top->at;
	enum ctx_content content;

	if (value == top->end) {
		w->n--;
		if (top->any)
			put_line_start(w);
		ctx_prompt_put(w->to, top->object ? "}" : "]");
		return;
	}
	if (top->object)
		key = value++;
	top->at = w->to->json->nodes[value].next;
	content = w->form->find_content(w->to->json, top->content, key);
	if (content == CTX_CONTENT_LEFT_OUT)
		return;
	if (top->any)
		ctx_prompt_put(w->to, ",");
	top->any = true;
	put_line_start(w);
	if (key != 0) {
		w->form->put(w->to, key, CTX_CONTENT_KEY);
		ctx_prompt_put(w->to, w->form->indented ? ": " : ":");
	}
	put_value(w, value, content);
}

void
ctx_prompt_put_nested(struct ctx_prompt_writer *to,
    const struct ctx_nested_form *form, uint32_t node, enum ctx_content content)
{
	struct nested_writer w = {.to = to, .form = form};

	put_value(&w, node, content);
	while (w.n > 0 && !to->failed)
		put_next(&w);
}

/* ---- definitions of Claude ---- */

static void
put_part(struct ctx_prompt_writer *to, const char *before, uint32_t node)
{
	ctx_prompt_put(to, before);
	ctx_prompt_put_spaced(to, node);
}

void
ctx_prompt_put_tagged(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool)
{
	bool described = ctx_json_is_string(to->json, tool->description) &&
	    ctx_json_str(to->json, tool->description).n > 2;

	ctx_prompt_put(to, "<function>{");
	if (described) {
		put_part(to, "\"description\": ", tool->description);
		ctx_prompt_put(to, ", ");
	}
	put_part(to, "\"name\": ", tool->name);
	if (tool->schema != 0)
		put_part(to, ", \"parameters\": ", tool->schema);
	ctx_prompt_put(to, "}</function>\n");
}
