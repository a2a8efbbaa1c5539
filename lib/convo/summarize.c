/* summarize.c - one message for what a plan drops */
#include <string.h>

#include "convo/convo.h"

/* Bytes of output that a summarizer may write for each token asked. */
#define BYTES_PER_TOKEN 64

int
ctx_summary_is(const struct ctx_view *view, bool *summary,
    struct ctx_err *err)
{
	static const char prefix[] = CTX_SUMMARY_PREFIX;
	struct ctx_buf text = {0};
	struct ctx_str literal;

	*summary = false;
	if (view->n != 1 || view->parts[0].kind != CTX_PART_TEXT ||
	    view->json->nodes[view->parts[0].value].kind != CTX_JSON_STRING)
		return 0;
	literal = ctx_json_str(view->json, view->parts[0].value);
	/* Most texts differ in the first byte, escaped or not. */
	if (literal.n < sizeof prefix ||
	    (literal.p[1] != prefix[0] && literal.p[1] != '\\'))
		return 0;
	if (ctx_text_decode(&text, literal, err) < 0) {
		ctx_buf_release(&text);
		return -1;
	}
	*summary = text.n >= sizeof prefix - 1 &&
	    memcmp(text.p, prefix, sizeof prefix - 1) == 0;
	ctx_buf_release(&text);
	return 0;
}

/* What goes and what stays, for either summarizer. */
struct material {
	struct ctx_summary *lines; /* of the built-in one */
	struct ctx_buf text;       /* for a command */
};

static enum ctx_summary_kind
kind_of(const struct ctx_view *view, const struct ctx_part *part)
{
	if (part->kind == CTX_PART_CALL)
		return CTX_SUMMARY_CALL;
	if (part->kind == CTX_PART_RESULT || part->owner != 0)
		return CTX_SUMMARY_RESULT;
	return view->role == CTX_ROLE_USER ? CTX_SUMMARY_USER
					   : CTX_SUMMARY_ASSISTANT;
}

/* The text of a part into p->text; false if it has none to speak of. */
static int
part_text(struct prune *p, const struct ctx_view *view,
    const struct ctx_part *part, struct ctx_err *err)
{
	p->text.n = 0;
	if (part->value == 0 || part->kind == CTX_PART_MEDIA ||
	    part->kind == CTX_PART_REASONING)
		return 0;
	if (view->json->nodes[part->value].kind == CTX_JSON_STRING)
		return ctx_text_decode(&p->text,
		    ctx_json_str(view->json, part->value), err);
	if (part->kind == CTX_PART_CALL) {
		struct ctx_str raw = ctx_json_str(view->json, part->value);

		return ctx_buf_add(&p->text, raw.p, raw.n, err);
	}
	return 0;
}

/* Adds what a command is told of a part. */
static int
tell(struct material *m, const struct ctx_view *view,
    const struct ctx_part *part, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str name = {"", 0};

	if (part->name != 0) {
		name = ctx_json_str(view->json, part->name);
		if (name.n >= 2 && name.p[0] == '"')
			name = (struct ctx_str){name.p + 1, name.n - 2};
	}
	if (ctx_buf_printf(&m->text, err, "%s%s%.*s: ",
		ctx_role_name(view->role),
		part->kind == CTX_PART_CALL	? " calls "
		    : part->kind == CTX_PART_RESULT && name.n > 0 ? " "
								  : "",
		(int)name.n, name.p) < 0 ||
	    ctx_buf_add(&m->text, text.p, text.n, err) < 0)
		return -1;
	return ctx_buf_add(&m->text, "\n", 1, err);
}

static int
add_part(struct prune *p, struct material *m, const struct ctx_view *view,
    const struct ctx_part *part, unsigned flags, struct ctx_err *err)
{
	size_t prefix = sizeof CTX_SUMMARY_PREFIX - 1;
	enum ctx_summary_kind kind = kind_of(view, part);
	struct ctx_str text;

	if (part_text(p, view, part, err) < 0)
		return -1;
	text = (struct ctx_str){p->text.p, p->text.n};
	if (text.n == 0)
		return 0;
	if ((flags & CTX_ITEM_SUMMARY) && text.n >= prefix) {
		kind = CTX_SUMMARY_EARLIER;
		text.p += prefix;
		text.n -= prefix;
	}
	if (m->lines != NULL &&
	    ctx_summary_add(m->lines, kind, text.p, text.n, err) < 0)
		return -1;
	return tell(m, view, part, text, err);
}

