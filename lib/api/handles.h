/* handles.h - shared by the files that implement ctx.h: the structs that ctx.h
 * declares as opaque handles, and helper functions */
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
	/* true once ctx_input_next was called */
	bool reading;
	/* true once ctx_input_next has failed: what is known about the
	 * conversation may then be incomplete, so it reads nothing more */
	bool failed;
	/* the function of the calling program that reads the bytes of the
	 * input; set only by ctx_input_open_callback */
	ctx_read_function *read;
	void *user;
	/* Describes the message that was read last. event.message is NULL
	 * before the first message was read, and at the end of the input. */
	struct ctx_event event;
	/* Memory for the texts of the message that was read last.  The texts
	 * are valid until the next message is read. */
	struct ctx_arena texts;
	struct ctx_buf scratch;
	/* The token counter of the conversation of the message that was read
	 * last.  Valid only if measured is true. */
	struct ctx_model_counter counter;
	bool measured;
	/* number of conversations that were read so far */
	uint64_t conversations;
	/* record_tracker: what is known about the conversation inside the
	 * record that is being read. inner: number of this conversation among
	 * all conversations of the input, from 0. */
	struct conversation_tracker record_tracker;
	uint64_t inner;
	/* line_tracker: what is known about the conversation in which each
	 * message is a separate record. outer: number of this conversation
	 * among all conversations of the input, from 0. has_outer: true once a
	 * message of this conversation was read. */
	struct conversation_tracker line_tracker;
	uint64_t outer;
	bool has_outer;
	/* True if the record of the message that was read last contains more
	 * than this message.  The record is then, for example, a request. */
	bool inside;
};

struct ctx_output {
	struct ctx_writer writer;
	/* the output written so far, if the output is in memory (is_memory) */
	struct ctx_buf memory;
	bool is_memory;
	/* true once the memory for the output could not be enlarged */
	bool no_memory;
};

/* State of a running operation of libctx, such as ctx_prune. */
struct api_run {
	struct ctx_input *input;
	/* where the output is written, or NULL if nothing is written (dry
	 * run) */
	struct ctx_writer *writer;
	struct ctx_output *output;
	struct ctx_report report;
	/* The archive: a file in which the original bytes of changed messages
	 * are saved.  Used only if report.archive is not NULL. */
	struct ctx_archive archive;
	ctx_change_function *on_change;
	void *user;
	struct ctx_result sum;
	/* The first error because of which a part of the input was left
	 * unchanged; its code is CTX_OK if there is none. */
	struct ctx_err late;
	/* A name, with a NUL byte at the end, for a callback. */
	struct ctx_buf name;
};

/* ---- copy_sized.c ---- */

/* Copies an error of the library to *error, the struct of the program. error
 * may be NULL.  Always returns -1. */
int ctx_api_fail(struct ctx_error *error, const struct ctx_err *err);
/* Copies *known, a result of the library, to *program, the struct that the
 * program has passed.  Both structs begin with their size in bytes. size: size
 * of *known.  Members that are missing in the program's older version of the
 * struct are not copied. */
void ctx_api_give(void *program, const void *known, size_t size);
/* Copies the options *program, a struct that the program has passed, to *known,
 * the library's version of the struct. size: size of *known in bytes.  Members
 * that are missing in the program's older version of the struct are 0 in
 * *known.  If program is NULL, or after an error, all members of *known are 0.
 * Fails with CTX_EARG if the program has not set the size of the struct, or has
 * set a member that this library does not know. */
int ctx_api_take_options(void *known, size_t size, const void *program,
    struct ctx_err *err);

/* ---- read_options.c ---- */

/* Copies a string into the memory of the arena, and sets *to to the copy.  If
 * the string is NULL, sets *to to NULL. */
int ctx_api_copy_string(struct ctx_arena *arena, const char *text,
    const char **to, struct ctx_err *err);
/* Finds the value of an option in a list of names that ends with NULL.  Sets *i
 * to the index of the value in the list, or to 0 (the default) if value is
 * NULL.  Fails if the list does not contain the value. what: name of the
 * option, for the error message. */
int ctx_api_choose(const char *what, const char *value,
    const char *const *names, unsigned *i, struct ctx_err *err);
int ctx_api_read_reasoning(const char *value, enum ctx_reasoning *reasoning,
    struct ctx_err *err);
/* Compiles a regular expression and adds it to a list of patterns.  Does
 * nothing if the expression is NULL. */
int ctx_api_add_pattern(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
/* Returns the number that the value of an option stands for.  The value 0
 * stands for the default (the argument "otherwise"), CTX_NONE for 0, and any
 * other value for itself. */
uint64_t ctx_api_number(uint64_t value, uint64_t otherwise);

/* ---- look_up_model.c ---- */

/* Returns the models that the user has defined, as a table.  The memory of the
 * table belongs to *models.  If models is NULL, the table is empty. */
struct ctx_models ctx_api_user_rows(const struct ctx_user_models *models);

/* ---- run.c ---- */

/* Begins an operation.  Fails if a part of the input was already read.  If
 * neither output nor archive is NULL, opens the file with the path "archive",
 * in which the original bytes of changed messages will be saved. */
int ctx_api_begin(struct api_run *run, struct ctx_input *input,
    struct ctx_output *output, const char *archive, struct ctx_err *err);
/* Called at the end of an operation.  If a part of the input was left unchanged
 * because of an error (run->late), writes the rest of the output (ctx_api_end
 * would not write it), sets *err to this error or to the error of writing, and
 * returns -1.  Otherwise returns 0. */
int ctx_api_fail_late(struct api_run *run, struct ctx_err *err);
/* Releases a regular expression.  Before that, adds to the result of the
 * operation (given_up) how often matching this expression was given up because
 * it needed too much work. */
void ctx_api_release_pattern(struct api_run *run, struct ctx_pattern *pattern);
/* Ends an operation: flushes its output (not if rc is -1), closes its archive,
 * and copies the result and the error to *result and *error. rc: -1 if the
 * operation has failed with *err, otherwise 0. no: true if the operation was
 * successful, but its answer is "no" (for example if ctx-check would exit with
 * status 1 because of findings).  Returns -1 if the operation, flushing or
 * closing has failed.  Otherwise returns 1 if no is true, or 0. */
int ctx_api_end(struct api_run *run, int rc, bool no, struct ctx_result *result,
    struct ctx_error *error, struct ctx_err *err);
/* Copies a name to run->name, with a NUL byte at its end, and sets *to to the
 * copy.  Sets *to to NULL if the name is empty. */
int ctx_api_copy_name(struct api_run *run, struct ctx_str name, const char **to,
    struct ctx_err *err);
/* Sets *err to the error that a callback of the program has failed.  Returns
 * -1. */
int ctx_api_stop(struct ctx_err *err);
/* Starts the threads that count tokens ahead of the thread that reads the
 * input. */
int ctx_api_count_ahead(struct ctx_input *input, struct ctx_err *err);

#endif
