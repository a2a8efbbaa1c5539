/* line_ids.c - tests the table of the ids in a session file */
#include "tap.h"
#include "transcript/line_ids.h"

/* Converts a string literal to a struct ctx_str. */
static struct ctx_str
str_of(const char *text)
{
	return (struct ctx_str){text, strlen(text)};
}

static uint32_t
number_of(struct ctx_line_ids *ids, const char *text)
{
	struct ctx_err err;
	uint32_t number = 0;

	NEED(ctx_line_ids_add(ids, str_of(text), &number, &err) == 0);
	return number;
}

/* Ids of every form, and ids that differ from them in one byte. */
static const char *const texts[] = {"\"\"", "\"a\"", "\"a\\u0000\"",
    "\"12345678\"", "\"12345678901234\"", "\"12345678901235\"",
    "\"123456789012345\"", "\"msg_01XFDUDYJgAACzvnptvVoYEL\"",
    "\"msg_01XFDUDYJgAACzvnptvVoYEM\"",
    "\"0db5a939-8fa2-4c70-a8fe-52f8668d3355\"",
    "\"0db5a939-8fa2-4c70-a8fe-52f8668d3356\"",
    "\"0DB5A939-8fa2-4c70-a8fe-52f8668d3355\"",
    "\"0db5a939-8fa2-4c70-a8fe-52f8668d335g\"",
    "\"0db5a939-8fa2-4c70-a8fe_52f8668d3355\"",
    "\"0db5a9398-fa2-4c70-a8fe-52f8668d3355\"",
    "\"00000000-0000-0000-0000-000000000000\"",
    "\"------------------------------------\""};

enum { TEXTS = sizeof texts / sizeof texts[0] };

static void
check_forms(bool hashes)
{
	struct ctx_line_ids ids = {.hashes = hashes};
	char scratch[CTX_UUID_LITERAL];
	uint32_t i;

	for (i = 0; i < TEXTS; i++)
		CHECK(number_of(&ids, texts[i]) == i + 1);
	for (i = 0; i < TEXTS; i++) {
		struct ctx_str want = str_of(texts[i]), text;

		CHECK(number_of(&ids, texts[i]) == i + 1);
		if (hashes)
			continue;
		text = ctx_line_ids_text(&ids, i + 1, scratch);
		CHECK(text.n == want.n && memcmp(text.p, want.p, want.n) == 0);
	}
	ctx_line_ids_release(&ids);
	CHECK(ids.n == 0 && ids.hashes == hashes);
	CHECK(number_of(&ids, texts[0]) == 1);
	ctx_line_ids_release(&ids);
}

/* Writes id i in one of three forms. */
static void
make_id(char *text, unsigned i)
{
	if (i % 3 == 0)
		(void)sprintf(text, "\"%08x\"", i);
	else if (i % 3 == 1)
		(void)sprintf(text, "\"%08x-e90b-4a76-a285-a8c6b73c30c8\"", i);
	else
		(void)sprintf(text, "\"message number %u\"", i);
}

static void
check_many(void)
{
	enum { MANY = 300000 };
	struct ctx_line_ids ids = {0};
	char text[64], scratch[CTX_UUID_LITERAL];
	struct ctx_str found;
	unsigned i, pass;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < MANY && !tap_case_failed; i++) {
			make_id(text, i);
			CHECK(number_of(&ids, text) == i + 1);
		}
	for (i = 0; i < MANY && !tap_case_failed; i++) {
		make_id(text, i);
		found = ctx_line_ids_text(&ids, i + 1, scratch);
		CHECK(found.n == strlen(text) &&
		    memcmp(found.p, text, found.n) == 0);
	}
	CHECK(ids.n == MANY);
	ctx_line_ids_release(&ids);
}

static void
check_values(void)
{
	struct ctx_values values = {0};
	struct ctx_err err;

	NEED(ctx_values_set(&values, 1000000, 0, &err) == 0);
	CHECK(values.list == NULL);
	NEED(ctx_values_set(&values, 5, 7, &err) == 0);
	NEED(ctx_values_set(&values, 100, 9, &err) == 0);
	CHECK(ctx_values_at(&values, 4) == 0);
	CHECK(ctx_values_at(&values, 5) == 7);
	CHECK(ctx_values_at(&values, 50) == 0);
	CHECK(ctx_values_at(&values, 100) == 9);
	CHECK(ctx_values_at(&values, 101) == 0);
	ctx_values_clear(&values, 6);
	CHECK(ctx_values_at(&values, 5) == 7);
	CHECK(ctx_values_at(&values, 100) == 0);
	ctx_values_clear(&values, 1000);
	ctx_values_release(&values);
	CHECK(values.list == NULL && values.n == 0);
}

int
main(void)
{
	tap_case("ids of every form have their own numbers and their text");
	check_forms(false);
	tap_case("ids that are hashed have their own numbers");
	check_forms(true);
	tap_case("300,000 ids have their own numbers and their text");
	check_many();
	tap_case("an array of values has zeros where none was set");
	check_values();
	return tap_done();
}
