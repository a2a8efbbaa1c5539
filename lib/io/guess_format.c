/* guess_format.c - recognises the format of a file that is not JSON by its
 * first bytes, and says what the user can do with such a file */
#include <string.h>

#include "io/input_buffer.h"

static bool
begins_with(const char *p, size_t n, struct ctx_str with)
{
	return n >= with.n && memcmp(p, with.p, with.n) == 0;
}

static bool
is_letter(char c)
{
	return ctx_is_letter(c) || c == '_';
}

/* Returns a text for the error message if the bytes are UTF-16 without a byte
 * order mark: one of the first two bytes of a text in ASCII is zero, and so is
 * one of the next two.  Otherwise returns NULL. */
static const char *
name_wide_encoding(const char *p, size_t n)
{
	if (n < 4)
		return NULL;
	if (p[0] != 0 && p[1] == 0 && p[2] != 0 && p[3] == 0)
		return "the input is UTF-16; convert it with: iconv -f "
		       "UTF-16LE -t UTF-8";
	if (p[0] == 0 && p[1] != 0 && p[2] == 0 && p[3] != 0)
		return "the input is UTF-16; convert it with: iconv -f "
		       "UTF-16BE -t UTF-8";
	return NULL;
}

const char *
ctx_name_encoding(const char *p, size_t n)
{
	/* UTF-32 must be tested before UTF-16, because a UTF-32 file also
	 * begins with the first two bytes of UTF-16. */
	static const struct {
		struct ctx_str first;
		const char *text;
	} encodings[] = {
	    {{"\xff\xfe\0\0", 4},
		"the input is UTF-32; convert it with: iconv -f UTF-32 -t "
		"UTF-8"},
	    {{"\xff\xfe", 2},
		"the input is UTF-16; convert it with: iconv -f UTF-16 -t "
		"UTF-8"},
	    {{"\xfe\xff", 2},
		"the input is UTF-16; convert it with: iconv -f UTF-16 -t "
		"UTF-8"},
	    {{"\x1f\x8b", 2},
		"the input is compressed by gzip; decompress it with: gzip "
		"-dc"},
	    {{"\x28\xb5\x2f\xfd", 4},
		"the input is compressed by zstd; decompress it with: zstd "
		"-dc"},
	    {{"\3757zXZ", 5},
		"the input is compressed by xz; decompress it with: xz -dc"},
	    {{"SQLite format 3", 16},
		"the input is an SQLite database; print a table as JSON with: "
		"sqlite3 -json"},
	    {{"PK\3\4", 4},
		"the input is a zip archive; print a file in it with: unzip "
		"-p"},
	    {{"%PDF-", 5},
		"the input is a PDF document; print its text with: pdftotext"},
	    {{"\x89PNG", 4}, "the input is a PNG image; name a conversation"},
	    {{"\xff\xd8\xff", 3},
		"the input is a JPEG image; name a conversation"},
	    {{"PAR1", 4},
		"the input is a Parquet file; print it as JSON with: duckdb "
		"-jsonlines"},
	};

	for (size_t i = 0; i < CTX_LENGTH(encodings); i++)
		if (begins_with(p, n, encodings[i].first))
			return encodings[i].text;
	/* A plain text may also begin with the letters "BZh".  So the digit
	 * that comes next in a bzip2 file is also tested. */
	if (begins_with(p, n, (struct ctx_str){"BZh", 3}) && n > 3 &&
	    p[3] >= '1' && p[3] <= '9')
		return "the input is compressed by bzip2; decompress it with: "
		       "bzip2 -dc";
	if (n >= 262 && memcmp(p + 257, "ustar", 5) == 0)
		return "the input is a tar archive; print a file in it with: "
		       "tar -xOf";
	return name_wide_encoding(p, n);
}

/* Returns true if the key of a line such as "key: value" is one of the words in
 * a list, which are separated by blanks. */
static bool
has_key(const char *p, size_t n, const char *words)
{
	size_t length = 0;

	while (length < n && is_letter(p[length]))
		length++;
	if (length == 0 || length == n || p[length] != ':')
		return false;
	for (; *words != '\0'; words += strcspn(words, " ") + 1)
		if (strcspn(words, " ") == length &&
		    memcmp(words, p, length) == 0)
			return true;
	return false;
}

/* Returns true if the line consists of a word and a colon, such as
 * "messages:". */
static bool
ends_with_key(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && is_letter(p[i]))
		i++;
	if (i == 0 || i == n || p[i] != ':')
		return false;
	for (i++; i < n; i++)
		if (memchr(" \t\r\n", p[i], 4) == NULL)
			return false;
	return true;
}

/* Returns true if the first line of a file looks like YAML.  Many plain texts
 * begin with a word and a colon, or with a dash.  So a line "key: value" looks
 * like YAML only if its key is usual in messages or requests, such as role.
 * The lines "key:" and "---" always look like YAML. */
static bool
is_yaml(const char *p, size_t n)
{
	if (n >= 3 && memcmp(p, "---", 3) == 0)
		return n == 3 || memchr("\r\n", p[3], 2) != NULL;
	if (n > 2 && p[0] == '-' && p[1] == ' ') {
		p += 2;
		n -= 2;
	}
	return ends_with_key(p, n) ||
	    has_key(p, n, "role content messages model system ");
}

/* Returns true if the line consists of at least two words, separated by commas
 * or tabs, like the names of the columns of a table. */
static bool
is_csv(const char *p, size_t n)
{
	size_t commas = 0;

	for (size_t i = 0; i < n && memchr("\r\n", p[i], 2) == NULL; i++)
		if (p[i] == ',' || p[i] == '\t')
			commas++;
		else if (!is_letter(p[i]))
			return false;
	return commas > 0;
}

const char *
ctx_guess_format(const char *p, size_t n)
{
	if (begins_with(p, n, (struct ctx_str){"{'", 2}) ||
	    begins_with(p, n, (struct ctx_str){"[{'", 3}))
		return "this looks like Python's repr; write it with "
		       "json.dumps";
	if (n > 0 && p[0] == '<')
		return "this looks like XML or HTML; convert it to JSON";
	if (has_key(p, n, "event data id "))
		return "this looks like server-sent events; take the JSON out "
		       "of them with: sed -n 's/^data: *{/{/p'";
	if (n > 1 && p[0] == '/' && (p[1] == '/' || p[1] == '*'))
		return "JSON has no comments; remove them";
	if (memchr(p, '"', n) != NULL)
		return NULL;
	if (is_yaml(p, n))
		return "this looks like YAML; convert it with: yq -o json -I 0";
	if (is_csv(p, n))
		return "this looks like CSV; convert it with: mlr --c2l cat "
		       "(for tabs: mlr --t2l cat)";
	if (n > 0 && (is_letter(p[0]) || p[0] == '#' || p[0] == '-'))
		return "this looks like plain text, which ctx-count --text and "
		       "ctx-truncate --text read";
	return NULL;
}
