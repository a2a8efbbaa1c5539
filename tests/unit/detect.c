/* detect.c - tests which members of a message identify its format */
#include "dialect/dialect.h"
#include "tap.h"

/* Detects the format of a JSON text. */
static void
detect(const char *text, struct ctx_json *json,
    struct ctx_record_layout *layout)
{
	struct ctx_err err;
	size_t used;

	NEED(ctx_json_scan(json, text, strlen(text), &used, &err) == 1);
	ctx_detect(json, 0, NULL, layout);
}

/* Detection does not ask the rows of the table for messages with only role and
 * content.  So no row may claim such a message. */
static void
said(void)
{
	static const char *const texts[] = {
	    "{\"role\":\"user\",\"content\":\"a\"}",
	    "{\"role\":\"user\",\"name\":\"b\",\"content\":\"a\"}",
	    "{\"content\":\"a\",\"role\":\"user\"}",
	    "{\"role\":\"assistant\",\"content\":\"a\"}",
	    "{\"role\":\"assistant\",\"content\":\"a\",\"name\":\"b\"}",
	    "{\"role\":\"system\",\"content\":\"\"}",
	    "{\"role\":\"system\",\"name\":\"b\",\"content\":\"a\"}",
	    "{\"role\":\"tool\",\"role\":\"user\",\"content\":\"a\"}",
	    "{\"r\\u006fle\":\"\\u0075ser\",\"content\":\"a\"}",
	};
	struct ctx_record_layout layout;
	struct ctx_json json;
	size_t i, row;

	tap_case("a role and a text identify no dialect");
	ctx_json_init(&json, CTX_SIMD_BEST);
	for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		detect(texts[i], &json, &layout);
		CHECK(layout.kind == CTX_LAYOUT_MESSAGE && !layout.decisive);
		CHECK(strcmp(layout.dialect->name, "generic") == 0);
		for (row = 0; ctx_dialect_at(row + 1) != NULL; row++)
			CHECK(ctx_dialect_at(row)->matches(&json, 0) == NULL);
		CHECK(ctx_dialect_at(row)->matches(&json, 0) != NULL);
		CHECK(strcmp(ctx_dialect_at(row)->matches(&json, 0),
			  layout.why) == 0);
	}
	ctx_json_release(&json);
}

static void
told(void)
{
	static const struct {
		const char *text, *dialect;
	} rows[] = {
	    {"{\"role\":\"function\",\"content\":\"a\"}", "openai-chat"},
	    {"{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"a\"}",
		"openai-chat"},
	    {"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}",
		"openai-chat"},
	    {"{\"role\":\"user\",\"parts\":[{\"text\":\"a\"}]}", "gemini"},
	    {"{\"role\":\"user\",\"parts\":[\"a\",{}]}", "gemini"},
	    {"{\"role\":\"user\",\"content\":[{\"text\":\"a\"}]}", "bedrock"},
	    {"{\"role\":\"user\",\"content\":[{\"searchResult\":{\"source\":"
	     "\"s\",\"title\":\"t\",\"content\":[{\"text\":\"a\"}]}}]}",
		"bedrock"},
	    {"{\"role\":\"assistant\",\"content\":[{\"type\":"
	     "\"mcp_tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}]}",
		"anthropic"},
	    {"{\"type\":\"message\",\"role\":\"assistant\",\"content\":[],"
	     "\"usage\":{\"input_tokens\":5}}",
		"anthropic"},
	};
	struct ctx_record_layout layout;
	struct ctx_json json;
	size_t i;

	tap_case("a key, block or role of one dialect identifies it");
	ctx_json_init(&json, CTX_SIMD_BEST);
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		detect(rows[i].text, &json, &layout);
		CHECK(layout.kind == CTX_LAYOUT_MESSAGE && layout.decisive);
		CHECK(strcmp(layout.dialect->name, rows[i].dialect) == 0);
	}
	ctx_json_release(&json);
}

/* Tests arrays whose first elements are not messages: any element may identify
 * the format, because ctx-prune may remove the elements before it. */
static void
arrays(void)
{
	static const struct {
		const char *text;
		enum ctx_layout_kind kind;
	} rows[] = {
	    {"[]", CTX_LAYOUT_OTHER},
	    {"[5,{}]", CTX_LAYOUT_OTHER},
	    {"[{\"role\":\"user\"},5]", CTX_LAYOUT_CONVERSATION},
	    {"[5,{},[],{\"role\":\"user\"}]", CTX_LAYOUT_CONVERSATION},
	    {"[[{\"role\":\"user\"}],{\"role\":\"user\"}]",
		CTX_LAYOUT_CONVERSATION},
	    {"[[],[5,{\"role\":\"user\"}]]", CTX_LAYOUT_LIST},
	    {"[[[{\"role\":\"user\"}]]]", CTX_LAYOUT_OTHER},
	    {"[5,{\"messages\":[]}]", CTX_LAYOUT_LIST},
	    {"{\"input\":[\"a\",\"b\"]}", CTX_LAYOUT_OTHER},
	    {"{\"input\":[\"a\",{\"role\":\"user\"}]}",
		CTX_LAYOUT_CONVERSATION},
	    {"{\"input\":[]}", CTX_LAYOUT_CONVERSATION},
	};
	struct ctx_record_layout layout;
	struct ctx_json json;
	size_t i;

	tap_case("any element of an array may identify the dialect");
	ctx_json_init(&json, CTX_SIMD_BEST);
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		detect(rows[i].text, &json, &layout);
		CHECK(layout.kind == rows[i].kind);
	}
	ctx_json_release(&json);
}

int
main(void)
{
	said();
	told();
	arrays();
	return tap_done();
}
