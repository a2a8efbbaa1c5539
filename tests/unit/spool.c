/* spool.c - tests stored tool results and their file names */
#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "tap.h"

static char root[] = "/tmp/ctx-spool-XXXXXX";

static void
names(void)
{
	static const struct {
		/* NULL: the name is refused */
		const char *format, *tool, *want;
	} cases[] = {
	    {"{tool}-{sha256}.md", "read_file",
		"read_file-e3b0c44298fc1c149afbf4c8996fb924.md"},
	    {"{tool}-{sha256}.md", "",
		"tool-e3b0c44298fc1c149afbf4c8996fb924.md"},
	    {"{tool}-{sha256}.md", "../a b",
		"___a_b-e3b0c44298fc1c149afbf4c8996fb924.md"},
	    {"{tool}-{sha256}", "-x", "_x-e3b0c44298fc1c149afbf4c8996fb924"},
	    {"{sha256}", "x", "e3b0c44298fc1c149afbf4c8996fb924"},
	    {"{tool}.md", "x", NULL},
	    {"{sha256}{tool}", "x", NULL},
	    {"{sha256}.a.b", "x", NULL},
	    {"x/{sha256}", "x", NULL},
	    {".{sha256}", "x", NULL},
	    {"-{sha256}", "x", NULL},
	    {"{tool}{tool}{tool}{sha256}",
		"0123456789012345678901234567890123"
		"456789012345678901234567890123456789",
		NULL},
	};
	char digits[CTX_SPOOL_DIGITS];
	struct ctx_buf out = {0};
	struct ctx_err err;
	size_t i;

	tap_case("names are safe, short, and end in the digits");
	ctx_spool_hash_chunks(digits, NULL, 0);
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ctx_str tool = {cases[i].tool, strlen(cases[i].tool)};
		int rc =
		    ctx_spool_name(&out, cases[i].format, tool, digits, &err);

		if (cases[i].want == NULL) {
			CHECK(rc == -1 && err.code == CTX_EARG);
			continue;
		}
		CHECK(rc == 0 && strcmp(out.p, cases[i].want) == 0);
		CHECK(out.n == strlen(cases[i].want) + 1);
	}
	ctx_buf_release(&out);
}

static int
count_files(void *user, const char *name, struct ctx_err *err)
{
	(void)err;
	*(unsigned *)user += name[0] != '.' || name[1] == 't';
	return 0;
}

/* Stores a text in two parts, with an empty part between them. */
static int
put(struct ctx_spool *spool, const char *name, const char *p, size_t n,
    struct ctx_err *err)
{
	struct ctx_str pieces[3] = {{p, n / 2}, {p, 0}, {p + n / 2, n - n / 2}};

	return ctx_spool_put(spool, name, pieces, 3, err);
}

static void *
remove_second_name(void *arg)
{
	(void)arg;
	ctx_pause(50000);
	NEED(unlink("a/b/second") == 0);
	return NULL;
}

