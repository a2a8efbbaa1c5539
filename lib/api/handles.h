/* handles.h - what the functions of the public interface share */
#ifndef CTX_API_HANDLES_H
#define CTX_API_HANDLES_H

#include "cost/cost.h"
#include "ctx.h"
#include "io/io.h"
#include "stream/conversation_tracker.h"

struct ctx_input {
	struct ctx_stream stream;
	struct ctx_model_counters counters;
	struct ctx_arena strings; /* copies of names and options */
	unsigned threads;
	/* true once an operation or ctx_input_next has begun to read */
	bool used;
	ctx_read_function *read; /* only for ctx_input_open_callback */
	void *user;
	/* The message that was read last; its member message is NULL if there
	 * is none. */
	struct ctx_event event;
	/* Texts of the message that was read last. */
	struct ctx_arena texts;
	struct ctx_buf scratch;
	/* The token counter of the conversation that was read last; not set as
	 * long as measured is false. */
	struct ctx_model_counter counter;
	bool measured;
	uint64_t conversations; /* number of conversations so far */
	/* The conversation inside the record that was read last, and its number
	 * from 0. */
	struct conversation_tracker record_tracker;
	uint64_t inner;
	/* The conversation whose messages are records, and its number from 0;
	 * has_outer is true once one of these messages was read. */
	struct conversation_tracker line_tracker;
	uint64_t outer;
	bool has_outer;
	/* true if the message that was read last is inside a record */
	bool inside;
};

struct ctx_output {
	struct ctx_writer writer;
	struct ctx_buf memory; /* only if is_memory is true */
	bool is_memory;
	bool no_memory; /* true once the buffer could not grow */
};

/* An operation that is running. */
struct api_run {
	struct ctx_input *input;
	struct ctx_writer *writer; /* NULL: dry run */
	struct ctx_output *output;
	struct ctx_report report;
	struct ctx_archive archive; /* open if report.archive is not NULL */
	ctx_change_function *on_change;
	void *user;
	struct ctx_result sum;
	struct ctx_buf tool; /* name of a change's tool, with its NUL byte */
};

/* ---- copy_sized.c ---- */

/* Copies an error of the library to the program's, which may be NULL.  Returns
 * -1. */
int ctx_api_fail(struct ctx_error *error, const struct ctx_err *err);
/* Fills a struct of the program, which begins with its size and may be shorter
 * than known, the struct of the library. */
void ctx_api_give(void *program, const void *known, size_t size);
/* Copies options of a program, which may be NULL or of another size, to known,
 * of size bytes.  Clears known if program is NULL, and after an error.
 * CTX_EARG: the options have no size, or set a member that the library does not
 * know. */
int ctx_api_take_options(void *known, size_t size, const void *program,
    struct ctx_err *err);

/* ---- read_options.c ---- */

/* Sets *to to a copy of a string in the arena; to NULL if the string is NULL.
 */
int ctx_api_copy_string(struct ctx_arena *arena, const char *text,
    const char **to, struct ctx_err *err);
/* Sets *i to the index of a value in a list of names that ends with NULL; to
 * that of the default, 0, if value is NULL.  what: the member, for the error.
 */
int ctx_api_choose(const char *what, const char *value,
    const char *const *names, unsigned *i, struct ctx_err *err);
int ctx_api_read_reasoning(const char *value, enum ctx_reasoning *reasoning,
    struct ctx_err *err);
/* Adds a regular expression to a list, unless it is NULL. */
int ctx_api_add_pattern(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
/* Returns a number of the options: 0 stands for the default, CTX_NONE for 0. */
uint64_t ctx_api_number(uint64_t value, uint64_t otherwise);

/* ---- run.c ---- */

/* Begins an operation.  Fails if the input was read before.  Opens the archive,
 * a path, unless it is NULL or output is NULL: then nothing is written. */
int ctx_api_begin(struct api_run *run, struct ctx_input *input,
    struct ctx_output *output, const char *archive, struct ctx_err *err);
/* Ends an operation.  rc: 0, or -1 if the operation has failed with *err.
 * Flushes the output, closes the archive and copies the result and the error to
 * the structs of the program.  Returns -1 after an error, of which closing and
 * flushing may be the cause; otherwise 1 if no is true, or 0. */
int ctx_api_end(struct api_run *run, int rc, bool no, struct ctx_result *result,
    struct ctx_error *error, struct ctx_err *err);
/* Sets *to to a NUL-terminated copy of a name in buf; to NULL if the name is
 * empty. */
int ctx_api_copy_name(struct ctx_buf *buf, struct ctx_str name, const char **to,
    struct ctx_err *err);
/* Sets *err to the error that a callback of the program has failed.  Returns
 * -1. */
int ctx_api_stop(struct ctx_err *err);
/* Starts the threads that count the messages of the input. */
int ctx_api_count_ahead(struct ctx_input *input, struct ctx_err *err);

#endif
