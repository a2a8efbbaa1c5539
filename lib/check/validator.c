/*
 * validator.c - checks whether the provider would accept a conversation
 *
 * A message is checked in three steps.  First each block alone.  Then tool
 * calls and results: results are matched with open calls (calls without a
 * result).  Then the place of the message in the conversation.  Later steps
 * ignore blocks that a repair has removed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/validator.h"

int
ctx_validator_init(struct ctx_validator *validator, struct ctx_err *err)
{
	memset(validator, 0, sizeof *validator);
	validator->log = malloc(sizeof *validator->log);
	if (validator->log == NULL)
		return ctx_err_nomem(err);
	return ctx_tool_call_log_init(validator->log, err);
}

void
ctx_validator_release(struct ctx_validator *validator)
{
	if (validator->log != NULL)
		ctx_tool_call_log_release(validator->log);
	free(validator->log);
	free(validator->removed_blocks);
	free(validator->open_reasoning);
	free(validator->unsigned_calls);
	free(validator->breakpoints);
	free(validator->images);
	ctx_buf_release(&validator->what);
	ctx_buf_release(&validator->text);
	ctx_buf_release(&validator->replacement);
	ctx_buf_release(&validator->spare);
	ctx_coded_value_release(&validator->arguments);
	ctx_node_index_release(&validator->schemas);
	ctx_intern_release(&validator->members);
	ctx_intern_release(&validator->items);
	memset(validator, 0, sizeof *validator);
}

void
ctx_validator_begin(struct ctx_validator *validator)
{
	ctx_tool_call_log_reset(validator->log);
	validator->rules = 0;
	validator->last_results = validator->last_speech =
	    validator->late_after = 0;
	validator->waiting_bits = 0;
	validator->newest_turn = validator->images_left = 0;
	validator->n_breakpoints = validator->n_images = 0;
	validator->n_open_reasoning = validator->n_unsigned_calls = 0;
	validator->has_short_breakpoint = false;
	validator->request_json = NULL;
	ctx_node_index_reset(&validator->schemas);
	ctx_intern_reset(&validator->items);
	validator->has_tool_calls = validator->ended = false;
	validator->unanswered = validator->unnamed_continues = false;
	validator->has_remote_state = validator->continued_speaks = false;
	validator->open_until_user = validator->newest_user_text = 0;
	validator->last = (struct ctx_last_seen){.role = CTX_ROLE_OTHER};
	memset(validator->waiting_findings, 0,
	    sizeof validator->waiting_findings);
	validator->continued_blocks = 0;
}

/* ---- calls and results ---- */

/* Returns the role of the last message that is not removed. */
static enum ctx_role
get_previous_role(const struct ctx_validator *validator)
{
	return validator->waiting_bits & 1u << CTX_WAITS_EMPTY
	    ? validator->waiting_findings[CTX_WAITS_EMPTY].before.role
	    : validator->last.role;
}

static bool
continues_message(const struct ctx_validator *validator)
{
	return (validator->rules & CTX_ONE_MESSAGE) &&
	    validator->message->role == get_previous_role(validator);
}

/* Returns true if this message and the message before it are one answer of the
 * assistant: the provider merges them, or they are items of one response. */
static bool
is_same_answer(const struct ctx_validator *validator)
{
	return continues_message(validator) ||
	    ((validator->rules & CTX_JOINS_ANSWERS) &&
		validator->message->role == CTX_ROLE_ASSISTANT &&
		get_previous_role(validator) == CTX_ROLE_ASSISTANT);
}

/* Reports that two tool calls without a result have the same id. */
static int
refuse_duplicate_id(struct ctx_validator *validator,
    const struct ctx_call *call, const struct ctx_place *place)
{
	struct ctx_finding finding = {.id = CTX_RULE_DUPLICATE_ID,
	    .place = *place};
	char what[sizeof call->label + 64];

	(void)snprintf(what, sizeof what,
	    "two tool calls without a result have the same id: %s",
	    call->label);
	return ctx_validate_report(validator, &finding, what);
}

/* Handles two open tool calls (calls without a result) with the same id.  If
 * both calls are in the same message (shared), reports this now.  Otherwise a
 * repair may insert a result between the calls, so this is reported later: when
 * the older call has got a result, or cannot get a result any more. */
