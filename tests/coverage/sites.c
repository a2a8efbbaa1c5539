/*
 * sites.c - linked into each program of the coverage run: makes each place that
 * allocates memory fail once
 *
 * Most calls find enough memory that was allocated before, so a failing malloc
 * reaches few places.  So the linker (--wrap) replaces the functions that
 * enlarge buffers, and some functions that often call these, by the functions
 * below.  If FAULT_SITES is set, the first call from a place that has not
 * failed yet fails.  The file "../sites" contains the places that have failed,
 * over all runs of a sweep (tests/fault/sweep/memory.c).  A place is identified
 * by the address of the call and the addresses of the calls around it, so a
 * function fails once for each of its callers.
 */
#define _GNU_SOURCE /* for program_invocation_short_name and vasprintf */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <jansson.h>
#include <pcre2.h>

#include "store/store.h"
#include "check/validator.h"
#include "prune/held_conversation.h"
#include "cache/breakpoints.h"
#include "cache/cache_report.h"
#include "truncate/text_segments.h"
#include "stream/conversation_tracker.h"
#include "cost/media.h"
#include "dialect/read.h"
#include "group/open_tool_calls.h"
#include "prune/strategy/embed.h"
#include "prune/plan.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

enum { DEPTH = 4, SITES = 1 << 16 };

/* The contents of the file "../sites", as in tests/fault/sweep/memory.c. */
struct sites {
	_Atomic uint64_t failed;      /* number of failures in this run */
	_Atomic uint64_t site[SITES]; /* hashes of places; 0: unused element */
};

static struct sites *sites;
extern const char __executable_start[], _end[];

