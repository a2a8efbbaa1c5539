/*
 * validator.c - would the provider take it
 *
 * A message is looked at in three steps: the form of its parts, its calls
 * and results against the open calls, and what is left of it against its
 * neighbours.  Parts that the caller puts right by taking them out are gone
 * for the steps behind, so that what is judged is what will be sent.
 */
#include <stdlib.h>
#include <string.h>

#include "check/image_rules.h"
#include "check/tool_call_log.h"
#include "check/validator.h"
#include "group/open_tool_calls.h"

int
ctx_validator_init(struct ctx_validator *judge, struct ctx_err *err)
{
	memset(judge, 0, sizeof *judge);
	judge->calls = malloc(sizeof *judge->calls);
	if (judge->calls == NULL)
		return ctx_err_nomem(err);
	if (ctx_tool_call_log_init(judge->calls, err) < 0)
		return -1;
	ctx_json_init(&judge->json, CTX_SIMD_BEST);
	return 0;
}

void
ctx_validator_release(struct ctx_validator *judge)
{
	if (judge->calls != NULL)
		ctx_tool_call_log_release(judge->calls);
	free(judge->calls);
	free(judge->gone);
	free(judge->leading);
	free(judge->marks);
	free(judge->images);
	ctx_buf_release(&judge->what);
	ctx_buf_release(&judge->text);
	ctx_buf_release(&judge->with);
	ctx_buf_release(&judge->spare);
	ctx_json_release(&judge->json);
	memset(judge, 0, sizeof *judge);
}

void
ctx_validator_begin(struct ctx_validator *judge)
{
	ctx_tool_call_log_reset(judge->calls);
	judge->rules = 0;
	judge->results = judge->spoken = judge->late = 0;
	judge->waiting = 0;
	judge->n_leading = 0;
	judge->turn = 0;
	judge->n_marks = judge->n_images = 0;
	judge->request_json = NULL;
	judge->counted = 0;
	judge->tooled = false;
	judge->unanswered = judge->elsewhere = judge->going = false;
	judge->over = false;
	judge->heard = judge->said = 0;
	judge->last = (struct ctx_last_seen){.role = CTX_ROLE_OTHER};
	memset(judge->waits, 0, sizeof judge->waits);
	judge->pieces = 0;
	judge->pieces_speak = false;
}

/* ---- calls and results ---- */

/* The message before, but for one that says nothing and will go. */
static enum ctx_role
role_before(const struct ctx_validator *judge)
{
	return judge->waiting & 1u << CTX_WAITS_EMPTY
	    ? judge->waits[CTX_WAITS_EMPTY].before.role
	    : judge->last.role;
}

/* True if the message is one with that before it, to the provider. */
static bool
is_one(const struct ctx_validator *judge)
{
	return (judge->rules & CTX_ONE_MESSAGE) &&
	    judge->view->role == role_before(judge);
}

/* True if that is so, or both are items of one answer. */
static bool
goes_on(const struct ctx_validator *judge)
{
	return is_one(judge) ||
	    ((judge->rules & CTX_JOINS_ANSWERS) &&
		judge->view->role == CTX_ROLE_ASSISTANT &&
		role_before(judge) == CTX_ROLE_ASSISTANT);
}

/* A call at place has the id of another that is open. */
static int
refuse_double(struct ctx_validator *judge, const struct ctx_call *call,
    const struct ctx_place *place, struct ctx_err *err)
{
	struct ctx_finding finding = {.id = CTX_RULE_DUPLICATE_ID,
	    .place = *place,
	    .part = CTX_NO_BLOCK};

	judge->what.n = 0;
	if (ctx_buf_printf(&judge->what, err,
		"a call has the id of call %s, which is open", call->label) < 0)
		return -1;
	return ctx_validate_tell(judge, &finding, err);
}

/* Two open calls have the same id.  Those of two messages may get results
 * between them; so much is known once the first is closed. */
