/*
 * sequence_rules.c - what is left of a message, among its neighbours
 */
#include <string.h>

#include "check/tool_call_log.h"
#include "check/validator.h"

/* What waits for these may have to go. */
#define LEAVES (1u << CTX_WAITS_EMPTY | 1u << CTX_WAITS_REASONING)

/* Parts left; *spoken says that there is something beside reasoning. */
static size_t
count_parts(const struct ctx_validator *judge, bool *spoken)
{
	const struct ctx_message *view = judge->view;
	size_t i, n = 0;

	*spoken = false;
	for (i = 0; i < view->n; i++) {
		if (view->parts[i].owner != 0 || judge->gone[i] ||
		    ctx_validate_says_nothing(judge, &view->parts[i]))
			continue;
		n++;
		if (view->parts[i].kind != CTX_BLOCK_REASONING)
			*spoken = true;
	}
	return n;
}

/* Has a part of the message gone? */
static bool
has_gone(const struct ctx_validator *judge)
{
	size_t i;

	for (i = 0; i < judge->view->n; i++)
		if (judge->gone[i])
			return true;
	return false;
}

/* A message of empty texts: is that legal, or have findings said so?  OpenAI
 * takes texts without a character (llm, pydantic-ai, 2025 and 2026). */
static bool
may_be_mute(const struct ctx_validator *judge)
{
	const struct ctx_message *view = judge->view;
	size_t i;

	if (!(judge->rules & CTX_NO_BLANK_TEXT))
		return view->n > 0;
	for (i = 0; i < view->n; i++)
		if (view->parts[i].kind == CTX_BLOCK_TEXT &&
		    view->parts[i].child != 0)
			return true;
	return false;
}

/* May what the assistant reasoned have led to the message behind it? */
static bool
may_lead(const struct ctx_validator *judge)
{
	return (judge->rules & CTX_REASONING_LEADS) ||
	    ((judge->rules & CTX_JOINS_ANSWERS) &&
		(judge->rules & CTX_MUST_SPEAK));
}

int
ctx_validate_content(struct ctx_validator *judge, unsigned *wait,
    struct ctx_err *err)
{
	bool spoken, assistant = judge->view->role == CTX_ROLE_ASSISTANT;
	size_t n = count_parts(judge, &spoken);
	int rc = 0;

	*wait = CTX_WAITS;
	/* What is written down in pieces is judged with the last of them. */
	if (judge->view->flags & CTX_MESSAGE_CONTINUES) {
		n += judge->pieces;
		spoken |= judge->pieces_speak;
	}
	/* What stands for a past says more than is written down. */
	if (judge->view->flags & CTX_MESSAGE_PINNED) {
		n++;
		spoken = true;
	}
	judge->pieces = 0;
	judge->pieces_speak = false;
	if (judge->view->flags & CTX_MESSAGE_IS_CONTINUED) {
		judge->pieces = n;
		judge->pieces_speak = spoken;
		return 0;
	}
	if (n == 0 && has_gone(judge))
		rc = 1;
	else if (n == 0 && assistant && judge->view->n == 0 &&
	    (judge->rules & CTX_LAST_MAY_BE_EMPTY))
		*wait = CTX_WAITS_EMPTY;
	else if (n == 0 && !may_be_mute(judge))
		rc = ctx_validate_refuse(judge, CTX_RULE_EMPTY_MESSAGE,
		    "the message says nothing", err);
	else if (n > 0 && !spoken && assistant && may_lead(judge))
		*wait = CTX_WAITS_REASONING;
	else if (n > 0 && !spoken && assistant &&
	    (judge->rules & CTX_MUST_SPEAK))
		rc = ctx_validate_refuse(judge, CTX_RULE_REASONING_ONLY,
		    "the assistant reasons, and says and calls nothing", err);
	judge->dropped = rc > 0;
	return rc < 0 ? -1 : 0;
}

