/* repair.h - a stream while it is being put right */
#ifndef CTX_CHECK_REPAIR_H
#define CTX_CHECK_REPAIR_H

#include "check/check.h"

/* A record, or a message inside one, that has not been written yet. */
struct ctx_repair_entry {
	uint64_t message; /* its number, or that of the message before it */
	bool is_message, blank, drop;
	bool archived; /* what it was */
	bool users;    /* a message that holds results */
	bool mute;     /* a message without parts: only the last may be that */
	bool hidden;   /* a message that the model is not shown */
	bool led;      /* a user's message is put before it */
	bool close;    /* its results come before a later call of the same id */
	const struct ctx_dialect *dialect;
	uint64_t rules;
	enum ctx_role role;
	char *text;           /* a copy of bytes, or NULL */
	struct ctx_str bytes; /* what is to be written */
	uint32_t node;        /* of a message inside a record */
	size_t front;         /* offset where a result can be put before its
			       * parts; 0: nowhere */
	bool alone;           /* nothing would stand after it there */
	struct ctx_repair_answer {
		size_t at, n; /* in answer_text; n 0: there is no template */
		bool due;
	} * answers; /* those handed on, which are due, and one for each call */
	size_t n_answers, answers_cap, handed_on;
	bool nameless;              /* some name no call that they answer */
	struct ctx_buf answer_text; /* first what opens their message, */
	size_t opening;             /* which is so long, if there is one */
};

struct ctx_repair_queue {
	struct ctx_repair_entry *list;
	size_t from, n, cap; /* list[from] is the first not yet written */
};

struct ctx_repair {
	struct ctx_writer *writer;
	struct ctx_archive *archive;          /* or NULL */
	struct ctx_repair_queue lines, inner; /* records; a record's own */
	struct ctx_edits edits;               /* of the record being read */
	struct ctx_edits one;       /* of one message that is a record */
	struct ctx_edits late;      /* of one that waits */
	struct ctx_json json;       /* its record, */
	struct ctx_message message; /* and its message */
	struct ctx_buf with;        /* what it gets */
	struct ctx_buf gone;        /* what it lost */
	struct ctx_buf out, id, spare;
	uint32_t member;    /* key that the message checked now is to lose */
	bool after_dropped; /* the last message of the stream went */
	bool renamed;       /* a call has got another id */
	bool row; /* since a message came the results of calls in these were
		   * found to stand after the last of them */
	bool row_ends; /* there is a message after them */
	uint64_t row_from, row_to, row_behind;
};

void ctx_repair_release(struct ctx_repair *repair);

/* A message is about to be checked by these rules. */
int ctx_repair_add(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t rules, uint64_t message, struct ctx_err *err);
/* Applies the remedy of a finding: 1 or 2, as the validator is told, and *fix
 * if there is one, else 0; -1 with *err. view is the message being checked,
 * NULL at the end. */
int ctx_repair_finding(struct ctx_repair *repair,
    const struct ctx_finding *finding, const struct ctx_message *message,
    struct ctx_fix *fix, struct ctx_err *err);
/* Removes the first breakpoint of a message that waits and is a record; 1
 * with *old, 0 if there is none, or -1. */
int ctx_repair_breakpoint(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_str *old, struct ctx_err *err);
/* The same with an image, by its number, which a text replaces. */
int ctx_repair_image(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    size_t ordinal, struct ctx_str *old, struct ctx_err *err);
/* The entry gets bytes of its own. */
int ctx_repair_own(struct ctx_repair_entry *entry, const char *p, size_t n,
    struct ctx_err *err);
/* The message has been checked: its parts go that are to go. */
int ctx_repair_judged(struct ctx_repair *repair, const struct ctx_event *event,
    const struct ctx_validator *validator, struct ctx_err *err);
/* A record's conversation has been checked to its end. */
int ctx_repair_conversation(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err);
/* A record is over; what stands before message number settled is written. */
int ctx_repair_record(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t settled, struct ctx_err *err);
/* Writes all there is. */
int ctx_repair_end(struct ctx_repair *repair, struct ctx_err *err);

#endif
