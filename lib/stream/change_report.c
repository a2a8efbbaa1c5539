/* change_report.c - reports changes of messages, and archives the bytes before
 * a change */
#include <sha2.h>

#include "stream/stream.h"

static void
hash_change(const struct ctx_report *report, struct ctx_change *change)
{
	if (report->hashes && change->bytes.p != NULL)
		SHA256Data((const uint8_t *)change->bytes.p, change->bytes.n,
		    change->sha256);
}

int
ctx_report_keep(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err)
{
	hash_change(report, change);
	if (report->archive != NULL && !report->dry_run &&
	    ctx_archive_add(report->archive, change->bytes.p, change->bytes.n,
		err) < 0)
		return -1;
	change->bytes = (struct ctx_str){NULL, 0};
	return 0;
}

int
ctx_report_notify(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err)
{
	if (report->on_change == NULL)
		return 0;
	hash_change(report, change);
	return report->on_change(report->user, change, err);
}

int
ctx_report_change(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err)
{
	return ctx_report_keep(report, change, err) < 0
	    ? -1
	    : ctx_report_notify(report, change, err);
}

int
ctx_report_sync(const struct ctx_report *report, struct ctx_err *err)
{
	if (report->archive == NULL || report->dry_run)
		return 0;
	return ctx_archive_sync(report->archive, err);
}

bool
ctx_report_named(const struct ctx_stream *stream, const struct ctx_event *event)
{
	return event->line != 0 && !event->inside &&
	    !ctx_transcript_first_of_message(stream->transcript, event->line);
}

bool
ctx_report_wanted(const struct ctx_report *report)
{
	return report->on_change != NULL ||
	    (report->archive != NULL && !report->dry_run);
}