static int
record_duplicate_id(struct ctx_validator *validator, struct ctx_call *same,
    const struct ctx_call *call)
{
	if (call->shared)
		return refuse_duplicate_id(validator, same, &validator->place);
	same->doubled = true;
	same->again = validator->place;
	return 0;
}

/* Returns true if the results of earlier tool calls must come before this
 * message.  Results inside an assistant message belong to the calls of that
 * message. */
static bool
is_between_results(const struct ctx_validator *validator)
{
	enum ctx_role role = validator->message->role;

	if ((validator->rules & CTX_RESULTS_BY_USER) &&
	    (role == CTX_ROLE_USER || role == CTX_ROLE_SYSTEM))
		return true;
	return (validator->rules & CTX_RESULTS_NEXT) &&
	    !is_same_answer(validator) &&
	    (role == CTX_ROLE_ASSISTANT ||
		!ctx_validate_has(validator, CTX_BLOCK_TOOL_RESULT));
}

/* Returns true if a user or tool message contains anything besides tool
 * results. */
static bool
has_user_content(const struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	size_t i;

	if (message->role != CTX_ROLE_USER && message->role != CTX_ROLE_TOOL)
		return false;
	for (i = 0; i < message->n; i++)
		if (message->blocks[i].result_index == 0 &&
		    !validator->removed_blocks[i] &&
		    message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT)
			return true;
	return false;
}

/* Returns true if an open tool call (without a result) cannot get a result any
 * more, because of this message or, if validator->ended is true, because the
 * conversation has ended.  Anthropic runs its own tools after those of the
 * client.  So a call of Anthropic's tools may lack a result until a user
 * message has content other than results (pydantic-ai,
 * test_unpaired_native_tool_calls.py, August 2026), or at the end of a turn
 * that was paused.  In the AI SDK, a call that the user must approve may lack a
 * result. */
static bool
is_call_closed(const struct ctx_validator *validator,
    const struct ctx_call *call)
{
	if (validator->ended)
		return !call->provider_runs ||
		    ((validator->rules & CTX_RESULTS_NEXT) &&
			(call->resumed + 1 < validator->newest_user_text ||
			    call->resumed < validator->newest_answer));
	return !(validator->rules & CTX_RESULTS_BY_USER) ||
	    (!call->provider_runs && !call->asked);
}

/* Adds a tool call without a result to the log; see ctx_tool_call_log_open. */
static struct ctx_call *
record_open_call(struct ctx_validator *validator, const struct ctx_block *block,
    enum ctx_call_state *state, struct ctx_call **same)
{
	struct ctx_call_key key;
	struct ctx_call *call;
	size_t n;

	if (ctx_call_key_of(&key, validator->message->json, block,
		validator->rules, &validator->text, validator->err) < 0 ||
	    (call = ctx_tool_call_log_open(validator->log, &key, state, same,
		 validator->err)) == NULL)
		return NULL;
	call->provider_runs = block->provider_runs;
	call->asked = block->no_truncate && !block->provider_runs;
	call->place = validator->place;
	call->resumed = validator->place.message;
	validator->what.n = 0;
	if (ctx_validate_name(validator, block) < 0)
		return NULL;
	/* label: the id and the name of the call, shortened to fit into the
	 * array. */
	n = validator->what.n < sizeof call->label ? validator->what.n
						   : sizeof call->label - 1;
	memcpy(call->label, validator->what.p, n);
	call->label[n] = '\0';
	return call;
}

/* Checks a tool call that was made by a program, which another tool call runs.
 * The first call must contain the id of the other call, which must not have a
 * result yet.  Reports nothing if ctx has already reported that the other call
 * never got a result. */
static int
check_caller(struct ctx_validator *validator, size_t i)
{
	const struct ctx_block *block = &validator->message->blocks[i];
	struct ctx_call_key key;
	struct ctx_call *call;

	if (!(validator->rules & CTX_NAMES_CALLERS) || block->caller == 0)
		return 0;
	if (ctx_caller_key_of(&key, validator->message->json, block,
		&validator->text, validator->err) < 0)
		return -1;
	call = key.id.p == NULL ? NULL
				: ctx_tool_call_log_find(validator->log, &key);
	if (call == NULL &&
	    ctx_tool_call_log_state(validator->log, &key) == CTX_CALL_MISSED)
		return 0;
	if (call == NULL)
		return ctx_validate_refuse_block(validator,
		    CTX_RULE_ORPHAN_CALLER, i, "tool call",
		    " was made by a program that is not running");
	call->runs = true;
	return 0;
}

