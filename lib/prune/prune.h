/* prune.h - removes messages until a conversation fits into a token budget
 * (ctx-prune) */
#ifndef CTX_PRUNE_H
#define CTX_PRUNE_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "group/group.h"
#include "io/io.h"
#include "message/message.h"
#include "stream/stream.h"

/* ---- prune/strategy/strategy.c: the strategies -------------------------- */

enum ctx_level {
	CTX_LEVEL_LIGHT, /* remove groups of messages; see clears_results */
	/* First remove reasoning; then, with some strategies, passages (a few
	 * sentences or lines each) of texts; then groups of messages. */
	CTX_LEVEL_BALANCED,
	/* Like balanced, but before groups are removed, also clear tool results
	 * or shorten texts. */
	CTX_LEVEL_AGGRESSIVE,
};

/* Settings for pruning one conversation.  The unit is tokens unless a comment
 * says otherwise. */
struct ctx_prune_settings {
	const struct ctx_strategy *strategy;
	enum ctx_level level;
	uint64_t budget;  /* maximum number of tokens of the output */
	uint64_t trigger; /* prune a conversation of more tokens than this */
	uint64_t target;  /* prune down to at most this many tokens */
	/* number of the newest messages that are never changed */
	uint64_t keep_last;
	/* In each of the newest keep_turns turns, the user message and the last
	 * group of messages are kept. */
	uint64_t keep_turns;
	/* True if keep_last (shrinks_last), keep_turns (shrinks_turns) or
	 * keep_first (shrinks_first) is lowered when the messages that it keeps
	 * use too large a share of the target; see CTX_FLOOR_SHARE. */
	bool shrinks_last, shrinks_turns, shrinks_first;
	/* Strategy middle-out: number of messages that are kept at the
	 * beginning of the conversation. */
	uint64_t keep_first;
	/* strategy window: number of the newest turns that are kept */
	uint64_t window_turns;
	/* For strategies with has_steps; 0: no steps.  Messages are removed in
	 * steps of this many tokens, so that the beginning of the output
	 * changes less often from request to request.  A strategy that removes
	 * by age divides the conversation into sections of this many tokens.
	 * It keeps or removes each section as a whole, with the section's
	 * reasoning.  For strategies with needs_all see struct
	 * ctx_plan_step. */
	uint64_t quantum;
	/* A conversation with more messages than this is pruned even if its
	 * tokens do not exceed the trigger.  0: the number of messages does not
	 * matter. */
	uint64_t trigger_messages;
	/* Strategy summarize: which newest messages are kept. keep_messages: at
	 * most this many; 0: as many as fit. keep_tokens: used instead of
	 * keep_messages if it is not 0; the kept messages together have at most
	 * this many tokens. */
	uint64_t keep_messages;
	uint64_t keep_tokens;
	/* For the strategy summarize. summary_tokens: maximum number of tokens
	 * of the summary; 0: as many as the kept messages leave. reserved:
	 * number of tokens that are reserved for the summary's message (text,
	 * role and delimiters); 0: a share of the target. */
	uint64_t summary_tokens, reserved;
	enum ctx_reasoning reasoning;
	enum ctx_binding binds; /* see ctx_model_binds */
	bool keeps_opening;     /* see ctx_plan_step.opening */
	/* True if reasoning of earlier turns is kept, because the provider (or,
	 * if knows_model is false, one that takes the format) demands it. */
	bool keeps_reasoning, knows_model;
	bool always; /* true: prune even a conversation below its trigger */
	bool pin_system;
	/* True if the format demands that user and assistant messages
	 * alternate.  Then a turn of which any message is kept also keeps its
	 * user messages and its last group of messages. */
	bool alternates;
	/* True if the conversation has tool calls or tool results.  With any
	 * message of a turn, its first and last user message are then kept:
	 * they contain the task, and without them a tool call might follow an
	 * answer of the model, which Gemini refuses. */
	bool whole_turns;
};

