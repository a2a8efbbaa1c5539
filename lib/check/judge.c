/*
 * judge.c - would the provider take it
 *
 * A message is looked at in three steps: the form of its parts, its calls
 * and results against the open calls, and what is left of it against its
 * neighbours.  Parts that the caller puts right by taking them out are gone
 * for the steps behind, so that what is judged is what will be sent.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check/calls.h"

#define NO_PART SIZE_MAX
#define CLIP 40 /* bytes of a name that a finding shows */

/* What only the next message settles; each is a bit of judge->waiting. */
enum { WAITS_EMPTY, WAITS_REASONING, WAITS_SYSTEM, WAITS };

int
ctx_judge_init(struct ctx_judge *judge, struct ctx_err *err)
{
	memset(judge, 0, sizeof *judge);
	judge->calls = malloc(sizeof *judge->calls);
	if (judge->calls == NULL)
		return ctx_err_nomem(err);
	if (ctx_seen_init(judge->calls, err) < 0)
		return -1;
	ctx_json_init(&judge->json, CTX_SIMD_BEST);
	return 0;
}

void
ctx_judge_release(struct ctx_judge *judge)
{
	if (judge->calls != NULL)
		ctx_seen_release(judge->calls);
	free(judge->calls);
	free(judge->gone);
	ctx_buf_release(&judge->what);
	ctx_buf_release(&judge->text);
	ctx_json_release(&judge->json);
	memset(judge, 0, sizeof *judge);
}

void
ctx_judge_begin(struct ctx_judge *judge)
{
	ctx_seen_reset(judge->calls);
	judge->rules = 0;
	judge->results = 0;
	judge->waiting = 0;
	judge->turn = 0;
	judge->before = CTX_ROLE_OTHER;
	judge->after_result = false;
	judge->text_before = false;
	judge->begun = false;
	judge->pieces = 0;
	judge->pieces_speak = false;
}

/* ---- saying it ---- */

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

/* "call_1" of read_file */
static int
add_name(struct ctx_judge *judge, const struct ctx_part *part,
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

/* Tells the caller; returns what it returns. */
static int
tell(struct ctx_judge *judge, struct ctx_finding *finding,
    struct ctx_err *err)
{
	if (ctx_buf_add(&judge->what, "", 1, err) < 0)
		return -1;
	finding->what = judge->what.p;
	return judge->found(judge->user, finding, err);
}

/* A finding about the message being judged as a whole. */
static int
refuse(struct ctx_judge *judge, enum ctx_rule_id id, const char *what,
    struct ctx_err *err)
{
	struct ctx_finding finding = {
	    .id = id, .place = judge->place, .part = NO_PART};

	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	return tell(judge, &finding, err);
}

/* A finding about a part of it: "WHAT NAME TAIL". */
static int
refuse_part(struct ctx_judge *judge, enum ctx_rule_id id, size_t part,
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
		add_name(judge, of, err) < 0))
		return -1;
	if (ctx_buf_add(&judge->what, tail, strlen(tail), err) < 0)
		return -1;
	rc = tell(judge, &finding, err);
	if (rc > 0 && ctx_rule_at(id)->remedy == CTX_REMEDY_PART)
		judge->gone[part] = true;
	return rc;
}

/* Ends the wait for what the next message should have settled. */
static int
refuse_waiting(struct ctx_judge *judge, unsigned wait, enum ctx_rule_id id,
    const char *what, struct ctx_err *err)
{
	struct ctx_finding finding = {
	    .id = id, .place = judge->waits[wait], .part = NO_PART};

	judge->waiting &= ~(1u << wait);
	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, strlen(what), err) < 0)
		return -1;
	return tell(judge, &finding, err);
}

static void
wait_for_next(struct ctx_judge *judge, unsigned wait)
{
	judge->waits[wait] = judge->place;
	judge->waiting |= 1u << wait;
}

/* ---- the form of the parts ---- */

