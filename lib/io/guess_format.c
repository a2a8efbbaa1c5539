/* guess_format.c - says what a file is that is not JSON, and which command
 * makes of it what can be read */
#include <string.h>

#include "io/input_buffer.h"

static bool
begins(const char *p, size_t n, const char *with)
{
	size_t length = strlen(with);

	return n >= length && memcmp(p, with, length) == 0;
}

const char *
ctx_name_encoding(const char *p, size_t n)
{
	static const struct {
		const char *first;
		const char *text;
	} encodings[] = {
	    {"\xff\xfe",
		"UTF-16; iconv -f UTF-16 -t UTF-8 makes of it what can be "
		"read"},
	    {"\xfe\xff",
		"UTF-16; iconv -f UTF-16 -t UTF-8 makes of it what can be "
		"read"},
	    {"\x1f\x8b", "gzip; gzip -dc makes of it what can be read"},
	    {"\x28\xb5\x2f\xfd", "zstd; zstd -dc makes of it what can be read"},
	    {"\3757zXZ", "xz; xz -dc makes of it what can be read"},
	    {"BZh", "bzip2; bzip2 -dc makes of it what can be read"},
	};
	size_t i;

	for (i = 0; i < sizeof encodings / sizeof encodings[0]; i++)
		if (begins(p, n, encodings[i].first))
			return encodings[i].text;
	return NULL;
}

/* Returns true if the line begins with a word and a colon, as a mapping in YAML
 * does. */
static bool
begins_with_key(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n &&
	    ((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') ||
		p[i] == '_'))
		i++;
	return i > 0 && i + 1 < n && p[i] == ':' &&
	    memchr(" \r\n", p[i + 1], 3) != NULL;
}

const char *
ctx_guess_format(const char *p, size_t n)
{
	if (begins(p, n, "{'") || begins(p, n, "[{'"))
		return "this looks like Python's repr; json.dumps writes JSON";
	if (memchr(p, '"', n) != NULL)
		return NULL;
	if (begins(p, n, "---") || begins(p, n, "- ") || begins_with_key(p, n))
		return "this looks like YAML; yq -o json -I 0 makes JSON of it";
	if (n > 0 &&
	    ((p[0] >= 'a' && p[0] <= 'z') || (p[0] >= 'A' && p[0] <= 'Z') ||
		p[0] == '#'))
		return "this looks like plain text; ctx-count --text counts it";
	return NULL;
}
