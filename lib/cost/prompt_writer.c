/* prompt_writer.c - writes texts of the model's prompt */
#include <string.h>

#include "cost/prompt_writer.h"

void
ctx_prompt_put_bytes(struct ctx_prompt_writer *to, const char *p, size_t n)
{
	to->failed = to->failed || ctx_buf_add(to->out, p, n, to->err) < 0;
}

void
ctx_prompt_put(struct ctx_prompt_writer *to, const char *text)
{
	ctx_prompt_put_bytes(to, text, strlen(text));
}

void
ctx_prompt_put_text(struct ctx_prompt_writer *to, uint32_t node)
{
	to->failed = to->failed ||
	    ctx_json_append_text(to->json, node, to->out, to->err) < 0;
}

void
ctx_prompt_put_json(struct ctx_prompt_writer *to, uint32_t node)
{
	to->failed = to->failed ||
	    ctx_json_append_compact(to->json, node, to->out, to->err) < 0;
}
