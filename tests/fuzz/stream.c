/*
 * stream.c - fuzz target: the output of the commands for a stream
 *
 * Input: eight bytes of options, the first two of which choose the dialect
 * (message format) and the command, and a stream.  The output must be JSON,
 * have the reported number of tokens, and be within the budget or reported as
 * too large.  It must break no rules that the input does not break.  A second
 * run must not change it.  Blanks around the lines of the input must change
 * nothing else.
 */
#include "age/age.h"
#include "cache/cache.h"
#include "check/check.h"
#include "count/count.h"
#include "prune/prune.h"
#include "truncate/truncate.h"
#include "fuzz.h"

struct fuzz {
	const struct ctx_dialect *dialect; /* NULL: the dialect is detected */
	uint8_t options[8];
	struct ctx_model_counters *counters;
};

struct outcome {
	int rc;
	struct ctx_err err;
	struct ctx_buf out;
	bool over;
	/* true if a second run may replace a summary that is still above its
	 * trigger */
	bool again;
	uint64_t after; /* reported number of tokens of all conversations */
};

static uint64_t
amount(const struct fuzz *f, size_t i)
{
	/* Values below 128 in steps of 1, larger values in steps of 40. */
	return f->options[i] < 128 ? f->options[i]
				   : (uint64_t)(f->options[i] - 127) * 40;
}

/* Returns a pattern, which is compiled in the first call. */
static struct ctx_pattern
pattern(struct ctx_pattern *made, const char *text)
{
	struct ctx_err err;

	if (made->n == 0)
		must(ctx_pattern_add(made, text, &err) == 0);
	return *made;
}

/* ---- the commands ---- */

static int
on_pruned(void *user, const struct ctx_prune_outcome *pruned,
    struct ctx_err *err)
{
	struct outcome *outcome = user;

	(void)err;
	must(pruned->after <= pruned->before);
	must(pruned->messages_removed <= pruned->messages);
	/* At most one notice before each kept message, and one summary. */
	must(pruned->messages_kept <=
	    2 * (pruned->messages - pruned->messages_removed) + 2);
	must(pruned->error != NULL ||
	    pruned->over == (pruned->after > pruned->settings->budget));
	outcome->over |= pruned->over;
	outcome->again |= pruned->settings->strategy->summarizes &&
	    pruned->after > pruned->settings->trigger;
	outcome->after += pruned->after;
	return 0;
}

/* Returns a notice that is longer than the kept text of a message of which only
 * the beginning and the end are kept. */
static const char *
long_notice(void)
{
	static char text[1500];

	memset(text, 'n', sizeof text - 1);
	return text;
}

static int
prune(const struct fuzz *f, struct ctx_stream *stream,
    struct ctx_writer *writer, struct outcome *outcome)
{
	static struct ctx_pattern pin_text, pin_tool, tool, not_tool;
	unsigned rare = f->options[5] / 4;
	struct ctx_prune_config options = {.summary_tokens = 60,
	    .user = outcome,
	    .ended = on_pruned};
	struct ctx_prune_settings *settings = &options.settings;
	unsigned strategies = 0;

	while (ctx_strategy_at(strategies) != NULL)
		strategies++;
	settings->strategy = ctx_strategy_at(f->options[2] % strategies);
	settings->level = (enum ctx_level)(f->options[3] % 3);
	settings->keep_last = f->options[3] / 3 % 5;
	settings->keep_turns = f->options[3] / 15 % 4;
	settings->keep_first = f->options[3] / 60 % 3;
	settings->window_turns = 1 + f->options[4] % 5;
	settings->keep_messages = 1 + f->options[4] / 5 % 5;
	settings->trigger_messages = 8;
	settings->pin_system = settings->strategy->pins_system;
	if (f->options[4] >= 200)
		options.quantum =
		    (struct ctx_amount){.n = amount(f, 5), .set = true};
	options.budget = (struct ctx_amount){.n = amount(f, 6), .set = true};
	if (f->options[5] % 4 == 1)
		options.target = (struct ctx_amount){.n = 50000,
		    .set = true,
		    .percent = true};
	if (f->options[5] % 4 == 2 && !settings->strategy->summarizes)
		options.notice =
		    rare & 1 ? long_notice() : "[messages were left out]";
	if (rare & 2)
		options.pin_text = pattern(&pin_text, "retr|not|\\d{4}");
	if (rare & 4)
		options.pin_tool = pattern(&pin_tool, "^(get|read)");
	if (rare & 8)
		options.tool = pattern(&tool, "e");
	if (rare & 16)
		options.not_tool = pattern(&not_tool, "r");
	if (rare & 32)
		options.pin_roles = 1u << CTX_ROLE_USER;
	return ctx_prune_stream(stream, writer, f->counters, &options,
	    &outcome->err);
}

