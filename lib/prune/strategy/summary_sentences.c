/*
 * summary_sentences.c - divides texts into sentences and classifies them, for
 * the built-in summary
 *
 * Sentences without information are not used: announcements, praise, rows of
 * tables, headings.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Lengths in bytes.  MOST_BYTES: of the longest sentence in a summary.
 * LEAST_BYTES: of the shortest sentence in a summary.  LEAST_USER: of the
 * shortest sentence of the user, such as "1. One-way".  LEAST_ANSWER: of the
 * shortest sentence of the assistant that does not mention a result.
 * LEAST_ROW: of the shortest row of a table that the assistant wrote.
 * MOST_ASSENT: of the longest sentence that is treated as mere agreement of the
 * user.  MOST_INTRODUCTION: of the longest sentence that is treated as a mere
 * introduction to the next one.  LONGEST_WORD: of the longest word that
 * contains_any can find. */
enum {
	MOST_BYTES = 400,
	LEAST_BYTES = 12,
	LEAST_USER = 5,
	LEAST_ANSWER = 30,
	LEAST_ROW = 30,
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

/* Returns true if the text contains one of the given words, in capital or small
 * letters. words: the words in small letters, each of at most LONGEST_WORD
 * bytes; NULL ends the list. */
static bool
contains_any(struct ctx_str text, const char *const *words)
{
	char lower[4096];
	size_t n;

	/* Search the text in pieces.  Consecutive pieces overlap, so that each
	 * word is completely in at least one piece. */
	for (size_t at = 0; at < text.n; at += sizeof lower - LONGEST_WORD) {
		n = text.n - at < sizeof lower ? text.n - at : sizeof lower;
		for (size_t i = 0; i < n; i++)
			lower[i] = to_lower_ascii(text.p[at + i]);
		for (size_t i = 0; words[i] != NULL; i++)
			if (memmem(lower, n, words[i], strlen(words[i])) !=
			    NULL)
				return true;
	}
	return false;
}

/* If the text begins with the phrase, returns the length of this beginning in
 * bytes, otherwise 0.  A typographic apostrophe in the text counts as an
 * apostrophe. */
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

/* Finds the first of the given phrases with which the text begins.  Returns the
 * length of this phrase in the text in bytes, or 0 if the text begins with no
 * phrase. */
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
	    "except", "decid", "choose", "chose ", "agreed", "go with",
	    "going with", "ll use", "let's use", "let\xe2\x80\x99s use", NULL};
	static const char *const open[] = {"still open",
	    "open:", "todo:", "to do:", "remaining:", "remains to",
	    "left to do", "next step", NULL};
	static const char *const decisions[] = {"decid", "chose", "because",
	    "instead of", "cause", "fixed", "found", "changed", "renamed",
	    "created", "added", "removed", "done", "works", "pass", "turns out",
	    "will use", "conclu", "agreed", "user answered", NULL};

	if (kind == CTX_SUMMARY_USER)
		return contains_any(text, tasks) ? TASK : REQUEST;
	if (contains_any(text, open))
		return OPEN_POINT;
	return contains_any(text, decisions) ? DECISION : REST;
}

/* Returns true for a sentence in which an assistant announces what it will do,
 * praises, thanks or apologizes. */
static bool
is_announcement(struct ctx_str text)
{
	static const char *const starts[] = {"First, ", "First ", "Next, ",
	    "Next ", "Now, ", "Now ", "Then ", "Finally, ", "So ", NULL};
	static const char *const praise[] = {"Sure", "Great", "Perfect",
	    "Excellent", "Okay", "OK,", "Good news", "Good", NULL};
	static const char *const signs[] = {"Let me", "let me", "Let's",
	    "let's", "I'll ", "I will ", "I'm going to", "I am going to",
	    "I need to ", "I can ", "Thank", "Sorry", "I apologize", "I see",
	    "You're", "Of course", "Certainly", "Here's", "Here is",
	    "If you have any", "If you need", "Feel free", "Please let me know",
	    "Please feel free", NULL};
	static const char *const am[] = {"I'm now ", "I'm ", NULL};
	size_t n = match_any(text, starts);

	text.p += n;
	text.n -= n;
	n = match_any(text, praise);
	if (n > 0) {
		if (text.n - n < LEAST_ANSWER)
			return true;
		while (!ctx_summary_is_word_char(text.p[n]) && n + 1 < text.n)
			n++;
		text.p += n;
		text.n -= n;
		n = match_any(text, starts);
		text.p += n;
		text.n -= n;
	}
	if (match_any(text, signs) > 0)
		return true;
	/* a sentence such as "I'm checking the tests" */
	n = match_any(text, am);
	if (n == 0)
		return false;
	while (n < text.n && text.p[n] != ' ')
		n++;
	return memcmp(text.p + n - 3, "ing", 3) == 0;
}