/* A candidate for removal: what a strategy is told about a segment (a message
 * or a part of one).  Segments that must be kept or removed together form a
 * group.  Of each group, only the candidate of the first segment is used:
 * "weight" is the weight of the whole group, and the strategy sets only
 * "drop". */
struct ctx_candidate {
	uint64_t weight; /* tokens of the group after the edits so far */
	/* Rank of the group.  Groups with the lowest rank are removed first. */
	double rank;
	/* how many of the tokens in weight belong to summaries of earlier runs;
	 * at most UINT32_MAX */
	uint32_t summary_tokens;
	/* Used if quantum is not 0: the conversation is divided into sections
	 * of quantum tokens.  Number of the section in which the segment
	 * (message or part of one) begins; only the lower 32 bits. */
	uint32_t section;
	/* Number of messages from the newest message of the group to the end of
	 * the conversation.  Set only for strategies with needs_all. */
	uint32_t age;
	uint32_t turn;
	uint32_t root;    /* index of the first segment of the group */
	bool is_root : 1; /* true for the first segment of its group */
	/* True for a user message that is removed only together with its whole
	 * turn, because other messages of the turn need it. */
	bool user : 1;
	/* True if the segment may be removed although its turn is kept: a
	 * system message, a record that is not a message, a user message that
	 * the turn does not need, or a summary that the agent has written. */
	bool system : 1;
	/* True if the segment must be kept.  May change until the conversation
	 * has ended. */
	bool pinned : 1;
	/* True if the segment must be kept, whatever messages come later.  The
	 * tokens of the segment are then never available for other messages. */
	bool permanent : 1;
	/* True if the kept messages may begin with this segment: a user message
	 * at the beginning of a turn, or a summary with the role user. */
	bool asks : 1;
	/* True if an earlier plan has already removed a newer segment.  A
	 * strategy that removes the oldest messages first must then remove this
	 * segment, too. */
	bool before_cut : 1;
	/* true if the segment is a summary that an earlier run has inserted */
	bool summary : 1;
	bool crosses_turns : 1; /* the group has segments of several turns */
	/* True if the segment's message also contains tool results of the turn
	 * before. */
	bool shares_message : 1;
	bool drop : 1; /* set by the strategy: true if the group is removed */
};

/* What a strategy decides about. */
struct ctx_decision {
	struct ctx_candidate *candidates;
	size_t n; /* number of candidates */
	const struct ctx_prune_settings *settings;
	uint64_t target; /* used in place of settings->target */
	uint64_t base;   /* number of tokens that are in no candidate */
	uint32_t newest; /* number of the newest turn */
};

/* Type of the function with which a strategy decides which groups of messages
 * are removed; see struct ctx_strategy. */
typedef int ctx_strategy_decide(const struct ctx_decision *decision,
    struct ctx_err *err);

/* A strategy: decides which messages are removed first.  The function decide
 * sets "drop" in the candidates of the groups that it removes; these candidates
 * must have is_root true and pinned false.  User messages are removed after all
 * other groups of their turn, unless ranks_user_messages is true. */
