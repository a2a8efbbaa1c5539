/* summary.h - shared by the files of the built-in summarizer; text_pieces.c
 * also uses summary_sentences.c and summary_context.c */
#ifndef CTX_PRUNE_STRATEGY_SUMMARY_H
#define CTX_PRUNE_STRATEGY_SUMMARY_H

#include "prune/prune.h"
#include "prune/strategy/summary_outcome.h"

/* Classes of lines in a summary of removed messages, in the order of their
 * importance. */
enum line_class {
	TASK,
	REQUEST,
	OPEN_TASK,
	DONE_TASK,
	/* a sentence that says what is still to be done or decided */
	OPEN_POINT,
	/* a tool call that read a file, web page or issue which the user had
	 * named */
	SOURCE,
	CHANGE, /* a tool call that changed something other than a file */
	COMMIT, /* a command that made a commit, according to its output */
	CHANGED_FILE,
	/* a line of the assistant's last text before a message of the user, or
	 * of a long text after which the assistant continues to work */
	ANSWER,
	DECISION,
	COMMAND,
	TROUBLE,
	LOOK_COMMAND, /* a command that only shows the content of files */
	CALL,
	REST,
	/* a line that quotes the beginning of a kept message of the user: what
	 * the next lines tell happened after that message */
	KEPT_MESSAGE,
	/* number of classes; as the class of a line: the line is not written */
	CLASSES,
};

/* ---- summary_names.c ---- */

/* A name (path, identifier, id or number) in removed texts. */
struct summary_name {
	/* number of the newest removed text with this name, from 1 */
	uint32_t last;
	uint32_t texts; /* number of removed texts that contain the name */
	/* Id of the action (struct summary_action) of the newest tool call that
	 * has this name in its arguments or its result, or 0 if there is
	 * none. */
	uint32_t action;
	/* Id, in summary_names.keys, of the JSON key whose value contains the
	 * name, in the arguments or the result of this tool call; 0 if there is
	 * none. */
	uint32_t key;
	/* index plus 1 of the element of summary_names.below that counts the
	 * names of this action and key; 0 if the name has no key */
	uint32_t below;
	bool by_user; /* true if a text of the user has the name */
	bool earlier; /* true if an earlier summary lists the name */
	bool taken;   /* true if the summary lists the name */
};

/* How useful a name with this id is in a summary. */
struct rated_name {
	double worth;
	uint32_t id;
};

struct summary_names {
	struct ctx_intern texts; /* the names in removed texts */
	/* data of the name with the id n, at index n - 1 */
	struct summary_name *list;
	size_t cap;
	struct ctx_intern keys; /* string table of the keys of JSON objects */
	/* pairs: string table of pairs of an action and a key, as 8 bytes.
	 * below: for the pair with the id n, at index n - 1: how many names
	 * below this key are in the arguments or the result of the action. */
	struct ctx_intern pairs;
	uint32_t *below;
	size_t below_cap;
	uint32_t n_texts;    /* number of removed texts read */
	struct ctx_buf text; /* scratch */
	/* Names that the summary need not list, because they are in kept
	 * messages or in other lines of the summary. */
	struct ctx_intern kept;
	/* The names that the summary may list, the most useful first.  NULL
	 * until ctx_summary_names_sort is called. */
	struct rated_name *order;
	size_t n_order;
};

void ctx_summary_names_release(struct summary_names *names);
/* Collects the names (paths, identifiers, ids, numbers) in a removed text.
 * json: the text parsed as JSON, or NULL if the text is not JSON. action: if
 * the text is the arguments or the result of a tool call, the id of the action
 * (struct summary_action) of this tool call; otherwise 0. */
int ctx_summary_names_add(struct summary_names *names, struct ctx_str text,
    const struct ctx_json *json, uint32_t action, bool by_user,
    struct ctx_err *err);
/* Collects the names (paths, identifiers, ids, numbers) from a list of names in
 * an earlier summary.  In the list, semicolons separate the names of different
 * JSON keys. action: id of the action (struct summary_action) in the line above
 * the list, or 0 if there is none. */
int ctx_summary_names_add_list(struct summary_names *names, struct ctx_str list,
    uint32_t action, struct ctx_err *err);
/* Returns true for the key of an argument that limits the time or the output of
 * a tool call, or of what Codex says in a result about time and output. */
bool ctx_summary_is_limit(struct ctx_str key);
/* Stores that the summary need not list the names in this text, because the
 * text is kept. */
