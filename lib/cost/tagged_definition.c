/*
 * tagged_definition.c - writes tool definitions as Claude's prompt contains
 * them
 *
 * The form is <function>, JSON, </function> and a line feed.  Anthropic has not
 * published the form.  It was inferred from recorded requests to Sonnet 4.5 and
 * Haiku 4.5: the tokens of most definitions differ by at most two from those
 * billed (November 2026).
 */
#include "cost/prompt_writer.h"
#include "cost/tool_schema.h"

/* Appends a JSON text, and inserts a space after each comma and colon outside
 * of strings.  The JSON text must have no white space between its tokens. */
static int
add_spaced(struct ctx_buf *out, struct ctx_str text, struct ctx_err *err)
{
	bool within = false; /* true inside a string */
	size_t i, start = 0;

	for (i = 0; i < text.n; i++) {
		if (within && text.p[i] == '\\') {
			i++;
		} else if (text.p[i] == '"') {
			within = !within;
		} else if (!within && (text.p[i] == ',' || text.p[i] == ':')) {
			if (ctx_buf_add(out, text.p + start, i + 1 - start,
				err) < 0 ||
			    ctx_buf_add(out, " ", 1, err) < 0)
				return -1;
			start = i + 1;
		}
	}
	return ctx_buf_add(out, text.p + start, text.n - start, err);
}

int
ctx_spaced_json_add(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	struct ctx_buf scratch = {0};
	struct ctx_str text;
	int rc = -1;

	if (ctx_json_compact(json, node, &scratch, &text, err) == 0)
		rc = add_spaced(out, text, err);
	ctx_buf_release(&scratch);
	return rc;
}

static void
put_spaced(struct ctx_prompt_writer *to, const char *before, uint32_t node)
{
	ctx_prompt_put(to, before);
	to->failed = to->failed ||
	    ctx_spaced_json_add(to->out, to->json, node, to->err) < 0;
}

/* Returns true if a JSON node is a string with at least one character. */
static bool
has_text(const struct ctx_json *json, uint32_t node)
{
	return ctx_json_is_string(json, node) && ctx_json_str(json, node).n > 2;
}

int
ctx_tagged_definition_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err)
{
	struct ctx_prompt_writer to = {.json = json, .out = out, .err = err};

	ctx_prompt_put(&to, "<function>{");
	if (has_text(json, tool->description)) {
		put_spaced(&to, "\"description\": ", tool->description);
		ctx_prompt_put(&to, ", ");
	}
	put_spaced(&to, "\"name\": ", tool->name);
	if (tool->schema != 0)
		put_spaced(&to, ", \"parameters\": ", tool->schema);
	ctx_prompt_put(&to, "}</function>\n");
	return to.failed ? -1 : 0;
}
