/* write_output.c - implements the functions of ctx.h that open and free an
 * output: a file descriptor, a callback or memory */
#include <stdlib.h>

#include "api/handles.h"

static struct ctx_output *
make_output(struct ctx_error *error)
{
	struct ctx_output *output = calloc(1, sizeof *output);
	struct ctx_err err;

	if (output == NULL) {
		ctx_err_nomem(&err);
		(void)ctx_api_fail(error, &err);
	}
	return output;
}

int
ctx_output_open_fd(struct ctx_output **output, int fd, struct ctx_error *error)
{
	*output = make_output(error);
	if (*output == NULL)
		return -1;
	ctx_writer_init(&(*output)->writer, fd);
	return 0;
}

static int
add_to_memory(void *user, const char *p, size_t n)
{
	struct ctx_output *output = user;
	struct ctx_err err;

	/* Reserves memory for one byte more than is needed now: ctx_output_take
	 * will add a NUL byte. */
	if (ctx_buf_reserve(&output->memory, n + 1, &err) < 0 ||
	    ctx_buf_add(&output->memory, p, n, &err) < 0) {
		output->no_memory = true;
		return -1;
	}
	return 0;
}

int
ctx_output_open_memory(struct ctx_output **output, struct ctx_error *error)
{
	*output = make_output(error);
	if (*output == NULL)
		return -1;
	(*output)->is_memory = true;
	ctx_writer_init_callback(&(*output)->writer, add_to_memory, *output);
	return 0;
}

int
ctx_output_open_callback(struct ctx_output **output, ctx_write_function *write,
    void *user, struct ctx_error *error)
{
	*output = make_output(error);
	if (*output == NULL)
		return -1;
	ctx_writer_init_callback(&(*output)->writer, write, user);
	return 0;
}

int
ctx_output_take(struct ctx_output *output, struct ctx_bytes *bytes,
    struct ctx_error *error)
{
	struct ctx_err err;

	*bytes = (struct ctx_bytes){0};
	if (!output->is_memory) {
		ctx_err_set(&err, CTX_EARG,
		    "the output is written to a file or by your function, so "
		    "there is no copy of it in memory");
		return ctx_api_fail(error, &err);
	}
	bytes->length = output->memory.n;
	if (ctx_buf_add(&output->memory, "", 1, &err) < 0)
		return ctx_api_fail(error, &err);
	bytes->data = ctx_buf_take(&output->memory);
	return 0;
}

void
ctx_output_free(struct ctx_output *output)
{
	if (output == NULL)
		return;
	ctx_writer_release(&output->writer);
	ctx_buf_release(&output->memory);
	free(output);
}
