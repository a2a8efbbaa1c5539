/* second_pass.c - tests that two passes over a part of a file return the same
 * records */
#include "feed.h"
#include "io/second_pass.h"

static char dir[] = "/tmp/second-pass.XXXXXX";

static char *
make_file(const char *name, const char *text)
{
	char *path = malloc(sizeof dir + 1 + strlen(name));
	FILE *f;

	NEED(path != NULL);
	(void)sprintf(path, "%s/%s", dir, name);
	NEED((f = fopen(path, "w")) != NULL);
	NEED(fputs(text, f) >= 0 && fclose(f) == 0);
	return path;
}

static void
remove_files(char **files, size_t n)
{
	while (n-- > 0) {
		NEED(remove(files[n]) == 0);
		free(files[n]);
	}
}

/* Appends the next record of the file to *seen, as "kind line <text>".
 * Returns what ctx_reader_next_in_file does. */
static int
see_next(struct ctx_reader *reader, struct ctx_buf *seen)
{
	struct ctx_record record;
	struct ctx_err err, late;
	int rc = ctx_reader_next_in_file(reader, &record, &err);

	if (rc > 0)
		NEED(ctx_buf_printf(seen, &late, "%d %d <%.*s>\n",
			 (int)record.kind, (int)record.line, (int)record.text.n,
			 record.text.p) == 0);
	return rc;
}

/* A record that can be read again. */
struct place {
	struct ctx_record_place in_file;
	char *text;
};

/* Reads the next record of the open file.  If it can be read again, adds it to
 * the list. */
static int
see_place(struct ctx_reader *reader, struct ctx_buf *seen,
    struct place **places, size_t *n)
{
	struct ctx_record record;
	struct ctx_err err;
	struct place *place;
	int rc = ctx_reader_next_in_file(reader, &record, &err);

	if (rc <= 0)
		return rc;
	NEED(ctx_buf_printf(seen, &err, "%d %d <%.*s>\n", (int)record.kind,
		 (int)record.line, (int)record.text.n, record.text.p) == 0);
	*places = realloc(*places, (*n + 1) * sizeof **places);
	NEED(*places != NULL);
	place = &(*places)[*n];
	if (!ctx_reader_keep_file(reader, &record))
		return rc;
	place->in_file = (struct ctx_record_place){record.offset,
	    (uint32_t)record.text.n, ctx_sum_text(record.text)};
	place->text = malloc(record.text.n);
	NEED(place->text != NULL);
	memcpy(place->text, record.text.p, record.text.n);
	++*n;
	return rc;
}

/* Checks that the records have the same bytes when they are read again, forward
 * and backward; or, if the file was changed, that all but the first n_same
 * records are found changed. */
static void
read_places(struct ctx_reader *reader, struct place *places, size_t n,
    size_t n_same)
{
	struct ctx_str text;
	struct ctx_err err;
	size_t i;
	int rc;

	for (i = 0; i < 2 * n; i++) {
		const struct place *place = &places[i < n ? i : 2 * n - 1 - i];

		rc =
		    ctx_reader_read_again(reader, &place->in_file, &text, &err);
		CHECK(rc == ((size_t)(place - places) < n_same));
		CHECK(rc == 0 ||
		    (text.n == place->in_file.n &&
			memcmp(text.p, place->text, text.n) == 0));
	}
	for (i = 0; i < n; i++)
		free(places[i].text);
	free(places);
}

static size_t n_places; /* number of records that were read again */

/* Reads a file in two passes, and checks that both have the same records. skip:
 * number of records before the second pass begins. change: called between the
 * passes; returns true if the second pass must end early. */
