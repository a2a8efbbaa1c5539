/*
 * convo.c - makes random conversations; equal seeds give equal conversations
 *
 * First the events of a conversation are chosen: users write, the assistant
 * calls tools, tools return results.  Then a dialect (message format) writes
 * each event: a row of a table has one function for each kind of event.  The
 * program does not use libctx, because libctx is tested with its output.
 *
 *     convo [--dialect NAME] [--seed N] [--count N] [--messages N]
 *           [--broken] [--wrap] [--crlf] [--blanks] [--thinking]
 *
 * prints --count conversations of up to about twice --messages records, as
 * lines or each as one record (--wrap). --broken damages each conversation.
 * --blanks writes blanks before and after each record. --thinking writes signed
 * reasoning everywhere where a Claude model writes reasoning.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convo/gen.h"

static void
new_call(struct gen *g, struct call *call, size_t at)
{
	memset(call, 0, sizeof *call);
	g->ids++;
	if (g->same_ids)
		call->id = fmt(g, "call_%zu", at);
	else if (once_in(g, 3))
		call->id = fmt(g, "c-%llu", g->ids);
	else
		call->id = fmt(g, "call_%llu_%s", g->ids,
		    letters(g, 16,
			"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNP23456789"));
	call->name = tool_name(g);
	call->args = arguments(g);
}

/* Changes the order of the calls, because results come back in any order. */
static void
shuffle(struct gen *g, struct call *call, size_t n)
{
	struct call t;
	size_t i, k;

	if (once_in(g, 2))
		return;
	for (i = n; i > 1; i--) {
		k = below(g, i);
		t = call[i - 1];
		call[i - 1] = call[k];
		call[k] = t;
	}
}

static void
late_results(struct gen *g)
{
	size_t i;

	for (i = 0; i < g->late.n; i++)
		say(g, "%v", g->late.item[i]);
	g->late.n = 0;
}

static size_t
new_calls(struct gen *g, struct call *call)
{
	size_t n = once_in(g, 2) ? 1 : 1 + below(g, MAX_CALLS), i;

	for (i = 0; i < n; i++)
		new_call(g, &call[i], i);
	return n;
}

/* Writes one turn. pending: true if the turn may end with tool calls without
 * results (only the last turn of all). */
static void
turn(struct gen *g, bool pending)
{
	size_t users = once_in(g, 6) ? 1 + below(g, g->dialect->users) : 1;
	size_t steps = once_in(g, 3) ? 0 : below(g, 7);
	struct call call[MAX_CALLS];
	size_t n;

	while (users-- > 0)
		g->dialect->user(g);
	if (g->dialect->aside != NULL && once_in(g, 15))
		g->dialect->aside(g);
	while (g->dialect->results != NULL && steps-- > 0) {
		n = new_calls(g, call);
		g->dialect->assistant(g, call, n);
		shuffle(g, call, n);
		g->dialect->results(g, call, n);
		if (once_in(g, 2))
			late_results(g);
	}
	if (pending && g->dialect->results != NULL) {
		late_results(g);
		n = new_calls(g, call);
		g->dialect->assistant(g, call, n);
		if (g->dialect->partly && n > 1 && !call[0].legacy)
			g->dialect->results(g, call, below(g, n));
		return;
	}
	late_results(g);
	g->dialect->assistant(g, call, 0);
	late_results(g);
}

static void
converse(struct gen *g, size_t messages, bool may_pend)
{
	g->plain = once_in(g, 5);
	new_style(g);
	g->same_ids = !g->dialect->unique_ids && once_in(g, 5);
	g->with_ids = once_in(g, 2);
	g->snake = once_in(g, 4);
	g->is_signed = once_in(g, 2);
	if (g->dialect->system != NULL && !once_in(g, 4))
		g->dialect->system(g);
	do
		turn(g, false);
	while (g->lines.n < messages);
	if (may_pend && once_in(g, 4))
		turn(g, true);
	late_results(g);
}

/* Damages a conversation as an edited history: a record is removed, written
 * twice, or moved to an earlier place. */
