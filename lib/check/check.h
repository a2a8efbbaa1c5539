/*
 * check.h - ctx-check: what providers refuse, and its repair
 */
#ifndef CTX_CHECK_H
#define CTX_CHECK_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "json/json.h"
#include "message/message.h"
#include "stream/stream.h"

/* ---- check/rules.c: what providers refuse ------------------------------- */

enum ctx_rule_id {
	CTX_RULE_ORPHAN_CALL,
	CTX_RULE_ORPHAN_CALLER,
	CTX_RULE_ORPHAN_RESULT,
	CTX_RULE_RESULT_ORDER,
	CTX_RULE_DUPLICATE_RESULT,
	CTX_RULE_SPLIT_RESULTS,
	CTX_RULE_RESULTS_FIRST,
	CTX_RULE_EMPTY_RESULT,
	CTX_RULE_DUPLICATE_ID,
	CTX_RULE_BAD_ID,
	CTX_RULE_BAD_ARGUMENTS,
	CTX_RULE_EMPTY_TOOL_CALLS,
	CTX_RULE_EMPTY_MESSAGE,
	CTX_RULE_EMPTY_TEXT,
	CTX_RULE_REASONING_ONLY,
	CTX_RULE_CUT_REASONING,
	CTX_RULE_LONE_REASONING,
	CTX_RULE_FIRST_MESSAGE,
	CTX_RULE_LAST_MESSAGE,
	CTX_RULE_ALTERNATION,
	CTX_RULE_SYSTEM_PLACE,
	CTX_RULE_BAD_ROLE,
	CTX_RULE_NO_MESSAGE,
	CTX_RULE_LONE_SURROGATE,
	CTX_RULE_MANY_MARKERS,
	CTX_RULE_BAD_MARKER,
	CTX_RULE_BIG_REQUEST,
	CTX_RULE_NO_TOOLS,
	CTX_RULE_BIG_IMAGE,
	CTX_RULE_MANY_IMAGES,
	CTX_RULE_BAD_RESULT,
	CTX_RULE_USER_AFTER_RESULT,
	CTX_RULE_CALL_SCHEMA,
	CTX_RULE_ASSISTANT_MEDIA,
	CTX_RULES
};

/* What puts a finding right. */
enum ctx_fix_kind {
	CTX_FIX_NONE,
	CTX_FIX_REMOVE_BLOCK,      /* the part goes */
	CTX_FIX_REMOVE_MEMBER,     /* the member of the message goes */
	CTX_FIX_REMOVE_MESSAGE,    /* the message goes */
	CTX_FIX_ADD_RESULT,        /* the call gets a result */
	CTX_FIX_REPLACE_TEXT,      /* a piece of the message becomes another */
	CTX_FIX_REMOVE_BREAKPOINT, /* the oldest cache marker of the message
				      goes */
	CTX_FIX_REPLACE_IMAGE,     /* a text replaces an image */
	CTX_FIX_ADD_FIRST, /* a user's message comes before the message */
};

struct ctx_rule {
	const char *id;
	const char *about;  /* what a finding means, one line */
	const char *source; /* who says that it is refused */
	uint64_t when;      /* rules of a dialect, any of which must be set;
			     * 0: holds everywhere */
	enum ctx_fix_kind remedy;
};
const struct ctx_rule *ctx_rule_at(size_t i);

/* A provider to which a conversation is to be sent: the rules of the format
 * that is its own, and what it asks of a request beyond that. */
struct ctx_provider {
	const char *name, *about;
	const char *dialect;
	uint64_t more;
};
const struct ctx_provider *ctx_provider_at(size_t i);
const struct ctx_provider *ctx_provider_find(const char *name);
/* What holds for a conversation of this dialect that is meant for this
 * provider (NULL: for the dialect's own). */
uint64_t ctx_provider_rules(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect);