static int
open_double(struct ctx_validator *judge, struct ctx_call *same,
    const struct ctx_call *call, struct ctx_err *err)
{
	if (call->shared)
		return refuse_double(judge, same, &judge->place, err);
	same->doubled = true;
	same->again = judge->place;
	return 0;
}

/* Does the message stand between earlier calls and their results?  Where the
 * assistant's has results, they are of its own calls. */
static bool
parts_results(const struct ctx_validator *judge)
{
	enum ctx_role role = judge->view->role;

	if ((judge->rules & CTX_RESULTS_BY_USER) &&
	    (role == CTX_ROLE_USER || role == CTX_ROLE_SYSTEM))
		return true;
	return (judge->rules & CTX_RESULTS_NEXT) && !goes_on(judge) &&
	    (role == CTX_ROLE_ASSISTANT ||
		!ctx_validate_has(judge, CTX_BLOCK_TOOL_RESULT));
}

/* True if a message of the user's side holds more than results. */
static bool
speaks(const struct ctx_validator *judge)
{
	const struct ctx_message *view = judge->view;
	size_t i;

	if (view->role != CTX_ROLE_USER && view->role != CTX_ROLE_TOOL)
		return false;
	for (i = 0; i < view->n; i++)
		if (view->parts[i].owner == 0 && !judge->gone[i] &&
		    view->parts[i].kind != CTX_BLOCK_TOOL_RESULT)
			return true;
	return false;
}

/*
 * True if the message, or the end, closes an open call without a result.
 * Anthropic runs its own tools after those of the client: their calls stay open
 * until a turn holds more than results (pydantic-ai,
 * test_unpaired_native_tool_calls.py, August 2026).  A turn that was paused
 * ends in such a call.  The AI SDK waits for calls that it has asked the user
 * about.
 */
static bool
closes(const struct ctx_validator *judge, const struct ctx_call *call)
{
	if (judge->over)
		return !call->theirs ||
		    ((judge->rules & CTX_RESULTS_NEXT) &&
			(call->resumed + 1 < judge->said ||
			    call->resumed < judge->answer));
	return !(judge->rules & CTX_RESULTS_BY_USER) ||
	    (!call->theirs && !call->asked);
}

/* Notes an open call; *state is what its id was before, and if that is OPEN
 * *same the newest call of it.  NULL with *err. */
static struct ctx_call *
note_call(struct ctx_validator *judge, const struct ctx_block *part,
    enum ctx_call_state *state, struct ctx_call **same, struct ctx_err *err)
{
	struct ctx_call_key key;
	struct ctx_call *call;
	size_t n;

	if (ctx_call_key_of(&key, judge->view->json, part, judge->rules,
		&judge->text, err) < 0 ||
	    (call = ctx_tool_call_log_open(judge->calls, &key, state, same,
		 err)) == NULL)
		return NULL;
	call->theirs = part->theirs;
	call->asked = part->whole && !part->theirs;
	call->place = judge->place;
	call->resumed = judge->place.message;
	judge->what.n = 0;
	if (ctx_validate_name(judge, part, err) < 0)
		return NULL;
	/* Longer only with "..." twice: clip keeps characters whole. */
	n = judge->what.n < sizeof call->label ? judge->what.n
					       : sizeof call->label - 1;
	memcpy(call->label, judge->what.p, n);
	call->label[n] = '\0';
	return call;
}

/* The program that made a call runs: it is there, and has not ended.  Of one
 * that was given up that is told. */
static int
check_caller(struct ctx_validator *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_block *part = &judge->view->parts[i];
	struct ctx_call_key key;
	struct ctx_call *call;

	if (!(judge->rules & CTX_NAMES_CALLERS) || part->caller == 0)
		return 0;
	if (ctx_caller_key_of(&key, judge->view->json, part, &judge->text,
		err) < 0)
		return -1;
	call = key.id.p == NULL ? NULL
				: ctx_tool_call_log_find(judge->calls, &key);
	if (call == NULL &&
	    ctx_tool_call_log_state(judge->calls, &key) == CTX_CALL_MISSED)
		return 0;
	if (call == NULL)
		return ctx_validate_refuse_part(judge, CTX_RULE_ORPHAN_CALLER,
		    i, "call", " was made by a program that does not run", err);
	call->runs = true;
	return 0;
}

