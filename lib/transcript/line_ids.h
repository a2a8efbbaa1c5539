/* line_ids.h - intern table of the ids in the lines of a session file, and
 * arrays with a number for each line or id, in little memory if most of them
 * are 0 */
#ifndef CTX_TRANSCRIPT_LINE_IDS_H
#define CTX_TRANSCRIPT_LINE_IDS_H

#include "base/base.h"

/* An id, stored in 16 bytes.  The array ctx_line_ids.forms says which member is
 * valid. */
union ctx_line_id {
	char bytes[16];
	struct ctx_str text;
};

/* Table that gives each distinct id a number, counting from 1.  Ids are JSON
 * strings.  A session file may have millions of ids.  To save memory, a UUID is
 * stored as 16 bytes, and a short id as its text; an id then takes about 25
 * bytes.  A zeroed struct is a valid empty table. */
struct ctx_line_ids {
	/* True if ids that have more than 16 bytes and are no UUIDs are stored
	 * as 128-bit hashes.  The texts of such ids are lost, so the caller
	 * must not call ctx_line_ids_text. */
	bool hashes;
	struct ctx_hashkey key;
	union ctx_line_id *list; /* the id with number N is list[N - 1] */
	uint8_t *forms; /* for each id: how it is stored (see line_ids.c) */
	size_t n, cap, forms_cap;
	/* Hash table of the ids. mask: number of its elements, minus 1.  An
	 * empty element is 0.  In any other element, the bits that are set in
	 * mask are the number of an id, and the other bits are a part of the
	 * id's hash.  Two ids are compared only if these parts of their hashes
	 * are equal. */
	uint32_t *slots;
	size_t mask;
	struct ctx_arena texts; /* texts of long ids that are no UUIDs */
};

/* length in bytes of a UUID as a JSON string, with its quotes */
enum { CTX_UUID_LITERAL = 38 };

/* Sets *number to the number of an id.  If the id is not in the table, adds
 * it. */
int ctx_line_ids_add(struct ctx_line_ids *ids, struct ctx_str id,
    uint32_t *number, struct ctx_err *err);
/* Returns the id with this number as a JSON string. scratch: memory of
 * CTX_UUID_LITERAL bytes.  The result may be in scratch; it is valid until an
 * id is added or scratch is changed. */
struct ctx_str ctx_line_ids_text(const struct ctx_line_ids *ids,
    uint32_t number, char *scratch);
/* Removes all ids, and frees their memory. */
void ctx_line_ids_release(struct ctx_line_ids *ids);

/* An array of numbers.  Elements that were never set are 0.  Elements after the
 * last one that was set take no memory.  A zeroed struct is a valid array. */
struct ctx_values {
	uint32_t *list;
	size_t n, cap;
};

static inline uint32_t
ctx_values_at(const struct ctx_values *values, size_t i)
{
	return i < values->n ? values->list[i] : 0;
}

/* Makes the array at least n elements long. */
int ctx_values_extend(struct ctx_values *values, size_t n, struct ctx_err *err);
/* Sets an element. */
int ctx_values_set(struct ctx_values *values, size_t i, uint32_t number,
    struct ctx_err *err);
/* Sets all elements from the index "from" on to 0. */
void ctx_values_clear(struct ctx_values *values, size_t from);
/* Frees the array, and makes it empty. */
void ctx_values_release(struct ctx_values *values);

#endif
