/*
 * surcharges.c - the table of the tokens that providers bill for a request in
 * addition to those of its texts
 *
 * Providers do not publish these figures.  The figures were fitted by least
 * squares in November 2026 to the billed input tokens of recorded requests.
 * tests/bench/billed.py measures the remaining errors; NOTES.md lists them.
 * Where a figure differs between requests or was measured only a few times, the
 * larger value was taken.
 *
 * OpenAI (1,800 requests): GPT-5 and the o-series are billed 2 tokens (not 3)
 * once per request.  GPT-5 is also billed for a channel in each earlier answer.
 * Tools cost GPT-5 about 82 tokens less in Responses than in Chat Completions.
 *
 * Encrypted reasoning of OpenAI (31 requests; each half of them gave the same
 * numbers): about 920 bytes of its base64 (with GPT-5.6 1,200 bytes: 279
 * responses of August 2026) are data of the encryption; for 1,000 of the other
 * bytes, 153 tokens are billed.  A compacted conversation of GPT-4 is encrypted
 * in the same way (4 requests).
 *
 * The schema of an answer has a text around it: about 82 tokens with Claude, 4
 * to 10 with OpenAI's Chat Completions, 0 or 1 with OpenAI's Responses.
 *
 * Claude (560 requests): a tool definition is written as "<function>" and JSON.
 * A tool call is written with one tag for the call and one tag for each
 * argument.  A document of plain text has a text of 36 to 43 tokens around it
 * (6 requests; 53 with a title, and about 560 more if citations are asked for,
 * which are not counted).  "thinking" of the type "adaptive" adds nothing,
 * except 17 tokens in requests without tools to Opus 4.6, which are not
 * counted.
 *
 * Claude's signature of reasoning contains the reasoning in encrypted form. The
 * readable text is a summary, or empty.  All reasoning is billed (7,200 signed
 * blocks of Claude Code, January to July 2026): for signatures of 288, 860,
 * 1,600 and 18,000 bytes of Opus 4.5 30, 160, 330 and 4,200 tokens; for 400,
 * 920, 2,800 and 4,300 bytes of Opus 4.8 46, 200, 750 and 1,230 tokens.  The
 * figures for calls of Opus 4.7 (189 requests) and 4.8 (55 requests) with one
 * to four arguments come from the same recordings.  From Opus 4.8 on, a request
 * with deferred tools is billed about 91 tokens more (21 requests of 2026).
 *
 * Gemini (658 requests).  In the Gemini API since 2.5, each message and a
 * system prompt outside the messages cost one token.  Tools, calls and results
 * are in the forms of python_definition.c (2.5) and declaration.c (3 and
 * later); the figure of a call is for the words around the call and its result.
 * Vertex AI and Gemini 2.0 bill only names and texts, and the types in
 * definitions, but no JSON schema.  Vertex AI and Gemini 2.0 bill the schema of
 * an answer like the schema of a tool.  The Gemini API since 2.5 does not bill
 * the schema of an answer.  For Gemini 2.0, ctx adds one token for each
 * definition and two for each call to its estimates, because names and keys are
 * short texts.
 *
 * The signature of a tool call costs as many tokens as the thoughts that it
 * signs.  In the Gemini API, Gemini 3 and later bill the signature, and 2.5
 * bills it if the answer was streamed.  On Vertex AI, 2.5 bills the signature,
 * and 3 bills it if the signature has the form of 2026.  Other signatures are
 * not billed.  Thoughts are billed as texts (2 requests).  A PDF in a tool
 * result of Gemini 3 was billed as an image in the Gemini API (6 requests), but
 * not on Vertex AI.
 *
 * Models of other providers (the numbers of requests of 2025 and 2026 are
 * below): each host adds its own prompt.  With one tool, Llama 3.1 to 3.3 cost
 * 106 tokens on Together and 421 on Hugging Face, Llama 4 100 on Bedrock and
 * 660 on Groq; gpt-oss has 4 tokens more on Groq; Grok 4.1 has none of the 148
 * tokens on Azure.
 */
