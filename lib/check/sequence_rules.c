/* sequence_rules.c - checks that each message has content, and that its role is
 * allowed at its place */
#include <string.h>

#include "check/validator.h"

/* Kinds of stored findings (violations of rules), as bits, for which a repair
 * would remove the message.  While such a finding is stored, findings about the
 * order of messages are stored, too, because they are certain only if the
 * message is not removed. */
#define LEAVES (1u << CTX_WAITS_EMPTY | 1u << CTX_WAITS_REASONING)

/* Returns the number of blocks with content that no repair has removed from a
 * message.  Sets *spoken to true if one of these blocks is not reasoning. */
static size_t
count_blocks_left(const struct ctx_validator *validator, bool *spoken)
{
	const struct ctx_message *message = validator->message;
	size_t i, n = 0;

	*spoken = false;
	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].result_index != 0 ||
		    validator->removed_blocks[i] ||
		    ctx_validate_says_nothing(validator, &message->blocks[i]))
			continue;
		n++;
		if (message->blocks[i].kind != CTX_BLOCK_REASONING)
			*spoken = true;
	}
	return n;
}

static bool
has_dropped_block(const struct ctx_validator *validator)
{
	size_t i;

	for (i = 0; i < validator->message->n; i++)
		if (validator->removed_blocks[i])
			return true;
	return false;
}

/* Returns true if no finding is needed for a message without content: the
 * provider accepts empty texts, or the empty text of the message was already
 * reported.  OpenAI accepts empty texts (seen in the projects llm and
 * pydantic-ai, 2025 and 2026). */
static bool
may_be_empty(const struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	size_t i;

	if (!(validator->rules & CTX_NO_BLANK_TEXT))
		return message->n > 0;
	for (i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_TEXT &&
		    message->blocks[i].removable != 0)
			return true;
	return false;
}

/* Returns true if the provider takes the reasoning of this message as a part of
 * the next message.  Then a message that has only reasoning may be valid. */
static bool
may_reasoning_lead(const struct ctx_validator *validator)
{
	return (validator->rules & CTX_REASONING_LEADS) ||
	    ((validator->rules & CTX_JOINS_ANSWERS) &&
		(validator->rules & CTX_MUST_SPEAK));
}

int
ctx_validate_content(struct ctx_validator *validator, unsigned *wait)
{
	bool spoken, assistant = validator->message->role == CTX_ROLE_ASSISTANT;
	size_t n = count_blocks_left(validator, &spoken);
	int rc = 0;

	*wait = CTX_WAITS;
	/* A message that is split over several records is checked when its last
	 * record is read. */
	if (validator->message->flags & CTX_MESSAGE_CONTINUES) {
		n += validator->continued_blocks;
		spoken |= validator->continued_speaks;
	}
	/* A pinned message must not be removed, because later messages need it.
	 * So a pinned message always counts as a message with content. */
	if (validator->message->flags & CTX_MESSAGE_PINNED) {
		n++;
		spoken = true;
	}
	validator->continued_blocks = 0;
	validator->continued_speaks = false;
	if (validator->message->flags & CTX_MESSAGE_IS_CONTINUED) {
		validator->continued_blocks = n;
		validator->continued_speaks = spoken;
		return 0;
	}
	if (n == 0 && has_dropped_block(validator))
		rc = 1;
	else if (assistant && ctx_message_is_empty(validator->message) &&
	    (validator->rules & CTX_LAST_MAY_BE_EMPTY))
		*wait = CTX_WAITS_EMPTY;
	else if (n == 0 && !may_be_empty(validator))
		rc = ctx_validate_refuse(validator, CTX_RULE_EMPTY_MESSAGE,
		    "the message is empty");
	else if (n > 0 && !spoken && assistant && may_reasoning_lead(validator))
		*wait = CTX_WAITS_REASONING;
	else if (n > 0 && !spoken && assistant &&
	    (validator->rules & CTX_MUST_SPEAK))
		rc = ctx_validate_refuse(validator, CTX_RULE_REASONING_ONLY,
		    "the assistant message has reasoning, but neither text nor "
		    "a tool call");
	validator->removed = rc > 0;
	return rc;
}

