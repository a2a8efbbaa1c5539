/* surcharges.h - tokens that a provider bills for a request in addition to
 * those of its texts */
#ifndef CTX_SURCHARGES_H
#define CTX_SURCHARGES_H

#include "dialect/dialect.h"

/* Forms in which a tool definition is written into the prompt of a model. */
enum ctx_tool_form {
	/* as TypeScript types; see cost/tool_schema.c */
	CTX_FORM_TYPES,
	CTX_FORM_OLDER_TYPES, /* the older form of TypeScript types */
	CTX_FORM_JSON,        /* JSON without white space */
	/* JSON with a space after each comma and colon, inside a tag */
	CTX_FORM_TAGGED,
	CTX_FORM_TEXTS, /* names and texts only */
	/* a function of Python; see cost/python_definition.c */
	CTX_FORM_PYTHON,
	/* "declaration:NAME{...}"; see cost/declaration.c */
	CTX_FORM_DECLARATION,
};

/* Forms in which the JSON schema that an answer must follow is written into the
 * prompt of a model; see cost/answer_schema.c. */
enum ctx_answer_form {
	CTX_ANSWER_COMPACT, /* JSON without white space */
	CTX_ANSWER_TEXTS,   /* names and texts only, as with CTX_FORM_TEXTS */
	CTX_ANSWER_INDENTED,
	CTX_ANSWER_REDUCED,
	CTX_ANSWER_HIDDEN, /* the schema is not in the prompt */
};

/* Forms of signatures of tool calls.  The form depends on the model and service
 * that wrote the signed reasoning; see cost/signature.c. */
enum ctx_signature_form {
	CTX_SIGNATURE_SINGLE = 1 << 0,
	CTX_SIGNATURE_STREAMED = 1 << 1,
	CTX_SIGNATURE_WRAPPED = 1 << 2,
	CTX_SIGNATURE_NUMBERED = 1 << 3,
};

/* Numbers of tokens that are billed for the models of a family in addition to
 * the tokens of texts.  Texts are here: texts of messages, names and arguments
 * of tool calls, tool results, and tool definitions. */
struct ctx_surcharges {
	/* name of the family in models.tsv, models.json and --models */
	const char *name;
	enum ctx_tool_form form;
	enum ctx_answer_form answer_form;
	/* answer: number of tokens that the provider adds to a request whose
	 * answer must follow a JSON schema, without the tokens of the schema;
	 * answer_responses: the number for requests in OpenAI's Responses
	 * format. */
	uint8_t answer, answer_responses;
	/* True if the members request and frame are used for requests and
	 * messages, and the numbers of the dialect (format) are ignored. */
	bool framed;
	uint8_t frame; /* number of tokens of each message, without its text */
	/* Number of tokens that are added to each request.  If framed is false,
	 * ctx_dialect.priming is added, too. */
	int16_t request;
	/* number of tokens that are added to each message in Gemini's format */
	uint8_t message;
	/* number of tokens that are added to each assistant message without a
	 * tool call */
	uint8_t assistant;
	/* Number of tokens of a system prompt that is not a message, without
	 * the tokens of its text. */
	uint8_t system;
	/* tools: number of tokens that are added to a request with tools, and
	 * to the tokens in struct ctx_tools. responses: number of tokens that
	 * are also added if the request has OpenAI's Responses format; may be
	 * negative. tools_alone: number of tokens that are also added
	 * if the request has no system message; not in the format
	 * Responses. */
	uint16_t tools;
	/* number of tokens that are added to a request with deferred tools */
	uint8_t deferred;
	int8_t responses;
	uint8_t tools_alone;
	/* number of tokens that are added to a request that names the tool
	 * which must be called */
	uint8_t named;
	/* number of tokens of each tool definition, without its text */
	uint8_t definition;
	/* Numbers of tokens. call: for each tool call with its result.
	 * argument: for each argument of a tool call, if the arguments are a
	 * JSON object. parallel: for each message with several tool calls. */
	uint8_t call, argument, parallel;
	/* True if the prompt contains the name of a tool as "functions.NAME",
	 * in each tool call and, unless the message has several calls, in the
	 * result, too.  Then each call of a message with several calls has
	 * parallel_call tokens in place of call.  In OpenAI's Responses format,
	 * where each call is a message, a call has also responses_call tokens,
	 * and identified_call tokens if it has an id besides the call_id. */
	bool has_namespace;
	uint8_t parallel_call, responses_call, identified_call;
	/* Number of additional tokens of each tool definition and of each tool
	 * call if ctx_counter.corrects is true.  The reason is that names and
	 * keys are short texts, for which the estimate differs most from the
	 * model's tokens. */
	uint8_t estimated_definition, estimated_call;
	/* True if a schema is in the prompt only if the request has it in
	 * Google's own format ("parameters").  A schema in JSON Schema
	 * ("parametersJsonSchema") is not in the prompt. */
	bool hides_json_schemas;
	/* Rule that replaces this rule if the name of the model says that the
	 * provider is Vertex AI ("vertex_ai/gemini-2.5-pro").  CTX_TOOLS_NONE
	 * if this rule is also used for Vertex AI. */
	enum ctx_tools_rule vertex;
	/* True if texts that directly follow each other in a message are joined
	 * before their tokens are counted. */
	bool joins_texts;
	/* True if the prompt contains the values of a tool call's arguments as
	 * texts, not as JSON. */
	bool shows_values;
	/* Numbers of tokens that are added. thinking: to a request that turns
	 * thinking on. reasoning: to each reasoning block that is billed. */
	uint8_t thinking, reasoning;
	/* number of tokens of a document of plain text, without its text */
	uint8_t document;
	/* True if a page of a PDF in a tool result costs as many tokens as an
	 * image. */
	bool result_pages;
	/* True if the texts of reasoning are billed in all turns.  Overrides
	 * ctx_counter.drops_reasoning, which then only means that signatures of
	 * earlier turns are not billed. */
	bool keeps_thoughts;
	/* Forms of signatures of tool calls that are billed, as bits of enum
	 * ctx_signature_form. */
	uint8_t signatures;
	/* encrypted: number of tokens per 1,000 bytes of encrypted reasoning
	 * (in base64); encryption: number of bytes of encrypted reasoning that
	 * are not counted, because they are not reasoning but data of the
	 * encryption. */
	uint16_t encrypted, encryption;
	/* True if the readable text of reasoning can be a summary.  The
	 * provider then bills the reasoning that the signature contains. */
	bool summarizes;
};

/* Returns the estimated number of tokens of the signature of a tool call, which
 * is a JSON string. forms: bits of enum ctx_signature_form.  Returns 0 if the
 * signature has none of these forms. */
uint64_t ctx_signature_tokens(struct ctx_str literal, unsigned forms);

struct ctx_counter;

/* Returns the surcharges for messages of a dialect (format). */
const struct ctx_surcharges *ctx_find_surcharges(
    const struct ctx_counter *counter, const struct ctx_dialect *dialect);
/* Returns the surcharges that belong to a rule. */
const struct ctx_surcharges *ctx_surcharges_of(enum ctx_tools_rule rule);

#endif
