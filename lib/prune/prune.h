/* prune.h - ctx-prune: fits conversations into a token budget */
#ifndef CTX_PRUNE_H
#define CTX_PRUNE_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "group/group.h"
#include "io/io.h"
#include "message/message.h"
#include "stream/stream.h"
#include "tokenizer/tokenizer.h"

/* ---- prune/strategy/strategy.c: the strategies -------------------------- */

enum ctx_level {
	CTX_LEVEL_LIGHT,    /* remove whole groups only */
	CTX_LEVEL_BALANCED, /* remove reasoning first */
	/* remove reasoning, then replace tool results by a short text or
	 * shorten texts */
	CTX_LEVEL_AGGRESSIVE,
};

/* Settings for pruning one conversation.  Amounts are tokens unless a comment
 * says otherwise. */
struct ctx_prune_settings {
	const struct ctx_strategy *strategy;
	enum ctx_level level;
	uint64_t budget; /* maximum tokens of the output */
	/* a conversation with at most this many tokens is not changed */
	uint64_t trigger;
	/* a conversation above the trigger is reduced to this many tokens */
	uint64_t target;
	uint64_t keep_last; /* newest messages that are kept unchanged */
	/* Number of the newest turns whose user message and last group of
	 * messages are kept. */
	uint64_t keep_turns;
	/* number of messages at the start that the strategy middle-out keeps */
	uint64_t keep_first;
	uint64_t window_turns; /* newest turns that are kept (window) */
	/* The conversation is divided into sections of this many tokens, and
	 * each section is kept or removed as a whole, so that the kept part
	 * changes less often between requests; 0: no sections. */
	uint64_t quantum;
	/* A conversation with more messages than this is pruned even if it is
	 * below the trigger; 0: no limit. */
	uint64_t trigger_messages;
	/* The strategy summarize keeps the newest keep_messages messages or,
	 * if keep_tokens is not 0, the newest messages with this many tokens.
	 */
	uint64_t keep_messages;
	uint64_t keep_tokens;
	uint64_t reserved; /* maximum tokens of an inserted message */
	enum ctx_reasoning reasoning;
	bool binds;  /* the model binds signed reasoning */
	bool always; /* prune even below the trigger */
	bool pin_system;
	/* The format demands alternating roles.  So if any message of a turn
	 * is pinned, the turn's user message and last group are kept, too. */
	bool alternates;
};

/* A segment (message or part of one) as a strategy sees it.  The first segment
 * of a group stands for the whole group: only there is weight set, the tokens
 * of the group, and only there the strategy sets drop. */
struct ctx_candidate {
	/* tokens of the group, with the edits decided so far */
	uint64_t weight;
	/* How many of the tokens in weight belong to summaries of earlier
	 * runs. */
	uint64_t summary_tokens;
	uint64_t start; /* tokens of the conversation before it */
	/* Number of messages from the newest message of the group to the end
	 * of the conversation. */
	uint64_t age;
	/* rank of the group; groups with the lowest rank are removed first */
	double rank;
	uint32_t turn;
	uint32_t root; /* index of the first segment of its group */
	bool is_root;  /* true if the segment is the first one of its group */
	/* true for a user message that must be kept as long as its turn */
	bool user;
	/* True if the segment can be removed without regard to its turn: a
	 * system message, a record that is not a message, or a user message
	 * that its turn does not need. */
	bool system;
	/* true if the segment must be kept for now; a later message may change
	 * that */
	bool pinned;
	/* True if the segment will never be removed, so its tokens leave less
	 * room for younger groups. */
	bool permanent;
	bool before_cut;    /* a later segment was removed earlier */
	bool summary;       /* an earlier summary */
	bool crosses_turns; /* its group reaches into a later turn */
	/* true if the segment is in one message with tool results of the turn
	 * before */
	bool shares_message;
	bool drop; /* set by the strategy: remove the group */
};

/* Decides which groups of messages a strategy removes; see struct
 * ctx_strategy. */
typedef int ctx_strategy_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);