struct ctx_strategy {
	const char *name, *about;
	ctx_strategy_decide *decide;
	bool pins_system; /* true if system messages are never removed */
	bool pins_first;  /* true: the first keep_first messages are kept */
	bool has_budget;  /* true: the strategy has trigger, target, levels */
	bool has_steps;   /* true: removes in steps of quantum tokens */
	/* true if the strategy decides only after the last message was read */
	bool needs_all;
	/* true if the strategy inserts a summary of removed messages */
	bool summarizes;
	/* True if the level light clears tool results (replaces them by a short
	 * text) before groups are removed. */
	bool clears_results;
	/* true if levels above light first shorten long tool results to
	 * passages (a few sentences or lines each) */
	bool cuts_results;
	/* True: the level aggressive keeps only the beginning and the end of
	 * long texts.  False: it replaces tool results by a short text. */
	bool truncates_texts;
	/* true if user messages are ranked and removed like other messages */
	bool ranks_user_messages;
	/* True if the strategy can keep a message and remove the user messages
	 * of its turn.  The conversation must also allow it:
	 * ctx_prune_splits_turns checks both. */
	bool splits_turns;
	/* True if the strategy can remove too much, because groups have
	 * different sizes, and then puts groups back, as far as the target
	 * allows. */
	bool refills;
	/* true if it can use embeddings, which a program of the user makes */
	bool embeds;
	/* The scorer, which computes the rank of each segment from its text.
	 * NULL if the strategy removes the oldest messages first. */
	const struct ctx_scorer_kind *scorer;
	/* Texts that tell the user why a segment was removed: reasons[r] is for
	 * rank r, and the last text also for all higher ranks.  NULL if ranks
	 * do not stand for reasons.  See ctx_strategy_reason. */
	const char *const *reasons;
	size_t n_reasons;
};

/* Returns true if a message may be kept without the user messages of its
 * turn. */
static inline bool
ctx_prune_splits_turns(const struct ctx_prune_settings *settings)
{
	return settings->strategy->splits_turns && !settings->alternates &&
	    !settings->whole_turns;
}

const struct ctx_strategy *ctx_strategy_at(size_t i);
const struct ctx_strategy *ctx_strategy_find(const char *name);

/* ---- prune/plan.c: what to remove, in bounded memory -------------------- */

/* Reasons why a segment must be kept.  If a segment has several reasons, its
 * tokens are counted for the first one. */
enum ctx_floor_kind {
	/* the tool definitions (not a segment), which are always kept */
	CTX_FLOOR_TOOLS,
	CTX_FLOOR_UNKNOWN, /* the segment is a record that is not a message */
	CTX_FLOOR_SYSTEM,
	CTX_FLOOR_PINNED,
	CTX_FLOOR_LAST, /* one of the newest messages (keep_last) */
	/* The segment belongs to one of the newest keep_turns turns, as the
	 * user message, as part of the last group, or as "opening". */
	CTX_FLOOR_TURN,
	CTX_FLOOR_OPEN, /* the segment has a tool call without a result */
	CTX_FLOOR_KEPT, /* a strategy without token budget keeps it */
	CTX_FLOOR_KINDS
};

/*
 * The part of a conversation that a strategy looks at when it decides what is
 * removed.
 *
 * Usually this part is the whole conversation.  The part is smaller if a
 * strategy with needs_all removes in steps (quantum is not 0).  It then ends
 * with the message at which the number of tokens last reached a multiple of
 * quantum.  All later messages, together fewer than quantum tokens, are kept,
 * and have no influence on the decision.  So until the next multiple is
 * reached, the same messages are removed: each output begins with the output
 * before it, and the provider can read this beginning from its prompt cache.
 */
struct ctx_plan_step {
	size_t n; /* number of segments */
	uint64_t messages, nonsystem_messages;
	uint32_t turn; /* number of the newest turn */
	/* index of the newest turn's last user message, or UINT64_MAX */
	uint64_t last_user;
	/* index of the newest message with signed reasoning, or 0 */
	uint64_t last_signed;
	/* Index of the message that must begin the newest turn with its signed
	 * reasoning (Claude with manual thinking), or UINT64_MAX. */
	uint64_t opening;
	/* Number of tokens that are reserved for the messages after the step:
	 * quantum, or 0 if the step is the whole conversation. */
	uint64_t reserved;
};

/* How far groups of messages were removed, from the oldest message on. */
struct ctx_plan_cut {
	bool exists; /* true once a group of messages was removed */
	/* Index of a message.  All messages before it were removed, except
	 * those that must be kept. */
	uint64_t message;
	/* Used with quantum: number of tokens.  All segments that begin before
	 * this many tokens of the conversation were removed, except those that
	 * must be kept. */
	uint64_t tokens;
};