static void
read_twice_from(struct ctx_reader *reader, char *const *files, size_t n,
    size_t skip, bool (*change)(const char *file))
{
	struct ctx_buf first = {0}, second = {0};
	struct ctx_record record;
	struct place *places = NULL;
	struct ctx_err err;
	size_t located = 0;
	bool is_short;

	ctx_reader_set_lenient(reader, true);
	do
		NEED(ctx_reader_next(reader, &record, &err) == 1);
	while (skip-- > 0);
	NEED(ctx_buf_printf(&first, &err, "%d %d <%.*s>\n", (int)record.kind,
		 (int)record.line, (int)record.text.n, record.text.p) == 0);
	NEED(ctx_reader_mark(reader, &record, &err) == 0);
	while (see_next(reader, &first) > 0)
		continue;
	CHECK(see_next(reader, &first) == 0);
	is_short = change != NULL && change(files[0]);
	ctx_reader_rewind(reader);
	while (see_place(reader, &second, &places, &located) > 0)
		continue;
	CHECK(is_short ? second.n < first.n : second.n == first.n);
	CHECK(memcmp(first.p, second.p, is_short ? 20 : first.n) == 0);
	if (n > 1) {
		CHECK(ctx_reader_next(reader, &record, &err) == 1);
		CHECK(record.file == files[1] && record.line == 1);
	}
	CHECK(ctx_reader_next(reader, &record, &err) == 0);
	read_places(reader, places, located, located);
	n_places += located;
	ctx_reader_close(reader);
	ctx_buf_release(&first);
	ctx_buf_release(&second);
}

static void
read_twice(char *const *files, size_t n, size_t skip,
    bool (*change)(const char *file))
{
	struct ctx_reader *reader;
	struct ctx_err err;

	NEED(ctx_reader_open(&reader, files, n, &err) == 0);
	read_twice_from(reader, files, n, skip, change);
}

static const char *const passed_twice[] = {"{\"a\":1}\n", "{\"a\":1}",
    "\xef\xbb\xbf\n{\"a\":1}\r\n \r\n[2]\r\n",
    "[1]\n\n[2]\n{\"torn\":", "[1]\n{\"torn\":\n[2]\n]\n",
    "[\n1]\n[2] [3\n,4]  \n\n[5]", "[1] [2]\n[3]\n", "[1]\n[2,\n3]\n[4]\n"};

/* Reads each text twice from its first JSON record on. */
static void
read_texts_twice(const char *before, const char *after)
{
	char *files[2] = {make_file("first", ""), make_file("next", "{}\n")};
	struct ctx_buf text = {0};
	struct ctx_err err;
	size_t i;
	FILE *f;

	for (i = 0; i < sizeof passed_twice / sizeof passed_twice[0]; i++) {
		text.n = 0;
		NEED(ctx_buf_printf(&text, &err, "%s%s%s", passed_twice[i],
			 before, after) == 0);
		NEED((f = fopen(files[0], "w")) != NULL);
		NEED(fwrite(text.p, 1, text.n, f) == text.n && fclose(f) == 0);
		read_twice(files, 1, i == 2 ? 2 : 0, NULL);
		read_twice(files, 2, i == 2 ? 2 : 0, NULL);
	}
	ctx_buf_release(&text);
	remove_files(files, 2);
}

static bool
append_line(const char *file)
{
	FILE *f = fopen(file, "a");

	NEED(f != NULL && fputs("[3]\n", f) >= 0 && fclose(f) == 0);
	return false;
}

static bool
shorten(const char *file)
{
	NEED(truncate(file, 20) == 0);
	return true;
}

static void
second_pass(void)
{
	char *file, spaces[400];
	struct ctx_buf text = {0};
	struct ctx_err err;
	size_t i;

	tap_case("the rest of a file is read twice, with the same records");
	read_texts_twice("", "");
	memset(spaces, ' ', sizeof spaces);
	for (i = 0; i < 2000; i++)
		NEED(ctx_buf_printf(&text, &err, "\n[\"%.*s\"]",
			 (int)sizeof spaces, spaces) == 0);
	read_texts_twice(text.p, "");
	read_texts_twice(text.p, "\n");
	ctx_buf_release(&text);
	tap_case("lines of a file are read a third time");
	CHECK(n_places > 10000);
	tap_case("a line that was appended to the file is not read");
	file = make_file("more", "[1]\n[2]\n");
	read_twice(&file, 1, 0, append_line);
	remove_files(&file, 1);
	file = make_file("torn", "[1]\n[2");
	read_twice(&file, 1, 0, append_line);
	remove_files(&file, 1);
	tap_case("the second pass over a file that became shorter ends early");
	file = make_file("less", "[\"0123456789\"]\n[\"0123456789\"]\n");
	read_twice(&file, 1, 0, shorten);
	remove_files(&file, 1);
}

