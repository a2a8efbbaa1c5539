/*
 * terms.c - divides a text into terms (words), as a search engine does
 *
 * A word consists of letters and digits.  A path or identifier gives several
 * terms: each of its parts, and the path or identifier as a whole.  In scripts
 * without spaces, each pair of neighbouring characters is a term.
 *
 * Words are changed to small letters.  Irregular English forms are replaced by
 * their base form, and English endings are removed (step 1 of Porter, "An
 * algorithm for suffix stripping", 1980).  Only the first five letters of the
 * result are used.  This is about as good for search as a stemmer for the
 * language, and also works for languages without rules here (Can and others,
 * "Information retrieval on Turkish texts", JASIST 59, 2008).  In dialogues it
 * found more than Snowball's English stemmer, because adopt, adopting and
 * adoption become one term.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/words.h"

enum {
	/* number of bytes of a word that are used; the rest of the word is
	 * ignored */
	LONGEST = 64,
	/* Number of letters that are used of a word without digits.  The rest
	 * of the word is ignored. */
	TELLING = 5,
};

enum class { OTHER, WORD, JOINT, IDEOGRAPH };

static enum class classify_char(uint32_t cp) {
	if ((cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
	    (cp >= 'a' && cp <= 'z')) return WORD;
	if (cp == '_' || cp == '/' || cp == '.' || cp == '-') return JOINT;
	if ((cp >= 0x3040 && cp <= 0x30ff) || (cp >= 0x3400 && cp <= 0x9fff) ||
	    (cp >= 0xf900 && cp <= 0xfaff) ||
	    (cp >= 0x20000 && cp <= 0x3ffff)) return IDEOGRAPH;
	if (cp < 0xc0 || cp == 0xd7 || cp == 0xf7 ||
	    (cp >= 0x2000 && cp <= 0x303f) || (cp >= 0xfe00 && cp <= 0xfe6f) ||
	    (cp >= 0xff00 && cp <= 0xff0f) || cp >= 0x1f000) return OTHER;
	return WORD;
}

/* Returns the small letter for a capital letter of the Latin, Greek and
 * Cyrillic alphabets.  Returns any other character unchanged. */
static uint32_t
fold_case(uint32_t cp)
{
	if ((cp >= 'A' && cp <= 'Z') ||
	    (cp >= 0xc0 && cp <= 0xde && cp != 0xd7) ||
	    (cp >= 0x391 && cp <= 0x3a9) || (cp >= 0x410 && cp <= 0x42f))
		return cp + 0x20;
	if (cp >= 0x400 && cp <= 0x40f)
		return cp + 0x50;
	if (cp >= 0x100 && cp <= 0x17f && cp != 0x130 && cp != 0x131)
		return cp | 1;
	return cp;
}

/* English words that say nothing about the subject of a text; sorted.  The list
 * contains parts of "don't" and "she's", because an apostrophe ends a word. */
/* clang-format off */
static const char common[][8] = {
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are",
    "as", "at", "be", "because", "been", "but", "by", "can", "could", "d",
    "did", "didn", "do", "does", "doesn", "don", "for", "from", "get",
    "got", "gotten", "had", "has", "have", "he", "her", "hers", "him",
    "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "just",
    "let", "like", "ll", "m", "me", "my", "no", "not", "of", "on", "one",
    "or", "our", "out", "re", "s", "she", "so", "some", "t", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "to",
    "too", "up", "us", "ve", "was", "wasn", "we", "were", "what", "when",
    "where", "which", "who", "why", "will", "with", "would", "yes", "you",
    "your",
};
/* clang-format on */

/* The most frequent irregular forms of English words, each with its base form;
 * sorted. */
/* clang-format off */
static const struct irregular {
	char form[11], word[11];
} irregular[] = {
    {"ate", "eat"}, {"began", "begin"}, {"begun", "begin"},
    {"bitten", "bite"}, {"blew", "blow"}, {"blown", "blow"},
    {"bought", "buy"}, {"broke", "break"}, {"broken", "break"},
    {"brought", "bring"}, {"built", "build"}, {"came", "come"},
    {"caught", "catch"}, {"children", "child"}, {"chose", "choose"},
    {"chosen", "choose"}, {"drank", "drink"}, {"drawn", "draw"},
    {"drew", "draw"}, {"driven", "drive"}, {"drove", "drive"},
    {"drunk", "drink"}, {"eaten", "eat"}, {"fallen", "fall"},
    {"fed", "feed"}, {"feet", "foot"}, {"fell", "fall"}, {"felt", "feel"},
    {"flew", "fly"}, {"flown", "fly"}, {"forgot", "forget"},
    {"forgotten", "forget"}, {"fought", "fight"}, {"found", "find"},
    {"froze", "freeze"}, {"frozen", "freeze"}, {"gave", "give"},
    {"given", "give"}, {"gone", "go"}, {"grew", "grow"}, {"grown", "grow"},
    {"heard", "hear"}, {"held", "hold"}, {"hid", "hide"},
    {"hidden", "hide"}, {"hung", "hang"}, {"kept", "keep"},
    {"knew", "know"}, {"known", "know"}, {"led", "lead"}, {"left", "leave"},
    {"lent", "lend"}, {"lives", "life"}, {"lost", "lose"}, {"made", "make"},
    {"meant", "mean"}, {"men", "man"}, {"met", "meet"}, {"mice", "mouse"},
    {"paid", "pay"}, {"people", "person"}, {"ran", "run"}, {"rang", "ring"},
    {"ridden", "ride"}, {"risen", "rise"}, {"rode", "ride"},
    {"rose", "rise"}, {"rung", "ring"}, {"said", "say"}, {"sang", "sing"},
    {"sank", "sink"}, {"sat", "sit"}, {"saw", "see"}, {"seen", "see"},
    {"sent", "send"}, {"shaken", "shake"}, {"shook", "shake"},
    {"shot", "shoot"}, {"slept", "sleep"}, {"sold", "sell"},
    {"spent", "spend"}, {"spoke", "speak"}, {"spoken", "speak"},
    {"stole", "steal"}, {"stolen", "steal"}, {"stood", "stand"},
    {"stuck", "stick"}, {"sung", "sing"}, {"sunk", "sink"},
    {"swam", "swim"}, {"swum", "swim"}, {"taken", "take"},
    {"taught", "teach"}, {"teeth", "tooth"}, {"thought", "think"},
    {"threw", "throw"}, {"thrown", "throw"}, {"told", "tell"},
    {"took", "take"}, {"understood", "understand"}, {"went", "go"},
    {"wives", "wife"}, {"woke", "wake"}, {"woken", "wake"},
    {"women", "woman"}, {"won", "win"}, {"wore", "wear"}, {"worn", "wear"},
    {"written", "write"}, {"wrote", "write"},
};
/* clang-format on */

static int
compare_form(const void *word, const void *row)
{
	return strcmp(word, row);
}

/* Returns the row of a sorted table that begins with this word, or NULL if no
 * row does. */
static const void *
find_row(const char *word, size_t n, const void *table, size_t rows,
    size_t size)
{
	char key[LONGEST + 1];

	memcpy(key, word, n);
	key[n] = '\0';
	return bsearch(key, table, rows, size, compare_form);
}

static bool
has_suffix(const char *word, size_t n, const char *suffix)
{
	size_t m = strlen(suffix);

	return n > m && memcmp(word + n - m, suffix, m) == 0;
}

static bool
has_vowel(const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("aeiouy", word[i]) != NULL)
			return true;
	return false;
}

