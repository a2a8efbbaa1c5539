/*
 * replay_log.c - finds the active lines of a session file that is a log
 *
 * A line is active if the agent would send its message with the next request.
 * The lines are read in order.  A line may add itself to the list of active
 * lines, and may replace or remove lines in the list.
 */
#include <stdlib.h>
#include <string.h>

#include "transcript/lines.h"

/* The list of active lines (sent to the model) while a log is read, in the
 * order in which the agent would send them.  Each line is added once and
 * removed at most once, so the time is linear. */
struct log {
	struct ctx_transcript *transcript;
	uint32_t *slots;
	/* slots[first] to slots[n - 1] are the line numbers of the active lines
	 * (sent to the model). */
	size_t first, n;
	/* number of active lines (sent to the model) that begin a turn
	 * (CTX_LINE_USER) */
	size_t turns;
	/* All active lines (sent to the model) before slots[digested] are
	 * messages of the user. replay_digest need not look at these lines
	 * again. */
	size_t digested;
	/* For each id: the index in slots of the active line (sent to the
	 * model) with this id, plus 1; 0 if there was none.  Not changed when
	 * the line is removed, so find_line_slot tests it. */
	uint32_t *slot_of_id;
};

static uint32_t
get_id(const struct log *log, uint32_t line)
{
	return ctx_line_value(log->transcript, CTX_VALUE_ID, line);
}

static bool
is_user_line(const struct log *log, size_t slot)
{
	return ctx_transcript_line(log->transcript, log->slots[slot])->flags &
	    CTX_LINE_USER;
}

/* Removes the lines from log->slots[n] on from the list of active lines (sent
 * to the model). */
static void
drop_log_tail(struct log *log, size_t n)
{
	while (log->n > n)
		log->turns -= is_user_line(log, --log->n);
	if (log->digested > n)
		log->digested = n;
}

/* Returns the index in log->slots of the active line (sent to the model) that
 * has this id, or log->n if there is none. */
static size_t
find_line_slot(const struct log *log, uint32_t id)
{
	size_t slot = id == 0 ? 0 : log->slot_of_id[id];

	if (slot <= log->first || slot > log->n ||
	    get_id(log, log->slots[slot - 1]) != id)
		return log->n;
	return slot - 1;
}

/* Adds a line to the active lines (sent to the model).  If an active line has
 * the same id, replaces it by the new line. */
static int
replay_message(struct log *log, uint32_t line, struct ctx_err *err)
{
	uint32_t id = get_id(log, line);
	size_t slot = find_line_slot(log, id);

	if (slot < log->n) {
		if (ctx_line_set(log->transcript, CTX_VALUE_NEWER,
			log->slots[slot], line, err) < 0)
			return -1;
		log->turns -= is_user_line(log, slot);
		if (log->digested > slot)
			log->digested = slot;
	} else {
		log->n++;
	}
	log->slots[slot] = line;
	log->slot_of_id[id] = (uint32_t)slot + 1;
	log->turns += is_user_line(log, slot);
	return 0;
}

/* Removes the newest turns from the active lines (sent to the model). turns:
 * number of these turns.  A turn is a user message and everything up to the
 * next user message.  Lines of context that the agent has inserted before a
 * user message are removed with the turn of this message.  But context before
 * the first turn is kept. */
static void
replay_rollback(struct log *log, uint32_t turns)
{
	size_t left = log->turns > turns ? log->turns - turns : 0;
	size_t cut = log->n;

	if (turns == 0)
		return;
	while (log->turns > left)
		drop_log_tail(log, --cut);
	while (left > 0 &&
	    (ctx_transcript_line(log->transcript, log->slots[cut - 1])->flags &
		CTX_LINE_CONTEXT))
		cut--;
	drop_log_tail(log, cut);
}

/* Handles a line which says that the agent has replaced everything but the user
 * messages by a summary.  Removes all lines that are not user messages from the
 * active lines (sent to the model). */
