/* reasoning_file.c - computes the names of the files in which ctx-age stores
 * messages before it removes their reasoning */
#include <stdio.h>

#include "age/reasoning_file.h"
#include "dialect/result_content.h"
#include "store/store.h"
#include "stream/bound_reasoning.h"
#include "stream/placeholder.h"

#define NAME_BEGIN "reasoning-"
#define NAME_END   ".json"

/* Appends a line that identifies a media block: the hex digits in the name of
 * the spool file in which ctx-age would store the block.  Appends nothing for
 * media that ctx-age never moves to a file. */
static int
append_media_digits(struct ctx_buf *out, const struct ctx_message *message,
    size_t i, struct ctx_err *err)
{
	uint32_t block = ctx_media_block(message, i);
	const struct ctx_str file[] = {ctx_json_str(message->json, block),
	    {"\n", 1}};
	char digits[CTX_SPOOL_DIGITS];

	if (block == 0)
		return 0;
	ctx_spool_hash_chunks(digits, file, 2);
	return ctx_buf_printf(out, err, "%.*s\n", CTX_SPOOL_DIGITS, digits);
}

/* Appends the parts of a content block that ctx-age never changes.  These parts
 * identify a message even after ctx-age has changed it.  For a text: the text.
 * For a tool call: its arguments, id and tool name.  For media outside of tool
 * results, or a text that ctx-age has written in place of media: the hex digits
 * in the name of the spool file.  For other blocks, such as tool results and
 * reasoning: nothing. */
static int
append_stable_block(struct ctx_buf *out, const struct ctx_message *message,
    size_t i, struct ctx_buf *scratch, struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[i];
	const uint32_t nodes[] = {block->payload, block->id, block->name};
	struct ctx_reference ref = {.chars = 0};
	bool placeholder = false;

	if (block->result_index == 0 && block->kind == CTX_BLOCK_MEDIA)
		return append_media_digits(out, message, i, err);
	if (block->result_index != 0 ||
	    (block->kind != CTX_BLOCK_TEXT &&
		block->kind != CTX_BLOCK_TOOL_CALL) ||
	    ctx_bound_is_placeholder(message, block))
		return 0;
	if (ctx_placeholder_read_block(message, i, scratch, &placeholder, &ref,
		err) < 0)
		return -1;
	if (placeholder)
		return ref.digits.n == 0 ? 0
					 : ctx_buf_printf(out, err, "%.*s\n",
					       (int)ref.digits.n, ref.digits.p);
	for (size_t k = 0; k < CTX_LENGTH(nodes); k++)
		if ((nodes[k] != 0 &&
			ctx_buf_add_str(out,
			    ctx_json_str(message->json, nodes[k]), err) < 0) ||
		    ctx_buf_add(out, "\n", 1, err) < 0)
			return -1;
	return 0;
}

int
ctx_place_next(struct message_place *place, const struct ctx_message *message,
    uint64_t index, struct ctx_buf *scratch, struct ctx_err *err)
{
	struct ctx_buf stable = {0};
	int rc = 0;

	place->record = index == place->message ? place->record + 1 : 0;
	place->message = index;
	if (message->role == CTX_ROLE_SYSTEM)
		return 0;
	for (size_t i = 0; i < message->n && rc == 0; i++)
		rc = append_stable_block(&stable, message, i, scratch, err);
	/* The hash of the parts that ctx-age never changes is computed for
	 * every message of the conversation.  SipHash is used, because it is
	 * faster than SHA-256. */
	if (stable.n > 0)
		ctx_hash_wide(&place->so_far, stable.p, stable.n,
		    place->so_far.k);
	ctx_buf_release(&stable);
	return rc;
}

int
ctx_reasoning_name(struct ctx_buf *name, struct ctx_str message,
    const struct message_place *place, struct ctx_err *err)
{
	char digits[CTX_SPOOL_DIGITS], numbers[100];
	struct ctx_str pieces[2] = {message, {numbers, 0}};

	pieces[1].n = (size_t)snprintf(numbers, sizeof numbers,
	    "\n%llu.%llu %llx.%llx", (unsigned long long)place->message,
	    (unsigned long long)place->record,
	    (unsigned long long)place->so_far.k[0],
	    (unsigned long long)place->so_far.k[1]);
	ctx_spool_hash_chunks(digits, pieces, 2);
	name->n = 0;
	return ctx_buf_printf(name, err, NAME_BEGIN "%.*s" NAME_END,
	    CTX_SPOOL_DIGITS, digits);
}