static int
refuse_reasoning(struct ctx_validator *judge, const char *what,
    struct ctx_err *err)
{
	enum ctx_rule_id id = judge->rules & CTX_REASONING_LEADS
	    ? CTX_RULE_LONE_REASONING
	    : CTX_RULE_REASONING_ONLY;
	size_t i;
	int rc;

	for (i = 0; i < judge->n_leading; i++) {
		judge->waits[CTX_WAITS_REASONING].place = judge->leading[i];
		rc = ctx_validate_refuse_waiting(judge, CTX_WAITS_REASONING, id,
		    what, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			judge->waiting &= ~(1u << CTX_WAITS_SYSTEM);
	}
	judge->n_leading = 0;
	return 0;
}

/* True if the message is reasoning with an id of OpenAI's. */
static bool
is_named(const struct ctx_validator *judge)
{
	const struct ctx_json *json = judge->view->json;
	uint32_t id = ctx_json_find(json, judge->view->node, "id");

	return id != 0 && json->nodes[id].kind == CTX_JSON_STRING &&
	    strncmp(ctx_json_str(json, id).p, "\"rs_", 4) == 0;
}

int
ctx_validate_wait(struct ctx_validator *judge, unsigned wait,
    struct ctx_err *err)
{
	struct ctx_place *grown;

	if (wait != CTX_WAITS_REASONING || judge->n_leading == 0)
		judge->waits[wait].before = judge->last;
	if (wait == CTX_WAITS_REASONING) {
		grown = ctx_grow(judge->leading, &judge->leading_cap,
		    judge->n_leading + 1, sizeof *grown, err);
		if (grown == NULL)
			return -1;
		judge->leading = grown;
		judge->leading[judge->n_leading++] = judge->place;
		judge->named = is_named(judge);
		/* The first of a row is what has waited longest. */
		if (judge->n_leading > 1)
			return 0;
	}
	judge->waits[wait].place = judge->place;
	judge->waiting |= 1u << wait;
	return 0;
}

/* A finding about the place of a message, which if that waits is told once it
 * is sure that it stays. */
static int
refuse_place(struct ctx_validator *judge, enum ctx_rule_id id, const char *what,
    struct ctx_err *err)
{
	unsigned wait = judge->waiting & 1u << CTX_WAITS_EMPTY
	    ? CTX_WAITS_EMPTY
	    : CTX_WAITS_REASONING;

	if ((judge->waiting & LEAVES) == 0)
		return ctx_validate_refuse(judge, id, what, err) < 0 ? -1 : 0;
	judge->waits[wait].doubt = (struct ctx_finding){.id = id,
	    .place = judge->place,
	    .what = what,
	    .part = CTX_NO_BLOCK};
	return 0;
}

/* Tells those about what waits no more. */
static int
end_doubts(struct ctx_validator *judge, struct ctx_err *err)
{
	struct ctx_finding finding;
	unsigned wait;

	for (wait = CTX_WAITS; wait-- > 0;) {
		finding = judge->waits[wait].doubt;
		if (finding.what == NULL || (judge->waiting & 1u << wait))
			continue;
		judge->waits[wait].doubt.what = NULL;
		judge->what.n = 0;
		if (ctx_buf_add(&judge->what, finding.what,
			strlen(finding.what), err) < 0 ||
		    ctx_validate_tell(judge, &finding, err) < 0)
			return -1;
	}
	return 0;
}

/* What waited as it said nothing is not the last.  If it stays, so does the
 * assistant behind a message of the system. */
static int
end_empty(struct ctx_validator *judge, struct ctx_err *err)
{
	int rc;

	if (!(judge->waiting & 1u << CTX_WAITS_EMPTY))
		return 0;
	rc = ctx_validate_refuse_waiting(judge, CTX_WAITS_EMPTY,
	    CTX_RULE_EMPTY_MESSAGE,
	    "the message says nothing and is not the last", err);
	if (rc == 0)
		judge->waiting &= ~(1u << CTX_WAITS_SYSTEM);
	return rc < 0 ? -1 : 0;
}

/*
 * True if the message has no id and follows reasoning that has one: OpenAI does
 * not find that message (pydantic-ai,
 * test_openai_responses_thinking_with_modified_history, September 2025).  It
 * takes calls without ids there, and DeepSeek takes messages after its own ids.
 */
static bool
lacks_id(const struct ctx_validator *judge)
{
	const struct ctx_message *view = judge->view;

	return judge->named && (judge->rules & CTX_REASONING_LEADS) &&
	    ctx_json_find(view->json, view->node, "role") != 0 &&
	    ctx_json_find(view->json, view->node, "id") == 0;
}

int
ctx_validate_waiting(struct ctx_validator *judge, unsigned wait,
    struct ctx_err *err)
{
	bool assistant = judge->view->role == CTX_ROLE_ASSISTANT;
	bool system = judge->view->role == CTX_ROLE_SYSTEM;

