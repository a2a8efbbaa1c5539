/*
 * finding_text.c - writes the texts of findings (violations of a rule) for the
 * user
 */
#include <string.h>

#include "check/validator.h"

/* maximum length of a name in the text of a finding (violation of a rule), in
 * bytes */
#define MAX_NAME_BYTES 40

/* Appends at most MAX_NAME_BYTES bytes of a text.  Replaces NUL bytes by
 * question marks, because the text of a finding is a C string. */
static int
append_clipped(struct ctx_validator *validator, struct ctx_str str)
{
	size_t n = str.n, i;

	if (n > MAX_NAME_BYTES)
		n = ctx_utf8_valid(str.p, MAX_NAME_BYTES, CTX_SIMD_PORTABLE);
	if (ctx_buf_add(&validator->what, str.p, n, validator->err) < 0)
		return -1;
	for (i = validator->what.n - n; i < validator->what.n; i++)
		if (validator->what.p[i] == '\0')
			validator->what.p[i] = '?';
	return n < str.n
	    ? ctx_buf_add(&validator->what, "...", 3, validator->err)
	    : 0;
}

static int
append_clipped_id(struct ctx_validator *validator, uint32_t id)
{
	struct ctx_str text;

	validator->text.n = 0;
	if (ctx_json_text(validator->message->json, id, &validator->text, &text,
		validator->err) < 0 ||
	    ctx_buf_add(&validator->what, "\"", 1, validator->err) < 0 ||
	    append_clipped(validator, text) < 0)
		return -1;
	return ctx_buf_add(&validator->what, "\"", 1, validator->err);
}

int
ctx_validate_name(struct ctx_validator *validator,
    const struct ctx_block *block)
{
	struct ctx_str tool;

	if (block->id != 0 && append_clipped_id(validator, block->id) < 0)
		return -1;
	if (block->id == 0 && block->name == 0)
		return ctx_buf_add(&validator->what, "without an id", 13,
		    validator->err);
	if (block->name == 0)
		return 0;
	validator->text.n = 0;
	if (ctx_block_tool(validator->message->json, block, &validator->text,
		&tool, validator->err) < 0 ||
	    ctx_buf_add(&validator->what, block->id != 0 ? " of " : "of ",
		block->id != 0 ? 4 : 3, validator->err) < 0)
		return -1;
	return append_clipped(validator, tool);
}

int
ctx_validate_report(struct ctx_validator *validator,
    struct ctx_finding *finding, const char *what)
{
	if (what != NULL)
		validator->what.n = 0;
	else
		what = "";
	if (ctx_buf_add(&validator->what, what, strlen(what) + 1,
		validator->err) < 0)
		return -1;
	finding->what = validator->what.p;
	return validator->on_finding(validator->user, finding, validator->err);
}

int
ctx_validate_refuse(struct ctx_validator *validator, enum ctx_rule_id id,
    const char *what)
{
	return ctx_validate_refuse_text(validator, id,
	    (struct ctx_str){NULL, 0}, what);
}

int
ctx_validate_refuse_text(struct ctx_validator *validator, enum ctx_rule_id id,
    struct ctx_str old, const char *what)
{
	struct ctx_finding finding = {.id = id,
	    .place = validator->place,
	    .old = old,
	    .replacement = {validator->replacement.n > 0
		    ? validator->replacement.p
		    : "",
		validator->replacement.n},
	    .in_request = validator->outside_messages};

	return ctx_validate_report(validator, &finding, what);
}

/* Sets validator->what to the text of a finding about a block of the message:
 * the argument what, the name of the block, and the argument tail.  Returns 0,
 * or -1 with *validator->err. */
static int
describe_block(struct ctx_validator *validator, size_t block, const char *what,
    const char *tail)
{
	const struct ctx_block *of = &validator->message->blocks[block];

	validator->what.n = 0;
	if (ctx_buf_add(&validator->what, what, strlen(what), validator->err) <
	    0)
		return -1;
	if ((of->kind == CTX_BLOCK_TOOL_CALL ||
		of->kind == CTX_BLOCK_TOOL_RESULT) &&
	    (ctx_buf_add(&validator->what, " ", 1, validator->err) < 0 ||
		ctx_validate_name(validator, of) < 0))
		return -1;
	return ctx_buf_add(&validator->what, tail, strlen(tail),
	    validator->err);
}

int
ctx_validate_refuse_edit(struct ctx_validator *validator, enum ctx_rule_id id,
    size_t block, struct ctx_str old, const char *what, const char *tail)
{
	struct ctx_finding finding = {.id = id,
	    .place = validator->place,
	    .block = block + 1,
	    .old = old};
	int rc;

	if (describe_block(validator, block, what, tail) < 0)
		return -1;
	if (old.p != NULL)
		finding.replacement = (struct ctx_str){validator->replacement.p,
		    validator->replacement.n};
	rc = ctx_validate_report(validator, &finding, NULL);
	if (rc > 0 &&
	    (ctx_rule_at(id)->remedy == CTX_FIX_REMOVE_BLOCK ||
		ctx_rule_at(id)->remedy == CTX_FIX_MOVE_RESULT))
		validator->removed_blocks[block] = true;
	return rc;
}

int
ctx_validate_refuse_block(struct ctx_validator *validator, enum ctx_rule_id id,
    size_t block, const char *what, const char *tail)
{
	return ctx_validate_refuse_edit(validator, id, block,
	    (struct ctx_str){NULL, 0}, what, tail);
}

int
ctx_validate_refuse_waiting(struct ctx_validator *validator, unsigned wait,
    enum ctx_rule_id id, const char *what)
{
	struct ctx_finding finding = {.id = id,
	    .place = validator->waiting_findings[wait].place};
	int rc;

	validator->waiting_bits &= ~(1u << wait);
	rc = ctx_validate_report(validator, &finding, what);
	if (rc > 0) {
		validator->last = validator->waiting_findings[wait].before;
		validator->waiting_findings[wait].finding.what = NULL;
	}
	return rc;
}
