/* read.h - what the readers of the message formats share */
#ifndef CTX_DIALECT_READ_H
#define CTX_DIALECT_READ_H

#include "dialect/dialect.h"

/* The dialects, one a file: what each does is told at struct ctx_dialect. */
typedef const char *ctx_dialect_is(const struct ctx_json *json, uint32_t node);
typedef int ctx_dialect_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *view, struct ctx_err *err);
typedef void ctx_dialect_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line);
typedef uint32_t ctx_dialect_first(const struct ctx_json *json, uint32_t array);

ctx_dialect_is ctx_openai_chat_is, ctx_openai_responses_is, ctx_anthropic_is,
    ctx_bedrock_is, ctx_gemini_is, ctx_langchain_dict_is, ctx_langchain_lc_is,
    ctx_langchain_dump_is, ctx_vercel_model_is, ctx_vercel_ui_is, ctx_ollama_is,
    ctx_sharegpt_is, ctx_goose_is, ctx_llm_logs_is, ctx_opencode_is,
    ctx_generic_is, ctx_claude_code_is, ctx_claude_stream_is, ctx_codex_is,
    ctx_pi_is, ctx_gemini_cli_is, ctx_ollama_also, ctx_anthropic_likely,
    ctx_copilot_cli_is, ctx_atif_is, ctx_otel_genai_is;
ctx_dialect_read ctx_openai_chat_read, ctx_openai_responses_read,
    ctx_anthropic_read, ctx_bedrock_read, ctx_gemini_read,
    ctx_langchain_dict_read, ctx_langchain_lc_read, ctx_langchain_dump_read,
    ctx_vercel_model_read, ctx_vercel_ui_read, ctx_ollama_read,
    ctx_sharegpt_read, ctx_goose_read, ctx_llm_logs_read, ctx_opencode_read,
    ctx_generic_read, ctx_claude_code_read, ctx_claude_stream_read,
    ctx_codex_read, ctx_pi_read, ctx_gemini_cli_read, ctx_copilot_cli_read,
    ctx_atif_read, ctx_otel_genai_read;
ctx_dialect_line ctx_claude_code_line, ctx_claude_stream_line, ctx_codex_line,
    ctx_pi_line, ctx_gemini_cli_line, ctx_opencode_line, ctx_copilot_cli_line;
ctx_dialect_first ctx_opencode_first;

/* The role that a name stands for in the formats of the role/content kind
 * ("developer" is a system message, "function" a tool's). */
enum ctx_role ctx_role_of(const struct ctx_json *json, uint32_t node);

/* Points the view at a message and gives it the role that the string at role
 * names; false if there is no string. */
bool ctx_read_role(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node, uint32_t role);

/* Adds one part. */
int ctx_read_part(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t value, struct ctx_err *err);

/*
 * Adds the parts of a content value: a string is a text, an array is read
 * block by block by the dialect's own function, null and an absent value
 * (node 0) are nothing, anything else is opaque.
 */
typedef int ctx_block_reader(const struct ctx_json *json, uint32_t block,
    struct ctx_message *view, struct ctx_err *err);
int ctx_read_content(struct ctx_message *message, uint32_t content,
    ctx_block_reader *read_block, struct ctx_err *err);

/*
 * Adds a result with the body value and, where that is an array, its blocks,
 * owned by the result (read_block NULL: there never are any).
 */
int ctx_read_result(struct ctx_message *message, uint32_t body, uint32_t id,
    uint32_t name, ctx_block_reader *read_block, struct ctx_err *err);

/* Adds a result whose body, one part of the given kind, no text may stand in
 * for. */
int ctx_read_fixed_result(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t body, uint32_t id, struct ctx_err *err);

/* Adds the member key of the object obj as one part that can be taken out
 * whole, if it is there and not null. */
int ctx_read_member(struct ctx_message *message, uint32_t obj, const char *key,
    enum ctx_block_kind kind, struct ctx_err *err);

/* The value of the first of the two keys that the object obj has, or 0. */
uint32_t ctx_find_either(const struct ctx_json *json, uint32_t obj,
    const char *key, const char *other);

/* The model that a message of Claude Code is of; 0 where none is named, or
 * the program itself speaks in the model's place ("<synthetic>"). */
uint32_t ctx_claude_model(const struct ctx_json *json, uint32_t message);

/* Adds a call: its arguments, its id and its name, 0 where there is none. */
int ctx_read_call(struct ctx_message *message, uint32_t value, uint32_t id,
    uint32_t name, struct ctx_err *err);

/* The call that was added last names the call whose program made it in the
 * object caller, or is the model's own. */
void ctx_read_caller(struct ctx_message *message, uint32_t caller);

/*
 * A block that is told by its "type": the member key is its value.  Without
 * that member, or a key, media and reasoning are the whole block; without the
 * member anything else is opaque, and without a key known, but nothing that
 * the model is shown.
 */
struct ctx_block_type {
	const char *type, *key;
	enum ctx_block_kind kind;
};
/* Adds the part that one of n rows makes of a block, else an opaque one. */
int ctx_read_typed(struct ctx_message *message, uint32_t block,
    const struct ctx_block_type *rows, size_t n, struct ctx_err *err);

bool ctx_is_array(const struct ctx_json *json, uint32_t node);
/* Is it an array whose first element has a role? */
bool ctx_is_conversation(const struct ctx_json *json, uint32_t node);
/* Is the member key of the object obj the word true? */
bool ctx_is_true(const struct ctx_json *json, uint32_t obj, const char *key);

/* Member key of member of the object obj, or 0. */
uint32_t ctx_find_below(const struct ctx_json *json, uint32_t obj,
    const char *member, const char *key);

/*
 * Marks the result that was added last, at or behind part first, as that of
 * a call that failed, if the object obj says so: is_error or isError true,
 * or a status "error".
 */
void ctx_read_failure(struct ctx_message *message, size_t first, uint32_t obj);

/* Has the object obj an array as its member key, and that some elements?
 * Then the array, else 0. */
uint32_t ctx_find_list(const struct ctx_json *json, uint32_t obj,
    const char *key);

/* The first of types that a block of content has as its "type", or NULL. */
const char *ctx_has_block(const struct ctx_json *json, uint32_t content,
    const char *const *types, size_t n);

/* Is the node a string whose text, blanks aside, begins with start (ASCII,
 * NUL ended, not empty)? */
bool ctx_begins(const struct ctx_json *json, uint32_t node, const char *start);

#endif