/* What a provider takes at most; 0: not known. */
struct ctx_provider_limits {
	const char *provider;     /* a name of ctx_provider */
	uint64_t request;         /* bytes of a request */
	uint32_t side;            /* pixels on a side of an image, */
	uint32_t many, many_side; /* ... and with more than so many images */
	uint64_t image;           /* bytes of an image, ... */
	bool encoded;             /* ... in base64 */
	uint32_t images;          /* images of a request, ... */
	uint64_t few_window; /* ... of a model of at most so many tokens: */
	uint32_t few_images;
	uint32_t in_message; /* images of a message */
};
/* The row of a provider, or if that is NULL of the one whose format the dialect
 * is; NULL if there is none. */
const struct ctx_provider_limits *ctx_provider_limits_of(
    const struct ctx_provider *provider, const struct ctx_dialect *dialect);
/* The most images of a request to a model of that window; 0 tokens: the window
 * is not known. */
uint32_t ctx_bounds_images(const struct ctx_provider_limits *limits,
    uint64_t window);

/* ---- check/validator.c: would the provider take it ---------------------- */

/* Where a message stands. */
struct ctx_place {
	const char *file;
	uint64_t line;    /* in that file, from 1 */
	uint64_t message; /* number in its conversation, from 0 */
	bool inside;      /* of a record's conversation */
};

/* A rule that is broken. */
struct ctx_finding {
	enum ctx_rule_id id;
	struct ctx_place place;
	const char *what;    /* for people; holds text of the input, unmasked */
	size_t part;         /* PART: index in the message being judged; IMAGE:
			      * number among those of an earlier message */
	uint32_t node;       /* MEMBER: the key */
	uint32_t call;       /* ANSWER: number among the calls of its message */
	bool shared;         /* ANSWER: a result could go to another call */
	struct ctx_str old;  /* TEXT: the piece; p NULL: there is no remedy */
	struct ctx_str with; /* TEXT: what replaces it, until found returns */
	bool in_request; /* it is in the request, but in none of its messages */
	bool doubled;    /* ANSWER: a later open call has the same id */
};

/*
 * Judges one conversation, message by message.  found is told of each broken
 * rule, as soon as it is certain: what a later message would have to put
 * right is found when that has come.  found returns 1 if it puts the finding
 * right by the remedy of its rule, so that what follows is judged as if that
 * had been so from the start; 2 if by a result in a message right before the
 * one being judged, or behind the last; 0 if not; -1 with *err.
 * Memory: the open calls, and 48 bytes for each id that was seen.
 */
struct ctx_validator {
	int (*found)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	void *user;
	/* The provider, and the dialect of the message that comes, or NULL;
	 * the caller's. */
	const struct ctx_provider *provider;
	const struct ctx_dialect *dialect;
	/* The window of the message's model in tokens, 0 if it is not known;
	 * the caller's. */
	uint64_t window;
	/* The request that holds the conversation, or NULL; the caller's,
	 * after each begin. */
	const struct ctx_json *request_json;
	uint32_t request;
	bool *gone;   /* of each part of the last message: put right by going */
	bool dropped; /* the last message went altogether */
	/* Its own: */
	size_t gone_cap;
	uint64_t rules;
	const struct ctx_message *message;
	struct ctx_place place;
	struct ctx_tool_call_log *log;
	struct ctx_buf what, text, with, spare;
	struct ctx_json json;
	uint64_t results; /* message that the last results stand in, plus one */
	uint64_t spoken;  /* the last one without results, plus one; */
	uint64_t late;    /* what that was when results came behind it */
	uint64_t late_from; /* for calls before it: the oldest's message */
	struct ctx_last_seen {
		enum ctx_role role; /* of the last message, */
		bool in_result;     /* which ended in a result */
		bool text;  /* the user's turn has something beside results */
		bool begun; /* a message not the system's was seen */
	} last;
	struct {
		struct ctx_place place;
		struct ctx_last_seen before; /* it */
		struct ctx_finding doubt;    /* if it stays; or what is NULL */
	} waits[3];                          /* what the next message settles */
	unsigned waiting;                    /* a bit for each of them */
	struct ctx_place *leading; /* reasoning in a row that waits for an
				    * item of the assistant's */
	size_t n_leading, leading_cap;
	uint64_t turn;   /* the newest message that a user wrote */
	uint64_t answer; /* the first of the assistant's newest in a row */
	bool unanswered; /* a call was given up without a result of ours */
	bool elsewhere;  /* results may answer what the provider keeps; the
			  * caller's, set after the begin, or by a view */
	bool beside;     /* what is judged is in no message */
	bool tooled;     /* a message calls a tool */
	struct ctx_breakpoint_seen
	    *marks; /* cache markers, oldest first; of the
		     * messages of a stream at most 4 */
	size_t n_marks, marks_cap;
	struct ctx_image_seen *images; /* oldest first; at most as many as
					* the provider takes, and one */
	size_t n_images, images_cap;
	uint64_t counted;  /* images that are left */
	bool going;        /* a call without an id may get more results */
	bool split;        /* an earlier message holds results, too */
	bool over;         /* the conversation has ended */
	bool named;        /* reasoning that waits has an id of OpenAI's */
	uint64_t heard;    /* open calls before this message wait for the user,
			    * or to the end */
	uint64_t said;     /* the user's newest with more than results, plus
			    * one */
	size_t pieces;     /* parts of a message that goes on further down, */
	bool pieces_speak; /* and whether some are more than reasoning */
};