static int
open_call(struct ctx_validator *validator, size_t i, uint32_t ordinal)
{
	enum ctx_call_state state;
	struct ctx_call *call, *same;
	bool here;

	if (check_caller(validator, i) < 0 ||
	    (call = record_open_call(validator, &validator->message->blocks[i],
		 &state, &same)) == NULL)
		return -1;
	call->ordinal = ordinal;
	if (state == CTX_CALL_OPEN) {
		here = same->place.message == validator->place.message;
		/* An older call has the same id. close_calls gives up the older
		 * call before results of the new call are read. */
		if (!here && is_between_results(validator))
			return 0;
		if (here || continues_message(validator))
			same->shared = call->shared = true;
	}
	return state == CTX_CALL_OPEN
	    ? record_duplicate_id(validator, same, call)
	    : 0;
}

/* Notes down if a tool result is late: if a message without results is between
 * the result's tool call and this message. */
static void
record_late_result(struct ctx_validator *validator, const struct ctx_call *call)
{
	if (validator->last_speech <= call->place.message + 1)
		return;
	if (validator->late_after == 0 ||
	    call->place.message < validator->late_call)
		validator->late_call = call->place.message;
	validator->late_after = validator->last_speech;
}

static int
answer_call(struct ctx_validator *validator, size_t i)
{
	const struct ctx_block *block = &validator->message->blocks[i];
	const struct ctx_call *call;
	enum ctx_call_state state;
	struct ctx_call_key key;
	int rc = 0;

	if (ctx_call_key_of(&key, validator->message->json, block,
		validator->rules, &validator->text, validator->err) < 0)
		return -1;
	state = ctx_tool_call_log_answer(validator->log, &key,
	    block->is_partial, &call);
	if (state == CTX_CALL_OPEN && call->doubled &&
	    refuse_duplicate_id(validator, call, &call->again) < 0)
		return -1;
	if (state == CTX_CALL_OPEN)
		record_late_result(validator, call);
	validator->results_split |= state == CTX_CALL_OPEN &&
	    (validator->rules & CTX_ASKS_TOGETHER) &&
	    validator->last_results > call->resumed + 1;
	validator->unnamed_continues |=
	    block->is_partial && key.id.p == NULL && state != CTX_CALL_NEW;
	if (state == CTX_CALL_NEW && !validator->has_remote_state &&
	    !(validator->unnamed_continues && key.id.p == NULL))
		rc =
		    ctx_validate_refuse_block(validator, CTX_RULE_ORPHAN_RESULT,
			i, "tool result", " has no tool call");
	else if (state == CTX_CALL_ANSWERED)
		rc = ctx_validate_refuse_block(validator,
		    CTX_RULE_DUPLICATE_RESULT, i, "tool result",
		    " is not the first for its tool call");
	else if (state == CTX_CALL_MISSED || state == CTX_CALL_FILLED)
		rc = ctx_validate_refuse_block(validator, CTX_RULE_RESULT_ORDER,
		    i, "tool result", " is not next to its tool call");
	/* If a repair has removed the result, its content is not checked. */
	return rc != 0 ? rc : ctx_validate_body(validator, i);
}

static void
record_inserted_result(struct ctx_validator *validator)
{
	validator->last.role = CTX_ROLE_TOOL;
	validator->last.in_result = true;
	validator->last.has_user_text = false;
}

/* The result of a program comes after the results of the tool calls that the
 * program makes.  So if a program makes a call in this message, the program's
 * own result may come later, unless the user wrote after the program's last
 * call. */
static int
resume_callers(struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	struct ctx_call_key key;
	struct ctx_call *call;
	size_t i;

	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].caller == 0)
			continue;
		if (ctx_caller_key_of(&key, message->json, &message->blocks[i],
			&validator->text, validator->err) < 0)
			return -1;
		call = key.id.p == NULL
		    ? NULL
		    : ctx_tool_call_log_find(validator->log, &key);
		if (call != NULL &&
		    call->resumed + 1 >= validator->newest_user_text)
			call->resumed = validator->place.message;
	}
	return 0;
}

/* Returns true if the result of a tool call that runs a program may come in a
 * later message, because the provider merges adjacent assistant messages. */