static int
refuse_reasoning(struct ctx_validator *validator, const char *what)
{
	enum ctx_rule_id id = validator->rules & CTX_REASONING_LEADS
	    ? CTX_RULE_LONE_REASONING
	    : CTX_RULE_REASONING_ONLY;
	size_t i;
	int rc;

	for (i = 0; i < validator->n_open_reasoning; i++) {
		validator->waiting_findings[CTX_WAITS_REASONING].place =
		    validator->open_reasoning[i];
		rc = ctx_validate_refuse_waiting(validator, CTX_WAITS_REASONING,
		    id, what);
		if (rc < 0)
			return -1;
		if (rc == 0)
			validator->waiting_bits &= ~(1u << CTX_WAITS_SYSTEM);
	}
	validator->n_open_reasoning = 0;
	return 0;
}

/* Returns true if the id of the item has the form of OpenAI's ids for reasoning
 * items. */
static bool
has_reasoning_id(const struct ctx_validator *validator)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t id = ctx_json_find(json, validator->message->node, "id");

	return !validator->id_removed && ctx_json_is_string(json, id) &&
	    strncmp(ctx_json_str(json, id).p, "\"rs_", 4) == 0;
}

int
ctx_validate_wait(struct ctx_validator *validator, unsigned wait)
{
	if (wait != CTX_WAITS_REASONING || validator->n_open_reasoning == 0)
		validator->waiting_findings[wait].before = validator->last;
	if (wait == CTX_WAITS_REASONING) {
		if (CTX_GROW(validator->open_reasoning,
			validator->open_reasoning_cap,
			validator->n_open_reasoning + 1, validator->err) < 0)
			return -1;
		validator->open_reasoning[validator->n_open_reasoning++] =
		    validator->place;
		validator->reasoning_has_id = has_reasoning_id(validator);
		/* Reasoning items that directly follow each other have one
		 * finding together.  The place of this finding is that of the
		 * first item, so later items do not change the finding. */
		if (validator->n_open_reasoning > 1)
			return 0;
	}
	validator->waiting_findings[wait].place = validator->place;
	validator->waiting_bits |= 1u << wait;
	return 0;
}

/* Reports a finding about the position of a message.  If an earlier message may
 * still be removed, stores the finding until it is known whether that message
 * is removed. */
static int
refuse_place(struct ctx_validator *validator, enum ctx_rule_id id,
    const char *what)
{
	unsigned wait = validator->waiting_bits & 1u << CTX_WAITS_EMPTY
	    ? CTX_WAITS_EMPTY
	    : CTX_WAITS_REASONING;

	if ((validator->waiting_bits & LEAVES) == 0)
		return ctx_validate_refuse(validator, id, what);
	validator->waiting_findings[wait].finding =
	    (struct ctx_finding){.id = id,
		.place = validator->place,
		.what = what};
	return 0;
}

/* Reports the stored findings about the order of messages that are now certain,
 * because the earlier message on which they depend is not removed. */
static int
report_certain_findings(struct ctx_validator *validator)
{
	struct ctx_finding finding;
	unsigned wait;

	for (wait = CTX_WAITS; wait-- > 0;) {
		finding = validator->waiting_findings[wait].finding;
		if (finding.what == NULL ||
		    (validator->waiting_bits & 1u << wait))
			continue;
		validator->waiting_findings[wait].finding.what = NULL;
		if (ctx_validate_report(validator, &finding, finding.what) < 0)
			return -1;
	}
	return 0;
}

/* Reports an assistant message without content that is not the last message.
 * If no repair removes this message, the message counts as the assistant
 * message that must come after a system message. */
