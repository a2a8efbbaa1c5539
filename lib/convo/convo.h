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
	const struct ctx_dialect *dialect; /* NULL: no message */
	const char *file;
	uint64_t number; /* of the record's line in it */
};

/* Entries stand in the order of their items. */
struct convo {
	struct ctx_groups groups;
	struct ctx_plan plan;
	struct ctx_measure measure;
	struct entry *entries;
	size_t n, cap;
	size_t bytes;   /* of all texts */
	size_t look_at; /* bytes at which to look for what can go */
	uint64_t gone;  /* messages dropped */
	const char *file;
	uint64_t line; /* 0: the messages of the stream */
	bool open;
};

/* The next entry, zeroed; or NULL. */
struct entry *ctx_convo_entry(struct convo *convo, struct ctx_err *err);
/* Frees the texts of all entries and forgets them. */
void ctx_convo_clear(struct convo *convo);
void ctx_convo_release(struct convo *convo);

#endif
