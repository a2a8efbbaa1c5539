/*
 * count_ahead.c - counts the tokens of messages in several threads, before the
 * caller needs them
 *
 * The thread that reads the stream copies records, their JSON nodes and their
 * events into batches.  Any free thread counts the messages of a batch.  Events
 * are returned to the caller in order, batch by batch.  If a message cannot be
 * counted, its event has no token count.  The caller then counts the message
 * again, and reports the error with the right file and line.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/count_ahead.h"

/* A batch is full, and is counted, when its records together have at least this
 * many bytes.  A single record may have more.  If the batch has more than
 * CTX_BUF_KEEP bytes, its memory is freed after use. */
#define BATCH ((size_t)256 << 10)

/* A record in a batch.  The buffers of the batch may move while records are
 * added.  So text, value and nodes are first stored as offsets in these
 * buffers, and become pointers when the batch is full. value: offset in the
 * record.  If the record has a coded request (JSON in a string): offset in the
 * batch's buffer. coded: offset in the record of the string with the
 * request. */
struct kept {
	struct ctx_record record;
	struct ctx_json json;
	/* The bytes of a long record, owned by the batch.  NULL if the record
	 * was copied into the batch's buffer. */
	char *own;
	size_t text, value, coded, nodes;
};

/* An event in a batch (several records whose messages are counted together).
 * The event's record is batch.records[record]. */
struct step {
	struct ctx_event event;
	struct ctx_record_layout layout;
	struct ctx_message message;
	/* Token counter of the event's conversation, or NULL. */
	struct ctx_counter *counter;
	struct ctx_cost cost;
	size_t record, parts;
};

struct batch {
	struct ctx_task task;
	struct ctx_count_ahead *prefetch;
	struct ctx_buf text;
	/* sum of the lengths of all records in the batch, in bytes */
	size_t bytes;
	struct ctx_node *nodes;
	struct ctx_block *blocks;
	struct kept *records;
	struct step *steps;
	size_t n_nodes, cap_nodes, n_parts, cap_parts;
	size_t n_records, cap_records, n_steps, cap_steps;
	/* number of events of this batch that were already returned to the
	 * caller */
	size_t given;
};

/* A copy of a token counter, for use by one thread. like: the original token
 * counter. */
struct clone {
	const struct ctx_counter *like;
	struct ctx_counter counter;
};

struct clones {
	struct clone *list;
	size_t n, cap;
};

struct ctx_count_ahead {
	struct ctx_model_counters *counters;
	struct ctx_pool *pool;
	/* Copies of the token counters, for each thread except the one that
	 * reads the stream. */
	struct clones *clones;
	unsigned threads;
	/* The batches: an array of n elements that is used as a ring buffer. */
	struct batch *batches;
	/* n: number of batches; first: index of the oldest batch; full: how
	 * many batches contain events. */
	size_t n, first, full;
	/* True if the messages of the oldest batch were counted, and its events
	 * are being returned to the caller. */
	bool giving;
	/* lines: token counter of the conversation in which each message is a
	 * record. record: token counter of the conversation inside the record
	 * that is being read.  Their member "counter" is NULL after an
	 * error. */
	struct ctx_model_counter lines, record;
	/* true once a message was read that is a record of its own */
	bool open;
	/* an event that was read, but is not in a batch yet */
	struct ctx_event pending;
	bool has_pending;
	/* record of the event that was returned last */
	const struct ctx_record *last;
	/* True if the last read has reached the end of the stream, or has
	 * failed. rc and err: the result of that read. */
	bool ended;
	int rc;
	struct ctx_err err;
};

/* ---- counting, in any thread ---- */

static struct ctx_counter *
find_clone(struct clones *clones, const struct ctx_counter *like,
    enum ctx_simd simd, struct ctx_err *err)
{
	struct clone *one;

	for (size_t i = 0; i < clones->n; i++)
		if (clones->list[i].like == like)
			return &clones->list[i].counter;
	if (CTX_GROW(clones->list, clones->cap, clones->n + 1, err) < 0)
		return NULL;
	one = &clones->list[clones->n];
	one->like = like;
	one->counter = (struct ctx_counter){.basis = like->basis,
	    .frame_request = like->frame_request,
	    .frame_message = like->frame_message,
	    .factor = like->factor,
	    .corrects = like->corrects,
	    .image = like->image,
	    .tools = like->tools,
	    .drops_reasoning = like->drops_reasoning};
	if (ctx_token_counter_clone(&one->counter.tokens, like->tokens, simd,
		err) < 0)
		return NULL;
	clones->n++;
	return &one->counter;
}

