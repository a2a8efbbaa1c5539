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
	CTX_LEVEL_LIGHT,      /* only whole groups go */
	CTX_LEVEL_BALANCED,   /* reasoning first */
	CTX_LEVEL_AGGRESSIVE, /* then the bodies of results, and deeper */
};

/* The bounds of one conversation; amounts are tokens unless they say. */
struct ctx_prune_settings {
	const struct ctx_strategy *strategy;
	enum ctx_level level;
	uint64_t budget;       /* what may leave */
	uint64_t trigger;      /* at or under it nothing is done */
	uint64_t target;       /* what a conversation over it is cut down to */
	uint64_t keep_last;    /* newest messages that stay, verbatim */
	uint64_t keep_turns;   /* newest turns whose user and last group stay */
	uint64_t keep_first;   /* first messages that stay (middle-out) */
	uint64_t window_turns; /* newest turns that stay (window) */
	uint64_t quantum;      /* grid that cuts fall on, 0: none */
	uint64_t trigger_messages; /* more than these trigger too, 0: never */
	uint64_t keep_messages; /* newest messages not summarized (summarize) */
	uint64_t keep_tokens;   /* the same in tokens, 0: by messages */
	uint64_t reserved;      /* what a message of ours may cost */
	enum ctx_reasoning reasoning;
	bool binds;  /* the model binds signed reasoning */
	bool always; /* the trigger is off */
	bool pin_system;
	bool alternates; /* roles must: a turn's user and last group stand
			  * together, and stay as long as any of it is held */
};

/*
 * What a policy sees of an item: numbers, worked out by the plan.  Of a
 * group of several items only the first has a weight, which is that of all,
 * and only the first is asked about.
 */
struct ctx_candidate {
	uint64_t weight; /* tokens of the group, as the plan leaves it, */
	uint64_t
	    summary_tokens; /* and those of them that are an earlier summary */
	uint64_t start;     /* tokens of the conversation before it */
	uint64_t age; /* messages from it to the end, its group's newest */
	double rank;  /* of the group: the lowest goes first */
	uint32_t turn;
	uint32_t root;   /* index of the first item of its group */
	bool is_root;    /* the first item of its group */
	bool user;       /* a user message that its turn cannot do without */
	bool system;     /* no group of its turn needs it, and it needs none: a
			  * system message, or any other user message */
	bool pinned;     /* may not go now */
	bool permanent;  /* held for ever: weighs on what is younger */
	bool before_cut; /* stands before something that has gone already */
	bool summary;    /* an earlier summary */
	bool crosses_turns; /* the group reaches into a later turn */
	bool
	    shares_message; /* in one message with results of the turn before */
	bool drop;          /* the policy's answer */
};

/*
 * A strategy.  decide answers for every first unit that is neither held nor
 * user; one that is user goes with the last unit of its turn.  base is
 * what the conversation weighs beside the units, newest its newest turn.
 */
struct ctx_strategy {
	const char *name, *about;
	int (*decide)(struct ctx_candidate *units, size_t n,
	    const struct ctx_prune_settings *limits, uint64_t base,
	    uint32_t newest, struct ctx_err *err);
	bool pins_system;     /* system messages are pinned */
	bool pins_first;      /* the first keep_first messages are pinned */
	bool has_budget;      /* has a trigger, a target and levels */
	bool needs_all;       /* decides at the end only */
	bool summarizes;      /* a message stands for what goes */
	bool clears_results;  /* at light the bodies of results go first, */
	bool truncates_texts; /* at aggressive all of a text but its ends, not
				 bodies */
	bool ranks_user_messages; /* user messages are answered about, too */
	bool refills;             /* what went and still fits comes back */
	bool embeds; /* an embedder ranks with it, if there is one */
	/* Ranks items by their text; NULL: by age.  See
	 * prune/strategy/scorer.c. */
	const struct ctx_scorer_kind *scorer;
	const char *const *reasons; /* of each rank, or NULL */
	uint64_t trigger; /* default, thousandths of a percent; 0: all of it */
};

const struct ctx_strategy *ctx_strategy_at(size_t i);
const struct ctx_strategy *ctx_strategy_find(const char *name);

/* ---- prune/plan.c: what goes, in bounded memory ------------------------- */

/* Why an item may not go; also the owners of the floor, first to last. */
enum ctx_floor_kind {
	CTX_FLOOR_TOOLS,   /* no item: what the request defines */
	CTX_FLOOR_UNKNOWN, /* a record that is no message */
	CTX_FLOOR_SYSTEM,
	CTX_FLOOR_PINNED,
	CTX_FLOOR_LAST, /* among the newest messages */
	CTX_FLOOR_TURN, /* user's message or last group of a newest turn */
	CTX_FLOOR_OPEN, /* a call without its result yet */
	CTX_FLOOR_KEPT, /* no item: what an unbounded policy keeps beside */
	CTX_FLOOR_KINDS
};

