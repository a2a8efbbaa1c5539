/*
 * gen.h - the parts of convo: write.c knows how JSON may look, dialects.c what
 * a provider's records hold, and convo.c what happens in a conversation
 */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CALLS = 5 };

/* All memory is given back at once, when a conversation is done. */
struct block {
	struct block *next;
	char bytes[];
};

struct list {
	const char **item;
	size_t n, cap;
};

struct style {
	unsigned spaces;  /* 0 none, 1 one after , and :, 2 odd */
	unsigned escapes; /* 0 what must be, 1 all but ASCII, 2 as it comes */
	bool upper;       /* hexadecimal digits */
	bool shuffled;    /* the order of keys */
};

struct call {
	const char *id, *name, *args; /* args is the text of a JSON object */
	bool custom, legacy;
};

struct gen {
	uint64_t state;
	struct block *blocks;
	const struct dialect *dialect;
	struct style style;
	struct list lines; /* records of the conversation that is being made */
	struct list late;  /* results that have not come back yet */
	unsigned long long ids;
	bool plain;     /* no unknown keys, no odd spaces */
	bool same_ids;  /* ids begin anew in every turn */
	bool with_ids;  /* gemini: calls have ids */
	bool snake;     /* gemini: as Python prints it */
	bool is_signed; /* gemini: thought signatures */
	bool thinks;    /* anthropic, bedrock: reasoning in every place */
};

struct dialect {
	const char *name;
	unsigned users;  /* most user messages in a row */
	bool partly;     /* some results of a message may still be missing */
	bool unique_ids; /* no id may come again in a later turn */
	void (*system)(struct gen *); /* first record, or NULL */
	void (*aside)(struct gen *);  /* system in mid conversation, or NULL */
	void (*user)(struct gen *);
	void (*assistant)(struct gen *, struct call *, size_t);
	void (*results)(struct gen *, struct call *, size_t); /* or NULL */
	const char *(*wrap)(struct gen *, const char *);
};

/* The table ends with a row without a name. */
extern const struct dialect dialects[];

/* ---- write.c ------------------------------------------------------------ */

void die(const char *what);
void begin(struct gen *g, unsigned long long seed);
void finish(struct gen *g); /* frees what a conversation needed */

size_t below(struct gen *g, size_t n);
bool once_in(struct gen *g, size_t n);
const char *letters(struct gen *g, size_t n, const char *from);
const char *new_id(struct gen *g, const char *prefix);
const char *tool_name(struct gen *g);

void add(struct list *list, const char *item);
void swap(const char **a, const char **b);
const char *fmt(struct gen *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* JSON values: a text, base64, a picture as data URL, a call's arguments. */
const char *said(struct gen *g);
const char *base64(struct gen *g);
const char *png(struct gen *g);
const char *arguments(struct gen *g);
/* Items in [ or {, with the spaces of the record. */
const char *enclose(struct gen *g, char bracket, const char *const *item,
    size_t n);

/*
 * Writes a record after a pattern: JSON whose keys have no quotes, whose
 * strings have single ones, and in which
 *   %t  is a text that somebody says     %b  is a piece of base64
 *   %u  is what no provider knows        %s  is the argument as a string
 *   %v  is the argument as it is; what would have NULL as value is left out
 *   ?N  before a key or item keeps it once in N times.
 * Everything random is drawn in the order of the pattern.  At most one of the
 * arguments may draw: C does not say which of them is evaluated first.
 */
const char *json(struct gen *g, const char *pattern, ...);

/* Puts such a record into the conversation; the next has another style. */
void say(struct gen *g, const char *pattern, ...);
void new_style(struct gen *g);

#endif
