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

/* Allocates an input.  Its source (files, memory or a callback) must be set
 * later.  Copies the options of the program to *known.  Members that the
 * program's version of the struct lacks are 0 in *known.  Returns NULL with
 * *err after an error. */
static struct ctx_input *
make_input(const struct ctx_input_options *options,
    struct ctx_input_options *known, struct ctx_err *err)
{
	struct ctx_input *input;

	if (ctx_api_take_options(known, sizeof *known, options, err) < 0)
		return NULL;
	input = calloc(1, sizeof *input);
	if (input == NULL)
		ctx_err_nomem(err);
	return input;
}

/* Applies the options to a new input, *made, and sets *input to made.  If rc is
 * -1 or an option is wrong, frees *made, sets *input to NULL and returns -1.
 * rc: result of opening the source of the input: 0, or -1 after an error. */
static int
finish_input(struct ctx_input **input, struct ctx_input *made, int rc,
    const struct ctx_input_options *options, struct ctx_err *err)
{
	if (rc == 0)
		rc = apply_options(made, options, err);
	*input = rc == 0 ? made : NULL;
	if (rc < 0)
		ctx_input_free(made);
	return rc;
}

static int
open_files(struct ctx_input *input, const char *const *files, size_t n,
    struct ctx_err *err)
{
	const char *name;
	char **names;
	size_t i;

	names = ctx_arena_alloc(&input->strings, (n + 1) * sizeof *names, err);
	if (names == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		if (files[i] == NULL)
			return ctx_err_set(err, CTX_EARG,
			    "the name of a file is NULL");
		if (ctx_api_copy_string(&input->strings, files[i], &name, err) <
		    0)
			return -1;
		names[i] = (char *)(uintptr_t)name;
	}
	return ctx_reader_open(&input->stream.reader, names, n, err);
}

int
ctx_input_open_files(struct ctx_input **input, const char *const *files,
    size_t n, const struct ctx_input_options *options, struct ctx_error *error)
{
	struct ctx_input_options known;
	struct ctx_input *made;
	struct ctx_err err;

	*input = NULL;
	if ((made = make_input(options, &known, &err)) == NULL ||
	    finish_input(input, made, open_files(made, files, n, &err), &known,
		&err) < 0)
		return ctx_api_fail(error, &err);
	return 0;
}

/* Sets the source from which a new input, *made, reads its bytes, and calls
 * finish_input. options->name is the name of the source in error messages; if
 * it is NULL, the name is "-". */
static int
open_source(struct ctx_input **input, struct ctx_input *made,
    struct ctx_source *source, const struct ctx_input_options *options,
    struct ctx_err *err)
{
	int rc = ctx_api_copy_string(&made->strings,
	    options->name != NULL ? options->name : "-", &source->name, err);

	if (rc == 0)
		rc = ctx_reader_open_source(&made->stream.reader, source, err);
	return finish_input(input, made, rc, options, err);
}

int
ctx_input_open_fd(struct ctx_input **input, int fd,
    const struct ctx_input_options *options, struct ctx_error *error)
{
	struct ctx_source source = {.fd = fd};
	struct ctx_input_options known;
	struct ctx_input *made;
	struct ctx_err err;

	*input = NULL;
	if (fcntl(fd, F_GETFD) < 0) {
		ctx_err_sys(&err, errno, "cannot read file descriptor %d", fd);
		return ctx_api_fail(error, &err);
	}
	if ((made = make_input(options, &known, &err)) == NULL ||
	    open_source(input, made, &source, &known, &err) < 0)
		return ctx_api_fail(error, &err);
	return 0;
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

int
ctx_input_open_memory(struct ctx_input **input, const void *data, size_t length,
    const struct ctx_input_options *options, struct ctx_error *error)
{
	struct ctx_input_options known;
	struct ctx_input *made;
	struct ctx_err err;
	const char *name;
	int rc;

	*input = NULL;
	if ((made = make_input(options, &known, &err)) == NULL)
		return ctx_api_fail(error, &err);
	rc = ctx_api_copy_string(&made->strings,
	    known.name != NULL ? known.name : "-", &name, &err);
	if (rc == 0)
		rc = ctx_reader_open_text(&made->stream.reader, name,
		    (struct ctx_str){data, length}, &err);
	if (finish_input(input, made, rc, &known, &err) < 0)
		return ctx_api_fail(error, &err);
	return 0;
}

int
ctx_input_open_callback(struct ctx_input **input, ctx_read_function *read,
    void *user, const struct ctx_input_options *options,
    struct ctx_error *error)
{
	struct ctx_source source = {.read = read_callback};
	struct ctx_input_options known;
	struct ctx_input *made;
	struct ctx_err err;

	*input = NULL;
	if ((made = make_input(options, &known, &err)) == NULL)
		return ctx_api_fail(error, &err);
	made->read = read;
	made->user = user;
	source.user = made;
	if (open_source(input, made, &source, &known, &err) < 0)
		return ctx_api_fail(error, &err);
	return 0;
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