/* Is it a string without text, or without anything but white space? */
static bool
is_empty(const struct ctx_json *json, uint32_t node, bool blank)
{
	struct ctx_str literal;
	size_t at = 1;
	uint32_t cp;

	if (node == 0 || json->nodes[node].kind != CTX_JSON_STRING)
		return false;
	literal = ctx_json_str(json, node);
	while (ctx_text_next(literal, &at, &cp))
		if (!blank || (cp != ' ' && (cp < '\t' || cp > '\r')))
			return false;
	return true;
}

/* A signature in the same block is something to say. */
static bool
says_nothing(const struct ctx_judge *judge, const struct ctx_part *part)
{
	const struct ctx_json *json = judge->view->json;
	bool blank = (judge->rules & CTX_NO_BLANK_TEXT) != 0;

	if (part->kind == CTX_PART_OPAQUE)
		return part->value == 0 && blank;
	if (part->kind != CTX_PART_TEXT ||
	    !is_empty(json, part->value, blank))
		return false;
	return part->child == 0 ||
	    (ctx_json_find(json, part->child, "thoughtSignature") == 0 &&
		ctx_json_find(json, part->child, "thought_signature") == 0);
}

/* Has reasoning what proves that it is unchanged? */
static bool
is_signed(const struct ctx_json *json, uint32_t block)
{
	static const char *const proofs[] = {"signature", "data"};
	static const char *const inner[] = {"reasoningContent",
	    "reasoningText"};
	uint32_t proof, deeper;
	bool nested = false;
	size_t i;

	for (i = 0; i < 2; i++)
		if ((deeper = ctx_json_find(json, block, inner[i])) != 0) {
			block = deeper;
			nested = true;
		}
	for (i = 0; i < 2; i++)
		if ((proof = ctx_json_find(json, block, proofs[i])) != 0)
			return !is_empty(json, proof, false);
	/* Bedrock's other models reason without a signature. */
	return nested;
}

/* 1 if the text of the string is JSON, 0 if not. */
static int
holds_json(struct ctx_judge *judge, uint32_t node, struct ctx_err *err)
{
	struct ctx_err wrong;
	size_t used;
	int rc;

	judge->text.n = 0;
	if (ctx_text_decode(&judge->text, ctx_json_str(judge->view->json, node),
		err) < 0)
		return -1;
	rc = ctx_json_scan(&judge->json, judge->text.p, judge->text.n, &used,
	    &wrong);
	if (rc < 0 && wrong.code == CTX_ENOMEM) {
		*err = wrong;
		return -1;
	}
	return rc > 0 && used == judge->text.n;
}

static int
check_arguments(struct ctx_judge *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_json *json = judge->view->json;
	uint32_t value = judge->view->parts[i].value;
	int rc;

	if (value != 0 && (judge->rules & CTX_ARGUMENTS_TEXT) &&
	    ctx_json_is(json, value - 1, "arguments")) {
		/* A call that is an item by itself may be of a type that
		 * has an object there. */
		if (json->nodes[value].kind != CTX_JSON_STRING)
			return judge->view->parts[i].parent == 0 ? 0
			    : refuse_part(judge, CTX_RULE_BAD_ARGUMENTS, i,
				  "arguments of call", " are not a string",
				  err);
		rc = holds_json(judge, value, err);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
		return refuse_part(judge, CTX_RULE_BAD_ARGUMENTS, i,
		    "arguments of call", " are not JSON", err);
	}
	/* Who asks for an id asks for arguments, too. */
	if ((judge->rules & CTX_ARGUMENTS_OBJECT) &&
	    (value == 0 ? (judge->rules & CTX_NEEDS_IDS) != 0
			: json->nodes[value].kind != CTX_JSON_OBJECT))
		return refuse_part(judge, CTX_RULE_BAD_ARGUMENTS, i,
		    "arguments of call", " are not an object", err);
	return 0;
}