static int
refuse_empty_message(struct ctx_validator *validator)
{
	int rc;

	if (!(validator->waiting_bits & 1u << CTX_WAITS_EMPTY))
		return 0;
	rc = ctx_validate_refuse_waiting(validator, CTX_WAITS_EMPTY,
	    CTX_RULE_EMPTY_MESSAGE, "the message is empty and not the last");
	if (rc == 0)
		validator->waiting_bits &= ~(1u << CTX_WAITS_SYSTEM);
	return rc;
}

/* Returns true if the message lacks an id that it needs because it follows
 * reasoning with an id of OpenAI.  Without the id, OpenAI does not recognize
 * the message that must follow the reasoning (pydantic-ai,
 * test_openai_responses_thinking_with_modified_history, September 2025).  A
 * tool call after such reasoning needs no id.  DeepSeek's reasoning has ids of
 * another form, and DeepSeek accepts a message without an id after its
 * reasoning. */
static bool
needs_id(const struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;

	return validator->reasoning_has_id &&
	    (validator->rules & CTX_REASONING_LEADS) &&
	    ctx_json_find(message->json, message->node, "role") != 0 &&
	    ctx_json_find(message->json, message->node, "id") == 0;
}

int
ctx_validate_waiting(struct ctx_validator *validator, unsigned wait)
{
	enum ctx_role role = validator->message->role;
	bool assistant = role == CTX_ROLE_ASSISTANT;

	if (refuse_empty_message(validator) < 0)
		return -1;
	if ((validator->waiting_bits & 1u << CTX_WAITS_REASONING) &&
	    !assistant &&
	    refuse_reasoning(validator,
		"no assistant message directly follows this reasoning") < 0)
		return -1;
	if ((validator->waiting_bits & 1u << CTX_WAITS_REASONING) &&
	    needs_id(validator) &&
	    refuse_reasoning(validator,
		"the message after this reasoning has no id") < 0)
		return -1;
	if ((validator->waiting_bits & 1u << CTX_WAITS_SYSTEM) && !assistant &&
	    role != CTX_ROLE_SYSTEM &&
	    ctx_validate_refuse_waiting(validator, CTX_WAITS_SYSTEM,
		CTX_RULE_SYSTEM_PLACE,
		"the next message must be from the assistant") < 0)
		return -1;
	/* This message decides whether the stored findings are true, with two
	 * exceptions.  If this message is a reasoning item, the next message
	 * decides the findings about this item and about the reasoning items
	 * directly before this item.  If this message has no content, it may be
	 * removed; so the next message decides all stored findings. */
	if (wait != CTX_WAITS_REASONING && wait != CTX_WAITS_EMPTY) {
		validator->n_open_reasoning = 0;
		validator->waiting_bits = 0;
	}
	return report_certain_findings(validator);
}

int
ctx_validate_still_waiting(struct ctx_validator *validator)
{
	bool empty = (validator->waiting_bits & 1u << CTX_WAITS_EMPTY) != 0;
	struct ctx_last_seen last = validator->last;

	/* The last message is reasoning, or has no content and is ignored.  So
	 * nothing comes after the reasoning, and the finding about the
	 * reasoning is reported. */
	if ((validator->waiting_bits & 1u << CTX_WAITS_REASONING) &&
	    refuse_reasoning(validator,
		"no text or tool call follows this reasoning") < 0)
		return -1;
	if (empty)
		validator->last = last;
	validator->waiting_bits = 0;
	return report_certain_findings(validator);
}

/* Returns true if this message becomes the system prompt when the conversation
 * is translated to the provider's format. */
static bool
is_lifted_prompt(const struct ctx_validator *validator)
{
	return validator->message->role == CTX_ROLE_SYSTEM &&
	    !validator->last.begun && (validator->rules & CTX_LIFTS_SYSTEM);
}

/* Returns false if the message has a role that is not in the list of roles of
 * its dialect (format).  A system message has a rule of its own. */