static bool
may_result_come_later(const struct ctx_validator *validator,
    const struct ctx_call *call, uint64_t end)
{
	return call->runs && (validator->rules & CTX_ONE_MESSAGE) &&
	    end == validator->place.message &&
	    validator->message->role == CTX_ROLE_ASSISTANT &&
	    call->resumed >= validator->newest_answer;
}

/* This call has no id.  Returns true if a result that is inserted for this call
 * could be taken as the result of an older call without a result. */
static bool
is_ambiguous(const struct ctx_validator *validator, const struct ctx_call *call)
{
	uint64_t message = call->place.message;

	if (call->has_id || !(validator->rules & CTX_PAIR_BY_NAME))
		return false;
	if (validator->rules & CTX_RESULTS_TOGETHER)
		return validator->unanswered ||
		    validator->log->given_up < call->older;
	return validator->unanswered ||
	    (validator->late_after > message + 1 &&
		validator->late_call <= message);
}

/* Reports and gives up the tool calls that cannot get a result any more, in all
 * messages with an index below end. */
static int
refuse_unanswered_calls(struct ctx_validator *validator, uint64_t end)
{
	struct ctx_finding finding = {.id = CTX_RULE_ORPHAN_CALL};
	struct ctx_call *call, *next;
	char what[sizeof call->label + 64];
	int rc;

	for (call = ctx_tool_call_log_since(validator->log,
		 validator->ended ? 0 : validator->open_until_user);
	     call != NULL && call->place.message < end; call = next) {
		next = ctx_tool_call_log_next(validator->log, call);
		if (call->resumed >= end ||
		    may_result_come_later(validator, call, end) ||
		    !is_call_closed(validator, call))
			continue;
		finding.place = call->place;
		finding.call = call->ordinal;
		finding.shared = call->shared || is_ambiguous(validator, call);
		finding.doubled = call->doubled;
		(void)snprintf(what, sizeof what,
		    "tool call %s has no result%s", call->label,
		    validator->rules & CTX_RESULTS_NEXT ? " directly after it"
							: "");
		rc = ctx_validate_report(validator, &finding, what);
		if (rc < 0 ||
		    (rc == 0 && call->doubled &&
			refuse_duplicate_id(validator, call, &call->again) < 0))
			return -1;
		if (rc == 2)
			record_inserted_result(validator);
		validator->unanswered |= rc == 0;
		ctx_tool_call_log_abandon(validator->log, call,
		    rc > 0 ? CTX_CALL_FILLED : CTX_CALL_MISSED);
	}
	return 0;
}

/* Reports and gives up the tool calls whose results should have come before
 * this message.  Calls that may lack a result until the user writes are
 * examined only when the user writes. */
static int
close_calls(struct ctx_validator *validator)
{
	if (has_user_content(validator))
		validator->newest_user_text = validator->place.message + 1;
	if (!is_between_results(validator))
		return 0;
	if (refuse_unanswered_calls(validator, validator->place.message) < 0)
		return -1;
	if (validator->rules & CTX_RESULTS_BY_USER)
		validator->open_until_user = validator->place.message;
	return 0;
}

/* Checks the tool calls and tool results of a message in the order of its
 * blocks, because one message may have both. */
static int
check_pairs(struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	uint32_t ordinal = 0;
	int rc = 0;
	size_t i;

	validator->results_split = false;
	for (i = 0; i < message->n && rc >= 0; i++) {
		validator->has_tool_calls |=
		    message->blocks[i].kind == CTX_BLOCK_TOOL_CALL;
		if (message->blocks[i].kind == CTX_BLOCK_TOOL_CALL)
			rc = open_call(validator, i, ordinal++);
		else if (message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT)
			rc = answer_call(validator, i);
	}
	if (rc < 0 || message->role == CTX_ROLE_ASSISTANT ||
	    !ctx_validate_has(validator, CTX_BLOCK_TOOL_RESULT))
		return rc;
	validator->last_results = validator->place.message + 1;
	if (!validator->results_split)
		return 0;
	return ctx_validate_refuse(validator, CTX_RULE_SPLIT_RESULTS,
	    "the message before has results of the same tool calls");
}

/* ---- messages ---- */

static int
prepare_message(struct ctx_validator *validator,
    const struct ctx_message *message)
{
	if (CTX_GROW(validator->removed_blocks, validator->removed_blocks_cap,
		message->n + 1, validator->err) < 0)
		return -1;
	memset(validator->removed_blocks, 0, message->n + 1);
	validator->removed = false;
	validator->message = message;
	return 0;
}

