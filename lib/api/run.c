/* run.c - begins and ends the operations of libctx (count, prune, truncate,
 * age, check ...) */
#include "api/handles.h"

int
ctx_api_stop(struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EARG,
	    "a callback function of the calling program has ended the "
	    "operation");
}

int
ctx_api_copy_name(struct api_run *run, struct ctx_str name, const char **to,
    struct ctx_err *err)
{
	struct ctx_buf *buf = &run->name;

	*to = NULL;
	if (name.n == 0)
		return 0;
	ctx_buf_reset(buf);
	if (ctx_buf_add(buf, name.p, name.n, err) < 0 ||
	    ctx_buf_add(buf, "", 1, err) < 0)
		return -1;
	*to = buf->p;
	return 0;
}

static int
pass_change(void *user, const struct ctx_change *change, struct ctx_err *err)
{
	struct api_run *run = user;
	struct ctx_change_info known = {.size = sizeof known,
	    .file = change->file,
	    .line = change->line,
	    .index = change->index,
	    .role = ctx_role_name(change->role),
	    .rule = change->rule,
	    .action = change->action,
	    .tokens_before = change->before,
	    .tokens_after = change->after};

	if (ctx_api_copy_name(run, change->tool, &known.tool, err) < 0)
		return -1;
	return run->on_change(run->user, &known) == 0 ? 0 : ctx_api_stop(err);
}

int
ctx_api_count_ahead(struct ctx_input *input, struct ctx_err *err)
{
	/* An earlier operation, which failed before it read the input, may have
	 * started the threads already. */
	if (input->stream.prefetch != NULL)
		return 0;
	return ctx_stream_count_ahead(&input->stream, &input->counters,
	    input->threads, err);
}

int
ctx_api_begin(struct api_run *run, struct ctx_input *input,
    struct ctx_output *output, const char *archive, struct ctx_err *err)
{
	run->input = input;
	run->output = output;
	run->writer = output != NULL ? &output->writer : NULL;
	run->report.dry_run = output == NULL;
	run->report.user = run;
	run->report.on_change = run->on_change != NULL ? pass_change : NULL;
	run->sum.size = sizeof run->sum;
	if (input->stream.started)
		return ctx_err_set(err, CTX_EARG,
		    "an earlier operation has read this input; open the input "
		    "again for each operation");
	if (archive != NULL && output != NULL) {
		if (ctx_archive_open(&run->archive, archive, err) < 0)
			return -1;
		run->report.archive = &run->archive;
	}
	if (output != NULL)
		ctx_reader_set_writer(input->stream.reader, run->writer);
	return 0;
}

int
ctx_api_fail_late(struct api_run *run, struct ctx_err *err)
{
	if (run->late.code == CTX_OK)
		return 0;
	if (run->writer == NULL || ctx_writer_flush(run->writer, err) == 0)
		*err = run->late;
	return -1;
}

void
ctx_api_release_pattern(struct api_run *run, struct ctx_pattern *pattern)
{
	run->sum.given_up += pattern->overruns;
	ctx_pattern_release(pattern);
}

int
ctx_api_end(struct api_run *run, int rc, bool no, struct ctx_result *result,
    struct ctx_error *error, struct ctx_err *err)
{
	struct ctx_err late;

	if (run->report.archive != NULL &&
	    ctx_archive_close(&run->archive, &late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	if (rc == 0 && run->writer != NULL)
		rc = ctx_writer_flush(run->writer, err);
	/* Clear the writer's list of borrowed bytes (pointers into the memory
	 * of the input), because the program may free the input now.  If there
	 * was no error, the flush above has written these bytes. */
	if (run->writer != NULL)
		run->writer->borrowed.n = 0;
	/* run->input is NULL if the operation has not begun, because its
	 * options were wrong. */
	if (run->input != NULL)
		ctx_reader_set_writer(run->input->stream.reader, NULL);
	ctx_buf_release(&run->name);
	if (rc < 0 && run->output != NULL && run->output->no_memory)
		ctx_err_nomem(err);
	ctx_api_give(result, &run->sum, sizeof run->sum);
	return rc < 0 ? ctx_api_fail(error, err) : no ? 1 : 0;
}
