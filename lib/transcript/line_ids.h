/* line_ids.h - intern table of the ids in the lines of a session file */
#ifndef CTX_TRANSCRIPT_LINE_IDS_H
#define CTX_TRANSCRIPT_LINE_IDS_H

#include "base/base.h"

/* An id, stored in 16 bytes.  Which member is valid is stored in the array
 * ctx_line_ids.forms. */
union ctx_line_id {
	char bytes[16];
	struct ctx_str text;
};

/* Table that gives each distinct id a number, counting from 1.  Ids are JSON
 * strings.  A session file may have millions of ids, so an id takes about 25
 * bytes: a UUID is stored as 16 bytes, a short id as its text.  A zeroed struct
 * is a valid empty table. */
struct ctx_line_ids {
	/* True if an id with more than 16 bytes that is no UUID is stored as a
	 * 128-bit hash.  Its text is then lost, and ctx_line_ids_text must not
	 * be called. */
	bool hashes;
	struct ctx_hashkey key;
	union ctx_line_id *list; /* the id with this number is list[number-1] */
	uint8_t *forms; /* for each id: the form in which it is stored */
	size_t n, cap, forms_cap;
	/* Hash table that contains the numbers of ids. mask: number of its
	 * elements, minus 1.  A number fits into the bits of mask; the other
	 * bits of the element are bits of the id's hash, and an id is compared
	 * only if these bits are equal. */
	uint32_t *slots;
	size_t mask;
	struct ctx_arena texts; /* long ids that are no UUIDs */
};

/* Length in bytes of a UUID with quotes, the longest id that is not stored as
 * text. */
enum { CTX_UUID_LITERAL = 38 };

/* Sets *number to the number of an id, which is added if it is not in the
 * table. */
int ctx_line_ids_add(struct ctx_line_ids *ids, struct ctx_str id,
    uint32_t *number, struct ctx_err *err);
/* Returns an id that was added, as a JSON string.  The text may be in scratch,
 * which has room for CTX_UUID_LITERAL bytes. */
struct ctx_str ctx_line_ids_text(const struct ctx_line_ids *ids,
    uint32_t number, char *scratch);
/* Removes all ids, and frees their memory. */
void ctx_line_ids_release(struct ctx_line_ids *ids);

#endif