	if (end_empty(judge, err) < 0)
		return -1;
	if ((judge->waiting & 1u << CTX_WAITS_REASONING) && !assistant &&
	    refuse_reasoning(judge, "no item of the assistant follows", err) <
		0)
		return -1;
	if ((judge->waiting & 1u << CTX_WAITS_REASONING) && lacks_id(judge) &&
	    refuse_reasoning(judge, "the message that follows has no id", err) <
		0)
		return -1;
	if ((judge->waiting & 1u << CTX_WAITS_SYSTEM) && !assistant &&
	    !system &&
	    ctx_validate_refuse_waiting(judge, CTX_WAITS_SYSTEM,
		CTX_RULE_SYSTEM_PLACE, "the assistant must be next", err) < 0)
		return -1;
	/* Reasoning after reasoning waits with it, and what stands before what
	 * may have to go waits on. */
	if (wait != CTX_WAITS_REASONING && wait != CTX_WAITS_EMPTY) {
		judge->n_leading = 0;
		judge->waiting = 0;
	}
	return end_doubts(judge, err);
}

int
ctx_validate_still_waiting(struct ctx_validator *judge, struct ctx_err *err)
{
	bool empty = (judge->waiting & 1u << CTX_WAITS_EMPTY) != 0;
	struct ctx_last_seen last = judge->last;

	/* The last, which says nothing, is nothing that reasoning led to. */
	if ((judge->waiting & 1u << CTX_WAITS_REASONING) &&
	    refuse_reasoning(judge, "nothing follows", err) < 0)
		return -1;
	if (empty)
		judge->last = last;
	judge->waiting = 0;
	return end_doubts(judge, err);
}

/* Does the message become the system prompt that stands elsewhere? */
static bool
is_prompt(const struct ctx_validator *judge)
{
	return judge->view->role == CTX_ROLE_SYSTEM && !judge->last.begun &&
	    (judge->rules & CTX_LIFTS_SYSTEM);
}

static int
check_role(struct ctx_validator *judge, struct ctx_err *err)
{
	static const struct {
		enum ctx_role role;
		uint64_t rule;
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
		    ctx_validate_refuse(judge, CTX_RULE_BAD_ROLE, roles[i].what,
			err) < 0)
			return -1;
	return 0;
}

static bool
is_users(enum ctx_role role)
{
	return role == CTX_ROLE_USER || role == CTX_ROLE_TOOL;
}

static int
check_system(struct ctx_validator *judge, struct ctx_err *err)
{
	if (!(judge->rules & CTX_SYSTEM_BETWEEN) || is_prompt(judge))
		return 0;
	if (ctx_validate_wait(judge, CTX_WAITS_SYSTEM, err) < 0)
		return -1;
	if (is_users(judge->last.role) || judge->last.in_result)
		return 0;
	return ctx_validate_refuse(judge, CTX_RULE_SYSTEM_PLACE,
		   "a user's message must stand before it", err) < 0
	    ? -1
	    : 0;
}

/* Who speaks after whom; messages of the system stand beside that. */
static int
check_speaker(struct ctx_validator *judge, struct ctx_err *err)
{
	enum ctx_role role = judge->view->role, before = judge->last.role;
	bool begun = judge->last.begun;

	judge->last.begun = true;
	if (!begun) {
		if (!(judge->rules & CTX_ASKS_FIRST) || is_users(role))
			return 0;
		return refuse_place(judge, CTX_RULE_FIRST_MESSAGE,
		    "the conversation does not begin with the user", err);
	}
	if ((judge->rules & CTX_ANSWERS_RESULTS) && role == CTX_ROLE_USER &&
	    before == CTX_ROLE_TOOL &&
	    refuse_place(judge, CTX_RULE_USER_AFTER_RESULT,
		"the user speaks right after a result", err) < 0)
		return -1;
	/* Results that are messages of their own become one, translated, and
	 * so do the pieces of an answer; those beside their call become a
	 * message that stands between. */
	if (!(judge->rules & CTX_ASKS_TURNS) ||
	    is_users(role) != is_users(before) ||
	    (judge->view->flags & CTX_MESSAGE_CONTINUES) ||
	    (role == CTX_ROLE_ASSISTANT &&
		(judge->last.in_result ||
		    (judge->rules & CTX_JOINS_ANSWERS))) ||
	    (role == CTX_ROLE_TOOL && before == CTX_ROLE_TOOL &&
		!(judge->rules & CTX_RESULTS_TOGETHER)))
		return 0;
	return refuse_place(judge, CTX_RULE_ALTERNATION,
	    is_users(role) ? "the user's side speaks twice in a row"
			   : "the assistant speaks twice in a row",
	    err);
}

/* Neighbours of the user's side are one turn to those who ask for this. */
static int
check_first_results(struct ctx_validator *judge, struct ctx_err *err)
{
	bool text = is_users(judge->last.role) && judge->last.text;
	const struct ctx_message *view = judge->view;
	size_t i;

	for (i = 0; i < view->n; i++) {
		if (view->parts[i].owner != 0 || judge->gone[i])
			continue;
		if (view->parts[i].kind != CTX_BLOCK_TOOL_RESULT)
			text = true;
		else if (text && (judge->rules & CTX_RESULTS_FIRST) &&
		    ctx_validate_refuse_part(judge, CTX_RULE_RESULTS_FIRST, i,
			"result", " stands behind other content", err) < 0)
			return -1;
	}
	judge->last.text = text;
	return 0;
}

static bool
ends_in_result(const struct ctx_validator *judge)
{
	const struct ctx_message *view = judge->view;
	size_t i = view->n;

	while (i > 0 && (judge->gone[i - 1] || view->parts[i - 1].owner != 0))
		i--;
	return i > 0 && view->parts[i - 1].kind == CTX_BLOCK_TOOL_RESULT;
}

/* Begins a turn behind what the message answers: has a person written
 * something in it? */
static void
begin_turn(struct ctx_validator *judge)
{
	const struct ctx_message *view = judge->view;
	size_t i;

	if (view->role != CTX_ROLE_USER || (view->flags & CTX_MESSAGE_META))
		return;
	if (!ctx_validate_has(judge, CTX_BLOCK_TOOL_RESULT))
		judge->turn = judge->place.message;
	/* What calls is answered behind it. */
	if (ctx_validate_has(judge, CTX_BLOCK_TOOL_CALL))
		return;
	for (i = 0; i < view->n; i++)
		if (view->parts[i].owner == 0 && view->parts[i].value != 0 &&
		    view->parts[i].kind != CTX_BLOCK_TOOL_RESULT) {
			ctx_tool_call_log_expire(judge->calls);
			return;
		}
}

int
ctx_validate_place(struct ctx_validator *judge, struct ctx_err *err)
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
	judge->last.in_result = ends_in_result(judge);
	judge->last.role = role;
	return 0;
}

int
ctx_last_seen(struct ctx_validator *judge, struct ctx_err *err)
{
	if (!(judge->rules & CTX_LAST_USER) || !judge->last.begun ||
	    is_users(judge->last.role) || judge->last.in_result)
		return 0;
	return ctx_validate_refuse(judge, CTX_RULE_LAST_MESSAGE,
		   "the user's side must speak last", err) < 0
	    ? -1
	    : 0;
}