int ctx_summary_names_keep(struct summary_names *names, struct ctx_str text,
    struct ctx_err *err);
/* Returns true if any name (path, identifier, id or number) in the text also
 * occurs in a message that is kept. */
bool ctx_summary_names_kept(struct summary_names *names, struct ctx_str text);
/* Chooses which names the summary may list, and sorts them by their usefulness
 * into names->order. */
int ctx_summary_names_sort(struct summary_names *names, struct ctx_err *err);
static inline bool
ctx_summary_is_word_char(char c)
{
	return ctx_is_letter(c) || ctx_is_digit(c) || c == '_';
}

static inline bool
ctx_summary_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* ---- summary_sentences.c ---- */

/* Returns the class of a sentence, or CLASSES if it is useless in a summary. */
enum line_class ctx_summary_classify(enum ctx_summary_kind kind,
    struct ctx_str text);
/* Removes the first sentence from *text and returns this sentence. *text must
 * not be empty.  A line feed also ends a sentence. */
struct ctx_str ctx_summary_next_sentence(struct ctx_str *text);
/* Numbers of lines that are still to come in a hunk of a diff: of the old and
 * of the new file. */
struct diff_hunk {
	size_t old, new;
};
/* Returns true if a line is the header of a hunk, such as "@@ -6,8 +6,10 @@",
 * or belongs to the hunk before it. *hunk: for the first line of a text, a
 * struct of zeros; for the next line, what this call has stored. */
bool ctx_summary_in_hunk(struct diff_hunk *hunk, struct ctx_str line);
/* Returns how many bytes of a line are used for the summary.  A long line is
 * cut between two words or, if that is not possible, between two characters. */
size_t ctx_summary_line_limit(struct ctx_str text);
/* Returns true for a sentence in which the user says what must or must not be
 * done, or decides something. */
bool ctx_summary_is_constraint(struct ctx_str text);
/* Returns the length in bytes of a line without the colon at its end, which may
 * be in bold type.  Returns 0 if it has none. */
size_t ctx_summary_find_colon(struct ctx_str text);
/* Returns true if a line only announces the lines after it: it ends with a
 * colon, or is a heading in bold type ("**Results**"). */
bool ctx_summary_announces(struct ctx_str text);
/* Returns true if a text is only a command without arguments, such as
 * "/review". */
bool ctx_summary_is_command(struct ctx_str text);
/* what Claude Code writes as the assistant's text if the model said nothing */
#define CTX_NO_ANSWER "No response requested."
/* Both the first and the last line of a block of code begin with this. */
#define CTX_CODE_FENCE "```"
/* Returns true if a sentence of the user begins with words of agreement. */
bool ctx_summary_agrees(struct ctx_str text);
/* Returns true if a text begins with an item of a list: after blanks, a hyphen
 * or an asterisk and another blank. */
bool ctx_summary_is_item(struct ctx_str text);
/* Returns true if a line is an item of a list, with or without a number. */
bool ctx_summary_begins_item(struct ctx_str text);

/* ---- summary_context.c ---- */

/* Finds text that a program has put into a message of the user, such as
 * <system-reminder>.  Sets *from to the offset of this text, and returns its
 * length in bytes.  If there is no such text, sets *from to the length of the
 * whole text, and returns 0. */
size_t ctx_summary_find_context(struct ctx_str text, size_t *from);

/* ---- summary_list.c ---- */

/* An action: what a removed tool call did, such as a command that it ran; or a
 * task.  The id of an action is its index in summary_actions.list plus 1. */
struct summary_action {
	/* OPEN_TASK, DONE_TASK, SOURCE, CHANGE, COMMIT, CHANGED_FILE, COMMAND,
	 * LOOK_COMMAND or CALL; or CLASSES if the action gets no line in the
	 * summary */
	enum line_class class;
	/* number of the removed text in which the action was found; UINT32_MAX
	 * for a task that a kept tool call marks as done */
	uint32_t number;
	uint32_t text; /* id of the action's text in summary_actions.texts */
	/* id of the action's outcome in summary_actions.texts, or 0 if the
	 * outcome is not known */
	uint32_t outcome;
	/* id of the details in summary_actions.texts: values of a result in
	 * JSON, or what an edit changed; or 0 if there are none */
	uint32_t details;
	/* If the call reads a file, web page or issue that the user's newest
	 * message names: id of this name in summary_actions.texts.  Otherwise
	 * 0. */
	uint32_t source;
	/* for a changed file: about how many bytes the call changed */
	uint64_t size;
	/* how many times a file was changed, according to an earlier summary;
	 * 0 if it gives no number, which means once */
	uint32_t changes;
	bool failed;
	bool reports; /* true if the tool call gave a task to another agent */
	/* true if the summary has no line for the action: the task is in a kept
	 * tool call, or was cancelled */
	bool hidden;
};