static bool
is_known_role(const struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	const char *const *roles =
	    message->dialect == NULL ? NULL : message->dialect->roles;

	if (roles == NULL || message->role == CTX_ROLE_SYSTEM ||
	    !ctx_json_is_string(message->json, message->role_node))
		return true;
	for (; *roles != NULL; roles++)
		if (ctx_json_is(message->json, message->role_node, *roles))
			return true;
	return false;
}

static int
check_role(struct ctx_validator *validator)
{
	/* written: true if the rule is only about messages that contain their
	 * role.  In Responses, a tool result is an item without a role. */
	static const struct {
		enum ctx_role role;
		uint64_t rule;
		bool written;
		const char *what;
	} roles[] = {
	    {CTX_ROLE_OTHER, CTX_KNOWN_ROLES, false, "the role is unknown"},
	    {CTX_ROLE_SYSTEM, CTX_NO_SYSTEM, false,
		"the system prompt cannot be a message here"},
	    {CTX_ROLE_TOOL, CTX_NO_TOOL_ROLE, false,
		"tool results must be in a user message in this format"},
	    {CTX_ROLE_TOOL, CTX_ITEM_FORM, true,
		"tool results must be items of the type function_call_output"},
	};
	size_t i;

	if (is_lifted_prompt(validator))
		return 0;
	if ((validator->rules & CTX_KNOWN_ROLES) && !is_known_role(validator))
		return ctx_validate_refuse(validator, CTX_RULE_BAD_ROLE,
			   roles[0].what) < 0
		    ? -1
		    : 0;
	for (i = 0; i < CTX_LENGTH(roles); i++)
		if (validator->message->role == roles[i].role &&
		    (validator->rules & roles[i].rule) &&
		    (!roles[i].written || validator->message->role_node != 0) &&
		    ctx_validate_refuse(validator, CTX_RULE_BAD_ROLE,
			roles[i].what) < 0)
			return -1;
	return 0;
}

static bool
is_user_side(enum ctx_role role)
{
	return role == CTX_ROLE_USER || role == CTX_ROLE_TOOL;
}

static int
check_system(struct ctx_validator *validator)
{
	if (!(validator->rules & CTX_SYSTEM_BETWEEN) ||
	    is_lifted_prompt(validator))
		return 0;
	if (ctx_validate_wait(validator, CTX_WAITS_SYSTEM) < 0)
		return -1;
	/* System messages directly after each other are accepted, because the
	 * provider merges them.  So validator->last is never one of them. */
	if (is_user_side(validator->last.role) || validator->last.in_result)
		return 0;
	return ctx_validate_refuse(validator, CTX_RULE_SYSTEM_PLACE,
	    "a user message must be before this system message");
}

/* Checks that the roles alternate as the rules demand.  System messages are
 * ignored. */
static int
check_speaker(struct ctx_validator *validator)
{
	enum ctx_role role = validator->message->role,
		      before = validator->last.role;
	bool begun = validator->last.begun;

	validator->last.begun = true;
	if (!begun) {
		if (!(validator->rules & CTX_ASKS_FIRST) || is_user_side(role))
			return 0;
		return refuse_place(validator, CTX_RULE_FIRST_MESSAGE,
		    "the first message is not from the user");
	}
	if ((validator->rules & CTX_ANSWERS_RESULTS) && role == CTX_ROLE_USER &&
	    before == CTX_ROLE_TOOL &&
	    refuse_place(validator, CTX_RULE_USER_AFTER_RESULT,
		"a user message is directly after a tool result") < 0)
		return -1;
	/* Two neighbouring messages from the same side (the user's or the
	 * assistant's) are accepted if the translation to the provider's format
	 * merges the two messages.  The translation merges tool messages, and
	 * the records of one response.  Two assistant messages are also
	 * accepted if the first message ends with a tool result: the
	 * translation makes this result a separate message between them. */
	if (!(validator->rules & CTX_ASKS_TURNS) ||
	    is_user_side(role) != is_user_side(before) ||
	    (validator->message->flags & CTX_MESSAGE_CONTINUES) ||
	    (role == CTX_ROLE_ASSISTANT &&
		(validator->last.in_result ||
		    (validator->rules & CTX_JOINS_ANSWERS))) ||
	    (role == CTX_ROLE_TOOL && before == CTX_ROLE_TOOL &&
		!(validator->rules & CTX_RESULTS_TOGETHER)))
		return 0;
	return refuse_place(validator, CTX_RULE_ALTERNATION,
	    is_user_side(role)
		? "two messages in a row are from the user or tools"
		: "two messages in a row are from the assistant");
}

