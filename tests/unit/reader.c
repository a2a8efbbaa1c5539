/* reader.c - tests that the reader returns the same records, however the bytes
 * arrive */
#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "feed.h"

static void
show(const char *what, const char *p, size_t n)
{
	size_t i;

	printf("# %s ", what);
	for (i = 0; i < n; i++)
		if (p[i] >= ' ' && p[i] <= '~')
			putchar(p[i]);
		else
			printf("\\x%02x", (unsigned)(unsigned char)p[i]);
	putchar('\n');
}

/* ---- framing ----------------------------------------------------------- */

/*
 * Expected records: J, B or X (JSON, blank, invalid), the number of the line,
 * for X also the position of the error, then the text.  At the end, an error
 * that ended the stream.  The text of an error of the JSON scanner is not
 * compared.
 */
struct framing {
	const char *name, *in, *out;
};

static const struct framing strict[] = {
    {"nothing", "", ""},
    {"lines", "{\"a\":1}\n[2]\n", "J1<{\"a\":1}\n>J2<[2]\n>"},
    {"no last line feed", "1\n2", "J1<1\n>J2<2>"},
    {"CRLF", "{}\r\n{}\r\n", "J1<{}\r\n>J2<{}\r\n>"},
    {"CRLF without the last", "{}\r\n{}\r", "J1<{}\r\n>J2<{}\r>"},
    {"byte order mark", "\xef\xbb\xbf{}\n{}\n",
	"B1<\xef\xbb\xbf>J1<{}\n>J2<{}\n>"},
    {"byte order mark alone", "\xef\xbb\xbf", "B1<\xef\xbb\xbf>"},
    {"byte order mark and a blank line", "\xef\xbb\xbf\n1\n",
	"B1<\xef\xbb\xbf>B1<\n>J2<1\n>"},
    {"half a byte order mark", "\xef\xbb", "!1:1"},
    {"byte order mark within",
	"1\n\xef\xbb\xbf"
	"1\n",
	"J1<1\n>!2:1"},
    {"place after a byte order mark", "\xef\xbb\xbf{]\n",
	"B1<\xef\xbb\xbf>!1:5"},
    {"a place two lines after a byte order mark",
	"\xef\xbb\xbf"
	"1\n]\n",
	"B1<\xef\xbb\xbf>J1<1\n>!2:1"},
    {"blank lines", "\n \t\r\n1\n\n\n2\n\n",
	"B1<\n>B2< \t\r\n>J3<1\n>B4<\n>B5<\n>J6<2\n>B7<\n>"},
    {"nothing but blanks", " \r\n ", "B1< \r\n>B2< >"},
    {"blanks around values", " \t1 \n\t2\t\r\n", "J1< \t1 \n>J2<\t2\t\r\n>"},
    {"every kind of value", "null\ntrue\nfalse\n-1.5e3\n\"s\"\n[]\n{}\n",
	"J1<null\n>J2<true\n>J3<false\n>J4<-1.5e3\n>J5<\"s\"\n>J6<[]\n>"
	"J7<{}\n>"},
    {"two values on a line", "1\n{} {}\n",
	"J1<1\n>!2:4 more than one JSON value on the line; put each on a line "
	"of its own"},
    {"two values on the first line", "{}{}\n",
	"!1:3 more than one JSON value on the line; put each on a line of its "
	"own"},
    {"an old Mac file", "1\r2\r",
	"!1:3 more than one JSON value on the line; put each on a line of its "
	"own"},
    {"a comma after a value", "{},\n",
	"!1:3 a comma after the JSON value; remove it, or put all values "
	"between [ and ]"},
    {"a line cut short", "[1]\n[2,\n[3]\n",
	"J1<[1]\n>!2:4 unexpected end of "
	"line"},
    {"a last line cut short", "[1]\n[2,",
	"J1<[1]\n>!2:4 unexpected end of "
	"input"},
    {"a last string cut short", "\"a",
	"!1:3 unexpected end of input; get the rest of the JSON value that "
	"begins in line 1"},
    {"bad UTF-8", "1\n \"a\xff\"\n", "J1<1\n>!2:4"},
    {"UTF-8", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n",
	"J1<\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n>"},
    {"one document", "{\n \"a\": 1\n}\n", "J1<{\n \"a\": 1\n}\n>"},
    {"a document without the last line feed", "[\n1\n]", "J1<[\n1\n]>"},
    {"a document after blank lines", "\r\n \n [\n]\n",
	"B1<\r\n>B2< \n>J3< [\n]\n>"},
    {"a document after a mark", "\xef\xbb\xbf[\r\n]\r\n",
	"B1<\xef\xbb\xbf>J1<[\r\n]\r\n>"},
    {"documents", "{\n}\n\n [1,\n2] \t\r\n{}\n",
	"J1<{\n}\n>B3<\n>J4< [1,\n2] \t\r\n>J6<{}\n>"},
    {"documents after lines", "{}\n{\n}\n[1,\n2]\n{} 1\n",
	"J1<{}\n>J2<{\n}\n>J4<[1,\n2]\n>J6<{} >J6<1\n>"},
    {"a line cut short before others", "1\n{\"a\":\n{\"b\":2}\n{\"c\":3}\n",
	"J1<1\n>!2:6 unexpected end of line"},
    {"documents side by side", "[\n]{}  1 2\"a\" true\n3",
	"J1<[\n]>J2<{}  >J2<1 >J2<2>J2<\"a\" >J2<true\n>J3<3>"},
    {"a document and blanks", "[\n] \n \n\t", "J1<[\n] \n>B3< \n>B4<\t>"},
    {"brackets and quotes in strings",
	"[\n\"]\\\"]\",\"\\\\\",\"}\"]\n[\"[\"]\n",
	"J1<[\n\"]\\\"]\",\"\\\\\",\"}\"]\n>J3<[\"[\"]\n>"},
    {"a document cut short", "{\n \"a\": [\n",
	"!3:1 unexpected end of input; get the rest of the JSON value that "
	"begins in line 1"},
    {"a document cut short in a line", "[\n \"a",
	"!2:4 unexpected end of input; get the rest of the JSON value that "
	"begins in line 1"},
    {"a number cut short", "[\n]\n-",
	"J1<[\n]\n>!3:2 unexpected end of input; get the rest of the JSON "
	"value that begins in line 3"},
    {"a bad document", "[\n]\n\n [\n1 2]\n", "J1<[\n]\n>B3<\n>!5:3"},
    {"a bad document on the line of a good one", "[\n] 1 ]\n",
	"J1<[\n] >J2<1 >!2:5"},
    {"a raw line feed in a string", "[\n\"a\n\"]", "!2:3"},
    {"a word that continues", "[\n]\ntrue1\n", "J1<[\n]\n>!3:5"},
};

