/* prune.h - ctx-prune: removes messages until a conversation fits into a token
 * budget */
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
	CTX_LEVEL_LIGHT,    /* remove groups of messages, and edit nothing */
	CTX_LEVEL_BALANCED, /* remove reasoning before groups of messages */
	/* Remove reasoning, then replace tool results by a short text or
	 * shorten texts, before groups of messages are removed. */
	CTX_LEVEL_AGGRESSIVE,
};

/* Settings for one conversation.  The unit is tokens unless a comment says
 * otherwise. */
struct ctx_prune_settings {
	const struct ctx_strategy *strategy;
	enum ctx_level level;
	uint64_t budget; /* maximum tokens of the output */
	/* a conversation up to this size is not changed */
	uint64_t trigger;
	/* A conversation above the trigger is pruned until it has at most this
	 * many tokens. */
	uint64_t target;
	/* number of newest messages that are never changed */
	uint64_t keep_last;
	/* Number of newest turns of which the user message and the last group
	 * of messages are kept. */
	uint64_t keep_turns;
	/* True if fewer messages, fewer turns may be kept where these and the
	 * other floors exceed what CTX_FLOOR_SHARE says. */
	bool shrinks_last, shrinks_turns;
	/* for the strategy middle-out: number of messages at the start that
	 * are kept */
	uint64_t keep_first;
	/* for the strategy window: number of newest turns that are kept */
	uint64_t window_turns;
	/* For strategies that remove by age: the conversation is divided into
	 * sections of this many tokens, each of which is kept or removed as a
	 * whole.  So what is kept changes less often between requests. 0: no
	 * sections. */
	uint64_t quantum;
	/* A conversation with more messages than this is pruned, even if its
	 * tokens do not exceed the trigger. 0: no such limit. */
	uint64_t trigger_messages;
	/* For the strategy summarize: number of newest messages that are kept.
	 * If keep_tokens is not 0, the newest messages with this many tokens
	 * are kept instead. */
	uint64_t keep_messages;
	uint64_t keep_tokens;
	/* tokens that are reserved for an inserted message */
	uint64_t reserved;
	enum ctx_reasoning reasoning;
	bool binds;  /* the model's signed reasoning is bound */
	bool always; /* prune even if the trigger is not exceeded */
	bool pin_system;
	/* True if the format demands that roles alternate.  If a message of a
	 * turn is pinned, the turn's user message and last group are then
	 * kept, too. */
	bool alternates;
};

/* A candidate: a segment (message or part of one) as a strategy sees it.  The
 * first segment of a group stands for the whole group: only there the member
 * weight is set, and only there the strategy sets drop. */
struct ctx_candidate {
	/* Tokens that the group has after the edits decided so far. */
	uint64_t weight;
	/* Of the tokens in weight, those of summaries that an earlier run has
	 * inserted. */
	uint64_t summary_tokens;
	uint64_t start; /* tokens of the conversation before the segment */
	/* Number of messages from the newest one of the group to the end of
	 * the conversation. */
	uint64_t age;
	/* Rank of the group.  Groups with the lowest rank are removed first. */
	double rank;
	uint32_t turn;
	uint32_t root; /* index of the first segment of the group */
	bool is_root;  /* true if this is the first segment of the group */
	/* True for a user message that must be kept as long as anything of its
	 * turn is kept. */
	bool user;
	/* True if the segment is removed independently of its turn: it is a
	 * system message, a record that is not a message, or a user message
	 * that its turn does not need. */
	bool system;
	/* True if the segment must be kept now.  This may change when later
	 * messages are read. */
	bool pinned;
	/* True if the segment will never be removed, so that its tokens are
	 * not available for newer groups. */
	bool permanent;
	/* an earlier plan has removed a newer segment than this one */
	bool before_cut;
	bool summary;       /* the segment is a summary of an earlier run */
	bool crosses_turns; /* the group has segments in several turns */
	/* True if the message of the segment also contains tool results of the
	 * turn before. */
	bool shares_message;
	bool drop; /* set by the strategy: true to remove the group */
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
	bool pins_system; /* system messages are never removed */
	/* the first keep_first messages are never removed */
	bool pins_first;
	bool has_budget; /* has a trigger, a target and levels */
	/* True if the strategy can decide only when the whole conversation was
	 * read. */
	bool needs_all;
	bool summarizes; /* inserts a summary of removed messages */
	/* True if tool results are replaced by a short text before groups are
	 * removed, even at the level light. */
	bool clears_results;
	/* True if the level aggressive keeps only the beginning and the end of
	 * long texts.  False if it replaces tool results by a short text. */
	bool truncates_texts;
	bool ranks_user_messages; /* removes user messages by their own rank */
	/* The strategy finally keeps removed groups that still fit the
	 * target. */
	bool refills;
	/* the strategy can use embeddings of the user's embedder */
	bool embeds;
	/* The scorer, which gives each segment a rank by its text.  NULL: the
	 * strategy removes by age. */
	const struct ctx_scorer_kind *scorer;
	/* Texts for reports that say why a segment was removed: one for each
	 * rank from 0 on, n_reasons in total.  NULL: ranks have no such
	 * meaning.  See ctx_strategy_reason. */
	const char *const *reasons;
	size_t n_reasons;
	/* Default trigger of the strategy, in thousandths of a percent of the
	 * budget. 0: the whole budget. */
	uint64_t trigger;
};