/* The plan for a conversation: what is removed and edited. */
struct ctx_plan {
	struct ctx_groups *groups; /* the conversation; owned by the caller */
	struct ctx_prune_settings settings;
	/* ended: true if no more messages will come. due: true if the
	 * conversation must be pruned (ctx_plan_due). */
	bool ended, due;
	struct ctx_plan_step step;
	/* True if the strategy looks at the whole conversation instead of a
	 * step, because with a step the budget would be exceeded. */
	bool ignores_steps;
	/* True if the segments that must be kept exceed the target, so that
	 * tool results are shortened even in a segment that is kept only
	 * because another one of its group (segments kept or removed together)
	 * must be kept. */
	bool shortens_kept;
	/* Number of tokens of the request outside its messages, such as those
	 * of tool definitions. */
	uint64_t fixed;
	/* Parts of the number "fixed": tokens of the tool definitions, and of a
	 * system prompt outside the messages. */
	uint64_t tools, system;
	/* Number of tokens that are added to "fixed" if no system message is
	 * kept; see ctx_request_overhead. */
	unsigned tools_alone;
	uint64_t notices; /* number of tokens that are reserved for notices */
	/* Bound reasoning (reasoning that the provider does not take if
	 * anything before it was changed) is removed from the message with this
	 * index and from all later messages; UINT64_MAX: from none. */
	uint64_t bound_from;
	struct ctx_plan_cut cut;
	/* What will be done with each segment, as CTX_MARK_... bits. */
	uint8_t *marks;
	/* For each segment: the reasons why it must be kept.  Bit 1 << k stands
	 * for reason k of enum ctx_floor_kind. */
	uint8_t *floors;
	/* Used while a strategy decides; otherwise NULL. */
	struct ctx_candidate *candidates;
	size_t marks_cap, floors_cap;
	/* number of tokens that the conversation has after all planned
	 * changes */
	uint64_t after;
	/* for each reason: number of tokens that it keeps */
	uint64_t floor[CTX_FLOOR_KINDS];
};

/* Prepares the plan for the next conversation. */
void ctx_plan_reset(struct ctx_plan *plan, struct ctx_groups *groups,
    const struct ctx_prune_settings *settings);
/* Makes the plan: sets plan->marks for each segment that is removed or edited.
 * If ended is false, more messages will come, and only those changes are
 * planned that are needed whatever these messages are.  If ended is true, also
 * sets plan->after and plan->floor for the output, and plans where notices are
 * inserted. */
int ctx_plan_decide(struct ctx_plan *plan, bool ended, struct ctx_err *err);
/* Makes the plan of a complete conversation again, after plan->settings were
 * changed.  The caller must not have removed any messages; so this is only for
 * strategies with needs_all. */
int ctx_plan_decide_again(struct ctx_plan *plan, struct ctx_err *err);
/* Finds which segments (messages or parts) of a complete conversation must be
 * kept, and why.  Stores the reasons in plan->floors, for ctx_scorer_rank. */
int ctx_plan_survey(struct ctx_plan *plan, struct ctx_err *err);
/* Returns true if segment i must be kept with all its texts; see
 * ctx_plan.shortens_kept.  Called after ctx_plan_survey. */
bool ctx_plan_keeps_texts(const struct ctx_plan *plan, size_t i);
/* Returns true if the conversation must be pruned.  This is so if the
 * conversation exceeds its trigger, if it has too many messages, if the
 * strategy has no trigger, or if the settings demand it. */
bool ctx_plan_due(const struct ctx_plan *plan);
/* Plans the removal of bound reasoning (reasoning that the provider does not
 * take if anything before it was changed) from this message and all later
 * ones, and updates plan->after.  Does nothing if the settings keep such
 * reasoning.  Called after ctx_plan_decide for changes that are not in the
 * plan, such as inserted summaries. */
void ctx_plan_bind(struct ctx_plan *plan, uint64_t message);
/* Marks the items whose ids must be removed, because the reasoning before them
 * is removed.  Called when the plan is complete. */