bool
ctx_summary_agrees(struct ctx_str text)
{
	static const char *const signs[] = {"Good", "good", "Great", "great",
	    "Ok", "ok", "OK", "Yes", "yes", "Yeah", "yeah", "Sure", "sure",
	    "Perfect", "Go ahead", "go ahead", "Go on", "Continue", "continue",
	    "Confirm", "confirm", "I confirm", "Correct", "That's correct",
	    "That is correct", "Please proceed", "Proceed", NULL};

	return match_any(text, signs) > 0 &&
	    memchr(text.p, '?', text.n) == NULL;
}

/* Returns true for a sentence in which the user only agrees or thanks, such as
 * "Good, go ahead." */
static bool
is_assent(struct ctx_str text)
{
	static const char *const signs[] = {"Thank", "thank", "Nice", "Cool",
	    "Hmm", NULL};

	return text.n < MOST_ASSENT && memchr(text.p, '?', text.n) == NULL &&
	    (ctx_summary_agrees(text) || match_any(text, signs) > 0);
}

size_t
ctx_summary_find_colon(struct ctx_str text)
{
	while (text.n > 0 && strchr("*_ ", text.p[text.n - 1]) != NULL)
		text.n--;
	return text.n > 0 && text.p[text.n - 1] == ':' ? text.n - 1 : 0;
}

bool
ctx_summary_announces(struct ctx_str text)
{
	static const char bold[] = "**";
	const size_t n = sizeof bold - 1;

	return ctx_summary_find_colon(text) > 0 ||
	    (text.n > 2 * n && ctx_str_begins(text, bold) &&
		memmem(text.p + n, text.n - n, bold, n) == text.p + text.n - n);
}

/* Returns true for a line that says nothing itself: a piece of JSON, such as a
 * member of an object; a single tag, such as "<instructions>"; a horizontal
 * rule; or a fixed sentence that Codex or Claude Code inserts. */
static bool
is_layout(struct ctx_str text)
{
	static const char *const starts[] = {"[{", "{\"", "\"}", "\"]", "\", ",
	    "diff --git ", "--- a/", "+++ b/", "# AGENTS.md instructions for ",
	    "If you need specific details from before exiting plan mode",
	    "agentId: ", CTX_NO_ANSWER, NULL};
	static const char rule[] = "\xe2\x94\x80\xe2\x94\x80"; /* U+2500 */

	return match_any(text, starts) > 0 ||
	    (text.p[0] == '"' && memmem(text.p, text.n, "\": ", 3) != NULL) ||
	    memmem(text.p, text.n, rule, sizeof rule - 1) != NULL ||
	    (text.p[0] == '<' && text.p[text.n - 1] == '>' &&
		memchr(text.p, ' ', text.n) == NULL);
}

/* Returns true for a row of a table with much text that the assistant wrote.
 * The row below the heading, such as "| --- | --- |", is none. */
static bool
is_long_row(enum ctx_summary_kind kind, struct ctx_str text)
{
	return kind == CTX_SUMMARY_ASSISTANT && text.n >= LEAST_ROW &&
	    memmem(text.p, text.n, "--", 2) == NULL;
}

bool
ctx_summary_is_command(struct ctx_str text)
{
	if (text.n < 2 || text.p[0] != '/' || !ctx_is_letter(text.p[1]))
		return false;
	for (size_t i = 1; i < text.n; i++)
		if (text.p[i] == '/' || ctx_summary_is_space(text.p[i]))
			return false;
	return true;
}

enum line_class
ctx_summary_classify(enum ctx_summary_kind kind, struct ctx_str text)
{
	enum line_class class;
	size_t n = ctx_summary_line_limit(text);

	if (kind == CTX_SUMMARY_USER && ctx_summary_is_command(text))
		return REQUEST;
	if (n < (kind == CTX_SUMMARY_USER ? LEAST_USER : LEAST_BYTES) ||
	    is_layout(text) || (text.p[0] == '|' && !is_long_row(kind, text)))
		return CLASSES;
	switch (kind) {
	case CTX_SUMMARY_EARLIER:
		return TASK;
	case CTX_SUMMARY_RESULT:
		return TROUBLE;
	case CTX_SUMMARY_USER:
		return is_assent(text) ||
			(text.n < MOST_INTRODUCTION && text.p[0] != '#' &&
			    ctx_summary_find_colon(text) > 0)
		    ? CLASSES
		    : classify_prose(kind, text);
	case CTX_SUMMARY_ASSISTANT:
		class = n < text.n || text.p[0] == '#' || is_announcement(text)
		    ? CLASSES
		    : ctx_summary_find_colon(text) > 0
		    ? REST
		    : classify_prose(kind, text);
		return class == REST && n < LEAST_ANSWER &&
			!ctx_summary_begins_item(text) &&
			!ctx_summary_announces(text)
		    ? CLASSES
		    : class;
	default:
		return CLASSES;
	}
}