struct summary_actions {
	struct ctx_intern texts; /* texts and outcomes of actions */
	struct summary_action *list;
	size_t n, cap;
	uint32_t number; /* number of the removed text that is being read */
	/* Number of a removed text.  Tasks that were found in earlier texts are
	 * not open any more, because a later tool call has a new list of tasks.
	 */
	uint32_t first_task;
	struct ctx_intern calls; /* ids of tool calls */
	/* for the tool call with the id n in "calls": id of the call's newest
	 * action, or 0 if there is none */
	uint32_t *actions_of;
	size_t actions_cap;
	/* the arguments of the tool call that is being read, parsed as JSON */
	const struct ctx_json *json;
	bool kept; /* true if the tool call that is being read is kept */
	struct ctx_buf request; /* beginning of the user's newest message */
	/* arguments, call: the arguments of a tool call in a script, as text
	 * and parsed. script: the arguments of all tool calls in the script
	 * that is being read; empty if the tool call has no script. */
	struct ctx_buf arguments, script;
	struct ctx_json call;
	struct ctx_buf text, key, line; /* scratch buffers */
};

/* Maximum lengths in bytes of the text of an action, except its outcome.
 * CTX_MOST_EARLIER: in an earlier summary, where a text that was cut has "..."
 * at its end, and a task its number at its beginning. */
enum { CTX_MOST_ACTION = 120, CTX_MOST_EARLIER = 160 };
/* the text between an action and its outcome or its details */
#define CTX_OUTCOME_MARK " -> "
/* the text after the number of changes of a file, at the end of a line */
#define CTX_CHANGES_SUFFIX " changes)"
/* the text after a call that failed, before its outcome */
#define CTX_FAILED_SUFFIX " (failed)"
/* the text after a task that a kept tool call marks as done */
#define CTX_BELOW_SUFFIX " (see below)"

void ctx_summary_actions_release(struct summary_actions *actions);
bool ctx_summary_is_task(const struct summary_action *action);
/* Parses the arguments or the result of a tool call into *parsed.  Sets *json
 * to parsed, or to NULL if the text is not a JSON object or array. */
int ctx_summary_parse(struct ctx_json *parsed, struct ctx_str text,
    const struct ctx_json **json, struct ctx_err *err);
/* Returns true if a text is equal to one of the words; NULL ends the list. */
bool ctx_summary_is_one_of(struct ctx_str text, const char *const *words);
/* Returns the first line of a text that is not blank, without white space at
 * its beginning and end. */
struct ctx_str ctx_summary_first_line(struct ctx_str text);
/* Returns the beginning of a text, of at most "most" bytes.  The text is cut
 * between two characters. */
struct ctx_str ctx_summary_cut(struct ctx_str text, size_t most);
/* Stores an action (what a tool call did).  The text of the action is the first
 * line of the given text that is not blank.  Sets *id to the id of the action,
 * or to 0 if there is no such line. */
int ctx_summary_actions_record(struct summary_actions *actions,
    enum line_class class, struct ctx_str text, uint32_t *id,
    struct ctx_err *err);
/* The same, of a text of which at most "most" bytes are stored. */
int ctx_summary_actions_add(struct summary_actions *actions,
    enum line_class class, struct ctx_str text, size_t most, uint32_t *id,
    struct ctx_err *err);
/* Stores which action belongs to a tool call, so that the action is found when
 * the result of the tool call is read. call: id of the tool call. */
int ctx_summary_actions_link(struct summary_actions *actions,
    struct ctx_str call, uint32_t action, struct ctx_err *err);
/* Sets *action to the id of the action that belongs to a tool call, or to 0 if
 * there is none. */
int ctx_summary_actions_find(struct summary_actions *actions,
    struct ctx_str call, uint32_t *action, struct ctx_err *err);
/* Sets *text to the text of an action (what a tool call did) and its outcome.
 * The text is valid until the next call. */
int ctx_summary_actions_text(struct summary_actions *actions,
    const struct summary_action *action, struct ctx_str *text,
    struct ctx_err *err);

/* ---- summary_source.c ---- */

