/* evaluate.c - evaluates files with recorded sessions in several threads, and
 * sorts the results in the order of the files */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval/evaluate_session.h"

/* The task of a thread: to evaluate one file. */
struct file_task {
	/* The first member, because a pointer to it is converted to a pointer
	 * to this struct. */
	struct ctx_task task;
	struct eval_worker *workers;
	const char *file;
	struct ctx_eval_results results;
	size_t bytes; /* size of the file in bytes */
	int rc;
	struct ctx_err err;
};

static int
read_whole(int fd, struct ctx_buf *out, struct ctx_err *err)
{
	ssize_t got = 1;

	while (got > 0) {
		if (ctx_buf_reserve(out, (size_t)256 << 10, err) < 0)
			return -1;
		got = read(fd, out->p + out->n, (size_t)256 << 10);
		if (got > 0)
			out->n += (size_t)got;
		else if (got < 0 && ctx_wait_ready(fd, 1))
			got = 1;
	}
	return got < 0 ? ctx_err_read(err, errno) : 0;
}

static int
read_bytes_of(const char *file, struct ctx_buf *out, struct ctx_err *err)
{
	bool is_stdin = strcmp(file, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : ctx_open_file(file, O_RDONLY);
	int rc;

	out->n = 0;
	rc = fd < 0 ? ctx_err_open(err, errno, "", file)
		    : read_whole(fd, out, err);
	if (fd >= 0 && !is_stdin)
		(void)close(fd);
	if (rc < 0 && err->file == NULL && fd >= 0)
		err->file = file;
	return rc;
}

static int
evaluate_file(struct eval_worker *worker, const char *file, struct ctx_err *err)
{
	const struct eval_input input = {.file = file,
	    .dialect = worker->options->dialect,
	    .lenient = worker->options->lenient,
	    .counters = worker->counters};
	const struct eval_session_taker taker = {worker, ctx_evaluate_session};

	if (read_bytes_of(file, &worker->file, err) < 0)
		return -1;
	worker->judge.counters = worker->counters;
	worker->judge.lenient = input.lenient;
	return ctx_eval_read_sessions(&input, ctx_buf_str(&worker->file),
	    &taker, err);
}

static void
run_task(struct ctx_task *base, unsigned number)
{
	struct file_task *task = (struct file_task *)base;
	struct eval_worker *worker = &task->workers[number];

	worker->results = &task->results;
	task->rc = evaluate_file(worker, task->file, &task->err);
	task->bytes = worker->file.n;
}

/* Appends the results of one file to the results of the files before it. */
static int
join_results(struct ctx_eval_results *all, struct ctx_eval_results *file,
    struct ctx_err *err)
{
	if (CTX_GROW(all->samples, all->samples_cap,
		all->n_samples + file->n_samples + 1, err) < 0 ||
	    CTX_GROW(all->runs, all->runs_cap, all->n_runs + file->n_runs + 1,
		err) < 0)
		return -1;
	for (size_t i = 0; i < file->n_runs; i++) {
		all->runs[all->n_runs] = file->runs[i];
		all->runs[all->n_runs++].sample += all->n_samples;
	}
	file->n_runs = 0;
	for (size_t i = 0; i < file->n_samples; i++) {
		all->samples[all->n_samples] = file->samples[i];
		all->samples[all->n_samples++].session += all->sessions;
	}
	file->n_samples = 0;
	all->sessions += file->sessions;
	all->without_split += file->without_split;
	all->too_short += file->too_short;
	all->not_needed += file->not_needed;
	all->unlike += file->unlike;
	return 0;
}

/* Waits for each file, in the order of the files, until it was evaluated.
 * Appends its results to the results of the files before it. */
static int
join_tasks(struct ctx_pool *pool, struct file_task *tasks, size_t n,
    const struct ctx_eval_config *options, struct ctx_eval_results *results,
    struct ctx_err *err)
{
	for (size_t i = 0; i < n; i++) {
		ctx_pool_wait(pool, &tasks[i].task);
		if (tasks[i].rc < 0) {
			*err = tasks[i].err;
			return -1;
		}
		if (join_results(results, &tasks[i].results, err) < 0)
			return -1;
		if (options->on_file != NULL)
			options->on_file(options->user, tasks[i].bytes);
	}
	return 0;
}

static int
run_tasks(struct eval_worker *workers, struct file_task *tasks, size_t n,
    const struct ctx_eval_config *options, struct ctx_eval_results *results,
    struct ctx_err *err)
{
	struct ctx_pool *pool;
	int rc;

	for (size_t i = 0; i < options->jobs; i++) {
		workers[i].options = options;
		workers[i].runner =
		    options->runners == NULL ? NULL : &options->runners[i];
		workers[i].counters = &options->counters[i];
	}
	if (ctx_pool_open(&pool, (unsigned)options->jobs, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		ctx_pool_add(pool, &tasks[i].task);
	rc = join_tasks(pool, tasks, n, options, results, err);
	ctx_pool_close(pool);
	return rc;
}

static void
release_worker(struct eval_worker *worker)
{
	ctx_judge_release(&worker->judge);
	ctx_buf_release(&worker->file);
	ctx_buf_release(&worker->before);
}

int
ctx_eval_files(char *const *files, size_t n,
    const struct ctx_eval_config *options, struct ctx_eval_results *results,
    struct ctx_err *err)
{
	struct eval_worker *workers = calloc(options->jobs, sizeof *workers);
	struct file_task *tasks = calloc(n + 1, sizeof *tasks);
	int rc = -1;

	for (size_t i = 0; tasks != NULL && i < n; i++)
		tasks[i] = (struct file_task){.task = {.run = run_task},
		    .workers = workers,
		    .file = files[i]};
	if (workers == NULL || tasks == NULL)
		ctx_err_nomem(err);
	else
		rc = run_tasks(workers, tasks, n, options, results, err);
	for (size_t i = 0; workers != NULL && i < options->jobs; i++)
		release_worker(&workers[i]);
	for (size_t i = 0; tasks != NULL && i < n; i++)
		ctx_eval_results_release(&tasks[i].results);
	free(workers);
	free(tasks);
	return rc;
}

static void
release_sample(struct ctx_eval_sample *sample)
{
	for (size_t i = 0; sample->strings != NULL && i < sample->needed; i++)
		free(sample->strings[i]);
	free(sample->strings);
}

void
ctx_eval_results_release(struct ctx_eval_results *results)
{
	for (size_t i = 0; i < results->n_samples; i++)
		release_sample(&results->samples[i]);
	for (size_t i = 0; i < results->n_runs; i++)
		free(results->runs[i].failure);
	free(results->samples);
	free(results->runs);
	memset(results, 0, sizeof *results);
}