static const struct framing lenient[] = {
    {"lenient: bad lines", "1\n{]\n\n2 2\n[\n3\n",
	"J1<1\n>X2!2:2<{]\n>B3<\n>X4!4:3<2 2\n>X5!5:2<[\n>J6<3\n>"},
    {"lenient: a bad first line leaves the framing open", "x\n[\n]\n{}\n",
	"X1!1:1<x\n>J2<[\n]\n>J4<{}\n>"},
    {"lenient: documents after lines", "1\nx\n[\n]\n",
	"J1<1\n>X2!2:1<x\n>J3<[\n]\n>"},
    {"lenient: after a torn line all are lines", "1\n[\n{\n[\n]\n2\n",
	"J1<1\n>X2!2:2<[\n>X3!3:2<{\n>X4!4:2<[\n>X5!5:1<]\n>J6<2\n>"},
    {"lenient: a last line cut short", "1\n[", "J1<1\n>X2!2:2<[>"},
    {"lenient: the rest after a bad document", "[\n]\n[\n}\n1\n",
	"J1<[\n]\n>X3!4:1<[\n}\n1\n>"},
    {"lenient: a document cut short", "[\n1", "X1!1:2<[\n>J2<1>"},
    {"lenient: a first line cut short",
	"{\"a\":1,\n{\"b\":2}\n{\n}\n{\"c\":3}\n",
	"X1!1:8<{\"a\":1,\n>J2<{\"b\":2}\n>X3!3:2<{\n>X4!4:1<}\n>"
	"J5<{\"c\":3}\n>"},
    {"lenient: two first lines cut short", "{\"a\":\n{\"b\":\n{\"c\":3}\n{}\n",
	"X1!1:6<{\"a\":\n>X2!2:6<{\"b\":\n>J3<{\"c\":3}\n>J4<{}\n>"},
    {"lenient: half a mark", "\xef\xbb\n1", "X1!1:1<\xef\xbb\n>J2<1>"},
};