static bool
is_plain(struct ctx_str literal)
{
	size_t at = 1, n = 0;
	uint32_t cp, lower;

	for (; ctx_text_next(literal, &at, &cp); n++) {
		lower = cp | 0x20;
		if (!(cp < 0x80 && lower >= 'a' && lower <= 'z') &&
		    !(cp >= '0' && cp <= '9') && cp != '_' && cp != '-')
			return false;
	}
	return n >= 1 && n <= 64;
}

static int
check_id(struct ctx_judge *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_json *json = judge->view->json;
	const struct ctx_part *part = &judge->view->parts[i];
	struct ctx_str literal;

	if (part->id == 0) {
		/* A call that is no element of a list is one of a kind. */
		if (!(judge->rules & CTX_NEEDS_IDS) || part->parent == 0 ||
		    json->nodes[part->parent].kind != CTX_JSON_ARRAY)
			return 0;
		return refuse_part(judge, CTX_RULE_BAD_ID, i, "call",
		    part->name != 0 ? " has no id" : "", err);
	}
	literal = ctx_json_str(json, part->id);
	if (json->nodes[part->id].kind != CTX_JSON_STRING)
		return refuse_part(judge, CTX_RULE_BAD_ID, i, "id of call",
		    " is not a string", err);
	if ((judge->rules & CTX_PLAIN_IDS) && !is_plain(literal))
		return refuse_part(judge, CTX_RULE_BAD_ID, i, "id of call",
		    " is not 1 to 64 of A-Z a-z 0-9 _ and -", err);
	if (literal.n == 2 && (judge->rules & CTX_NEEDS_IDS))
		return refuse_part(judge, CTX_RULE_BAD_ID, i, "id of call",
		    " is empty", err);
	if ((judge->rules & CTX_SHORT_IDS) && ctx_text_chars(literal) > 64)
		return refuse_part(judge, CTX_RULE_BAD_ID, i, "id of call",
		    " is longer than 64 characters", err);
	return 0;
}

static bool
has_body(const struct ctx_json *json, uint32_t value)
{
	if (value == 0 || json->nodes[value].kind == CTX_JSON_NULL)
		return false;
	return json->nodes[value].kind != CTX_JSON_ARRAY ||
	    ctx_json_count(json, value) > 0;
}

/* The rules that look at one part by itself. */
static int
check_part(struct ctx_judge *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_part *part = &judge->view->parts[i];
	unsigned rules = judge->rules;

	switch (part->kind) {
	case CTX_PART_CALL:
		return check_id(judge, i, err) < 0 ||
		    check_arguments(judge, i, err) < 0 ? -1 : 0;
	case CTX_PART_RESULT:
		if (!(rules & CTX_NEEDS_BODY) ||
		    has_body(judge->view->json, part->value))
			return 0;
		return refuse_part(judge, CTX_RULE_EMPTY_RESULT, i, "result",
		    " has no content", err);
	case CTX_PART_REASONING:
		if (!(rules & CTX_SIGNED) || part->child == 0 ||
		    is_signed(judge->view->json, part->child))
			return 0;
		return refuse_part(judge, CTX_RULE_CUT_REASONING, i,
		    "reasoning has no signature", "", err);
	case CTX_PART_TEXT:
		/* A text that is all there is makes the message empty. */
		if (!(rules & (CTX_NO_EMPTY_TEXT | CTX_NO_BLANK_TEXT)) ||
		    part->child == 0 || !says_nothing(judge, part))
			return 0;
		return refuse_part(judge, CTX_RULE_EMPTY_TEXT, i,
		    "a text is empty", "", err);
	default:
		return 0;
	}
}

