/*
 * demonstration.c - recognises demonstrations: user messages that show how an
 * earlier task was done
 *
 * SWE-agent writes the session of an earlier task as one user message, as an
 * example for the model.  The next message is the present task.  The example
 * ends with the line "--- END OF DEMONSTRATION ---".  In SWE-agent's
 * trajectories the message also has "is_demo": true.  Without this member, the
 * line must be the last line of the message, because text after it could be the
 * task.
 */
#include <string.h>

#include "group/grouping.h"

/* The line that ends a demonstration (an example of how an earlier task was
 * done) is first searched for in this many bytes at the end of a text.  If it
 * cannot be there, no other part of the text is read. */
enum { TAIL = 200 };

/* Returns true if text begins with a word, in any case. word: ASCII letters in
 * lower case. */
static bool
has_prefix_nocase(struct ctx_str text, const char *word)
{
	size_t i, n = strlen(word);

	if (text.n < n)
		return false;
	for (i = 0; i < n; i++)
		if ((text.p[i] | 0x20) != word[i])
			return false;
	return true;
}

static bool
contains_phrase(struct ctx_str text, const char *word)
{
	for (; text.n > 0; text.p++, text.n--)
		if (has_prefix_nocase(text, word))
			return true;
	return false;
}

/* Returns the last line of text that is not blank. */
static struct ctx_str
find_last_line(struct ctx_str text)
{
	struct ctx_str line;

	while (text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
		text.n--;
	for (line = (struct ctx_str){text.p + text.n, 0};
	     line.n < text.n && line.p[-1] != '\n'; line.n++)
		line.p--;
	return line;
}

/* Removes the first word (of ASCII letters), and everything before it, from the
 * line.  Returns the word, or an empty text if there is none.  Returns "end"
 * for "</", so that a closing tag is read like a line "END OF ...". */
static struct ctx_str
take_next_word(struct ctx_str *line)
{
	struct ctx_str word = {line->p, 0};

	while (line->n > 0 && !ctx_is_letter(*line->p)) {
		if (line->n > 1 && line->p[0] == '<' && line->p[1] == '/') {
			line->p += 2;
			line->n -= 2;
			return (struct ctx_str){"end", 3};
		}
		line->p++;
		line->n--;
	}
	for (word.p = line->p; line->n > 0 && ctx_is_letter(*line->p);
	     line->p++) {
		line->n--;
		word.n++;
	}
	return word;
}

/* Returns true if a list of words contains this word, in any case. */
static bool
is_word_of(struct ctx_str word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (word.n == strlen(*list) && has_prefix_nocase(word, *list))
			return true;
	return false;
}

/* Returns true if the line ends a demonstration (an example of how a task was
 * done), such as "END OF DEMONSTRATION" or "</demonstration>". */
static bool
is_end_marker(struct ctx_str line)
{
	static const char *const end[] = {"end", NULL};
	static const char *const little[] = {"of", "the", "this", NULL};
	static const char *const demo[] = {"demo", "demonstration",
	    "demonstrations", "trajectory", NULL};
	struct ctx_str word = take_next_word(&line);

	if (!is_word_of(word, end))
		return false;
	while (is_word_of(word = take_next_word(&line), little))
		;
	return is_word_of(word, demo) && take_next_word(&line).n == 0;
}

/* If a message's last text may end with the line that ends a demonstration (an
 * example of how an earlier task was done), returns the JSON node of this text,
 * otherwise 0.  Also returns 0 if the message has blocks other than texts and
 * tool results.  Because of this quick check, most messages need not be
 * decoded. */
static uint32_t
find_end_text(const struct ctx_message *message)
{
	struct ctx_str raw;
	uint32_t node = 0;

	for (size_t i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];

		if (block->payload == 0 ||
		    block->kind == CTX_BLOCK_TOOL_RESULT ||
		    block->result_index != 0)
			continue;
		if (block->kind != CTX_BLOCK_TEXT ||
		    message->json->nodes[block->payload].kind !=
			CTX_JSON_STRING)
			return 0;
		node = block->payload;
	}
	if (node == 0)
		return 0;
	raw = ctx_json_str(message->json, node);
	if (raw.n > TAIL)
		raw = (struct ctx_str){raw.p + raw.n - TAIL, TAIL};
	return contains_phrase(raw, "demo") ||
		contains_phrase(raw, "trajectory") ||
		/* the escape of an ASCII letter in JSON begins with \u00 */
		contains_phrase(raw, "u00")
	    ? node
	    : 0;
}

int
ctx_is_demonstration(const struct ctx_message *message, struct ctx_buf *scratch,
    bool *demo, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t node = ctx_json_find(json, message->node, "is_demo");
	struct ctx_str text;

	*demo = node != 0 && json->nodes[node].kind == CTX_JSON_TRUE;
	if (*demo || (node = find_end_text(message)) == 0)
		return 0;
	scratch->n = 0;
	if (ctx_json_text(json, node, scratch, &text, err) < 0)
		return -1;
	*demo = is_end_marker(find_last_line(text));
	ctx_buf_reset(scratch);
	return 0;
}
