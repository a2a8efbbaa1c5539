/*
 * mend.c - a message that waits is changed
 *
 * Some findings are about a message that was judged long ago.  A message of a
 * record is still there as it was scanned; a record of its own is scanned
 * again, since it may have been changed.
 */
#include "check/text.h"
#include "convo/repair.h"

/* The first hint that is found. */
struct first {
	uint32_t container, node;
};

static int
visit(void *user, const struct ctx_json *json, uint32_t container,
    uint32_t node, struct ctx_err *err)
{
	struct first *first = user;

	(void)json;
	(void)err;
	if (first->node == 0)
		*first = (struct first){container, node};
	return 0;
}

/* Applies the edits of one record to the entry. */
static int
apply(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	repair->out.n = 0;
	if (ctx_edits_apply(&repair->late, entry->bytes, &repair->out, err) <
		0)
		return -1;
	ctx_edits_reset(&repair->late);
	return ctx_repair_own(entry, repair->out.p, repair->out.n, err);
}

int
ctx_mend_marker(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_str *old, struct ctx_err *err)
{
	const struct ctx_hints *hints = ctx_hints_any(entry->dialect);
	const struct ctx_json *json = &repair->json;
	struct first first = {0, 0};
	size_t used;

	if (hints == NULL)
		return 0;
	if (ctx_json_scan(&repair->json, entry->bytes.p, entry->bytes.n, &used,
		err) <= 0)
		return -1;
	if (ctx_hints_each(hints, json,
		ctx_hints_content(hints, json, entry->node), &first, visit,
		err) < 0)
		return -1;
	if (first.node == 0)
		return 0;
	*old = ctx_child_span(json, first.container, first.node, false);
	if (ctx_edit_replace(&repair->late, *old, "", 0, err) < 0)
		return -1;
	/* What was removed is told of, and the entry loses it. */
	repair->gone.n = 0;
	if (ctx_buf_add(&repair->gone, old->p, old->n, err) < 0)
		return -1;
	*old = (struct ctx_str){repair->gone.p, repair->gone.n};
	return apply(repair, entry, err) < 0 ? -1 : 1;
}
