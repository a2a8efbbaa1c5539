/*
 * check.c - fuzz target: checks and repairs a stream
 *
 * Input: a byte that chooses the dialect (message format); a byte of options
 * (whether the last tool calls may have no result, the provider, what happens
 * to bound reasoning); a number n; n bytes that say how many bytes each read
 * and write transfers; a stream.  If the repair reports a violation as
 * repaired, the violation must be gone when the output is read again, unless
 * the stream is a mixture of dialects.
 */
#include "check/check.h"
#include "fuzz.h"

struct fuzz {
	const struct ctx_dialect *dialect; /* NULL: the dialect is detected */
	const struct ctx_provider *provider;
	bool allow_pending;
	enum ctx_reasoning reasoning;
	struct ctx_model_counters *counters;
	const uint8_t *chunks;
	size_t n_chunks;
};

struct outcome {
	uint64_t found[CTX_RULES];
	uint64_t fixed;
	struct ctx_buf out;
	int rc;
};

static int
on_found(void *user, const struct ctx_finding *finding, struct ctx_err *err)
{
	struct outcome *outcome = user;

	(void)err;
	must(finding->id < CTX_RULES && finding->what != NULL);
	outcome->found[finding->id]++;
	return 0;
}

static int
on_fixed(void *user, const struct ctx_change *fix, struct ctx_err *err)
{
	struct outcome *outcome = user;
	const struct ctx_rule *rule = ctx_rule_at(fix->finding->id);

	(void)err;
	must(rule != NULL && rule->remedy != CTX_FIX_NONE);
	outcome->fixed++;
	return 0;
}

static void
run(const struct fuzz *f, const char *p, size_t n, bool repair,
    struct outcome *outcome)
{
	struct ctx_check_config options = {.provider = f->provider,
	    .allow_pending = f->allow_pending,
	    .reasoning = f->reasoning,
	    .counters = f->counters,
	    .user = outcome,
	    .on_finding = on_found,
	    .report = {.user = outcome, .on_change = on_fixed}};
	struct ctx_stream stream = {.forced = f->dialect};
	struct ctx_writer writer;
	struct ctx_err err;

	memset(outcome, 0, sizeof *outcome);
	fuzz_input(p, n, f->chunks, f->n_chunks);
	must(ctx_reader_open(&stream.reader, NULL, 0, &err) == 0);
	ctx_writer_init(&writer, FUZZ_OUT);
	ctx_reader_set_writer(stream.reader, &writer);
	outcome->rc =
	    ctx_check_stream(&stream, repair ? &writer : NULL, &options, &err);
	must(outcome->rc == 0 || err.text[0] != '\0');
	must(ctx_writer_flush(&writer, &err) == 0);
	ctx_reader_close(stream.reader);
	ctx_stream_release(&stream);
	ctx_writer_release(&writer);
	must(ctx_buf_add(&outcome->out, fuzz_output.p, fuzz_output.n, &err) ==
	    0);
	fuzz_input_end();
}

/* Checks a repaired stream.  It must be readable.  If it is read as the same
 * messages as the original (alike), it must have no finding of a rule that has
 * a repair, except the findings that were reported as not repaired.  For other
 * rules, the findings must be the same, unless the conversation is meant for
 * another provider. */
static void
judge(const struct fuzz *f, const struct outcome *repaired, bool alike)
{
	struct outcome after, again;
	size_t i;

	run(f, repaired->out.p, repaired->out.n, false, &after);
	must(after.rc == 0);
	for (i = 0; alike && i < CTX_RULES; i++)
		must(ctx_rule_at(i)->remedy != CTX_FIX_NONE
			? after.found[i] <= repaired->found[i]
			: f->provider != NULL ||
			    after.found[i] == repaired->found[i]);
	run(f, repaired->out.p, repaired->out.n, true, &again);
	must(again.rc == 0 && (!alike || again.fixed == 0));
	must(!alike ||
	    fuzz_same(again.out.p, again.out.n, repaired->out.p,
		repaired->out.n));
	ctx_buf_release(&after.out);
	ctx_buf_release(&again.out);
}

size_t
fuzz_head(const uint8_t *data, size_t size)
{
	return size < 3 ? size : 3u + data[2] % 16;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ctx_model_counters counters = {
	    .model = "claude-opus-5-5"};
	unsigned providers = 0;
	uint8_t choice = fuzz_byte(&data, &size);
	unsigned options = fuzz_byte(&data, &size);
	struct outcome whole, checked, repaired;
	const char *p;
	struct fuzz f = {.counters = &counters};

	while (ctx_provider_at(providers) != NULL)
		providers++;
	f.dialect = fuzz_dialect(choice);
	f.allow_pending = options & 1;
	f.provider = ctx_provider_at(options / 2 % (providers + 1));
	f.reasoning = options / 2 / (providers + 1) % 3;
	f.n_chunks = fuzz_byte(&data, &size) % 16;
	f.chunks = data;
	if (f.n_chunks > size || size > 20000)
		return -1;
	data += f.n_chunks;
	size -= f.n_chunks;
	p = (const char *)data;
	run(&f, p, size, true, &repaired);
	run(&f, p, size, false, &checked);
	must(checked.rc == repaired.rc && checked.out.n == 0);
	if (repaired.rc == 0) {
		must(repaired.fixed > 0 ||
		    fuzz_same(repaired.out.p, repaired.out.n, p, size));
		/* A value that is not a message may be read as something else
		 * when it is alone. */
		if (!fuzz_side_by_side(p, size))
			judge(&f, &repaired,
			    repaired.found[CTX_RULE_NO_MESSAGE] == 0 &&
				fuzz_reads_alike(f.dialect, p, size,
				    &repaired.out));
	}
	/* The output must not depend on how the bytes arrive. */
	f.n_chunks = 0;
	run(&f, p, size, true, &whole);
	must(whole.rc == repaired.rc &&
	    (whole.rc != 0 ||
		fuzz_same(whole.out.p, whole.out.n, repaired.out.p,
		    repaired.out.n)));
	ctx_buf_release(&whole.out);
	ctx_buf_release(&checked.out);
	ctx_buf_release(&repaired.out);
	return 0;
}
