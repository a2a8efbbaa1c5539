/* read.h - functions that the readers of the message formats share */
#ifndef CTX_DIALECT_READ_H
#define CTX_DIALECT_READ_H

#include "dialect/dialect.h"

/* The functions of the dialects, one file per dialect.  struct ctx_dialect says
 * what each does. */
typedef const char *ctx_dialect_is(const struct ctx_json *json, uint32_t node);
typedef int ctx_dialect_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *parsed, struct ctx_err *err);
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

/* Returns the role of a name in formats with role and content ("developer" is
 * SYSTEM, "function" is TOOL); OTHER for unknown names and node 0. */
enum ctx_role ctx_role_of(const struct ctx_json *json, uint32_t node);

/* Resets *message to the value at node, with the role that the string at role
 * names.  Returns false, and changes nothing, if role is not a string. */
bool ctx_read_role(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node, uint32_t role);

/* Adds a block with this payload. */
int ctx_read_part(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t value, struct ctx_err *err);

/*
 * Adds the blocks of a content value.  A string is a text block.  Each element
 * of an array is read by read_block, a function of the dialect.  null and a
 * missing value (node 0) add nothing; any other value is an opaque block.
 */
typedef int ctx_block_reader(const struct ctx_json *json, uint32_t block,
    struct ctx_message *parsed, struct ctx_err *err);
int ctx_read_content(struct ctx_message *message, uint32_t content,
    ctx_block_reader *read_block, struct ctx_err *err);

/*
 * Adds a tool result with this body.  If the body is an array, adds its blocks
 * too, as blocks of the result; read_block NULL: an array has no blocks.
 */
int ctx_read_result(struct ctx_message *message, uint32_t body, uint32_t id,
    uint32_t name, ctx_block_reader *read_block, struct ctx_err *err);

/* Adds a tool result that is never cleared: its body is one block of this
 * kind, which no text may replace. */
int ctx_read_fixed_result(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t body, uint32_t id, struct ctx_err *err);

/* Adds the value of member key of the object obj as one block that can be
 * removed with the member, unless it is missing or null. */
int ctx_read_member(struct ctx_message *message, uint32_t obj, const char *key,
    enum ctx_block_kind kind, struct ctx_err *err);

/* Returns the value of key, else of other, in the object obj, or 0. */
uint32_t ctx_find_either(const struct ctx_json *json, uint32_t obj,
    const char *key, const char *other);

/* Returns the name of the model that wrote a message of Claude Code; 0 if there
 * is none, or if Claude Code itself wrote the message ("<synthetic>"). */
uint32_t ctx_claude_model(const struct ctx_json *json, uint32_t message);

/* Adds a tool call; value is its arguments.  0 means that a node is missing. */
int ctx_read_call(struct ctx_message *message, uint32_t value, uint32_t id,
    uint32_t name, struct ctx_err *err);

/* Sets the caller of the last tool call added: the id, in the object caller, of
 * the tool call whose program made it.  Without an id the model made it. */
void ctx_read_caller(struct ctx_message *message, uint32_t caller);

/*
 * How to read a block of this "type": the payload is the member key.  If key is
 * NULL or the member is missing, the payload of media and reasoning is the
 * whole block.  Of other kinds, a block without the member is opaque.  An
 * OPAQUE row with key NULL is a block that the model does not see.
 */
struct ctx_block_type {
	const char *type, *key;
	enum ctx_block_kind kind;
};
/* Adds a block as the first of n rows with its type says, else as opaque. */
int ctx_read_typed(struct ctx_message *message, uint32_t block,
    const struct ctx_block_type *rows, size_t n, struct ctx_err *err);

/* Adds a thinking or redacted_thinking block as Anthropic writes it.  If its
 * text is empty or redacted, its tokens are estimated from the signature or
 * data. */
int ctx_read_thinking(struct ctx_message *message, uint32_t block,
    struct ctx_err *err);

bool ctx_is_array(const struct ctx_json *json, uint32_t node);
/* Returns true if the node is an array whose first element has a role. */
bool ctx_is_conversation(const struct ctx_json *json, uint32_t node);
/* Returns true if member key of the object obj is the JSON value true. */
bool ctx_is_true(const struct ctx_json *json, uint32_t obj, const char *key);

/* Returns obj.member.key, or 0. */
uint32_t ctx_find_below(const struct ctx_json *json, uint32_t obj,
    const char *member, const char *key);

/*
 * Marks the last tool result among the blocks from first on as an error, if the
 * object obj says that the call failed: is_error or isError is true, or status
 * is "error".
 */
void ctx_read_failure(struct ctx_message *message, size_t first, uint32_t obj);

/* Returns member key of the object obj if it is an array with elements, else
 * 0. */
uint32_t ctx_find_list(const struct ctx_json *json, uint32_t obj,
    const char *key);

/* Returns the "type" of the first block of content whose type is one of n
 * types, or NULL. */
const char *ctx_has_block(const struct ctx_json *json, uint32_t content,
    const char *const *types, size_t n);

/* Returns true if the node is a string that begins with start, after any white
 * space.  start is ASCII and not empty. */
bool ctx_begins(const struct ctx_json *json, uint32_t node, const char *start);

#endif
