/* held_conversation.h - a conversation while it is held */
#ifndef CTX_PRUNE_HELD_CONVERSATION_H
#define CTX_PRUNE_HELD_CONVERSATION_H

#include "prune/prune.h"
#include "truncate/text_segments.h"

/*
 * A record that has been changed or dropped.  Its bytes are archived when that
 * happens first; the touch is told when the outcome is known, since a message
 * that is edited now may be dropped later.
 */
struct pending_change {
	struct ctx_change change;
	unsigned marks; /* CTX_MARK bits of all changes */
	bool done;      /* it has been told */
};

/* What the items of one message came from. */
struct held_message {
	char *text; /* a record of the stream, owned; NULL: an element */
	size_t n;
	uint32_t node;  /* the message in its record */
	uint32_t items; /* how many of the groups' items are its */
	uint32_t line;  /* of a transcript, 0: of none */
	uint32_t note;  /* of ours before or in it, counted from 1; 0: none */
	bool *spared;   /* of each result: no edit; owned, or NULL */
	bool gone;      /* nothing of it is left to write */
	bool continues; /* goes on with an earlier message */
	struct pending_change
	    *pending; /* owned; NULL: as it came, or nobody is told */
	const struct ctx_dialect *dialect; /* NULL: no message */
	const char *file;
	uint64_t number;  /* of the record's line in it */
	uint64_t message; /* its number, or how many are before it */
};

/* A text of ours that tells of what went; places are in convo->ours. */
struct insertion {
	bool summary; /* else a notice */
	bool part;    /* begins the entry's message, else stands before it */
	uint64_t tokens;
	size_t literal, literal_n; /* its text */
	size_t at, n;              /* the message, or part, once made */
};

/* Entries stand in the order of their items. */
struct held_conversation {
	struct ctx_groups groups;
	struct ctx_plan plan;
	struct ctx_scorer *scorer; /* NULL: the policy ranks by age */
	struct ctx_model_counter model_counter;
	struct held_message *messages;
	size_t n, cap;
	size_t bytes;      /* of all texts */
	size_t compact_at; /* bytes at which to look for what can go */
	uint64_t gone;     /* messages dropped */
	struct insertion *insertions; /* to put in, by their entries */
	size_t n_notes, notes_cap;
	struct ctx_buf inserted_json; /* their JSON */
	const struct ctx_dialect
	    *notice_unsupported; /* no notice can stand in it */
	const struct ctx_dialect
	    *notice_cost_dialect; /* of its notices, each ... */
	uint64_t price;           /* ... costs so many tokens */
	const char *file;
	uint64_t line; /* 0: the messages of the stream */
	bool open;
	const struct ctx_dialect *adopted; /* that it was read by last */
	bool format_known; /* its dialect is settled, or something has gone */
	bool is_response;  /* all that it holds stays */
};

/* The next entry, zeroed; or NULL. */
struct held_message *ctx_held_conversation_entry(
    struct held_conversation *conversation, struct ctx_err *err);
/* Frees the texts of all entries and forgets them. */
void ctx_held_conversation_clear(struct held_conversation *conversation);
void ctx_held_conversation_release(struct held_conversation *conversation);

/* A run of ctx_prune. */
struct prune {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_model_counters *counters;
	struct ctx_prune_options *options;
	struct held_conversation lines,
	    record;                    /* the stream's, and a record's own */
	const struct ctx_json *source; /* of the record's conversation */
	struct ctx_message view;
	struct ctx_json json;   /* a held record, scanned again */
	struct ctx_edits edits; /* of a record, */
	struct ctx_edits one;   /* or of a message of it */
	struct text_segments text_segments;
	struct shortener cut;
	struct ctx_buf out, text, literal, message; /* scratch */
	int64_t match_left; /* time for the patterns, of a message */
};

/* ---- hold_message.c: a message is taken among those that are held ---- */

/* Adds the items of a message to the conversation, and to its entry. */
int ctx_prune_hold_message(struct prune *p,
    struct held_conversation *conversation, struct held_message *held,
    const struct ctx_event *event, struct ctx_err *err);
/* The same of what is no message. */
int ctx_prune_hold_unknown(struct held_conversation *conversation,
    struct held_message *held, struct ctx_err *err);

/* ---- reclassify.c ---- */

/* Takes what is held anew, now that a record has told the dialect of the
 * stream; nothing of it has gone or been edited. */
int ctx_prune_reclassify(struct prune *p,
    struct held_conversation *conversation, const struct ctx_dialect *told,
    struct ctx_err *err);

/* ---- apply_plan.c: what a plan means for what is held ---- */

/* Puts p->view on the message of an entry; returns as its dialect's read. */
int ctx_prune_reread(struct prune *p, const struct held_message *held,
    struct ctx_err *err);
/* What the plan marked for the items of an entry, from first on: all of it,
 * of each piece, and how many items stay. */
unsigned ctx_prune_marks(const struct held_conversation *conversation,
    const struct held_message *held, size_t first,
    struct ctx_message_edit *edit, uint32_t *kept);
