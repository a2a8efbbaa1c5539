/*
 * conversation.h - a conversation that is checked, and the functions that check
 * it
 */
#ifndef CONVERSATION_H
#define CONVERSATION_H

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>

/* A conversation: its messages, and the line number of each message. */
struct conversation {
	json_t *message; /* array of messages */
	/* array of integers: the line number of each message */
	json_t *line;
	bool allow_pending;
	/* true: also checks rules of chat templates and older servers */
	bool templates;
	bool refused;
};

/* One function per provider.  Each violation is reported by refuse(). */
void check_chat(struct conversation *t);
void check_generic(struct conversation *t);
void check_responses(struct conversation *t);
void check_anthropic(struct conversation *t);
void check_bedrock(struct conversation *t);
void check_gemini(struct conversation *t);
void check_cache(struct conversation *t, const char *dialect,
    const json_t *request);

void die(const char *what);
/* Reports a violation in message number "at". */
void refuse(struct conversation *t, size_t at, const char *rule,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns the text of the member with this key, or "" if there is none. */
const char *text(const json_t *object, const char *key);
bool is(const json_t *object, const char *key, const char *want);
bool has(const json_t *object, const char *key);
bool blank(const char *s);

/* A set of ids, each with the number of the message that contains it. */
json_t *new_set(void);
bool in(const json_t *set, const char *name);
void put(json_t *set, const char *name, size_t at);
/* Reports all ids that are left in the set, and empties the set. */
void unanswered(struct conversation *t, json_t *open);

/* Returns true if an id has 1 to 64 characters: letters, digits, _, - and the
 * characters in "more".  For ids of tool calls of Anthropic and Bedrock. */
bool plain_id(const char *id, const char *more);

#endif
