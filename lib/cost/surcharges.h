/* surcharges.h - tokens that are billed around the texts of a request */
#ifndef CTX_SURCHARGES_H
#define CTX_SURCHARGES_H

#include "dialect/dialect.h"

/* Forms in which a tool definition is written into the model's prompt. */
enum ctx_tool_form {
	CTX_FORM_TYPES, /* a TypeScript type; see cost/tool_schema.c */
	CTX_FORM_JSON,  /* JSON without white space */
	/* JSON with a space after each comma and colon, inside a tag */
	CTX_FORM_TAGGED,
	CTX_FORM_TEXTS, /* names and texts only */
};

/* Tokens that a model family is billed in addition to those of the texts.  The
 * texts are those of messages, names and arguments of tool calls, results, and
 * tool definitions in the form of the family. */
struct ctx_surcharges {
	const char *name; /* in models.tsv, models.json and --models */
	enum ctx_tool_form form;
	/* True if the schema that an answer must follow is counted by its names
	 * and texts, as in CTX_FORM_TEXTS; false if it is counted as JSON. */
	bool answer_texts;
	/* for a request: added to ctx_dialect.priming */
	int8_t request;
	uint8_t message;   /* for each message in Gemini's format */
	uint8_t assistant; /* for each text message of the assistant */
	/* for a system prompt that is not one of the messages */
	uint8_t system;
	/* For a request with tools, beside struct ctx_tools; what OpenAI
	 * Responses adds to that. */
	uint8_t tools;
	int8_t responses;
	uint8_t named;      /* for a request that names the tool to be called */
	uint8_t definition; /* for each tool definition */
	/* For each tool call with its result; for each of its arguments, if
	 * these are a JSON object; and for each message with several calls. */
	uint8_t call, argument, parallel;
	/* True if the values of arguments are shown as texts, not as JSON. */
	bool shows_values;
	uint8_t thinking; /* for a request that turns thinking on */
	/* for 1,000 bytes of the base64 of a signature on a tool call */
	uint16_t signature;
};

/* Returns the surcharges of a rule; all are 0 if the rule knows only a form. */
const struct ctx_surcharges *ctx_surcharges_of(enum ctx_tools_rule rule);

#endif
