/* summary.h - what the files of the built-in summarizer share */
#ifndef CTX_PRUNE_STRATEGY_SUMMARY_H
#define CTX_PRUNE_STRATEGY_SUMMARY_H

#include "prune/prune.h"

/* Classes of lines.  The lines of the first classes are the most important. */
enum line_class {
	TASK,
	REQUEST,
	OPEN_TASK,
	DECISION,
	CHANGED_FILE,
	COMMAND,
	TROUBLE,
	REST,
	CLASSES,
};

/* ---- summary_names.c ---- */

/* A name (path, identifier, id or number) in removed texts. */
struct summary_name {
	uint32_t last;  /* number of the newest text with the name, from 1 */
	uint32_t texts; /* number of texts that contain it */
	bool by_user;   /* true if a text of the user contains it */
};

struct summary_names {
	struct ctx_intern texts;   /* the names in removed texts */
	struct summary_name *list; /* for each of them, at index id - 1 */
	size_t cap;
	uint32_t n_texts;       /* number of removed texts read */
	struct ctx_intern kept; /* names that the reader will find anyway */
	/* Ids of names for the summary, the most useful first.  NULL until
	 * ctx_summary_names_sort is called. */
	uint32_t *order;
	size_t n_order;
};

void ctx_summary_names_release(struct summary_names *names);
/* Reads the names of a removed text. */
int ctx_summary_names_add(struct summary_names *names, struct ctx_str text,
    bool by_user, struct ctx_err *err);
/* Reads the names of a text that is kept: the summary need not list them. */
int ctx_summary_names_keep(struct summary_names *names, struct ctx_str text,
    struct ctx_err *err);
/* Returns true if a name in the text also occurs in a text that is kept. */
bool ctx_summary_names_kept(struct summary_names *names, struct ctx_str text);
/* Chooses which names are useful, and in which order. */
int ctx_summary_names_sort(struct summary_names *names, struct ctx_err *err);
/* Appends to out a line with the first names of that order, as many as have at
 * most limit tokens.  Appends nothing if none fits. */
int ctx_summary_names_write(const struct summary_names *names,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err);

/* Returns true if a line is one that ctx_summary_names_write has written. */
bool ctx_is_names_line(struct ctx_str line);

/* ---- summary_actions.c ---- */

/* What a removed tool call did, or a task that is still open. */
struct summary_action {
	enum line_class class; /* OPEN_TASK, CHANGED_FILE or COMMAND */
	/* The actions are numbered in the order of the newest calls with their
	 * texts, from 1. */
	uint64_t number;
	bool failed;
};

struct summary_actions {
	struct ctx_intern texts;     /* a letter for the class, then the text */
	struct summary_action *list; /* for each of them, at index id - 1 */
	size_t cap;
	uint64_t n_numbers; /* number of the newest action */
	/* Number of the first task of the newest list of tasks.  Tasks with
	 * lower numbers are no longer open. */
	uint64_t first_task;
	struct ctx_intern calls; /* ids of tool calls */
	uint32_t *actions_of;    /* for each id: id in texts; 0: none */
	size_t actions_cap;
	struct ctx_json json;     /* arguments being read */
	struct ctx_buf text, key; /* scratch buffers */
};

void ctx_summary_actions_release(struct summary_actions *actions);
/* Reads a tool call: text->text has its arguments. */
int ctx_summary_actions_call(struct summary_actions *actions,
    const struct ctx_summary_text *text, struct ctx_err *err);
/* Reads a tool result: whether the action of its call has failed. */
int ctx_summary_actions_result(struct summary_actions *actions,
    const struct ctx_summary_text *text, struct ctx_err *err);
/* Adds an action of an earlier summary, without its label. */
int ctx_summary_actions_earlier(struct summary_actions *actions,
    enum line_class class, struct ctx_str text, struct ctx_err *err);
/* Calls add for each action, the oldest first, with its text, which add must
 * copy.  Stops if add returns -1. */
int ctx_summary_actions_each(struct summary_actions *actions,
    int (*add)(void *user, enum line_class class, struct ctx_str text,
	struct ctx_err *err),
    void *user, struct ctx_err *err);

#endif
