/* validator.h - declares the functions that check one message, one function for
 * each kind of rule, and those that make the texts of a repair */
#ifndef CTX_CHECK_VALIDATOR_H
#define CTX_CHECK_VALIDATOR_H

#include "check/tool_call_log.h"

/* Kinds of findings (violations of rules) that become certain only when the
 * next message is read. ctx_validator.waiting_bits has a bit for each kind. */
enum { CTX_WAITS_EMPTY, CTX_WAITS_REASONING, CTX_WAITS_SYSTEM, CTX_WAITS };

/* A cache breakpoint that was read. node: JSON node of the breakpoint, which is
 * an array element or the key of an object's member; container: JSON node of
 * this array or object; marked: JSON node of the block that has the breakpoint,
 * or 0 (see ctx_breakpoint_visitor). */
struct ctx_breakpoint_seen {
	struct ctx_place place;
	/* JSON of the request that contains the breakpoint; NULL if the message
	 * is a record */
	const struct ctx_json *json;
	uint32_t container, node, marked;
	/* true if the breakpoint is in the request, but outside its messages */
	bool outside_messages;
};

/* An image that was read.  The image is stored until the number of all images
 * in the request is known.  This number decides whether the request has too
 * many images, and whether this image is too large. */
struct ctx_image_seen {
	struct ctx_place place;
	/* JSON of the request or message that contains the image; NULL if the
	 * image is in an earlier message that is a record */
	const struct ctx_json *json;
	/* JSON node of the image, or 0 if no text can replace the image */
	uint32_t block;
	/* Index of the image in its message, counting only images that a text
	 * can replace and that no text has replaced. */
	size_t ordinal;
	/* true if the image is too large for a request with many images (see
	 * ctx_provider_limits.many) */
	bool large;
};

/* The functions below report a finding (a violation of a rule).  The text of
 * the finding is in validator->what, or is passed as the argument "what".  The
 * functions return the result of ctx_validator.on_finding: 1 or 2 if the
 * violation was repaired, 0 if not, or -1 with *validator->err. */
int ctx_validate_report(struct ctx_validator *validator,
    struct ctx_finding *finding, const char *what);
/* Reports a finding about the whole message that is being checked. */
int ctx_validate_refuse(struct ctx_validator *validator, enum ctx_rule_id id,
    const char *what);
/* Reports a finding about the block with the index "block" of the message.  The
 * text of the finding has three parts: the argument what, the name of the block
 * (id and tool name of a tool call or tool result), and the argument tail. */
int ctx_validate_refuse_block(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t block, const char *what, const char *tail);
/* Reports the stored finding of a kind, which the next message has shown to be
 * true, and deletes it from the stored findings. wait: kind of the finding. */
int ctx_validate_refuse_waiting(struct ctx_validator *validator, unsigned wait,
    enum ctx_rule_id id, const char *what);
/* Appends the name of a tool call to validator->what: its id and its tool name,
 * as in: "call_1" of read_file.  Returns 0, or -1 with *validator->err. */
int ctx_validate_name(struct ctx_validator *validator,
    const struct ctx_block *block);

/* Reports a finding about a text in the message.  The repair replaces the bytes
 * "old" of the input by validator->replacement. */
int ctx_validate_refuse_text(struct ctx_validator *validator,
    enum ctx_rule_id id, struct ctx_str old, const char *what);
/* Reports a finding about a block as ctx_validate_refuse_block does.  The
 * repair replaces the bytes "old" by validator->replacement; if old.p is NULL,
 * there is no repair of this kind. */
int ctx_validate_refuse_edit(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t block, struct ctx_str old, const char *what,
    const char *tail);

/* Returns true if the message has a block of this kind, outside of its tool
 * results, that no repair has removed. */
bool ctx_validate_has(const struct ctx_validator *validator,
    enum ctx_block_kind kind);
/* Returns true if a text block is empty or contains only white space, or an
 * opaque block is empty, and the rules forbid such blocks.  Returns false for a
 * text with a signature, which is always accepted. */
bool ctx_validate_says_nothing(const struct ctx_validator *validator,
    const struct ctx_block *block);

/* Returns true if a message has no blocks, or only the empty string. */
bool ctx_message_is_empty(const struct ctx_message *message);

/* Each of the functions ctx_validate_* below checks one property of the message
 * that is being checked.  It returns -1 with *validator->err after an error,
 * otherwise 0, 1 or 2; see ctx_validate_report. */

/* Checks the blocks of the message, without looking at other messages. */
int ctx_validate_forms(struct ctx_validator *validator);
/* Checks the arguments of tool call i against the JSON schema that the request
 * contains for its tool. */
int ctx_validate_schema(struct ctx_validator *validator, size_t i);
/* Checks that the arguments of tool call i have the JSON type that the format
 * prescribes: object or string. */
int ctx_validate_arguments(struct ctx_validator *validator, size_t i);
/* Checks the strings of the message for lone surrogates. */
int ctx_validate_texts(struct ctx_validator *validator);
/* Checks that the blocks may be in a message of this role. */
int ctx_validate_places(struct ctx_validator *validator);
/* Checks that blocks, tool calls and items have the types and ids that the
 * provider demands. */
int ctx_validate_members(struct ctx_validator *validator);
/* Notes down the message if its first tool call lacks the signature that the
 * provider demands in the newest turn. */
int ctx_validate_signature(struct ctx_validator *validator);
/* Reports the tool calls without a signature in the newest turn, when the
 * conversation has ended. */
int ctx_validate_unsigned_calls(struct ctx_validator *validator);
/* Checks the places and the number of the cache breakpoints in the message. */
int ctx_validate_markers(struct ctx_validator *validator);
/* Checks the number of all cache breakpoints in a request, after its messages
 * were checked. */
