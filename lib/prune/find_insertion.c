/* find_insertion.c - finds the summaries and notices that an earlier run of ctx
 * has inserted into a message */
#include <sha2.h>
#include <string.h>

#include "prune/held_conversation.h"

/* Tests whether a JSON string contains a certain text at an offset.  Returns
 * the offset of the first byte after the text, or 0 if the text is not at this
 * offset. */
static size_t
match_literal(struct ctx_str literal, size_t at, const char *text)
{
	size_t i = 0, n = strlen(text), len;
	char utf8[4];
	uint32_t cp;

	/* First compare only the first byte of the text, because most strings
	 * begin with a different byte. */
	if (literal.n < at + n + 1 || n == 0 ||
	    (literal.p[at] != text[0] && literal.p[at] != '\\'))
		return 0;
	while (i < n) {
		if (!ctx_json_string_next(literal, &at, &cp))
			return 0;
		len = ctx_utf8_put(utf8, cp);
		if (len > n - i || memcmp(text + i, utf8, len) != 0)
			return 0;
		i += len;
	}
	return at;
}

/* Searches a JSON string, from the offset "at" on, for a text that begins with
 * a line feed.  In JSON a line feed is written with a backslash, so only
 * backslashes are examined.  Returns the offset of the first byte after the
 * first occurrence of the text, or 0 if there is none. */
static size_t
find_literal_text(struct ctx_str literal, size_t at, const char *text)
{
	uint32_t cp;
	size_t end;

	do {
		end = literal.p[at] == '\\' ? match_literal(literal, at, text)
					    : 0;
	} while (end == 0 && ctx_json_string_next(literal, &at, &cp));
	return end;
}

size_t
ctx_insertion_skip_result_blocks(const struct ctx_message *message)
{
	size_t i = 0;

	while (i < message->n &&
	    (message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT ||
		message->blocks[i].result_index != 0))
		i++;
	return i;
}

/* Returns true if a message has a role that summaries and notices can have.
 * Also returns true for the role assistant if a record contains a whole turn,
 * because the first message of such a record is a user message. */
static bool
may_be_insertion(const struct ctx_message *message)
{
	return message->role == CTX_ROLE_SYSTEM ||
	    message->role == CTX_ROLE_USER ||
	    (message->flags & CTX_MESSAGE_WHOLE_TURN);
}

bool
ctx_insertion_is_string_content(const struct ctx_message *message, size_t i)
{
	return message->dialect->inserts_in_string &&
	    message->role == CTX_ROLE_USER && i == 0 && message->n == 1 &&
	    message->blocks[0].kind == CTX_BLOCK_TEXT &&
	    message->blocks[0].removable == 0 &&
	    message->json->nodes[message->blocks[0].payload].kind ==
	    CTX_JSON_STRING;
}

/* Sets *found if a JSON string begins with a summary or notice (text about
 * removed messages). string: true if the user's own text may follow in the same
 * JSON string; the offset of the user's text is then also stored in *found. */
static void
find_in_literal(struct ctx_str literal, const char *notice, bool string,
    struct found_insertion *found)
{
	size_t end = match_literal(literal, 1, CTX_SUMMARY_PREFIX);

	found->summary = end != 0;
	if (end != 0 && string)
		found->user_text_at =
		    find_literal_text(literal, end, CTX_SUMMARY_SUFFIX);
	if (end != 0 || notice == NULL)
		return;
	end = match_literal(literal, 1, notice);
	if (end != 0 && end + 1 < literal.n)
		end = found->user_text_at =
		    string ? match_literal(literal, end, CTX_NOTICE_SUFFIX) : 0;
	found->notice = end != 0;
}

void
ctx_insertion_find(const struct ctx_prune_config *options,
    const struct ctx_message *message, struct found_insertion *found)
{
	size_t i = ctx_insertion_skip_result_blocks(message);
	struct ctx_str literal;

	memset(found, 0, sizeof *found);
	if (i == message->n || !may_be_insertion(message) ||
	    message->blocks[i].kind != CTX_BLOCK_TEXT ||
	    message->json->nodes[message->blocks[i].payload].kind !=
		CTX_JSON_STRING)
		return;
	if (message->n > 1 &&
	    (message->dialect->insertion_block == NULL ||
		message->blocks[i].removable == 0 || i + 1 == message->n))
		return;
	literal = ctx_json_str(message->json, message->blocks[i].payload);
	find_in_literal(literal, options->notice,
	    ctx_insertion_is_string_content(message, i), found);
	if (found->user_text_at + 1 == literal.n)
		found->user_text_at = 0;
	found->whole = message->n == 1 && found->user_text_at == 0;
	found->block = i;
}
