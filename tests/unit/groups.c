/*
 * groups.c - tests which messages can only be removed together (groups)
 *
 * Conversations are written as letters.  C is a tool call, R a tool result,
 * each with its id and tool name, if any ("Cid:name", "Cid", "C:name", "C").
 * "+" joins several blocks in one message. u is a user message, a an assistant
 * message with a text.  "u:name" is a user message with the name of its writer.
 */
#include <stdint.h>

#include "group/group.h"
#include "tap.h"

static const struct ctx_dialect strict = {.name = "strict"};
static const struct ctx_dialect loose = {.name = "loose",
    .rules = CTX_PAIR_BY_NAME};
static const struct ctx_dialect next = {.name = "next",
    .rules = CTX_PAIR_BY_NAME | CTX_RESULTS_NEXT};
static const struct ctx_dialect named = {.name = "named",
    .rules = CTX_PAIR_BY_NAME | CTX_NAMES_USERS};
static const struct ctx_dialect either = {.name = "either",
    .rules = CTX_PAIR_BY_NAME | CTX_PAIR_EITHER};

struct fixture {
	struct ctx_groups groups;
	struct ctx_json json;
	struct ctx_message message;
	struct ctx_buf text;
	struct ctx_err err;
};

static void
init(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	NEED(ctx_groups_init(&f->groups, &f->err) == 0);
	ctx_json_init(&f->json, CTX_SIMD_BEST);
}

static void
release(struct fixture *f)
{
	ctx_groups_release(&f->groups);
	ctx_json_release(&f->json);
	ctx_message_release(&f->message);
	ctx_buf_release(&f->text);
}

/* Adds a message with these blocks (n bytes of text) to the groups. */
static void
add(struct fixture *f, const struct ctx_dialect *dialect, const char *parts,
    size_t n)
{
	struct ctx_cost cost = {.tokens = 1};
	size_t at, end, id, used;
	struct ctx_block *block;
	uint32_t node = 1;
	enum ctx_block_kind kind;

	/* Each block becomes two strings of JSON: its id and its name. */
	f->text.n = 0;
	NEED(ctx_buf_printf(&f->text, &f->err, "[") == 0);
	for (at = 0; at < n; at = end + 1) {
		for (end = at; end < n && parts[end] != '+'; end++)
			;
		for (id = at + 1; id < end && parts[id] != ':'; id++)
			;
		NEED(ctx_buf_printf(&f->text, &f->err, "%s\"%.*s\",\"%.*s\"",
			 at == 0 ? "" : ",", (int)(id - at - 1), parts + at + 1,
			 id < end ? (int)(end - id - 1) : 0,
			 parts + id + 1) == 0);
	}
	NEED(ctx_buf_printf(&f->text, &f->err, "]") == 0);
	NEED(
	    ctx_json_scan(&f->json, f->text.p, f->text.n, &used, &f->err) == 1);
	ctx_message_reset(&f->message, &f->json, 0);
	f->message.dialect = dialect;
	f->message.role = parts[0] == 'u' ? CTX_ROLE_USER
	    : parts[0] == 'R'             ? CTX_ROLE_TOOL
					  : CTX_ROLE_ASSISTANT;
	if (f->message.role == CTX_ROLE_USER)
		f->message.name = 2;
	for (at = 0; at < n; at = end + 1, node += 2) {
		for (end = at; end < n && parts[end] != '+'; end++)
			;
		kind = parts[at] == 'C' ? CTX_BLOCK_TOOL_CALL
		    : parts[at] == 'R'  ? CTX_BLOCK_TOOL_RESULT
					: CTX_BLOCK_TEXT;
		block = ctx_message_add_block(&f->message, kind, node, &f->err);
		NEED(block != NULL);
		/* An empty id or name means that there is none. */
		block->id = node;
		block->name = node + 1;
	}
	NEED(ctx_groups_add(&f->groups, &f->message, &cost, 0, &f->err) == 0);
}