bool
ctx_summary_is_constraint(struct ctx_str text)
{
	return ctx_summary_classify(CTX_SUMMARY_USER, text) == TASK;
}

/* ---- texts to lines ---- */

/* Reads a number of lines, ",N", from the header of a hunk.  Without it, the
 * number is 1. */
static size_t
read_lines(struct ctx_str header, char sign)
{
	const char *at = memchr(header.p, sign, header.n);
	const char *end = header.p + header.n;
	size_t n = 0;

	for (at++; at < end && ctx_is_digit(*at);)
		at++;
	if (at == end || *at != ',')
		return 1;
	for (at++; at < end && ctx_is_digit(*at) && n < 1000000; at++)
		n = n * 10 + (size_t)(*at - '0');
	return n;
}

bool
ctx_summary_in_hunk(struct diff_hunk *hunk, struct ctx_str line)
{
	static const char begin[] = "@@ -", end[] = " @@";
	char sign = line.n > 0 && line.p[0] != '\r' ? line.p[0] : ' ';

	if (ctx_str_begins(line, begin) &&
	    memchr(line.p, '+', line.n) != NULL &&
	    memmem(line.p, line.n, end, sizeof end - 1) != NULL) {
		*hunk = (struct diff_hunk){read_lines(line, '-'),
		    read_lines(line, '+')};
		return true;
	}
	if (ctx_str_begins(line, "\\ No newline"))
		return true;
	if ((hunk->old == 0 && hunk->new == 0) || strchr(" -+", sign) == NULL) {
		*hunk = (struct diff_hunk){0};
		return false;
	}
	hunk->old -= hunk->old > 0 && (sign == ' ' || sign == '-');
	hunk->new -= hunk->new > 0 && (sign == ' ' || sign == '+');
	return true;
}

static bool
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Returns the length in bytes of a sentence that ends with the punctuation mark
 * at the offset i of a text, with the asterisks of bold type after it.  Returns
 * 0 if no sentence ends there.  A full stop before a small letter or after a
 * single letter, as in "d. h.", does not end a sentence. */
static size_t
measure_sentence(struct ctx_str text, size_t i)
{
	const char *p = text.p + i;
	size_t end = i + 1;

	while (end < text.n && text.p[end] == '*')
		end++;
	if (end + 1 >= text.n || !ctx_summary_is_space(text.p[end]) ||
	    i <= (is_capital(text.p[end + 1]) ? 10 : 20))
		return 0;
	if (*p == '.' && text.p[end + 1] >= 'a' && text.p[end + 1] <= 'z')
		return 0;
	if (*p == '.')
		return !ctx_summary_is_space(p[-2]) && p[-2] != '.' &&
			p[-2] != '('
		    ? end
		    : 0;
	return *p == '?' || *p == '!' ? end : 0;
}

/* Returns the length in bytes of the first sentence of a text, at least 1.  A
 * sentence ends with a punctuation mark outside parentheses, or with a line
 * feed. */
static size_t
find_sentence_end(struct ctx_str text)
{
	static const char full_stop[] = "\xe3\x80\x82"; /* U+3002 */
	size_t open = 0, n;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			return i + 1;
		open += text.p[i] == '(';
		open -= text.p[i] == ')' && open > 0;
		n = open == 0 ? measure_sentence(text, i) : 0;
		if (n > 0)
			return n;
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

bool
ctx_summary_is_item(struct ctx_str text)
{
	size_t i = 0;

	while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\t'))
		i++;
	return i + 1 < text.n && (text.p[i] == '-' || text.p[i] == '*') &&
	    text.p[i + 1] == ' ';
}

bool
ctx_summary_begins_item(struct ctx_str text)
{
	size_t i = 0;

	if (ctx_summary_is_item(text))
		return true;
	while (i < text.n && ctx_is_digit(text.p[i]))
		i++;
	return i > 0 && i + 1 < text.n && text.p[i] == '.' &&
	    text.p[i + 1] == ' ';
}

size_t
ctx_summary_line_limit(struct ctx_str text)
{
	size_t n = MOST_BYTES;

	if (text.n <= MOST_BYTES)
		return text.n;
	while (n > MOST_BYTES / 2 && !ctx_summary_is_space(text.p[n]))
		n--;
	return n > MOST_BYTES / 2 ? n : ctx_summary_cut(text, MOST_BYTES).n;
}
