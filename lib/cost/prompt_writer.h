/* prompt_writer.h - writes tool definitions, schemas, tool calls and tool
 * results as the model's prompt contains them, so that their tokens can be
 * counted */
#ifndef CTX_COST_PROMPT_WRITER_H
#define CTX_COST_PROMPT_WRITER_H

#include <string.h>

#include "cost/surcharges.h"
#include "json/json.h"

/* Byte that stands for one token between two texts, such as a quote.  The texts
 * before and after this byte are counted separately.  The byte never occurs in
 * UTF-8. */
#define CTX_TOKEN_MARK '\xff'

/* A text that is being written.  If memory cannot be allocated, failed is set
 * to true and *err is set; then nothing more is written. */
struct ctx_prompt_writer {
	const struct ctx_json *json; /* JSON that the text is about */
	struct ctx_buf *out;
	struct ctx_err *err;
	bool failed;
	/* Number of bytes of JSON that were written in place of references to
	 * schemas; see ctx_schema_may_replace. */
	size_t referred;
};

/* ---- prompt_writer.c ---- */

void ctx_prompt_put_bytes(struct ctx_prompt_writer *to, const char *p,
    size_t n);
/* Writes a text that is terminated by a NUL byte. */
static inline void
ctx_prompt_put(struct ctx_prompt_writer *to, const char *text)
{
	ctx_prompt_put_bytes(to, text, strlen(text));
}
/* Writes the text of a string, or the JSON of another value without white
 * space. */
void ctx_prompt_put_text(struct ctx_prompt_writer *to, uint32_t node);
/* Writes the JSON of a value without white space; a string is written with its
 * quotes. */
void ctx_prompt_put_json(struct ctx_prompt_writer *to, uint32_t node);
/* Writes the JSON of a value with a space after each comma and colon. */
void ctx_prompt_put_spaced(struct ctx_prompt_writer *to, uint32_t node);

/* What a value in a JSON schema, or in a tool call, contains. */
enum ctx_content {
	CTX_CONTENT_VALUES,
	CTX_CONTENT_KEYWORDS, /* a schema: keywords with their values */
	/* the schemas of named properties */
	CTX_CONTENT_PROPERTIES,
	CTX_CONTENT_SCHEMAS,  /* alternative schemas */
	CTX_CONTENT_TYPE,     /* the name of a type */
	CTX_CONTENT_KEY,      /* the key of a member */
	CTX_CONTENT_LEFT_OUT, /* not in the prompt, nor is its key */
};
/* A form in which objects and arrays are written. */
struct ctx_nested_form {
	/* True if each element is on a line of its own, indented by 2 spaces
	 * per level.  False if there is no white space. */
	bool indented;
	/* Writes a key, or a value inside which there are no others. */
	void (*put)(struct ctx_prompt_writer *to, uint32_t node,
	    enum ctx_content content);
	/* Returns what a value contains. outer: what the object or array around
	 * it contains. key: JSON node of the value's key; 0: element of an
	 * array. */
	enum ctx_content (*find_content)(const struct ctx_json *json,
	    enum ctx_content outer, uint32_t key);
};
/* Writes a value with all values inside it.  Objects and arrays inside 64
 * others are passed to form->put. */
void ctx_prompt_put_nested(struct ctx_prompt_writer *to,
    const struct ctx_nested_form *form, uint32_t node,
    enum ctx_content content);

/* ---- tool definitions ---- */

/* Where a request contains the parts of a tool definition.  The members are
 * JSON nodes, or 0 if the definition does not have the part. */
struct ctx_definition {
	uint32_t name, description, schema;
};
/* Write a tool definition: as a TypeScript type with an empty line after it, or
 * in the older form of such types, of GPT-4 and GPT-3.5 (tool_schema.c); as
 * Claude's prompt contains it, JSON in a tag (prompt_writer.c); as a function
 * of Python, and a class for each object in its arguments
 * (python_definition.c); in the form of Gemini 3 and later (declaration.c). */
void ctx_prompt_put_types(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool);
void ctx_prompt_put_older_types(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool);
void ctx_prompt_put_tagged(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool);
void ctx_prompt_put_python(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool);
void ctx_prompt_put_declaration(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool);
/* The schemas to which the parts of a schema refer. root: JSON node of the
 * schema of all arguments; set by the caller, who sets the other members to
 * zero. */
struct ctx_schema_references {
	uint32_t root;
	/* the schemas in "$defs" and "definitions" of root, by their paths,
	 * such as "#/$defs/Address"; true once they were added */
	struct ctx_node_index defined;
	bool read;
	struct ctx_buf path; /* scratch memory */
};
/* Follows the member "$ref" of a schema.  Returns the JSON node of the schema
 * that was found.  If there is no "$ref", or if its target does not exist,
 * returns the schema that was passed, which may be 0. */
uint32_t ctx_schema_follow(struct ctx_prompt_writer *to,
    struct ctx_schema_references *references, uint32_t schema);
/* Returns true if a JSON value may be written in place of a reference; false
 * once 1 MiB of JSON has replaced references.  Without this limit, a short
 * request could have a very long prompt. */
bool ctx_schema_may_replace(struct ctx_prompt_writer *to, uint32_t node);
void ctx_schema_references_release(struct ctx_schema_references *references);
/* Adds the names of the properties that a schema requires to the table "names",
 * with escapes decoded. scratch: scratch memory. */
void ctx_schema_read_required(struct ctx_prompt_writer *to, uint32_t schema,
    struct ctx_buf *scratch, struct ctx_intern *names);

/* ---- tool calls and results ---- */

/* Writes a value in the arguments of a tool call, or in a tool result, in the
 * form of Gemini 3 and later (declaration.c). */
void ctx_prompt_put_declared(struct ctx_prompt_writer *to, uint32_t node);
/* Writes the arguments of a tool call, a JSON object, in the form of the
 * arguments of a Python function call (python_definition.c). */
void ctx_prompt_put_arguments(struct ctx_prompt_writer *to, uint32_t node);

/* ---- answer_schema.c: the schema of the answer ---- */

/* Where a request contains the schema that the answer must follow.  The members
 * are JSON nodes; 0 if the request does not contain the value. */
struct ctx_answer_schema {
	uint32_t schema;
	/* name and description of the schema in the request */
	uint32_t name, description;
};

/* Finds the schema that the answer to a request must follow. */
void ctx_answer_schema_find(struct ctx_answer_schema *found,
    const struct ctx_json *json, uint32_t request);
/* Writes the schema in the form CTX_ANSWER_COMPACT, CTX_ANSWER_INDENTED or
 * CTX_ANSWER_REDUCED.  In a request to Bedrock, the schema is JSON in a string.
 * For Bedrock, nothing is written unless the form is CTX_ANSWER_INDENTED,
 * because only Claude gets the schema there. */
void ctx_prompt_put_answer(struct ctx_prompt_writer *to,
    const struct ctx_answer_schema *answer, enum ctx_answer_form form);

#endif
