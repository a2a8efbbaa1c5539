/*
 * summary_names.c - chooses the names in removed messages that a summary lists
 *
 * Later tool calls copy paths, identifiers, ids and numbers from earlier
 * messages.  So the summary lists names of removed messages that are in no kept
 * message.  A name is preferred if the user wrote it, if it has a digit, if it
 * is in more than one text, and if it is new; names that are in many texts come
 * last, and a short name comes before an equally useful long one.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/names.h"
#include "prune/strategy/summary.h"

/* A name in more texts than this is usually about the surroundings, such as the
 * home directory, and is not listed. */
enum { MOST_TEXTS = 4 };
#define NAMES_LABEL "Names: "

void
ctx_summary_names_release(struct summary_names *names)
{
	ctx_intern_release(&names->texts);
	ctx_intern_release(&names->kept);
	free(names->list);
	free(names->order);
}

/* ---- reading ---- */

/* State of collecting the names in a text, for the function that is called for
 * each name. */
struct name_reader {
	struct summary_names *names;
	const char *text; /* the text that is searched for names */
	bool by_user;
};

/* Returns a name together with the beginning of an absolute path (/ or  /)
 * before it, which ctx_names_of leaves out.  The two slashes before the host
 * name of a URL are not added. */
static struct ctx_str
add_root(const struct name_reader *reader, const char *p, size_t n)
{
	size_t before = (size_t)(p - reader->text);

	if (before == 0 || p[-1] != '/' || (before > 1 && p[-2] == '/'))
		return (struct ctx_str){p, n};
	if (before > 1 && p[-2] == '~')
		return (struct ctx_str){p - 2, n + 2};
	return (struct ctx_str){p - 1, n + 1};
}

static int
add_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct name_reader *reader = user;
	struct summary_names *names = reader->names;
	struct summary_name *grown;
	struct ctx_str name = add_root(reader, p, n);
	size_t known = names->texts.n;
	uint32_t id;

	if (ctx_intern(&names->texts, name.p, name.n, &id, err) < 0)
		return -1;
	grown = ctx_grow(names->list, &names->cap, id, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	names->list = grown;
	grown += id - 1;
	if (id > known)
		memset(grown, 0, sizeof *grown);
	grown->texts += grown->last != names->n_texts;
	grown->last = names->n_texts;
	grown->by_user |= reader->by_user;
	return 0;
}

int
ctx_summary_names_add(struct summary_names *names, struct ctx_str text,
    bool by_user, struct ctx_err *err)
{
	struct name_reader reader = {names, text.p, by_user};
	struct ctx_names found = {&reader, add_name};

	names->n_texts++;
	return ctx_names_of(&found, text.p, text.n, err);
}

static int
keep_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct name_reader *reader = user;
	struct ctx_str name = add_root(reader, p, n);
	uint32_t id;

	return ctx_intern(&reader->names->kept, name.p, name.n, &id, err);
}

int
ctx_summary_names_keep(struct summary_names *names, struct ctx_str text,
    struct ctx_err *err)
{
	struct name_reader reader = {names, text.p, false};
	struct ctx_names found = {&reader, keep_name};

	return ctx_names_of(&found, text.p, text.n, err);
}

static int
find_kept_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct name_reader *reader = user;
	struct ctx_str name = add_root(reader, p, n);

	(void)err;
	return ctx_intern_has(&reader->names->kept, name.p, name.n) ? -1 : 0;
}

bool
ctx_summary_names_kept(struct summary_names *names, struct ctx_str text)
{
	struct name_reader reader = {names, text.p, false};
	struct ctx_names found = {&reader, find_kept_name};

	return ctx_names_of(&found, text.p, text.n, NULL) < 0;
}

/* ---- choosing ---- */

static bool
has_digit(struct ctx_str text)
{
	size_t i;

	for (i = 0; i < text.n; i++)
		if (text.p[i] >= '0' && text.p[i] <= '9')
			return true;
	return false;
}

/* Returns a number that says how useful a name is in a summary, relative to its
 * length.  The weights were chosen by tests/bench/survive, on the half of its
 * data that is for choosing. */
static double
rate_name(const struct summary_names *names, uint32_t id)
{
	const struct summary_name *name = &names->list[id - 1];
	struct ctx_str text = ctx_intern_at(&names->texts, id);
	double worth = (double)name->last / (double)names->n_texts;

	worth += name->by_user ? 1 : 0;
	worth += has_digit(text) ? 0.5 : 0;
	worth += name->texts > 1 ? 0.5 : 0;
	worth -= name->texts > MOST_TEXTS ? 4 : 0;
	return worth - (double)text.n / 60;
}

struct rated_name {
	double worth;
	uint32_t id;
};

static int
compare_rated_names(const void *a, const void *b)
{
	const struct rated_name *left = a, *right = b;

	if (left->worth != right->worth)
		return left->worth > right->worth ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

int
ctx_summary_names_sort(struct summary_names *names, struct ctx_err *err)
{
	struct rated_name *rated = calloc(names->texts.n + 1, sizeof *rated);
	struct ctx_str text;
	size_t n = 0, i;
	uint32_t id;

	names->order = calloc(names->texts.n + 1, sizeof *names->order);
	if (rated == NULL || names->order == NULL) {
		free(rated);
		return ctx_err_nomem(err);
	}
	for (id = 1; id <= names->texts.n; id++) {
		text = ctx_intern_at(&names->texts, id);
		if (!ctx_intern_has(&names->kept, text.p, text.n))
			rated[n++] =
			    (struct rated_name){rate_name(names, id), id};
	}
	qsort(rated, n, sizeof *rated, compare_rated_names);
	for (i = 0; i < n; i++)
		names->order[i] = rated[i].id;
	names->n_order = n;
	free(rated);
	return 0;
}

int
ctx_summary_names_write(const struct summary_names *names,
    struct ctx_token_counter *counter, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err)
{
	static const struct ctx_str first = {"\n" NAMES_LABEL,
	    sizeof NAMES_LABEL};
	struct ctx_str name;
	uint64_t tokens, left = limit;
	size_t from, i;
	bool any = false;

	/* With only one or two tokens left, no name would fit, so the search
	 * ends. */
	for (i = 0; i < names->n_order && left > 2; i++) {
		name = ctx_intern_at(&names->texts, names->order[i]);
		from = out->n;
		if ((any ? ctx_buf_add(out, ", ", 2, err)
			 : ctx_buf_add(out, first.p + (out->n == 0),
			       first.n - (out->n == 0), err)) < 0 ||
		    ctx_buf_add(out, name.p, name.n, err) < 0 ||
		    ctx_token_count(counter, out->p + from, out->n - from,
			&tokens, err) < 0)
			return -1;
		if (tokens > left) {
			out->n = from;
			continue;
		}
		left -= tokens;
		any = true;
	}
	return 0;
}

bool
ctx_is_names_line(struct ctx_str line)
{
	const size_t n = sizeof NAMES_LABEL - 1;

	return line.n >= n && memcmp(line.p, NAMES_LABEL, n) == 0;
}