/* The state of the plan for one conversation. */
struct ctx_plan {
	struct ctx_prune_settings settings;
	uint64_t fixed; /* tokens of the conversation beside its messages: */
	uint64_t tools, system; /* of its request's tools, system prompt */
	uint64_t notices;       /* tokens kept free for notices */
	uint64_t bound_from;    /* no bound reasoning stays in this message or a
				 * later one; UINT64_MAX: all stays */
	bool cut;               /* something has gone already */
	uint64_t line;  /* no message before it stays unless it is held, */
	uint64_t grid;  /* nor what starts before so many tokens */
	uint8_t *marks; /* of each item, after decide; may be changed */
	uint8_t *holds; /* of each item, a bit of each enum ctx_floor_kind */
	struct ctx_candidate *candidates;
	size_t marks_cap, holds_cap, units_cap;
	uint64_t after;                  /* tokens left ... */
	uint64_t floor[CTX_FLOOR_KINDS]; /* ... and of them, what may not go */
};

/* Forgets the last conversation. */
void ctx_plan_reset(struct ctx_plan *plan,
    const struct ctx_prune_settings *settings);
/*
 * Decides about the items of groups into plan->marks.  With ended false only
 * what must go and be edited whatever follows is marked; with ended true the
 * conversation is complete, after and floor are set, and notices are marked
 * where messages went and a turn follows, as far as the budget has room.
 */
int ctx_plan_decide(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended, struct ctx_err *err);
/* Has the conversation passed its trigger? */
bool ctx_plan_due(const struct ctx_plan *plan, const struct ctx_groups *groups);
/*
 * Has bound reasoning removed from a message, by its number, on, unless the
 * limits keep it; marks and after follow.  To be called after a decision, for
 * what the caller changes beside the marks.
 */
void ctx_plan_bind(struct ctx_plan *plan, const struct ctx_groups *groups,
    uint64_t message);
/*
 * Removes the marks that drop or fold, of a strategy that decides at the end
 * only; the edits of the level stay marked.  Bound reasoning is removed after
 * the first of them only, unless the rest is over the budget then.
 */
void ctx_plan_take_back(struct ctx_plan *plan, struct ctx_groups *groups);
/* True if the marks change a message, or one has been changed before, and
 * leave bound reasoning in it or after it. */
bool ctx_plan_leaves_bound(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Adds after and floor up again, from the marks as they are. */
void ctx_plan_total(struct ctx_plan *plan, struct ctx_groups *groups);
/* What the marks leave of the tokens of item i. */
uint64_t ctx_plan_left(const struct ctx_plan *plan,
    const struct ctx_segment *segment, size_t i);
/* Makes the marks true of the items: those dropped are taken out of groups,
 * those edited cost less. */
int ctx_plan_compact(struct ctx_plan *plan, struct ctx_groups *groups,
    struct ctx_err *err);
void ctx_plan_release(struct ctx_plan *plan);

/* ---- prune/strategy/scorer.c: ranks that depend on the text ------------- */

/*
 * A scorer sees the messages of a conversation as they come and ranks their
 * items when it has ended, before the policy is asked.
 */
struct ctx_scorer;
struct ctx_scorer_options {
	const char *query;    /* recall: the question; NULL: the last user's */
	const char *embedder; /* recall: command, or NULL */
	unsigned seconds;     /* for it */
};

/* *scorer is NULL for policies that rank by age. */
int ctx_scorer_open(struct ctx_scorer **scorer,
    const struct ctx_strategy *strategy,
    const struct ctx_scorer_options *options, struct ctx_err *err);
/* After ctx_groups_add: items from first on are the message's. */
int ctx_scorer_add(struct ctx_scorer *scorer, const struct ctx_message *message,
    const struct ctx_groups *groups, size_t first, struct ctx_err *err);
/* Sets the rank of all items. */
int ctx_scorer_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    struct ctx_err *err);
/* Forgets the conversation, keeps the memory. */
void ctx_scorer_reset(struct ctx_scorer *scorer);
void ctx_scorer_close(struct ctx_scorer *scorer);

/* ---- prune/strategy/summary.c: an extractive summary -------------------- */

