/* validator.h - the steps in which a message is checked */
#ifndef CTX_CHECK_VALIDATOR_H
#define CTX_CHECK_VALIDATOR_H

#include "check/tool_call_log.h"

#define CTX_NO_BLOCK SIZE_MAX

/* Findings that only the next message decides; each is a bit of
 * ctx_validator.waiting_bits. */
enum { CTX_WAITS_EMPTY, CTX_WAITS_REASONING, CTX_WAITS_SYSTEM, CTX_WAITS };

/* A breakpoint that was found: child node of container. */
struct ctx_breakpoint_seen {
	struct ctx_place place;
	const struct ctx_json *json; /* of the request, or NULL */
	uint32_t container, node;
	bool outside_messages; /* true if it is outside the messages */
};

/*
 * The next functions report a finding, whose text is built in
 * validator->what.  They return what on_finding of ctx_validator returns: 1 or
 * 2 if the violation was fixed, 0 if not, -1 with *err.
 */
int ctx_validate_tell(struct ctx_validator *validator,
    struct ctx_finding *finding, struct ctx_err *err);
/* Reports a finding about the whole message being checked. */
int ctx_validate_refuse(struct ctx_validator *validator, enum ctx_rule_id id,
    const char *what, struct ctx_err *err);
/* Reports a finding about block number part; its text is WHAT NAME TAIL. */
int ctx_validate_refuse_part(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t part, const char *what, const char *tail,
    struct ctx_err *err);
/* Reports a finding about an earlier message that waited for this one, and ends
 * the wait. */
int ctx_validate_refuse_waiting(struct ctx_validator *validator, unsigned wait,
    enum ctx_rule_id id, const char *what, struct ctx_err *err);
/* Appends the name of a call, as in "call_1" of read_file, to validator->what.
 * Returns 0, or -1 with *err. */
int ctx_validate_name(struct ctx_validator *validator,
    const struct ctx_block *block, struct ctx_err *err);

/* Reports a finding whose fix replaces the bytes old by validator->with. */
int ctx_validate_refuse_text(struct ctx_validator *validator,
    enum ctx_rule_id id, struct ctx_str old, const char *what,
    struct ctx_err *err);
/* Sets validator->what to the text WHAT NAME TAIL about block number part.
 * Returns 0, or -1 with *err. */
int ctx_validate_describe(struct ctx_validator *validator, size_t part,
    const char *what, const char *tail, struct ctx_err *err);
/* Reports a finding about block number part, whose text is validator->what. Its
 * fix replaces the bytes old by validator->with; p NULL: it has no such fix. */
int ctx_validate_refuse_edit(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t part, struct ctx_str old, struct ctx_err *err);

/* Returns true if a block of this kind was not removed. */
bool ctx_validate_has(const struct ctx_validator *validator,
    enum ctx_block_kind kind);
/* Returns true if the block has only white space, where the rules forbid that.
 * A block with a signature is not empty. */
bool ctx_validate_says_nothing(const struct ctx_validator *validator,
    const struct ctx_block *block);

/* The following steps return 0, or -1 with *err. */

/* Checks each block of the message by itself. */
int ctx_validate_forms(struct ctx_validator *validator, struct ctx_err *err);
/* Decodes a string into validator->text. Returns 1 if that is JSON, scanned
 * into validator->json; 0 if not; -1 with *err. */
int ctx_validate_read_text(struct ctx_validator *validator, uint32_t node,
    struct ctx_err *err);
/* Checks that the arguments of call i fit the schema of its tool in the
 * request. */
int ctx_validate_schema(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that the arguments of call i have the form that the rules demand. */
int ctx_validate_arguments(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks the strings of the message for lone surrogates. */
int ctx_validate_texts(struct ctx_validator *validator, struct ctx_err *err);
/* Checks the place and the number of the message's breakpoints. */
int ctx_validate_markers(struct ctx_validator *validator, struct ctx_err *err);
/* Checks the number of breakpoints of a request, after its messages. */
int ctx_validate_all_markers(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t request, struct ctx_err *err);
/* Checks the size and the number of the message's images. */
int ctx_validate_images(struct ctx_validator *validator, struct ctx_err *err);
/* Checks that media block i may be in an assistant message. */
int ctx_validate_assistant_media(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that result i holds only blocks that the provider accepts. */
int ctx_validate_result(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that result i has content if the rules demand it. */
int ctx_validate_body(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Checks that the message has content. Sets validator->dropped if a fix removes
 * the message. Sets *wait to the finding that the next message decides,
 * CTX_WAITS if there is none. */
int ctx_validate_content(struct ctx_validator *validator, unsigned *wait,
    struct ctx_err *err);
/* Makes the message wait for the next one, which decides the finding. */
int ctx_validate_wait(struct ctx_validator *validator, unsigned wait,
    struct ctx_err *err);
/* Decides the findings that waited for this message; wait is as set by
 * ctx_validate_content. */
int ctx_validate_waiting(struct ctx_validator *validator, unsigned wait,
    struct ctx_err *err);
/* Decides the findings that wait at the end of the conversation. */
int ctx_validate_still_waiting(struct ctx_validator *validator,
    struct ctx_err *err);
/* Checks the role and the position of the message. */
int ctx_validate_place(struct ctx_validator *validator, struct ctx_err *err);
/* Checks that the conversation may end with its last message. */
int ctx_last_seen(struct ctx_validator *validator, struct ctx_err *err);

#endif