static int
check_member(struct ctx_judge *judge, struct ctx_err *err)
{
	const struct ctx_json *json = judge->view->json;
	struct ctx_finding finding = {.id = CTX_RULE_EMPTY_TOOL_CALLS,
	    .place = judge->place, .part = NO_PART};
	static const char what[] = "tool_calls is an empty array";
	uint32_t list = ctx_json_find(json, judge->view->node, "tool_calls");

	if (list == 0 || !(judge->rules & CTX_NO_EMPTY_CALLS) ||
	    json->nodes[list].kind != CTX_JSON_ARRAY ||
	    ctx_json_count(json, list) > 0)
		return 0;
	finding.node = list - 1;
	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, sizeof what - 1, err) < 0)
		return -1;
	return tell(judge, &finding, err) < 0 ? -1 : 0;
}

static int
check_forms(struct ctx_judge *judge, struct ctx_err *err)
{
	size_t i;

	for (i = 0; i < judge->view->n; i++)
		if (judge->view->parts[i].owner == 0 &&
		    check_part(judge, i, err) < 0)
			return -1;
	return check_member(judge, err);
}

/* ---- calls and results ---- */

static int
open_call(struct ctx_judge *judge, size_t i, uint32_t ordinal,
    struct ctx_err *err)
{
	const struct ctx_part *part = &judge->view->parts[i];
	enum ctx_call_state state;
	struct ctx_call_key key;
	struct ctx_call *call;
	size_t n;

	if (ctx_call_key_of(&key, judge->view->json, part, judge->rules,
		&judge->text, err) < 0 ||
	    (call = ctx_seen_open(judge->calls, &key, &state, err)) == NULL)
		return -1;
	call->place = judge->place;
	call->ordinal = ordinal;
	judge->what.n = 0;
	if (add_name(judge, part, err) < 0)
		return -1;
	/* Longer only with "..." twice: clip keeps characters whole. */
	n = judge->what.n < sizeof call->label ? judge->what.n
					       : sizeof call->label - 1;
	memcpy(call->label, judge->what.p, n);
	call->label[n] = '\0';
	if (state == CTX_CALL_NEW ||
	    (state != CTX_CALL_OPEN && !(judge->rules & CTX_UNIQUE_IDS)))
		return 0;
	return refuse_part(judge, CTX_RULE_DUPLICATE_ID, i, "call",
	    state == CTX_CALL_OPEN ? " has the id of a call that is open"
				   : " has the id of an earlier call",
	    err);
}

static int
answer_call(struct ctx_judge *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_part *part = &judge->view->parts[i];
	enum ctx_call_state state;
	struct ctx_call_key key;

	if (ctx_call_key_of(&key, judge->view->json, part, judge->rules,
		&judge->text, err) < 0)
		return -1;
	state = ctx_seen_answer(judge->calls, &key);
	if (state == CTX_CALL_NEW)
		return refuse_part(judge, CTX_RULE_ORPHAN_RESULT, i, "result",
		    " answers no call", err);
	if (state == CTX_CALL_ANSWERED)
		return refuse_part(judge, CTX_RULE_DUPLICATE_RESULT, i,
		    "result", " is one too many", err);
	if (state == CTX_CALL_MISSED)
		return refuse_part(judge, CTX_RULE_RESULT_ORDER, i, "result",
		    " does not follow its call directly", err);
	return 0;
}

/* Calls before message number end that nothing can answer any more. */
static int
give_up(struct ctx_judge *judge, uint64_t end, struct ctx_err *err)
{
	struct ctx_finding finding = {
	    .id = CTX_RULE_ORPHAN_CALL, .part = NO_PART};
	const struct ctx_call *call;
	int rc;

	while ((call = ctx_seen_first(judge->calls)) != NULL &&
	    call->place.message < end) {
		finding.place = call->place;
		finding.call = call->ordinal;
		judge->what.n = 0;
		if (ctx_buf_printf(&judge->what, err, "call %s has no result%s",
			call->label, judge->rules & CTX_RESULTS_NEXT ?
			" right behind it" : "") < 0 ||
		    (rc = tell(judge, &finding, err)) < 0)
			return -1;
		ctx_seen_give_up(judge->calls,
		    rc > 0 ? CTX_CALL_ANSWERED : CTX_CALL_MISSED);
	}
	return 0;
}