int ctx_validate_all_markers(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t request, uint32_t messages);
/* Checks the sizes and the number of the message's images. */
int ctx_validate_images(struct ctx_validator *validator);
/* Checks that the media in block i may be in an assistant or system message. */
int ctx_validate_assistant_media(struct ctx_validator *validator, size_t i);
/* Checks that the provider accepts everything that tool result i contains. */
int ctx_validate_result(struct ctx_validator *validator, size_t i);
/* Checks that tool result i has content, if the rules demand content. */
int ctx_validate_body(struct ctx_validator *validator, size_t i);
/* Checks that the message has content.  Sets validator->removed to true if a
 * repair removes the message.  If only the next message can show whether a
 * finding is true, sets *wait to the kind of this finding, otherwise to
 * CTX_WAITS. */
int ctx_validate_content(struct ctx_validator *validator, unsigned *wait);
/* Stores a finding (violation of a rule) about the message until the next
 * message shows whether the finding is true. wait: kind of the finding. */
int ctx_validate_wait(struct ctx_validator *validator, unsigned wait);
/* Reports the stored findings about earlier messages that this message shows to
 * be true, and deletes the findings that this message shows to be false. wait:
 * value that ctx_validate_content has set for this message. */
int ctx_validate_waiting(struct ctx_validator *validator, unsigned wait);
/* Reports or deletes the findings that are still stored at the end of the
 * conversation. */
int ctx_validate_still_waiting(struct ctx_validator *validator);
/* Checks that the role of the message is allowed at its position. */
int ctx_validate_place(struct ctx_validator *validator);
/* Checks that the conversation may end with its last message. */
int ctx_last_seen(struct ctx_validator *validator);

/* ---- image_rules.c: images, which a repair replaces by text ---- */

/* Appends the JSON of a text block in the format of the dialect, whose
 * text_block must not be NULL.  The text of the block is the n bytes at p. */
int ctx_text_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err);
/* Sets out to the JSON of a text block that describes an image and replaces it.
 * block: JSON node of the image. */
int ctx_image_replace(struct ctx_buf *out, struct ctx_buf *scratch,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t block, struct ctx_err *err);
/* Sets *block to the JSON node of an image in a message, or to 0 if there is no
 * such image. ordinal: index of the image, counting only images that a text can
 * replace.  Returns true, or false with *err. */
bool ctx_image_find(const struct ctx_message *message, size_t ordinal,
    struct ctx_buf *scratch, uint32_t *block, struct ctx_err *err);

/* ---- schema_index.c: what the schemas of the request's tools contain ---- */

/* Sets *schema to the JSON node of the schema of a tool, or to 0 if there is
 * none. name: JSON node of the tool's name in the message.  Returns 0, or -1
 * with *validator->err, as the other functions do. */
int ctx_schema_find(struct ctx_validator *validator, uint32_t name,
    uint32_t *schema);
/* Sets *schema to the JSON node of the schema of a property, or to 0 if there
 * is none. properties: JSON node of the object with all properties; name: JSON
 * node of the property's name in values. */
int ctx_schema_find_property(struct ctx_validator *validator,
    uint32_t properties, const struct ctx_json *values, uint32_t name,
    uint32_t *schema);
/* Returns 1 if a schema allows a value, 0 if not. allowed: JSON node of the
 * only allowed value or, if is_list is true, of the array of allowed values. */
int ctx_schema_allows(struct ctx_validator *validator, uint32_t allowed,
    bool is_list, const struct ctx_json *values, uint32_t value);
/* Sets *missing to the JSON node of the first name in the array "required" that
 * no member of the object has, or to 0. */
int ctx_schema_find_missing(struct ctx_validator *validator, uint32_t required,
    const struct ctx_json *values, uint32_t object, uint32_t *missing);

/* ---- surrogate_rules.c, breakpoint_rules.c, id_rules.c ---- */

/* Sets out to a copy of a JSON string in which each lone surrogate (an escape
 * for half of a character) is replaced by U+FFFD.  Returns 1, or 0 if the
 * string has no lone surrogate, or -1 with *err. inner: true if the string
 * contains JSON.  Then the strings of this JSON are repaired, too. spare:
 * scratch memory. */
int ctx_surrogates_repair(struct ctx_buf *out, struct ctx_buf *spare,
    struct ctx_str literal, bool inner, struct ctx_err *err);
/* Checks strings for lone surrogates: the JSON nodes with indices from "from"
 * up to, but not including, "to". */
int ctx_validate_strings(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t from, uint32_t to);

/* Returns true if the JSON node is an empty string or, if blank is true, a
 * string that has only white space. */
bool ctx_text_is_empty(const struct ctx_json *json, uint32_t node, bool blank);
/* Returns the bytes that must be deleted from a JSON text to remove a child
 * from an object or array: the child and one comma. child: JSON node of the
 * array element, or of the object member's key. first: true if all children
 * before this child are removed, too.  Then the deleted comma is the comma
 * after the child, otherwise the comma before the child. */
struct ctx_str ctx_child_span(const struct ctx_json *json, uint32_t container,
    uint32_t child, bool first);
/* Returns the text of a finding (violation of a rule) about the form of an id,
 * or NULL if the rules allow this form. */
const char *ctx_id_wrong(uint64_t rules, struct ctx_str literal);
/* Sets out to the JSON string that replaces an id of a form that the rules
 * forbid.  Also replaces lone surrogates of an id.  Returns 1, or 0 if the id
 * need not be replaced or is empty, or -1 with *err. */
int ctx_id_repair(struct ctx_buf *out, struct ctx_buf *spare, uint64_t rules,
    struct ctx_str literal, struct ctx_err *err);

#endif
