/*
 * answer_schema.c - writes the JSON schema of an answer as the provider writes
 * it into the model's prompt
 *
 * There are two forms, which the providers do not publish.  They were inferred
 * from billed tokens of recorded requests (November 2026,
 * tests/bench/billed.py):
 *
 * indented: JSON on several lines, indented by 2 spaces, as Python's json
 * module writes it (Claude, 40 requests).
 *
 * reduced: a heading with the name of the schema, the description of the schema
 * as a comment, and JSON without white space.  Keys such as required and
 * maxLength are left out (OpenAI, 230 requests).
 */
#include <string.h>

#include "cost/prompt_writer.h"

void
ctx_answer_schema_find(struct ctx_answer_schema *found,
    const struct ctx_json *json, uint32_t request)
{
	/* Where a request contains the schema that the answer must follow: the
	 * path to an object, and the key of the schema in this object. */
	static const char *const paths[][2] = {{"response_format/json_schema",
						   "schema"},
	    {"text/format", "schema"}, {"output_config/format", "schema"},
	    {"output_format", "schema"},
	    {"outputConfig/textFormat/structure/jsonSchema", "schema"},
	    {"generationConfig", "responseSchema"}};
	uint32_t node;
	size_t i;

	memset(found, 0, sizeof *found);
	for (i = 0; i < CTX_LENGTH(paths); i++) {
		node = ctx_json_find_path(json, request, paths[i][0]);
		if (node != 0)
			found->schema = ctx_json_find(json, node, paths[i][1]);
		if (found->schema == 0)
			continue;
		found->name = ctx_json_find(json, node, "name");
		found->description = ctx_json_find(json, node, "description");
		return;
	}
}

static void
put_schema_json(struct ctx_prompt_writer *to, uint32_t node,
    enum ctx_content content)
{
	(void)content;
	ctx_prompt_put_json(to, node);
}

/* Every value counts as a schema, but the keys of some are names that the
 * schema defines, not keywords of JSON Schema. */
static enum ctx_content
find_schema_content(const struct ctx_json *json, enum ctx_content outer,
    uint32_t key)
{
	static const char *const maps[] = {"properties", "$defs", "definitions",
	    "patternProperties", NULL};

	return key != 0 && outer == CTX_CONTENT_KEYWORDS &&
		ctx_json_is_any(json, key, maps)
	    ? CTX_CONTENT_PROPERTIES
	    : CTX_CONTENT_KEYWORDS;
}

/* Leaves out the keywords that the provider leaves out of the form
 * "reduced". */
static enum ctx_content
find_reduced_content(const struct ctx_json *json, enum ctx_content outer,
    uint32_t key)
{
	static const char *const left_out[] = {"additionalProperties",
	    "required", "minLength", "maxLength", "pattern", "format",
	    "minimum", "maximum", "multipleOf", "minItems", "maxItems",
	    "exclusiveMinimum", "exclusiveMaximum", "default", NULL};

	return key != 0 && outer == CTX_CONTENT_KEYWORDS &&
		ctx_json_is_any(json, key, left_out)
	    ? CTX_CONTENT_LEFT_OUT
	    : find_schema_content(json, outer, key);
}

/* Writes the text "before", the text of a JSON string, and the text "after".
 * Writes nothing if the node is not a string. */
static void
put_heading(struct ctx_prompt_writer *to, const char *before, uint32_t node,
    const char *after)
{
	if (!ctx_json_is_string(to->json, node))
		return;
	ctx_prompt_put(to, before);
	ctx_prompt_put_text(to, node);
	ctx_prompt_put(to, after);
}

static void
put_reduced(struct ctx_prompt_writer *to,
    const struct ctx_answer_schema *answer)
{
	static const struct ctx_nested_form form = {.put = put_schema_json,
	    .find_content = find_reduced_content};

	ctx_prompt_put(to, "# Response Formats\n\n");
	put_heading(to, "## ", answer->name, "\n\n");
	put_heading(to, "// ", answer->description, "\n");
	ctx_prompt_put_nested(to, &form, answer->schema, CTX_CONTENT_KEYWORDS);
}

/* Writes a schema as the provider writes it into Claude's prompt.  In the
 * request, the schema may be JSON in a string. */
static void
put_indented(struct ctx_prompt_writer *to, uint32_t schema)
{
	static const struct ctx_nested_form form = {.indented = true,
	    .put = put_schema_json,
	    .find_content = find_schema_content};
	struct ctx_prompt_writer inner = *to;
	struct ctx_coded_value value = {0};
	int rc = ctx_coded_value_read(&value, to->json, schema, to->err);

	if (rc > 0) {
		inner.json = value.json;
		ctx_prompt_put_nested(&inner, &form, value.node,
		    CTX_CONTENT_KEYWORDS);
	}
	to->failed = rc < 0 || inner.failed;
	ctx_coded_value_release(&value);
}

void
ctx_prompt_put_answer(struct ctx_prompt_writer *to,
    const struct ctx_answer_schema *answer, enum ctx_answer_form form)
{
	if (form == CTX_ANSWER_INDENTED)
		put_indented(to, answer->schema);
	else if (ctx_json_is_string(to->json, answer->schema))
		return;
	else if (form == CTX_ANSWER_REDUCED)
		put_reduced(to, answer);
	else
		ctx_prompt_put_json(to, answer->schema);
}