/* Is a part of this kind left? */
static bool
has_part(const struct ctx_judge *judge, enum ctx_part_kind kind)
{
	size_t i;

	for (i = 0; i < judge->view->n; i++)
		if (judge->view->parts[i].owner == 0 && !judge->gone[i] &&
		    judge->view->parts[i].kind == kind)
			return true;
	return false;
}

/* Another message that answers the same calls. */
static int
check_together(struct ctx_judge *judge, struct ctx_err *err)
{
	const struct ctx_call *call = ctx_seen_first(judge->calls);
	bool split = (judge->rules & CTX_RESULTS_TOGETHER) && call != NULL &&
	    judge->view->role != CTX_ROLE_ASSISTANT &&
	    judge->results > call->place.message + 1;

	if (judge->view->role != CTX_ROLE_ASSISTANT)
		judge->results = judge->place.message + 1;
	if (!split)
		return 0;
	return refuse(judge, CTX_RULE_SPLIT_RESULTS,
	    "the message before holds results of the same calls", err) < 0
	    ? -1 : 0;
}

/* In order: a message may hold a call and, behind it, its result. */
static int
check_pairs(struct ctx_judge *judge, struct ctx_err *err)
{
	const struct ctx_view *view = judge->view;
	uint32_t ordinal = 0;
	int rc = 0;
	size_t i;

	if (has_part(judge, CTX_PART_RESULT) && check_together(judge, err) < 0)
		return -1;
	for (i = 0; i < view->n && rc >= 0; i++) {
		if (view->parts[i].kind == CTX_PART_CALL)
			rc = open_call(judge, i, ordinal++, err);
		else if (view->parts[i].kind == CTX_PART_RESULT)
			rc = answer_call(judge, i, err);
	}
	return rc < 0 ? -1 : 0;
}

/* ---- the message among its neighbours ---- */

/* Parts left; *spoken says that there is something beside reasoning. */
static size_t
count_parts(const struct ctx_judge *judge, bool *spoken)
{
	const struct ctx_view *view = judge->view;
	size_t i, n = 0;

	*spoken = false;
	for (i = 0; i < view->n; i++) {
		if (view->parts[i].owner != 0 || judge->gone[i] ||
		    says_nothing(judge, &view->parts[i]))
			continue;
		n++;
		if (view->parts[i].kind != CTX_PART_REASONING)
			*spoken = true;
	}
	return n;
}

/* Has a part of the message gone? */
static bool
has_gone(const struct ctx_judge *judge)
{
	size_t i;

	for (i = 0; i < judge->view->n; i++)
		if (judge->gone[i])
			return true;
	return false;
}

/* A message of empty texts: is that legal, or have findings said so? */
static bool
may_be_mute(const struct ctx_judge *judge)
{
	const struct ctx_view *view = judge->view;
	size_t i;

	if (!(judge->rules & (CTX_NO_EMPTY_TEXT | CTX_NO_BLANK_TEXT)))
		return view->n > 0 && view->role != CTX_ROLE_ASSISTANT;
	for (i = 0; i < view->n; i++)
		if (view->parts[i].kind == CTX_PART_TEXT &&
		    view->parts[i].child != 0)
			return true;
	return false;
}

/* May what the assistant reasoned have led to the message behind it? */
static bool
may_lead(const struct ctx_judge *judge)
{
	return (judge->rules & CTX_REASONING_LEADS) ||
	    ((judge->rules & CTX_JOINS_ANSWERS) &&
		(judge->rules & CTX_MUST_SPEAK));
}

/*
 * Does the message say something?  Sets judge->dropped; *wait is what only
 * the next message tells, WAITS if nothing.
 */