/* How a summary message begins, and how it is known again. */
#define CTX_SUMMARY_PREFIX "[Earlier conversation summary]: "
/* What separates a summary, or a notice, from the user's text in one string;
 * neither needs an escape other than \n. */
#define CTX_SUMMARY_SUFFIX "\n\n[End of the summary]\n\n"
#define CTX_NOTICE_SUFFIX  "\n\n"

enum ctx_summary_kind {
	CTX_SUMMARY_EARLIER, /* the text of an earlier summary, folded in */
	CTX_SUMMARY_USER,
	CTX_SUMMARY_ASSISTANT,
	CTX_SUMMARY_CALL,   /* arguments: only for the files they name */
	CTX_SUMMARY_RESULT, /* for the files and errors it names */
};

/*
 * Collects the texts that go, in order, and picks what to keep of them:
 * requests and constraints of the user verbatim, then decisions, errors and
 * what later text speaks of, then the files that were named.  Nothing is
 * said twice.  The same texts give the same summary, always.
 */
struct ctx_summary;
int ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err);
void ctx_summary_close(struct ctx_summary *summary);
int ctx_summary_add(struct ctx_summary *summary, enum ctx_summary_kind kind,
    const char *p, size_t n, struct ctx_err *err);
/* A text that stays: what it names matters more. */
int ctx_summary_later(struct ctx_summary *summary, const char *p, size_t n,
    struct ctx_err *err);
/* Sets out to a summary of at most limit tokens; once for each summary. */
int ctx_summary_write(struct ctx_summary *summary,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err);

/* ---- prune/prune_stream.c: fit the budget ------------------------------- */

/* An amount as people give it: tokens, or thousandths of a percent. */
struct ctx_amount {
	uint64_t n;
	bool set, percent;
};

struct ctx_prune_outcome; /* below */

struct ctx_prune_options {
	/* Strategy, level, floors, quantum; the amounts are worked out. */
	struct ctx_prune_settings settings;
	struct ctx_amount budget;  /* percent: of the window */
	struct ctx_amount trigger; /* percent: of the budget */
	struct ctx_amount target;  /* percent: of the budget */
	uint64_t trigger_tokens;   /* lowers the trigger if not 0 */
	uint64_t reserve; /* tokens off the window if no budget is given */
	uint64_t window;  /* tokens; 0: the model's */
	struct ctx_pattern pin_text, pin_tool;
	unsigned pin_roles; /* a bit for each enum ctx_role */
	/* Names of tools: only their results are edited, and not those. */
	struct ctx_pattern tool, not_tool;
	/* The text of a message, NUL ended and valid UTF-8, that stands where
	 * messages went and a turn follows; NULL: none.  Not for summarize,
	 * whose summary tells of all that went. */
	const char *notice;
	/* summarize: */
	const char *summarizer;  /* command, NULL: the built-in one */
	const char *prompt;      /* given to it before the text */
	uint64_t summary_tokens; /* the most a summary may cost */
	unsigned timeout;        /* seconds */
	bool or_builtin;         /* the built-in one if the command fails */
	struct ctx_scorer_options scorer;
	struct ctx_report report;
	void *user;
	/* Or NULL. */
	int (*ended)(void *user, const struct ctx_prune_outcome *outcome,
	    struct ctx_err *err);
};

/* The end of a conversation. */
struct ctx_prune_outcome {
	const char *file;
	uint64_t line; /* of its record; 0: it is the messages of the stream */
	uint64_t before, after;  /* tokens, framing and all */
	uint64_t messages, gone; /* of those that were read */
	uint64_t messages_kept;  /* summaries and notices of ours with them */
	/* In which no notice can stand, though one was due; or NULL. */
	const struct ctx_dialect *notice_unsupported;
	const struct ctx_prune_settings *settings;
	const struct ctx_plan *plan;  /* for its floor */
	bool over;                    /* after is above the budget */
	bool breaks_signed_reasoning; /* bound reasoning is kept after a change
				       */
	bool refused; /* nothing was changed, for bound reasoning would have
		       * been kept after the change */
	const struct ctx_err *error; /* why nothing was done, or NULL */
};

/*
 * Prunes a stream.  A conversation is written when its end has been seen,
 * never before; of the messages of the stream only those are held that may
 * still be kept.  CTX_EARG: the limits contradict each other, or there is no
 * budget and no window to take it from.
 */
int ctx_prune(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_prune_options *options,
    struct ctx_err *err);

/* The limits of a conversation of this model (NULL: none is known). */
int ctx_prune_settings_for(const struct ctx_prune_options *options,
    const struct ctx_model *model, struct ctx_prune_settings *settings,
    struct ctx_err *err);

#endif