static int
truncate_items(const struct fuzz *f, struct ctx_stream *stream,
    struct ctx_writer *writer, struct outcome *outcome)
{
	struct ctx_truncate_config options = {.unit = (enum ctx_size)(
						  f->options[2] % 4),
	    .keep = (enum ctx_keep)(f->options[2] / 4 % 3),
	    .head = f->options[3] % 4,
	    .tail = 1 + f->options[3] / 4 % 4,
	    .limit = amount(f, 4),
	    .message = amount(f, 5),
	    .args = amount(f, 6)};
	struct ctx_truncate_counts counts;

	return ctx_truncate_stream(stream, writer, f->counters, &options,
	    &counts, &outcome->err);
}

/* Runs ctx-age so that nothing is stored, because the fuzzer must not write
 * files. */
static int
age(const struct fuzz *f, struct ctx_stream *stream, struct ctx_writer *writer,
    struct outcome *outcome)
{
	struct ctx_age_config options = {.spool = "spool",
	    .format = "{tool}-{sha256}.md",
	    .by_results = f->options[2] & 1,
	    .keep = f->options[2] / 2 % 8,
	    .step = 1 + f->options[3] % 3,
	    .over = amount(f, 4),
	    .head = amount(f, 5) % CTX_AGE_HEAD,
	    .mask = true};
	struct ctx_age_counts counts;

	return ctx_age_stream(stream, writer, f->counters, &options, &counts,
	    &outcome->err);
}

static int
cache(const struct fuzz *f, struct ctx_stream *stream,
    struct ctx_writer *writer, struct outcome *outcome)
{
	struct ctx_cache_options options = {.provider = ctx_breakpoint_provider(
						f->options[2] % 4),
	    .ttl = (enum ctx_ttl)(f->options[3] % CTX_TTLS),
	    .strip = f->options[4] & 1};

	return ctx_mark_cache(stream, writer, f->counters, &options,
	    &outcome->err);
}

static int
annotate(const struct fuzz *f, struct ctx_stream *stream,
    struct ctx_writer *writer, struct outcome *outcome)
{
	const struct ctx_report report = {0};

	return ctx_annotate(stream, writer, f->counters, "ctx_tokens", &report,
	    &outcome->err);
}

static const struct command {
	int (*run)(const struct fuzz *f, struct ctx_stream *stream,
	    struct ctx_writer *writer, struct outcome *outcome);
	/* true if the command adds something to messages that a provider may
	 * refuse */
	bool adds;
} commands[] = {{prune, false}, {truncate_items, false}, {prune, false},
    {age, false}, {prune, false}, {cache, false}, {prune, false},
    {annotate, true}};

static const struct command *
command_of(const struct fuzz *f)
{
	return &commands[f->options[1] % (sizeof commands / sizeof *commands)];
}

static void
begin(const struct fuzz *f, struct ctx_stream *stream, const char *p, size_t n)
{
	struct ctx_err err;

	memset(stream, 0, sizeof *stream);
	stream->forced = f->dialect;
	fuzz_input(p, n, f->options + 7, f->options[7] != 0);
	must(ctx_reader_open(&stream->reader, NULL, 0, &err) == 0);
}

static void
end(struct ctx_stream *stream)
{
	ctx_reader_close(stream->reader);
	ctx_stream_release(stream);
	fuzz_input_end();
}

static void
run(const struct fuzz *f, const char *p, size_t n, struct outcome *outcome)
{
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_err err;

	memset(outcome, 0, sizeof *outcome);
	begin(f, &stream, p, n);
	ctx_writer_init(&writer, FUZZ_OUT);
	ctx_reader_set_writer(stream.reader, &writer);
	outcome->rc = command_of(f)->run(f, &stream, &writer, outcome);
	must(outcome->rc == 0 || outcome->err.text[0] != '\0');
	must(ctx_writer_flush(&writer, &err) == 0);
	must(ctx_buf_add(&outcome->out, fuzz_output.p, fuzz_output.n, &err) ==
	    0);
	ctx_writer_release(&writer);
	end(&stream);
}

/* ---- checks of the output ---- */

static int
on_found(void *user, const struct ctx_finding *finding, struct ctx_err *err)
{
	(void)err;
	((uint64_t *)user)[finding->id]++;
	return 0;
}

static int
check(const struct fuzz *f, const char *p, size_t n, uint64_t *found)
{
	struct ctx_check_config options = {.allow_pending = true,
	    .user = found,
	    .on_finding = on_found};
	struct ctx_stream stream;
	struct ctx_err err;
	int rc;

	begin(f, &stream, p, n);
	rc = ctx_check_stream(&stream, NULL, &options, &err);
	end(&stream);
	return rc;
}

static int
on_ended(void *user, const struct ctx_token_stats *stats, struct ctx_err *err)
{
	(void)err;
	*(uint64_t *)user += stats->tokens;
	return 0;
}

