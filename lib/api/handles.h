/* handles.h - what the files that implement ctx.h share: the structs behind its
 * handles, and helper functions */
#ifndef CTX_API_HANDLES_H
#define CTX_API_HANDLES_H

#include "cost/cost.h"
#include "ctx.h"
#include "io/io.h"
#include "stream/conversation_tracker.h"

struct ctx_input {
	struct ctx_stream stream;
	struct ctx_model_counters counters;
	struct ctx_arena strings; /* memory for copies of names and options */
	unsigned threads;
	/* true once an operation or ctx_input_next has begun to read this
	 * input */
	bool used;
	ctx_read_function *read; /* only for ctx_input_open_callback */
	void *user;
	/* Event of the message that was read last.  Its member message is NULL
	 * if no message was read yet. */
	struct ctx_event event;
	/* Memory for the texts of the message that was read last. */
	struct ctx_arena texts;
	struct ctx_buf scratch;
	/* The token counter of the conversation that was read last.  Valid only
	 * if measured is true. */
	struct ctx_model_counter counter;
	bool measured;
	/* number of conversations that were read so far */
	uint64_t conversations;
	/* The conversation that is inside the current record, and its number in
	 * the input, from 0. */
	struct conversation_tracker record_tracker;
	uint64_t inner;
	/* The conversation in which each message is a record of its own, and
	 * its number in the input, from 0.  has_outer is true once one of its
	 * messages was read. */
	struct conversation_tracker line_tracker;
	uint64_t outer;
	bool has_outer;
	/* true if the message that was read last is only a part of its record,
	 * as the messages of a request are */
	bool inside;
};

struct ctx_output {
	struct ctx_writer writer;
	struct ctx_buf memory; /* only if is_memory is true */
	bool is_memory;
	bool no_memory; /* true after the buffer could not be enlarged */
};

/* State of an operation, such as ctx_prune, while it runs. */
struct api_run {
	struct ctx_input *input;
	struct ctx_writer *writer; /* NULL: a dry run, nothing is written */
	struct ctx_output *output;
	struct ctx_report report;
	/* only if report.archive is not NULL: the file in which the originals
	 * of changed messages are saved */
	struct ctx_archive archive;
	ctx_change_function *on_change;
	void *user;
	struct ctx_result sum;
	/* name of the tool in a change, which the program's callback gets;
	 * ends in a NUL byte */
	struct ctx_buf tool;
};

/* ---- copy_sized.c ---- */

/* Copies an error of the library to the struct of the program, which may be
 * NULL.  Always returns -1. */
int ctx_api_fail(struct ctx_error *error, const struct ctx_err *err);
/* Copies *known, a struct of the library, to *program, the program's struct.
 * Both begin with their size in bytes; if the program's is smaller, only its
 * members are copied. */
void ctx_api_give(void *program, const void *known, size_t size);
/* Copies the options of a program to *known, a struct whose length in bytes is
 * "size".  program may be NULL or have another length.  Clears *known if
 * program is NULL, and after an error.  Fails with CTX_EARG if the program's
 * options say that their length is 0, or set a member that this version of the
 * library does not know. */
int ctx_api_take_options(void *known, size_t size, const void *program,
    struct ctx_err *err);

/* ---- read_options.c ---- */

/* Copies a string into the arena, and sets *to to the copy.  Sets *to to NULL
 * if the string is NULL. */
int ctx_api_copy_string(struct ctx_arena *arena, const char *text,
    const char **to, struct ctx_err *err);
/* Sets *i to the index of value in names, a list that ends with NULL.  If value
 * is NULL, sets *i to 0, the index of the default.  Fails if value is not in
 * the list.  what: name of the option, for the error text. */
int ctx_api_choose(const char *what, const char *value,
    const char *const *names, unsigned *i, struct ctx_err *err);
int ctx_api_read_reasoning(const char *value, enum ctx_reasoning *reasoning,
    struct ctx_err *err);
/* Compiles a regular expression and adds it to a list of patterns.  Does
 * nothing if the expression is NULL. */
int ctx_api_add_pattern(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
/* Returns the number that a program means by the value of an option: for 0 the
 * default (the argument "otherwise"), for CTX_NONE 0, and for any other value
 * the value itself. */
uint64_t ctx_api_number(uint64_t value, uint64_t otherwise);

/* ---- look_up_model.c ---- */

/* Returns the table of the models that the user has defined, a row for each.
 * The rows belong to *models; the caller does not free them.  If models is
 * NULL, there are no rows. */
struct ctx_models ctx_api_user_rows(const struct ctx_user_models *models);

/* ---- run.c ---- */

/* Begins an operation.  Fails if the input was read before.  If archive (a
 * path) and output are not NULL, also opens the archive, in which the originals
 * of changed messages are saved; without output nothing is written. */
int ctx_api_begin(struct api_run *run, struct ctx_input *input,
    struct ctx_output *output, const char *archive, struct ctx_err *err);
/* Reports *late, an error that left a part of the input unchanged; the rest of
 * the input was processed.  Returns 0 if *late is no error (code CTX_OK).
 * Otherwise writes the output, because ctx_api_end writes none after an error,
 * copies *late to *err, and returns -1. */
int ctx_api_fail_late(struct api_run *run, const struct ctx_err *late,
    struct ctx_err *err);
/* Adds the texts for which a pattern was given up to the sums of an operation,
 * and releases the pattern. */
void ctx_api_release_pattern(struct api_run *run, struct ctx_pattern *pattern);
/* Ends an operation: flushes its output, closes its archive, and copies the
 * result and the error to *result and *error. rc: -1 if the operation has
 * failed with *err, else 0. no: true if the answer of the operation is no, such
 * as after findings; its command would then exit with status 1.  Returns -1
 * after an error, also one of flushing or closing; else 1 if "no" is true, else
 * 0. */
int ctx_api_end(struct api_run *run, int rc, bool no, struct ctx_result *result,
    struct ctx_error *error, struct ctx_err *err);
/* Copies a name and a NUL byte to buf, and sets *to to the copy.  Sets *to to
 * NULL if the name is empty. */
int ctx_api_copy_name(struct ctx_buf *buf, struct ctx_str name, const char **to,
    struct ctx_err *err);
/* Sets *err to an error that says that a callback of the program has failed.
 * Returns -1. */
int ctx_api_stop(struct ctx_err *err);
/* Starts the threads that count tokens while the program reads the input. */
int ctx_api_count_ahead(struct ctx_input *input, struct ctx_err *err);

#endif