void ctx_plan_unlink_items(struct ctx_plan *plan);
/* Returns true if bound reasoning (reasoning that the provider does not take if
 * anything before it was changed) must be removed from the segment. */
bool ctx_plan_must_strip(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Cancels the planned removals if no summary is inserted after all.  Segments
 * and earlier summaries are then kept.  Edits that the level allows remain
 * planned, and bound reasoning after the first of these edits is removed.
 * Exception: if the budget would be exceeded, all bound reasoning is removed
 * whose removal was planned before the call. */
void ctx_plan_take_back(struct ctx_plan *plan);
/* Returns true if the provider would refuse the output, or drop reasoning from
 * it: bound reasoning that can be removed is kept although its message or an
 * earlier message was changed, in this run or in an earlier run. */
bool ctx_plan_leaves_bound(const struct ctx_plan *plan);
/* Adds up the tokens of all segments after the planned changes.  Sets
 * plan->after to their sum, and plan->floor to the tokens that must be kept. */
void ctx_plan_total(struct ctx_plan *plan);
/* Returns the number of tokens that segment i has after the planned edits. */
uint64_t ctx_plan_left(const struct ctx_plan *plan, size_t i);
/* Changes plan->groups as planned: removes the segments with CTX_MARK_DROP, and
 * subtracts the tokens that edits save in other segments. */
int ctx_plan_compact(struct ctx_plan *plan, struct ctx_err *err);
void ctx_plan_release(struct ctx_plan *plan);

/* ---- prune/strategy/scorer.c: ranks that depend on the text ------------- */

/* A scorer.  It reads the messages of a conversation one by one.  After the
 * last message it computes a rank for each segment.  The strategy removes
 * segments with low ranks first. */
struct ctx_scorer;
struct ctx_scorer_options {
	/* For the strategy recall: the question, or NULL to use the last user
	 * message. */
	const char *query;
	/* for the strategy recall: program that makes embeddings of texts */
	struct ctx_command embedder;
	/* true: texts are kept or removed as a whole, not in parts */
	bool whole;
	/* For salient and heuristic: the names in the messages, if several runs
	 * prune the same messages, or NULL.  Owned by the caller, who must give
	 * all these runs the same input and the same counters. */
	struct ctx_shared_texts *shared;
};

/* Sets *scorer to a new scorer for the strategy.  Sets it to NULL if the
 * strategy needs no scorer, because it removes the oldest messages first. */
int ctx_scorer_open(struct ctx_scorer **scorer,
    const struct ctx_strategy *strategy,
    const struct ctx_scorer_options *options, struct ctx_err *err);
/* Sets the rank of each segment of plan->groups.  Uses plan->settings and the
 * reasons in plan->floors, so the caller must first call ctx_plan_survey.
 * CTX_EARG: the embedder, a program of the user, has failed. */
int ctx_scorer_rank(struct ctx_scorer *scorer, const struct ctx_plan *plan,
    struct ctx_err *err);
/* Prepares the scorer for the next conversation.  Keeps its memory.  Does
 * nothing if scorer is NULL. */
void ctx_scorer_reset(struct ctx_scorer *scorer);
/* Frees the memory that ctx_scorer_find_removed does not need.  The caller must
 * have ranked all messages, and must have no other conversation to rank.  Sets
 * *scorer to NULL if all its memory was freed. */
void ctx_scorer_finish(struct ctx_scorer **scorer);
void ctx_scorer_close(struct ctx_scorer *scorer);

/* ---- prune/strategy/summary.c: an extractive summary -------------------- */

/* Beginning of the text of every summary that ctx inserts.  A later run
 * recognises summaries by this text. */
#define CTX_SUMMARY_PREFIX "[Earlier conversation summary]: "
/* Text between a summary or notice and the user's text in the same JSON string.
 * JSON escapes only the line feeds of this text. */
#define CTX_SUMMARY_SUFFIX "\n\n[End of the summary]\n\n"
#define CTX_NOTICE_SUFFIX  "\n\n"
/* Minimum of the default for the maximum length of a summary, in tokens.
 * Needed if few messages are removed, or if the target is small or not set. */
#define CTX_LEAST_SUMMARY 300
/* Number of tokens that are reserved for the role and delimiters of a
 * summary. */
#define CTX_SUMMARY_FRAME 32

enum ctx_summary_kind {
	CTX_SUMMARY_EARLIER, /* a summary of an earlier run */
	CTX_SUMMARY_USER,
	CTX_SUMMARY_ASSISTANT,
	CTX_SUMMARY_CALL,   /* arguments of a tool call, as JSON */
	CTX_SUMMARY_RESULT, /* a tool result, of which its outcome is used */
	CTX_SUMMARY_OTHER,  /* any other text, of which only names are used */
};

/* A text that is removed.  The strings are read only during the call of
 * ctx_summary_add. */
struct ctx_summary_text {
	enum ctx_summary_kind kind;
	struct ctx_str text;
	/* for a tool call: name of the tool */
	struct ctx_str tool;
	/* for a tool call and its result: id of the call; empty if not known */
	struct ctx_str id;
	/* For a tool result.  Both are false if the outcome is not known. */
	bool failed, succeeded;
};

/* The built-in summarizer.  It collects the removed texts in order, and selects
 * lines for a summary: requests and constraints of the user, word for word;
 * tasks; answers; changed files; commands; errors; other tool calls;
 * other sentences.  No line is repeated.  Most of the summary is lists of names
 * (paths, identifiers, ids and numbers) that occur in removed texts and in no
 * kept text.  Each list stands below its tool call.  Equal texts give equal
 * summaries. */
struct ctx_summary;
int ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err);
void ctx_summary_close(struct ctx_summary *summary);
int ctx_summary_add(struct ctx_summary *summary,
    const struct ctx_summary_text *text, struct ctx_err *err);