__attribute__((constructor)) static void
begin(void)
{
	int fd;
	void *p;

	if (getenv("FAULT_SITES") == NULL)
		return;
	fd = open("../sites", O_RDWR);
	if (fd < 0)
		return;
	p = mmap(NULL, sizeof *sites, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	(void)close(fd);
	if (p != MAP_FAILED)
		sites = p;
}

void fault_sites_stop(void);
void
fault_sites_stop(void)
{
	sites = NULL;
}

/* One step of the hash FNV-1a (Fowler, Noll, Vo). */
static uint64_t
mix(uint64_t hash, uint64_t more)
{
	return (hash ^ more) * 0x100000001b3;
}

/* Returns a hash of the addresses of the calls that lead to a stack frame. */
static uint64_t
place_of(void *const *frame)
{
	const char *name = program_invocation_short_name;
	uint64_t hash = 0xcbf29ce484222325;
	int i;

	while (*name != '\0')
		hash = mix(hash, (unsigned char)*name++);
	for (i = 0; i < DEPTH; i++) {
		const char *from = frame[1];

		/* Ends at an address outside of the program: in the C library
		 * there are no stack frames that could be followed. */
		if (from < __executable_start || from >= _end)
			break;
		hash = mix(hash, (uint64_t)(from - __executable_start));
		frame = (void *const *)frame[0];
	}
	return hash | 1;
}

static bool
fails(void *const *frame)
{
	uint64_t mine, free_one;
	size_t i, n;

	if (sites == NULL || sites->failed > 0)
		return false;
	mine = place_of(frame);
	for (i = mine, n = 0; n < SITES; i++, n++) {
		free_one = 0;
		if (atomic_compare_exchange_strong(&sites->site[i % SITES],
			&free_one, mine))
			break;
		if (free_one == mine)
			return false;
	}
	if (n == SITES || atomic_fetch_add(&sites->failed, 1) > 0)
		return false;
	errno = ENOMEM;
	return true;
}

#define HERE ((void *const *)__builtin_frame_address(0))

/* Defines the wrapper of a function that returns a pointer, or that returns -1
 * and sets *err. */
#define WRAP(type, name, parameters, arguments, failure)                  \
	extern __typeof__(name) __real_##name, __wrap_##name;             \
	type __wrap_##name parameters                                     \
	{                                                                 \
		return fails(HERE) ? (failure) : __real_##name arguments; \
	}

WRAP(void *, malloc, (size_t n), (n), NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAP(int, ctx_grow,
    (void *p, size_t *cap, size_t need, size_t size, struct ctx_err *err),
    (p, cap, need, size, err), ctx_err_nomem(err))
WRAP(void *, ctx_arena_alloc,
    (struct ctx_arena * arena, size_t n, struct ctx_err *err), (arena, n, err),
    (ctx_err_nomem(err), NULL))
WRAP(int, ctx_buf_reserve,
    (struct ctx_buf * buf, size_t extra, struct ctx_err *err),
    (buf, extra, err), ctx_err_nomem(err))
WRAP(int, ctx_buf_add,
    (struct ctx_buf * buf, const char *p, size_t n, struct ctx_err *err),
    (buf, p, n, err), ctx_err_nomem(err))
WRAP(int, ctx_json_string_decode,
    (struct ctx_buf * out, struct ctx_str literal, struct ctx_err *err),
    (out, literal, err), ctx_err_nomem(err))
WRAP(int, ctx_json_string_encode,
    (struct ctx_buf * out, const char *p, size_t n, struct ctx_err *err),
    (out, p, n, err), ctx_err_nomem(err))

WRAP(int, ctx_edits_replace,
    (struct ctx_edits * edits, struct ctx_str old, const char *p, size_t n,
	struct ctx_err *err),
    (edits, old, p, n, err), ctx_err_nomem(err))
WRAP(int, ctx_token_count,
    (struct ctx_token_counter * counter, const char *p, size_t n,
	uint64_t *tokens, struct ctx_err *err),
    (counter, p, n, tokens, err), ctx_err_nomem(err))
WRAP(int, ctx_count_message,
    (struct ctx_counter * counter, const struct ctx_message *message,
	struct ctx_cost *cost, struct ctx_err *err),
    (counter, message, cost, err), ctx_err_nomem(err))

/* Defines the wrapper of a function that returns -1 and sets *err. */
#define PASSES(name, parameters, arguments) \
	WRAP(int, name, parameters, arguments, ctx_err_nomem(err))

PASSES(ctx_json_scan,
    (struct ctx_json * json, const char *text, size_t n, size_t *used,
	struct ctx_err *err),
    (json, text, n, used, err))
PASSES(ctx_edits_apply,
    (struct ctx_edits * edits, struct ctx_str text, struct ctx_buf *out,
	struct ctx_err *err),
    (edits, text, out, err))
PASSES(ctx_report_sync, (const struct ctx_report *report, struct ctx_err *err),
    (report, err))
PASSES(ctx_report_change,
    (const struct ctx_report *report, struct ctx_change *change,
	struct ctx_err *err),
    (report, change, err))
PASSES(ctx_intern,
    (struct ctx_intern * names, const char *p, size_t n, uint32_t *id,
	struct ctx_err *err),
    (names, p, n, id, err))
PASSES(ctx_count_block,
    (struct ctx_counter * counter, const struct ctx_message *message, size_t i,
	struct ctx_cost *cost, struct ctx_err *err),
    (counter, message, i, cost, err))
PASSES(ctx_count_value,
    (struct ctx_counter * counter, const struct ctx_json *json, uint32_t node,
	struct ctx_cost *cost, struct ctx_err *err),
    (counter, json, node, cost, err))
PASSES(ctx_text_segments_protect,
    (struct text_segments * text_segments, struct shortener *cut,
	struct ctx_err *err),
    (text_segments, cut, err))
PASSES(ctx_token_index_append,
    (struct ctx_token_index * index, struct ctx_token_counter *counter,
	struct ctx_str text, struct ctx_err *err),
    (index, counter, text, err))
PASSES(ctx_shorten_measure,
    (struct shortener * cut, const char *p, size_t n, uint64_t *size,
	struct ctx_err *err),
    (cut, p, n, size, err))
PASSES(ctx_breakpoint_strip,
    (struct ctx_breakpoint_writer * writer, uint32_t object,
	struct ctx_err *err),
    (writer, object, err))
PASSES(ctx_breakpoint_write,
    (struct ctx_breakpoint_writer * writer,
	const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
	uint32_t list, uint32_t mask, struct ctx_err *err),
    (writer, format, ttl, list, mask, err))
PASSES(ctx_read_block,
    (struct ctx_message * message, enum ctx_block_kind kind, uint32_t value,
	struct ctx_err *err),
    (message, kind, value, err))
PASSES(ctx_read_member,
    (struct ctx_message * message, uint32_t obj, const char *key,
	enum ctx_block_kind kind, struct ctx_err *err),
    (message, obj, key, kind, err))
PASSES(ctx_media_tokens,
    (const struct ctx_image *image, const struct ctx_json *json, uint32_t node,
	struct ctx_buf *scratch, struct ctx_media_cost *cost,
	struct ctx_err *err),
    (image, json, node, scratch, cost, err))
PASSES(ctx_nfc_text,
    (struct ctx_nfc * nfc, struct ctx_str *text, struct ctx_buf *out,
	bool *changed, struct ctx_err *err),
    (nfc, text, out, changed, err))
PASSES(ctx_nfc_map_init,
    (struct ctx_nfc_map * map, struct ctx_nfc *nfc, struct ctx_str text,
	struct ctx_err *err),
    (map, nfc, text, err))
PASSES(ctx_text_splitter_next,
    (struct ctx_text_splitter * walk, size_t max, struct ctx_err *err),
    (walk, max, err))
PASSES(ctx_text_splitter_place,
    (struct ctx_text_splitter * walk, size_t *at, struct ctx_err *err),
    (walk, at, err))
PASSES(ctx_bpe_long,
    (const struct ctx_vocab *vocab, struct ctx_bpe *bpe, const char *p,
	size_t n, struct ctx_err *err),
    (vocab, bpe, p, n, err))
PASSES(ctx_rewrite_reread,
    (struct ctx_rewrite * rewrite, const struct ctx_held_message *held,
	struct ctx_err *err),
    (rewrite, held, err))
PASSES(ctx_call_key_of,
    (struct ctx_call_key * key, const struct ctx_json *json,
	const struct ctx_block *block, uint64_t rules, struct ctx_buf *text,
	struct ctx_err *err),
    (key, json, block, rules, text, err))
PASSES(ctx_groups_tool,
    (struct ctx_groups * groups, const struct ctx_message *message, size_t i,
	uint32_t *tool, struct ctx_err *err),
    (groups, message, i, tool, err))
PASSES(ctx_tracker_first_tool,
    (struct conversation_tracker * tracker, const struct ctx_event *event,
	struct ctx_str *tool, struct ctx_err *err),
    (tracker, event, tool, err))
PASSES(ctx_tracker_enter,
    (struct conversation_tracker * tracker, const struct ctx_stream *stream,
	const struct ctx_event *event, struct ctx_model_counters *counters,
	struct ctx_err *err),
    (tracker, stream, event, counters, err))
WRAP(int, ctx_validate_wait, (struct ctx_validator * validator, unsigned wait),
    (validator, wait), ctx_err_nomem(validator->err))
WRAP(int, ctx_validate_refuse_waiting,
    (struct ctx_validator * validator, unsigned wait, enum ctx_rule_id id,
	const char *what),
    (validator, wait, id, what), ctx_err_nomem(validator->err))
WRAP(int, ctx_validate_refuse_block,
    (struct ctx_validator * validator, enum ctx_rule_id id, size_t part,
	const char *what, const char *tail),
    (validator, id, part, what, tail), ctx_err_nomem(validator->err))
WRAP(int, ctx_validate_refuse,
    (struct ctx_validator * validator, enum ctx_rule_id id, const char *what),
    (validator, id, what), ctx_err_nomem(validator->err))
PASSES(ctx_cache_run_find_places,
    (struct cache_run * run, uint64_t number,
	struct ctx_breakpoint_writer *writer, struct ctx_err *err),
    (run, number, writer, err))
PASSES(ctx_cache_run_edit,
    (struct ctx_breakpoint_writer * writer,
	const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
	uint32_t message, uint32_t mask, struct ctx_err *err),
    (writer, format, ttl, message, mask, err))
PASSES(ctx_cache_run_decide,
    (struct cache_run * run, const struct ctx_dialect *dialect,
	const char *provider, struct ctx_err *err),
    (run, dialect, provider, err))
PASSES(ctx_reader_flush, (struct ctx_reader * reader, struct ctx_err *err),
    (reader, err))
PASSES(ctx_plan_compact,
    (struct ctx_plan * plan, struct ctx_groups *groups, struct ctx_err *err),
    (plan, groups, err))
PASSES(ctx_fifo_decide,
    (struct ctx_candidate * candidates, size_t n,
	const struct ctx_prune_settings *settings, uint64_t base,
	uint32_t newest, struct ctx_err *err),
    (candidates, n, settings, base, newest, err))
PASSES(ctx_writer_put,
    (struct ctx_writer * writer, const char *p, size_t n, struct ctx_err *err),
    (writer, p, n, err))
PASSES(ctx_writer_copy,
    (struct ctx_writer * writer, const char *p, size_t n, struct ctx_err *err),
    (writer, p, n, err))
PASSES(ctx_spool_sync, (struct ctx_spool * spool, struct ctx_err *err),
    (spool, err))
PASSES(ctx_count_result,
    (struct ctx_counter * counter, const struct ctx_message *message, size_t *i,
	struct ctx_cost *cost, struct ctx_err *err),
    (counter, message, i, cost, err))
PASSES(ctx_embed_add,
    (struct ctx_embed * embed, const char *p, size_t n, struct ctx_err *err),
    (embed, p, n, err))
PASSES(ctx_cache_report_change,
    (const struct cache_report *report, struct ctx_change *change,
	const char *rule, struct ctx_str bytes, struct ctx_err *err),
    (report, change, rule, bytes, err))
PASSES(ctx_text_segments_texts,
    (struct text_segments * text_segments, const struct ctx_message *message,
	size_t but, struct ctx_err *err),
    (text_segments, message, but, err))
PASSES(ctx_onig_to_pcre2,
    (const struct ctx_str *patterns, size_t n, struct ctx_kinds *kinds,
	struct ctx_buf *out, struct ctx_err *err),
    (patterns, n, kinds, out, err))
PASSES(ctx_count_clear_savings,
    (struct ctx_counter * counter, const struct ctx_message *message, size_t i,
	struct ctx_str *left, uint64_t *saved, struct ctx_err *err),
    (counter, message, i, left, saved, err))

/* Functions of other libraries, which report in errno, or not at all, that
 * there is no memory. */
WRAP(int, posix_memalign, (void **p, size_t align, size_t n), (p, align, n),
    ENOMEM)
WRAP(char *, strndup, (const char *p, size_t n), (p, n), NULL)
WRAP(json_t *, json_loadb,
    (const char *p, size_t n, size_t flags, json_error_t *why),
    (p, n, flags, why), NULL)
WRAP(json_t *, json_array, (void), (), NULL)
WRAP(json_t *, json_stringn, (const char *p, size_t n), (p, n), NULL)
WRAP(int, json_array_append_new, (json_t * list, json_t *value), (list, value),
    (json_decref(value), -1))
WRAP(pcre2_match_data *, pcre2_match_data_create_8,
    (uint32_t n, pcre2_general_context *context), (n, context), NULL)
WRAP(pcre2_code *, pcre2_compile_8,
    (PCRE2_SPTR pattern, PCRE2_SIZE n, uint32_t options, int *why,
	PCRE2_SIZE *at, pcre2_compile_context *context),
    (pattern, n, options, why, at, context),
    (*why = PCRE2_ERROR_HEAP_FAILED, *at = 0, NULL))

int __real_ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err,
    const char *fmt, ...) CTX_FORMAT(3, 4);
int __wrap_ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err,
    const char *fmt, ...) CTX_FORMAT(3, 4);

int
__wrap_ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err, const char *fmt,
    ...)
{
	char *text;
	va_list ap;
	int rc;

	if (fails(HERE))
		return ctx_err_nomem(err);
	va_start(ap, fmt);
	rc = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (rc < 0) {
		va_start(ap, fmt);
		rc = vsnprintf(NULL, 0, fmt, ap);
		va_end(ap);
		if (rc >= 0)
			return ctx_err_nomem(err);
	}
	/* vasprintf has failed, for a text that cannot be written.  Lets the
	 * real function report the same error. */
	if (rc < 0)
		return __real_ctx_buf_printf(buf, err, "%ls",
		    (const wchar_t[]){0xd800, 0});
	rc = __real_ctx_buf_printf(buf, err, "%s", text);
	free(text);
	return rc;
}