/* Removes the ending of an English plural or of the third person of a verb.
 * Changes the word, and returns its new length in bytes. */
static size_t
remove_plural(char *word, size_t n)
{
	if (has_suffix(word, n, "ies") && n > 4) {
		n -= 2;
		word[n - 1] = 'y';
	} else if (has_suffix(word, n, "sses") || has_suffix(word, n, "xes") ||
	    has_suffix(word, n, "ches") || has_suffix(word, n, "shes")) {
		n -= 2;
	} else if (has_suffix(word, n, "s") && !has_suffix(word, n, "ss") &&
	    !has_suffix(word, n, "us") && !has_suffix(word, n, "is")) {
		n--;
	}
	return n;
}

/* Returns the length in bytes of a word without -ing or -ed.  Of a doubled
 * letter before the ending, one is removed (hopping: hop), except l, s and z
 * (falling: fall). */
static size_t
remove_participle(const char *word, size_t n)
{
	if (has_suffix(word, n, "ing") && n > 5 && has_vowel(word, n - 3))
		n -= 3;
	else if (has_suffix(word, n, "ed") && n > 4 && has_vowel(word, n - 2))
		n -= 2;
	else
		return n;
	if (n > 3 && word[n - 1] == word[n - 2] &&
	    strchr("lsz", word[n - 1]) == NULL)
		n--;
	return n;
}

