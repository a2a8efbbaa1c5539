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
	CTX_LEVEL_LIGHT,      /* remove whole groups only */
	CTX_LEVEL_BALANCED,   /* remove reasoning first */
	CTX_LEVEL_AGGRESSIVE, /* then clear tool results or shorten texts */
};

/* Settings for one conversation.  Amounts are tokens unless they say otherwise.
 */
struct ctx_prune_settings {
	const struct ctx_strategy *strategy;
	enum ctx_level level;
	uint64_t budget; /* maximum tokens of the output */
	uint64_t
	    trigger; /* a conversation of at most this many is not changed */
	uint64_t target; /* a conversation above the trigger is reduced to this
			    many */
	uint64_t keep_last; /* newest messages that are kept unchanged */
	/* Newest turns whose user message and last group are kept. */
	uint64_t keep_turns;
	uint64_t keep_first;   /* first messages that are kept (middle-out) */
	uint64_t window_turns; /* newest turns that are kept (window) */
	/* Groups are removed in cells of this many tokens, counted from the
	 * start of the conversation; 0: one by one. */
	uint64_t quantum;
	/* A conversation with more messages is pruned, too; 0: no limit. */
	uint64_t trigger_messages;
	/* The newest messages that summarize does not remove: by number or, if
	 * keep_tokens is not 0, by tokens. */
	uint64_t keep_messages;
	uint64_t keep_tokens;
	uint64_t reserved; /* maximum tokens of an inserted message */
	enum ctx_reasoning reasoning;
	bool binds;  /* the model binds signed reasoning */
	bool always; /* prune even below the trigger */
	bool pin_system;
	/* Roles must alternate: if anything of a turn is pinned, its user
	 * message and its last group are kept. */
	bool alternates;
};

/* A segment as a strategy sees it.  The first segment of a group stands for the
 * group: it alone has a weight, the tokens of the whole group, and the strategy
 * sets drop only there. */
struct ctx_candidate {
	uint64_t weight; /* tokens of the group, after the edits so far */
	/* Tokens of earlier summaries in the weight. */
	uint64_t summary_tokens;
	uint64_t start; /* tokens of the conversation before it */
	/* Messages from the newest message of its group to the end. */
	uint64_t age;
	double rank; /* rank of the group; the lowest is removed first */
	uint32_t turn;
	uint32_t root; /* index of the first segment of its group */
	bool is_root;  /* true if it is the first segment of its group */
	bool user;     /* a user message that its turn cannot do without */
	/* Does not depend on its turn: a system message, an unknown record, or
	 * a user message that the turn can do without. */
	bool system;
	bool pinned; /* must not be removed now; a later message may change that
		      */
	/* Never removed: its tokens count against those of younger groups. */
	bool permanent;
	bool before_cut;     /* a later segment was removed earlier */
	bool summary;        /* an earlier summary */
	bool crosses_turns;  /* its group reaches into a later turn */
	bool shares_message; /* its message has results of the turn before, too
			      */
	bool drop;           /* set by the strategy: remove the group */
};

/* Decides which candidates a strategy removes; see struct ctx_strategy. */
typedef int ctx_strategy_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);

/* A strategy.  decide sets drop of each candidate with is_root that is neither
 * pinned nor user.  A user message is removed with the last group of its turn.
 * base is the tokens outside the candidates, newest the newest turn. */
struct ctx_strategy {
	const char *name, *about;
	ctx_strategy_decide *decide;
	bool pins_system;     /* system messages are pinned */
	bool pins_first;      /* the first keep_first messages are pinned */
	bool has_budget;      /* has a trigger, a target and levels */
	bool needs_all;       /* decides at the end of the conversation only */
	bool summarizes;      /* replaces removed messages by a summary */
	bool clears_results;  /* clears tool results first, at level light */
	bool truncates_texts; /* at level aggressive shortens texts to head and
				 tail instead of clearing results */
	bool ranks_user_messages; /* decides about user messages, too */
	bool refills; /* keeps groups after all if they still fit in the end */
	bool embeds;  /* can rank by the user's embedder */
	/* Ranks segments by their text; NULL: by age. */
	const struct ctx_scorer_kind *scorer;
	/* Why a segment is removed: a text for each rank from 0 on, n_reasons
	 * in all.  NULL: the ranks are no reasons.  See ctx_strategy_reason. */
	const char *const *reasons;
	size_t n_reasons;
	/* Default trigger, in thousandths of a percent of the budget; 0: the
	 * whole budget. */
	uint64_t trigger;
};

const struct ctx_strategy *ctx_strategy_at(size_t i);
const struct ctx_strategy *ctx_strategy_find(const char *name);

/* ---- prune/plan.c: what to remove, in bounded memory -------------------- */

/* Why a segment must be kept.  The tokens of a segment with several reasons are
 * counted under the first of them. */