/* Checks that tool results come before other content.  Neighbouring user and
 * tool messages count as one message, because the providers that demand this
 * order merge neighbouring messages. */
static int
check_first_results(struct ctx_validator *validator)
{
	bool text =
	    is_user_side(validator->last.role) && validator->last.has_user_text;
	const struct ctx_message *message = validator->message;
	size_t i;

	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].result_index != 0 ||
		    validator->removed_blocks[i])
			continue;
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT)
			text = true;
		else if (text && (validator->rules & CTX_RESULTS_FIRST) &&
		    ctx_validate_refuse_block(validator, CTX_RULE_RESULTS_FIRST,
			i, "tool result",
			" is after other content of its message") < 0)
			return -1;
	}
	validator->last.has_user_text = text;
	return 0;
}

/* Returns the last block of the message that no repair has removed, or NULL. */
static const struct ctx_block *
find_last_block(const struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	size_t i = message->n;

	while (i > 0 &&
	    (validator->removed_blocks[i - 1] ||
		message->blocks[i - 1].result_index != 0))
		i--;
	return i > 0 ? &message->blocks[i - 1] : NULL;
}

/* Begins a new turn if a person wrote something in the message.  From now on,
 * tool results are not matched with tool calls of earlier turns by name or
 * order. */
static void
begin_turn(struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	size_t i;

	if (message->role != CTX_ROLE_USER ||
	    (message->flags & (CTX_MESSAGE_META | CTX_MESSAGE_ATTACHMENT)))
		return;
	if (!ctx_validate_has(validator, CTX_BLOCK_TOOL_RESULT))
		validator->newest_turn = validator->place.message;
	/* If the message itself contains tool calls, their results come later.
	 * Until then, results can also be matched with earlier calls by name or
	 * order. */
	if (ctx_validate_has(validator, CTX_BLOCK_TOOL_CALL))
		return;
	for (i = 0; i < message->n; i++)
		if (message->blocks[i].result_index == 0 &&
		    message->blocks[i].payload != 0 &&
		    message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT) {
			ctx_tool_call_log_expire(validator->log);
			return;
		}
}

int
ctx_validate_place(struct ctx_validator *validator)
{
	enum ctx_role role = validator->message->role;
	const struct ctx_block *last = find_last_block(validator);

	if (check_role(validator) < 0)
		return -1;
	if (role == CTX_ROLE_SYSTEM)
		return check_system(validator) < 0 ? -1 : 0;
	if (check_speaker(validator) < 0 ||
	    (is_user_side(role) && check_first_results(validator) < 0))
		return -1;
	begin_turn(validator);
	validator->last.in_result =
	    last != NULL && last->kind == CTX_BLOCK_TOOL_RESULT;
	validator->last.in_call =
	    last != NULL && last->kind == CTX_BLOCK_TOOL_CALL;
	validator->last.role = role;
	return 0;
}

int
ctx_last_seen(struct ctx_validator *validator)
{
	if (!(validator->rules & CTX_LAST_USER) || !validator->last.begun ||
	    is_user_side(validator->last.role) || validator->last.in_result ||
	    validator->last.in_call)
		return 0;
	return ctx_validate_refuse(validator, CTX_RULE_LAST_MESSAGE,
	    "the last message must be from the user or a tool");
}
