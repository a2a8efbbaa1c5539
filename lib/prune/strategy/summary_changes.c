/*
 * summary_changes.c - finds out which files a removed tool call changed, and
 * what it changed in them, for the built-in summary
 *
 * Of an edit, the first line that differs is told; of a new file, the first
 * line that says something.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Lengths in bytes.  MOST_EDIT: a longer line is cut.  MOST_SAME: maximum
 * length of the unchanged text before the first difference, if a line is cut.
 * LEAST_TELLING: a shorter line of a new file is skipped. */
enum { MOST_EDIT = 60, MOST_SAME = 20, LEAST_TELLING = 4 };

/* In the argument of Codex's tool apply_patch, the changes of each file begin
 * with a line such as "*** Add File: PATH", "*** Update File: PATH" or "***
 * Delete File: PATH". */
#define PATCH_MARK " File: "
#define DELETION   "*** Delete"

/* Returns how many bytes are left out at the beginning of a changed line, so
 * that the summary shows the first difference.  Returns 0 if the line is short.
 * Otherwise the line is cut before a word or, in a very long word, between two
 * characters of UTF-8.  old, new: the line before and after the change. */
static size_t
find_shown_part(struct ctx_str old, struct ctx_str new)
{
	size_t same = 0, least = old.n < new.n ? old.n : new.n;

	if (old.n <= MOST_EDIT && new.n <= MOST_EDIT)
		return 0;
	while (same < least && old.p[same] == new.p[same])
		same++;
	if (same <= MOST_SAME)
		return 0;
	for (size_t from = same - MOST_SAME; from < same; from++)
		if (old.p[from - 1] == ' ')
			return from;
	return ctx_summary_cut(old, same - MOST_SAME).n;
}

/* Appends "- " or "+ " (sign) and at most MOST_EDIT bytes of a line, beginning
 * at the offset "from". */
static int
append_line_part(struct ctx_buf *out, const char *sign, struct ctx_str line,
    size_t from, struct ctx_err *err)
{
	if (line.n == 0)
		return 0;
	line = ctx_summary_cut((struct ctx_str){line.p + from, line.n - from},
	    MOST_EDIT);
	return ctx_buf_printf(out, err, "%s%s%s%.*s", out->n > 0 ? " " : "",
	    sign, from > 0 ? "... " : "", (int)line.n, line.p);
}

/* Stores the old and the new text of a changed line as the details of the
 * action with this id (see struct summary_action): "- OLD + NEW".  Either may
 * be empty. */
static int
store_change(struct summary_actions *actions, uint32_t id, struct ctx_str old,
    struct ctx_str new, struct ctx_err *err)
{
	struct ctx_buf *out = &actions->key;
	size_t from = find_shown_part(old, new);

	out->n = 0;
	if (old.n == new.n && memcmp(old.p, new.p, old.n) == 0)
		return 0;
	if (append_line_part(out, "- ", old, from, err) < 0 ||
	    append_line_part(out, "+ ", new, from, err) < 0)
		return -1;
	return ctx_intern(&actions->texts, out->p, out->n,
	    &actions->list[id - 1].details, err);
}

/* Returns false for a short line, for a single word, such as a name in a list,
 * and for a line with which many files begin. */
static bool
is_telling(struct ctx_str line)
{
	static const char *const starts[] = {"#!", "#include", "'use ",
	    "\"use ", "---", "/*", "<!", "<?", "from ", "import ", "package ",
	    "use ", NULL};

	for (size_t i = 0; starts[i] != NULL; i++)
		if (ctx_str_begins(line, starts[i]))
			return false;
	for (size_t i = 0; i < line.n; i++)
		if (strchr(" (:=", line.p[i]) != NULL)
			return line.n >= LEAST_TELLING;
	return false;
}

/* Stores the first difference between the lines of two texts: if possible, of
 * lines that are informative. */
static int
store_difference(struct summary_actions *actions, uint32_t id,
    struct ctx_str old, struct ctx_str new, struct ctx_err *err)
{
	struct ctx_str a, b, first = {"", 0}, second = first;
	size_t longer;

	while (old.n > 0 || new.n > 0) {
		longer = old.n > new.n ? old.n : new.n;
		a = ctx_str_trim(ctx_str_cut(&old, '\n'));
		b = ctx_str_trim(ctx_str_cut(&new, '\n'));
		if (a.n == b.n && memcmp(a.p, b.p, a.n) == 0)
			continue;
		if (first.n == 0 && second.n == 0) {
			actions->list[id - 1].size = longer;
			first = a;
			second = b;
		}
		if (is_telling(a) || is_telling(b)) {
			first = is_telling(a) ? a : (struct ctx_str){"", 0};
			second = is_telling(b) ? b : (struct ctx_str){"", 0};
			break;
		}
	}
	return store_change(actions, id, first, second, err);
}

