/* read.h - functions for reading messages, shared by the files of the message
 * formats */
#ifndef CTX_DIALECT_READ_H
#define CTX_DIALECT_READ_H

#include "dialect/dialect.h"

/* The functions of the dialects (formats).  The functions of a dialect are in a
 * file of their own; struct ctx_dialect says what each function does. */
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
    ctx_claude_code_read, ctx_claude_stream_read, ctx_codex_read, ctx_pi_read,
    ctx_gemini_cli_read, ctx_copilot_cli_read, ctx_atif_read,
    ctx_otel_genai_read;
ctx_dialect_line ctx_claude_code_line, ctx_claude_stream_line, ctx_codex_line,
    ctx_pi_line, ctx_gemini_cli_line, ctx_opencode_line, ctx_copilot_cli_line;
ctx_dialect_first ctx_opencode_first;
/* ctx_find_model: for formats that have the name in the member "model". */
ctx_dialect_model ctx_opencode_model, ctx_langchain_model, ctx_find_model;

/* A row of a table that translates the words of a format, such as roles, into
 * numbers (enum constants).  In the last row, word is NULL, and meaning is the
 * number for all words that are not in the table. */
struct ctx_word {
	const char *word;
	unsigned meaning;
};
/* Returns the member meaning of the row whose word is the string at a JSON
 * node.  Returns that of the last row if no row has this word, or if the node
 * is 0 or not a string. */
unsigned ctx_look_up_word(const struct ctx_json *json, uint32_t node,
    const struct ctx_word *row);

/* Returns the role for the string at a JSON node, in formats with the members
 * role and content: "developer" is CTX_ROLE_SYSTEM, "function" is
 * CTX_ROLE_TOOL.  Returns CTX_ROLE_OTHER for an unknown string and for node
 * 0. */
enum ctx_role ctx_role_of(const struct ctx_json *json, uint32_t node);

/* Begins to read a message: empties *message, and sets its JSON node and its
 * role. role: JSON node of the string with the role.  If it is not a string,
 * returns false and changes nothing. */
bool ctx_read_role(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node, uint32_t role);

/* Adds a content block of this kind to the message. value: JSON node of its
 * payload, such as the string of a text block. */
int ctx_read_block(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t value, struct ctx_err *err);

/* Adds the blocks of a message's content to the message.  A string becomes a
 * text block.  Each element of an array is read by read_block, a function of
 * the dialect, or becomes an opaque block if read_block is NULL. null and a
 * missing content (node 0) add nothing.  Any other
 * value becomes an opaque block (a block that ctx does not read). */
typedef int ctx_block_reader(const struct ctx_json *json, uint32_t block,
    struct ctx_message *parsed, struct ctx_err *err);
int ctx_read_content(struct ctx_message *message, uint32_t content,
    ctx_block_reader *read_block, struct ctx_err *err);

/* Reads a message whose role is the member "role" and whose content is the
 * member with this key; see ctx_read_role and ctx_read_content.  Returns 1, 0
 * if it has no role, or -1 with *err. */
int ctx_read_message(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node, const char *key, ctx_block_reader *read_block,
    struct ctx_err *err);

/* Adds blocks to a message, as ctx_read_content does.  The content is in the
 * format of Anthropic's API: a string, or an array of blocks.  Returns 0, or -1
 * with *err. */
int ctx_anthropic_read_content(struct ctx_message *message, uint32_t content,
    struct ctx_err *err);

/* Adds a tool result to the message. body, id, name: JSON nodes of the content,
 * of the id of the tool call, and of the name of the tool.  If the content is
 * an array and read_block is not NULL, read_block adds each element as a block
 * inside the result. */
int ctx_read_result(struct ctx_message *message, uint32_t body, uint32_t id,
    uint32_t name, ctx_block_reader *read_block, struct ctx_err *err);

/* Adds a tool result whose content is a single block of this kind, and cannot
 * be replaced by a text. */
int ctx_read_fixed_result(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t body, uint32_t id, struct ctx_err *err);

/* Adds the member of the object obj with this key as a block of the message.
 * To remove the block, the member is removed.  Adds nothing if the member is
 * missing or null. */
int ctx_read_member(struct ctx_message *message, uint32_t obj, const char *key,
    enum ctx_block_kind kind, struct ctx_err *err);

/* Returns the JSON node of the value that the object obj has for the key "key".
 * If obj does not have this key, returns the node of the value for the key
 * "other".  Returns 0 if obj has neither key. */