static int
as_wanted(const struct ctx_buf *list, const char *want)
{
	size_t n = strlen(want);

	if (list->n > n && list->p[n] == ' ' && strchr(want, '!') != NULL)
		return memcmp(list->p, want, n) == 0;
	return same(list, want, n);
}

/* Reads a text whole, divided in two at every offset, and byte by byte. */
static void
framing_case(const struct framing *framing, bool is_lenient)
{
	const char *in = framing->in, *want = framing->out;
	size_t n = strlen(in), split;
	struct outcome out;

	tap_case(framing->name);
	for (split = 0; split <= n; split++) {
		struct feed feed = {.p = in,
		    .n = n,
		    .split = split,
		    .chunk = split == n};

		memset(&out, 0, sizeof out);
		read_fed(feed, is_lenient, &out);
		CHECK(as_wanted(&out.list, want));
		CHECK(out.bytes.n <= n &&
		    memcmp(out.bytes.p == NULL ? in : out.bytes.p, in,
			out.bytes.n) == 0);
		if (tap_case_failed) {
			show("want", want, strlen(want));
			show("got ", out.list.p, out.list.n);
			split = n;
		}
		outcome_release(&out);
	}
}

static void
framing(void)
{
	size_t i;

	for (i = 0; i < sizeof strict / sizeof strict[0]; i++)
		framing_case(&strict[i], false);
	for (i = 0; i < sizeof lenient / sizeof lenient[0]; i++)
		framing_case(&lenient[i], true);
}

/* Reads a text in memory, and checks that its records are as expected. */
static void
check_text(const struct framing *framing, bool is_lenient)
{
	const struct ctx_str text = {framing->in, strlen(framing->in)};
	struct outcome out = {0};
	struct ctx_reader *reader;
	struct ctx_err err;

	NEED(ctx_reader_open_text(&reader, "name", text, &err) == 0);
	read_open(reader, is_lenient, &out);
	CHECK(as_wanted(&out.list, framing->out));
	if (tap_case_failed)
		show(framing->name, out.list.p, out.list.n);
	outcome_release(&out);
}

