/* dialect.h - what the readers of the message formats share */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "ctx.h"

/* The dialects, one a file; see struct ctx_dialect. */
const char *ctx_openai_chat_is(const struct ctx_json *json, uint32_t node);
int ctx_openai_chat_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_openai_responses_is(const struct ctx_json *json, uint32_t node);
int ctx_openai_responses_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_anthropic_is(const struct ctx_json *json, uint32_t node);
int ctx_anthropic_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_bedrock_is(const struct ctx_json *json, uint32_t node);
int ctx_bedrock_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_gemini_is(const struct ctx_json *json, uint32_t node);
int ctx_gemini_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_langchain_dict_is(const struct ctx_json *json, uint32_t node);
int ctx_langchain_dict_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_langchain_lc_is(const struct ctx_json *json, uint32_t node);
int ctx_langchain_lc_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_langchain_dump_is(const struct ctx_json *json, uint32_t node);
int ctx_langchain_dump_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_vercel_model_is(const struct ctx_json *json, uint32_t node);
int ctx_vercel_model_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_vercel_ui_is(const struct ctx_json *json, uint32_t node);
int ctx_vercel_ui_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_ollama_is(const struct ctx_json *json, uint32_t node);
int ctx_ollama_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_sharegpt_is(const struct ctx_json *json, uint32_t node);
int ctx_sharegpt_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_goose_is(const struct ctx_json *json, uint32_t node);
int ctx_goose_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_llm_logs_is(const struct ctx_json *json, uint32_t node);
int ctx_llm_logs_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_opencode_is(const struct ctx_json *json, uint32_t node);
int ctx_opencode_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
uint32_t ctx_opencode_first(const struct ctx_json *json, uint32_t array);
const char *ctx_generic_is(const struct ctx_json *json, uint32_t node);
int ctx_generic_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
const char *ctx_claude_code_is(const struct ctx_json *json, uint32_t node);
int ctx_claude_code_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
void ctx_claude_code_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line *line);
const char *ctx_claude_stream_is(const struct ctx_json *json, uint32_t node);
int ctx_claude_stream_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
void ctx_claude_stream_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line *line);
const char *ctx_codex_is(const struct ctx_json *json, uint32_t node);
int ctx_codex_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
void ctx_codex_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line *line);
const char *ctx_pi_is(const struct ctx_json *json, uint32_t node);
int ctx_pi_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
void ctx_pi_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line *line);
const char *ctx_gemini_cli_is(const struct ctx_json *json, uint32_t node);
int ctx_gemini_cli_read(const struct ctx_json *json, uint32_t node,
    struct ctx_view *view, struct ctx_err *err);
void ctx_gemini_cli_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line *line);

/* The role that a name stands for in the formats of the role/content kind
 * ("developer" is a system message, "function" a tool's). */
enum ctx_role ctx_role_of(const struct ctx_json *json, uint32_t node);

/* Adds one part. */
int ctx_read_part(struct ctx_view *view, enum ctx_part_kind kind,
    uint32_t value, struct ctx_err *err);

/*
 * Adds the parts of a content value: a string is a text, an array is read
 * block by block by the dialect's own function, null and an absent value
 * (node 0) are nothing, anything else is opaque.
 */
typedef int ctx_block_reader(const struct ctx_json *json, uint32_t block,
    struct ctx_view *view, struct ctx_err *err);
int ctx_read_content(struct ctx_view *view, uint32_t content,
    ctx_block_reader *read_block, struct ctx_err *err);

/*
 * Adds a result with the body value and, where that is an array, its blocks,
 * owned by the result (read_block NULL: there never are any).
 */
int ctx_read_result(struct ctx_view *view, uint32_t body, uint32_t id,
    uint32_t name, ctx_block_reader *read_block, struct ctx_err *err);

/* Adds a result whose body, one part of the given kind, no text may stand in
 * for. */
int ctx_read_fixed_result(struct ctx_view *view, enum ctx_part_kind kind,
    uint32_t body, uint32_t id, struct ctx_err *err);

/* Adds the member key of the object obj as one part that can be taken out
 * whole, if it is there and not null. */
int ctx_read_member(struct ctx_view *view, uint32_t obj, const char *key,
    enum ctx_part_kind kind, struct ctx_err *err);

/* The value of the first of the two keys that the object obj has, or 0. */
uint32_t ctx_find_either(const struct ctx_json *json, uint32_t obj,
    const char *key, const char *other);

/* Adds a call: its arguments, its id and its name, 0 where there is none. */
int ctx_read_call(struct ctx_view *view, uint32_t value, uint32_t id,
    uint32_t name, struct ctx_err *err);

/*
 * A block that is told by its "type": the member key is its value.  Without
 * a key the block is known but the model is not shown it; without that
 * member media and reasoning are the whole block, anything else is opaque.
 */
struct ctx_block_type {
	const char *type, *key;
	enum ctx_part_kind kind;
};
/* Adds the part that one of n rows makes of a block, else an opaque one. */
int ctx_read_typed(struct ctx_view *view, uint32_t block,
    const struct ctx_block_type *rows, size_t n, struct ctx_err *err);

/* Does the string at node begin with prefix?  Escapes do not count. */
bool ctx_starts_with(const struct ctx_json *json, uint32_t node,
    const char *prefix);

/* Member key of member of the object obj, or 0. */
uint32_t ctx_find_below(const struct ctx_json *json, uint32_t obj,
    const char *member, const char *key);

/*
 * Marks the result that was added last, at or behind part first, as that of
 * a call that failed, if the object obj says so: is_error or isError true,
 * or a status "error".
 */
void ctx_read_failure(struct ctx_view *view, size_t first, uint32_t obj);

/* Has the object obj an array as its member key, and that some elements?
 * Then the array, else 0. */
uint32_t ctx_find_list(const struct ctx_json *json, uint32_t obj,
    const char *key);

/* The first of types that a block of content has as its "type", or NULL. */
const char *ctx_has_block(const struct ctx_json *json, uint32_t content,
    const char *const *types, size_t n);

/* Is the node a string whose text, blanks aside, begins with start (ASCII,
 * NUL ended, not empty)? */
bool ctx_begins(const struct ctx_json *json, uint32_t node,
    const char *start);

#endif