/* What p->edits make of a text, n bytes, to be freed, or NULL; they are used
 * up. */
char *ctx_prune_apply_edits(struct prune *p, struct ctx_str text, size_t *n,
    struct ctx_err *err);
/* Does to the entries what the plan marked; the edits of elements are noted
 * in p->edits.  What is left at the end (ended) is reported, too. */
int ctx_prune_apply_plan(struct prune *p,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);
/* Gives the lines of a transcript others to name once it is known which go;
 * those that a message that goes had replaced go with it, or they would be
 * live again. */
int ctx_prune_relink(struct prune *p, struct held_conversation *conversation,
    struct ctx_err *err);

/* ---- head_tail.c: a message cut to its ends ---- */

/* The most characters that are left of a text or a result. */
#define CTX_HEAD_TAIL_CHARS 1000

/*
 * Notes the edits that leave the ends of the results of p->view that are not
 * spared (NULL: none is), and of its other texts, but of a note.  No text
 * goes without one before it that stays, so they can stand beside the removal
 * of other blocks.
 */
int ctx_head_tail_note(struct prune *p, struct ctx_edits *edits,
    const struct ctx_dialect *dialect, bool results, bool texts,
    const bool *spared, struct ctx_err *err);
/* Sets *saved to the tokens that this would save of a message. */
int ctx_head_tail_save(struct prune *p, const struct ctx_dialect *dialect,
    const struct ctx_message *message, struct ctx_counter *counter,
    bool results, bool texts, const bool *spared, uint64_t *saved,
    struct ctx_err *err);

/* ---- insert_message.c: texts of ours in a conversation ---- */

/* A note in a message. */
struct found_insertion {
	bool summary, notice; /* what it is; neither: there is none */
	bool whole;           /* the message is nothing else */
	size_t part;
	size_t end; /* where the user's text starts in the part's literal, which
		     * begins with the note; 0: the part is nothing else */
};
void ctx_insertion_find(const struct ctx_prune_options *options,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    struct found_insertion *found);
/* Has a user's message a place for one, where it must be a part of it? */
bool ctx_insertion_fits(const struct ctx_dialect *dialect,
    const struct ctx_message *message);
/* True if a note begins the message of an entry; false if there is none, or it
 * is a message. */
bool ctx_insertion_is_part(const struct held_conversation *conversation,
    const struct held_message *held);
/* The user's string that a note would stand in, without the summary that it
 * begins with; no bytes: a note would be a block, or a message. */
struct ctx_str ctx_insertion_string(const struct prune *p,
    const struct ctx_dialect *dialect, const struct ctx_message *message);
/* Tokens of a note: as a message, as a block, or in front of the bytes of a
 * string that ctx_insertion_string gave. */
enum insertion_form { NOTE_MESSAGE, NOTE_BLOCK, NOTE_STRING };
int ctx_insertion_cost(struct prune *p, struct ctx_counter *counter,
    const struct ctx_dialect *dialect, enum insertion_form form, bool summary,
    struct ctx_str text, struct ctx_str string, uint64_t *tokens,
    struct ctx_err *err);
/* Sets *tokens to what the note that was found adds to its message. */
int ctx_insertion_weigh(struct prune *p, struct ctx_counter *counter,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    const struct found_insertion *found, uint64_t *tokens, struct ctx_err *err);
/* Notes in edits that the note found goes out of the string that it begins. */
int ctx_insertion_cut(struct ctx_edits *edits,
    const struct ctx_message *message, const struct found_insertion *found,
    struct ctx_err *err);
/* Has a note stand before, or in, an entry. */
int ctx_insertion_add(struct held_conversation *conversation, size_t entry,
    bool part, bool summary, struct ctx_str text, uint64_t tokens,
    struct ctx_err *err);
/* Adds the notices that the plan marked. */
int ctx_insertions_add_notices(struct prune *p,
    struct held_conversation *conversation, struct ctx_err *err);
/* Makes the messages of the notes, once what goes has gone. */
int ctx_insertions_compose(struct prune *p,
    struct held_conversation *conversation, struct ctx_err *err);
/* Notes in p->one the part that is an entry's note; p->view is on the entry,
 * and the part that it begins with is replaced if it is an old note. */
int ctx_insertion_insert_part(struct prune *p,
    struct held_conversation *conversation, const struct held_message *held,
    bool replace, struct ctx_err *err);
/* Notes in p->edits the message before an element, laid out as that is. */
int ctx_insertion_insert(struct prune *p,
    struct held_conversation *conversation, const struct held_message *held,
    struct ctx_err *err);
/* Writes the message before an entry as a line. */
int ctx_insertion_write(struct prune *p,
    const struct held_conversation *conversation, size_t entry,
    struct ctx_err *err);

/* ---- write_summary.c: one message for what a plan drops ---- */

/*
 * Adds the summary of what the plan drops, or takes the drops back where a
 * summary would not pay and the budget is met without.
 */
int ctx_prune_summarize(struct prune *p, struct held_conversation *conversation,
    struct ctx_err *err);

#endif
