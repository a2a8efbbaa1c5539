/*
 * terms.c - the words of a text, as a search engine sees them
 *
 * Letters and digits make words; what stands in a path or an identifier is
 * taken whole and in its pieces; scripts without spaces give pairs of
 * characters.  Words are lower-cased and lose the endings that English
 * inflects with (the first step of Porter's "An algorithm for suffix
 * stripping", 1980, and a few of its later suffixes), which is most of what
 * a full stemmer gives to a search and needs no library.
 */
#include <string.h>

#include "plan/terms.h"

enum { LONGEST = 64 }; /* bytes of a word; longer ones are cut */

enum class { OTHER, WORD, JOINT, IDEOGRAPH };

static enum class
class_of(uint32_t cp)
{
	if ((cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
	    (cp >= 'a' && cp <= 'z'))
		return WORD;
	if (cp == '_' || cp == '/' || cp == '.' || cp == '-')
		return JOINT;
	if ((cp >= 0x3040 && cp <= 0x30ff) || (cp >= 0x3400 && cp <= 0x9fff) ||
	    (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0x20000 && cp <= 0x3ffff))
		return IDEOGRAPH;
	if (cp < 0xc0 || cp == 0xd7 || cp == 0xf7 ||
	    (cp >= 0x2000 && cp <= 0x303f) || (cp >= 0xfe00 && cp <= 0xfe6f) ||
	    (cp >= 0xff00 && cp <= 0xff0f) || cp >= 0x1f000)
		return OTHER;
	return WORD;
}

/* Simple case folding of the Latin, Greek and Cyrillic alphabets. */
static uint32_t
fold(uint32_t cp)
{
	if ((cp >= 'A' && cp <= 'Z') || (cp >= 0xc0 && cp <= 0xde && cp != 0xd7) ||
	    (cp >= 0x391 && cp <= 0x3a9) || (cp >= 0x410 && cp <= 0x42f))
		return cp + 0x20;
	if (cp >= 0x400 && cp <= 0x40f)
		return cp + 0x50;
	if (cp >= 0x100 && cp <= 0x17f && cp != 0x130 && cp != 0x131)
		return cp | 1;
	return cp;
}

static bool
ends(const char *word, size_t n, const char *suffix)
{
	size_t m = strlen(suffix);

	return n > m && memcmp(word + n - m, suffix, m) == 0;
}

static bool
has_vowel(const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strchr("aeiouy", word[i]) != NULL)
			return true;
	return false;
}

/* hopping -> hop, making -> mak(e); what -ed and -ing leave behind. */
static size_t
mend(char *word, size_t n)
{
	if (n > 3 && word[n - 1] == word[n - 2] &&
	    strchr("lsz", word[n - 1]) == NULL)
		return n - 1;
	return n;
}

/* Takes off the endings of an English word, in place; returns its length. */
static size_t
stem(char *word, size_t n)
{
	static const char *const suffixes[] = {"ational", "ization", "fulness",
	    "ousness", "iveness", "ation", "ness", "ment", "able", "ible",
	    "ance", "ence", "ful", "ity", "ly", "er", "or"};
	size_t i, m;

	if (n < 4)
		return n;
	if (ends(word, n, "sses"))
		n -= 2;
	else if (ends(word, n, "ies"))
		word[(n -= 2) - 1] = 'i';
	else if (ends(word, n, "s") && !ends(word, n, "ss") &&
	    !ends(word, n, "us"))
		n--;
	if (ends(word, n, "ing") && n > 5 && has_vowel(word, n - 3))
		n = mend(word, n - 3);
	else if (ends(word, n, "ed") && n > 4 && has_vowel(word, n - 2))
		n = mend(word, n - 2);
	for (i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		m = strlen(suffixes[i]);
		if (n >= m + 4 && ends(word, n, suffixes[i])) {
			n -= m;
			break;
		}
	}
	if (n > 3 && word[n - 1] == 'e')
		n--;
	if (n > 3 && word[n - 1] == 'y')
		word[n - 1] = 'i';
	return n;
}

/* A word that says nothing about what a text is about. */
static bool
is_common(const char *word, size_t n)
{
	static const char words[] =
	    " a about after all also am an and any are as at be because been "
	    "but by can could did do does for from get had has have he her "
	    "hers him his how i if in into is it its just let like me my no "
	    "not of on one or our out she so some than that the their them "
	    "then there these they this to too up us was we were what when "
	    "where which who why will with would yes you your ";
	char padded[LONGEST + 3];

	if (n > 8)
		return false;
	padded[0] = ' ';
	memcpy(padded + 1, word, n);
	padded[n + 1] = ' ';
	padded[n + 2] = '\0';
	return strstr(words, padded) != NULL;
}

static int
give(const struct ctx_terms *terms, char *word, size_t n, struct ctx_err *err)
{
	bool ascii = true;
	size_t i;

	if (n == 0 || is_common(word, n))
		return 0;
	for (i = 0; i < n; i++)
		ascii &= word[i] >= 'a' && word[i] <= 'z';
	if (ascii)
		n = stem(word, n);
	return terms->take(terms->user, word, n, err);
}

/* The word being read, and the name around it. */
struct reading {
	char word[LONGEST], name[LONGEST];
	size_t n, name_n;
	size_t pieces; /* words in the name so far */
	uint32_t last; /* the ideograph before, or 0 */
};

static int
end_word(const struct ctx_terms *terms, struct reading *r, bool name_ends,
    struct ctx_err *err)
{
	r->pieces += r->n > 0;
	if (give(terms, r->word, r->n, err) < 0)
		return -1;
	r->n = 0;
	if (!name_ends)
		return 0;
	while (r->name_n > 0 && strchr("./-", r->name[r->name_n - 1]) != NULL)
		r->name_n--;
	if (r->pieces > 1 && r->name_n > 0 &&
	    terms->take(terms->user, r->name, r->name_n, err) < 0)
		return -1;
	r->name_n = r->pieces = 0;
	return 0;
}

static void
append(char *word, size_t *n, uint32_t cp)
{
	if (*n + 4 <= LONGEST)
		*n += ctx_utf8_put(word + *n, cp);
}

static int
take_ideograph(const struct ctx_terms *terms, struct reading *r, uint32_t cp,
    struct ctx_err *err)
{
	char pair[8];
	size_t n;

	if (end_word(terms, r, true, err) < 0)
		return -1;
	if (r->last != 0) {
		n = ctx_utf8_put(pair, r->last);
		n += ctx_utf8_put(pair + n, cp);
		if (terms->take(terms->user, pair, n, err) < 0)
			return -1;
	}
	r->last = cp;
	return 0;
}

int
ctx_terms_of(const struct ctx_terms *terms, const char *p, size_t n,
    struct ctx_err *err)
{
	struct reading r = {0};
	uint32_t cp, before = 0;
	size_t len;

	for (; n > 0; p += len, n -= len, before = cp) {
		enum class class;

		len = ctx_utf8_next(p, n, &cp);
		class = class_of(cp);
		if (class == IDEOGRAPH) {
			if (take_ideograph(terms, &r, cp, err) < 0)
				return -1;
			continue;
		}
		r.last = 0;
		/* Camel case parts a word as a joint does. */
		if (class != WORD ||
		    (cp >= 'A' && cp <= 'Z' && before >= 'a' && before <= 'z'))
			if (end_word(terms, &r, class == OTHER, err) < 0)
				return -1;
		if (class == OTHER)
			continue;
		if (class == WORD)
			append(r.word, &r.n, fold(cp));
		append(r.name, &r.name_n, fold(cp));
	}
	return end_word(terms, &r, true, err);
}
