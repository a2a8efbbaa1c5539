/*
 * conversation.h - a conversation under inspection, and who inspects it
 */
#ifndef CONVERSATION_H
#define CONVERSATION_H

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>

/* A conversation: its messages, and the line of each of them. */
struct conversation {
	json_t *message; /* array */
	json_t *line;    /* array of integers, as many */
	bool allow_pending;
	bool templates; /* as chat templates and older servers have it, too */
	bool refused;
};

/* One file each; every violation is reported through refuse(). */
void check_chat(struct conversation *t);
void check_generic(struct conversation *t);
void check_responses(struct conversation *t);
void check_anthropic(struct conversation *t);
void check_bedrock(struct conversation *t);
void check_gemini(struct conversation *t);
void check_cache(struct conversation *t, const char *dialect,
    const json_t *request);

void die(const char *what);
/* Reports a violation in message number at. */
void refuse(struct conversation *t, size_t at, const char *rule,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The text under key, or "" if there is none. */
const char *text(const json_t *object, const char *key);
bool is(const json_t *object, const char *key, const char *want);
bool has(const json_t *object, const char *key);
bool blank(const char *s);

/* Sets of ids, each with the number of the message it stands in. */
json_t *new_set(void);
bool in(const json_t *set, const char *name);
void put(json_t *set, const char *name, size_t at);
/* Reports all that is left in the set, and empties it. */
void unanswered(struct conversation *t, json_t *open);

/* Letters, digits, _ and -, and what is in more, from 1 to 64: tool ids of
 * Anthropic and Bedrock. */
bool plain_id(const char *id, const char *more);

#endif