static void
release_clones(struct clones *clones)
{
	for (size_t i = 0; i < clones->n; i++) {
		ctx_token_counter_close(clones->list[i].counter.tokens);
		ctx_counter_release(&clones->list[i].counter);
	}
	free(clones->list);
}

static void
count_batch(struct ctx_task *task, unsigned number)
{
	struct batch *batch = (struct batch *)task;
	struct ctx_count_ahead *p = batch->prefetch;
	struct ctx_counter *counter;
	struct ctx_err err;
	struct step *step;

	for (size_t i = 0; i < batch->n_steps; i++) {
		step = &batch->steps[i];
		counter = step->counter;
		/* Only thread 0, which reads the stream, may use the original
		 * counters.  Other threads use copies. */
		if (counter != NULL && number > 0)
			counter = find_clone(&p->clones[number - 1], counter,
			    p->counters->simd, &err);
		if (counter != NULL &&
		    ctx_count_message(counter, &step->message, &step->cost,
			&err) == 0)
			step->event.cost = &step->cost;
		step->event.counted_by = step->counter;
	}
}

/* ---- reading, in the stream's thread ---- */

static int
keep_batch_text(struct ctx_stream *stream, struct batch *batch,
    struct kept *kept, const struct ctx_record *record, struct ctx_err *err)
{
	batch->bytes += record->text.n;
	kept->text = batch->text.n;
	if (record->text.n <= CTX_BUF_KEEP)
		return ctx_buf_add_str(&batch->text, record->text, err);
	kept->own = ctx_reader_keep(stream->reader, record, err);
	return kept->own == NULL ? -1 : 0;
}

/* Stores where the value of a record is.  A coded request (JSON in a string) is
 * copied, because the decoded request is not a part of the record's bytes. */
static int
keep_value(struct batch *batch, struct kept *kept,
    const struct ctx_record *record, struct ctx_err *err)
{
	if (record->coded.n == 0) {
		kept->value = (size_t)(record->value.p - record->text.p);
		return 0;
	}
	kept->coded = (size_t)(record->coded.p - record->text.p);
	kept->value = batch->text.n;
	batch->bytes += record->value.n;
	return ctx_buf_add_str(&batch->text, record->value, err);
}

static int
keep_record(struct ctx_stream *stream, struct batch *batch,
    const struct ctx_record *record, struct ctx_err *err)
{
	const struct ctx_json *json = record->json;
	size_t n = json == NULL ? 0 : json->n;
	struct kept *kept;

	if (CTX_GROW(batch->records, batch->cap_records, batch->n_records + 1,
		err) < 0 ||
	    CTX_GROW(batch->nodes, batch->cap_nodes, batch->n_nodes + n, err) <
		0)
		return -1;
	kept = &batch->records[batch->n_records];
	memset(kept, 0, sizeof *kept);
	kept->record = *record;
	kept->nodes = batch->n_nodes;
	if (keep_batch_text(stream, batch, kept, record, err) < 0)
		return -1;
	if (json != NULL) {
		if (keep_value(batch, kept, record, err) < 0)
			return -1;
		kept->json = *json;
		memcpy(batch->nodes + batch->n_nodes, json->nodes,
		    n * sizeof *json->nodes);
	}
	batch->n_nodes += n;
	batch->n_records++;
	return 0;
}

static int
keep_message(struct batch *batch, struct step *step,
    const struct ctx_message *message, struct ctx_err *err)
{
	if (CTX_GROW(batch->blocks, batch->cap_parts,
		batch->n_parts + message->n, err) < 0)
		return -1;
	if (message->n > 0)
		memcpy(batch->blocks + batch->n_parts, message->blocks,
		    message->n * sizeof *message->blocks);
	step->message = *message;
	step->parts = batch->n_parts;
	batch->n_parts += message->n;
	return 0;
}

/* Sets *found to the token counter of the conversation that begins with this
 * event.  The messages of a conversation without a counter are not counted
 * ahead.  The caller of ctx_stream_next will get the same error from its own
 * call of ctx_stream_measure. */
static void
choose_counter(struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counter *found)
{
	struct ctx_err err;

	if (ctx_stream_measure(stream, event, stream->prefetch->counters, found,
		&err) < 0)
		found->counter = NULL;
}

