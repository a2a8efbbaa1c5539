/* reasoning.c - reasoning in the spool, found by the message that it left */
#include <stdio.h>
#include <string.h>

#include "convo/reasoning.h"
#include "convo/standin.h"
#include "store/reference.h"

#define BEGIN "reasoning-"
#define END   ".json"

/* Sets place->begin to the digits of the texts of a message. */
static int
begin(struct message_place *place, const struct ctx_view *view,
    struct ctx_buf *scratch, struct ctx_err *err)
{
	struct ctx_buf texts = {0};
	struct reference ref;
	struct ctx_str all, text;
	bool stands_in;
	int rc = 0;
	size_t i;

	for (i = 0; i < view->n && rc == 0; i++) {
		const struct ctx_part *part = &view->parts[i];

		if (part->kind != CTX_PART_TEXT || part->owner != 0)
			continue;
		rc = ctx_standin_part(view, i, scratch, &stands_in, &ref, err);
		text = ctx_json_str(view->json, part->value);
		if (rc == 0 && !stands_in)
			rc = ctx_buf_add(&texts, text.p, text.n, err);
	}
	all = (struct ctx_str){texts.p, texts.n};
	ctx_spool_digits(place->begin, &all, 1);
	place->known = true;
	ctx_buf_release(&texts);
	return rc;
}

int
ctx_place_next(struct message_place *place, const struct ctx_view *view,
    uint64_t message, struct ctx_buf *scratch, struct ctx_err *err)
{
	place->piece = message == place->message ? place->piece + 1 : 0;
	place->message = message;
	return place->known || view->role == CTX_ROLE_SYSTEM
	    ? 0
	    : begin(place, view, scratch, err);
}

int
ctx_reasoning_name(struct ctx_buf *name, struct ctx_str message,
    const struct message_place *place, struct ctx_err *err)
{
	char digits[CTX_SPOOL_DIGITS], numbers[60];
	struct ctx_str pieces[3] = {message, {numbers, 0},
	    {place->begin, CTX_SPOOL_DIGITS}};

	pieces[1].n = (size_t)snprintf(numbers, sizeof numbers,
	    "\n%llu.%llu ", (unsigned long long)place->message,
	    (unsigned long long)place->piece);
	ctx_spool_digits(digits, pieces, 3);
	name->n = 0;
	return ctx_buf_printf(name, err, BEGIN "%.*s" END, CTX_SPOOL_DIGITS,
	    digits);
}
