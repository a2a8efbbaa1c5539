/* validator.h - the steps in which a message is checked */
#ifndef CTX_CHECK_VALIDATOR_H
#define CTX_CHECK_VALIDATOR_H

#include "check/tool_call_log.h"

#define CTX_NO_BLOCK SIZE_MAX

/* What only the next message settles; each is a bit of judge->waiting. */
enum { CTX_WAITS_EMPTY, CTX_WAITS_REASONING, CTX_WAITS_SYSTEM, CTX_WAITS };

/* A breakpoint: a member or an element, node, of container. */
struct ctx_breakpoint_seen {
	struct ctx_place place;
	const struct ctx_json *json; /* of a request; else NULL */
	uint32_t container, node;
	bool beside; /* it is in no message */
};

/*
 * Saying it.  A finding is put together in judge->what and told to the
 * caller; these return what the caller's function returns: 1 if it puts that
 * right, 0 if it lets it be, -1 with *err.
 */
int ctx_validate_tell(struct ctx_validator *validator,
    struct ctx_finding *finding, struct ctx_err *err);
/* About the message being checked as a whole. */
int ctx_validate_refuse(struct ctx_validator *validator, enum ctx_rule_id id,
    const char *what, struct ctx_err *err);
/* About a part of it: "WHAT NAME TAIL". */
int ctx_validate_refuse_part(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t part, const char *what, const char *tail,
    struct ctx_err *err);
/* About an earlier one; ends the wait for what the next should have
 * settled. */
int ctx_validate_refuse_waiting(struct ctx_validator *validator, unsigned wait,
    enum ctx_rule_id id, const char *what, struct ctx_err *err);
/* Adds the name of a call to judge->what: "call_1" of read_file.  0, or -1
 * with *err. */
int ctx_validate_name(struct ctx_validator *validator,
    const struct ctx_block *block, struct ctx_err *err);

/* About a piece of the text, old, which judge->with would replace. */
int ctx_validate_refuse_text(struct ctx_validator *validator,
    enum ctx_rule_id id, struct ctx_str old, const char *what,
    struct ctx_err *err);
/* About a part, in which with would replace old; NULL: there is no remedy. */
int ctx_validate_refuse_edit(struct ctx_validator *validator,
    enum ctx_rule_id id, size_t part, const char *what, const char *tail,
    struct ctx_str old, const struct ctx_buf *with, struct ctx_err *err);

/* Is a part of this kind left? */
bool ctx_validate_has(const struct ctx_validator *validator,
    enum ctx_block_kind kind);
/* Is it a part without text?  A signature in its block is something to
 * say. */
bool ctx_validate_says_nothing(const struct ctx_validator *validator,
    const struct ctx_block *block);

/* The steps return 0, or -1 with *err. */

/* The form of the parts, each by itself. */
int ctx_validate_forms(struct ctx_validator *validator, struct ctx_err *err);
/* 1 if the text of the string is JSON, which judge->json then is, 0 if not;
 * judge->text is the text. */
int ctx_validate_read_text(struct ctx_validator *validator, uint32_t node,
    struct ctx_err *err);
/* Do the arguments of a call fit the schema of its tool in the request? */
int ctx_validate_schema(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Are the arguments of a call an object? */
int ctx_validate_arguments(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* The texts of the message: is one no text? */
int ctx_validate_texts(struct ctx_validator *validator, struct ctx_err *err);
/* The breakpoints of the message: where they stand, and how many there are
 * so far. */
int ctx_validate_markers(struct ctx_validator *validator, struct ctx_err *err);
/* All markers of a request, once its messages have been checked. */
int ctx_validate_all_markers(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t request, struct ctx_err *err);
/* The images of the message: their size, and how many there are so far. */
int ctx_validate_images(struct ctx_validator *validator, struct ctx_err *err);
/* May the assistant send part i, which is media? */
int ctx_validate_assistant_media(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Does a result hold what it may hold? */
int ctx_validate_result(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Has a result the content that it needs? */
int ctx_validate_body(struct ctx_validator *validator, size_t i,
    struct ctx_err *err);
/* Does the message say something?  Sets judge->dropped; *wait is what only
 * the next message tells, CTX_WAITS if nothing. */
int ctx_validate_content(struct ctx_validator *validator, unsigned *wait,
    struct ctx_err *err);
/* The next message has to settle that. */
int ctx_validate_wait(struct ctx_validator *validator, unsigned wait,
    struct ctx_err *err);
/* What the message before waited for. */
int ctx_validate_waiting(struct ctx_validator *validator, unsigned wait,
    struct ctx_err *err);
/* What no next message settles. */
int ctx_validate_still_waiting(struct ctx_validator *validator,
    struct ctx_err *err);
/* The message among its neighbours. */
int ctx_validate_place(struct ctx_validator *validator, struct ctx_err *err);
/* The end of the conversation after it. */
int ctx_last_seen(struct ctx_validator *validator, struct ctx_err *err);

#endif