static int
open_call(struct ctx_validator *judge, size_t i, uint32_t ordinal,
    struct ctx_err *err)
{
	enum ctx_call_state state;
	struct ctx_call *call, *same;
	bool here;

	if (check_caller(judge, i, err) < 0 ||
	    (call = note_call(judge, &judge->view->parts[i], &state, &same,
		 err)) == NULL)
		return -1;
	call->ordinal = ordinal;
	if (state == CTX_CALL_OPEN) {
		here = same->place.message == judge->place.message;
		/* What is given up behind this is not open any more. */
		if (!here && parts_results(judge))
			return 0;
		if (here || is_one(judge))
			same->shared = call->shared = true;
	}
	return state == CTX_CALL_OPEN ? open_double(judge, same, call, err) : 0;
}

/* A call gets its result: has somebody spoken since? */
static void
note_late(struct ctx_validator *judge, const struct ctx_call *call)
{
	if (judge->spoken <= call->place.message + 1)
		return;
	if (judge->late == 0 || call->place.message < judge->late_from)
		judge->late_from = call->place.message;
	judge->late = judge->spoken;
}

static int
answer_call(struct ctx_validator *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_block *part = &judge->view->parts[i];
	const struct ctx_call *call;
	enum ctx_call_state state;
	struct ctx_call_key key;
	int rc = 0;

	if (ctx_call_key_of(&key, judge->view->json, part, judge->rules,
		&judge->text, err) < 0)
		return -1;
	state = ctx_tool_call_log_answer(judge->calls, &key, part->more, &call);
	if (state == CTX_CALL_OPEN && call->doubled &&
	    refuse_double(judge, call, &call->again, err) < 0)
		return -1;
	/* Does an earlier message hold results of the same calls? */
	if (state == CTX_CALL_OPEN)
		note_late(judge, call);
	judge->split |= state == CTX_CALL_OPEN &&
	    (judge->rules & CTX_ASKS_TOGETHER) &&
	    judge->results > call->resumed + 1;
	judge->going |= part->more && key.id.p == NULL && state != CTX_CALL_NEW;
	if (state == CTX_CALL_NEW && !judge->elsewhere &&
	    !(judge->going && key.id.p == NULL))
		rc = ctx_validate_refuse_part(judge, CTX_RULE_ORPHAN_RESULT, i,
		    "result", " answers no call", err);
	else if (state == CTX_CALL_ANSWERED)
		rc = ctx_validate_refuse_part(judge, CTX_RULE_DUPLICATE_RESULT,
		    i, "result", " is one too many", err);
	else if (state == CTX_CALL_MISSED)
		rc = ctx_validate_refuse_part(judge, CTX_RULE_RESULT_ORDER, i,
		    "result", " does not follow its call directly", err);
	/* What has gone needs no content. */
	return rc != 0 ? rc : ctx_validate_body(judge, i, err);
}

/* The caller has put a result before what comes now. */
static void
come_after_result(struct ctx_validator *judge)
{
	judge->last.role = CTX_ROLE_TOOL;
	judge->last.in_result = true;
	judge->last.text = false;
}

/* A call whose program calls again in this message waits on for its result
 * behind the results of these calls, unless the user has spoken since. */
static int
resume(struct ctx_validator *judge, struct ctx_err *err)
{
	const struct ctx_message *view = judge->view;
	struct ctx_call_key key;
	struct ctx_call *call;
	size_t i;

	for (i = 0; i < view->n; i++) {
		if (view->parts[i].caller == 0)
			continue;
		if (ctx_caller_key_of(&key, view->json, &view->parts[i],
			&judge->text, err) < 0)
			return -1;
		call = key.id.p == NULL
		    ? NULL
		    : ctx_tool_call_log_find(judge->calls, &key);
		if (call != NULL && call->resumed + 1 >= judge->said)
			call->resumed = judge->place.message;
	}
	return 0;
}