const struct ctx_strategy *ctx_strategy_at(size_t i);
const struct ctx_strategy *ctx_strategy_find(const char *name);

/* ---- prune/plan.c: what to remove, in bounded memory -------------------- */

/* Reasons for which a segment must be kept.  If a segment has several reasons,
 * its tokens are counted for the first one. */
enum ctx_floor_kind {
	/* Not a segment: the tool definitions of the request, which are always
	 * kept. */
	CTX_FLOOR_TOOLS,
	CTX_FLOOR_UNKNOWN, /* the segment is a record that is not a message */
	CTX_FLOOR_SYSTEM,
	CTX_FLOOR_PINNED,
	/* the segment is one of the newest messages (keep_last) */
	CTX_FLOOR_LAST,
	/* The segment is a user message of one of the newest turns, or in the
	 * last group of such a turn (keep_turns). */
	CTX_FLOOR_TURN,
	CTX_FLOOR_OPEN, /* the segment has a tool call without a result */
	/* There is none of these reasons, but a strategy without a token
	 * budget keeps the segment. */
	CTX_FLOOR_KEPT,
	CTX_FLOOR_KINDS
};

/* The plan for a conversation: what is removed and edited. */
struct ctx_plan {
	struct ctx_prune_settings settings;
	/* Tokens of the conversation that are not in its messages. */
	uint64_t fixed;
	/* Of the fixed tokens, those of the tool definitions and those of the
	 * system prompt. */
	uint64_t tools, system;
	uint64_t notices; /* tokens that are reserved for notices */
	/* Index of the first message from which on bound reasoning (signed
	 * reasoning that the provider refuses after a change before it) is
	 * removed; UINT64_MAX: nowhere. */
	uint64_t bound_from;
	bool has_cut; /* true once a group was removed */
	/* Messages before this index were removed, unless they had to be
	 * kept. */
	uint64_t cut_message;
	/* Segments that begin before this many tokens were removed, unless
	 * they had to be kept. */
	uint64_t cut_tokens;
	/* For each segment: the CTX_MARK_... bits that ctx_plan_decide has
	 * set. */
	uint8_t *marks;
	/* For each segment: why it must be kept, as bits 1 << enum
	 * ctx_floor_kind. */
	uint8_t *floors;
	struct ctx_candidate *candidates;
	size_t marks_cap, floors_cap, candidates_cap;
	/* tokens of the conversation after all planned changes */
	uint64_t after;
	/* number of tokens that must be kept, for each reason */
	uint64_t floor[CTX_FLOOR_KINDS];
};

/* Makes the plan ready for the next conversation. */
void ctx_plan_reset(struct ctx_plan *plan,
    const struct ctx_prune_settings *settings);
/* Decides which segments are removed or edited, and sets plan->marks.  If
 * ended is false, more messages will come: then only changes are marked that
 * will be made whatever comes.  If ended is true, the conversation is
 * complete: plan->after and plan->floor are then final, and notices are marked
 * as far as the budget allows. */
int ctx_plan_decide(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended, struct ctx_err *err);
/* Finds out what must be kept of a complete conversation: sets plan->floors,
 * for ctx_scorer_rank. */
int ctx_plan_survey(struct ctx_plan *plan, struct ctx_groups *groups,
    struct ctx_err *err);