/* Returns the token counter for a message: the one that most callers of
 * ctx_stream_next will use, because they choose it at the same events.  The
 * cost of a message is not used with another one (ctx_stream_cost). */
static struct ctx_counter *
find_message_counter(struct ctx_stream *stream, const struct ctx_event *event)
{
	struct ctx_count_ahead *p = stream->prefetch;
	struct ctx_err err;

	if (event->inside)
		return p->record.counter;
	if (!p->open)
		choose_counter(stream, event, &p->lines);
	else if (p->lines.counter != NULL &&
	    ctx_stream_update_counter(stream, event, p->counters, &p->lines,
		&err) < 0)
		p->lines.counter = NULL;
	p->open = true;
	return p->lines.counter;
}

static int
keep_event(struct ctx_stream *stream, struct batch *batch,
    const struct ctx_event *event, bool first, struct ctx_err *err)
{
	struct step *step;

	if (CTX_GROW(batch->steps, batch->cap_steps, batch->n_steps + 1, err) <
	    0)
		return -1;
	step = &batch->steps[batch->n_steps];
	memset(step, 0, sizeof *step);
	if ((first && keep_record(stream, batch, event->record, err) < 0) ||
	    (event->message != NULL &&
		keep_message(batch, step, event->message, err) < 0))
		return -1;
	step->event = *event;
	step->layout = *event->layout;
	step->record = batch->n_records - 1;
	if (event->kind == CTX_EVENT_BEGIN)
		choose_counter(stream, event, &stream->prefetch->record);
	if (event->kind == CTX_EVENT_MESSAGE)
		step->counter = find_message_counter(stream, event);
	batch->n_steps++;
	return 0;
}

/* Converts the offsets in a batch to pointers into its buffers.  From now on
 * these buffers do not move. */
static void
seal_batch(struct batch *batch)
{
	struct kept *kept;
	struct step *step;

	for (size_t i = 0; i < batch->n_records; i++) {
		kept = &batch->records[i];
		kept->record.text.p =
		    kept->own != NULL ? kept->own : batch->text.p + kept->text;
		if (kept->record.json == NULL)
			continue;
		kept->record.value.p = kept->record.text.p + kept->value;
		if (kept->record.coded.n > 0) {
			kept->record.coded.p =
			    kept->record.text.p + kept->coded;
			kept->record.value.p = batch->text.p + kept->value;
		}
		kept->record.json = &kept->json;
		kept->json.text = kept->record.value.p;
		kept->json.nodes = batch->nodes + kept->nodes;
	}
	for (size_t i = 0; i < batch->n_steps; i++) {
		step = &batch->steps[i];
		kept = &batch->records[step->record];
		step->event.record = &kept->record;
		step->event.layout = &step->layout;
		if (step->event.message == NULL)
			continue;
		step->event.message = &step->message;
		step->message.json = &kept->json;
		step->message.blocks = batch->blocks + step->parts;
	}
}

/* Reads the next event into p->pending, unless an event is already there or the
 * stream has ended.  Returns true if p->pending has an event that can be put
 * into a batch.  Events of a session file cannot. */
static bool
look_ahead(struct ctx_stream *stream)
{
	struct ctx_count_ahead *p = stream->prefetch;

	if (!p->has_pending && !p->ended) {
		p->rc = ctx_stream_step(stream, &p->pending, &p->err);
		p->has_pending = p->rc > 0;
		p->ended = p->rc <= 0;
	}
	return p->has_pending && p->pending.line == 0;
}

/* Reads events into a batch until it is full.  All events of one record are put
 * into the same batch. */
static int
read_batch(struct ctx_stream *stream, struct batch *batch, struct ctx_err *err)
{
	struct ctx_count_ahead *p = stream->prefetch;
	bool first = true;

	batch->text.n = batch->bytes = 0;
	batch->n_nodes = batch->n_parts = batch->n_records = 0;
	batch->n_steps = batch->given = 0;
	while ((!first || batch->bytes < BATCH) && look_ahead(stream)) {
		if (keep_event(stream, batch, &p->pending, first, err) < 0)
			return -1;
		first = p->pending.kind == CTX_EVENT_RECORD;
		p->has_pending = false;
	}
	seal_batch(batch);
	return 0;
}

/* Fills all empty batches with events, and lets the threads count their
 * messages. */
