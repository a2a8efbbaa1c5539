/* convo.h - a conversation while it is held */
#ifndef CONVO_CONVO_H
#define CONVO_CONVO_H

#include "ctx.h"

/* What the items of one message came from. */
struct entry {
	char *text; /* a record of the stream, owned; NULL: an element */
	size_t n;
	uint32_t node;  /* the message in its record */
	uint32_t items; /* how many of the groups' items are its */
	uint32_t line;  /* of a transcript, 0: of none */
	bool gone;      /* nothing of it is left to write */
	bool continues; /* goes on with an earlier message */
	bool told;      /* its first bytes have been archived and reported */
	const struct ctx_dialect *dialect; /* NULL: no message */
	const char *file;
	uint64_t number; /* of the record's line in it */
	uint64_t message; /* its number, or how many are before it */
};

/* Entries stand in the order of their items. */
struct convo {
	struct ctx_groups groups;
	struct ctx_plan plan;
	struct ctx_scorer *scorer; /* NULL: the policy ranks by age */
	struct ctx_measure measure;
	struct entry *entries;
	size_t n, cap;
	size_t bytes;   /* of all texts */
	size_t look_at; /* bytes at which to look for what can go */
	uint64_t gone;  /* messages dropped */
	struct ctx_buf ours; /* a message to put in, as JSON; empty: none */
	const char *file;
	uint64_t line; /* 0: the messages of the stream */
	bool open;
	bool answers; /* all that it holds stays */
};

/* The next entry, zeroed; or NULL. */
struct entry *ctx_convo_entry(struct convo *convo, struct ctx_err *err);
/* Frees the texts of all entries and forgets them. */
void ctx_convo_clear(struct convo *convo);
void ctx_convo_release(struct convo *convo);

/* A run of ctx_prune. */
struct prune {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_meter *meter;
	struct ctx_prune_options *options;
	struct convo lines, record; /* the stream's, and a record's own */
	const struct ctx_json *source; /* of the record's conversation */
	struct ctx_view view;
	struct ctx_json json; /* a held record, scanned again */
	struct ctx_edits edits;
	struct ctx_buf out, text; /* scratch */
};

/* Puts p->view on the message of an entry; returns as its dialect's read. */
int ctx_prune_look(struct prune *p, const struct entry *entry,
    struct ctx_err *err);
/*
 * Makes convo->ours the summary of what the plan drops, or takes the drops
 * back where a summary would not pay.
 */
int ctx_prune_summarize(struct prune *p, struct convo *convo,
    struct ctx_err *err);
/* Is this message an earlier summary? */
int ctx_summary_is(const struct ctx_view *view, bool *summary,
    struct ctx_err *err);

/* Notes the removal of children of a message's containers: gone[i] says
 * whether node i of the message goes, counted from its own. */
int ctx_edit_drop_nodes(struct ctx_edits *edits, const struct ctx_view *view,
    const bool *gone, struct ctx_err *err);

#endif