/* Stores the first informative line of a new file. */
static int
store_content(struct summary_actions *actions, uint32_t id, struct ctx_str text,
    struct ctx_err *err)
{
	struct ctx_str line = {"", 0};

	actions->list[id - 1].size = text.n;
	while (text.n > 0) {
		line = ctx_str_trim(ctx_str_cut(&text, '\n'));
		if (is_telling(line))
			return store_change(actions, id,
			    (struct ctx_str){"", 0}, line, err);
	}
	return 0;
}

/* Sets *text to the text of the argument with one of these keys; *found is
 * false if there is none. */
static int
read_argument(const struct summary_actions *actions, const char *const *keys,
    struct ctx_buf *scratch, struct ctx_str *text, bool *found,
    struct ctx_err *err)
{
	const struct ctx_json *json = actions->json;
	uint32_t node = ctx_json_find_any(json, 0, keys);

	*found = node != 0 && json->nodes[node].kind == CTX_JSON_STRING;
	scratch->n = 0;
	return *found ? ctx_json_text(json, node, scratch, text, err) : 0;
}

int
ctx_summary_record_edit(struct summary_actions *actions, uint32_t id,
    struct ctx_err *err)
{
	static const char *const olds[] = {"old_string", "old_str", "oldString",
	    "oldText", NULL};
	static const char *const news[] = {"new_string", "new_str", "newString",
	    "newText", NULL};
	static const char *const wholes[] = {"content", "file_text", "contents",
	    NULL};
	struct ctx_str old, new;
	bool has_old, has_new;

	if (id == 0)
		return 0;
	if (read_argument(actions, olds, &actions->text, &old, &has_old, err) <
		0 ||
	    read_argument(actions, news, &actions->line, &new, &has_new, err) <
		0)
		return -1;
	if (has_old && has_new)
		return store_difference(actions, id, old, new, err);
	if (read_argument(actions, wholes, &actions->text, &new, &has_new,
		err) < 0)
		return -1;
	return has_new ? store_content(actions, id, new, err) : 0;
}

/* Stores what a patch changes in one file: the first line that it adds, and the
 * line that it removes directly before.  If it adds none, the first line that
 * it removes.  Stops before the next file. */
static int
store_hunk(struct summary_actions *actions, uint32_t id, struct ctx_str patch,
    struct ctx_err *err)
{
	struct ctx_str line, old = {"", 0};
	const char *next = memmem(patch.p, patch.n, "\n*** ", 5);
	char sign;

	actions->list[id - 1].size =
	    next != NULL ? (size_t)(next - patch.p) : patch.n;
	while (patch.n > 0) {
		line = ctx_str_cut(&patch, '\n');
		sign = line.n > 0 ? line.p[0] : ' ';
		if (ctx_str_begins(line, "*** ") ||
		    (old.n > 0 && sign != '+' && sign != '-'))
			break;
		line = line.n > 0
		    ? ctx_str_trim((struct ctx_str){line.p + 1, line.n - 1})
		    : line;
		if (sign == '-' && old.n == 0 && is_telling(line))
			old = line;
		else if (sign == '+' && (old.n > 0 || is_telling(line)))
			return store_change(actions, id, old, line, err);
	}
	return store_change(actions, id, old, (struct ctx_str){"", 0}, err);
}

int
ctx_summary_record_patch(struct summary_actions *actions, struct ctx_str patch,
    uint32_t *id, struct ctx_err *err)
{
	const size_t mark = sizeof PATCH_MARK - 1;
	struct ctx_str line, path;
	const char *at;
	int n = 0;

	while (patch.n > 0) {
		line = ctx_str_cut(&patch, '\n');
		at = ctx_str_begins(line, "*** ")
		    ? memmem(line.p, line.n, PATCH_MARK, mark)
		    : NULL;
		if (at == NULL)
			continue;
		path.p = at + mark;
		path.n = line.n - (size_t)(path.p - line.p);
		if (ctx_summary_actions_record(actions, CHANGED_FILE, path, id,
			err) < 0 ||
		    (*id != 0 &&
			(ctx_str_begins(line, DELETION)
				? ctx_intern(&actions->texts, "deleted", 7,
				      &actions->list[*id - 1].details, err)
				: store_hunk(actions, *id, patch, err)) < 0))
			return -1;
		n++;
	}
	return n;
}