/* Reads a file once, and then reads its records again. change: called before
 * the records are read again; NULL: the file is not changed. n: number of
 * records that can be read again; n_same: number of these records that do not
 * change. */
static void
read_once(char *file, bool (*change)(const char *file), size_t n, size_t n_same)
{
	struct ctx_reader *reader;
	struct place *places = NULL;
	struct ctx_buf seen = {0};
	struct ctx_record record;
	struct ctx_err err;
	size_t located = 0;

	NEED(ctx_reader_open(&reader, &file, 1, &err) == 0);
	NEED(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.offset == 0);
	while (see_place(reader, &seen, &places, &located) > 0)
		continue;
	CHECK(located == n);
	if (change != NULL)
		(void)change(file);
	read_places(reader, places, located, n_same);
	ctx_reader_close(reader);
	ctx_buf_release(&seen);
}

static bool
overwrite(const char *file)
{
	FILE *f = fopen(file, "r+");

	NEED(f != NULL && fputs("[1]\n[2]\n[4]\n[3]\n", f) >= 0 &&
	    fclose(f) == 0);
	return true;
}

static void
single_pass(void)
{
	char *file = make_file("once", "[1]\n[2]\n[3]\n[4]");

	tap_case("records of a file are read again without a second pass");
	read_once(file, NULL, 3, 3);
	read_once(file, append_line, 3, 3);
	remove_files(&file, 1);
	file = make_file("values", "[\n1]\n[2] [3\n]\n[4]\n");
	read_once(file, NULL, 3, 3);
	tap_case("a record that has changed is not read again");
	read_once(file, overwrite, 3, 0);
	remove_files(&file, 1);
	file = make_file("lines", "[1]\n[2]\n[3]\n[4]\n");
	read_once(file, overwrite, 3, 1);
	remove_files(&file, 1);
}

static void
second_pass_of_a_pipe(void)
{
	static char standard_input[] = "-";
	char *files[1] = {standard_input};
	struct feed feed = {.chunk = 7};
	struct ctx_buf text = {0};
	struct ctx_err err;
	size_t i;

	tap_case("what is no file is read twice from memory");
	for (i = 0; i < sizeof passed_twice / sizeof passed_twice[0]; i++) {
		feed.p = passed_twice[i];
		feed.n = strlen(feed.p);
		feed_start(&feed);
		read_twice(files, 1, i == 2 ? 2 : 0, NULL);
		feed_stop(&feed);
	}
	for (i = 0; i < 60000; i++)
		NEED(ctx_buf_printf(&text, &err, "[\"%zu\"]\n", i) == 0);
	feed = (struct feed){.p = text.p, .n = text.n, .chunk = 4096};
	feed_start(&feed);
	n_places = 0;
	read_twice(files, 1, 0, NULL);
	CHECK(n_places == 0);
	feed_stop(&feed);
	ctx_buf_release(&text);
}

static void
second_pass_of_a_text(void)
{
	struct ctx_reader *reader;
	struct ctx_str text;
	struct ctx_err err;
	size_t i;

	tap_case("a text in memory is read twice");
	n_places = 0;
	for (i = 0; i < sizeof passed_twice / sizeof passed_twice[0]; i++) {
		text =
		    (struct ctx_str){passed_twice[i], strlen(passed_twice[i])};
		NEED(ctx_reader_open_text(&reader, "name", text, &err) == 0);
		read_twice_from(reader, NULL, 0, i == 2 ? 2 : 0, NULL);
	}
	CHECK(n_places == 0);
}

int
main(void)
{
	NEED(mkdtemp(dir) != NULL);
	second_pass();
	single_pass();
	second_pass_of_a_pipe();
	second_pass_of_a_text();
	NEED(rmdir(dir) == 0);
	return tap_done();
}