/* Returns true if the conversation must be pruned: because it exceeds its
 * trigger, or because the strategy has no trigger. */
bool ctx_plan_due(const struct ctx_plan *plan, const struct ctx_groups *groups);
/* Marks bound reasoning for removal, from the message with this index on,
 * unless the settings keep it, and updates plan->after.  Called after
 * ctx_plan_decide, for changes that have no mark. */
void ctx_plan_bind(struct ctx_plan *plan, const struct ctx_groups *groups,
    uint64_t message);
/* Cancels all removals of segments and of earlier summaries, but not the edits
 * that the level allows.  Bound reasoning is then removed only after the first
 * message with such an edit.  If the result would exceed the budget, bound
 * reasoning is removed as the plan has decided before.  Used for strategies
 * that decide only at the end of the conversation. */
void ctx_plan_take_back(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns true if the provider would refuse the output: bound reasoning is
 * kept in a message that is changed, or after one that was changed, now or by
 * an earlier run. */
bool ctx_plan_leaves_bound(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Computes plan->after, the tokens of the conversation, and plan->floor, the
 * tokens that must be kept, from the marks of all segments. */
void ctx_plan_total(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns the tokens that segment i has after the planned edits. */
uint64_t ctx_plan_left(const struct ctx_plan *plan,
    const struct ctx_segment *segment, size_t i);
/* Changes *groups according to the marks: removes the segments with
 * CTX_MARK_DROP, and lowers the tokens of edited segments. */
int ctx_plan_compact(struct ctx_plan *plan, struct ctx_groups *groups,
    struct ctx_err *err);
void ctx_plan_release(struct ctx_plan *plan);

/* ---- prune/strategy/scorer.c: ranks that depend on the text ------------- */

/* A scorer.  It reads the messages of a conversation one by one, and at the
 * end gives each segment a rank for the strategy. */
struct ctx_scorer;
struct ctx_scorer_options {
	/* For the strategy recall: the question.  NULL: it is the last user
	 * message. */
	const char *query;
	struct ctx_command embedder; /* for recall: makes embeddings of texts */
};

/* Sets *scorer to a new scorer for the strategy; to NULL if the strategy
 * removes by age. */
int ctx_scorer_open(struct ctx_scorer **scorer,
    const struct ctx_strategy *strategy,
    const struct ctx_scorer_options *options, struct ctx_err *err);
/* Makes the scorer read a message that ctx_groups_add has added.  Its segments
 * are those from index first on. */
int ctx_scorer_add(struct ctx_scorer *scorer, const struct ctx_message *message,
    const struct ctx_groups *groups, size_t first, struct ctx_err *err);
/* Sets the rank of all segments. plan: the settings and, set by
 * ctx_plan_survey, the floors.  CTX_EARG: the embedder, a program of the user,
 * has failed. */
int ctx_scorer_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err);
/* Makes the scorer ready for the next conversation.  Keeps its memory. */
void ctx_scorer_reset(struct ctx_scorer *scorer);
void ctx_scorer_close(struct ctx_scorer *scorer);

/* ---- prune/strategy/summary.c: an extractive summary -------------------- */

/* Beginning of the text of every summary that ctx inserts.  A later run
 * recognises the summary by it. */
#define CTX_SUMMARY_PREFIX "[Earlier conversation summary]: "
/* If a summary or notice is put into a string with the user's text, this
 * separates them.  In JSON only its line feeds are escaped. */
#define CTX_SUMMARY_SUFFIX "\n\n[End of the summary]\n\n"
#define CTX_NOTICE_SUFFIX  "\n\n"

enum ctx_summary_kind {
	CTX_SUMMARY_EARLIER, /* a summary of an earlier run */
	CTX_SUMMARY_USER,
	CTX_SUMMARY_ASSISTANT,
	/* arguments of a tool call, of which only file names are used */
	CTX_SUMMARY_CALL,
	/* a tool result, of which only file names and errors are used */
	CTX_SUMMARY_RESULT,
};

/* The built-in summarizer.  It collects the removed texts in order and selects
 * lines for a summary: first requests and constraints of the user, word for
 * word, then decisions, errors, other lines, and names of files.  Lines that
 * mention names which also occur later come first.  No line is repeated.
 * Equal texts give equal summaries. */
struct ctx_summary;
int ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err);
void ctx_summary_close(struct ctx_summary *summary);
int ctx_summary_add(struct ctx_summary *summary, enum ctx_summary_kind kind,
    const char *p, size_t n, struct ctx_err *err);
/* Adds a text that is kept.  Lines that mention names in this text are
 * preferred for the summary. */
int ctx_summary_later(struct ctx_summary *summary, const char *p, size_t n,
    struct ctx_err *err);
/* Selects the lines, and sets out to a summary with at most limit tokens.  May
 * be called only once. */
int ctx_summary_write(struct ctx_summary *summary,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err);

/* ---- prune/prune_stream.c: within the budget ---------------------------- */

/* The value of an option: a number of tokens or, if percent is true,
 * thousandths of a percent. */
struct ctx_amount {
	uint64_t n;
	bool set, percent;
};

struct ctx_prune_outcome; /* defined below */

struct ctx_prune_options {
	/* The caller sets strategy, level, quantum and the members keep_... of
	 * these settings.  Budget, trigger and target are computed from the
	 * members below. */
	struct ctx_prune_settings settings;
	struct ctx_amount budget;  /* if percent: of the context window */
	struct ctx_amount trigger; /* if percent: of the budget */
	struct ctx_amount target;  /* if percent: of the budget */
	/* Maximum of the trigger in tokens; 0: no maximum. */
	uint64_t trigger_tokens;
	/* Used if no budget is given: number of tokens that are left for the
	 * answer.  The budget is then the context window minus this number. */
	uint64_t reserve;
	uint64_t window; /* context window in tokens; 0: the model's */
	struct ctx_pattern pin_text, pin_tool;
	unsigned pin_roles; /* roles that are pinned: bits 1 << enum ctx_role */
	/* Patterns of tool names.  The results of a tool are not edited if its
	 * name does not match tool, or matches not_tool. */
	struct ctx_pattern tool, not_tool;
	/* Text of the notice, which says that messages were removed and is
	 * inserted before the next turn: UTF-8, NUL-terminated.  NULL: no
	 * notice.  The strategy summarize inserts none. */
	const char *notice;
	/* The following members are for the strategy summarize: */
	/* Command that writes the summary.  If it has no command line, the
	 * built-in summarizer is used. */
	struct ctx_command summarizer;
	const char *prompt; /* beginning of the summarizer's input */
	/* maximum length of a summary in tokens */
	uint64_t summary_tokens;
	/* if summarizer fails, the built-in one is used */
	bool or_builtin;
	struct ctx_scorer_options scorer;
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation; or NULL. */
	int (*ended)(void *user, const struct ctx_prune_outcome *outcome,
	    struct ctx_err *err);
};

/* What was done with a conversation. */
struct ctx_prune_outcome {
	const char *file;
	/* Number of the line with the conversation. 0 for a conversation that
	 * has many lines, each of them a message. */
	uint64_t line;
	/* tokens of the conversation, before and after pruning */
	uint64_t before, after;
	/* number of messages read, and of those removed */
	uint64_t messages, messages_removed;
	/* number of messages written, including inserted ones */
	uint64_t messages_kept;
	/* A message format in which ctx should have inserted a notice but
	 * could not; or NULL. */
	const struct ctx_dialect *notice_unsupported;
	const struct ctx_prune_settings *settings;
	/* the plan; its member floor says what must be kept */
	const struct ctx_plan *plan;
	bool over; /* true if after exceeds the budget */
	/* True if bound reasoning is kept after a change, so that the provider
	 * may refuse the output. */
	bool breaks_signed_reasoning;
	/* True if nothing was changed, because bound reasoning would then come
	 * after a change (CTX_REASONING_FAIL). */
	bool refused;
	/* the error for which nothing was changed, or NULL */
	const struct ctx_err *error;
};

/* Prunes all conversations of a stream.  Until a conversation has ended, the
 * messages that may be kept are in memory; then they are written.  CTX_EARG:
 * the settings contradict each other, or neither budget nor window is known. */
int ctx_prune(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_prune_options *options,
    struct ctx_err *err);

/* Computes budget, trigger and target for a conversation. model NULL: its
 * model is not known. */
int ctx_prune_settings_for(const struct ctx_prune_options *options,
    const struct ctx_model *model, struct ctx_prune_settings *settings,
    struct ctx_err *err);

#endif