/* Must be called for each text block of the user's messages.  Stores the block
 * in actions->request.  If "continues" is true, because the user also wrote
 * the text before, appends it instead. */
int ctx_summary_remember_request(struct summary_actions *actions,
    struct ctx_str text, bool continues, struct ctx_err *err);
/* Sets the member "source" of an action: searches for a word of the action's
 * text that the user's newest message contains, too, and that is the name of a
 * file with prose, the URL of a web page, or the number of an issue. action: id
 * of the action.  Returns 0, or -1 with *err. */
int ctx_summary_find_source(struct summary_actions *actions, uint32_t action,
    struct ctx_err *err);
/* Called with the result of a tool call.  If the member "source" of the call's
 * action is not 0 and the result has sentences: gives the action the class
 * SOURCE, and stores the first sentences as its outcome.  Returns 1 if it has
 * done so, also for an earlier text of the same result, else 0, or -1 with
 * *err. */
int ctx_summary_read_source(struct summary_actions *actions, uint32_t action,
    struct ctx_str text, struct ctx_err *err);

/* ---- summary_tasks.c ---- */

/* Stores the tasks in the arguments of a tool call (actions->json).  Returns 1
 * if the tool call is about tasks, 0 if it is not, or -1 with *err.  Sets *id
 * to the id of the task if the tool call adds one task. */
int ctx_summary_tasks_call(struct summary_actions *actions, struct ctx_str tool,
    uint32_t *id, struct ctx_err *err);
/* Reads the number of a new task from the result of its tool call. id: id of
 * the task. */
int ctx_summary_tasks_result(struct summary_actions *actions, uint32_t id,
    const struct ctx_summary_text *result, struct ctx_err *err);
/* Stores the number of a task, so that a later change of its status finds the
 * task. number: a text that begins with the number; if it does not, nothing is
 * stored. */
int ctx_summary_tasks_number(struct summary_actions *actions, uint32_t id,
    struct ctx_str number, struct ctx_err *err);

/* ---- summary_running.c ---- */

/* If a tool call (its arguments are actions->json) only waits for a command or
 * script that has not ended, sets *id to the id of the action that started it,
 * or to 0 if that is not known.  Returns 1 if the call waits, 0 if it does not,
 * or -1 with *err. */
int ctx_summary_running_call(struct summary_actions *actions,
    struct ctx_str tool, uint32_t *id, struct ctx_err *err);
/* If a tool result says that a command or script has not ended, stores that the
 * action with the id "action" has started it. */
int ctx_summary_running_result(struct summary_actions *actions,
    struct ctx_str result, uint32_t action, struct ctx_err *err);

/* ---- summary_command.c ---- */

/* Writes the beginning of a command in one line to the buffer "out", without
 * parts that do not show its aim. */
int ctx_summary_write_command(struct ctx_str command, struct ctx_buf *scratch,
    struct ctx_buf *out, struct ctx_err *err);
/* Returns true if a command only shows the content of files. */
bool ctx_summary_only_reads(struct ctx_str command);
/* Returns true if a part of a command shows the content of files. */
bool ctx_summary_also_reads(struct ctx_str command);

/* ---- summary_changes.c ---- */

/* If a tool call edits or writes a file, stores what it changes, found in its
 * arguments, as the details of the action with this id (see struct
 * summary_action). */
int ctx_summary_record_edit(struct summary_actions *actions, uint32_t id,
    struct ctx_err *err);
/* Stores an action for each file that a patch in the format of the tool
 * apply_patch changes, with the change as its details.  Sets *id to the id of
 * the last action.  Returns the number of these files, or -1 with *err. */
int ctx_summary_record_patch(struct summary_actions *actions,
    struct ctx_str patch, uint32_t *id, struct ctx_err *err);

/* ---- summary_actions.c ---- */

/* Stores what a tool call does: a command that it runs, files that it changes,
 * tasks, or something else.  Of a kept tool call (actions->kept), stores only
 * tasks. text->text: the arguments of the tool call. json: the arguments parsed
 * as JSON, or NULL if they are not JSON (for example, because their end was
 * removed).  Sets *action to the id of the newest action that was stored, or to
 * 0 if none was. */
int ctx_summary_actions_call(struct summary_actions *actions,
    const struct ctx_summary_text *text, const struct ctx_json *json,
    uint32_t *action, struct ctx_err *err);
/* Reads a tool result, and stores it as the outcome of the action with the id
 * "action" (what its tool call did). json: the result parsed as JSON, or NULL
 * if it is not JSON. */