/* What a program gave may come in any message of the assistant's next answer,
 * where those in a row are one. */
static bool
may_end(const struct ctx_validator *judge, const struct ctx_call *call,
    uint64_t end)
{
	return call->runs && (judge->rules & CTX_ONE_MESSAGE) &&
	    end == judge->place.message &&
	    judge->view->role == CTX_ROLE_ASSISTANT &&
	    call->resumed >= judge->answer;
}

/* Would a result of ours go to an older call, as it names none?  To one that
 * has none, or to one whose own stands behind ours: where those of a turn are
 * one message, those that have ids; and those that came late. */
static bool
is_ambiguous(const struct ctx_validator *judge, const struct ctx_call *call)
{
	uint64_t message = call->place.message;

	if (call->has_id || !(judge->rules & CTX_PAIR_BY_NAME))
		return false;
	if (judge->rules & CTX_RESULTS_TOGETHER)
		return judge->unanswered ||
		    judge->calls->given_up < call->older;
	return judge->unanswered ||
	    (judge->late > message + 1 && judge->late_from <= message);
}

/* Calls before message number end that nothing can answer any more. */
static int
give_up(struct ctx_validator *judge, uint64_t end, struct ctx_err *err)
{
	struct ctx_finding finding = {.id = CTX_RULE_ORPHAN_CALL,
	    .part = CTX_NO_BLOCK};
	struct ctx_call *call, *next;
	int rc;

	for (call = ctx_tool_call_log_since(judge->calls,
		 judge->over ? 0 : judge->heard);
	     call != NULL && call->place.message < end; call = next) {
		next = ctx_tool_call_log_next(judge->calls, call);
		if (call->resumed >= end || may_end(judge, call, end) ||
		    !closes(judge, call))
			continue;
		finding.place = call->place;
		finding.call = call->ordinal;
		finding.shared = call->shared || is_ambiguous(judge, call);
		finding.doubled = call->doubled;
		judge->what.n = 0;
		if (ctx_buf_printf(&judge->what, err, "call %s has no result%s",
			call->label,
			judge->rules & CTX_RESULTS_NEXT ? " right behind it"
							: "") < 0 ||
		    (rc = ctx_validate_tell(judge, &finding, err)) < 0 ||
		    (rc == 0 && call->doubled &&
			refuse_double(judge, call, &call->again, err) < 0))
			return -1;
		if (rc == 2)
			come_after_result(judge);
		judge->unanswered |= rc == 0;
		ctx_tool_call_log_abandon(judge->calls, call,
		    rc > 0 ? CTX_CALL_ANSWERED : CTX_CALL_MISSED);
	}
	return 0;
}

/* Gives up the calls that the message closes.  Calls that wait on for the user
 * are looked at once. */
static int
close_calls(struct ctx_validator *judge, struct ctx_err *err)
{
	if (speaks(judge))
		judge->said = judge->place.message + 1;
	if (!parts_results(judge))
		return 0;
	if (give_up(judge, judge->place.message, err) < 0)
		return -1;
	if (judge->rules & CTX_RESULTS_BY_USER)
		judge->heard = judge->place.message;
	return 0;
}

/* In order: a message may hold a call and, behind it, its result. */
static int
check_pairs(struct ctx_validator *judge, struct ctx_err *err)
{
	const struct ctx_message *view = judge->view;
	uint32_t ordinal = 0;
	int rc = 0;
	size_t i;

	judge->split = false;
	for (i = 0; i < view->n && rc >= 0; i++) {
		judge->tooled |= view->parts[i].kind == CTX_BLOCK_TOOL_CALL;
		if (view->parts[i].kind == CTX_BLOCK_TOOL_CALL)
			rc = open_call(judge, i, ordinal++, err);
		else if (view->parts[i].kind == CTX_BLOCK_TOOL_RESULT)
			rc = answer_call(judge, i, err);
	}
	if (rc < 0 || view->role == CTX_ROLE_ASSISTANT ||
	    !ctx_validate_has(judge, CTX_BLOCK_TOOL_RESULT))
		return rc < 0 ? -1 : 0;
	judge->results = judge->place.message + 1;
	return judge->split &&
		ctx_validate_refuse(judge, CTX_RULE_SPLIT_RESULTS,
		    "the message before holds results of the same calls",
		    err) < 0
	    ? -1
	    : 0;
}

