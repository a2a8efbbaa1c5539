/*
 * prune.h - ctx-prune: a conversation within its budget
 */
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

/* Settings for one conversation; amounts are tokens unless they say. */
struct ctx_prune_settings {
	const struct ctx_strategy *strategy;
	enum ctx_level level;
	uint64_t budget;    /* maximum tokens of the output */
	uint64_t trigger;   /* a conversation of at most this is not changed */
	uint64_t target;    /* a larger one is reduced to this */
	uint64_t keep_last; /* newest messages that are kept unchanged */
	/* Newest turns whose user message and last group are kept. */
	uint64_t keep_turns;
	uint64_t keep_first;   /* first messages that are kept (middle-out) */
	uint64_t window_turns; /* newest turns that are kept (window) */
	/* Groups are removed in cells of this many tokens; 0: one by one. */
	uint64_t quantum;
	/* More messages than this trigger pruning, too; 0: never. */
	uint64_t trigger_messages;
	/* Newest messages that are not summarized (summarize); keep_tokens is
	 * the same in tokens, 0: by messages. */
	uint64_t keep_messages;
	uint64_t keep_tokens;
	uint64_t reserved; /* maximum tokens of an inserted message */
	enum ctx_reasoning reasoning;
	bool binds;  /* the model binds signed reasoning */
	bool always; /* prune without a trigger */
	bool pin_system;
	/* Roles must alternate: the user message of a turn and its last group
	 * are kept together, as long as anything of the turn is pinned. */
	bool alternates;
};

/*
 * A segment as a strategy sees it: numbers computed by the plan.  The first
 * segment of a group stands for the group: only it has a weight, the tokens of
 * the whole group, and only for it the strategy decides.
 */
struct ctx_candidate {
	uint64_t weight; /* tokens of the group, after the edits so far */
	/* Of the weight, tokens of an earlier summary. */
	uint64_t summary_tokens;
	uint64_t start; /* tokens of the conversation before it */
	/* Messages from the newest segment of its group to the end. */
	uint64_t age;
	double rank; /* of the group: the lowest is removed first */
	uint32_t turn;
	uint32_t root; /* index of the first segment of its group */
	bool is_root;  /* true if that is this one */
	bool user;     /* a user message that its turn cannot do without */
	/* Independent of its turn: a system message, or a user message that
	 * the turn can do without. */
	bool system;
	bool pinned; /* must not be removed now */
	/* Pinned for ever: its tokens count against younger groups. */
	bool permanent;
	bool before_cut;     /* something after it was removed earlier */
	bool summary;        /* an earlier summary */
	bool crosses_turns;  /* its group reaches into a later turn */
	bool shares_message; /* in a message with results of the turn before */
	bool drop;           /* set by the strategy: remove the group */
};

/* Decides which candidates a strategy removes; see struct ctx_strategy. */
typedef int ctx_strategy_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);

/*
 * A strategy.  decide sets drop for each candidate with is_root that is neither
 * pinned nor user; a user message is removed when the last group of its turn
 * is. base is the tokens of the conversation outside the candidates, newest the
 * newest turn.
 */
struct ctx_strategy {
	const char *name, *about;
	ctx_strategy_decide *decide;
	bool pins_system;     /* system messages are pinned */
	bool pins_first;      /* the first keep_first messages are pinned */
	bool has_budget;      /* has a trigger, a target and levels */
	bool needs_all;       /* decides at the end of the conversation only */
	bool summarizes;      /* replaces removed messages by a summary */
	bool clears_results;  /* clears tool results first, at level light */
	bool truncates_texts; /* at aggressive shortens texts to head and tail
			       * instead of clearing results */
	bool ranks_user_messages; /* decides for user messages, too */
	bool refills; /* in the end keeps groups that it had removed, if they
			 fit */
	bool embeds;  /* can rank by the user's embedder */
	/* Ranks segments by their text; NULL: by age. */
	const struct ctx_scorer_kind *scorer;
	/* The reason of removal for each rank from 0 on, n_reasons texts; NULL:
	 * its ranks are not reasons.  To be read by ctx_strategy_reason. */
	const char *const *reasons;
	size_t n_reasons;
	/* Default trigger, in thousandths of a percent of the budget; 0: the
	 * whole budget. */
	uint64_t trigger;
};

const struct ctx_strategy *ctx_strategy_at(size_t i);
const struct ctx_strategy *ctx_strategy_find(const char *name);

