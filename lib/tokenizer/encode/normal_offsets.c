/* normal_offsets.c - converts offsets in the normal form of a text to offsets
 * in the original text */
#include "tokenizer/encode/nfc.h"

/* Finds the next stretch (part of a text) that normalization changes. */
static int
find_next_stretch(struct ctx_nfc_map *map, struct ctx_err *err)
{
	size_t from = map->end;
	int rc;

	map->at = from;
	rc = ctx_nfc_find(map->nfc, map->text.p, map->text.n, &map->at,
	    &map->end, err);
	map->normal_at = map->normal_end + (map->at - from);
	/* After the last changed stretch (part of a text), the original text
	 * and its normal form are equal.  Set the offsets of the ends of both,
	 * from which all offsets after the last changed stretch are
	 * computed. */
	map->normal_end = rc == 0 ? SIZE_MAX : map->normal_at + map->nfc->out.n;
	return rc < 0 ? -1 : 0;
}

int
ctx_nfc_map_init(struct ctx_nfc_map *map, struct ctx_nfc *nfc,
    struct ctx_str text, struct ctx_err *err)
{
	*map = (struct ctx_nfc_map){.nfc = nfc, .text = text};
	map->normal_end = nfc->prefix;
	return nfc->prefix ? 0 : find_next_stretch(map, err);
}

int
ctx_nfc_map_place(struct ctx_nfc_map *map, size_t normal, size_t *at,
    struct ctx_err *err)
{
	while (normal >= map->normal_end)
		if (find_next_stretch(map, err) < 0)
			return -1;
	if (normal <= map->normal_at) {
		*at = map->at - (map->normal_at - normal);
		return 1;
	}
	*at = map->end;
	return 0;
}
