/* summary.h - what the files of the built-in summarizer share */
#ifndef CTX_PRUNE_STRATEGY_SUMMARY_H
#define CTX_PRUNE_STRATEGY_SUMMARY_H

#include "prune/prune.h"

/* Classes of lines in a summary of removed messages.  The first classes are the
 * most important. */
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
	uint32_t texts; /* number of texts with the name */
	bool by_user;   /* true if a text of the user has the name */
};

struct summary_names {
	struct ctx_intern texts;   /* the names in removed texts */
	struct summary_name *list; /* for each name, at index id - 1 */
	size_t cap;
	uint32_t n_texts; /* number of removed texts read */
	/* names that need not be listed, because they are in kept messages or
	 * in the lines of the summary */
	struct ctx_intern kept;
	/* Ids of the names that the summary may list, the most useful first.
	 * NULL until ctx_summary_names_sort is called. */
	uint32_t *order;
	size_t n_order;
};

void ctx_summary_names_release(struct summary_names *names);
/* Collects the names (paths, identifiers, ids, numbers) in a removed text. */
int ctx_summary_names_add(struct summary_names *names, struct ctx_str text,
    bool by_user, struct ctx_err *err);
/* Records that the names in a text need not be listed, because the reader will
 * see this text. */
int ctx_summary_names_keep(struct summary_names *names, struct ctx_str text,
    struct ctx_err *err);
/* Returns true if a name in the text also occurs in a message that is kept. */
bool ctx_summary_names_kept(struct summary_names *names, struct ctx_str text);
/* Chooses which names the summary may list, and sorts them by their usefulness:
 * fills names->order. */
int ctx_summary_names_sort(struct summary_names *names, struct ctx_err *err);
/* Appends a line with a list of names, the most useful first, as many as have
 * at most limit tokens.  Appends nothing if no name fits. */
int ctx_summary_names_write(const struct summary_names *names,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err);

/* Returns true if a line is a list of names that ctx_summary_names_write has
 * written. */
bool ctx_is_names_line(struct ctx_str line);

/* ---- summary_actions.c ---- */

/* What a removed tool call did, such as a command that it ran; or a task that
 * is still open. */
struct summary_action {
	enum line_class class; /* OPEN_TASK, CHANGED_FILE or COMMAND */
	/* Number by which actions are sorted, from 1.  An action that is
	 * repeated gets the number of its newest call. */
	uint64_t number;
	bool failed;
};

struct summary_actions {
	/* for each action: a letter for its class, then its text */
	struct ctx_intern texts;
	/* for each text: its action, at index id - 1 */
	struct summary_action *list;
	size_t cap;
	uint64_t n_numbers; /* highest number of an action so far */
	/* Number of the first task in the newest list of tasks.  Tasks with
	 * lower numbers are not open any more. */
	uint64_t first_task;
	struct ctx_intern calls; /* ids of tool calls */
	/* for each id of a tool call: id of the call's action in the member
	 * "texts"; 0: none */
	uint32_t *actions_of;
	size_t actions_cap;
	struct ctx_json json;     /* arguments being read */
	struct ctx_buf text, key; /* scratch buffers */
};

void ctx_summary_actions_release(struct summary_actions *actions);
/* Records what a tool call does: a command that it runs, files that it changes,
 * or open tasks.  text->text must have its arguments. */
int ctx_summary_actions_call(struct summary_actions *actions,
    const struct ctx_summary_text *text, struct ctx_err *err);
/* Reads a tool result.  If its tool call has failed, marks the action that was
 * added for this call as failed. */
int ctx_summary_actions_result(struct summary_actions *actions,
    const struct ctx_summary_text *text, struct ctx_err *err);
/* Adds an action from an earlier summary.  Its label, such as "Ran: ", must
 * have been removed. */
int ctx_summary_actions_earlier(struct summary_actions *actions,
    enum line_class class, struct ctx_str text, struct ctx_err *err);
/* Calls add for each action, the oldest first.  The text is only valid during
 * the call.  Stops if add returns -1. */
int ctx_summary_actions_each(struct summary_actions *actions,
    int (*add)(void *user, enum line_class class, struct ctx_str text,
	struct ctx_err *err),
    void *user, struct ctx_err *err);

#endif