#include "cost/cost.h"
#include "cost/surcharges.h"

/* Tokens per 1,000 bytes of encrypted reasoning, for models for which nobody
 * has measured this number.  It assumes that 4 bytes of base64 stand for 3
 * bytes of text, and that 4 bytes of text are about one token. */
#define UNMEASURED .encrypted = 188
/* OPENAI: values that all models of OpenAI have.  OPENAI_4: values that the
 * models before the o-series have.  OPENAI_REASONING: values that OpenAI's
 * models with reasoning have.  OPENAI_5: values that GPT-5 and later have. */
#define OPENAI                                                       \
	.answer_form = CTX_ANSWER_REDUCED, .answer = 8, .system = 4, \
	.joins_texts = true
#define OPENAI_4                                                          \
	OPENAI, .tools_alone = 4, .answer_responses = 1, .responses = -2, \
		.named = 9, .has_namespace = true, .call = 3,             \
		.identified_call = 3, .parallel_call = 2, .parallel = 27, \
		.encrypted = 147, .encryption = 911
#define OPENAI_REASONING                                                 \
	OPENAI, .form = CTX_FORM_TYPES, .request = -1, .tools_alone = 1, \
		.has_namespace = true, .call = 9, .parallel_call = 2,    \
		.parallel = 33, .encrypted = 153
#define OPENAI_5 OPENAI_REASONING, .assistant = 2, .tools = 85, .responses = -81
/* CLAUDE: values that all models of Claude have.  CLAUDE_BEFORE_4_8: values
 * that the models before Opus 4.8 have. */
#define CLAUDE                                                               \
	.form = CTX_FORM_TAGGED, .answer_form = CTX_ANSWER_INDENTED,         \
	.answer = 82, .definition = 1, .document = 38, .shows_values = true, \
	.summarizes = true
#define CLAUDE_BEFORE_4_8 CLAUDE, .named = 6, .parallel = 27
#define CLAUDE_BEFORE_4_7                                                \
	CLAUDE_BEFORE_4_8, .call = 40, .argument = 14, .encrypted = 230, \
			   .encryption = 204
/* GEMINI: values that the models in the Gemini API since 2.5 have.
 * GEMINI_TEXTS: values of the models whose prompt contains only the texts of
 * tool definitions. */
#define GEMINI                                                       \
	.answer_form = CTX_ANSWER_HIDDEN, .message = 1, .system = 1, \
	.keeps_thoughts = true, UNMEASURED
#define GEMINI_TEXTS                                             \
	.form = CTX_FORM_TEXTS, .answer_form = CTX_ANSWER_TEXTS, \
	.keeps_thoughts = true, UNMEASURED

/* Values of models whose framing was measured, and whose tool definitions are
 * written as JSON. of_message, of_request: number of tokens of each message and
 * of each request. */
#define OPEN(of_message, of_request)                       \
	.form = CTX_FORM_JSON, UNMEASURED, .framed = true, \
	.frame = (of_message), .request = (of_request)