enum ctx_floor_kind {
	CTX_FLOOR_TOOLS,   /* the tools of the request, which are no segment */
	CTX_FLOOR_UNKNOWN, /* a record that is not a message */
	CTX_FLOOR_SYSTEM,
	CTX_FLOOR_PINNED,
	CTX_FLOOR_LAST, /* one of the newest messages (keep_last) */
	CTX_FLOOR_TURN, /* user message or last group of one of the newest turns
			 */
	CTX_FLOOR_OPEN, /* a tool call without result */
	CTX_FLOOR_KEPT, /* other segments that a strategy without budget keeps
			 */
	CTX_FLOOR_KINDS
};

/* The plan for one conversation. */
struct ctx_plan {
	struct ctx_prune_settings settings;
	uint64_t
	    fixed; /* tokens of the conversation outside its messages, ... */
	uint64_t tools,
	    system; /* ... those of its tools and system prompt among them */
	uint64_t notices; /* tokens reserved for notices */
	/* Bound reasoning is removed from this message on; UINT64_MAX:
	 * nowhere. */
	uint64_t bound_from;
	bool has_cut;         /* a group was removed */
	uint64_t cut_message; /* messages before this index are kept only if
				 pinned; ... */
	uint64_t cut_tokens;  /* ... so are segments that start before this many
				 tokens */
	uint8_t *marks; /* per segment: CTX_MARK bits, set by ctx_plan_decide */
	uint8_t *floors; /* per segment: a bit for each enum ctx_floor_kind */
	struct ctx_candidate *candidates;
	size_t marks_cap, floors_cap, candidates_cap;
	uint64_t after;                  /* tokens that the plan leaves, ... */
	uint64_t floor[CTX_FLOOR_KINDS]; /* ... and those that must be kept, by
					    reason */
};

/* Begins a conversation. */
void ctx_plan_reset(struct ctx_plan *plan,
    const struct ctx_prune_settings *settings);
/* Sets plan->marks for all segments.  With ended false it marks only what must
 * be removed or edited whatever follows.  With ended true the conversation is
 * complete: it also sets after and floor, and marks notices as far as the
 * budget allows. */
int ctx_plan_decide(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended, struct ctx_err *err);
/* Returns true if the conversation must be pruned: it is above its trigger, or
 * the strategy has none. */
bool ctx_plan_due(const struct ctx_plan *plan, const struct ctx_groups *groups);
/* Marks bound reasoning for removal from this message index on, unless the
 * settings keep it, and updates after.  To be called after ctx_plan_decide, for
 * changes that the marks do not show. */
void ctx_plan_bind(struct ctx_plan *plan, const struct ctx_groups *groups,
    uint64_t message);
/* Clears the marks that remove segments and earlier summaries; marks of the
 * level are kept.  Bound reasoning is then removed only after the first of
 * these, unless the result would exceed the budget.  For strategies that decide
 * only at the end. */