static void
text_in_memory(void)
{
	const struct ctx_str text = {"[1]\n]\n", 6};
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;
	size_t i;

	tap_case("a text in memory gives the same records as a file");
	for (i = 0; i < sizeof strict / sizeof strict[0]; i++)
		check_text(&strict[i], false);
	for (i = 0; i < sizeof lenient / sizeof lenient[0]; i++)
		check_text(&lenient[i], true);
	tap_case("records and errors of a text in memory have its name");
	NEED(ctx_reader_open_text(&reader, "name", text, &err) == 0);
	NEED(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(strcmp(record.file, "name") == 0);
	NEED(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(strcmp(err.file, "name") == 0 && err.line == 2);
	ctx_reader_close(reader);
}

static void
nul_bytes(void)
{
	static const char in[] = "1\n\"a\0\"\n\0\n2\n\n";
	struct feed feed = {.p = in, .n = sizeof in - 1, .chunk = 1};
	static const char want[] =
	    "J1<1\n>X2!2:3<\"a\0\"\n>X3!3:1<\0\n>J4<2\n>B5<\n>";
	struct outcome out = {0};

	tap_case("a NUL byte is an error, and the records after it are read");
	read_fed(feed, true, &out);
	CHECK(same(&out.bytes, in, sizeof in - 1));
	CHECK(same(&out.list, want, sizeof want - 1));
	outcome_release(&out);
}

/* Makes lines of JSON tokens that are sometimes valid. */
static size_t
random_text(unsigned long long *state, char *p)
{
	static const char *const tokens[] = {"{", "}", "[", "]", "\"", "\"a\"",
	    "\"a\":1", ",", "1", "-", "true", "\\", " ", "\n", "\n", "\r\n",
	    "{}", "[]\n", "{\n}", "\t", "\xc3", "\xa4", "\xef\xbb\xbf", "[\n"};
	size_t count = (size_t)(tap_random(state) % 24), n = 0, i;
	const char *token;

	for (i = 0; i < count; i++) {
		token = tokens[tap_random(state) %
		    (sizeof tokens / sizeof tokens[0])];
		memcpy(p + n, token, strlen(token));
		n += strlen(token);
	}
	return n;
}

static void
any_bytes(void)
{
	unsigned long long state = 20260401;
	char in[24 * 5];
	int round, pass;

	tap_case("random text in random pieces gives the same records and all "
		 "bytes");
	for (round = 0; round < 1000 && !tap_case_failed; round++) {
		size_t n = random_text(&state, in);

		for (pass = 0; pass < 2; pass++) {
			struct feed whole = {.p = in, .n = n, .split = n};
			struct feed parts = {.p = in,
			    .n = n,
			    .random = tap_random(&state) | 1};
			struct outcome a = {0}, b = {0};

			read_fed(whole, pass, &a);
			read_fed(parts, pass, &b);
			CHECK(same(&a.list, b.list.p, b.list.n));
			CHECK(!pass || same(&a.bytes, in, n));
			if (tap_case_failed) {
				show("in   ", in, n);
				show("whole", a.list.p, a.list.n);
				show("parts", b.list.p, b.list.n);
			}
			outcome_release(&a);
			outcome_release(&b);
		}
	}
}

/* ---- files ------------------------------------------------------------- */

static char dir[] = "/tmp/ctx-reader-XXXXXX";

static char *
make_file(const char *name, const char *text)
{
	size_t n = sizeof dir + strlen(name) + 1;
	char *path = malloc(n);
	FILE *f;

	NEED(path != NULL);
	snprintf(path, n, "%s/%s", dir, name);
	f = fopen(path, "wb");
	NEED(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
	return path;
}

static void
remove_files(char **files, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		remove(files[i]);
		free(files[i]);
	}
}

static void
several_files(void)
{
	struct outcome out = {0};
	char *files[] = {make_file("a", "{}\r\n1"), make_file("b", ""),
	    make_file("c", "\xef\xbb\xbf"), make_file("d", "[\n]"),
	    make_file("e", "\n  "), make_file("f", "2")};
	const char *want = "J1<{}\r\n>J2<1\n>J1<[\n]\n>"
			   "B1<\n>B2<  \n>J1<2>";

	tap_case("several files are one stream, with whole lines and a framing "
		 "for each");
	read_all(files, 6, false, &out);
	CHECK(same(&out.list, want, strlen(want)));
	remove_files(files, 6);
	outcome_release(&out);
}

static void
stdin_among_files(void)
{
	struct outcome out = {0};
	char *a = make_file("a", "1"), *b = make_file("b", "3\n");
	char *files[] = {a, (char *)(intptr_t) "-", b};
	struct feed feed = {.p = "\xef\xbb\xbf"
				 "2",
	    .n = 4,
	    .chunk = 3};
	const char *want = "J1<1\n>J1<2\n>J1<3\n>";

	tap_case("- among files is standard input");
	feed_start(&feed);
	read_all(files, 3, false, &out);
	feed_stop(&feed);
	CHECK(same(&out.list, want, strlen(want)));
	remove_files(&a, 1);
	remove_files(&b, 1);
	outcome_release(&out);
}

static void
files_that_fail(void)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;
	char *files[] = {make_file("a", "1\n"), make_file("none", ""),
	    make_file("bad", "\n]\n2\n"), make_file("b", "2\n")};
	char *all[] = {files[0], files[1], dir, files[2], files[3]};

	tap_case(
	    "an unreadable file is named, and the files after it are read");
	remove(files[1]);
	NEED(ctx_reader_open(&reader, all, 5, &err) == 0);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.file == files[0] && record.line == 1);
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_ESYS && err.sys == ENOENT && err.line == 0);
	CHECK(err.file == files[1]);
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_ESYS && err.sys == EISDIR && err.file == dir);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.kind == CTX_RECORD_BLANK && record.file == files[2]);
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_EINPUT && err.file == files[2]);
	CHECK(err.line == 2 && err.column == 1);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.file == files[3]);
	CHECK(ctx_reader_next(reader, &record, &err) == 0);
	CHECK(ctx_reader_next(reader, &record, &err) == 0);
	ctx_reader_close(reader);
	ctx_reader_close(NULL);
	remove_files(files, 4);
}