/* A strategy.  Its function decide sets drop in the candidates that are to be
 * removed: only in candidates with is_root true and pinned false.  A user
 * message is kept as long as any group of its turn.  It is removed with the
 * last group, unless ranks_user_messages is true. base: the number of tokens
 * outside the candidates. newest: the number of the newest turn. */
struct ctx_strategy {
	const char *name, *about;
	ctx_strategy_decide *decide;
	bool pins_system; /* system messages are pinned */
	/* the first keep_first messages are never removed */
	bool pins_first;
	bool has_budget; /* has a trigger, a target and levels */
	/* the strategy can decide only when the whole conversation was read */
	bool needs_all;
	bool summarizes; /* replaces removed messages by a summary */
	/* tool results are replaced by a short text first, already at level
	 * light */
	bool clears_results;
	/* true if the level aggressive shortens long texts to beginning and
	 * end, instead of replacing tool results by a short text */
	bool truncates_texts;
	bool ranks_user_messages; /* decides about user messages, too */
	bool refills; /* groups that still fit at the end are kept after all */
	bool embeds;  /* can rank by the user's embedder */
	/* Gives each segment a rank by its text; NULL: segments are ranked by
	 * age. */
	const struct ctx_scorer_kind *scorer;
	/* Texts for reports that say why a segment was removed, one for each
	 * rank from 0 on; n_reasons of them.  NULL: ranks have no such
	 * meaning.  See ctx_strategy_reason. */
	const char *const *reasons;
	size_t n_reasons;
	/* Default trigger of this strategy, as thousandths of a percent of the
	 * budget; 0: the whole budget. */
	uint64_t trigger;
};

const struct ctx_strategy *ctx_strategy_at(size_t i);
const struct ctx_strategy *ctx_strategy_find(const char *name);

/* ---- prune/plan.c: what to remove, in bounded memory -------------------- */

/* Why a segment must be kept.  The tokens of a segment with several reasons
 * are counted for the first of them. */
enum ctx_floor_kind {
	/* the tool definitions of the request, which are no segment */
	CTX_FLOOR_TOOLS,
	CTX_FLOOR_UNKNOWN, /* a record that is not a message */
	CTX_FLOOR_SYSTEM,
	CTX_FLOOR_PINNED,
	CTX_FLOOR_LAST, /* one of the newest messages (keep_last) */
	/* user message or last group of one of the newest turns (keep_turns) */
	CTX_FLOOR_TURN,
	CTX_FLOOR_OPEN, /* a tool call without result */
	/* kept for a reason that is not listed above, by a strategy that has
	 * no token budget */
	CTX_FLOOR_KEPT,
	CTX_FLOOR_KINDS
};

/* The plan for one conversation. */
struct ctx_plan {
	struct ctx_prune_settings settings;
	uint64_t
	    fixed; /* tokens of the conversation that are not in its messages */
	uint64_t tools,
	    /* how many of the fixed tokens are those of the tool definitions,
	     * and of the system prompt */
	    system;
	uint64_t notices; /* tokens reserved for notices */
	/* Index of the first message whose bound reasoning (signed, and
	 * refused after a change before it) is removed; UINT64_MAX: nowhere. */
	uint64_t bound_from;
	bool has_cut; /* a group was removed */
	/* messages before this index are kept only if they are pinned */
	uint64_t cut_message;
	/* segments that start before this many tokens are kept only if they
	 * are pinned */
	uint64_t cut_tokens;
	/* for each segment, the CTX_MARK bits that ctx_plan_decide has set */
	uint8_t *marks;
	/* for each segment, why it must be kept: bits by enum ctx_floor_kind */
	uint8_t *floors;
	struct ctx_candidate *candidates;
	size_t marks_cap, floors_cap, candidates_cap;
	/* tokens of the conversation after the planned changes */
	uint64_t after;
	/* tokens that must be kept, by reason */
	uint64_t floor[CTX_FLOOR_KINDS];
};

/* Begins a conversation. */
void ctx_plan_reset(struct ctx_plan *plan,
    const struct ctx_prune_settings *settings);
/* Decides which segments are removed or edited, and sets plan->marks.  If
 * ended is false, more messages will come: only changes that will be made in
 * any case are marked.  If ended is true, the conversation is complete:
 * plan->after and plan->floor are then final, and notices are marked as far as
 * the budget allows. */
