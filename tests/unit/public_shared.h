/* public_shared.h - functions shared by the tests of ctx.h: make conversations,
 * open and prune them, and store what callbacks have received */
#ifndef PUBLIC_SHARED_H
#define PUBLIC_SHARED_H

#include <ctx.h>

#include "tap.h"

#define CALL                                                                  \
	"{\"role\":\"user\",\"content\":\"Read a\"}\n"                        \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"   \
	"\"c1\",\"type\":\"function\",\"function\":{\"name\":\"read\","       \
	"\"arguments\":\"{\\\"p\\\":1}\"}}]}\n"                               \
	"{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"one\\ntwo " \
	"words\"}\n"

/* Makes a conversation of 40 turns, whose texts have about 100 tokens each. */
static inline char *
make_chat(void)
{
	char *text = malloc(100000);
	size_t n = 0, i, k;

	NEED(text != NULL);
	for (i = 0; i < 80; i++) {
		n += (size_t)sprintf(text + n,
		    "{\"role\":\"%s\",\"content\":\"Message %zu",
		    i % 2 == 0 ? "user" : "assistant", i);
		for (k = 0; k < 50; k++)
			n += (size_t)sprintf(text + n, " word %zu", k);
		n += (size_t)sprintf(text + n, "\"}\n");
	}
	return text;
}

static inline struct ctx_input *
open_text(const char *text, const struct ctx_input_options *options)
{
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input;

	if (ctx_input_open_memory(&input, text, strlen(text), options, &error) <
	    0)
		printf("# %s\n", error.text);
	NEED(input != NULL);
	return input;
}

/* Prunes a text to 2,000 tokens.  Returns the output, which the caller frees
 * with ctx_free. */
static inline struct ctx_bytes
prune_text(struct ctx_input *input, struct ctx_result *result)
{
	struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_output *output;
	struct ctx_bytes bytes;

	options.budget = 2000;
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	if (ctx_prune(input, output, &options, result, &error) != 0)
		printf("# %s\n", error.text);
	NEED(ctx_output_take(output, &bytes, NULL) == 0);
	ctx_output_free(output);
	ctx_input_free(input);
	return bytes;
}

static inline int
prune_sized(void *options)
{
	struct ctx_input_options model = CTX_INPUT_OPTIONS_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input;
	int rc;

	model.model = "gpt-4o";
	input = open_text(CALL, &model);
	rc = ctx_prune(input, NULL, options, NULL, &error);
	CHECK(rc >= 0 || error.kind == CTX_ERROR_ARGUMENT);
	ctx_input_free(input);
	return rc;
}

struct seen {
	uint64_t calls, tokens;
	char names[200];
	int rc;
};

static inline int
see_conversation(void *user, const struct ctx_conversation_info *conversation)
{
	struct seen *seen = user;

	seen->calls++;
	seen->tokens += conversation->tokens;
	(void)snprintf(seen->names, sizeof seen->names, "%s %s %llu",
	    conversation->dialect, conversation->model,
	    (unsigned long long)conversation->window);
	return seen->rc;
}

#endif