static const struct ctx_surcharges surcharges[CTX_TOOLS_RULES] = {
    [CTX_TOOLS_NONE] = {.name = "-", .form = CTX_FORM_JSON, UNMEASURED},
    [CTX_TOOLS_TYPES] = {.name = "types", .form = CTX_FORM_TYPES, UNMEASURED},
    [CTX_TOOLS_JSON] = {.name = "json", .form = CTX_FORM_JSON, UNMEASURED},
    /* unknown models in Gemini's format */
    [CTX_TOOLS_TEXTS] = {.name = "texts",
	GEMINI_TEXTS,
	.estimated_definition = 1,
	.estimated_call = 2},
    /* GPT-3.5 and GPT-4 of OpenAI */
    [CTX_TOOLS_OPENAI_3] = {.name = "openai-3",
	OPENAI_4,
	.form = CTX_FORM_OLDER_TYPES},
    /* GPT-4o and GPT-4.1 */
    [CTX_TOOLS_OPENAI] = {.name = "openai", OPENAI_4, .form = CTX_FORM_TYPES},
    /* o1, o3 and o4-mini of OpenAI */
    [CTX_TOOLS_OPENAI_O] = {.name = "openai-o",
	OPENAI_REASONING,
	.encryption = 920,
	.tools = 4,
	.responses = -3},
    /* GPT-5 and GPT-5.1 */
    [CTX_TOOLS_OPENAI_5] = {.name = "openai-5", OPENAI_5, .encryption = 920},
    /* GPT-5.2 to GPT-5.5 */
    [CTX_TOOLS_OPENAI_5_2] = {.name = "openai-5-2",
	OPENAI_5,
	.encryption = 920,
	.responses_call = 3},
    /* GPT-5.6 and later */
    [CTX_TOOLS_OPENAI_5_6] = {.name = "openai-5-6",
	OPENAI_5,
	.encryption = 1200,
	.responses_call = 3},
    /* Claude 3 to Sonnet 4.5 */
    [CTX_TOOLS_CLAUDE_3] = {.name = "claude-3",
	CLAUDE_BEFORE_4_7,
	.thinking = 29,
	.reasoning = 9},
    /* Claude 4.6 */
    [CTX_TOOLS_CLAUDE_4] = {.name = "claude-4",
	CLAUDE_BEFORE_4_7,
	.assistant = 1,
	.thinking = 28,
	.reasoning = 14},
    /* Opus 4.7 */
    [CTX_TOOLS_CLAUDE_4_7] = {.name = "claude-4-7",
	CLAUDE_BEFORE_4_8,
	.assistant = 1,
	.thinking = 28,
	.reasoning = 14,
	.call = 43,
	.argument = 19,
	.encrypted = 290,
	.encryption = 228},
    /* Opus 4.8, Claude 5 and later */
    [CTX_TOOLS_CLAUDE_5] = {.name = "claude-5",
	CLAUDE,
	.system = 1,
	.named = 13,
	.deferred = 91,
	.call = 25,
	.argument = 19,
	.encrypted = 300,
	.encryption = 245},
    /* Gemini 1.5 and 2.0 */
    [CTX_TOOLS_GEMINI_1] = {.name = "gemini-1",
	GEMINI_TEXTS,
	.hides_json_schemas = true,
	.estimated_definition = 1,
	.estimated_call = 2},
    /* Gemini 2.5 */
    [CTX_TOOLS_GEMINI_2] = {.name = "gemini-2",
	GEMINI,
	.form = CTX_FORM_PYTHON,
	.call = 10,
	.signatures = CTX_SIGNATURE_STREAMED,
	.estimated_definition = 1,
	.estimated_call = 1,
	.vertex = CTX_TOOLS_VERTEX_2},
    /* Gemini 3 and later */
    [CTX_TOOLS_GEMINI_3] = {.name = "gemini-3",
	GEMINI,
	.form = CTX_FORM_DECLARATION,
	.call = 8,
	.result_pages = true,
	.signatures = CTX_SIGNATURE_WRAPPED | CTX_SIGNATURE_NUMBERED,
	.estimated_definition = 1,
	.estimated_call = 1,
	.vertex = CTX_TOOLS_VERTEX_3},
    /* Gemini 2.5 and later on Vertex AI */
    [CTX_TOOLS_VERTEX_2] = {.name = "vertex-2",
	GEMINI_TEXTS,
	.hides_json_schemas = true,
	.signatures = CTX_SIGNATURE_SINGLE | CTX_SIGNATURE_STREAMED},
    [CTX_TOOLS_VERTEX_3] = {.name = "vertex-3",
	GEMINI_TEXTS,
	.hides_json_schemas = true,
	.signatures = CTX_SIGNATURE_NUMBERED},
    /* gpt-oss: 53 requests */
    [CTX_TOOLS_GPT_OSS] = {.name = "gpt-oss",
	OPENAI,
	.form = CTX_FORM_TYPES,
	UNMEASURED,
	.request = 60,
	.assistant = 3,
	.tools = 22,
	.call = 22},
    /* Llama 3 and 3.0: 10 requests */
    [CTX_TOOLS_LLAMA_3] = {.name = "llama-3", OPEN(5, 5)},
    /* Llama 3.1 to 3.3: 24 requests */
    [CTX_TOOLS_LLAMA_3_1] = {.name = "llama-3-1", OPEN(5, 30), .tools = 421},
    /* Llama 4: 21 requests */
    [CTX_TOOLS_LLAMA_4] = {.name = "llama-4",
	OPEN(5, 5),
	.tools = 660,
	.call = 32},
    /* DeepSeek V3 and V4: 55 requests */
    [CTX_TOOLS_DEEPSEEK] = {.name = "deepseek",
	OPEN(1, 3),
	.assistant = 3,
	.tools = 240,
	.call = 46},
    /* Qwen 3: 15 requests without tools */
    [CTX_TOOLS_QWEN] = {.name = "qwen", OPEN(5, 3)},
    /* GLM 4.5 to 5.1: 37 requests */
    [CTX_TOOLS_GLM] =
	{.name = "glm", OPEN(1, 4), .tools = 87, .definition = 27, .call = 22},
    /* GLM 5.2 and later: 5 requests; the values for tools are those of GLM 4.5
     * to 5.1 */
    [CTX_TOOLS_GLM_5] = {.name = "glm-5",
	OPEN(1, 11),
	.tools = 87,
	.definition = 27,
	.call = 22},
    /* Mistral: 43 requests */
    [CTX_TOOLS_MISTRAL] = {.name = "mistral",
	OPEN(2, 1),
	.definition = 25,
	.call = 4},
    /* Mistral Small: 31 requests */
    [CTX_TOOLS_MISTRAL_SMALL] = {.name = "mistral-small",
	OPEN(2, 13),
	.definition = 25,
	.call = 4},
    /* Kimi K2.5 and later: 17 requests */
    [CTX_TOOLS_KIMI] = {.name = "kimi",
	.form = CTX_FORM_JSON,
	UNMEASURED,
	.definition = 5,
	.call = 20},
    /* Kimi K2: 12 requests */
    [CTX_TOOLS_KIMI_2] = {.name = "kimi-2",
	.form = CTX_FORM_JSON,
	UNMEASURED,
	.definition = 30,
	.call = 20},
    /* Nova 1: 34 requests; a request of one message without tools is billed
     * only for its text (11 of 11) */
    [CTX_TOOLS_NOVA] = {.name = "nova", OPEN(3, -3), .tools = 358, .call = 19},
    /* Nova 2: 24 requests */
    [CTX_TOOLS_NOVA_2] = {.name = "nova-2",
	OPEN(3, 43),
	.tools = 750,
	.definition = 67,
	.call = 32},
    /* Grok 4.3 and later: 33 requests; encrypted reasoning: 34 answers */
    [CTX_TOOLS_GROK] = {.name = "grok",
	.form = CTX_FORM_JSON,
	.framed = true,
	.frame = 4,
	.request = 188,
	.tools = 42,
	.answer_responses = 18,
	.encrypted = 163},
    /* Grok 4 to 4.1: 24 requests */
    [CTX_TOOLS_GROK_4] = {.name = "grok-4",
	OPEN(4, 148),
	.tools = 152,
	.call = 22},
    /* Grok Code: 14 requests */
    [CTX_TOOLS_GROK_CODE] = {.name = "grok-code",
	OPEN(4, 196),
	.tools = 130,
	.call = 22},
};

const struct ctx_surcharges *
ctx_find_surcharges(const struct ctx_counter *counter,
    const struct ctx_dialect *dialect)
{
	return ctx_surcharges_of(counter->tools.rule != CTX_TOOLS_NONE
		? counter->tools.rule
		: dialect->tools.rule);
}

const struct ctx_surcharges *
ctx_surcharges_of(enum ctx_tools_rule rule)
{
	return &surcharges[rule < CTX_TOOLS_RULES ? rule : CTX_TOOLS_NONE];
}