void ctx_plan_take_back(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns true if a message is changed, by the marks or earlier, and bound
 * reasoning is kept in it or after it. */
bool ctx_plan_leaves_bound(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Computes after and floor from the marks. */
void ctx_plan_total(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns the tokens of segment i that the marks leave. */
uint64_t ctx_plan_left(const struct ctx_plan *plan,
    const struct ctx_segment *segment, size_t i);
/* Applies the marks to the groups: removes the segments with CTX_MARK_DROP and
 * lowers the tokens of edited ones. */
int ctx_plan_compact(struct ctx_plan *plan, struct ctx_groups *groups,
    struct ctx_err *err);
void ctx_plan_release(struct ctx_plan *plan);

/* ---- prune/strategy/scorer.c: ranks that depend on the text ------------- */

/* A scorer reads the messages of a conversation as they arrive.  At the end of
 * the conversation it ranks the segments for the strategy. */
struct ctx_scorer;
struct ctx_scorer_options {
	/* recall: the question; NULL: the last user message. */
	const char *query;
	struct ctx_command embedder; /* recall: makes vectors of the texts */
};

/* Sets *scorer; NULL for a strategy that ranks by age. */
int ctx_scorer_open(struct ctx_scorer **scorer,
    const struct ctx_strategy *strategy,
    const struct ctx_scorer_options *options, struct ctx_err *err);
/* Adds a message after ctx_groups_add; its segments are those from first on. */
int ctx_scorer_add(struct ctx_scorer *scorer, const struct ctx_message *message,
    const struct ctx_groups *groups, size_t first, struct ctx_err *err);
/* Sets the rank of all segments.  CTX_EARG: the embedder failed. */
int ctx_scorer_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    struct ctx_err *err);
/* Begins the next conversation; memory is reused. */
void ctx_scorer_reset(struct ctx_scorer *scorer);
void ctx_scorer_close(struct ctx_scorer *scorer);

/* ---- prune/strategy/summary.c: an extractive summary -------------------- */

/* A summary starts with this text.  A later run recognizes it by that. */
#define CTX_SUMMARY_PREFIX "[Earlier conversation summary]: "
/* Separate a summary or a notice from the user's text in one string.  In JSON
 * only their line feeds are escaped. */
#define CTX_SUMMARY_SUFFIX "\n\n[End of the summary]\n\n"
#define CTX_NOTICE_SUFFIX  "\n\n"

enum ctx_summary_kind {
	CTX_SUMMARY_EARLIER, /* an earlier summary */
	CTX_SUMMARY_USER,
	CTX_SUMMARY_ASSISTANT,
	CTX_SUMMARY_CALL,   /* arguments: only file names are used */
	CTX_SUMMARY_RESULT, /* only file names and errors are used */
};

/* Collects removed texts in order and selects lines for a summary: requests and
 * constraints of the user verbatim, then decisions, errors, other lines, then
 * file names.  Lines that mention names of later text come first.  No line is
 * repeated.  Equal texts give equal summaries. */
struct ctx_summary;
int ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err);
void ctx_summary_close(struct ctx_summary *summary);
int ctx_summary_add(struct ctx_summary *summary, enum ctx_summary_kind kind,
    const char *p, size_t n, struct ctx_err *err);
/* Adds a text that is kept: lines that mention its names matter more. */
int ctx_summary_later(struct ctx_summary *summary, const char *p, size_t n,
    struct ctx_err *err);
/* Sets out to a summary of at most limit tokens.  To be called once. */
int ctx_summary_write(struct ctx_summary *summary,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err);

/* ---- prune/prune_stream.c: within the budget ---------------------------- */

/* An amount as given in an option: tokens, or thousandths of a percent. */
struct ctx_amount {
	uint64_t n;
	bool set, percent;
};

struct ctx_prune_outcome; /* below */

struct ctx_prune_options {
	/* The caller sets strategy, level, keep_... and quantum.  Budget,
	 * trigger and target are computed from the members below. */
	struct ctx_prune_settings settings;
	struct ctx_amount budget;  /* percent: of the window */
	struct ctx_amount trigger; /* percent: of the budget */
	struct ctx_amount target;  /* percent: of the budget */
	uint64_t trigger_tokens;   /* lowers the trigger to this; 0: does not */
	uint64_t
	    reserve; /* without a budget: tokens of the window for the answer */
	uint64_t window; /* tokens; 0: the model's */
	struct ctx_pattern pin_text, pin_tool;
	unsigned pin_roles; /* a bit for each enum ctx_role */
	/* Results of other tools are not edited. */
	struct ctx_pattern tool, not_tool;
	/* Text of the notice that is inserted where messages before a turn were
	 * removed: UTF-8, NUL-terminated; NULL: none.  summarize inserts none.
	 */
	const char *notice;
	/* summarize: */
	struct ctx_command summarizer; /* without a line: the built-in one */
	const char *prompt;            /* comes first in its input */
	uint64_t summary_tokens;       /* maximum tokens of a summary */
	bool or_builtin;               /* if it fails, use the built-in one */
	struct ctx_scorer_options scorer;
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation; NULL: not called. */
	int (*ended)(void *user, const struct ctx_prune_outcome *outcome,
	    struct ctx_err *err);
};

/* What was done with a conversation. */
struct ctx_prune_outcome {
	const char *file;
	uint64_t line; /* of its record; 0: the conversation of the stream */
	uint64_t before, after; /* tokens of the whole conversation */
	uint64_t messages, messages_removed; /* messages read, and removed */
	uint64_t messages_kept; /* messages written, inserted ones included */
	/* A dialect in which a notice could not be inserted; or NULL. */
	const struct ctx_dialect *notice_unsupported;
	const struct ctx_prune_settings *settings;
	const struct ctx_plan *plan; /* for its floor */
	bool over;                   /* after is above the budget */
	/* Bound reasoning was kept after a change. */
	bool breaks_signed_reasoning;
	/* Nothing was changed, because bound reasoning would have been kept
	 * after a change. */
	bool refused;
	const struct ctx_err *error; /* why nothing was changed, or NULL */
};

/*
 * Prunes a stream.  A conversation is written only after its end; until then
 * the messages that may still be kept are held in memory. CTX_EARG: the
 * settings contradict each other, or neither budget nor window is known.
 */
int ctx_prune(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_prune_options *options,
    struct ctx_err *err);

/* Computes the settings for a conversation of this model (NULL: not known). */
int ctx_prune_settings_for(const struct ctx_prune_options *options,
    const struct ctx_model *model, struct ctx_prune_settings *settings,
    struct ctx_err *err);

#endif