/* Tests keeping of records of 3 MiB between short records.  Each is kept until
 * all were read. */
static void
keeping(void)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_buf text = {0};
	struct ctx_err err;
	char *file, *kept[7];
	size_t i, n[7], at = 0;
	FILE *f;
	bool good = true;

	tap_case("a kept record is unchanged while later ones are read");
	for (i = 0; i < 7; i++) {
		n[i] = text.n;
		NEED(ctx_buf_printf(&text, &err, "[%zu,\"%*s\"]\n", i,
			 i % 3 == 1 ? 3 << 20 : 3, "x") == 0);
		n[i] = text.n - n[i];
	}
	file = make_file("long", "");
	NEED((f = fopen(file, "w")) != NULL);
	NEED(fwrite(text.p, 1, text.n, f) == text.n && fclose(f) == 0);
	NEED(ctx_reader_open(&reader, &file, 1, &err) == 0);
	for (i = 0; i < 7; i++) {
		NEED(ctx_reader_next(reader, &record, &err) == 1);
		kept[i] = ctx_reader_keep(reader, &record, &err);
		NEED(kept[i] != NULL);
		CHECK(record.text.n == n[i] && record.line == i + 1);
		/* A long record is not copied.  The kept record can still be
		 * read. */
		CHECK((kept[i] == record.text.p) == (i % 3 == 1));
		good = good && ctx_json_str(record.json, 2).n == n[i] - 5 &&
		    memcmp(record.text.p, text.p + at, n[i]) == 0;
		at += n[i];
	}
	CHECK(ctx_reader_next(reader, &record, &err) == 0);
	for (i = at = 0; i < 7; at += n[i++]) {
		good = good && memcmp(kept[i], text.p + at, n[i]) == 0;
		free(kept[i]);
	}
	CHECK(good);
	ctx_reader_close(reader);
	ctx_buf_release(&text);
	remove_files(&file, 1);
}

/* Tests a line without a line feed at the end of a file, when the bytes after
 * it fill the buffer: the line feed that is inserted before the next file must
 * have space. */
static void
keeping_ahead_of_a_file(void)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_buf text = {0};
	struct ctx_err err;
	char *files[2], *kept;
	size_t i, rest;
	FILE *f;

	tap_case("a record may be kept at the end of a file with an incomplete "
		 "record");
	files[0] = make_file("torn", "");
	files[1] = make_file("whole", "{}\n");
	for (rest = 256 << 10; rest <= 1 << 20; rest *= 2) {
		text.n = 0;
		NEED(ctx_buf_printf(&text, &err, "{}\n[%*s", 2 << 20, "1,\n") ==
		    0);
		for (i = 0; i < rest / 2; i++)
			NEED(ctx_buf_add(&text, "1,", 2, &err) == 0);
		NEED((f = fopen(files[0], "w")) != NULL);
		NEED(fwrite(text.p, 1, text.n, f) == text.n && fclose(f) == 0);
		NEED(ctx_reader_open(&reader, files, 2, &err) == 0);
		ctx_reader_set_lenient(reader, true);
		for (i = 0; i < 2; i++)
			NEED(ctx_reader_next(reader, &record, &err) == 1);
		kept = ctx_reader_keep(reader, &record, &err);
		NEED(kept != NULL);
		free(kept);
		NEED(ctx_reader_next(reader, &record, &err) == 1);
		CHECK(record.kind == CTX_RECORD_BAD &&
		    record.text.n == rest + 1 && record.text.p[rest] == '\n');
		NEED(ctx_reader_next(reader, &record, &err) == 1);
		CHECK(record.kind == CTX_RECORD_JSON);
		CHECK(ctx_reader_next(reader, &record, &err) == 0);
		ctx_reader_close(reader);
	}
	ctx_buf_release(&text);
	remove_files(files, 2);
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	NEED(mkdtemp(dir) != NULL);
	framing();
	text_in_memory();
	nul_bytes();
	any_bytes();
	several_files();
	stdin_among_files();
	files_that_fail();
	keeping();
	keeping_ahead_of_a_file();
	NEED(rmdir(dir) == 0);
	return tap_done();
}