/* Removes English endings from a word.  Changes the word, and returns its new
 * length in bytes. */
static size_t
stem_word(char *word, size_t n)
{
	if (n < 4)
		return n;
	n = remove_plural(word, n);
	n = remove_participle(word, n);
	if (n > 3 && word[n - 1] == 'e')
		n--;
	if (n > 2 && word[n - 1] == 'y')
		word[n - 1] = 'i';
	return n;
}

/* Returns the length in bytes of the first characters of a word, or of the
 * whole word if it has fewer characters. characters: number of these first
 * characters. */
static size_t
find_head(const char *word, size_t n, size_t characters)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((word[i] & 0xc0) != 0x80 && characters-- == 0)
			break;
	return i;
}

static int
emit_term(const struct ctx_words *terms, char *word, size_t n,
    struct ctx_err *err)
{
	const struct irregular *form;
	bool letters = true, ascii = true;

	if (n == 0 ||
	    find_row(word, n, common, sizeof common / sizeof common[0],
		sizeof common[0]) != NULL)
		return 0;
	for (size_t i = 0; i < n; i++) {
		letters &= word[i] < '0' || word[i] > '9';
		ascii &= word[i] >= 'a' && word[i] <= 'z';
	}
	form = find_row(word, n, irregular,
	    sizeof irregular / sizeof irregular[0], sizeof irregular[0]);
	if (form != NULL) {
		n = strlen(form->word);
		memcpy(word, form->word, n);
	}
	if (ascii)
		n = stem_word(word, n);
	if (letters)
		n = find_head(word, n, TELLING);
	return terms->take(terms->user, word, n, err);
}

/* The word that is being read, with the path or identifier that contains it. */
struct reading {
	char word[LONGEST], name[LONGEST];
	size_t n, name_n;
	/* number of words of the path or identifier that were read so far */
	size_t n_words;
	/* the ideograph that was read last; 0 if there is none */
	uint32_t last;
};

static int
end_word(const struct ctx_words *terms, struct reading *r, bool name_ends,
    struct ctx_err *err)
{
	r->n_words += r->n > 0;
	if (emit_term(terms, r->word, r->n, err) < 0)
		return -1;
	r->n = 0;
	if (!name_ends)
		return 0;
	while (r->name_n > 0 && strchr("./-", r->name[r->name_n - 1]) != NULL)
		r->name_n--;
	if (r->n_words > 1 && r->name_n > 0 &&
	    terms->take(terms->user, r->name, r->name_n, err) < 0)
		return -1;
	r->name_n = r->n_words = 0;
	return 0;
}

static void
append_char(char *word, size_t *n, uint32_t cp)
{
	if (*n + 4 <= LONGEST)
		*n += ctx_utf8_put(word + *n, cp);
}

static int
take_ideograph(const struct ctx_words *terms, struct reading *r, uint32_t cp,
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
ctx_terms_of(const struct ctx_words *terms, const char *p, size_t n,
    struct ctx_err *err)
{
	struct reading r = {0};
	uint32_t cp, before = 0;
	size_t len;

	for (; n > 0; p += len, n -= len, before = cp) {
		enum class class;

		len = ctx_utf8_next(p, n, &cp);
		class = classify_char(cp);
		if (class == IDEOGRAPH) {
			if (take_ideograph(terms, &r, cp, err) < 0)
				return -1;
			continue;
		}
		r.last = 0;
		/* A capital letter after a small letter begins a new word, as
		 * in camelCase. */
		if (class != WORD ||
		    (cp >= 'A' && cp <= 'Z' && before >= 'a' && before <= 'z'))
			if (end_word(terms, &r, class == OTHER, err) < 0)
				return -1;
		if (class == OTHER)
			continue;
		if (class == WORD)
			append_char(r.word, &r.n, fold_case(cp));
		append_char(r.name, &r.name_n, fold_case(cp));
	}
	return end_word(terms, &r, true, err);
}