int ctx_plan_decide(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended, struct ctx_err *err);
/* Returns true if the conversation must be pruned: it is above its trigger, or
 * the strategy has no trigger. */
bool ctx_plan_due(const struct ctx_plan *plan, const struct ctx_groups *groups);
/* Marks bound reasoning for removal from the message of this index on, unless
 * the settings keep it, and updates plan->after.  To be called after
 * ctx_plan_decide, for changes that have no mark. */
void ctx_plan_bind(struct ctx_plan *plan, const struct ctx_groups *groups,
    uint64_t message);
/* Cancels all removals of segments and of earlier summaries, but keeps the
 * edits that the level allows.  Bound reasoning is then removed only after the
 * first message with such an edit.  If the result would exceed the budget,
 * bound reasoning is removed as the plan has decided before.  Used for
 * strategies that decide only at the end of the conversation. */
void ctx_plan_take_back(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns true if a message is changed, now or by an earlier run, while bound
 * reasoning in it or after it is kept.  The provider would refuse that. */
bool ctx_plan_leaves_bound(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Computes plan->after (tokens of the conversation) and plan->floor (tokens
 * that must be kept) from the marks of all segments. */
void ctx_plan_total(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns the tokens that segment i has after the planned edits. */
uint64_t ctx_plan_left(const struct ctx_plan *plan,
    const struct ctx_segment *segment, size_t i);
/* Carries out the marks in groups: removes the segments with CTX_MARK_DROP,
 * and lowers the tokens of edited segments. */
int ctx_plan_compact(struct ctx_plan *plan, struct ctx_groups *groups,
    struct ctx_err *err);
void ctx_plan_release(struct ctx_plan *plan);

/* ---- prune/strategy/scorer.c: ranks that depend on the text ------------- */

/* A scorer reads the messages of a conversation as they arrive, and at the end
 * gives each segment a rank for the strategy. */
struct ctx_scorer;
struct ctx_scorer_options {
	/* For the strategy recall: the question; NULL: the last user message.
	 */
	const char *query;
	struct ctx_command embedder; /* recall: makes vectors of the texts */
};

/* Sets *scorer to a new scorer for the strategy; NULL if the strategy ranks by
 * age. */
int ctx_scorer_open(struct ctx_scorer **scorer,
    const struct ctx_strategy *strategy,
    const struct ctx_scorer_options *options, struct ctx_err *err);
/* Gives the scorer a message that ctx_groups_add has added; its segments are
 * those from index first on. */
int ctx_scorer_add(struct ctx_scorer *scorer, const struct ctx_message *message,
    const struct ctx_groups *groups, size_t first, struct ctx_err *err);
/* Sets the rank of all segments.  CTX_EARG: the embedder (a command of the
 * user) failed. */
int ctx_scorer_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    struct ctx_err *err);
/* Prepares the scorer for the next conversation; keeps its memory. */
void ctx_scorer_reset(struct ctx_scorer *scorer);
void ctx_scorer_close(struct ctx_scorer *scorer);

/* ---- prune/strategy/summary.c: an extractive summary -------------------- */

/* The text at the start of every summary, by which a later run recognises it.
 */
#define CTX_SUMMARY_PREFIX "[Earlier conversation summary]: "
/* Text that separates a summary or notice from the user's text, if both are in
 * one string.  In JSON only its line feeds are escaped. */
#define CTX_SUMMARY_SUFFIX "\n\n[End of the summary]\n\n"
#define CTX_NOTICE_SUFFIX  "\n\n"

enum ctx_summary_kind {
	CTX_SUMMARY_EARLIER, /* an earlier summary */
	CTX_SUMMARY_USER,
	CTX_SUMMARY_ASSISTANT,
	CTX_SUMMARY_CALL,   /* arguments: only file names are used */
	CTX_SUMMARY_RESULT, /* only file names and errors are used */
};

/* Collects the removed texts in order and selects lines for a summary: first
 * requests and constraints of the user, word for word, then decisions, errors,
 * other lines, and names of files.  Lines that mention names which also occur
 * later come first.  No line is repeated.  Equal texts give equal summaries. */
struct ctx_summary;
int ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err);
void ctx_summary_close(struct ctx_summary *summary);
int ctx_summary_add(struct ctx_summary *summary, enum ctx_summary_kind kind,
    const char *p, size_t n, struct ctx_err *err);
/* Adds a text that is kept: lines that mention names in it are preferred for
 * the summary. */
int ctx_summary_later(struct ctx_summary *summary, const char *p, size_t n,
    struct ctx_err *err);
/* Sets out to a summary with at most limit tokens.  May be called only once. */
int ctx_summary_write(struct ctx_summary *summary,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err);

/* ---- prune/prune_stream.c: within the budget ---------------------------- */

/* An amount as given in an option: a number of tokens or, if percent is true,
 * thousandths of a percent. */
struct ctx_amount {
	uint64_t n;
	bool set, percent;
};

struct ctx_prune_outcome; /* below */

struct ctx_prune_options {
	/* Of these settings the caller sets strategy, level, keep_... and
	 * quantum.  Budget, trigger and target are computed from the members
	 * below. */
	struct ctx_prune_settings settings;
	struct ctx_amount budget;  /* percent: of the window */
	struct ctx_amount trigger; /* percent: of the budget */
	struct ctx_amount target;  /* percent: of the budget */
	uint64_t trigger_tokens;   /* lowers the trigger to this; 0: does not */
	uint64_t
	    /* used if no token budget is given: the output may then have as
	     * many tokens as the window minus this number, which is left for
	     * the answer */
	    reserve;
	uint64_t window; /* tokens; 0: the model's */
	struct ctx_pattern pin_text, pin_tool;
	unsigned pin_roles; /* a bit for each enum ctx_role */
	/* Tools whose results are not edited: those that do not match tool, or
	 * match not_tool. */
	struct ctx_pattern tool, not_tool;
	/* Text of the notice that says that messages were removed, inserted
	 * before the next turn: UTF-8, NUL-terminated; NULL: no notice.  The
	 * strategy summarize inserts none. */
	const char *notice;
	/* summarize: */
	struct ctx_command summarizer; /* without a line: the built-in one */
	const char *prompt;            /* comes first in its input */
	uint64_t summary_tokens;       /* maximum tokens of a summary */
	bool or_builtin;               /* if it fails, use the built-in one */
	struct ctx_scorer_options scorer;
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation; NULL: no call. */
	int (*ended)(void *user, const struct ctx_prune_outcome *outcome,
	    struct ctx_err *err);
};

/* What was done with a conversation. */
struct ctx_prune_outcome {
	const char *file;
	/* line of the record that contains the conversation; 0: the records of
	 * the stream are the messages */
	uint64_t line;
	uint64_t before, after; /* tokens of the whole conversation */
	uint64_t messages, messages_removed; /* messages read, and removed */
	/* number of messages written, including inserted ones */
	uint64_t messages_kept;
	/* A dialect (format) in which ctx could not insert a notice; or NULL.
	 */
	const struct ctx_dialect *notice_unsupported;
	const struct ctx_prune_settings *settings;
	const struct ctx_plan *plan; /* for its floor */
	bool over;                   /* after is above the budget */
	/* True if bound reasoning is kept after a change, which the provider
	 * may refuse. */
	bool breaks_signed_reasoning;
	/* True if nothing was changed, because bound reasoning would have been
	 * kept after a change (CTX_REASONING_FAIL). */
	bool refused;
	const struct ctx_err *error; /* why nothing was changed, or NULL */
};

/* Prunes all conversations of a stream.  A conversation is written when it has
 * ended; until then, the messages that may still be kept are in memory.
 * CTX_EARG: the settings contradict each other, or neither budget nor window
 * is known. */
int ctx_prune(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_prune_options *options,
    struct ctx_err *err);

/* Computes budget, trigger and target for a conversation of this model; NULL:
 * the model is not known. */
int ctx_prune_settings_for(const struct ctx_prune_options *options,
    const struct ctx_model *model, struct ctx_prune_settings *settings,
    struct ctx_err *err);

#endif