int ctx_validator_init(struct ctx_validator *validator, struct ctx_err *err);
void ctx_validator_release(struct ctx_validator *validator);
/* Forgets the last conversation. */
void ctx_validator_begin(struct ctx_validator *validator);
/* The next message; rules are those of ctx_provider_rules. */
int ctx_validator_add(struct ctx_validator *validator, uint64_t rules,
    const struct ctx_message *message, const struct ctx_place *place,
    struct ctx_err *err);
/* The conversation is over.  With allow_pending the calls of its newest turn
 * may have no result yet. */
int ctx_validator_end(struct ctx_validator *validator, bool allow_pending,
    struct ctx_err *err);
/* Judges what a request holds beside its messages, the array; places are
 * those of the request. */
int ctx_validator_check_request(struct ctx_validator *validator, uint64_t rules,
    const struct ctx_json *json, uint32_t request, uint32_t messages,
    const struct ctx_place *place, struct ctx_err *err);
/* Number of the first message that may still get findings. */
uint64_t ctx_validator_settled(const struct ctx_validator *validator);

/* ---- check/check_stream.c: check a stream, or repair it ----------------- */

/* The body of a result that stands in for one that never came. */
#define CTX_NO_RESULT "[no result: the call was interrupted]"

/* What ctx_check put right. */
struct ctx_fix {
	const struct ctx_finding *finding;
	const char *action;   /* "drop", "insert" or "edit" */
	enum ctx_role role;   /* of the message */
	struct ctx_str bytes; /* what was removed, inserted or replaced; until
			       * the call returns */
};

struct ctx_check_options {
	const struct ctx_provider *provider; /* or NULL */
	struct ctx_model_counters
	    *counters; /* knows models; NULL: no window is known */
	bool allow_pending;
	bool schema; /* the rules have CTX_CALLS_FIT */
	/* Gets each message that is changed or removed, as it was, before the
	 * stream leaves without it; or NULL. */
	struct ctx_archive *archive;
	void *user;
	/* A finding that was not put right; its part and node mean nothing
	 * here. */
	int (*found)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	/* One that was; may be NULL. */
	int (
	    *fixed)(void *user, const struct ctx_fix *fix, struct ctx_err *err);
	uint64_t messages; /* set to what was judged */
};

/*
 * Checks the conversations of a stream.  With a writer (else NULL) what can
 * be put right is, and the stream is written; what needs no repair leaves
 * byte for byte.  Then what stands behind a call is held until the call has
 * its result or cannot get one any more, which in formats that ask for
 * results before anybody else speaks is soon known.
 */
int ctx_check(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_check_options *options, struct ctx_err *err);

#endif