static int
fill_batches(struct ctx_stream *stream, struct ctx_err *err)
{
	struct ctx_count_ahead *p = stream->prefetch;
	struct batch *batch;

	while (p->full < p->n && look_ahead(stream)) {
		batch = &p->batches[(p->first + p->full) % p->n];
		if (read_batch(stream, batch, err) < 0)
			return -1;
		ctx_pool_add(p->pool, &batch->task);
		p->full++;
	}
	return 0;
}

/* ---- giving events out ---- */

static void
release_batch(struct batch *batch)
{
	for (size_t i = 0; i < batch->n_records; i++)
		free(batch->records[i].own);
	ctx_buf_release(&batch->text);
	free(batch->nodes);
	free(batch->blocks);
	free(batch->records);
	free(batch->steps);
}

/* Empties the oldest batch, so that it can be filled again.  The caller must
 * have returned the batch's last event. */
static int
recycle_batch(struct ctx_stream *stream, struct ctx_err *err)
{
	struct ctx_count_ahead *p = stream->prefetch;
	struct batch *batch = &p->batches[p->first];

	p->giving = false;
	p->last = NULL;
	p->first = (p->first + 1) % p->n;
	p->full--;
	/* The reader flushes the writer, because the writer may still refer to
	 * bytes of the batch, whose memory is used again now. */
	if (ctx_reader_flush(stream->reader, err) < 0)
		return -1;
	if (batch->bytes > CTX_BUF_KEEP) {
		release_batch(batch);
		*batch = (struct batch){.task = batch->task, .prefetch = p};
	}
	return 0;
}

int
ctx_count_ahead_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_count_ahead *p = stream->prefetch;
	struct batch *batch = &p->batches[p->first];

	if (p->giving && batch->given == batch->n_steps &&
	    recycle_batch(stream, err) < 0)
		return -1;
	if (!p->giving) {
		if (fill_batches(stream, err) < 0)
			return -1;
		batch = &p->batches[p->first];
		p->giving = p->full > 0;
		if (p->giving)
			ctx_pool_wait(p->pool, &batch->task);
	}
	if (p->giving) {
		*event = batch->steps[batch->given++].event;
	} else if (p->has_pending) {
		/* The next event belongs to a session file.  Such events are
		 * never put into a batch. */
		*event = p->pending;
		p->has_pending = false;
	} else {
		*err = p->err;
		return p->rc;
	}
	p->last = event->record;
	return 1;
}

char *
ctx_count_ahead_keep(const struct ctx_record *record)
{
	struct kept *kept = (struct kept *)(uintptr_t)record;
	char *text = kept->own;

	kept->own = NULL;
	return text;
}

const struct ctx_record *
ctx_count_ahead_record(const struct ctx_stream *stream)
{
	const struct ctx_record *last = stream->prefetch->last;

	return last == NULL ? &stream->record : last;
}

/* ---- opening and closing ---- */

void
ctx_count_ahead_close(struct ctx_count_ahead *p)
{
	if (p == NULL)
		return;
	ctx_pool_close(p->pool);
	for (size_t i = 0; p->batches != NULL && i < p->n; i++)
		release_batch(&p->batches[i]);
	for (size_t i = 0; p->clones != NULL && i + 1 < p->threads; i++)
		release_clones(&p->clones[i]);
	free(p->batches);
	free(p->clones);
	free(p);
}

int
ctx_stream_count_ahead(struct ctx_stream *stream,
    struct ctx_model_counters *counters, unsigned threads, struct ctx_err *err)
{
	struct ctx_count_ahead *p;

	if (threads < 2)
		return 0;
	p = calloc(1, sizeof *p);
	if (p == NULL)
		return ctx_err_nomem(err);
	p->counters = counters;
	p->threads = threads;
	p->n = 2 * (size_t)threads;
	p->batches = calloc(p->n, sizeof *p->batches);
	p->clones = calloc(threads - 1, sizeof *p->clones);
	if (p->batches == NULL || p->clones == NULL ||
	    ctx_pool_open(&p->pool, threads, err) < 0) {
		ctx_count_ahead_close(p);
		return ctx_err_nomem(err);
	}
	for (size_t i = 0; i < p->n; i++) {
		p->batches[i].task.run = count_batch;
		p->batches[i].prefetch = p;
	}
	stream->prefetch = p;
	return 0;
}
