/*
 * thread_pool.c - runs tasks in several threads
 *
 * Tasks wait in one queue, and are started in the order in which they were
 * added.  A thread that waits for a task runs other tasks meanwhile.  So a pool
 * of n threads starts only n - 1 threads.  The pool works even if no thread can
 * be started.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/base.h"

struct ctx_pool_thread {
	struct ctx_pool *pool;
	/* number of this thread, from 1; 0 is the thread that opened the
	 * pool */
	unsigned number;
	pthread_t id;
};

struct ctx_pool {
	/* Lock that protects the members first, last and over, and those of the
	 * tasks. */
	pthread_mutex_t lock;
	/* Condition that is signalled when a task was added, or when the pool
	 * is being closed. */
	pthread_cond_t some;
	pthread_cond_t done; /* signalled when a task is done */
	struct ctx_task *first, **last;
	bool over;
	unsigned n; /* number of threads that were started */
	struct ctx_pool_thread threads[];
};

/* Runs the first task in the queue of a pool.  The caller must have locked the
 * pool.  The pool is unlocked while the task runs, and locked again
 * afterwards. */
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

/* Starts n threads, or fewer if the system refuses.  All signals are blocked in
 * the started threads, so that the thread that opened the pool handles all
 * signals. */
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
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->over = true;
	pthread_cond_broadcast(&pool->some);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->n; i++)
		pthread_join(pool->threads[i].id, NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->some);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}
