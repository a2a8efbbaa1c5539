/*
 * summary_sentences.c - divides texts into sentences, and says what each is for
 * the built-in summary
 *
 * Sentences that tell a reader nothing are left out: announcements, praise,
 * rows of tables, headings, and text that a program has put into a message of
 * the user.
 */
#define _GNU_SOURCE /* memmem, in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Lengths in bytes.  MOST_BYTES: of the longest sentence in a summary;
 * LEAST_BYTES: of the shortest one; LEAST_ANSWER: of the shortest sentence of
 * the assistant that says nothing of a result; MOST_ASSENT: of the longest
 * sentence by which the user only agrees; MOST_INTRODUCTION: of the longest
 * sentence by which the user only introduces what follows.  LONGEST_WORD:
 * longer words are not searched for in a text. */
enum {
	MOST_BYTES = 400,
	LEAST_BYTES = 12,
	LEAST_ANSWER = 30,
	MOST_ASSENT = 24,
	MOST_INTRODUCTION = 60,
	LONGEST_WORD = 16,
};

/* ---- classes of lines ---- */

static char
to_lower_ascii(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns true if the text contains one of several words, in small or capital
 * letters.  words: the list of these words in small letters, which ends with
 * NULL; each has at most LONGEST_WORD bytes. */
static bool
contains_any(struct ctx_str text, const char *const *words)
{
	char lower[4096];
	size_t at, n, i;

	/* The text is searched in pieces.  Two neighbouring pieces overlap, so
	 * that each word is completely in one of them. */
	for (at = 0; at < text.n; at += sizeof lower - LONGEST_WORD) {
		n = text.n - at < sizeof lower ? text.n - at : sizeof lower;
		for (i = 0; i < n; i++)
			lower[i] = to_lower_ascii(text.p[at + i]);
		for (i = 0; words[i] != NULL; i++)
			if (memmem(lower, n, words[i], strlen(words[i])) !=
			    NULL)
				return true;
	}
	return false;
}

/* Returns the length of the beginning of a text that equals a phrase, in which
 * an apostrophe also stands for a typographic one; 0 if they differ. */
static size_t
match_phrase(struct ctx_str text, const char *phrase)
{
	static const char apostrophe[] = "\xe2\x80\x99"; /* U+2019 */
	size_t n = 0;

	for (; *phrase != '\0'; phrase++) {
		if (*phrase == '\'' && n + 3 <= text.n &&
		    memcmp(text.p + n, apostrophe, 3) == 0)
			n += 3;
		else if (n < text.n && text.p[n] == *phrase)
			n++;
		else
			return 0;
	}
	return n;
}

/* Returns the length of the first of several phrases with which a text begins;
 * 0 if it begins with none. */
static size_t
match_any(struct ctx_str text, const char *const *phrases)
{
	size_t n = 0;

	for (; n == 0 && *phrases != NULL; phrases++)
		n = match_phrase(text, *phrases);
	return n;
}

static enum line_class
classify_prose(enum ctx_summary_kind kind, struct ctx_str text)
{
	static const char *const tasks[] = {"must", "n't", "n\xe2\x80\x99t",
	    "do not", "never", "always", "please", "should", "only", "need",
	    "want", "like to", "make sure", "without", "instead", "constraint",
	    "prefer", "at most", "at least", "no more", "not ", "keep ",
	    "except", NULL};
	static const char *const open[] = {"still open",
	    "open:", "todo:", "to do:", "remaining:", "remains to",
	    "left to do", "next step", NULL};
	static const char *const decisions[] = {"decid", "chose", "because",
	    "instead of", "cause", "fixed", "found", "changed", "renamed",
	    "created", "added", "removed", "done", "works", "pass", "turns out",
	    "will use", "conclu", "agreed", NULL};

	if (kind == CTX_SUMMARY_USER)
		return contains_any(text, tasks) ? TASK : REQUEST;
	if (contains_any(text, open))
		return OPEN_POINT;
	return contains_any(text, decisions) ? DECISION : REST;
}

/* Returns true for a sentence with which an assistant announces, praises,
 * thanks or apologizes. */
static bool
is_announcement(struct ctx_str text)
{
	static const char *const starts[] = {"First, ", "First ", "Next, ",
	    "Next ", "Now, ", "Now ", "Then ", "Finally, ", "So ", NULL};
	static const char *const signs[] = {"Let me", "let me", "Let's",
	    "let's", "I'll ", "I will ", "I'm going to", "I am going to",
	    "I need to ", "Sure", "Great", "Perfect", "Excellent", "Okay",
	    "OK,", "Good", "Thank", "Sorry", "I apologize", "I see", "You're",
	    "Of course", "Certainly", "Here's", "Here is", NULL};
	static const char *const am[] = {"I'm now ", "I'm ", NULL};
	size_t n = match_any(text, starts);

	text.p += n;
	text.n -= n;
	if (match_any(text, signs) > 0)
		return true;
	/* "I'm checking the tests" */
	n = match_any(text, am);
	if (n == 0)
		return false;
	while (n < text.n && text.p[n] != ' ')
		n++;
	return memcmp(text.p + n - 3, "ing", 3) == 0;
}

/* Returns true for a sentence with which the user only agrees, as in "Good, go
 * ahead." */
static bool
is_assent(struct ctx_str text)
{
	static const char *const signs[] = {"Good", "good", "Great", "great",
	    "Ok", "ok", "OK", "Yes", "yes", "Sure", "sure", "Thank", "thank",
	    "Perfect", "Go ahead", "go ahead", "Go on", "Continue", "continue",
	    "Nice", "Cool", "Hmm", NULL};

	return text.n < MOST_ASSENT && match_any(text, signs) > 0 &&
	    memchr(text.p, '?', text.n) == NULL;
}

/* Returns true for a line that only introduces what follows it. */
static bool
is_introduction(struct ctx_str text)
{
	while (text.n > 0 && strchr("*_ ", text.p[text.n - 1]) != NULL)
		text.n--;
	return text.n > 0 && text.p[text.n - 1] == ':';
}

/* Returns true for a line of a text's layout: a row of a table, or only a tag,
 * such as "<instructions>". */
static bool
is_layout(struct ctx_str text)
{
	return text.p[0] == '|' ||
	    (text.p[0] == '<' && text.p[text.n - 1] == '>' &&
		memchr(text.p, ' ', text.n) == NULL);
}

enum line_class
ctx_summary_classify(enum ctx_summary_kind kind, struct ctx_str text)
{
	enum line_class class;
	size_t n = ctx_summary_line_limit(text);

	if (n < LEAST_BYTES || is_layout(text))
		return CLASSES;
	switch (kind) {
	case CTX_SUMMARY_EARLIER:
		return TASK;
	case CTX_SUMMARY_RESULT:
		return TROUBLE;
	case CTX_SUMMARY_USER:
		return is_assent(text) ||
			(text.n < MOST_INTRODUCTION && is_introduction(text))
		    ? CLASSES
		    : classify_prose(kind, text);
	case CTX_SUMMARY_ASSISTANT:
		class = n < text.n || text.p[0] == '#' ||
			is_introduction(text) || is_announcement(text)
		    ? CLASSES
		    : classify_prose(kind, text);
		return class == REST && n < LEAST_ANSWER ? CLASSES : class;
	default:
		return CLASSES;
	}
}

bool
ctx_summary_is_constraint(struct ctx_str text)
{
	return ctx_summary_classify(CTX_SUMMARY_USER, text) == TASK;
}

/* ---- text in a message of the user that the user did not write ---- */

size_t
ctx_summary_find_context(struct ctx_str text, size_t *from)
{
	static const char *const tags[] = {"INSTRUCTIONS", "command-args",
	    "command-message", "command-name", "environment_context",
	    "environment_details", "ide_opened_file", "ide_selection",
	    "local-command-stdout", "permissions instructions", "skill",
	    "system-reminder", "turn_aborted", "user_instructions", NULL};
	const char *at = text.p, *name, *close, *end = text.p + text.n;
	size_t i, n;

	for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++) {
		name = at + 1;
		for (i = 0; tags[i] != NULL; i++) {
			n = strlen(tags[i]);
			if ((size_t)(end - name) <= n || name[n] != '>' ||
			    memcmp(name, tags[i], n) != 0)
				continue;
			*from = (size_t)(at - text.p);
			/* The end of the tag may have been truncated. */
			for (close = name; (close = memchr(close, '<',
						(size_t)(end - close))) != NULL;
			     close++)
				if ((size_t)(end - close) > n + 2 &&
				    close[1] == '/' &&
				    memcmp(close + 2, name, n + 1) == 0)
					return (size_t)(close + n + 3 - at);
			return text.n - *from;
		}
	}
	*from = text.n;
	return 0;
}

