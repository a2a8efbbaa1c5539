/*
 * tell.c - findings, in words
 */
#include <string.h>

#include "check/judge.h"

#define CLIP 40 /* bytes of a name that a finding shows */

/* Adds the beginning of a string's text; a finding is NUL ended. */
static int
clip(struct ctx_judge *judge, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = judge->view->json;
	struct ctx_str str = ctx_json_str(json, node);
	size_t n, i;

	judge->text.n = 0;
	if (json->nodes[node].kind == CTX_JSON_STRING) {
		if (ctx_text_decode(&judge->text, str, err) < 0)
			return -1;
		str = (struct ctx_str){judge->text.p, judge->text.n};
	}
	n = str.n <= CLIP ? str.n
			  : ctx_utf8_valid(str.p, CLIP, CTX_SIMD_PORTABLE);
	if (ctx_buf_add(&judge->what, str.p, n, err) < 0)
		return -1;
	for (i = judge->what.n - n; i < judge->what.n; i++)
		if (judge->what.p[i] == '\0')
			judge->what.p[i] = '?';
	return n < str.n ? ctx_buf_add(&judge->what, "...", 3, err) : 0;
}

int
ctx_judge_name(struct ctx_judge *judge, const struct ctx_part *part,
    struct ctx_err *err)
{
	if (part->id != 0 && (ctx_buf_add(&judge->what, "\"", 1, err) < 0 ||
	    clip(judge, part->id, err) < 0 ||
	    ctx_buf_add(&judge->what, "\"", 1, err) < 0))
		return -1;
	if (part->id == 0 && part->name == 0)
		return ctx_buf_add(&judge->what, "without an id", 13, err);
	if (part->name == 0)
		return 0;
	if (ctx_buf_add(&judge->what, part->id != 0 ? " of " : "of ",
		part->id != 0 ? 4 : 3, err) < 0)
		return -1;
	return clip(judge, part->name, err);
}

int
ctx_judge_tell(struct ctx_judge *judge, struct ctx_finding *finding,
    struct ctx_err *err)
{
	if (ctx_buf_add(&judge->what, "", 1, err) < 0)
		return -1;
	finding->what = judge->what.p;
	return judge->found(judge->user, finding, err);
}

int
ctx_judge_refuse(struct ctx_judge *judge, enum ctx_rule_id id, const char *what,
    struct ctx_err *err)
{
	struct ctx_finding finding = {
	    .id = id, .place = judge->place, .part = CTX_NO_PART};

	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	return ctx_judge_tell(judge, &finding, err);
}

int
ctx_judge_refuse_part(struct ctx_judge *judge, enum ctx_rule_id id, size_t part,
    const char *what, const char *tail, struct ctx_err *err)
{
	struct ctx_finding finding = {
	    .id = id, .place = judge->place, .part = part};
	const struct ctx_part *of = &judge->view->parts[part];
	int rc;

	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	if ((of->kind == CTX_PART_CALL || of->kind == CTX_PART_RESULT) &&
	    (ctx_buf_add(&judge->what, " ", 1, err) < 0 ||
		ctx_judge_name(judge, of, err) < 0))
		return -1;
	if (ctx_buf_add(&judge->what, tail, strlen(tail), err) < 0)
		return -1;
	rc = ctx_judge_tell(judge, &finding, err);
	if (rc > 0 && ctx_rule_at(id)->remedy == CTX_REMEDY_PART)
		judge->gone[part] = true;
	return rc;
}

int
ctx_judge_refuse_waiting(struct ctx_judge *judge, unsigned wait, enum ctx_rule_id id,
    const char *what, struct ctx_err *err)
{
	struct ctx_finding finding = {
	    .id = id, .place = judge->waits[wait], .part = CTX_NO_PART};
	int rc;

	judge->waiting &= ~(1u << wait);
	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	rc = ctx_judge_tell(judge, &finding, err);
	if (rc > 0) {
		judge->last = judge->held;
		judge->doubt.what = NULL;
	}
	return rc;
}
