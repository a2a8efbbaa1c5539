/* validator.h - the steps in which a message is checked */
#ifndef CTX_CHECK_VALIDATOR_H
#define CTX_CHECK_VALIDATOR_H

#include "check/tool_call_log.h"

#define CTX_NO_BLOCK SIZE_MAX

/* Findings about a message that only the next message can confirm; the values
 * are bits of ctx_validator.waiting_bits. */
enum { CTX_WAITS_EMPTY, CTX_WAITS_REASONING, CTX_WAITS_SYSTEM, CTX_WAITS };

/* A cache breakpoint that was found, as the child node of a JSON object or
 * array container. */
struct ctx_breakpoint_seen {
	struct ctx_place place;
	const struct ctx_json *json; /* of the request, or NULL */
	uint32_t container, node;
	bool outside_messages; /* true if it is outside the messages */
};

/* The next functions report a finding, whose text is built in validator->what.
 * They return what on_finding of ctx_validator returns: 1 or 2 if the
 * violation was repaired, 0 if not, -1 with *err. */
int ctx_validate_tell(struct ctx_validator *validator,
    struct ctx_finding *finding, struct ctx_err *err);
/* Reports a finding about the whole message that is being checked. */
int ctx_validate_refuse(struct ctx_validator *validator, enum ctx_rule_id id,
    const char *what, struct ctx_err *err);
/* Reports a finding about one block of the message. part: the index of the
 * block.  The text of the finding is made of three parts. what: the beginning;
 * then, for a call or result, its id and name; tail: the end. */
int ctx_validate_refuse_part(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t part, const char *what, const char *tail,
    struct ctx_err *err);
/* Reports a finding about an earlier message, which this message has
 * confirmed, and removes it from those that wait. */
int ctx_validate_refuse_waiting(struct ctx_validator *validator, unsigned wait,
    enum ctx_rule_id id, const char *what, struct ctx_err *err);
/* Appends the name of a tool call to validator->what, as in "call_1" of
 * read_file.  Returns 0, or -1 with *err. */
int ctx_validate_name(struct ctx_validator *validator,
    const struct ctx_block *block, struct ctx_err *err);

/* Reports a finding about a text; the repair replaces the bytes old by
 * validator->replacement. */
int ctx_validate_refuse_text(struct ctx_validator *validator,
    enum ctx_rule_id id, struct ctx_str old, const char *what,
    struct ctx_err *err);
/* Sets validator->what to a text about block number part: what, the block's
 * name, and tail.  Returns 0, or -1 with *err. */
int ctx_validate_describe(struct ctx_validator *validator, size_t part,
    const char *what, const char *tail, struct ctx_err *err);
/* Reports a finding about block number part, whose text is in validator->what.
 * The repair replaces the bytes old by validator->replacement.  If old.p is
 * NULL, there is no such repair. */
int ctx_validate_refuse_edit(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t part, struct ctx_str old, struct ctx_err *err);

/* Returns true if the message has a block of this kind that no repair removed.
 */
bool ctx_validate_has(const struct ctx_validator *validator,
    enum ctx_block_kind kind);
/* Returns true if the block contains only white space and the rules forbid
 * that.  A block with a signature does not count as empty. */
bool ctx_validate_says_nothing(const struct ctx_validator *validator,
    const struct ctx_block *block);

/* The functions below, which check a message, return 0, or -1 with *err. */

/* Checks each block of the message by itself. */
int ctx_validate_forms(struct ctx_validator *validator, struct ctx_err *err);
/* Decodes a string into validator->text.  Returns 1 if the text is JSON, which
 * is then scanned into validator->json; 0 if it is not; -1 with *err. */
int ctx_validate_read_text(struct ctx_validator *validator, uint32_t node,
    struct ctx_err *err);
/* Checks the arguments of tool call i against the JSON schema that the request
 * defines for the tool. */
int ctx_validate_schema(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that the arguments of tool call i have the form that the rules
 * demand. */
int ctx_validate_arguments(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks the strings of the message for lone surrogates. */
int ctx_validate_texts(struct ctx_validator *validator, struct ctx_err *err);
/* Checks the place and the number of the message's cache breakpoints. */
int ctx_validate_markers(struct ctx_validator *validator, struct ctx_err *err);
/* Checks the number of cache breakpoints in a request, after its messages were
 * checked. */
int ctx_validate_all_markers(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t request, struct ctx_err *err);
/* Checks the size and the number of the message's images. */
int ctx_validate_images(struct ctx_validator *validator, struct ctx_err *err);
/* Checks that an assistant message may contain media block i. */
int ctx_validate_assistant_media(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that tool result i contains only blocks that the provider accepts. */
int ctx_validate_result(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that tool result i has content, if the rules demand it. */
int ctx_validate_body(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that the message has content.  Sets validator->removed to true if a
 * repair removes the message.  Sets *wait to the finding that the next message
 * must confirm; CTX_WAITS if there is none. */
int ctx_validate_content(struct ctx_validator *validator, unsigned *wait,
    struct ctx_err *err);
/* Stores a finding about this message until the next message confirms it or
 * not. */
int ctx_validate_wait(struct ctx_validator *validator, unsigned wait,
    struct ctx_err *err);
/* Decides about the findings that waited for this message; wait is as
 * ctx_validate_content has set it. */
int ctx_validate_waiting(struct ctx_validator *validator, unsigned wait,
    struct ctx_err *err);
/* Decides about the findings that wait when the conversation ends. */
int ctx_validate_still_waiting(struct ctx_validator *validator,
    struct ctx_err *err);
/* Checks that the message's role is allowed at its place. */
int ctx_validate_place(struct ctx_validator *validator, struct ctx_err *err);
/* Checks that the conversation may end with its last message. */
int ctx_last_seen(struct ctx_validator *validator, struct ctx_err *err);

#endif