static void
replay_digest(struct log *log)
{
	uint32_t line;

	for (size_t i = log->digested; i < log->n; i++) {
		if (!is_user_line(log, i))
			continue;
		line = log->slots[i];
		log->slots[log->digested++] = line;
		log->slot_of_id[get_id(log, line)] = (uint32_t)log->digested;
	}
	log->n = log->digested;
}

/* Handles a summary that contains the id of an earlier line ("about").  If this
 * earlier line is the request for the summary, removes all active lines (sent
 * to the model) before it.  Otherwise removes nothing. */
static void
replay_summary(struct log *log, uint32_t about)
{
	size_t slot = find_line_slot(log, about);

	if (slot == log->n ||
	    !(ctx_transcript_line(log->transcript, log->slots[slot])->flags &
		CTX_LINE_ASKS))
		return;
	while (log->first < slot)
		log->turns -= is_user_line(log, log->first++);
	if (log->digested < slot)
		log->digested = slot;
}

static int
replay_line(struct log *log, uint32_t line, struct ctx_err *err)
{
	const struct ctx_transcript *transcript = log->transcript;
	uint32_t about = ctx_line_value(transcript, CTX_VALUE_ABOUT, line);
	size_t slot;

	switch (
	    (enum ctx_line_kind)ctx_transcript_line(transcript, line)->kind) {
	case CTX_LINE_SUMMARY:
		if (about != 0)
			replay_summary(log, about);
		else
			drop_log_tail(log, log->first);
		return replay_message(log, line, err);
	case CTX_LINE_DIGEST:
		replay_digest(log);
		return replay_message(log, line, err);
	case CTX_LINE_ATTACHMENT:
	case CTX_LINE_MESSAGE:
		return replay_message(log, line, err);
	case CTX_LINE_REWIND:
		slot = find_line_slot(log, about);
		drop_log_tail(log, slot < log->n ? slot : log->first);
		break;
	case CTX_LINE_ROLLBACK:
		replay_rollback(log,
		    ctx_line_value(transcript, CTX_VALUE_TURNS, line));
		break;
	case CTX_LINE_ASIDE:
	case CTX_LINE_LINK:
		break;
	}
	return 0;
}

/* Finds the number of the parent's line for each line that contains the id of
 * its parent. where: scratch memory with one element for each id.  The caller
 * must pass zeros; the function sets all elements to 0 again before it returns
 * 0. */
static int
find_parents(struct ctx_transcript *transcript, uint32_t *where,
    struct ctx_err *err)
{
	uint32_t line, id, parent;

	for (size_t i = transcript->from; i < transcript->n; i++) {
		line = (uint32_t)i + 1;
		parent = ctx_line_value(transcript, CTX_VALUE_PARENT, line);
		if (parent != 0 &&
		    ctx_line_set(transcript, CTX_VALUE_PARENT_LINE, line,
			where[parent], err) < 0)
			return -1;
		id = ctx_line_value(transcript, CTX_VALUE_ID, line);
		if (id != 0)
			where[id] = line;
	}
	memset(where, 0, (transcript->ids.n + 1) * sizeof *where);
	return 0;
}

int
ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err)
{
	struct log log = {0};
	int rc = -1;

	log.transcript = transcript;
	log.slots =
	    calloc(transcript->n - transcript->from + 1, sizeof *log.slots);
	log.slot_of_id = calloc(transcript->ids.n + 1, sizeof *log.slot_of_id);
	if (log.slots == NULL || log.slot_of_id == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	rc = find_parents(transcript, log.slot_of_id, err);
	for (size_t i = transcript->from; rc == 0 && i < transcript->n; i++)
		rc = replay_line(&log, (uint32_t)i + 1, err);
	for (size_t i = log.first; rc == 0 && i < log.n; i++)
		ctx_transcript_line(transcript, log.slots[i])->active = true;
out:
	free(log.slots);
	free(log.slot_of_id);
	return rc;
}