static uint64_t
count(const struct fuzz *f, const char *p, size_t n)
{
	uint64_t tokens = 0;
	const struct ctx_count_hooks hooks = {.user = &tokens,
	    .ended = on_ended};
	struct ctx_stream stream;
	struct ctx_err err;

	begin(f, &stream, p, n);
	must(ctx_count_stream(&stream, f->counters, &hooks, &err) == 0);
	end(&stream);
	return tokens;
}

/* Appends a text without the blanks at the beginning and end of its lines. */
static void
add_bare_lines(struct ctx_buf *out, struct ctx_str text)
{
	static const char blanks[] = " \t\r";
	const char *p = text.p, *end = text.p + text.n, *next;
	struct ctx_err err;

	for (; p < end; p = next) {
		const char *last = memchr(p, '\n', (size_t)(end - p));

		last = last != NULL ? last : end;
		next = last + (last < end);
		while (p < last && memchr(blanks, *p, 3) != NULL)
			p++;
		while (last > p && memchr(blanks, last[-1], 3) != NULL)
			last--;
		must(ctx_buf_add(out, p, (size_t)(last - p), &err) == 0 &&
		    ctx_buf_add(out, "\n", 1, &err) == 0);
	}
}

/* Copies a stream, with blanks before and after each line.  Returns false if a
 * record has more than one line. */
static bool
add_blanks(const struct fuzz *f, const char *p, size_t n, struct ctx_buf *out)
{
	struct ctx_stream stream;
	struct ctx_record record;
	struct ctx_err err;
	bool lines = true;
	size_t ended;

	begin(f, &stream, p, n);
	while (ctx_reader_next(stream.reader, &record, &err) == 1) {
		ended = record.text.p[record.text.n - 1] == '\n';
		must(ctx_buf_add(out, " \t", 2, &err) == 0 &&
		    ctx_buf_add(out, record.text.p, record.text.n - ended,
			&err) == 0 &&
		    ctx_buf_add(out, "\t\n", 1 + ended, &err) == 0);
		lines &=
		    memchr(record.text.p, '\n', record.text.n - ended) == NULL;
	}
	end(&stream);
	return lines;
}

/* Checks that blanks around lines change nothing else in the output. */
static void
judge_blanks(const struct fuzz *f, const char *p, size_t n,
    const struct outcome *first)
{
	struct ctx_buf text = {0}, was = {0}, is = {0};
	struct outcome second;

	if (add_blanks(f, p, n, &text)) {
		run(f, text.p, text.n, &second);
		must(second.rc == 0);
		add_bare_lines(&was,
		    (struct ctx_str){first->out.p, first->out.n});
		add_bare_lines(&is,
		    (struct ctx_str){second.out.p, second.out.n});
		must(fuzz_same(was.p, was.n, is.p, is.n));
		ctx_buf_release(&second.out);
	}
	ctx_buf_release(&text);
	ctx_buf_release(&was);
	ctx_buf_release(&is);
}

static void
judge(const struct fuzz *f, const char *p, size_t n,
    const struct outcome *first)
{
	uint64_t before[CTX_RULES] = {0}, after[CTX_RULES] = {0};
	bool alike = fuzz_reads_alike(f->dialect, p, n, &first->out);
	struct outcome second;
	bool clean = alike;
	size_t i;

	must(check(f, p, n, before) == 0);
	if (fuzz_side_by_side(p, n))
		return;
	must(check(f, first->out.p, first->out.n, after) == 0);
	for (i = 0; i < CTX_RULES; i++)
		clean &= before[i] == 0;
	/* For a stream that breaks rules, the output may break other rules. */
	for (i = 0; clean && i < CTX_RULES && !command_of(f)->adds; i++)
		must(after[i] == 0);
	/* If the stream breaks rules, other messages may be left: in a mixture
	 * of dialects, or in a tree whose lines have no ids. */
	if (command_of(f)->run == prune && first->after > 0 &&
	    (clean ||
		(f->dialect != NULL &&
		    f->dialect->history == CTX_HISTORY_NONE)))
		must(count(f, first->out.p, first->out.n) == first->after);
	run(f, first->out.p, first->out.n, &second);
	must(second.rc == 0);
	must(!clean || first->again ||
	    fuzz_same(first->out.p, first->out.n, second.out.p, second.out.n));
	ctx_buf_release(&second.out);
}

size_t
fuzz_head(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return sizeof((struct fuzz *)NULL)->options;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ctx_model_counters counters = {.model = "gpt-4o"};
	struct fuzz f = {.counters = &counters};
	struct outcome first;
	size_t i;

	for (i = 0; i < sizeof f.options; i++)
		f.options[i] = fuzz_byte(&data, &size);
	f.dialect = fuzz_dialect(f.options[0]);
	if (size > 20000)
		return -1;
	run(&f, (const char *)data, size, &first);
	if (first.rc == 0)
		judge(&f, (const char *)data, size, &first);
	if (first.rc == 0 && f.options[1] & 8)
		judge_blanks(&f, (const char *)data, size, &first);
	ctx_buf_release(&first.out);
	return 0;
}
