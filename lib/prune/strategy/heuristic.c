/*
 * heuristic.c - implements the strategy heuristic: removes first the messages
 * that are least likely to be needed
 *
 * Messages are removed in this order: tool calls that a later call repeats;
 * failed calls of a tool that succeeded later; demonstrations (example messages
 * that show how an earlier task was done); all other messages, ranked as by the
 * strategy salient.  Of each of the first three kinds, the oldest messages are
 * removed first.  A later call repeats an earlier call in two cases: both have
 * the same tool and arguments, or the later call reads a whole file and the
 * earlier call a part of this file.  In both cases the later call must have
 * succeeded, and its result must be complete.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/salient.h"
#include "prune/strategy/summary_outcome.h"

/* Ranks of messages: those with the lowest rank are removed first.  The ranks
 * are also the indices of the texts in ctx_heuristic_reasons. */
enum { SUPERSEDED, FAILED, DEMO, OTHER, NAMED, RANKS };

_Static_assert((int)RANKS == (int)CTX_HEURISTIC_REASONS,
    "a reason for each rank");

const char *const ctx_heuristic_reasons[RANKS] = {
    [SUPERSEDED] = "repeated later",
    [FAILED] = "failed, succeeded later",
    [DEMO] = "demonstration",
    [OTHER] = "no rare name",
    [NAMED] = "few rare names",
};

/* If the arguments of a tool call have more bytes than this, only a hash of
 * them is stored. */
enum { LONG_CALL = 4096 };

struct call {
	uint32_t segment;
	/* Ids of strings in heuristic.names. tool: the name of the tool. same:
	 * the tool and its arguments, so that equal calls have the same id.
	 * file: the path of the file that the tool call reads, or 0 if the call
	 * reads no file. */
	uint32_t tool, same, file;
	bool all; /* true if the tool call reads the whole file */
};

/* Bits that say what a group (messages kept or removed together) or a segment
 * (message or part of one) contains.  GOOD: the result of a tool call that
 * succeeded.  BAD: the result of a failed call, or a call without a result.
 * PARTIAL: an incomplete result. */
enum { GOOD = 1, BAD = 2, PARTIAL = 4 };

/* The newest segments (messages or parts of one) to which a string refers.
 * Each member is the index, plus 1, of the segment of a tool call, or 0 if
 * there is none. good: the newest successful call of the tool with this name.
 * same: the newest successful call whose tool and arguments are this string.
 * all: the newest successful call that reads the whole file with this path. */
struct last {
	uint32_t same, all, good;
};

struct heuristic {
	struct salient base; /* ranks the segments of the kind OTHER */
	struct ctx_intern names;
	struct call *calls;
	uint8_t *traits; /* for each segment: its bits GOOD, BAD and PARTIAL */
	struct last *newest;
	size_t n_calls, calls_cap, n_traits, traits_cap, newest_cap;
	struct ctx_buf key, text;
	/* arguments of the tool call that is being read */
	struct ctx_coded_value arguments;
};

/* ---- reading ---- */

/* Removes the white space between the tokens of a JSON text. */
static void
make_compact(struct ctx_buf *json)
{
	bool string = false;
	size_t n = 0;

	for (size_t i = 0; i < json->n; i++) {
		char c = json->p[i];

		if (c == '"')
			string = !string;
		if (!string && strchr(" \t\r\n", c) != NULL && c != '\0')
			continue;
		json->p[n++] = c;
		if (string && c == '\\' && i + 1 < json->n)
			json->p[n++] = json->p[++i];
	}
	json->n = n;
}

/* Sets call->same to an id that is the same for all calls with this tool and
 * these arguments.  The caller must store the arguments in h->text.  Long
 * arguments are replaced by their hash, to save memory. */
static int
set_call_name(struct heuristic *h, struct call *call, struct ctx_err *err)
{
	char hash[SHA256_DIGEST_STRING_LENGTH];
	struct ctx_str same = {h->text.p, h->text.n};
	const char *kind = "call";

	if (h->text.n > LONG_CALL) {
		SHA256Data((const uint8_t *)h->text.p, h->text.n, hash);
		same = (struct ctx_str){hash, strlen(hash)};
		kind = "long call";
	}
	h->key.n = 0;
	if (ctx_buf_printf(&h->key, err, "%s %u ", kind, call->tool) < 0 ||
	    ctx_buf_add_str(&h->key, same, err) < 0)
		return -1;
	return ctx_intern(&h->names, h->key.p, h->key.n, &call->same, err);
}