static int
check_content(struct ctx_judge *judge, unsigned *wait, struct ctx_err *err)
{
	bool spoken, assistant = judge->view->role == CTX_ROLE_ASSISTANT;
	size_t n = count_parts(judge, &spoken);
	int rc = 0;

	*wait = WAITS;
	/* What is written down in pieces is judged with the last of them. */
	if (judge->view->flags & CTX_VIEW_CONTINUES) {
		n += judge->pieces;
		spoken |= judge->pieces_speak;
	}
	judge->pieces = 0;
	judge->pieces_speak = false;
	if (judge->view->flags & CTX_VIEW_MORE) {
		judge->pieces = n;
		judge->pieces_speak = spoken;
		return 0;
	}
	if (n == 0 && has_gone(judge))
		rc = 1;
	else if (n == 0 && assistant && judge->view->n == 0 &&
	    (judge->rules & CTX_LAST_MAY_BE_EMPTY))
		*wait = WAITS_EMPTY;
	else if (n == 0 && !may_be_mute(judge))
		rc = refuse(judge, CTX_RULE_EMPTY_MESSAGE,
		    "the message says nothing", err);
	else if (n > 0 && !spoken && assistant && may_lead(judge))
		*wait = WAITS_REASONING;
	else if (n > 0 && !spoken && assistant &&
	    (judge->rules & CTX_MUST_SPEAK))
		rc = refuse(judge, CTX_RULE_REASONING_ONLY,
		    "the assistant reasons, and says and calls nothing", err);
	judge->dropped = rc > 0;
	return rc < 0 ? -1 : 0;
}

static int
refuse_reasoning(struct ctx_judge *judge, const char *what,
    struct ctx_err *err)
{
	return refuse_waiting(judge, WAITS_REASONING,
	    judge->rules & CTX_REASONING_LEADS ? CTX_RULE_LONE_REASONING
					       : CTX_RULE_REASONING_ONLY,
	    what, err);
}

/* What the message before waited for. */
static int
check_waiting(struct ctx_judge *judge, struct ctx_err *err)
{
	bool assistant = judge->view->role == CTX_ROLE_ASSISTANT;
	bool system = judge->view->role == CTX_ROLE_SYSTEM;

	if ((judge->waiting & 1u << WAITS_EMPTY) &&
	    refuse_waiting(judge, WAITS_EMPTY, CTX_RULE_EMPTY_MESSAGE,
		"the message says nothing and is not the last", err) < 0)
		return -1;
	if ((judge->waiting & 1u << WAITS_REASONING) && !assistant &&
	    refuse_reasoning(judge, "no item of the assistant follows",
		err) < 0)
		return -1;
	if ((judge->waiting & 1u << WAITS_SYSTEM) && !assistant && !system &&
	    refuse_waiting(judge, WAITS_SYSTEM, CTX_RULE_SYSTEM_PLACE,
		"the assistant must be next", err) < 0)
		return -1;
	judge->waiting = 0;
	return 0;
}

/* Does the message become the system prompt that stands elsewhere? */
static bool
is_prompt(const struct ctx_judge *judge)
{
	return judge->view->role == CTX_ROLE_SYSTEM && !judge->begun &&
	    (judge->rules & CTX_LIFTS_SYSTEM);
}

static int
check_role(struct ctx_judge *judge, struct ctx_err *err)
{
	static const struct {
		enum ctx_role role;
		unsigned rule;
		const char *what;
	} roles[] = {
	    {CTX_ROLE_OTHER, CTX_KNOWN_ROLES, "the role is unknown"},
	    {CTX_ROLE_SYSTEM, CTX_NO_SYSTEM,
		"a system prompt is no message here"},
	    {CTX_ROLE_TOOL, CTX_NO_TOOL_ROLE,
		"results are a user's message here"},
	};
	size_t i;

	if (is_prompt(judge))
		return 0;
	for (i = 0; i < sizeof roles / sizeof roles[0]; i++)
		if (judge->view->role == roles[i].role &&
		    (judge->rules & roles[i].rule) &&
		    refuse(judge, CTX_RULE_BAD_ROLE, roles[i].what, err) < 0)
			return -1;
	return 0;
}

