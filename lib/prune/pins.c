/* pins.c - finds messages that must be kept because of the options --pin,
 * --pin-tool and --pin-role of ctx-prune */
#include "prune/prune.h"

/* Sets *pinned to true if the text of a block matches a pattern of --pin, or
 * the name of its tool matches a pattern of --pin-tool.  Reasoning pins no
 * message, because pruning may remove it from pinned messages, too: a second
 * run would not find it. */
static int
match_block(struct ctx_pins *pins, const struct ctx_message *message,
    const struct ctx_block *block, bool *pinned, struct ctx_err *err)
{
	struct ctx_prune_config *config = pins->config;
	struct ctx_str text;

	if (config->pin_text.n > 0 && block->payload != 0 &&
	    block->kind != CTX_BLOCK_MEDIA &&
	    block->kind != CTX_BLOCK_REASONING) {
		pins->text.n = 0;
		if (ctx_json_text(message->json, block->payload, &pins->text,
			&text, err) < 0)
			return -1;
		*pinned = ctx_pattern_match(&config->pin_text, text.p, text.n,
		    &pins->match_left);
		ctx_buf_reset(&pins->text);
	}
	if (*pinned || config->pin_tool.n == 0 || block->name == 0)
		return 0;
	pins->text.n = 0;
	if (ctx_block_tool(message->json, block, &pins->text, &text, err) < 0)
		return -1;
	*pinned = ctx_pattern_match(&config->pin_tool, text.p, text.n,
	    &pins->match_left);
	return 0;
}

int
ctx_pins_match(struct ctx_pins *pins, const struct ctx_message *message,
    bool *pinned, struct ctx_err *err)
{
	pins->match_left = CTX_PATTERN_WORK;
	*pinned = pins->config->pin_roles >> message->role & 1;
	for (size_t i = 0; i < message->n && !*pinned; i++)
		if (match_block(pins, message, &message->blocks[i], pinned,
			err) < 0)
			return -1;
	return 0;
}

void
ctx_pins_match_tools(struct ctx_pins *pins, struct ctx_groups *groups,
    size_t first)
{
	struct ctx_pattern *patterns = &pins->config->pin_tool;
	struct ctx_str tool;

	for (; patterns->n > 0 && first < groups->n; first++) {
		tool =
		    ctx_intern_at(&groups->tools, groups->segments[first].tool);
		if (tool.n > 0 &&
		    ctx_pattern_match(patterns, tool.p, tool.n,
			&pins->match_left))
			groups->segments[first].flags |= CTX_SEGMENT_PINNED;
	}
}

void
ctx_pins_release(struct ctx_pins *pins)
{
	ctx_buf_release(&pins->text);
}