/* Returns true if the messages belong to the expected turns. want: the number
 * of the turn for each message. */
static bool
turned(const struct ctx_dialect *dialect, const char *messages,
    const char *want)
{
	char found[200] = "";
	size_t n = 0, len, i;
	struct fixture f;

	init(&f);
	for (; *messages != '\0'; messages += len + (messages[len] == ' ')) {
		len = strcspn(messages, " ");
		add(&f, dialect, messages, len);
	}
	for (i = 0; i < f.groups.n; i++)
		n += (size_t)snprintf(found + n, sizeof found - n, "%s%u",
		    i == 0 ? "" : " ", f.groups.segments[i].turn);
	release(&f);
	if (strcmp(found, want) == 0)
		return true;
	printf("# %s, not %s\n", found, want);
	return false;
}

/* Returns true if a conversation has the expected groups. want: for each
 * message the index of the first message of its group, then the number of open
 * calls (calls without a result). */
static bool
grouped(const struct ctx_dialect *dialect, const char *messages,
    const char *want)
{
	char found[200];
	size_t n = 0, len;
	unsigned open = 0;
	struct fixture f;
	uint32_t i;

	init(&f);
	for (; *messages != '\0'; messages += len + (messages[len] == ' ')) {
		len = strcspn(messages, " ");
		add(&f, dialect, messages, len);
	}
	for (i = 0; i < f.groups.n; i++) {
		n += (size_t)snprintf(found + n, sizeof found - n, "%u ",
		    ctx_group_of(f.groups.segments, i));
		open += f.groups.segments[i].open_calls;
	}
	snprintf(found + n, sizeof found - n, "open %u", open);
	release(&f);
	if (strcmp(found, want) == 0)
		return true;
	printf("# %s, not %s\n", found, want);
	return false;
}

static void
test_ids(void)
{
	tap_case("parallel calls and all their results are one group");
	CHECK(grouped(&strict, "u Ca+Cb+Cc Rb Rc Ra a", "0 1 1 1 1 5 open 0"));
	tap_case("a result after other turns joins the group of its call");
	CHECK(grouped(&strict, "u Ca+Cb Ra a u Cc Rc a u Rb a",
	    "0 1 1 3 4 5 5 7 8 1 10 open 0"));
	tap_case("calls without a result stay open");
	CHECK(grouped(&strict, "u Ca+Cb Ra", "0 1 1 open 1"));
	tap_case("a result without a call is a group of its own");
	CHECK(grouped(&strict, "u Rx Ca Ra a Ra", "0 1 2 2 4 5 open 0"));
	tap_case("a second result of a call joins the group of the results "
		 "before it");
	CHECK(grouped(&strict, "u Rx Ca Ra Ra Rx a", "0 1 2 2 2 2 6 open 0"));
	CHECK(grouped(&strict, "u Ca u+Ra u+Ra a", "0 1 1 3 1 5 6 open 0"));
	tap_case("of calls with one id the newest is answered first");
	CHECK(grouped(&strict, "Ca Ca Ra Ra", "0 1 1 0 open 0"));
	tap_case("a call and its result in one message are complete");
	CHECK(grouped(&strict, "u Ca+Ra a", "0 1 2 open 0"));
	tap_case("without CTX_PAIR_BY_NAME a name pairs nothing");
	CHECK(grouped(&strict, "C:f Ca Rb", "0 1 2 open 2"));
}