static bool
is_users(enum ctx_role role)
{
	return role == CTX_ROLE_USER || role == CTX_ROLE_TOOL;
}

static int
check_system(struct ctx_judge *judge, struct ctx_err *err)
{
	if (!(judge->rules & CTX_SYSTEM_BETWEEN) || is_prompt(judge))
		return 0;
	wait_for_next(judge, WAITS_SYSTEM);
	if (is_users(judge->before) || judge->after_result)
		return 0;
	return refuse(judge, CTX_RULE_SYSTEM_PLACE,
	    "a user's message must stand before it", err) < 0 ? -1 : 0;
}

/* Who speaks after whom; messages of the system stand beside that. */
static int
check_speaker(struct ctx_judge *judge, struct ctx_err *err)
{
	enum ctx_role role = judge->view->role, before = judge->before;
	bool begun = judge->begun;

	judge->begun = true;
	if (!begun) {
		if (!(judge->rules & CTX_FIRST_USER) || is_users(role))
			return 0;
		return refuse(judge, CTX_RULE_FIRST_MESSAGE,
		    "the conversation does not begin with the user", err);
	}
	/* Results that are messages of their own become one, translated, and
	 * so do the pieces of an answer; those beside their call become a
	 * message that stands between. */
	if (!(judge->rules & CTX_ALTERNATES) ||
	    is_users(role) != is_users(before) ||
	    (judge->view->flags & CTX_VIEW_CONTINUES) ||
	    (role == CTX_ROLE_ASSISTANT &&
		(judge->after_result ||
		    (judge->rules & CTX_JOINS_ANSWERS))) ||
	    (role == CTX_ROLE_TOOL && before == CTX_ROLE_TOOL &&
		!(judge->rules & CTX_RESULTS_TOGETHER)))
		return 0;
	return refuse(judge, CTX_RULE_ALTERNATION, is_users(role)
	    ? "the user's side speaks twice in a row"
	    : "the assistant speaks twice in a row", err);
}

/* Neighbours of the user's side are one turn to those who ask for this. */
static int
check_first_results(struct ctx_judge *judge, struct ctx_err *err)
{
	bool text = is_users(judge->before) && judge->text_before;
	const struct ctx_view *view = judge->view;
	size_t i;

	for (i = 0; i < view->n; i++) {
		if (view->parts[i].owner != 0 || judge->gone[i])
			continue;
		if (view->parts[i].kind != CTX_PART_RESULT)
			text = true;
		else if (text && (judge->rules & CTX_RESULTS_FIRST) &&
		    refuse_part(judge, CTX_RULE_RESULTS_FIRST, i, "result",
			" stands behind other content", err) < 0)
			return -1;
	}
	judge->text_before = text;
	return 0;
}

static bool
ends_in_result(const struct ctx_judge *judge)
{
	const struct ctx_view *view = judge->view;
	size_t i = view->n;

	while (i > 0 && (judge->gone[i - 1] || view->parts[i - 1].owner != 0))
		i--;
	return i > 0 && view->parts[i - 1].kind == CTX_PART_RESULT;
}

/* Begins a turn behind what the message answers: has a person written
 * something in it? */
static void
begin_turn(struct ctx_judge *judge)
{
	const struct ctx_view *view = judge->view;
	size_t i;

	if (view->role != CTX_ROLE_USER || (view->flags & CTX_VIEW_META))
		return;
	if (!has_part(judge, CTX_PART_RESULT))
		judge->turn = judge->place.message;
	/* A turn by itself may also call. */
	if (view->flags & CTX_VIEW_TURN)
		return;
	for (i = 0; i < view->n; i++)
		if (view->parts[i].owner == 0 && view->parts[i].value != 0 &&
		    view->parts[i].kind != CTX_PART_RESULT) {
			ctx_seen_expire(judge->calls);
			return;
		}
}

