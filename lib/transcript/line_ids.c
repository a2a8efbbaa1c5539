/* line_ids.c - intern table of the ids in the lines of a session file, and
 * arrays with a number for each line or id */
#include <stdlib.h>
#include <string.h>

#include "transcript/line_ids.h"

/* How an id is stored.  UUID: as 16 bytes.  HASHED: as a 128-bit hash.  LONG:
 * as a pointer to its text.  A number up to SHORT: as a text of this many bytes
 * in union ctx_line_id. */
enum { SHORT = sizeof(union ctx_line_id), UUID, HASHED, LONG };

enum { LEAST_SLOTS = 64, MOST_IDS = UINT32_MAX / 4 };

/* An id as ctx_line_ids stores it. form: UUID, HASHED, LONG, or the length of a
 * short id in bytes. */
struct packed {
	union ctx_line_id id;
	uint8_t form;
};

/* Returns the value of a hexadecimal digit in lower case; 255 for any other
 * byte. */
static unsigned
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 255;
}

/* Returns true if a hyphen stands before this byte (0 to 15) of a UUID when the
 * UUID is written as text. */
static bool
has_hyphen(size_t byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/* Sets the 16 bytes of a UUID from a JSON string.  Returns false if the string
 * is no UUID in lower case. */
static bool
pack_uuid(struct ctx_str id, char *bytes)
{
	const char *p = id.p + 1;
	unsigned high, low, all = 0;

	if (id.n != CTX_UUID_LITERAL)
		return false;
	for (size_t i = 0; i < 16; i++) {
		if (has_hyphen(i) && *p++ != '-')
			return false;
		high = digit_value(*p++);
		low = digit_value(*p++);
		all |= high | low;
		bytes[i] = (char)(high << 4 | low);
	}
	return all < 16;
}

static void
pack_id(const struct ctx_line_ids *ids, struct ctx_str id,
    struct packed *packed)
{
	uint64_t hash[2];

	memset(packed, 0, sizeof *packed);
	if (id.n <= SHORT) {
		packed->form = (uint8_t)id.n;
		memcpy(packed->id.bytes, id.p, id.n);
	} else if (pack_uuid(id, packed->id.bytes)) {
		packed->form = UUID;
	} else if (ids->hashes) {
		packed->form = HASHED;
		ctx_hash_wide(&ids->key, id.p, id.n, hash);
		memcpy(packed->id.bytes, hash, sizeof hash);
	} else {
		packed->form = LONG;
		packed->id.text = id;
	}
}

static uint64_t
hash_packed(const struct ctx_line_ids *ids, const struct packed *packed)
{
	return packed->form == LONG
	    ? ctx_hash(&ids->key, packed->id.text.p, packed->id.text.n)
	    : ctx_hash(&ids->key, packed->id.bytes, sizeof packed->id.bytes);
}

static bool
is_equal(const struct ctx_line_ids *ids, uint32_t number,
    const struct packed *packed)
{
	const union ctx_line_id *id = &ids->list[number - 1];

	if (ids->forms[number - 1] != packed->form)
		return false;
	if (packed->form != LONG)
		return memcmp(id->bytes, packed->id.bytes, sizeof id->bytes) ==
		    0;
	return id->text.n == packed->id.text.n &&
	    memcmp(id->text.p, packed->id.text.p, id->text.n) == 0;
}

/* Returns those bits of an id's hash that an element of the hash table contains
 * beside the number of the id. */
static uint32_t
hash_bits(const struct ctx_line_ids *ids, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & ~(uint32_t)ids->mask;
}

/* Returns the element of the hash table that contains an id.  If the table does
 * not contain the id, returns the empty element in which the id must be stored.
 * packed: the id, or NULL if the caller knows that the table does not contain
 * it. */
static uint32_t *
find_id_slot(const struct ctx_line_ids *ids, uint64_t hash,
    const struct packed *packed)
{
	uint32_t mask = (uint32_t)ids->mask, bits = hash_bits(ids, hash);
	size_t i = (size_t)hash & ids->mask;
	uint32_t *slot = &ids->slots[i];

	while (*slot != 0 &&
	    (packed == NULL || (*slot & ~mask) != bits ||
		!is_equal(ids, *slot & mask, packed))) {
		i = (i + 1) & ids->mask;
		slot = &ids->slots[i];
	}
	return slot;
}

/* Doubles the size of the hash table.  Frees the old table first, so that both
 * tables are never in memory at the same time. */
static int
grow_id_slots(struct ctx_line_ids *ids, struct ctx_err *err)
{
	size_t slots = ids->mask == 0 ? LEAST_SLOTS : (ids->mask + 1) * 2;
	struct packed packed;
	uint64_t hash;

	if (ids->mask == 0)
		ctx_hashkey_init(&ids->key);
	free(ids->slots);
	ids->slots = calloc(slots, sizeof *ids->slots);
	if (ids->slots == NULL)
		return ctx_err_nomem(err);
	ids->mask = slots - 1;
	for (size_t i = 0; i < ids->n; i++) {
		packed = (struct packed){ids->list[i], ids->forms[i]};
		hash = hash_packed(ids, &packed);
		*find_id_slot(ids, hash, NULL) =
		    hash_bits(ids, hash) | ((uint32_t)i + 1);
	}
	return 0;
}

static int
append_id(struct ctx_line_ids *ids, struct packed *packed, struct ctx_err *err)
{
	struct ctx_str *text = &packed->id.text;

	if (ids->n >= MOST_IDS)
		return ctx_err_set(err, CTX_ELIMIT,
		    "the lines of the session file have more than %u different "
		    "ids; divide the file",
		    (unsigned)MOST_IDS);
	if (CTX_GROW(ids->list, ids->cap, ids->n + 1, err) < 0 ||
	    CTX_GROW(ids->forms, ids->forms_cap, ids->n + 1, err) < 0)
		return -1;
	if (packed->form == LONG) {
		text->p = ctx_arena_copy(&ids->texts, text->p, text->n, err);
		if (text->p == NULL)
			return -1;
	}
	ids->list[ids->n] = packed->id;
	ids->forms[ids->n++] = packed->form;
	return 0;
}

int
ctx_line_ids_add(struct ctx_line_ids *ids, struct ctx_str id, uint32_t *number,
    struct ctx_err *err)
{
	struct packed packed;
	uint64_t hash;
	uint32_t *slot;

	/* At most 3 of 4 elements of the hash table are used. */
	if ((ids->slots == NULL || ids->n > ids->mask / 4 * 3) &&
	    grow_id_slots(ids, err) < 0)
		return -1;
	pack_id(ids, id, &packed);
	hash = hash_packed(ids, &packed);
	slot = find_id_slot(ids, hash, &packed);
	if (*slot == 0) {
		if (append_id(ids, &packed, err) < 0)
			return -1;
		*slot = hash_bits(ids, hash) | (uint32_t)ids->n;
	}
	*number = *slot & (uint32_t)ids->mask;
	return 0;
}

/* Writes a UUID as a JSON string. */
static void
unpack_uuid(const char *bytes, char *text)
{
	static const char digits[] = "0123456789abcdef";

	*text++ = '"';
	for (size_t i = 0; i < 16; i++) {
		if (has_hyphen(i))
			*text++ = '-';
		*text++ = digits[(unsigned char)bytes[i] >> 4];
		*text++ = digits[(unsigned char)bytes[i] & 15];
	}
	*text = '"';
}

struct ctx_str
ctx_line_ids_text(const struct ctx_line_ids *ids, uint32_t number,
    char *scratch)
{
	const union ctx_line_id *id = &ids->list[number - 1];
	uint8_t form = ids->forms[number - 1];

	if (form == LONG)
		return id->text;
	if (form <= SHORT)
		return (struct ctx_str){id->bytes, form};
	unpack_uuid(id->bytes, scratch);
	return (struct ctx_str){scratch, CTX_UUID_LITERAL};
}

void
ctx_line_ids_release(struct ctx_line_ids *ids)
{
	bool hashes = ids->hashes;

	free(ids->list);
	free(ids->forms);
	free(ids->slots);
	ctx_arena_release(&ids->texts);
	memset(ids, 0, sizeof *ids);
	ids->hashes = hashes;
}

/* ---- arrays ---- */

int
ctx_values_extend(struct ctx_values *values, size_t n, struct ctx_err *err)
{
	if (n <= values->n)
		return 0;
	if (CTX_GROW(values->list, values->cap, n, err) < 0)
		return -1;
	memset(values->list + values->n, 0,
	    (n - values->n) * sizeof *values->list);
	values->n = n;
	return 0;
}

int
ctx_values_set(struct ctx_values *values, size_t i, uint32_t number,
    struct ctx_err *err)
{
	if (i >= values->n) {
		if (number == 0)
			return 0;
		if (ctx_values_extend(values, i + 1, err) < 0)
			return -1;
	}
	values->list[i] = number;
	return 0;
}

void
ctx_values_clear(struct ctx_values *values, size_t from)
{
	if (from < values->n)
		memset(values->list + from, 0,
		    (values->n - from) * sizeof *values->list);
}

void
ctx_values_release(struct ctx_values *values)
{
	free(values->list);
	memset(values, 0, sizeof *values);
}
