/*
 * gen.h - declarations of convo
 *
 * write.c writes JSON, dialects.c knows the records of providers, and convo.c
 * chooses what happens in a conversation.
 */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CALLS = 5 };

/* A block of memory.  All blocks are freed when a conversation is complete. */
struct block {
	struct block *next;
	char bytes[];
};

struct list {
	const char **item;
	size_t n, cap;
};

struct style {
	/* spaces: 0 none, 1 one after each comma and colon, 2 random */
	unsigned spaces;
	/* which characters are escaped: 0 those that must be, 1 all but ASCII,
	 * 2 random ones */
	unsigned escapes;
	bool upper;    /* true if hexadecimal digits are capitals */
	bool shuffled; /* true if the order of keys is random */
};

struct call {
	const char *id, *name, *args; /* args: text of a JSON object */
	bool custom, legacy;
};

struct gen {
	uint64_t state;
	struct block *blocks;
	const struct dialect *dialect;
	struct style style;
	struct list lines; /* records of the conversation that is being made */
	struct list late;  /* results that come back later */
	unsigned long long ids;
	bool plain;    /* true: no unknown keys, no unusual spaces */
	bool same_ids; /* true: ids begin again in each turn */
	bool with_ids; /* gemini: true if calls have ids */
	/* gemini: true if keys are written as Python writes them */
	bool snake;
	bool is_signed; /* gemini: true if there are thought signatures */
	/* anthropic, bedrock: reasoning in every possible place */
	bool thinks;
};

struct dialect {
	const char *name;
	/* maximum number of user messages directly after each other */
	unsigned users;
	bool partly; /* true if some results of a message may come later */
	/* true if an id must not be used again in a later turn */
	bool unique_ids;
	void (*system)(struct gen *); /* writes the first record; may be NULL */
	/* writes a system message inside the conversation; may be NULL */
	void (*aside)(struct gen *);
	void (*user)(struct gen *);
	void (*assistant)(struct gen *, struct call *, size_t);
	void (*results)(struct gen *, struct call *, size_t); /* may be NULL */
	const char *(*wrap)(struct gen *, const char *);
};

/* The table ends with a row without a name. */
extern const struct dialect dialects[];

/* ---- write.c ---- */

void die(const char *what);
void begin(struct gen *g, unsigned long long seed);
void finish(struct gen *g); /* frees the memory of a conversation */

size_t below(struct gen *g, size_t n);
bool once_in(struct gen *g, size_t n);
const char *letters(struct gen *g, size_t n, const char *from);
const char *new_id(struct gen *g, const char *prefix);
const char *tool_name(struct gen *g);

void add(struct list *list, const char *item);
void swap(const char **a, const char **b);
const char *fmt(struct gen *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return JSON values: a text, base64, an image as a data: URL, arguments of a
 * tool call. */
const char *said(struct gen *g);
const char *base64(struct gen *g);
const char *png(struct gen *g);
const char *arguments(struct gen *g);
/* Writes items in [ ] or { }, with the spaces of the record's style. */
const char *enclose(struct gen *g, char bracket, const char *const *item,
    size_t n);

/*
 * Writes a record from a pattern.  A pattern is JSON with keys without quotes,
 * strings in single quotes, and these variables:
 *   %t  is a text that somebody says     %b  is a piece of base64
 *   %u  is what no provider knows        %s  is the argument as a string
 *   %v  is the argument as it is; what would have NULL as value is left out
 *   ?N  before a key or item keeps it once in N times.
 * Random numbers are drawn in the order of the pattern.  At most one argument
 * may draw a random number, because C does not define the order in which
 * arguments are evaluated.
 */
const char *json(struct gen *g, const char *pattern, ...);

/* Writes a record from a pattern, and adds it to the conversation.  The next
 * record gets another style. */
void say(struct gen *g, const char *pattern, ...);
void new_style(struct gen *g);

#endif