/* ---- texts to lines ---- */

static bool
is_space_char(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Returns true if byte i of a text is a mark that ends a sentence.  A full stop
 * does not end one before a small letter, or after a single letter, as in
 * "d. h.". */
static bool
ends_sentence(struct ctx_str text, size_t i)
{
	const char *p = text.p + i;

	if (i + 2 >= text.n || !is_space_char(p[1]) ||
	    i <= (is_capital(p[2]) ? 10 : 20))
		return false;
	if (*p == '.')
		return (p[2] < 'a' || p[2] > 'z') && !is_space_char(p[-2]) &&
		    p[-2] != '.' && p[-2] != '(';
	return *p == '?' || *p == '!';
}

/* Returns the length in bytes of the first sentence of a text, at least 1.  A
 * line feed also ends a sentence.  Marks in parentheses do not. */
static size_t
find_sentence_end(struct ctx_str text)
{
	static const char full_stop[] = "\xe3\x80\x82"; /* U+3002 */
	size_t i, open = 0;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			return i + 1;
		open += text.p[i] == '(';
		open -= text.p[i] == ')' && open > 0;
		if (open == 0 && ends_sentence(text, i))
			return i + 1;
		if (text.p[i] == full_stop[0] && i + 3 <= text.n &&
		    memcmp(text.p + i, full_stop, 3) == 0)
			return i + 3;
	}
	return text.n;
}

struct ctx_str
ctx_summary_next_sentence(struct ctx_str *text)
{
	struct ctx_str sentence = {text->p, find_sentence_end(*text)};

	text->p += sentence.n;
	text->n -= sentence.n;
	return ctx_str_trim(sentence);
}

size_t
ctx_summary_line_limit(struct ctx_str text)
{
	size_t n = MOST_BYTES;

	if (text.n <= MOST_BYTES)
		return text.n;
	while (n > MOST_BYTES / 2 && !is_space_char(text.p[n]))
		n--;
	if (n == MOST_BYTES / 2)
		for (n = MOST_BYTES; n > 0 && (text.p[n] & 0xc0) == 0x80; n--)
			continue;
	return n;
}