static int
add_entry(struct prune *p, struct material *m, const struct entry *entry,
    unsigned flags, bool goes, struct ctx_err *err)
{
	size_t i;

	if (entry->dialect == NULL)
		return 0;
	if (ctx_prune_look(p, entry, err) < 0)
		return -1;
	for (i = 0; i < p->view.n; i++) {
		const struct ctx_part *part = &p->view.parts[i];

		if (goes) {
			if (add_part(p, m, &p->view, part, flags, err) < 0)
				return -1;
		} else if (m->lines != NULL) {
			if (part_text(p, &p->view, part, err) < 0 ||
			    ctx_summary_later(m->lines, p->text.p, p->text.n,
				err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
gather(struct prune *p, struct convo *convo, struct material *m,
    struct ctx_err *err)
{
	size_t i, item = 0;

	for (i = 0; i < convo->n; item += convo->entries[i].items, i++)
		if (add_entry(p, m, &convo->entries[i],
			convo->groups.items[item].flags,
			convo->plan.marks[item] & CTX_MARK_DROP, err) < 0)
			return -1;
	return 0;
}

/* Asks the command; what it says beyond the bound is cut off. */
static int
ask(struct prune *p, struct convo *convo, const struct material *m,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_prune_options *o = p->options;
	struct ctx_buf input = {0};
	struct ctx_exec exec = {.command = o->summarizer,
	    .limit = o->summary_tokens * BYTES_PER_TOKEN + 4096,
	    .seconds = o->timeout};
	uint64_t tokens;
	size_t at = 0;
	int rc = -1;

	if (ctx_buf_printf(&input, err, "%s\n\n", o->prompt) < 0 ||
	    ctx_buf_add(&input, m->text.p, m->text.n, err) < 0)
		goto out;
	exec.input = (struct ctx_str){input.p, input.n};
	if (ctx_exec(&exec, out, err) < 0)
		goto out;
	while (out->n > 0 && strchr(" \t\r\n", out->p[out->n - 1]) != NULL &&
	    out->p[out->n - 1] != '\0')
		out->n--;
	if (out->n == 0) {
		ctx_err_set(err, CTX_EARG, "'%.80s' wrote nothing",
		    o->summarizer);
		goto out;
	}
	if (ctx_token_head(convo->measure.counter->tokens, out->p, out->n,
		ctx_count_room(convo->measure.counter, o->summary_tokens), &at,
		&tokens, err) < 0)
		goto out;
	out->n = at;
	rc = 0;
out:
	ctx_buf_release(&input);
	return rc;
}

static int
write_summary(struct prune *p, struct convo *convo, struct material *m,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_prune_options *o = p->options;

	if (o->summarizer != NULL) {
		if (ask(p, convo, m, out, err) == 0)
			return 0;
		if (!o->or_builtin || err->code == CTX_ENOMEM)
			return -1;
		out->n = 0;
	}
	return ctx_summary_write(m->lines, convo->measure.counter->tokens,
	    ctx_count_room(convo->measure.counter, o->summary_tokens), out,
	    err);
}

/* Makes the message of a text, and counts it as any message is counted. */
static int
make_message(struct prune *p, struct convo *convo,
    const struct ctx_dialect *dialect, const struct ctx_buf *text,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_cost cost;
	size_t used;

	p->text.n = 0;
	if (ctx_buf_add(&p->text, CTX_SUMMARY_PREFIX,
		sizeof CTX_SUMMARY_PREFIX - 1, err) < 0 ||
	    ctx_buf_add(&p->text, text->p, text->n, err) < 0 ||
	    ctx_buf_printf(&convo->ours, err, "%s", dialect->ours[0]) < 0 ||
	    ctx_text_encode(&convo->ours, p->text.p, p->text.n, err) < 0 ||
	    ctx_buf_printf(&convo->ours, err, "%s", dialect->ours[1]) < 0)
		return -1;
	if (ctx_json_scan(&p->json, convo->ours.p, convo->ours.n, &used, err) <
		0 ||
	    dialect->read(&p->json, 0, &p->view, err) < 0 ||
	    ctx_count_message(convo->measure.counter, dialect, &p->view, &cost,
		err) < 0)
		return -1;
	*tokens = cost.tokens;
	return 0;
}

/* Tokens that go, and the dialect of what goes; earlier summaries alone are
 * no reason to make another. */
static const struct ctx_dialect *
look_at_drops(const struct convo *convo, uint64_t *gone)
{
	const struct ctx_dialect *dialect = NULL;
	size_t i, j, item = 0;

	*gone = 0;
	for (i = 0; i < convo->n; i++)
		for (j = 0; j < convo->entries[i].items; j++, item++) {
			if (!(convo->plan.marks[item] & CTX_MARK_DROP))
				continue;
			*gone += convo->groups.items[item].tokens;
			if (!(convo->groups.items[item].flags &
				CTX_ITEM_SUMMARY))
				dialect = convo->entries[i].dialect;
		}
	return dialect;
}

/* Nothing goes: only the edits of the level stay marked. */
static void
take_back(struct convo *convo)
{
	size_t i;

	convo->ours.n = 0;
	for (i = 0; i < convo->groups.n; i++)
		if (convo->plan.marks[i] & CTX_MARK_DROP)
			convo->plan.marks[i] = 0;
	ctx_plan_total(&convo->plan, &convo->groups);
}

int
ctx_prune_summarize(struct prune *p, struct convo *convo,
    struct ctx_err *err)
{
	const struct ctx_dialect *dialect;
	struct material m = {0};
	struct ctx_buf text = {0};
	uint64_t gone, tokens;
	int rc = -1;

	dialect = look_at_drops(convo, &gone);
	if (dialect == NULL) {
		take_back(convo);
		return 0;
	}
	if (dialect->ours[0] == NULL)
		return ctx_err_set(err, CTX_EARG,
		    "no summary can stand in a conversation of dialect %s",
		    dialect->name);
	if (ctx_summary_open(&m.lines, err) < 0 ||
	    gather(p, convo, &m, err) < 0 ||
	    write_summary(p, convo, &m, &text, err) < 0 ||
	    make_message(p, convo, dialect, &text, &tokens, err) < 0)
		goto out;
	/* A summary that costs as much as what it stands for helps nobody. */
	if (tokens >= gone)
		take_back(convo);
	else
		convo->plan.after += tokens;
	rc = 0;
out:
	if (rc < 0)
		convo->ours.n = 0;
	ctx_summary_close(m.lines);
	ctx_buf_release(&m.text);
	ctx_buf_release(&text);
	return rc;
}