static void
test_no_ids(void)
{
	tap_case("a result without an id answers the oldest call of its name");
	CHECK(grouped(&loose, "C:f C:g C:f R:g R:f R:f", "0 1 2 1 0 2 open 0"));
	CHECK(grouped(&loose, "C:f R:g", "0 1 open 1"));
	tap_case("a result without id and name answers the oldest call");
	CHECK(grouped(&loose, "C:f C:g R R", "0 1 0 1 open 0"));
	CHECK(grouped(&loose, "C C R R R", "0 1 0 1 1 open 0"));
	tap_case("a result without an id may answer a call with one");
	CHECK(grouped(&loose, "Ca Cb R R", "0 1 0 1 open 0"));
	tap_case("a call that was answered by its id is not answered again by "
		 "order");
	CHECK(grouped(&loose, "Ca Cb Cc Rb R Rc R", "0 1 2 1 0 2 2 open 0"));
	CHECK(
	    grouped(&loose, "C:f C:f C:g R R:f R:f R", "0 1 2 0 1 1 2 open 0"));
}

static void
test_turns(void)
{
	tap_case("after a new turn, name and order answer no older call");
	CHECK(grouped(&loose, "u C:f u R:f", "0 1 2 3 open 0"));
	CHECK(grouped(&loose, "u C:f u C:f R:f", "0 1 2 3 3 open 0"));
	CHECK(grouped(&loose, "u C u R", "0 1 2 3 open 0"));
	CHECK(grouped(&strict, "u C u R", "0 1 2 3 open 0"));
	tap_case("with CTX_RESULTS_NEXT only calls of the last message are "
		 "answered");
	CHECK(grouped(&next, "u C:f C:f R:f R:f", "0 1 2 2 2 open 0"));
	CHECK(grouped(&loose, "u C:f C:f R:f R:f", "0 1 2 1 2 open 0"));
	CHECK(grouped(&next, "u Ca:f a Ra:f", "0 1 2 1 open 0"));
	tap_case("after a new turn, an id answers an older call");
	CHECK(grouped(&loose, "u Ca:f u R:f Ra", "0 1 2 3 1 open 0"));
	CHECK(grouped(&strict, "u Ca u Ra", "0 1 2 1 open 0"));
	tap_case(
	    "results in the message that opens a turn answer the turn before");
	CHECK(grouped(&loose, "u C:f+C:f u+R:f R:f", "0 1 1 3 1 open 0"));
}

static void
test_names(void)
{
	tap_case("user messages in a row with one name or none are one turn");
	CHECK(turned(&named, "u u a u u", "1 1 1 2 2"));
	CHECK(turned(&named, "u:ann u:ann a u:ann", "1 1 1 2"));
	CHECK(turned(&named, "a u:ann u u:ann u", "0 1 1 1 1"));
	tap_case("a user message with another name opens a turn");
	CHECK(turned(&named, "u:ann u:bob u:bob u:ann", "1 2 2 3"));
	CHECK(turned(&named, "u:ann u:bob a u:bob u:ann a", "1 2 2 3 4 4"));
	tap_case("a user message without a name opens no turn");
	CHECK(turned(&named, "u u:ann u:bob", "1 1 2"));
	CHECK(turned(&named, "u:ann u u:bob u u:bob", "1 1 2 2 2"));
	tap_case("a user message after an assistant's opens a turn, whatever "
		 "its name");
	CHECK(turned(&named, "u:ann a u u:ann u:bob", "1 1 2 2 3"));
	CHECK(turned(&named, "u:ann C:f R:f u:bob u", "1 1 1 2 2"));
	tap_case("names are compared after escapes are decoded");
	CHECK(turned(&named, "u:an u:ann u:\\u0061nn u:ann", "1 2 2 2"));
	tap_case("formats without CTX_NAMES_USERS ignore names");
	CHECK(turned(&loose, "u:ann u:bob u:ann", "1 1 1"));
}

