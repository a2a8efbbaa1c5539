/*
 * message.c - fuzz target: reads messages of all dialects, and edits them
 *
 * Input: a byte that chooses the dialect (message format), a byte that chooses
 * what is edited, and a JSON text.  Each object of the text is read as a
 * message.
 */
#include "stream/stream.h"
#include "fuzz.h"

struct fuzz {
	const struct ctx_dialect *dialect;
	unsigned edit;
	struct ctx_json json;
	struct ctx_message message;
	struct ctx_edits edits;
	struct ctx_counter *counter;
};

/* Checks that a node is 0 or a node of the message. */
static void
stands_in(const struct fuzz *f, uint32_t node, bool inside)
{
	uint32_t from = inside ? f->message.node : 0;

	must(node == 0 || (node >= from && node < f->json.nodes[from].next));
}

static void
judge_parts(const struct fuzz *f)
{
	const struct ctx_message *message = &f->message;
	const struct ctx_node *nodes = f->json.nodes;
	size_t i;

	must(message->role <= CTX_ROLE_TOOL && message->json == &f->json);
	stands_in(f, message->role_node, false);
	stands_in(f, message->name, false);
	stands_in(f, message->model, false);
	stands_in(f, message->time, false);
	for (i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];

		must(block->kind < CTX_BLOCK_KINDS);
		must(block->result_index <= message->n &&
		    block->result_index != i + 1);
		must(block->result_index == 0 ||
		    message->blocks[block->result_index - 1].kind ==
			CTX_BLOCK_TOOL_RESULT);
		stands_in(f, block->payload, true);
		stands_in(f, block->id, false);
		stands_in(f, block->name, false);
		stands_in(f, block->container, true);
		stands_in(f, block->removable, true);
		must((block->removable == 0) == (block->container == 0) ||
		    block->container == 0 || block->container == message->node);
		if (block->removable > 0)
			must(block->removable > block->container &&
			    block->removable < nodes[block->container].next &&
			    nodes[block->container].kind >= CTX_JSON_ARRAY);
	}
}

/* Checks that the output is JSON, whatever is removed from the message. */
static void
edit_message(struct fuzz *f)
{
	static const unsigned marks[] = {0, CTX_MARK_DROP, CTX_MARK_STRIP,
	    CTX_MARK_CLEAR, CTX_MARK_STRIP | CTX_MARK_CLEAR};
	struct ctx_message_edit edit = {.results = marks[f->edit % 5],
	    .rest = marks[f->edit / 5 % 5]};
	struct ctx_buf out = {0};
	struct ctx_json after;
	struct ctx_err err;
	bool empty;
	size_t used;

	ctx_edits_reset(&f->edits);
	must(ctx_edit_message(&f->edits, &f->message, &edit, f->counter, &empty,
		 &err) == 0);
	if (empty)
		return;
	must(ctx_edits_apply(&f->edits,
		 (struct ctx_str){f->json.text, f->json.nodes[0].end}, &out,
		 &err) == 0);
	ctx_json_init(&after, CTX_SIMD_BEST);
	must(ctx_json_scan(&after, out.p, out.n, &used, &err) == 1 &&
	    used == out.n);
	ctx_json_release(&after);
	ctx_buf_release(&out);
}

static void
read_message(struct fuzz *f, uint32_t node)
{
	struct ctx_cost cost;
	struct ctx_err err;
	uint64_t sum = 0;
	size_t i;
	int rc;

	ctx_message_reset(&f->message, &f->json, node);
	rc = ctx_dialect_read_message(f->dialect, &f->json, node, &f->message,
	    &err);
	must(rc == 0 || rc == 1);
	if (rc == 0)
		return;
	/* The message may be a member of the record. */
	must(f->message.node >= node &&
	    f->message.node < f->json.nodes[node].next);
	judge_parts(f);
	must(ctx_count_message(f->counter, &f->message, &cost, &err) == 0);
	for (i = 0; i < CTX_BLOCK_KINDS; i++) {
		must(cost.estimated_by_kind[i] <= cost.kinds[i]);
		sum += cost.kinds[i];
	}
	must(cost.framing + sum <= cost.tokens);
	must(cost.reasoning <= cost.tokens && cost.clearable <= cost.tokens &&
	    cost.estimated <= cost.tokens && cost.results <= cost.tokens);
	edit_message(f);
}

static void
read_line(const struct fuzz *f, uint32_t node)
{
	struct ctx_line_place line = {0};

	if (f->dialect->history == CTX_HISTORY_NONE)
		return;
	f->dialect->read_line(&f->json, node, &line);
	must(line.kind <= CTX_LINE_ROLLBACK);
	must(line.id < f->json.n && line.parent < f->json.n &&
	    line.about < f->json.n && line.same < f->json.n &&
	    line.model < f->json.n);
}

static void
find_out(const struct fuzz *f, uint32_t node)
{
	struct ctx_record_layout layout;

	ctx_detect(&f->json, node, f->edit & 1 ? f->dialect : NULL, &layout);
	must(layout.kind <= CTX_LAYOUT_LIST);
	must(layout.kind == CTX_LAYOUT_OTHER ||
	    layout.kind == CTX_LAYOUT_LIST || layout.dialect != NULL);
	must(layout.messages < f->json.n && layout.request < f->json.n &&
	    layout.model < f->json.n && layout.list < f->json.n);
	if (layout.kind == CTX_LAYOUT_CONVERSATION && !layout.is_single_message)
		must(f->json.nodes[layout.messages].kind == CTX_JSON_ARRAY);
}

static void
open_counter(struct ctx_counter *counter)
{
	static struct ctx_tokenizer *tokenizer;
	static struct ctx_token_counter *tokens;
	struct ctx_err err;

	if (tokens == NULL) {
		must(
		    ctx_tokenizer_open(&tokenizer, "bytes/4", NULL, &err) == 0);
		must(ctx_token_counter_open(&tokens, tokenizer, CTX_SIMD_BEST,
			 &err) == 0);
	}
	counter->tokens = tokens;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctx_counter counter = {0};
	struct fuzz f = {.counter = &counter};
	uint8_t choice = fuzz_byte(&data, &size);
	struct ctx_err err;
	uint32_t node;
	size_t used;

	f.dialect = fuzz_dialect(choice);
	if (f.dialect == NULL)
		f.dialect = ctx_dialect_find("generic");
	f.edit = fuzz_byte(&data, &size);
	if (size > 20000)
		return -1;
	open_counter(&counter);
	ctx_json_init(&f.json, CTX_SIMD_BEST);
	if (ctx_json_scan(&f.json, (const char *)data, size, &used, &err) == 1)
		for (node = 0; node < f.json.n && node < 200; node++) {
			find_out(&f, node);
			(void)f.dialect->matches(&f.json, node);
			read_line(&f, node);
			read_message(&f, node);
		}
	ctx_json_release(&f.json);
	ctx_message_release(&f.message);
	ctx_edits_release(&f.edits);
	ctx_counter_release(&counter);
	return 0;
}
