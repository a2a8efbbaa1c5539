/* read_spool_file.c - reads the files in which ctx-age has stored tool
 * results, and checks that they are unchanged */
#include <errno.h>
#include <string.h>

#include "age/restoration.h"

int
ctx_restore_open_spool(struct restoration *restoration, struct ctx_err *err)
{
	const struct ctx_err *refused = restoration->options->refused;

	if (refused != NULL && refused->code != CTX_OK) {
		*err = *refused;
		return -1;
	}
	if (restoration->spool.fd >= 0 || restoration->no_spool ||
	    ctx_spool_open(&restoration->spool, restoration->options->spool,
		false, err) == 0)
		return 0;
	restoration->no_spool = err->code == CTX_ESYS && err->sys == ENOENT;
	return restoration->no_spool ? 0 : -1;
}

/* Returns true if the SHA-256 of the file's content, as hex digits, begins with
 * wanted. */
static bool
has_digits(const struct ctx_buf *file, const char *wanted)
{
	struct ctx_str text = {file->p, file->n};
	char digits[CTX_SPOOL_DIGITS];

	ctx_spool_hash_chunks(digits, &text, 1);
	return memcmp(digits, wanted, sizeof digits) == 0;
}

int
ctx_restore_scan_line(struct ctx_json *json, const struct ctx_buf *line,
    struct ctx_err *err)
{
	int rc = ctx_json_scan_text(json, ctx_buf_str(line), err);

	return rc <= 0
	    ? rc
	    : json->nodes[0].at == 0 && json->nodes[0].end + 1 == line->n;
}

int
ctx_restore_check_file(int rc, enum ctx_aged_result_state *state,
    const struct ctx_err *err)
{
	*state = rc > 0 ? CTX_AGED_WHOLE : CTX_AGED_MISSING;
	if (rc >= 0)
		return 0;
	/* CTX_EFILE: there is a symbolic link or a special file in place of the
	 * spool file. */
	if (err->code != CTX_EFILE &&
	    !(err->code == CTX_ESYS &&
		(err->sys == ELOOP || err->sys == ENXIO)))
		return -1;
	*state = CTX_AGED_CHANGED;
	return 0;
}

int
ctx_restore_sum_file(struct restoration *restoration, uint64_t max_bytes,
    struct ctx_spool_sum *sum, enum ctx_aged_result_state *state,
    struct ctx_err *err)
{
	int rc = restoration->no_spool
	    ? 0
	    : ctx_spool_sum(&restoration->spool, restoration->name.p, max_bytes,
		  sum, err);

	return ctx_restore_check_file(rc, state, err);
}

int
ctx_restore_read_file(struct restoration *restoration,
    const struct ctx_spool_sum *sum, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	int rc = ctx_spool_get(&restoration->spool, restoration->name.p,
	    sum->bytes, file, err);

	if (ctx_restore_check_file(rc, state, err) < 0)
		return -1;
	if (*state == CTX_AGED_WHOLE && !has_digits(file, sum->digits))
		*state = CTX_AGED_CHANGED;
	return 0;
}

int
ctx_restore_read_referenced(struct restoration *restoration,
    const struct ctx_reference *ref, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	struct ctx_spool_sum sum;

	if (ctx_restore_sum_file(restoration, MAX_FILE, &sum, state, err) < 0)
		return -1;
	if (*state != CTX_AGED_WHOLE)
		return 0;
	if (memcmp(sum.digits, ref->digits.p, sizeof sum.digits) == 0)
		return ctx_restore_read_file(restoration, &sum, file, state,
		    err);
	*state = CTX_AGED_CHANGED;
	return 0;
}

int
ctx_restore_find_spool(struct restoration *restoration,
    const struct ctx_reference *ref, struct ctx_err *err)
{
	const struct ctx_restore_config *o = restoration->options;

	if (ctx_restore_open_spool(restoration, err) < 0)
		return -1;
	if (ctx_reference_into(ref, o->spool) ||
	    (!restoration->no_spool &&
		ctx_spool_is_at(&restoration->spool, ref->dir)))
		return 1;
	return o->foreign != NULL ? o->foreign(o->user, ref->dir, err) : 0;
}

int
ctx_restore_report_reference(struct restoration *restoration,
    const struct ctx_reference *ref, enum ctx_aged_result_state state,
    struct ctx_err *err)
{
	const struct ctx_found_reference aged = {
	    .file = restoration->rewrite.record->file,
	    .line = restoration->rewrite.record->line,
	    .path = ref->path,
	    .name = ref->name,
	    .chars = ref->chars,
	    .state = state};

	if (state != CTX_AGED_WHOLE)
		restoration->has_broken_reference = true;
	return restoration->options->found == NULL
	    ? 0
	    : restoration->options->found(restoration->options->user, &aged,
		  err);
}