static void
damage(struct gen *g)
{
	const char **item = g->lines.item;
	size_t *n = &g->lines.n, at = below(g, *n);
	const char *copy = item[at];

	switch (*n > 1 ? below(g, 3) : 1) {
	case 0:
		memmove(item + at, item + at + 1, (*n - at - 1) * sizeof *item);
		(*n)--;
		break;
	case 1:
		add(&g->lines, copy);
		item = g->lines.item;
		memmove(item + at + 1, item + at, (*n - at - 1) * sizeof *item);
		break;
	default:
		at = below(g, *n - 1);
		swap(&item[at], &item[at + 1]);
	}
}

/* Makes one record of all records. */
static void
wrap_lines(struct gen *g)
{
	const char *all = enclose(g, '[', g->lines.item, g->lines.n);

	g->lines.n = 0;
	add(&g->lines, g->dialect->wrap(g, all));
}

/* ---- the command --------------------------------------------------------- */

struct options {
	unsigned long long seed, count, messages;
	bool broken, wrap, crlf, blanks;
};

static unsigned long long
number(const char *s)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno != 0 || *s < '0' || *s > '9' || *end != '\0')
		die("not a number");
	return n;
}

static const struct dialect *
dialect_named(const char *name)
{
	size_t i;

	for (i = 0; dialects[i].name != NULL; i++) {
		if (strcmp(dialects[i].name, name) == 0)
			return &dialects[i];
	}
	die("no such dialect");
	return NULL;
}

static bool
flag(struct gen *g, struct options *o, const char *name)
{
	if (strcmp(name, "--broken") == 0)
		o->broken = true;
	else if (strcmp(name, "--wrap") == 0)
		o->wrap = true;
	else if (strcmp(name, "--crlf") == 0)
		o->crlf = true;
	else if (strcmp(name, "--blanks") == 0)
		o->blanks = true;
	else if (strcmp(name, "--thinking") == 0)
		g->thinks = true;
	else
		return false;
	return true;
}

static bool
setting(struct gen *g, struct options *o, const char *name, const char *value)
{
	if (strcmp(name, "--dialect") == 0)
		g->dialect = dialect_named(value);
	else if (strcmp(name, "--seed") == 0)
		o->seed = number(value);
	else if (strcmp(name, "--count") == 0)
		o->count = number(value);
	else if (strcmp(name, "--messages") == 0)
		o->messages = number(value);
	else
		return false;
	return true;
}

static void
parse(struct gen *g, struct options *o, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (flag(g, o, argv[i]))
			continue;
		if (i + 1 == argc || !setting(g, o, argv[i], argv[i + 1]))
			die("see the head of tests/gen/convo.c for the usage");
		i++;
	}
}

/* Prints the records, with different blanks around each record. */
static void
print_lines(const struct gen *g, const struct options *o)
{
	static const char *const blanks[] = {" ", "", "\t", "  \t ", "\r"};
	const size_t n = o->blanks ? sizeof blanks / sizeof *blanks : 0;
	size_t i;

	for (i = 0; i < g->lines.n; i++)
		printf("%s%s%s%s\n", n > 0 ? blanks[i % n] : "",
		    g->lines.item[i], n > 0 ? blanks[i / n % n] : "",
		    o->crlf ? "\r" : "");
}

/*
 * Lines of several conversations are one stream, which must be valid as one
 * conversation.  So only the last conversation may end with open tool calls.
 */
int
main(int argc, char **argv)
{
	struct options o = {.seed = 1, .count = 1, .messages = 12};
	struct gen g = {.dialect = &dialects[0]};
	unsigned long long k;

	parse(&g, &o, argc, argv);
	begin(&g, o.seed);
	for (k = 0; k < o.count; k++) {
		converse(&g, below(&g, (size_t)o.messages * 2 + 1),
		    o.wrap || k + 1 == o.count);
		if (o.broken)
			damage(&g);
		if (o.wrap)
			wrap_lines(&g);
		print_lines(&g, &o);
		finish(&g);
	}
	free(g.lines.item);
	free(g.late.item);
	if (fflush(stdout) != 0 || ferror(stdout))
		die("cannot write");
	return 0;
}
