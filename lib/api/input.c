/* input.c - implements the functions of ctx.h that open and free an input */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "api/handles.h"

void
ctx_input_free(struct ctx_input *input)
{
	if (input == NULL)
		return;
	ctx_reader_close(input->stream.reader);
	ctx_stream_release(&input->stream);
	ctx_model_counters_release(&input->counters);
	ctx_arena_release(&input->strings);
	ctx_tracker_release(&input->record_tracker);
	ctx_tracker_release(&input->line_tracker);
	ctx_arena_release(&input->texts);
	ctx_buf_release(&input->scratch);
	free(input);
}

static int
apply_options(struct ctx_input *input, const struct ctx_input_options *options,
    struct ctx_err *err)
{
	struct ctx_model_counters *counters = &input->counters;
	struct ctx_arena *strings = &input->strings;

	if (options->dialect != NULL) {
		input->stream.forced = ctx_dialect_find(options->dialect);
		if (input->stream.forced == NULL)
			return ctx_err_set(err, CTX_EARG,
			    "option dialect: '%.60s' is unknown; "
			    "ctx_dialect_name() lists the dialects",
			    options->dialect);
	}
	if (ctx_api_copy_string(strings, options->model, &counters->model,
		err) < 0 ||
	    ctx_api_copy_string(strings, options->default_model,
		&counters->fallback, err) < 0 ||
	    ctx_api_copy_string(strings, options->encoding, &counters->encoding,
		err) < 0 ||
	    ctx_api_copy_string(strings, options->cache, &counters->cache,
		err) < 0)
		return -1;
	counters->own = ctx_api_user_rows(options->models);
	input->stream.include_hidden = options->read_inactive;
	input->threads = options->threads < CTX_MOST_THREADS ? options->threads
							     : CTX_MOST_THREADS;
	ctx_reader_set_lenient(input->stream.reader, options->skip_bad);
	return 0;
}

/* Where the bytes of a new input come from. */
struct input_origin {
	/* Opens the reader of the input. */
	int (*open)(struct ctx_input *input, const struct input_origin *from,
	    struct ctx_err *err);
	const char *const *files; /* used by open_files */
	size_t n_files;
	struct ctx_str text; /* used by open_text */
	/* used by open_source: a descriptor, or -1 and the function of the
	 * program that reads the bytes */
	int fd;
	ctx_read_function *read;
	void *user;
	const char *name; /* set by open_input */
};

/* Opens an input.  Without the option "name", its name in error messages is
 * "-"; the names of files are not replaced.  After an error, sets *input to
 * NULL. */
static int
open_input(struct ctx_input **input, struct input_origin *from,
    const struct ctx_input_options *options, struct ctx_error *error)
{
	struct ctx_input_options known;
	struct ctx_input *made = NULL;
	struct ctx_err err;
	int rc = ctx_api_take_options(&known, sizeof known, options, &err);

	if (rc == 0 && (made = calloc(1, sizeof *made)) == NULL)
		rc = ctx_err_nomem(&err);
	if (rc == 0)
		rc = ctx_api_copy_string(&made->strings,
		    known.name != NULL ? known.name : "-", &from->name, &err);
	if (rc == 0)
		rc = from->open(made, from, &err);
	if (rc == 0)
		rc = apply_options(made, &known, &err);
	*input = rc == 0 ? made : NULL;
	if (rc == 0)
		return 0;
	ctx_input_free(made);
	return ctx_api_fail(error, &err);
}

static int
open_files(struct ctx_input *input, const struct input_origin *from,
    struct ctx_err *err)
{
	const char *name;
	char **names;
	size_t i;

	names = ctx_arena_alloc(&input->strings,
	    (from->n_files + 1) * sizeof *names, err);
	if (names == NULL)
		return -1;
	for (i = 0; i < from->n_files; i++) {
		if (from->files[i] == NULL)
			return ctx_err_set(err, CTX_EARG,
			    "the name of a file is NULL");
		if (ctx_api_copy_string(&input->strings, from->files[i], &name,
			err) < 0)
			return -1;
		names[i] = (char *)(uintptr_t)name;
	}
	return ctx_reader_open(&input->stream.reader, names, from->n_files,
	    err);
}

int
ctx_input_open_files(struct ctx_input **input, const char *const *files,
    size_t n, const struct ctx_input_options *options, struct ctx_error *error)
{
	struct input_origin from = {.open = open_files,
	    .files = files,
	    .n_files = n};

	return open_input(input, &from, options, error);
}

/* Calls the program's callback that reads bytes.  Returns the number of bytes,
 * or -1 if the callback fails or says that it has read more than n bytes. */
static ssize_t
read_callback(void *user, char *p, size_t n)
{
	struct ctx_input *input = user;
	ptrdiff_t got = input->read(input->user, p, n);

	return got >= 0 && (size_t)got <= n ? (ssize_t)got : -1;
}

static int
open_source(struct ctx_input *input, const struct input_origin *from,
    struct ctx_err *err)
{
	const struct ctx_source source = {.name = from->name,
	    .fd = from->fd,
	    .read = from->fd < 0 ? read_callback : NULL,
	    .user = input};

	input->read = from->read;
	input->user = from->user;
	return ctx_reader_open_source(&input->stream.reader, &source, err);
}

int
ctx_input_open_fd(struct ctx_input **input, int fd,
    const struct ctx_input_options *options, struct ctx_error *error)
{
	struct input_origin from = {.open = open_source, .fd = fd};
	struct ctx_err err;

	if (fcntl(fd, F_GETFD) >= 0)
		return open_input(input, &from, options, error);
	*input = NULL;
	ctx_err_sys(&err, errno, "cannot read file descriptor %d", fd);
	return ctx_api_fail(error, &err);
}

static int
open_text(struct ctx_input *input, const struct input_origin *from,
    struct ctx_err *err)
{
	return ctx_reader_open_text(&input->stream.reader, from->name,
	    from->text, err);
}

int
ctx_input_open_memory(struct ctx_input **input, const void *data, size_t length,
    const struct ctx_input_options *options, struct ctx_error *error)
{
	struct input_origin from = {.open = open_text, .text = {data, length}};

	return open_input(input, &from, options, error);
}

int
ctx_input_open_callback(struct ctx_input **input, ctx_read_function *read,
    void *user, const struct ctx_input_options *options,
    struct ctx_error *error)
{
	struct input_origin from = {.open = open_source,
	    .fd = -1,
	    .read = read,
	    .user = user};

	return open_input(input, &from, options, error);
}

const char *
ctx_input_dialect(const struct ctx_input *input)
{
	const struct ctx_stream *stream = &input->stream;

	if (stream->forced != NULL)
		return stream->forced->name;
	return stream->found.dialect != NULL ? stream->found.dialect->name
					     : ctx_stream_dialect(stream)->name;
}
