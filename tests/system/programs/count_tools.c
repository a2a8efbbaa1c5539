/* count_tools.c - counts the tokens of a session by tool
 *
 * usage: count_tools MODEL FILE...
 */
#include <ctx.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct row {
	char tool[65];
	uint64_t messages, tokens;
};
static struct row rows[1000];
static size_t n_rows;

/* Returns the row of a tool.  If the table is full, returns its last row,
 * which is for all other tools. */
static struct row *
find_row(const char *tool)
{
	const size_t last = sizeof rows / sizeof rows[0] - 1;
	size_t i;

	for (i = 0; i < n_rows && i < last; i++)
		if (strncmp(rows[i].tool, tool, sizeof rows[i].tool - 1) == 0)
			return &rows[i];
	snprintf(rows[i].tool, sizeof rows[i].tool, "%s",
	    i < last ? tool : "other tools");
	n_rows = i + 1;
	return &rows[i];
}

/* Adds the message that was read last to the row of its first tool. */
static int
add_message(struct ctx_input *input, const struct ctx_message_info *info,
    struct ctx_error *error)
{
	struct ctx_token_info tokens = CTX_TOKEN_INFO_INIT;
	struct ctx_block_info block = CTX_BLOCK_INFO_INIT;
	const char *tool = "-";
	struct row *row;
	size_t i;

	for (i = info->n_blocks; i-- > 0;) {
		if (ctx_input_block(input, i, &block, error) < 0)
			return -1;
		if (block.tool != NULL)
			tool = block.tool;
	}
	if (ctx_input_count(input, &tokens, error) < 0)
		return -1;
	row = find_row(tool);
	row->messages++;
	row->tokens += tokens.tokens;
	return 0;
}

int
main(int argc, char **argv)
{
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_message_info message = CTX_MESSAGE_INFO_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input;
	char text[600];
	size_t i;
	int rc;

	if (argc < 3)
		return 2;
	options.model = argv[1];
	rc = ctx_input_open_files(&input, (const char *const *)argv + 2,
	    (size_t)argc - 2, &options, &error);
	while (rc == 0 && (rc = ctx_input_next(input, &message, &error)) > 0)
		rc = add_message(input, &message, &error);
	ctx_input_free(input);
	if (rc < 0) {
		ctx_error_format(&error, text, sizeof text);
		fprintf(stderr, "count_tools: %s\n", text);
		return 2;
	}
	for (i = 0; i < n_rows; i++)
		printf("%s\t%" PRIu64 "\t%" PRIu64 "\n", rows[i].tool,
		    rows[i].messages, rows[i].tokens);
	return 0;
}
