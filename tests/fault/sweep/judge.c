/* judge.c - decides whether a run has the right output, or has failed
 * cleanly */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep.h"

static bool
same(const struct bytes *a, const struct bytes *b)
{
	return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

static bool
begins(const struct bytes *part, const struct bytes *whole)
{
	return part->n <= whole->n && memcmp(part->p, whole->p, part->n) == 0;
}

/* Returns the line at the offset *at, with its line feed.  Moves *at to the
 * byte after the line. */
static struct bytes
line_at(const struct bytes *text, size_t *at)
{
	struct bytes line = {text->p + *at, text->n - *at};
	char *feed = line.n == 0 ? NULL : memchr(line.p, '\n', line.n);

	if (feed != NULL)
		line.n = (size_t)(feed - line.p) + 1;
	*at += line.n;
	return line;
}

/* Returns true for files to which lines are appended, and whose first lines are
 * useful without the other lines. */
static bool
grows(const char *path)
{
	return strcmp(path, "archive") == 0 || strcmp(path, "explain") == 0;
}

/* Returns true if the text "some" consists of lines of the text "all" in their
 * order.  The last line may be incomplete. */
static bool
is_selection(const struct bytes *some, const struct bytes *all)
{
	size_t a = 0, b = 0;

	while (a < some->n) {
		struct bytes line = line_at(some, &a), other = {NULL, 0};
		bool cut = line.p[line.n - 1] != '\n';

		while (b < all->n) {
			other = line_at(all, &b);
			if (same(&line, &other) ||
			    (cut && begins(&line, &other)))
				break;
			other.n = 0;
		}
		if (other.n == 0)
			return false;
	}
	return true;
}

/* Returns true for the spool, which ctx-age creates before it reads its input,
 * and removes if it has stored nothing.  If ctx-age fails or is killed, an
 * empty spool may be left. */
static bool
is_empty_spool(const struct entry *entry)
{
	return entry->directory && strcmp(entry->path, "spool") == 0;
}

/* Returns true for a file that may be missing, because nothing refers to it. */
static bool
is_spare(const char *path)
{
	return strncmp(path, ".cache", 6) == 0;
}

/* Returns true for the file that the trial replaces. */
static bool
is_replaced(const struct sweep *s, const char *path)
{
	return (s->trial->may & TRIAL_COPY) && strcmp(path, "few") == 0;
}

/* Returns true for the new file beside the file that the trial replaces.  Only
 * a signal that cannot be handled may leave it. */
static bool
is_left_by_kill(const struct sweep *s, const struct entry *entry,
    const struct result *got)
{
	return (s->trial->may & TRIAL_COPY) &&
	    strncmp(entry->path, ".tmp-", 5) == 0 && WIFSIGNALED(got->status) &&
	    WTERMSIG(got->status) == SIGKILL;
}

static bool
is_in(const struct tree *tree, const char *path, const struct bytes *bytes)
{
	const struct entry *entry = tree_find(tree, path);

	return entry != NULL && same(&entry->bytes, bytes);
}

/* Returns NULL if all files are as they would be without a fault, otherwise a
 * text that says what is wrong. all: true if no file may be missing. */
static const char *
look_at_files(struct sweep *s, const struct result *result, bool all)
{
	const struct tree *base = &s->base.tree, *got = &result->tree;
	const struct entry *want;
	size_t i;

	for (i = 0; i < got->n; i++) {
		const struct entry *e = &got->entry[i];

		want = tree_find(base, e->path);
		if (want == NULL &&
		    (is_empty_spool(e) || is_left_by_kill(s, e, result)))
			continue;
		if (!all && is_replaced(s, e->path))
			continue;
		if (want == NULL || want->directory != e->directory)
			return "left a temporary";
		if (same(&e->bytes, &want->bytes))
			continue;
		if (all || !grows(e->path))
			return "a file is not whole";
		/* A report (--explain) has no line about an edit that
		 * failed. */
		if (!begins(&e->bytes, &want->bytes) &&
		    !((s->trial->may & TRIAL_LINES) &&
			is_selection(&e->bytes, &want->bytes)))
			return "a file has other lines";
	}
	for (i = 0; all && i < base->n; i++)
		if (tree_find(got, base->entry[i].path) == NULL &&
		    !is_spare(base->entry[i].path))
			return "a file is missing";
	return NULL;
}

/* Returns NULL if each file to which a text refers exists, otherwise a text
 * that says what is wrong. */
static const char *
look_at_references(const struct bytes *out, const struct tree *tree)
{
	static const char mark[] = " characters in ", shared[] = "../in/";
	const char *p = out->p, *end;
	char path[4200];

	if (out->n == 0)
		return NULL;
	while ((p = strstr(p, mark)) != NULL) {
		p += sizeof mark - 1;
		end = strchr(p, ']');
		/* The last line may be incomplete and end inside a name. */
		if (end == NULL)
			return NULL;
		(void)snprintf(path, sizeof path, "%.*s", (int)(end - p), p);
		if (strncmp(path, shared, sizeof shared - 1) == 0
			? access(path + 3, R_OK) < 0
			: tree_find(tree, path) == NULL)
			return "a reference without its file";
	}
	return NULL;
}

/* Returns NULL if the file that the trial replaces is the old or the new file.
 * For the new file, the old file and the archive must exist, too.  Otherwise
 * returns a text that says what is wrong. */
static const char *
look_at_replaced(struct sweep *s, const struct tree *got)
{
	const struct entry *want = tree_find(&s->base.tree, "few");
	const struct entry *archive = tree_find(&s->base.tree, "archive");

	if (!(s->trial->may & TRIAL_COPY) || is_in(got, "few", &s->input))
		return NULL;
	if (want == NULL || !is_in(got, "few", &want->bytes))
		return "the operand is neither the old nor the new file";
	if (!is_in(got, "few.bak", &s->input))
		return "the original is not kept";
	if (archive != NULL && !is_in(got, "archive", &archive->bytes))
		return "what went is not in the archive";
	return look_at_references(&want->bytes, got);
}

/* Returns true if each line of the output is either the right line or the line
 * of the input. */
static bool
is_mixture(const struct bytes *out, const struct bytes *right,
    const struct bytes *input)
{
	size_t a = 0, b = 0, c = 0;

	while (a < out->n) {
		struct bytes line = line_at(out, &a);
		struct bytes one = line_at(right, &b);
		struct bytes two = line_at(input, &c);
		bool cut = line.p[line.n - 1] != '\n';

		if (same(&line, &one) || same(&line, &two))
			continue;
		if (!cut || (!begins(&line, &one) && !begins(&line, &two)))
			return false;
	}
	return true;
}

/* Returns true if a line is among the lines of a text from the offset *at on.
 * Then moves *at to the byte after this line. */
static bool
find_line(const struct bytes *line, const struct bytes *text, size_t *at)
{
	size_t next = *at;
	struct bytes other;

	while (next < text->n) {
		other = line_at(text, &next);
		if (same(line, &other)) {
			*at = next;
			return true;
		}
	}
	return false;
}

/* Returns true if the archive has each line of the input that is not in the
 * output.  Considers only lines before the last line of the output. */
static bool
is_each_archived(const struct bytes *input, const struct bytes *out,
    const struct bytes *archive)
{
	size_t at = 0, in_out = 0, last = 0, in_archive = 0;
	struct bytes line;

	while (at < input->n) {
		line = line_at(input, &at);
		if (find_line(&line, out, &in_out))
			last = at;
	}
	for (at = 0, in_out = 0; at < last;) {
		line = line_at(input, &at);
		if (!find_line(&line, out, &in_out) &&
		    !find_line(&line, archive, &in_archive))
			return false;
	}
	return true;
}

/* Returns true if the lines that were changed or removed so far are in the
 * archive. */
static bool
is_archived(struct sweep *s, const struct result *got)
{
	const struct entry *want = tree_find(&s->base.tree, "archive");
	const struct entry *have = tree_find(&got->tree, "archive");
	size_t a = 0, b = 0, c = 0;

	if (want == NULL || got->out.n == 0 || same(&got->out, &s->input))
		return true;
	if (have != NULL && same(&have->bytes, &want->bytes))
		return true;
	if (!(s->trial->may & TRIAL_LINES))
		return is_each_archived(&s->input, &got->out,
		    have != NULL ? &have->bytes : &(struct bytes){NULL, 0});
	while (a < got->out.n) {
		struct bytes line = line_at(&got->out, &a);
		struct bytes was = line_at(&s->input, &b);
		struct bytes kept = {NULL, 0};

		if (same(&line, &was) || begins(&line, &was))
			continue;
		if (have != NULL)
			kept = line_at(&have->bytes, &c);
		if (!same(&kept, &was))
			return false;
	}
	return true;
}

static size_t
count_lines(const struct bytes *text)
{
	size_t n = 0, i;

	for (i = 0; i < text->n; i++)
		n += text->p[i] == '\n';
	return n;
}

/* Returns true if the report in SARIF was completed, and says that the run has
 * failed. */
static bool
says_no_success(struct sweep *s, const struct result *got)
{
	static const char end[] =
	    "],\"invocations\":[{\"executionSuccessful\":false}]}]}\n";
	struct bytes part = got->out;

	if (part.n < sizeof end - 1)
		return false;
	part.n -= sizeof end - 1;
	return memcmp(part.p + part.n, end, sizeof end - 1) == 0 &&
	    begins(&part, &s->base.out);
}

/* Returns the first line that the fault has added, or an empty text if there is
 * none. */
static struct bytes
added_line(const struct bytes *err, const struct bytes *before)
{
	struct bytes line = {NULL, 0}, other;
	size_t at = 0, old;
	bool known;

	while (at < err->n) {
		line = line_at(err, &at);
		for (known = false, old = 0; !known && old < before->n;) {
			other = line_at(before, &old);
			known = same(&line, &other);
		}
		if (!known)
			return line;
	}
	return (struct bytes){NULL, 0};
}

/* Returns NULL if the message is right: the fault has added exactly one line,
 * which names the cause.  If lines may be left unchanged, a second line may say
 * how many were.  If a file was to be replaced, another line may say that it is
 * not. */
static const char *
look_at_message(struct sweep *s, const struct result *got, const char *cause,
    bool quiet)
{
	static const char lost[] = "standard output: an earlier write failed";
	static const char nowhere[] = "ctx: out of memory\n";
	struct bytes added = added_line(&got->err, &s->base.err);
	size_t have = count_lines(&got->err);
	size_t had = count_lines(&s->base.err);
	const char *last;

	if (s->trial->may & TRIAL_CHILD)
		return have > 0 || quiet ? NULL : "no message";
	if (quiet && have <= had + 1)
		return NULL;
	if (added.n == 0)
		return "no message";
	if (have > had + 1 + ((s->trial->may & TRIAL_LINES) != 0) +
		((s->trial->may & TRIAL_COPY) != 0))
		return "more than one line";
	if (strncmp(added.p, "ctx-", 4) != 0 &&
	    strncmp(added.p, nowhere, sizeof nowhere - 1) != 0)
		return "not our message";
	for (last = added.p; cause != NULL && last != NULL;
	     last = strchr(last + 1, '\n'))
		if (strstr(last, cause) != NULL || strstr(last, lost) != NULL)
			return NULL;
	return cause == NULL ? NULL : "the cause is not named";
}

/* Returns true if the output is the output for a beginning of the input, which
 * has as many lines as were written. */
static bool
is_of_part(struct sweep *s, const struct result *got)
{
	const struct trial *whole = s->trial;
	const char *path = strstr(whole->line, " ../in/"), *next;
	struct bytes part = s->input;
	struct result right;
	size_t lines = count_lines(&got->out), at = 0;
	char line[2000];
	FILE *file;
	bool is;

	if (path == NULL || got->out.n == 0 ||
	    got->out.p[got->out.n - 1] != '\n')
		return false;
	for (next = path; next != NULL; next = strstr(next + 1, " ../in/"))
		path = next;
	for (; lines > 0; lines--)
		(void)line_at(&s->input, &at);
	part.n = at;
	file = fopen("in/part", "w");
	if (file == NULL || fwrite(part.p, 1, part.n, file) != part.n ||
	    fclose(file) != 0)
		die("in/part");
	(void)snprintf(line, sizeof line, "%.*s ../in/part",
	    (int)(path - whole->line), whole->line);
	s->trial = &(struct trial){line, whole->may};
	run(s, &(struct how){0}, &right);
	s->trial = whole;
	is = same(&got->out, &right.out);
	result_free(&right);
	return is;
}

bool
is_right(struct sweep *s, const struct result *got)
{
	return !got->late && got->status == s->base.status &&
	    same(&got->out, &s->base.out) &&
	    look_at_files(s, got, true) == NULL;
}

const char *
judge(struct sweep *s, const struct result *got, const char *cause, bool quiet)
{
	const char *why;

	if (got->late)
		return "does not end";
	if (WIFSIGNALED(got->status))
		return "ended by a signal";
	if (is_right(s, got))
		return NULL;
	if (WEXITSTATUS(got->status) != 2)
		return got->status != s->base.status
		    ? "the status is neither right nor 2"
		    : same(&got->out, &s->base.out)
		    ? look_at_files(s, got, true)
		    : "the status says that all is well; the output is wrong";
	why = look_at_message(s, got, cause, quiet);
	if (why == NULL)
		why = look_at_files(s, got, false);
	if (why == NULL)
		why = look_at_replaced(s, &got->tree);
	if (why == NULL)
		why = look_at_references(&got->out, &got->tree);
	if (why == NULL && !is_archived(s, got))
		why = "what went is not in the archive";
	if (why != NULL || begins(&got->out, &s->base.out))
		return why;
	if ((s->trial->may & TRIAL_LINES) &&
	    is_mixture(&got->out, &s->base.out, &s->input))
		return NULL;
	if ((s->trial->may & TRIAL_WHOLE) && begins(&got->out, &s->input))
		return NULL;
	if ((s->trial->may & TRIAL_SARIF) && says_no_success(s, got))
		return NULL;
	if ((s->trial->may & TRIAL_PART) && is_of_part(s, got))
		return NULL;
	return "the output is neither right nor a part of it";
}

const char *
judge_killed(struct sweep *s, const struct result *got)
{
	const char *why = look_at_files(s, got, false);

	if (why == NULL)
		why = look_at_replaced(s, &got->tree);
	if (why == NULL)
		why = look_at_references(&got->out, &got->tree);
	if (why == NULL && !is_archived(s, got))
		why = "what went is not in the archive";
	if (why == NULL && !begins(&got->out, &s->base.out))
		why = "the output is no part of the right one";
	return why;
}

void
complain(struct sweep *s, const char *fault, const char *why,
    const struct result *got)
{
	size_t at = 0;
	struct bytes line = line_at(&got->err, &at);

	s->bad++;
	printf("not ok: %s: %s: %s (status %d%s%d)%s%.*s\n", s->trial->line,
	    fault, why, WEXITSTATUS(got->status),
	    WIFSIGNALED(got->status) ? ", signal " : ", of ",
	    WIFSIGNALED(got->status) ? WTERMSIG(got->status)
				     : WEXITSTATUS(s->base.status),
	    line.n > 0 ? ": " : "",
	    (int)(line.n > 0 && line.p[line.n - 1] == '\n' ? line.n - 1
							   : line.n),
	    line.n > 0 ? line.p : "");
}