int
ctx_validator_add(struct ctx_validator *validator, uint64_t rules,
    const struct ctx_message *message, const struct ctx_place *place,
    struct ctx_err *err)
{
	unsigned wait;
	bool results;

	validator->err = err;
	if (prepare_message(validator, message) < 0)
		return -1;
	if ((message->flags & CTX_MESSAGE_HIDDEN) ||
	    ((message->flags & CTX_MESSAGE_ATTACHMENT) &&
		ctx_tool_call_log_first(validator->log) != NULL))
		return 0;
	validator->rules = rules;
	validator->place = *place;
	validator->has_remote_state |=
	    (message->flags & CTX_MESSAGE_REMOTE_STATE) != 0;
	if (ctx_validate_forms(validator) < 0 ||
	    ctx_validate_members(validator) < 0 ||
	    ctx_validate_places(validator) < 0 ||
	    ctx_validate_markers(validator) < 0 ||
	    ctx_validate_images(validator) < 0)
		return -1;
	results = ctx_validate_has(validator, CTX_BLOCK_TOOL_RESULT);
	/* The assistant's answer has ended.  Before its end, all tool calls
	 * that run programs must have a result. */
	if ((rules & CTX_ONE_MESSAGE) && message->role != CTX_ROLE_ASSISTANT &&
	    refuse_unanswered_calls(validator, validator->newest_answer) < 0)
		return -1;
	if (results && check_pairs(validator) < 0)
		return -1;
	if (ctx_validate_content(validator, &wait) < 0)
		return -1;
	if (validator->removed)
		return 0;
	if (ctx_validate_waiting(validator, wait) < 0 ||
	    (wait < CTX_WAITS && ctx_validate_wait(validator, wait) < 0))
		return -1;
	/* A message without content is the last message, or a repair removes
	 * this message.  So this message does not end the wait for tool
	 * results. */
	if (wait == CTX_WAITS_EMPTY)
		return ctx_validate_place(validator);
	if (resume_callers(validator) < 0 || close_calls(validator) < 0)
		return -1;
	if (message->role == CTX_ROLE_ASSISTANT && !is_same_answer(validator))
		validator->newest_answer = place->message;
	if ((!results && check_pairs(validator) < 0) ||
	    ctx_validate_signature(validator) < 0)
		return -1;
	if (!results)
		validator->last_speech = place->message + 1;
	return ctx_validate_place(validator);
}

/* Called at the end of the conversation.  Gives up all tool calls that have no
 * result, and reports the calls that have the same id as a later call. */
static int
refuse_open_duplicates(struct ctx_validator *validator)
{
	struct ctx_call *call;

	while ((call = ctx_tool_call_log_first(validator->log)) != NULL) {
		if (call->doubled &&
		    refuse_duplicate_id(validator, call, &call->again) < 0)
			return -1;
		ctx_tool_call_log_abandon(validator->log, call,
		    CTX_CALL_MISSED);
	}
	return 0;
}

int
ctx_validator_end(struct ctx_validator *validator, bool allow_pending,
    struct ctx_err *err)
{
	validator->err = err;
	validator->ended = true;
	if (ctx_validate_still_waiting(validator) < 0 ||
	    refuse_unanswered_calls(validator,
		allow_pending ? validator->newest_turn : UINT64_MAX) < 0 ||
	    refuse_open_duplicates(validator) < 0 ||
	    ctx_validate_unsigned_calls(validator) < 0)
		return -1;
	return ctx_last_seen(validator) < 0 ? -1 : 0;
}

uint64_t
ctx_validator_first_undecided(const struct ctx_validator *validator)
{
	const struct ctx_call *call = ctx_tool_call_log_first(validator->log);
	uint64_t first = UINT64_MAX;
	unsigned i;

	if (call != NULL)
		first = call->place.message;
	if (validator->n_breakpoints > 0 &&
	    validator->breakpoints[0].place.message < first)
		first = validator->breakpoints[0].place.message;
	if (validator->n_images > 0 &&
	    validator->images[0].place.message < first)
		first = validator->images[0].place.message;
	for (i = 0; i < CTX_WAITS; i++)
		if ((validator->waiting_bits & 1u << i) &&
		    validator->waiting_findings[i].place.message < first)
			first = validator->waiting_findings[i].place.message;
	return first;
}