/* Adds a kept text, in its order among the removed ones.  Lines with names from
 * kept texts are preferred; tasks of kept calls are left out. */
int ctx_summary_keep(struct ctx_summary *summary,
    const struct ctx_summary_text *text, struct ctx_err *err);
/* Selects the lines, and writes a summary of at most limit tokens to the buffer
 * out.  The caller may call this only once. */
int ctx_summary_write(struct ctx_summary *summary,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err);

/* ---- prune/prune_stream.c: within the budget ---------------------------- */

/* The value of an option: n tokens or, if percent is true, n thousandths of a
 * percent. */
struct ctx_amount {
	uint64_t n;
	bool set, percent;
};

struct ctx_prune_outcome; /* defined below */

struct ctx_prune_config {
	/* The caller sets strategy, level and the members keep_... of these
	 * settings. ctx computes their budget, trigger, target and quantum from
	 * the members below. */
	struct ctx_prune_settings settings;
	struct ctx_amount budget;  /* percent: of the context window */
	struct ctx_amount trigger; /* percent: of the budget */
	struct ctx_amount target;  /* percent: of the budget */
	/* If percent is true, the percentage is of the target.  If the caller
	 * leaves it unset, compute_quantum chooses the quantum. */
	struct ctx_amount quantum;
	/* maximum of the trigger in tokens; 0: no maximum */
	uint64_t trigger_tokens;
	/* Used if no budget is given: number of tokens that are reserved for
	 * the answer.  The budget is then the context window minus this
	 * number. */
	uint64_t reserve;
	/* context window in tokens, or 0 to use that of the model */
	uint64_t window;
	struct ctx_pattern pin_text, pin_tool;
	/* roles whose messages are pinned: bits 1 << enum ctx_role */
	unsigned pin_roles;
	/* Regular expressions for names of tools.  A tool result may be edited
	 * only if the name of its tool matches "tool" and does not match
	 * "not_tool". */
	struct ctx_pattern tool, not_tool;
	/* The notice: a text that says that messages were removed.  It is
	 * inserted before the first turn after the removed messages.  UTF-8
	 * with a NUL byte at the end; NULL: no notice is inserted.  The
	 * strategy summarize inserts no notice, because its summary says the
	 * same. */
	const char *notice;
	/* The next members are for the strategy summarize. */
	/* Command that writes the summary.  If it has no command line, the
	 * built-in summarizer is used. */
	struct ctx_command summarizer;
	const char *prompt; /* beginning of the summarizer's input */
	/* Maximum length of a summary in tokens.  0: the default.  The default
	 * for a command is a twentieth of the target, at least
	 * CTX_LEAST_SUMMARY.  The default for the built-in summarizer is what
	 * the kept messages leave. */
	uint64_t summary_tokens;
	/* true if the built-in summarizer is used when the command fails */
	bool or_builtin;
	struct ctx_scorer_options scorer;
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation.  May be NULL. */
	int (*ended)(void *user, const struct ctx_prune_outcome *outcome,
	    struct ctx_err *err);
};