static int
check_place(struct ctx_judge *judge, struct ctx_err *err)
{
	enum ctx_role role = judge->view->role;

	if (check_role(judge, err) < 0)
		return -1;
	if (role == CTX_ROLE_SYSTEM)
		return check_system(judge, err);
	if (check_speaker(judge, err) < 0 ||
	    (is_users(role) && check_first_results(judge, err) < 0))
		return -1;
	begin_turn(judge);
	judge->after_result = ends_in_result(judge);
	judge->before = role;
	return 0;
}

/* ---- messages ---- */

static int
prepare(struct ctx_judge *judge, const struct ctx_view *view,
    struct ctx_err *err)
{
	bool *gone = ctx_grow(judge->gone, &judge->gone_cap, view->n + 1,
	    sizeof *gone, err);

	if (gone == NULL)
		return -1;
	judge->gone = gone;
	memset(gone, 0, view->n + 1);
	judge->dropped = false;
	judge->view = view;
	return 0;
}

int
ctx_judge_message(struct ctx_judge *judge, unsigned rules,
    const struct ctx_view *view, const struct ctx_place *place,
    struct ctx_err *err)
{
	unsigned wait;
	bool results;

	if (prepare(judge, view, err) < 0)
		return -1;
	if (view->flags & CTX_VIEW_HIDDEN)
		return 0;
	judge->rules = rules;
	judge->place = *place;
	if (check_forms(judge, err) < 0)
		return -1;
	results = has_part(judge, CTX_PART_RESULT);
	if (results && check_pairs(judge, err) < 0)
		return -1;
	if (check_content(judge, &wait, err) < 0)
		return -1;
	if (judge->dropped)
		return 0;
	if (check_waiting(judge, err) < 0)
		return -1;
	if (wait < WAITS)
		wait_for_next(judge, wait);
	/* Somebody else speaks: what is still open stays so. */
	if ((rules & CTX_RESULTS_NEXT) &&
	    !has_part(judge, CTX_PART_RESULT) &&
	    !((rules & CTX_MERGES) && view->role == judge->before) &&
	    give_up(judge, place->message, err) < 0)
		return -1;
	if (!results && check_pairs(judge, err) < 0)
		return -1;
	return check_place(judge, err);
}

int
ctx_judge_end(struct ctx_judge *judge, bool allow_pending,
    struct ctx_err *err)
{
	struct ctx_finding finding = {.id = CTX_RULE_LAST_MESSAGE,
	    .place = judge->place, .part = NO_PART};
	static const char what[] = "the user's side must speak last";

	if (judge->waiting & 1u << WAITS_REASONING &&
	    refuse_reasoning(judge, "nothing follows", err) < 0)
		return -1;
	judge->waiting = 0;
	if (give_up(judge, allow_pending ? judge->turn : UINT64_MAX, err) < 0)
		return -1;
	if (!(judge->rules & CTX_LAST_USER) || !judge->begun ||
	    is_users(judge->before) || judge->after_result)
		return 0;
	judge->what.n = 0;
	if (ctx_buf_add(&judge->what, what, sizeof what - 1, err) < 0)
		return -1;
	return tell(judge, &finding, err) < 0 ? -1 : 0;
}

uint64_t
ctx_judge_settled(const struct ctx_judge *judge)
{
	const struct ctx_call *call = ctx_seen_first(judge->calls);
	uint64_t settled = UINT64_MAX;
	unsigned i;

	if (call != NULL)
		settled = call->place.message;
	for (i = 0; i < WAITS; i++)
		if ((judge->waiting & 1u << i) &&
		    judge->waits[i].message < settled)
			settled = judge->waits[i].message;
	return settled;
}