/* Sets h->text to the arguments of a tool call.  If the arguments are a string,
 * h->text is the text of this string, otherwise the JSON of the arguments. */
static int
read_arguments(struct heuristic *h, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_err *err)
{
	h->text.n = 0;
	return block->payload == 0 ? 0
				   : ctx_json_append_text(message->json,
					 block->payload, &h->text, err);
}

/* Sets call->file to the id of the file in the arguments of a tool call.  Sets
 * call->all to true if the arguments contain nothing but the file: the tool
 * then reads the whole file. */
static int
find_file(struct heuristic *h, const struct ctx_message *message,
    const struct ctx_block *block, struct call *call, struct ctx_err *err)
{
	static const char *const keys[] = {"path", "file_path", "file",
	    "filename", "filePath", NULL};
	struct ctx_coded_value *arguments = &h->arguments;
	uint32_t node;

	if (block->payload == 0)
		return 0;
	if (ctx_coded_value_read(arguments, message->json, block->payload,
		err) < 0)
		return -1;
	node = ctx_json_find_any(arguments->json, arguments->node, keys);
	if (node == 0 || arguments->json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	call->all = ctx_json_count(arguments->json, arguments->node) == 1;
	h->key.n = 0;
	if (ctx_buf_printf(&h->key, err, "file %u ", call->tool) < 0 ||
	    ctx_json_string_decode(&h->key, ctx_json_str(arguments->json, node),
		err) < 0)
		return -1;
	return ctx_intern(&h->names, h->key.p, h->key.n, &call->file, err);
}

static bool
has_fragment(struct ctx_str text, const char *word)
{
	return text.n > 0 && memmem(text.p, text.n, word, strlen(word)) != NULL;
}

/* Returns true if the tool's name says that it reads files.  The result of such
 * a tool becomes useless when the same file is read again. */
static bool
is_reader(struct ctx_str tool)
{
	return has_fragment(tool, "read") || has_fragment(tool, "Read") ||
	    has_fragment(tool, "view") || has_fragment(tool, "View") ||
	    has_fragment(tool, "cat") || has_fragment(tool, "open");
}

static int
add_call(struct heuristic *h, const struct ctx_message *message,
    const struct ctx_block *block, uint32_t segment, struct ctx_err *err)
{
	struct call call = {.segment = segment};
	struct ctx_str tool;
	bool reads;

	h->text.n = 0;
	if (ctx_block_tool(message->json, block, &h->text, &tool, err) < 0)
		return -1;
	reads = is_reader(tool);
	h->key.n = 0;
	if (ctx_buf_printf(&h->key, err, "tool ") < 0 ||
	    ctx_buf_add_str(&h->key, tool, err) < 0 ||
	    ctx_intern(&h->names, h->key.p, h->key.n, &call.tool, err) < 0 ||
	    read_arguments(h, message, block, err) < 0)
		return -1;
	make_compact(&h->text);
	if (set_call_name(h, &call, err) < 0 ||
	    (reads && find_file(h, message, block, &call, err) < 0))
		return -1;
	ctx_buf_reset(&h->text);
	if (CTX_GROW(h->calls, h->calls_cap, h->n_calls + 1, err) < 0)
		return -1;
	h->calls[h->n_calls++] = call;
	return 0;
}

/* Returns true if a tool result is incomplete, because ctx or the tool has
 * removed a part of it. */
static bool
is_partial(struct ctx_str text)
{
	/* Search for the word "truncated" first, because few texts contain it.
	 * Then search for these longer texts, because the word alone may occur
	 * in any text. */
	static const char *const signs[] = {" truncated \xe2\x80\xa6]",
	    " truncated ...]", "[truncated", "(truncated", "...truncated",
	    "<truncated", "output truncated", "Output truncated", NULL};
	struct ctx_str cleared = {CTX_CLEARED, sizeof CTX_CLEARED - 1};

	if (text.n == cleared.n && memcmp(text.p, cleared.p, text.n) == 0)
		return true;
	if (has_fragment(text, " characters in "))
		return true;
	if (!has_fragment(text, "truncated"))
		return false;
	for (size_t i = 0; signs[i] != NULL; i++)
		if (has_fragment(text, signs[i]))
			return true;
	return false;
}

/* Sets h->text to the text of the tool result in block i, or to the JSON of the
 * result if the result has no text. */
static int
read_result_text(struct heuristic *h, const struct ctx_message *message,
    size_t i, struct ctx_err *err)
{
	const struct ctx_node *nodes = message->json->nodes;
	uint32_t value = message->blocks[i].payload;

	h->text.n = 0;
	if (value != 0 && nodes[value].kind == CTX_JSON_STRING)
		return ctx_json_string_decode(&h->text,
		    ctx_json_str(message->json, value), err);
	for (size_t k = i + 1;
	     k < message->n && message->blocks[k].result_index == i + 1; k++)
		if (message->blocks[k].kind == CTX_BLOCK_TEXT &&
		    nodes[message->blocks[k].payload].kind == CTX_JSON_STRING &&
		    (ctx_json_string_decode(&h->text,
			 ctx_json_str(message->json,
			     message->blocks[k].payload),
			 err) < 0 ||
			ctx_buf_add(&h->text, "\n", 1, err) < 0))
			return -1;
	if (h->text.n > 0 || value == 0)
		return 0;
	return ctx_json_append_text(message->json, value, &h->text, err);
}

/* Finds out from the tool result in block i whether the tool call has failed,
 * and whether the result is incomplete.  Sets the bits of *traits.  The call
 * has failed if the message says so, or if one of the first lines of the result
 * is an error message. */
static int
inspect_result(struct heuristic *h, const struct ctx_message *message, size_t i,
    uint8_t *traits, struct ctx_err *err)
{
	struct ctx_str text;

	if (read_result_text(h, message, i, err) < 0)
		return -1;
	text = ctx_buf_str(&h->text);
	*traits |= is_partial(text) ? PARTIAL : 0;
	*traits |=
	    message->blocks[i].is_error || ctx_find_error_line(text).n > 0
	    ? BAD
	    : GOOD;
	ctx_buf_reset(&h->text);
	return 0;
}

static int
add_heuristic_message(struct ctx_scorer *scorer,
    const struct ctx_scored_message *scored, const struct ctx_groups *groups,
    struct ctx_err *err)
{
	struct heuristic *h = (struct heuristic *)scorer;
	const struct ctx_message *message = scored->message;
	uint32_t last = (uint32_t)groups->n - 1;

	if (ctx_salient_kind.add(scorer, scored, groups, err) < 0 ||
	    CTX_GROW(h->traits, h->traits_cap, groups->n, err) < 0)
		return -1;
	for (; h->n_traits < groups->n; h->n_traits++)
		h->traits[h->n_traits] = 0;
	for (size_t i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];

		if (block->kind == CTX_BLOCK_TOOL_CALL) {
			if (add_call(h, message, block, last, err) < 0)
				return -1;
		} else if (block->kind == CTX_BLOCK_TOOL_RESULT) {
			if (inspect_result(h, message, i,
				&h->traits[scored->first], err) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- ranking ---- */

/* Bits that say which tool calls are in a group.  They are stored in the same
 * byte as GOOD, BAD and PARTIAL. HAS_SUPERSEDED: a call that a later call
 * repeats.  HAS_FAILED: a failed call.  HAS_OTHER: any other call. */
enum { HAS_SUPERSEDED = 8, HAS_FAILED = 16, HAS_OTHER = 32 };

/* Returns an array with an element for each of the first n segments.  The
 * element of the first segment of a group has the bits GOOD, BAD and PARTIAL of
 * the group.  The caller must free the array.  Returns NULL with *err if there
 * is not enough memory. */
static uint8_t *
judge_groups(struct heuristic *h, struct ctx_segment *segments, size_t n,
    struct ctx_err *err)
{
	uint8_t *good = calloc(n + 1, 1);

	if (good == NULL) {
		ctx_err_nomem(err);
		return NULL;
	}
	for (uint32_t i = 0; i < n && i < h->n_traits; i++)
		good[ctx_group_of(segments, i)] |= h->traits[i];
	for (uint32_t i = 0; i < n; i++)
		if (segments[i].group_parent == i && segments[i].open_calls > 0)
			good[i] |= BAD;
	return good;
}

/* Fills h->newest: for each string of h->names (tool, tool with arguments, or
 * path), the newest successful tool calls with this string.  Uses only the
 * first n_calls calls. */
static int
find_good_calls(struct heuristic *h, size_t n_calls,
    struct ctx_segment *segments, const uint8_t *good, struct ctx_err *err)
{
	if (CTX_GROW(h->newest, h->newest_cap, h->names.n + 1, err) < 0)
		return -1;
	memset(h->newest, 0, (h->names.n + 1) * sizeof *h->newest);
	for (size_t i = 0; i < n_calls; i++) {
		const struct call *call = &h->calls[i];
		uint8_t results = good[ctx_group_of(segments, call->segment)];

		if ((results & (GOOD | BAD)) != GOOD)
			continue;
		h->newest[call->tool].good = call->segment + 1;
		if (results & PARTIAL)
			continue;
		h->newest[call->same].same = call->segment + 1;
		if (call->all && call->file != 0)
			h->newest[call->file].all = call->segment + 1;
	}
	return 0;
}

/* Returns true if a later tool call repeats this call, so that the result of
 * this call is not needed. */
static bool
is_superseded(const struct heuristic *h, const struct call *call)
{
	return h->newest[call->same].same > call->segment + 1 ||
	    (call->file != 0 && h->newest[call->file].all > call->segment + 1);
}

/* Sets the bits HAS_... of each group, which describe the tool calls in the
 * group.  The most valuable of these calls will decide the rank of the
 * group. */
static void
judge_calls(const struct heuristic *h, size_t n_calls,
    struct ctx_segment *segments, uint8_t *good)
{
	for (size_t i = 0; i < n_calls; i++) {
		const struct call *call = &h->calls[i];
		uint32_t root = ctx_group_of(segments, call->segment);

		if (is_superseded(h, call))
			good[root] |= HAS_SUPERSEDED;
		else if ((good[root] & BAD) &&
		    h->newest[call->tool].good > call->segment + 1)
			good[root] |= HAS_FAILED;
		else
			good[root] |= HAS_OTHER;
	}
}

/* Returns the kind of a group, which decides how early the group is removed.
 * bits: GOOD, HAS_FAILED and the other bits that describe the group's tool
 * calls and results. */
static int
find_kind(const struct ctx_segment *root, uint8_t bits)
{
	if (root->flags & CTX_SEGMENT_DEMONSTRATION)
		return DEMO;
	if (bits & HAS_OTHER)
		return OTHER;
	if (bits & HAS_FAILED)
		return FAILED;
	return bits & HAS_SUPERSEDED ? SUPERSEDED : OTHER;
}

static int
rank_by_heuristic(struct ctx_scorer *scorer, const struct ctx_plan *plan,
    struct ctx_err *err)
{
	struct heuristic *h = (struct heuristic *)scorer;
	struct ctx_segment *segments = plan->groups->segments;
	size_t n = plan->step.n, n_calls = h->n_calls;
	uint8_t *good;
	uint32_t root;
	int kind;

	if (ctx_salient_kind.rank(scorer, plan, err) < 0)
		return -1;
	while (n_calls > 0 && h->calls[n_calls - 1].segment >= n)
		n_calls--;
	good = judge_groups(h, segments, n, err);
	if (good == NULL)
		return -1;
	if (find_good_calls(h, n_calls, segments, good, err) < 0) {
		free(good);
		return -1;
	}
	judge_calls(h, n_calls, segments, good);
	for (uint32_t i = 0; i < n; i++) {
		root = ctx_group_of(segments, i);
		kind = find_kind(&segments[root], good[root]);
		segments[i].rank =
		    kind == OTHER ? OTHER + segments[i].rank : kind;
	}
	free(good);
	return 0;
}

static void
reset_heuristic(struct ctx_scorer *scorer)
{
	struct heuristic *h = (struct heuristic *)scorer;

	ctx_intern_reset(&h->names);
	h->n_calls = h->n_traits = 0;
	ctx_salient_kind.reset(scorer);
}

/* Frees the memory that ctx_salient_find_removed does not need. */
static void
finish_heuristic(struct ctx_scorer *scorer)
{
	struct heuristic *h = (struct heuristic *)scorer;

	ctx_intern_release(&h->names);
	ctx_buf_release(&h->key);
	ctx_buf_release(&h->text);
	ctx_coded_value_release(&h->arguments);
	free(h->calls);
	free(h->traits);
	free(h->newest);
	h->calls = NULL;
	h->traits = NULL;
	h->newest = NULL;
	ctx_salient_kind.finish(scorer);
}

static void
release_heuristic(struct ctx_scorer *scorer)
{
	finish_heuristic(scorer);
	ctx_salient_kind.release(scorer);
}

const struct ctx_scorer_kind ctx_heuristic_kind = {
    .size = sizeof(struct heuristic),
    .add = add_heuristic_message,
    .rank = rank_by_heuristic,
    .find_removed = ctx_salient_find_removed,
    .finish = finish_heuristic,
    .reset = reset_heuristic,
    .release = release_heuristic,
};