/* ---- prune/plan.c: what to remove, in bounded memory -------------------- */

/* Why a segment must not be removed.  A segment with several reasons counts for
 * the first. */
enum ctx_floor_kind {
	CTX_FLOOR_TOOLS,   /* not a segment: the tools of the request */
	CTX_FLOOR_UNKNOWN, /* a record that is not a message */
	CTX_FLOOR_SYSTEM,
	CTX_FLOOR_PINNED,
	CTX_FLOOR_LAST, /* one of the newest messages (keep_last) */
	CTX_FLOOR_TURN, /* user message or last group of a newest turn */
	CTX_FLOOR_OPEN, /* a tool call without result */
	CTX_FLOOR_KEPT, /* the rest that a strategy without budget keeps */
	CTX_FLOOR_KINDS
};

/* The state of the plan for one conversation. */
struct ctx_plan {
	struct ctx_prune_settings settings;
	uint64_t fixed; /* tokens of the conversation outside its messages, */
	uint64_t tools, system; /* of them those of tools, system prompt */
	uint64_t notices;       /* tokens reserved for notices */
	/* Bound reasoning is removed from this message on; UINT64_MAX:
	 * nowhere. */
	uint64_t bound_from;
	bool has_cut; /* something was removed already */
	uint64_t
	    cut_message; /* messages before this one are kept only if pinned, */
	uint64_t cut_tokens; /* and so are segments that start before so many
				tokens */
	uint8_t *marks;      /* per segment, set by decide: CTX_MARK bits */
	uint8_t *floors;     /* per segment: a bit per enum ctx_floor_kind */
	struct ctx_candidate *candidates;
	size_t marks_cap, floors_cap, candidates_cap;
	uint64_t after;                  /* tokens that are left, ... */
	uint64_t floor[CTX_FLOOR_KINDS]; /* ... and the floor, by reason */
};

/* Begins a conversation. */
void ctx_plan_reset(struct ctx_plan *plan,
    const struct ctx_prune_settings *settings);
/*
 * Sets plan->marks for all segments.  With ended false it marks only what must
 * be removed or edited whatever follows.  With ended true the conversation is
 * complete: it sets after and floor, too, and marks notices where messages were
 * removed before a turn, as far as the budget allows.
 */
int ctx_plan_decide(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended, struct ctx_err *err);
/* Returns true if the conversation is above its trigger. */
bool ctx_plan_due(const struct ctx_plan *plan, const struct ctx_groups *groups);
/*
 * Marks bound reasoning for removal from the message of this index on, unless
 * the settings keep it, and updates after.  To be called after a decision, for
 * changes that the caller makes outside the marks.
 */
void ctx_plan_bind(struct ctx_plan *plan, const struct ctx_groups *groups,
    uint64_t message);
/*
 * Clears the marks DROP and FOLD, for a strategy that decides at the end only;
 * marks of the level are kept.  Bound reasoning is then removed only after the
 * first of those, unless the rest would be above the budget.
 */