static void
files(void)
{
	struct ctx_spool spool;
	struct ctx_buf out = {0};
	struct ctx_err err;
	static const char *const others[] = {"abc", "a", "", "abcd"};
	char digits[CTX_SPOOL_DIGITS], same[CTX_SPOOL_DIGITS];
	const struct ctx_str halves[] = {{"a", 1}, {"", 0}, {"bc", 2}};
	const struct ctx_str all = {"abc", 3};
	unsigned n = 0;
	const struct ctx_str stored = {"a\0b", 3};
	struct ctx_spool_sum sum;
	struct stat st;
	pthread_t other;
	size_t i;

	tap_case("a file is stored once, whole, and read back");
	NEED(chdir(root) == 0);
	CHECK(ctx_spool_open(&spool, "a/b", false, &err) == -1);
	CHECK(err.code == CTX_ESYS);
	NEED(ctx_spool_open(&spool, "a/b", true, &err) == 0);
	CHECK(stat("a", &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(ctx_spool_get(&spool, "x", 100, &out, &err) == 0);
	CHECK(put(&spool, "x", "a\0b", 3, &err) == 0);
	CHECK(spool.dirty && ctx_spool_sync(&spool, &err) == 0);
	CHECK(!spool.dirty && ctx_spool_sync(&spool, &err) == 0);
	CHECK(put(&spool, "x", "a\0b", 3, &err) == 0);
	CHECK(put(&spool, "empty", "", 0, &err) == 0);
	CHECK(ctx_spool_get(&spool, "x", 100, &out, &err) == 1);
	CHECK(out.n == 3 && memcmp(out.p, "a\0b", 3) == 0);
	CHECK(stat("a/b/x", &st) == 0 && (st.st_mode & 07777) == 0600);
	CHECK(st.st_nlink == 1);
	tap_case("other contents under a name are refused, and the file is "
		 "unchanged");
	for (i = 0; i < sizeof others / sizeof others[0]; i++) {
		CHECK(
		    put(&spool, "x", others[i], strlen(others[i]), &err) == -1);
		CHECK(err.code == CTX_EFILE);
	}
	CHECK(
	    ctx_spool_get(&spool, "x", 100, &out, &err) == 1 && out.p[1] == 0);
	tap_case("a hash over pieces equals the hash over the whole");
	ctx_spool_hash_chunks(digits, halves, 3);
	ctx_spool_hash_chunks(same, &all, 1);
	CHECK(memcmp(digits, same, sizeof digits) == 0);
	tap_case(
	    "a read stops at the expected size, unless the sum is asked for");
	CHECK(ctx_spool_get(&spool, "x", 3, &out, &err) == 1);
	CHECK(ctx_spool_get(&spool, "x", 2, &out, &err) == -1);
	CHECK(err.code == CTX_EFILE);
	NEED(truncate("a/b/x", 50000000) == 0);
	ctx_buf_release(&out);
	CHECK(ctx_spool_get(&spool, "x", 1000, &out, &err) == -1);
	CHECK(err.code == CTX_EFILE && out.cap < 200000);
	NEED(truncate("a/b/x", 3) == 0);
	ctx_spool_hash_chunks(digits, &stored, 1);
	CHECK(ctx_spool_sum(&spool, "x", 3, &sum, &err) == 1);
	CHECK(memcmp(digits, sum.digits, sizeof digits) == 0);
	CHECK(sum.bytes == 3 && sum.chars == 3);
	CHECK(ctx_spool_sum(&spool, "x", 2, &sum, &err) == -1);
	CHECK(err.code == CTX_EFILE);
	CHECK(ctx_spool_sum(&spool, "none", 3, &sum, &err) == 0);
	tap_case(
	    "a file that another process is storing has two names at first");
	NEED(link("a/b/x", "a/b/second") == 0);
	NEED(pthread_create(&other, NULL, remove_second_name, NULL) == 0);
	CHECK(put(&spool, "x", "a\0b", 3, &err) == 0);
	NEED(pthread_join(other, NULL) == 0);
	tap_case("links are not followed, and no temporary file is left");
	NEED(symlink("/etc/passwd", "a/b/l") == 0);
	CHECK(ctx_spool_get(&spool, "l", 100, &out, &err) == -1);
	CHECK(put(&spool, "l", "abc", 3, &err) == -1);
	CHECK(ctx_spool_each(&spool, &n, count_files, &err) == 0 && n == 3);
	ctx_spool_close(&spool);
	NEED(unlink("a/b/l") == 0 && unlink("a/b/x") == 0 &&
	    unlink("a/b/empty") == 0 && rmdir("a/b") == 0 && rmdir("a") == 0);
	ctx_buf_release(&out);
}

static void
directories(void)
{
	struct ctx_spool spool, other;
	struct ctx_err err;
	char path[100];

	tap_case("the path above the last directories is found");
	CHECK(ctx_spool_above("a/b/c", 0) == 5);
	CHECK(ctx_spool_above("a/b//c//", 1) == 3);
	CHECK(ctx_spool_above("a/b//c//", 2) == 1);
	CHECK(ctx_spool_above("a/b//c//", 3) == 0);
	CHECK(ctx_spool_above("a", 9) == 0 && ctx_spool_above("/a/b", 9) == 1);
	tap_case("directories that were made for an unused spool are removed");
	NEED(mkdir("kept", 0700) == 0);
	NEED(ctx_spool_open(&spool, "kept/a//b/", true, &err) == 0);
	CHECK(spool.made == 2);
	NEED(ctx_spool_open(&other, "kept/a/b", true, &err) == 0);
	CHECK(other.made == 0);
	ctx_spool_close(&spool);
	CHECK(access("kept/a/b", F_OK) == 0);
	ctx_spool_close(&other);
	NEED(rmdir("kept/a/b") == 0);
	NEED(ctx_spool_open(&spool, "kept/a/b", true, &err) == 0);
	CHECK(spool.made == 1);
	ctx_spool_close(&spool);
	CHECK(access("kept/a/b", F_OK) < 0 && access("kept/a", F_OK) == 0);
	NEED(rmdir("kept/a") == 0 && rmdir("kept") == 0);
	tap_case("a spool that others can write to, or a link, is refused");
	NEED(mkdir("open", 0700) == 0 && chmod("open", 0777) == 0);
	CHECK(ctx_spool_open(&spool, "open", true, &err) == -1);
	CHECK(err.code == CTX_EFILE && strstr(err.text, "by others") != NULL);
	NEED(chmod("open", 01777) == 0);
	CHECK(ctx_spool_open(&spool, "open///", true, &err) == 0);
	ctx_spool_close(&spool);
	NEED(symlink("open", "link") == 0);
	CHECK(ctx_spool_open(&spool, "link", true, &err) == -1);
	CHECK(err.code == CTX_EFILE && strstr(err.text, "symbolic") != NULL);
	CHECK(ctx_spool_open(&spool, "link/x", true, &err) == -1);
	CHECK(err.code == CTX_EFILE);
	/* In an absolute path only the last component must not be a link. */
	(void)snprintf(path, sizeof path, "%s/link", root);
	CHECK(ctx_spool_open(&spool, path, true, &err) == -1);
	CHECK(err.code == CTX_EFILE && strstr(err.text, "symbolic") != NULL);
	(void)snprintf(path, sizeof path, "%s/link/x", root);
	CHECK(ctx_spool_open(&spool, path, true, &err) == 0);
	ctx_spool_close(&spool);
	CHECK(ctx_spool_open(&spool, "", true, &err) == -1);
	CHECK(ctx_spool_open(&spool, "a\nb", true, &err) == -1);
	CHECK(err.code == CTX_EARG);
	NEED(unlink("link") == 0 && rmdir("open") == 0);
}

static void
references(void)
{
#define NAME "t-a55c40ebc15dc3d71c7e8e8a14588682.md"
	static const char *const none[] = {"", "text", "]", "[]",
	    "[12 characters in dir]", "[x characters in dir/name]",
	    "[012 characters in dir/" NAME "]", "[12 characters in " NAME "]",
	    "[18446744073709551616 characters in dir/" NAME "]",
	    "[12 characters in dir/" NAME "] ",
	    "[12 characters in dir/" NAME "]\n",
	    " [12 characters in dir/" NAME "]"};
	static const char one[] = "[12 characters in dir/" NAME "]";
	static const char media[] = "[12 bytes in dir/"
				    "t-a55c40ebc15dc3d71c7e8e8a14588682.png]";
	static const char lines[] = "a\n[1 bytes in d/" NAME "]";
	static const char top[] = "[12 characters in //" NAME "]";
	static const char *const same[] = {"dir", "dir/", "././dir//"};
	static const char *const others[] = {"di", "dirs", "/dir", ".", "./"};
	struct ctx_reference ref;
	struct ctx_buf text = {0};
	struct ctx_err err;
	size_t i;

	tap_case("texts that are almost references are not");
	for (i = 0; i < sizeof none / sizeof none[0]; i++)
		CHECK(!ctx_reference_find(none[i], strlen(none[i]), &ref));
	CHECK(ctx_reference_find(one, strlen(one), &ref) && ref.chars == 12);
	CHECK(!ctx_reference_media(one, strlen(one), &ref));

	tap_case("a reference to media counts bytes and is a line of its own");
	CHECK(ctx_reference_media(media, strlen(media), &ref) &&
	    ref.chars == 12 && ref.path.n == strlen(media) - 14);
	CHECK(!ctx_reference_find(media, strlen(media), &ref));
	CHECK(!ctx_reference_media(lines, strlen(lines), &ref));
	CHECK(ctx_reference_media(lines + 2, strlen(lines) - 2, &ref));

	tap_case("at most 4,000 characters are before a reference");
	for (i = 0; i < CTX_AGE_HEAD + 1; i++)
		NEED(ctx_buf_add(&text, "\u00fc", 2, &err) == 0);
	NEED(ctx_reference_add(&text, "./dir//", NAME, CTX_REFERENCE_MIDDLE,
		 5000, &err) == 0);
	CHECK(ctx_reference_find(text.p + 2, text.n - 2, &ref));
	CHECK(ref.chars == 5000 && ref.at == 2 * (size_t)CTX_AGE_HEAD);
	CHECK(!ctx_reference_find(text.p, text.n, &ref));
	ctx_buf_release(&text);

	tap_case("a reference leads into a spool, however the path is written");
	NEED(ctx_reference_find(one, strlen(one), &ref));
	for (i = 0; i < CTX_LENGTH(same); i++)
		CHECK(ctx_reference_into(&ref, same[i]));
	for (i = 0; i < CTX_LENGTH(others); i++)
		CHECK(!ctx_reference_into(&ref, others[i]));
	NEED(ctx_reference_find(top, strlen(top), &ref));
	CHECK(ctx_reference_into(&ref, "/"));
}

int
main(void)
{
	names();
	references();
	NEED(mkdtemp(root) != NULL);
	files();
	directories();
	NEED(chdir("/") == 0 && rmdir(root) == 0);
	return tap_done();
}