/* ---- messages ---- */

static int
prepare(struct ctx_validator *judge, const struct ctx_message *view,
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
ctx_validator_add(struct ctx_validator *judge, uint64_t rules,
    const struct ctx_message *view, const struct ctx_place *place,
    struct ctx_err *err)
{
	unsigned wait;
	bool results;

	if (prepare(judge, view, err) < 0)
		return -1;
	if (view->flags & CTX_MESSAGE_HIDDEN)
		return 0;
	judge->rules = rules;
	judge->place = *place;
	judge->elsewhere |= (view->flags & CTX_MESSAGE_REMOTE_STATE) != 0;
	if (ctx_validate_forms(judge, err) < 0 ||
	    ctx_validate_markers(judge, err) < 0 ||
	    ctx_validate_images(judge, err) < 0)
		return -1;
	results = ctx_validate_has(judge, CTX_BLOCK_TOOL_RESULT);
	/* The answer is over in which programs could end. */
	if ((rules & CTX_ONE_MESSAGE) && view->role != CTX_ROLE_ASSISTANT &&
	    give_up(judge, judge->answer, err) < 0)
		return -1;
	if (results && check_pairs(judge, err) < 0)
		return -1;
	if (ctx_validate_content(judge, &wait, err) < 0)
		return -1;
	if (judge->dropped)
		return 0;
	if (ctx_validate_waiting(judge, wait, err) < 0 ||
	    (wait < CTX_WAITS && ctx_validate_wait(judge, wait, err) < 0))
		return -1;
	/* What is the last, or goes, stands between nothing. */
	if (wait == CTX_WAITS_EMPTY)
		return ctx_validate_place(judge, err);
	/* Somebody else speaks: what is still open stays so. */
	if (resume(judge, err) < 0 || close_calls(judge, err) < 0)
		return -1;
	if (view->role == CTX_ROLE_ASSISTANT && !goes_on(judge))
		judge->answer = place->message;
	if (!results && check_pairs(judge, err) < 0)
		return -1;
	if (!results)
		judge->spoken = place->message + 1;
	return ctx_validate_place(judge, err);
}

/* What of the calls that may stay open is wrong anyway. */
static int
leave_open(struct ctx_validator *judge, struct ctx_err *err)
{
	struct ctx_call *call;

	while ((call = ctx_tool_call_log_first(judge->calls)) != NULL) {
		if (call->doubled &&
		    refuse_double(judge, call, &call->again, err) < 0)
			return -1;
		ctx_tool_call_log_abandon(judge->calls, call, CTX_CALL_MISSED);
	}
	return 0;
}

int
ctx_validator_end(struct ctx_validator *judge, bool allow_pending,
    struct ctx_err *err)
{
	judge->over = true;
	return ctx_validate_still_waiting(judge, err) < 0 ||
		give_up(judge, allow_pending ? judge->turn : UINT64_MAX, err) <
		    0 ||
		leave_open(judge, err) < 0
	    ? -1
	    : ctx_last_seen(judge, err);
}

uint64_t
ctx_validator_settled(const struct ctx_validator *judge)
{
	const struct ctx_call *call = ctx_tool_call_log_first(judge->calls);
	uint64_t settled = UINT64_MAX;
	unsigned i;

	if (call != NULL)
		settled = call->place.message;
	if (judge->n_marks > 0 && judge->marks[0].place.message < settled)
		settled = judge->marks[0].place.message;
	if (judge->n_images > 0 && judge->images[0].place.message < settled)
		settled = judge->images[0].place.message;
	for (i = 0; i < CTX_WAITS; i++)
		if ((judge->waiting & 1u << i) &&
		    judge->waits[i].place.message < settled)
			settled = judge->waits[i].place.message;
	return settled;
}
