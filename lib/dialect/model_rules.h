/* model_rules.h - how the tokens of images and requests are counted for a
 * model, or for a dialect (format) if the model is not known */
#ifndef CTX_MODEL_RULES_H
#define CTX_MODEL_RULES_H

#include <stdint.h>

/* Methods by which models count the tokens of an image.  Some methods have the
 * parameters x, y and edge, which cost/image_tokens.c explains. */
enum ctx_image_rule {
	CTX_IMAGE_NONE, /* the method is not known */
	CTX_IMAGE_TILES,
	CTX_IMAGE_PATCHES,
	CTX_IMAGE_ORIGINAL_PATCHES,
	CTX_IMAGE_PAGE_PATCHES,
	CTX_IMAGE_SQUARES,
	CTX_IMAGE_CROPS,
	CTX_IMAGE_FIXED,
	CTX_IMAGE_GRID,
	CTX_IMAGE_RULES
};
struct ctx_image {
	enum ctx_image_rule rule;
	uint32_t x, y, edge;
};

/* Rules for the tokens that are billed besides those of texts
 * (cost/surcharges.c).  The first four rules only say in which form tools are
 * counted, if the form is known. */
enum ctx_tools_rule {
	CTX_TOOLS_NONE,
	CTX_TOOLS_TYPES,
	CTX_TOOLS_JSON,
	CTX_TOOLS_TEXTS,
	CTX_TOOLS_OPENAI_3,
	CTX_TOOLS_OPENAI,
	CTX_TOOLS_OPENAI_O,
	CTX_TOOLS_OPENAI_5,
	CTX_TOOLS_OPENAI_5_2,
	CTX_TOOLS_OPENAI_5_6,
	CTX_TOOLS_CLAUDE_3,
	CTX_TOOLS_CLAUDE_4,
	CTX_TOOLS_CLAUDE_4_7,
	CTX_TOOLS_CLAUDE_5,
	CTX_TOOLS_GEMINI_1,
	CTX_TOOLS_GEMINI_2,
	CTX_TOOLS_GEMINI_3,
	CTX_TOOLS_VERTEX_2,
	CTX_TOOLS_VERTEX_3,
	CTX_TOOLS_GPT_OSS,
	CTX_TOOLS_LLAMA_3,
	CTX_TOOLS_LLAMA_3_1,
	CTX_TOOLS_LLAMA_4,
	CTX_TOOLS_DEEPSEEK,
	CTX_TOOLS_QWEN,
	CTX_TOOLS_GLM,
	CTX_TOOLS_GLM_5,
	CTX_TOOLS_MISTRAL,
	CTX_TOOLS_MISTRAL_SMALL,
	CTX_TOOLS_KIMI,
	CTX_TOOLS_KIMI_2,
	CTX_TOOLS_NOVA,
	CTX_TOOLS_NOVA_2,
	CTX_TOOLS_GROK,
	CTX_TOOLS_GROK_4,
	CTX_TOOLS_GROK_CODE,
	CTX_TOOLS_RULES
};
struct ctx_tools {
	enum ctx_tools_rule rule;
	/* Number of tokens that the presence of tools adds to a request.
	 * forced: if the request forces a tool call; once: otherwise. */
	uint32_t once, forced;
};

#endif
