/* thread_pool.c - tests tasks for several threads */
#include "base/base.h"
#include "tap.h"

#define TASKS 1000

struct sum {
	struct ctx_task task;
	unsigned from, by; /* number of the thread that ran the task */
	uint64_t sum;
};

/* A task that takes long enough for several threads to run at once. */
static void
add_up(struct ctx_task *task, unsigned number)
{
	struct sum *sum = (struct sum *)task;
	unsigned i;

	for (i = 0; i < 2000; i++)
		sum->sum += sum->from + i;
	sum->by = number;
}

static bool
is_right(const struct sum *sum)
{
	return sum->sum == (uint64_t)2000 * sum->from + 1999 * 1000;
}

/* Runs the tasks. ahead: maximum number of tasks that are added before the
 * oldest is waited for. */
static void
run(unsigned threads, unsigned ahead)
{
	static struct sum sums[TASKS];
	struct ctx_pool *pool;
	struct ctx_err err;
	bool right = true, numbered = true;
	unsigned i, added = 0;

	memset(sums, 0, sizeof sums);
	NEED(ctx_pool_open(&pool, threads, &err) == 0);
	for (i = 0; i < TASKS; i++) {
		for (; added < TASKS && added < i + ahead; added++) {
			sums[added].task.run = add_up;
			sums[added].from = added;
			ctx_pool_add(pool, &sums[added].task);
		}
		ctx_pool_wait(pool, &sums[i].task);
		right = right && is_right(&sums[i]);
		numbered = numbered && sums[i].by < threads;
	}
	ctx_pool_close(pool);
	CHECK(right);
	CHECK(numbered);
}

static void
unfinished(void)
{
	static struct sum sums[TASKS];
	struct ctx_pool *pool;
	struct ctx_err err;
	bool right = true;
	unsigned i;

	NEED(ctx_pool_open(&pool, 4, &err) == 0);
	for (i = 0; i < TASKS; i++) {
		sums[i].task.run = add_up;
		sums[i].from = i;
		ctx_pool_add(pool, &sums[i].task);
	}
	ctx_pool_close(pool);
	for (i = 0; i < TASKS; i++)
		right = right && (is_right(&sums[i]) || sums[i].sum == 0);
	CHECK(right);
	ctx_pool_close(NULL);
}

int
main(void)
{
	tap_case("a pool of one thread runs every task");
	run(1, 8);
	tap_case("every task runs once, in a thread of the pool");
	run(2, 4);
	run(4, 1);
	run(8, 16);
	tap_case("all tasks may be added before the first result is taken");
	run(3, TASKS);
	tap_case("closing a pool completes the tasks that have begun");
	unfinished();
	return tap_done();
}