static void
test_either(void)
{
	tap_case(
	    "with CTX_PAIR_EITHER the name pairs if only one side has an id");
	CHECK(grouped(&either, "C:f Ra:f", "0 0 open 0"));
	CHECK(grouped(&loose, "C:f Ra:f", "0 1 open 1"));
	CHECK(grouped(&either, "Ca:f R:f", "0 0 open 0"));
	tap_case("an empty id or name counts as missing");
	CHECK(grouped(&loose, "C R", "0 0 open 0"));
	CHECK(grouped(&strict, "C: R:", "0 0 open 0"));
	tap_case("two different ids never pair");
	CHECK(grouped(&either, "Ca:f Rb:f", "0 1 open 1"));
	CHECK(grouped(&either, "Ca:f C:f Rb:f", "0 1 2 open 2"));
	CHECK(grouped(&either, "C:f Rb", "0 1 open 1"));
}

/* Tests many calls in one message, whose results come in the same order or in
 * reverse order. */
static void
many(const struct ctx_dialect *dialect, uint32_t n, bool ids, bool backwards)
{
	struct ctx_buf calls = {0};
	struct fixture f;
	char one[20];
	uint32_t i;

	init(&f);
	for (i = 0; i < n; i++)
		NEED(ctx_buf_printf(&calls, &f.err, ids ? "%sC%u" : "%sC",
			 i == 0 ? "" : "+", i) == 0);
	add(&f, dialect, calls.p, calls.n);
	for (i = 0; i < n; i++) {
		snprintf(one, sizeof one, ids ? "R%u" : "R",
		    backwards ? n - 1 - i : i);
		add(&f, dialect, one, strlen(one));
	}
	CHECK(f.groups.segments[0].open_calls == 0);
	for (i = 0; i <= n; i++)
		if (ctx_group_of(f.groups.segments, i) != 0)
			break;
	CHECK(i == n + 1);
	ctx_buf_release(&calls);
	release(&f);
}

static void
test_many(void)
{
	uint32_t n = 200000;

	tap_case("200,000 parallel calls, answered in order");
	many(&strict, n, true, false);
	tap_case(
	    "200,000 parallel calls, answered backwards, with and without ids");
	many(&loose, n, true, true);
	many(&loose, n, false, false);
}

/* Tests that no open call (call without a result) is lost when removed messages
 * are deleted from the list. */
static void
test_compact(void)
{
	bool gone[] = {true, false, true, true};
	struct fixture f;

	tap_case("open calls are found after their groups have moved");
	init(&f);
	add(&f, &loose, "u", 1);
	add(&f, &loose, "Ca+C:f", 6);
	add(&f, &loose, "a", 1);
	add(&f, &loose, "Rx", 2);
	CHECK(ctx_groups_compact(&f.groups, gone, &f.err) == 0);
	CHECK(f.groups.n == 1);
	add(&f, &loose, "R:f", 3);
	add(&f, &loose, "Ra", 2);
	CHECK(ctx_group_of(f.groups.segments, 1) == 0);
	CHECK(ctx_group_of(f.groups.segments, 2) == 0);
	CHECK(f.groups.segments[0].open_calls == 0);
	tap_case("after a reset no call of the last conversation is open");
	add(&f, &loose, "Cb", 2);
	ctx_groups_reset(&f.groups);
	add(&f, &loose, "Rb", 2);
	add(&f, &loose, "a", 1);
	add(&f, &loose, "R", 1);
	CHECK(ctx_group_of(f.groups.segments, 2) == 2);
	release(&f);
}

/* A call that was made by a program of the model, whose call is not in the
 * conversation. */
static void
test_caller(void)
{
	static const char text[] = "[\"a\",\"f\",\"p\"]";
	struct ctx_cost cost = {.tokens = 1};
	struct ctx_block *block;
	struct fixture f;
	size_t used;

	tap_case("a call of an unknown program is in a group of its own");
	init(&f);
	add(&f, &loose, "u", 1);
	NEED(ctx_json_scan(&f.json, text, sizeof text - 1, &used, &f.err) == 1);
	ctx_message_reset(&f.message, &f.json, 0);
	f.message.dialect = &loose;
	f.message.role = CTX_ROLE_ASSISTANT;
	block =
	    ctx_message_add_block(&f.message, CTX_BLOCK_TOOL_CALL, 1, &f.err);
	NEED(block != NULL);
	block->id = 1;
	block->name = 2;
	block->caller = 3;
	NEED(ctx_groups_add(&f.groups, &f.message, &cost, 0, &f.err) == 0);
	CHECK(ctx_group_of(f.groups.segments, 1) == 1);
	release(&f);
}