uint32_t ctx_find_either(const struct ctx_json *json, uint32_t obj,
    const char *key, const char *other);

/* Returns the JSON node of the name of the model that wrote a message of Claude
 * Code.  Returns 0 if there is none, or if Claude Code itself wrote the message
 * ("<synthetic>"). */
uint32_t ctx_claude_model(const struct ctx_json *json, uint32_t message);

/* Adds a tool call to the message. value, id, name: JSON nodes of the
 * arguments, of the id of the call, and of the name of the tool.  A node is 0
 * if the value is missing. */
int ctx_read_call(struct ctx_message *message, uint32_t value, uint32_t id,
    uint32_t name, struct ctx_err *err);

/* Adds a tool call whose arguments, id and tool name are members of the object
 * obj. arguments, id, name: keys of these members. */
int ctx_read_call_in(struct ctx_message *message, uint32_t obj,
    const char *arguments, const char *id, const char *name,
    struct ctx_err *err);

/* Sets the member "caller" of the tool call that was added last.  A tool call
 * can be made by a program that the model has written.  Then "caller" is the id
 * of the tool call that runs the program. caller: JSON node of the member
 * "caller" in the input.  It contains that id, or says that the model itself
 * made the tool call. */
void ctx_read_caller(struct ctx_message *message, uint32_t caller);

/* How to read a content block whose member "type" is the string "type".  The
 * block becomes a block of the given kind.  Its payload is the member with the
 * given key.  If the member is missing or key is NULL, the payload of a block
 * of media or reasoning is the whole block; a block of another kind becomes
 * opaque (a block that ctx does not read). {type, NULL, CTX_BLOCK_OPAQUE} is
 * for blocks that are not sent to the model. */
struct ctx_block_type {
	const char *type, *key;
	enum ctx_block_kind kind;
};
/* Adds a block to the message.  The first of the n rows with the block's "type"
 * says how to read the block.  If no row has this type, the block becomes
 * opaque (a block that ctx does not read). */
int ctx_read_typed(struct ctx_message *message, uint32_t block,
    const struct ctx_block_type *rows, size_t n, struct ctx_err *err);

/* Adds a reasoning block of Anthropic's format, of the type thinking or
 * redacted_thinking.  If it has no readable text, its tokens are estimated from
 * the signature or the encrypted data. */
int ctx_read_thinking(struct ctx_message *message, uint32_t block,
    struct ctx_err *err);

/* If the newest block is reasoning that is sent back to the provider in
 * encrypted form, makes the encrypted text its payload. key: the member of the
 * JSON node "block" that has the provider's own properties, such as
 * "providerMetadata" of the AI SDK. */
void ctx_read_encryption(struct ctx_message *message, uint32_t block,
    const char *key);

/* Returns true if the JSON node is an array of messages: its first element has
 * a member "role". */
bool ctx_is_conversation(const struct ctx_json *json, uint32_t node);
/* Returns the number of strings in an array that has no other elements.
 * Returns 0 for any other JSON value. */
size_t ctx_count_strings(const struct ctx_json *json, uint32_t node);
/* Returns true if the object obj has the JSON value true for this key. */
bool ctx_is_true(const struct ctx_json *json, uint32_t obj, const char *key);

/* Sets is_error of the newest tool result to true if the tool call failed: if
 * the object obj has isError: true, is_error: true, or status: "error".  Sets
 * is_success to true if obj has isError: false or is_error: false. first: index
 * of the first content block that is searched for the tool result. */
void ctx_read_failure(struct ctx_message *message, size_t first, uint32_t obj);

/* Returns the JSON node of the member of the object obj with this key if the
 * member is an object, otherwise 0. */
uint32_t ctx_find_object(const struct ctx_json *json, uint32_t obj,
    const char *key);
/* Returns the JSON node of the member of the object obj with this key if the
 * member is an array that is not empty, otherwise 0. */
uint32_t ctx_find_list(const struct ctx_json *json, uint32_t obj,
    const char *key);

/* Returns the type of the first block in a message's content whose type is in
 * the array "types", or NULL if there is none.  The array ends with NULL. */
const char *ctx_has_block(const struct ctx_json *json, uint32_t content,
    const char *const *types);

/* Returns true if the JSON node is a string whose text begins with a word of
 * the array "starts".  White space before the word is ignored.  The words are
 * ASCII and not empty; the array ends with NULL. */
bool ctx_begins(const struct ctx_json *json, uint32_t node,
    const char *const *starts);

#endif