int ctx_summary_actions_result(struct summary_actions *actions,
    const struct ctx_summary_text *text, const struct ctx_json *json,
    uint32_t action, struct ctx_err *err);
/* Adds an action (what a tool call did) from an earlier summary.  The caller
 * must pass the text without the label of the line, such as "Ran: ".  Sets
 * *action to the id of the action. */
int ctx_summary_actions_earlier(struct summary_actions *actions,
    enum line_class class, struct ctx_str text, uint32_t *action,
    struct ctx_err *err);

/* ---- summary.c ---- */

/* The first FIRST_LINES lines of the user are selected before all other
 * lines. */
enum { FIRST_LINES = 3 };

struct summary_line {
	uint32_t id; /* id of the line's text in ctx_summary.seen */
	/* True if the line is from an earlier summary that a command has
	 * written.  Such a line is written without a label such as "User: ". */
	bool earlier;
	enum line_class class; /* CLASSES if the summary must not have it */
	/* True if the line is from a long text of the assistant, after which
	 * the assistant continues to work.  It has the class ANSWER, or
	 * other_class if there are many such texts. */
	bool in_work;
	enum line_class other_class;
	/* Number of the removed text in which the line was found.  The summary
	 * has its lines in the order of these numbers. */
	uint32_t number;
	uint64_t tokens;
	/* For the first FIRST_LINES lines of the user: number of the line, from
	 * 1.  For all other lines: 0. */
	unsigned first;
	/* true if the sentence is the first in its line of the message, and
	 * that line is not indented */
	bool leads;
	/* true for the first sentence of a text of the user, for a heading or
	 * numbered item of a long one, or for the header of a table */
	bool heads;
	/* true if the line is the first or the last of an answer, or has the
	 * user's agreement */
	bool frames;
	/* True if a name in the line also occurs in a text that is kept. */
	bool mentioned_later;
	bool taken;
	/* True if the line was selected because names are listed below it. */
	bool for_names;
	bool has_names;   /* true if names are listed below the line */
	bool reports;     /* see struct summary_action */
	uint32_t details; /* see struct summary_action */
	/* For a changed file. changes: number of successful calls that changed
	 * it. size: struct summary_action.size of the call whose details are
	 * told. */
	uint32_t changes;
	uint64_t size;
	/* True if the details of the line (member details) are written into the
	 * summary, too. */
	bool with_details;
};

struct ctx_summary {
	struct summary_line *lines;
	size_t n, cap;
	/* number of removed texts up to the newest summary of an earlier run; 0
	 * if there is none */
	uint32_t earlier_texts;
	/* true while such a summary is read: none of its lines is treated as a
	 * repetition of another */
	bool reads_earlier;
	/* number of the user's lines so far, counted up to FIRST_LINES */
	unsigned user_lines;
	/* The texts of all lines, so that no line is added twice.  The id of
	 * the text of lines[i] is i + 1. */
	struct ctx_intern seen;
	/* Endings of sentences of the assistant, in which each number is
	 * replaced by 0. */
	struct ctx_intern shapes;
	struct ctx_buf shape, thought, kept; /* scratch */
	enum ctx_summary_kind newest;        /* kind of the text read last */
	/* asks: true if the newest text of the assistant has a question.
	 * question: the last question or, if there is none, the last sentence
	 * of this text; empty if the user has agreed. answer:
	 * index, in the member "lines", of the first line of this text. */
	bool asks;
	struct ctx_buf question;
	size_t answer;
	/* the arguments or result of the tool call that is being read, parsed
	 * as JSON */
	struct ctx_json json;
	struct summary_names names;
	struct summary_actions actions;
	/* For the action with the id n, at index n - 1: index of the action's
	 * line in the member "lines", plus 1; 0 if the action has no line.
	 * NULL until the lines are selected. */
	uint32_t *line_of;
};

/* The line of a kept message begins and ends with these texts, with the
 * beginning of the message between them. */
#define CTX_KEPT_BEGIN "After the user's message \""
#define CTX_KEPT_END   "\" (complete below):"

/* For each class of lines: the kind of text that contains its lines; the label
 * before its lines in the summary; the maximum share of the summary's tokens
 * that its lines may use, in percent.  If a class does not use its share, the
 * unused tokens are available for the next class. */
struct class_row {
	enum ctx_summary_kind kind;
	const char *label;
	unsigned share;
};
extern const struct class_row ctx_summary_classes[CLASSES];
/* Adds a line for each action (what a tool call did), the oldest first.  Sets
 * the elements of s->line_of. */