/* Tests many calls whose results come five calls later. */
static void
test_forget(void)
{
	enum { ROUNDS = 3000, LATE = 5 };
	struct ctx_segment *segments;
	struct fixture f;
	bool paired = true;
	size_t most = 0, last;
	uint32_t call;
	char one[40];
	int i, n;

	tap_case("a group is forgotten only if no result can join it any more");
	init(&f);
	for (i = 0; i < ROUNDS + LATE; i++) {
		n = snprintf(one, sizeof one, "Ci%d:t%d", i, i % 3);
		if (i < ROUNDS)
			add(&f, &strict, one, (size_t)n);
		add(&f, &strict, "a", 1);
		if (i < LATE)
			continue;
		n = snprintf(one, sizeof one, "Ri%d", i - LATE);
		add(&f, &strict, one, (size_t)n);
		segments = f.groups.segments;
		last = f.groups.n - 1;
		call = ctx_group_of(segments, (uint32_t)last);
		paired &= call < last && segments[call].open_calls == 0 &&
		    segments[call].tool != 0 &&
		    segments[last].tool == segments[call].tool;
		NEED(ctx_groups_forget(&f.groups, &f.err) == 0);
		most = f.groups.n > most ? f.groups.n : most;
	}
	CHECK(paired);
	CHECK(most > LATE && most < 600);
	CHECK(f.groups.messages == 3 * ROUNDS + LATE);
	release(&f);
}

/* Compares the list of all calls with a slow list, for results of every
 * kind. */
static void
test_random(void)
{
	enum { MOST = 400 };
	static int id[MOST], name[MOST];
	static uint32_t group[MOST];
	unsigned long long seed = 7;
	struct fixture f;
	char one[40];
	uint32_t want;
	bool found, answers;
	int round, i, j, dice;

	tap_case("random calls and results pair as in a slow search");
	for (round = 0; round < 30; round++) {
		init(&f);
		answers = false;
		for (i = 0; i < MOST; i++) {
			dice = (int)(tap_random(&seed) % 7);
			j = (int)(tap_random(&seed) % 5);
			id[i] = name[i] = -1;
			want = (uint32_t)i;
			found = true;
			if (dice <= 3) {
				id[i] = dice < 2 ? j : -1;
				name[i] = dice == 2 ? j : -1;
				snprintf(one, sizeof one,
				    dice < 2        ? "C%d"
					: dice == 2 ? "C:%d"
						    : "C",
				    j);
			} else {
				snprintf(one, sizeof one,
				    dice == 4       ? "R%d"
					: dice == 5 ? "R:%d"
						    : "R",
				    j);
				id[i] = -2;
				found = false;
				for (int k = 0; k < i; k++) {
					if (id[k] == -2 ||
					    (dice == 4 && id[k] != j) ||
					    (dice == 5 && name[k] != j))
						continue;
					want = (uint32_t)k;
					found = true;
					if (dice != 4)
						break;
				}
				id[want] = -2;
			}
			if (!found && answers)
				want = group[i - 1];
			answers = dice > 3;
			group[i] = want;
			add(&f, &loose, one, strlen(one));
			CHECK(ctx_group_of(f.groups.segments, (uint32_t)i) ==
			    want);
		}
		release(&f);
	}
}

int
main(void)
{
	test_ids();
	test_no_ids();
	test_turns();
	test_names();
	test_either();
	test_many();
	test_compact();
	test_caller();
	test_forget();
	test_random();
	return tap_done();
}