void ctx_plan_take_back(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns true if a message is changed, by the marks or earlier, and bound
 * reasoning is kept in it or after it. */
bool ctx_plan_leaves_bound(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Computes after and floor again from the marks. */
void ctx_plan_total(struct ctx_plan *plan, struct ctx_groups *groups);
/* Returns the tokens that the marks leave of segment i. */
uint64_t ctx_plan_left(const struct ctx_plan *plan,
    const struct ctx_segment *segment, size_t i);
/* Applies the marks to the segments: removes those marked DROP from groups and
 * lowers the tokens of those that are edited. */
int ctx_plan_compact(struct ctx_plan *plan, struct ctx_groups *groups,
    struct ctx_err *err);
void ctx_plan_release(struct ctx_plan *plan);

/* ---- prune/strategy/scorer.c: ranks that depend on the text ------------- */

/*
 * A scorer reads the messages of a conversation as they arrive.  At its end it
 * ranks the segments, before the strategy decides.
 */
struct ctx_scorer;
struct ctx_scorer_options {
	/* recall: the question; NULL: the last user message. */
	const char *query;
	const char *embedder; /* recall: shell command, or NULL */
	unsigned seconds;     /* its timeout */
};

/* Sets *scorer; NULL for a strategy that ranks by age. */
int ctx_scorer_open(struct ctx_scorer **scorer,
    const struct ctx_strategy *strategy,
    const struct ctx_scorer_options *options, struct ctx_err *err);
/* Adds a message after ctx_groups_add; its segments are those from first on. */
int ctx_scorer_add(struct ctx_scorer *scorer, const struct ctx_message *message,
    const struct ctx_groups *groups, size_t first, struct ctx_err *err);
/* Sets the rank of all segments. */
int ctx_scorer_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    struct ctx_err *err);
/* Begins the next conversation; memory is reused. */
void ctx_scorer_reset(struct ctx_scorer *scorer);
void ctx_scorer_close(struct ctx_scorer *scorer);

/* ---- prune/strategy/summary.c: an extractive summary -------------------- */

/* A summary begins with this text and is recognised by it. */
#define CTX_SUMMARY_PREFIX "[Earlier conversation summary]: "
/* Separates a summary, or a notice, from the user's text in one string.  In
 * JSON neither needs an escape other than \n. */
#define CTX_SUMMARY_SUFFIX "\n\n[End of the summary]\n\n"
#define CTX_NOTICE_SUFFIX  "\n\n"

enum ctx_summary_kind {
	CTX_SUMMARY_EARLIER, /* an earlier summary */
	CTX_SUMMARY_USER,
	CTX_SUMMARY_ASSISTANT,
	CTX_SUMMARY_CALL,   /* arguments; only file names are taken */
	CTX_SUMMARY_RESULT, /* only file names and errors are taken */
};

/*
 * Collects the removed texts in order and selects lines for the summary:
 * requests and constraints of the user verbatim, then decisions, errors and
 * things that later text mentions, then file names.  No line is repeated. Equal
 * texts always give equal summaries.
 */
struct ctx_summary;
int ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err);
void ctx_summary_close(struct ctx_summary *summary);
int ctx_summary_add(struct ctx_summary *summary, enum ctx_summary_kind kind,
    const char *p, size_t n, struct ctx_err *err);
/* Adds a text that is kept: lines that share names with it matter more. */
int ctx_summary_later(struct ctx_summary *summary, const char *p, size_t n,
    struct ctx_err *err);
/* Sets out to a summary of at most limit tokens; to be called once. */
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
	/* The caller sets strategy, level, floors and quantum; amounts are
	 * computed from the members below. */
	struct ctx_prune_settings settings;
	struct ctx_amount budget;  /* percent: of the window */
	struct ctx_amount trigger; /* percent: of the budget */
	struct ctx_amount target;  /* percent: of the budget */
	uint64_t trigger_tokens;   /* lowers the trigger if not 0 */
	uint64_t
	    reserve; /* without a budget: tokens subtracted from the window */
	uint64_t window; /* tokens; 0: the model's */
	struct ctx_pattern pin_text, pin_tool;
	unsigned pin_roles; /* a bit for each enum ctx_role */
	/* Only results of tools that match tool, and not not_tool, are edited.
	 */
	struct ctx_pattern tool, not_tool;
	/* Text of the message inserted where messages were removed before a
	 * turn, NUL-terminated UTF-8; NULL: none.  Not for summarize, whose
	 * summary stands for all that was removed. */
	const char *notice;
	/* summarize: */
	const char *summarizer;  /* shell command; NULL: the built-in one */
	const char *prompt;      /* given to it before the text */
	uint64_t summary_tokens; /* maximum tokens of a summary */
	unsigned timeout;        /* seconds */
	bool or_builtin;         /* use the built-in one if the command fails */
	struct ctx_scorer_options scorer;
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation; or NULL. */
	int (*ended)(void *user, const struct ctx_prune_outcome *outcome,
	    struct ctx_err *err);
};

/* The end of a conversation. */
struct ctx_prune_outcome {
	const char *file;
	uint64_t line; /* of its record; 0: the stream's own conversation */
	uint64_t before, after;              /* all tokens */
	uint64_t messages, messages_removed; /* messages read, and removed */
	uint64_t messages_kept; /* messages written, inserted ones included */
	/* The dialect that has no place for a notice that was due; or NULL. */
	const struct ctx_dialect *notice_unsupported;
	const struct ctx_prune_settings *settings;
	const struct ctx_plan *plan; /* for its floor */
	bool over;                   /* after is above the budget */
	/* Bound reasoning is kept after a change. */
	bool breaks_signed_reasoning;
	/* Nothing was changed, because bound reasoning would have been kept
	 * after the change. */
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
