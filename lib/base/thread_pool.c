/*
 * thread_pool.c - tasks for several threads
 *
 * One queue, first in first out.  Who waits for a task works meanwhile, so a
 * pool of n threads starts n - 1, and one that could start none still does
 * everything.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/base.h"

struct ctx_pool_thread {
	struct ctx_pool *pool;
	unsigned number; /* from 1; 0 is who waits */
	pthread_t id;
};

struct ctx_pool {
	pthread_mutex_t lock; /* for all that follows, and for the tasks */
	pthread_cond_t some;  /* a task has come, or the end */
	pthread_cond_t done;  /* a task is done */
	struct ctx_task *first, **last;
	bool over;
	unsigned n; /* threads that were started */
	struct ctx_pool_thread threads[];
};

/* Runs the first task of the queue, which is locked before and after. */
static void
run_first_task(struct ctx_pool *pool, unsigned number)
{
	struct ctx_task *task = pool->first;

	pool->first = task->next;
	if (pool->first == NULL)
		pool->last = &pool->first;
	pthread_mutex_unlock(&pool->lock);
	task->run(task, number);
	pthread_mutex_lock(&pool->lock);
	task->done = true;
	pthread_cond_broadcast(&pool->done);
}

static void *
run_worker(void *user)
{
	struct ctx_pool_thread *thread = user;
	struct ctx_pool *pool = thread->pool;

	pthread_mutex_lock(&pool->lock);
	while (!pool->over)
		if (pool->first != NULL)
			run_first_task(pool, thread->number);
		else
			pthread_cond_wait(&pool->some, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Starts the threads, as many as the system lets us; signals are for others
 * to handle. */
static void
start_threads(struct ctx_pool *pool, unsigned n)
{
	struct ctx_pool_thread *thread;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (; pool->n < n; pool->n++) {
		thread = &pool->threads[pool->n];
		thread->pool = pool;
		thread->number = pool->n + 1;
		if (pthread_create(&thread->id, NULL, run_worker, thread) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int
ctx_pool_open(struct ctx_pool **pool, unsigned threads, struct ctx_err *err)
{
	struct ctx_pool *p =
	    calloc(1, sizeof *p + threads * sizeof p->threads[0]);

	if (p == NULL)
		return ctx_err_nomem(err);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->some, NULL);
	pthread_cond_init(&p->done, NULL);
	p->last = &p->first;
	start_threads(p, threads - 1);
	*pool = p;
	return 0;
}

void
ctx_pool_add(struct ctx_pool *pool, struct ctx_task *task)
{
	task->next = NULL;
	task->done = false;
	pthread_mutex_lock(&pool->lock);
	*pool->last = task;
	pool->last = &task->next;
	pthread_cond_signal(&pool->some);
	pthread_mutex_unlock(&pool->lock);
}

void
ctx_pool_wait(struct ctx_pool *pool, const struct ctx_task *task)
{
	pthread_mutex_lock(&pool->lock);
	while (!task->done)
		if (pool->first != NULL)
			run_first_task(pool, 0);
		else
			pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void
ctx_pool_close(struct ctx_pool *pool)
{
	unsigned i;

	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->over = true;
	pthread_cond_broadcast(&pool->some);
	pthread_mutex_unlock(&pool->lock);
	for (i = 0; i < pool->n; i++)
		pthread_join(pool->threads[i].id, NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->some);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}
