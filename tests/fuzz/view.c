/*
 * view.c - fuzz what the dialects make of a message
 *
 * Input: a byte that chooses the dialect, one that chooses what is edited,
 * and a JSON text, each object of which is taken for a message.
 */
#include "fuzz.h"

struct fuzz {
	const struct ctx_dialect *dialect;
	unsigned edit;
	struct ctx_json json;
	struct ctx_message view;
	struct ctx_edits edits;
	struct ctx_counter *counter;
};

/* A node of the message, or none. */
static void
stands_in(const struct fuzz *f, uint32_t node, bool inside)
{
	uint32_t from = inside ? f->view.node : 0;

	must(node == 0 || (node >= from && node < f->json.nodes[from].next));
}

static void
judge_parts(const struct fuzz *f)
{
	const struct ctx_message *view = &f->view;
	const struct ctx_node *nodes = f->json.nodes;
	size_t i;

	must(view->role <= CTX_ROLE_TOOL && view->json == &f->json);
	stands_in(f, view->role_node, false);
	stands_in(f, view->name, false);
	stands_in(f, view->model, false);
	stands_in(f, view->time, false);
	stands_in(f, view->usage, false);
	for (i = 0; i < view->n; i++) {
		const struct ctx_block *part = &view->parts[i];

		must(part->kind < CTX_BLOCK_KINDS);
		must(part->owner <= view->n && part->owner != i + 1);
		must(part->owner == 0 ||
		    view->parts[part->owner - 1].kind == CTX_BLOCK_TOOL_RESULT);
		stands_in(f, part->value, true);
		stands_in(f, part->id, false);
		stands_in(f, part->name, false);
		stands_in(f, part->parent, true);
		stands_in(f, part->child, true);
		must((part->child == 0) == (part->parent == 0) ||
		    part->parent == 0 || part->parent == view->node);
		if (part->child > 0)
			must(part->child > part->parent &&
			    part->child < nodes[part->parent].next &&
			    nodes[part->parent].kind >= CTX_JSON_ARRAY);
	}
}

/* Whatever is stripped and cleared, JSON is left. */
static void
edit_message(struct fuzz *f)
{
	static const unsigned marks[] = {0, CTX_MARK_DROP, CTX_MARK_STRIP,
	    CTX_MARK_CLEAR, CTX_MARK_STRIP | CTX_MARK_CLEAR};
	struct ctx_message_edit fate = {.results = marks[f->edit % 5],
	    .rest = marks[f->edit / 5 % 5]};
	struct ctx_buf out = {0};
	struct ctx_json after;
	struct ctx_err err;
	bool empty;
	size_t used;

	ctx_edits_reset(&f->edits);
	must(ctx_edit_message(&f->edits, &f->view, f->dialect, &fate,
		 f->counter, &empty, &err) == 0);
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

	ctx_message_reset(&f->view, &f->json, node);
	rc = f->dialect->read(&f->json, node, &f->view, &err);
	must(rc == 0 || rc == 1);
	if (rc == 0)
		return;
	/* The message may be a member of the record. */
	must(f->view.node >= node && f->view.node < f->json.nodes[node].next);
	judge_parts(f);
	must(ctx_count_message(f->counter, f->dialect, &f->view, &cost, &err) ==
	    0);
	for (i = 0; i < CTX_BLOCK_KINDS; i++) {
		must(cost.rough[i] <= cost.kinds[i]);
		sum += cost.kinds[i];
	}
	must(cost.framing + sum <= cost.tokens);
	must(cost.reasoning <= cost.tokens && cost.bodies <= cost.tokens &&
	    cost.estimated <= cost.tokens && cost.results <= cost.tokens);
	edit_message(f);
}

static void
read_line(const struct fuzz *f, uint32_t node)
{
	struct ctx_line_place line = {0};

	if (f->dialect->history == CTX_HISTORY_NONE)
		return;
	f->dialect->line(&f->json, node, &line);
	must(line.kind <= CTX_LINE_ROLLBACK);
	must(line.id < f->json.n && line.parent < f->json.n &&
	    line.about < f->json.n && line.same < f->json.n &&
	    line.model < f->json.n);
}

static void
find_out(const struct fuzz *f, uint32_t node)
{
	struct ctx_record_layout shape;

	ctx_detect(&f->json, node, f->edit & 1 ? f->dialect : NULL, &shape);
	must(shape.kind <= CTX_LAYOUT_LIST);
	must(shape.kind == CTX_LAYOUT_OTHER || shape.kind == CTX_LAYOUT_LIST ||
	    shape.dialect != NULL);
	must(shape.messages < f->json.n && shape.request < f->json.n &&
	    shape.model < f->json.n && shape.list < f->json.n);
	if (shape.kind == CTX_LAYOUT_CONVERSATION && !shape.single)
		must(f->json.nodes[shape.messages].kind == CTX_JSON_ARRAY);
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
			(void)f.dialect->is(&f.json, node);
			read_line(&f, node);
			read_message(&f, node);
		}
	ctx_json_release(&f.json);
	ctx_message_release(&f.view);
	ctx_edits_release(&f.edits);
	ctx_counter_release(&counter);
	return 0;
}