int ctx_summary_add_actions(struct ctx_summary *s, struct ctx_err *err);

/* ---- summary_earlier.c ---- */

/* Adds the lines and names of a summary that an earlier run has inserted. */
int ctx_summary_add_earlier(struct ctx_summary *s, struct ctx_str text,
    struct ctx_err *err);

/* ---- summary_lines.c ---- */

/* Adds a line, unless the summary has it already. earlier: see struct
 * summary_line. */
int ctx_summary_add_line(struct ctx_summary *s, bool earlier,
    enum line_class class, struct ctx_str text, struct ctx_err *err);
/* Adds a sentence to the lines if it is useful in a summary.  If the sentence
 * is too long, adds its beginning if the user wrote it, otherwise nothing. */
int ctx_summary_add_sentence(struct ctx_summary *s, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err);
/* Stores the last question or sentence of a text of the assistant, and where
 * the lines of the text begin. */
int ctx_summary_remember_answer(struct ctx_summary *s, struct ctx_str text,
    struct ctx_err *err);
/* Gives the class ANSWER to lines of the newest text of the assistant, because
 * a message of the user follows. */
void ctx_summary_end_answer(struct ctx_summary *s);
/* If a text of the user agrees to the last question of the assistant, or
 * answers it with a number or letter, adds a line with the question and the
 * answer, and removes this sentence from *text.  If the assistant asked
 * nothing, its last sentence counts as the question, but only if the text of
 * the user has no other sentence. */
int ctx_summary_add_agreement(struct ctx_summary *s, struct ctx_str *text,
    struct ctx_err *err);
/* Adds the line of a kept message.  If the summary already has this line,
 * changes the class of the line.  The caller passes CLASSES (not written) for a
 * line of an earlier summary, and KEPT_MESSAGE when it finds that the message
 * of the line is kept. */
int ctx_summary_add_kept_line(struct ctx_summary *s, struct ctx_str text,
    enum line_class class, struct ctx_err *err);
/* Adds the line of a kept message of the user, unless a program has written the
 * whole message. */
int ctx_summary_add_kept_message(struct ctx_summary *s, struct ctx_str text,
    struct ctx_err *err);

/* ---- summary_choose.c ---- */

/* Cancels the selection of one line: the last line of the least important
 * class.  Returns false if no line is selected. */
bool ctx_summary_drop_line(struct ctx_summary *s);
/* Selects lines of the classes "from" to "to" that together have at most "left"
 * tokens.  If shares is true, each class may not use more than its share.
 * Returns how many of the "left" tokens are not used. */
uint64_t ctx_summary_take_lines(struct ctx_summary *s, enum line_class from,
    enum line_class to, uint64_t left, bool shares);
/* Selects the lines that do not depend on the names that will be listed.
 * Returns how many of the "limit" tokens are left for names. */
uint64_t ctx_summary_take_main(struct ctx_summary *s, uint64_t limit);

/* ---- summary_text.c ---- */

/* A selected name.  Names are sorted by the line below which they are
 * written. */
struct placed_name {
	/* index in summary_writer.order of the line below which the name is
	 * written; UINT32_MAX if there is none */
	uint32_t place;
	uint32_t key, id; /* key: see struct summary_name; id: id of the name */
};

/* A line of the summary, by its struct summary_line.number and its index in
 * ctx_summary.lines. */
struct numbered_line {
	uint32_t number, index;
};

/* What summary_write.c has selected for the summary. */
struct summary_writer {
	struct ctx_summary *s;
	struct ctx_token_counter *counter;
	/* order: the lines in the order in which they are written. place_of:
	 * for each line, its index in the array "order". */
	struct numbered_line *order;
	uint32_t *place_of;
	/* Pairs of a line and a key, as 8 bytes: the tokens of this key are
	 * already counted in the list of names below this line. */
	struct ctx_intern keys;
	struct placed_name *names; /* the names that are written, sorted */
	size_t n_names;
	struct ctx_buf scratch;
};

/* the line before the lists of names at the end of the summary; the names that
 * belong to no tool call follow in the same line */
#define CTX_NAMES_LABEL "Names in removed messages:"
/* the indentation of a list of names below its tool call, and of all sentences
 * of a message but the first */
#define CTX_LIST_INDENTATION "  "

/* Appends the selected lines and the lists of names. */
int ctx_summary_append_lines(const struct summary_writer *w,
    struct ctx_buf *out, struct ctx_err *err);

#endif