/* Result of pruning a conversation. */
struct ctx_prune_outcome {
	const char *file;
	/* Number of the line that contains the whole conversation, or 0 for a
	 * conversation in which each message is a line of its own. */
	uint64_t line;
	/* numbers of tokens of the conversation before and after pruning */
	uint64_t before, after;
	/* messages: number of messages that were read; messages_removed: how
	 * many of them were removed. */
	uint64_t messages, messages_removed;
	/* number of messages that were written, including inserted ones */
	uint64_t messages_kept;
	/* A dialect (format) in which ctx could not insert a notice, so that
	 * nothing says that messages were removed.  NULL if there is none. */
	const struct ctx_dialect *notice_unsupported;
	const struct ctx_prune_settings *settings;
	/* the plan; plan->floor contains the tokens that must be kept */
	const struct ctx_plan *plan;
	bool over; /* true if the number "after" exceeds the budget */
	/* True if bound reasoning (reasoning that the provider does not take
	 * after a change) is kept after a change. */
	bool breaks_signed_reasoning;
	/* True if nothing was changed: bound reasoning would be lost after a
	 * change, and the settings contain CTX_REASONING_FAIL. */
	bool refused;
	/* The error because of which the conversation was not changed, such as
	 * a failed summarizer; NULL if there is none. */
	const struct ctx_err *error;
};

/* Prunes all conversations of a stream.  The messages that may be kept are in
 * memory until their conversation has ended; then they are written.  If writer
 * is NULL, nothing is written (dry run).  CTX_EARG: the settings contradict
 * each other, or no budget is known.  If this is found at the first record, no
 * record is read. */
int ctx_prune_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_prune_config *options,
    struct ctx_err *err);

/* ---- prune/settings.c: defaults, and numbers of tokens ------------------ */

/* Sets a configuration to the defaults of ctx-prune(1).  The caller then sets
 * what the user has chosen.  If the user has chosen keep_last, the caller also
 * sets shrinks_last to false; likewise shrinks_turns for keep_turns, and
 * shrinks_first for keep_first. */
void ctx_prune_config_init(struct ctx_prune_config *options);
/* Sets those members that depend on other members and were not chosen by the
 * user: keep_last according to the level; pin_system, trigger_messages and
 * keep_messages according to the strategy.  The caller must call this once,
 * after it has set the user's choices. */
void ctx_prune_config_complete(struct ctx_prune_config *options);
/* Computes budget, trigger, target and quantum for a conversation. model: NULL
 * if the model is not known. */
int ctx_prune_settings_for(const struct ctx_prune_config *options,
    const struct ctx_model *model, struct ctx_prune_settings *settings,
    struct ctx_err *err);
/* Sets alternates, whole_turns and keeps_reasoning to true if this message
 * requires it.  The caller calls this function for each message before it makes
 * the plan. */
void ctx_prune_settings_see(struct ctx_prune_settings *settings,
    const struct ctx_message *message);

#endif
