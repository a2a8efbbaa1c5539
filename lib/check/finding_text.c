/*
 * finding_text.c - findings, in words
 */
#include <string.h>

#include "check/validator.h"

#define CLIP 40 /* bytes of a name that a finding shows */

/* Adds the beginning of a text; a finding is NUL ended. */
static int
clip(struct ctx_validator *judge, struct ctx_str str, struct ctx_err *err)
{
	size_t n = str.n, i;

	if (n > CLIP)
		n = ctx_utf8_valid(str.p, CLIP, CTX_SIMD_PORTABLE);
	if (ctx_buf_add(&judge->what, str.p, n, err) < 0)
		return -1;
	for (i = judge->what.n - n; i < judge->what.n; i++)
		if (judge->what.p[i] == '\0')
			judge->what.p[i] = '?';
	return n < str.n ? ctx_buf_add(&judge->what, "...", 3, err) : 0;
}

static int
clip_id(struct ctx_validator *judge, uint32_t id, struct ctx_err *err)
{
	struct ctx_str text;

	judge->text.n = 0;
	if (ctx_json_text(judge->view->json, id, &judge->text, &text, err) <
		0 ||
	    ctx_buf_add(&judge->what, "\"", 1, err) < 0 ||
	    clip(judge, text, err) < 0)
		return -1;
	return ctx_buf_add(&judge->what, "\"", 1, err);
}

int
ctx_validate_name(struct ctx_validator *judge, const struct ctx_block *part,
    struct ctx_err *err)
{
	struct ctx_str tool;

	if (part->id != 0 && clip_id(judge, part->id, err) < 0)
		return -1;
	if (part->id == 0 && part->name == 0)
		return ctx_buf_add(&judge->what, "without an id", 13, err);
	if (part->name == 0)
		return 0;
	judge->text.n = 0;
	if (ctx_block_tool(judge->view->json, part, &judge->text, &tool, err) <
		0 ||
	    ctx_buf_add(&judge->what, part->id != 0 ? " of " : "of ",
		part->id != 0 ? 4 : 3, err) < 0)
		return -1;
	return clip(judge, tool, err);
}

int
ctx_validate_tell(struct ctx_validator *judge, struct ctx_finding *finding,
    struct ctx_err *err)
{
	if (ctx_buf_add(&judge->what, "", 1, err) < 0)
		return -1;
	finding->what = judge->what.p;
	return judge->found(judge->user, finding, err);
}

int
ctx_validate_refuse(struct ctx_validator *judge, enum ctx_rule_id id,
    const char *what, struct ctx_err *err)
{
	struct ctx_finding finding = {.id = id,
	    .place = judge->place,
	    .part = CTX_NO_BLOCK};

	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	return ctx_validate_tell(judge, &finding, err);
}

int
ctx_validate_refuse_text(struct ctx_validator *judge, enum ctx_rule_id id,
    struct ctx_str old, const char *what, struct ctx_err *err)
{
	struct ctx_finding finding = {.id = id,
	    .place = judge->place,
	    .part = CTX_NO_BLOCK,
	    .old = old,
	    .with = {judge->with.n > 0 ? judge->with.p : "", judge->with.n},
	    .beside = judge->beside};

	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	return ctx_validate_tell(judge, &finding, err);
}

int
ctx_validate_refuse_edit(struct ctx_validator *judge, enum ctx_rule_id id,
    size_t part, const char *what, const char *tail, struct ctx_str old,
    const struct ctx_buf *with, struct ctx_err *err)
{
	struct ctx_finding finding = {.id = id,
	    .place = judge->place,
	    .part = part};
	const struct ctx_block *of = &judge->view->parts[part];
	int rc;

	if (with != NULL) {
		finding.old = old;
		finding.with = (struct ctx_str){with->p, with->n};
	}
	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	if ((of->kind == CTX_BLOCK_TOOL_CALL ||
		of->kind == CTX_BLOCK_TOOL_RESULT) &&
	    (ctx_buf_add(&judge->what, " ", 1, err) < 0 ||
		ctx_validate_name(judge, of, err) < 0))
		return -1;
	if (ctx_buf_add(&judge->what, tail, strlen(tail), err) < 0)
		return -1;
	rc = ctx_validate_tell(judge, &finding, err);
	if (rc > 0 && ctx_rule_at(id)->remedy == CTX_FIX_REMOVE_BLOCK)
		judge->gone[part] = true;
	return rc;
}

int
ctx_validate_refuse_part(struct ctx_validator *judge, enum ctx_rule_id id,
    size_t part, const char *what, const char *tail, struct ctx_err *err)
{
	return ctx_validate_refuse_edit(judge, id, part, what, tail,
	    (struct ctx_str){NULL, 0}, NULL, err);
}

int
ctx_validate_refuse_waiting(struct ctx_validator *judge, unsigned wait,
    enum ctx_rule_id id, const char *what, struct ctx_err *err)
{
	struct ctx_finding finding = {.id = id,
	    .place = judge->waits[wait].place,
	    .part = CTX_NO_BLOCK};
	int rc;

	judge->waiting &= ~(1u << wait);
	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	rc = ctx_validate_tell(judge, &finding, err);
	if (rc > 0) {
		judge->last = judge->waits[wait].before;
		judge->waits[wait].doubt.what = NULL;
	}
	return rc;
}
