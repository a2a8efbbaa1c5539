/* cost.h - models with their windows and prices; counts the tokens of messages
 * and requests */
#ifndef CTX_COST_H
#define CTX_COST_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "message/message.h"
#include "tokenizer/tokenizer.h"

/* ---- cost/models.c, model_figures.c: windows, encodings, prices --------- */

#define CTX_NO_PRICE UINT64_MAX /* the price is not known */
/* Prices of a model in millionths of a dollar per million tokens, and the
 * requests to which they apply. */
struct ctx_price {
	/* These prices apply from this time on, in seconds since 1970 (UTC). */
	int64_t since;
	/* These prices apply to requests with more input tokens than this. */
	uint64_t above;
	/* When these prices apply. days: days of the week, as bits 1 << day (1
	 * is Monday, 7 is Sunday). hours: hours of the day (UTC), as bits 1 <<
	 * hour. 0 means all days or all hours. */
	uint32_t days, hours;
	/* Prices of: input; output; input read from the prompt cache; input
	 * written to the prompt cache for some minutes; input written to the
	 * prompt cache for an hour. */
	uint64_t in, out, read, write, write_hour;
	/* The condition under which these prices apply, in words; "-" if the
	 * prices always apply.  An array, not a pointer, because the dynamic
	 * loader would have to relocate a pointer at every start of a
	 * program. */
	char when[48];
	/* Day on which the prices were read at their source, such as
	 * "2026-11-26"; "-" if not known. */
	char date[11];
};

struct ctx_model {
	/* This row of the table is used for all models whose names begin with
	 * this name (see ctx_model_find). */
	const char *name;
	const char *vendor;
	uint64_t window; /* size of the context window in tokens */
	uint64_t input;  /* maximum input tokens; 0: as many as the window */
	uint64_t output; /* maximum number of tokens of one response */
	const char *encoding;
	/* whether the encoding is that of the model, a reconstruction of the
	 * model's encoding, or the encoding of another model */
	enum ctx_basis basis;
	/* Number of tokens of this model per 100 tokens of its encoding (member
	 * "encoding").  It is 100 if the encoding is that of the model. 0 means
	 * not known; then 100 is used. */
	uint32_t factor;
	/* True if token counts are not only multiplied by the factor, but also
	 * corrected for some kinds of characters in the text
	 * (ctx_text_correction). */
	bool corrects;
	/* URL path, on huggingface.co, of the tokenizer of the model or, if
	 * file_is_near is true, of a related model.  NULL if there is none. */
	const char *file;
	/* True if the member "file" names the tokenizer of a related model,
	 * because the tokenizer of this model is not public.  Token counts are
	 * then estimates. */
	bool file_is_near;
	struct ctx_image image;
	struct ctx_tools tools;
	enum ctx_cache_kind cache;
	/* minimum number of tokens of a prompt that the provider caches */
	uint32_t cache_least;
	/* binds: true if the provider does not take reasoning of the model
	 * after a changed message. drops_bound: true if it drops the reasoning,
	 * false if it refuses the request; if binds is false, true says that
	 * versions which the table lacks have both members true. */
	bool binds, drops_bound;
	/* True if the provider removes reasoning, and does not bill it, in
	 * messages before the last message of the user.  If
	 * ctx_surcharges.keeps_thoughts is true, it bills this reasoning, but
	 * not the signatures of tool calls there. */
	bool drops_reasoning;
	/* True if the provider may refuse a request from which reasoning of
	 * earlier turns was removed; see lib/dialect/NOTES.md. */
	bool wants_reasoning;
	/* true if the provider refuses a user message after a tool result */
	bool answers_results;
	/* true if the provider refuses the newest calls without signature */
	bool signs_calls;
	/* true if the last message of a request may be the assistant's */
	bool takes_prefill;
	/* true if the provider refuses system messages among the messages */
	bool fixes_system;
	/* Array of the model's prices, or NULL if not known.  Each element says
	 * to which requests its prices apply; the first element applies to all
	 * requests.  The last element that applies to a request is used
	 * (ctx_model_price). */
	const struct ctx_price *prices;
	size_t n_prices;
	/* other complete names of the model, separated by commas, or NULL */
	const char *aliases;
	/* Day on which the context window was read at its source, such as
	 * "2026-11-26"; empty if not known. */
	char date[11];
	/* True if this is a copy of a row of the table of models without the
	 * prices of the row.  The copy describes a version or variant of the
	 * model that is not in the table (ctx_model_find). */
	bool unlisted;
};

/* Models that are known in addition to those of the built-in table. */
struct ctx_models {
	const struct ctx_model *list;
	size_t n;
};

/* Returns row number i of the built-in table of models (counted from 0), or
 * NULL after the last row. */
const struct ctx_model *ctx_model_at(size_t i);
/* Returns the date of the built-in table of models, such as "2026-11-26". */
const char *ctx_models_date(void);
/*
 * Finds the model with a name of n bytes.  The result is the row of a table of
 * models whose name is the longest beginning of the given name.  Searches own
 * (models of the user, may be NULL) and the built-in table.  If both have a row
 * with a name of this length, the row of own is used.
 * - Case does not matter, and . - _ : @ are equal.
 * - A dash between a letter and a digit may be missing (gpt4o).
 * - The name of a row may not end within a number or a word: gpt-5-2 is not the
 *   beginning of gpt-5-2025.
 * - Everything up to the last slash is skipped ("openrouter/openai/"), then up
 *   to 15 words that end with a dot or colon: "us.anthropic.", "ft:".
 * - A name that is an alias ("opus", "opus[1m]", "x-ai/grok:free") finds its
 *   row, unless a row in own is found by this name.
 * - If a version of one or two digits follows the row's name, the table lacks
 *   this version: "claude-opus-4-9", "gpt-5.99".  Then the result is a copy of
 *   the row without prices, and its member unlisted is true.  Tokens of a new
 *   version of Claude are counted like those of the newest versions.
 * - If another word precedes or follows the row's name ("-fast", ":free",
 *   "prod-", "ft:"), the result is also such a copy, but tokens of a Claude
 *   model are counted as its row says.  Dates, revisions and the words latest,
 *   preview and default after the name change nothing ("-20250929", "-v1:0",
 *   "[1m]").  If no row is found, words before dashes are skipped, too:
 *   "hermes-3-" of "hermes-3-llama-3.1-70b".  For a name without a row, or of
 *   more than 256 bytes after its last slash, returns the row for unknown local
 *   models: vendor "unknown", a window of 32,000 tokens.
 */
const struct ctx_model *ctx_model_find(const struct ctx_models *own,
    const char *name, size_t n);
/* Returns how the tokens of tool definitions are counted for a model. name: the
 * name by which the model was found.  If the name says that the provider is
 * Vertex AI, Gemini is counted differently than in the Gemini API, because
 * Google bills it differently there. */
struct ctx_tools ctx_model_tools(const struct ctx_model *model,
    struct ctx_str name);
/* Returns true if a name of n bytes is an alias of the model.  Ignores names of
 * providers before the alias, each with a slash at its end ("x-ai/"), and what
 * programs append to it ("[1m]"). */
bool ctx_model_has_alias(const struct ctx_model *model, const char *name,
    size_t n);
/* Returns the prices of a model for a request with this number of input tokens
 * at the time now, in seconds since 1970.  Returns NULL if the prices are not
 * known. */
const struct ctx_price *ctx_model_price(const struct ctx_model *model,
    int64_t now, uint64_t tokens);
/* Returns how the provider treats reasoning of this model after a changed
 * message.  Returns CTX_BINDS_REFUSED for versions of Claude that the table
 * lacks, and for unknown models (model is NULL or the row for these). */
enum ctx_binding ctx_model_binds(const struct ctx_model *model,
    struct ctx_str name);
/* Returns true if an encoding is that of a model, or a reconstruction of the
 * model's encoding, as far as ctx knows. encoding: a name, or the path of a
 * vocabulary file.  Returns true for every file, unless the tokenizer of the
 * model is not public. */
bool ctx_model_has_encoding(const struct ctx_model *model,
    const char *encoding);
/* Returns the maximum number of tokens of a conversation: the model's input
 * limit if it has one, otherwise its context window. */
uint64_t ctx_model_limit(const struct ctx_model *model);
/* Return the name that the table of models uses for a rule for images, for a
 * rule for tool definitions, or for a kind of prompt cache.  The name of a
 * constant that ends with _NONE is "-".  Return NULL for numbers after the last
 * constant. */
const char *ctx_image_rule_name(unsigned rule);
const char *ctx_tools_rule_name(unsigned rule);
const char *ctx_cache_name(unsigned cache);

/* ---- cost/message_tokens.c, text_tokens.c, joined_texts.c: tokens of a
 * message */

/* The text that replaces the content of a tool result when the result is
 * cleared to save tokens.  If ctx-age has written a reference to a file into
 * the result, the text is that reference. */
#define CTX_CLEARED "[cleared]"

/* Token counts of a message. */
struct ctx_cost {
	/* all tokens of the message, including those in the next four
	 * members */
	uint64_t tokens;
	uint64_t framing; /* tokens of the message's role and delimiters */
	/* tokens saved if the message's reasoning is removed */
	uint64_t reasoning;
	/* tokens of tool results; in Gemini's formats, with tool names */
	uint64_t results;
	/* number of tokens that would be saved by clearing the message's tool
	 * results */
	uint64_t clearable;
	uint64_t chars; /* number of characters in the message's texts */
	/* number of the message's tokens that are estimated */
	uint64_t estimated;
	/* For a message that contains both a prompt and its answer.
	 * prompt_tokens: number of tokens of the prompt, and all framing
	 * tokens; prompt_estimated: how many of the prompt_tokens are
	 * estimated.  Otherwise 0. */
	uint64_t prompt_tokens, prompt_estimated;
	/* Number of tokens of each kind of block.  Blocks inside a tool result
	 * are counted as CTX_BLOCK_TOOL_RESULT. */
	uint64_t kinds[CTX_BLOCK_KINDS];
	/* For each kind of content block: number of its tokens that are
	 * estimated. */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS];
};

/*
 * Counts the tokens of messages in one encoding.
 *  - The text of a string is counted, or the JSON of any other value.
 *  - OpenAI framing: 3 tokens per message, 1 per name, 3 per conversation ("How
 *    to count tokens with tiktoken", OpenAI cookbook).
 *  - Claude framing: frame_message tokens per message, and frame_request tokens
 *    once per request.
 *  - Framing of some other models: as measured (surcharges.c).
 *  - A tool call costs the tokens of the tool's name and of the arguments.
 *  - Media are estimated from their size by the image rule of the model;
 *    without one, by the rule of the dialect; without one, by OpenAI's tiles
 *    (cost/media.c).
 *  - Encrypted reasoning is estimated by its length (surcharges.c).
 * Texts that repeat, such as role names, are looked up in the token counter's
 * cache.
 */
struct ctx_counter {
	struct ctx_token_counter *tokens; /* owned by the caller */
	/* how far counts of texts can be trusted: exact, reconstructed or
	 * estimated */
	enum ctx_basis basis;
	/* frame_request: number of tokens of a request outside its messages;
	 * frame_message: number of tokens of a message outside its text.  If
	 * both are 0, the numbers of the rule "tools" (surcharges.c) or of the
	 * dialect (message format) are used. */
	unsigned frame_request, frame_message;
	/* Number of tokens of the model per 100 tokens of the encoding; 0 means
	 * 100. */
	uint32_t factor;
	bool corrects; /* see ctx_model.corrects */
	/* How the model counts images and tool definitions.  If the model has
	 * no rule (CTX_IMAGE_NONE, CTX_TOOLS_NONE), that of the dialect
	 * (message format) is used. */
	struct ctx_image image;
	struct ctx_tools tools;
	/* see ctx_model.drops_reasoning */
	bool drops_reasoning;
	struct ctx_buf text; /* scratch memory */
	/* Number of tokens of a cleared tool result (whose text is CTX_CLEARED)
	 * in messages of the dialect cleared_in.  It is counted once and stored
	 * here. */
	uint64_t cleared;
	/* dialect for which the member "cleared" is set, or NULL */
	const struct ctx_dialect *cleared_in;
	/* The reference that ctx-age has written into the tool result that is
	 * being counted: a line that names the file with the whole result.
	 * Empty if there is no reference. */
	struct ctx_buf aged;
};

/* Adds the tokens and characters of one JSON value to *cost. */
int ctx_count_value(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err);
/* Adds the tokens of block i of a message to *cost.  Does not count the blocks
 * inside a tool result.  If the provider joins several texts, the tokens of all
 * are added for the first text, and none for the other texts. */
int ctx_count_block(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Adds the tokens of a tool result, including the blocks inside it, to *cost.
 * *i: index of the result, which is set to the index of the last block inside
 * it. */
int ctx_count_result(struct ctx_counter *counter,
    const struct ctx_message *message, size_t *i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Sets *saved to the number of tokens that clearing tool result i (replacing
 * its content by a short text) would save.  Sets *left to the short text, which
 * is valid until the counter is used again. */
int ctx_count_clear_savings(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str *left,
    uint64_t *saved, struct ctx_err *err);
/* Returns true if the provider joins texts that directly follow each other in a
 * message of this dialect, so that they are counted as one text.  Returns false
 * if the counter estimates tokens from the size of a text. */
bool ctx_counter_joins_texts(const struct ctx_counter *counter,
    const struct ctx_dialect *dialect);
/* Sets *tokens to the number of tokens that a new text block adds to a message.
 * The new block is inserted before block i, or replaces the block before block
 * i, whose tokens are not subtracted. literal: the text as a JSON string. */
int ctx_count_added_text(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str literal,
    uint64_t *tokens, struct ctx_err *err);
/* Sets *cost to the token counts of a message, including the definitions of the
 * deferred tools (ctx_message.tools) to which it refers. */
int ctx_count_message(struct ctx_counter *counter,
    const struct ctx_message *message, struct ctx_cost *cost,
    struct ctx_err *err);
/* Does the same for a message that was parsed alone after an edit. original:
 * the message before the edit, in its request. */
int ctx_count_edited_message(struct ctx_counter *counter,
    const struct ctx_message *message, const struct ctx_message *original,
    struct ctx_cost *cost, struct ctx_err *err);
/* Returns the number of tokens that a text of n bytes has for the model.
 * tokens: number of tokens of the text in the encoding.  The result is this
 * number times the factor.  If counter->corrects is true, ctx_text_correction
 * is added, but the result is at least half of "tokens". */
uint64_t ctx_text_to_model(const struct ctx_counter *counter, const char *p,
    size_t n, uint64_t tokens);
/* Returns the correction of a text's token count, in thousandths of a token; it
 * may be negative.  Depends on the number of digits, underscores, line breaks,
 * tabs, and characters from U+3000 on: for these, the factor alone gives wrong
 * counts.  Returns 0 if counter->corrects is false.  The correction of a text
 * is the sum of the corrections of its parts. */
int64_t ctx_text_correction(const struct ctx_counter *counter, const char *p,
    size_t n);
/* Does the same as ctx_text_to_model for a text whose parts were counted one by
 * one. correction: sum of the corrections of the parts. */
uint64_t ctx_correct_tokens(const struct ctx_counter *counter, uint64_t tokens,
    int64_t correction);
/* Convert tokens by the factor of a counter (ctx_counter.factor): from those of
 * the encoding to those of the model, or the reverse, which rounds down. */
uint64_t ctx_tokens_to_model(const struct ctx_counter *counter,
    uint64_t tokens);
uint64_t ctx_tokens_to_encoding(const struct ctx_counter *counter,
    uint64_t tokens);
void ctx_counter_release(struct ctx_counter *counter);

/* ---- cost/request_overhead.c: tokens outside the messages of a request -- */

/* Tokens of a request outside its messages: those of the system prompt, the
 * tool definitions and others. */
struct ctx_request_overhead {
	uint64_t tokens; /* all: system, tools, framing of the request */
	uint64_t system; /* tokens of the system prompt */
	/* tokens of tool definitions and of the JSON schema of the answer */
	uint64_t tools;
	/* Number of tokens that are added when the last system message of the
	 * request is removed, because the tool definitions are then a message
	 * of their own.  If the request has no system message, this number is
	 * 0, and the member "tools" contains these tokens. */
	unsigned tools_alone;
	/* number of tokens in the member "tokens" that are estimated */
	uint64_t estimated;
	/* chars: number of characters in all texts outside the messages;
	 * system_chars: number of characters in the system prompt. */
	uint64_t chars, system_chars;
};
/* Counts the tokens of a request outside its messages. layout: where the record
 * contains the request and its messages.  The tokens of tool definitions are
 * always an estimate, because providers publish only roughly how they write
 * tool definitions into the prompt. */
int ctx_count_request_overhead(struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct ctx_request_overhead *overhead, struct ctx_err *err);

/* ---- cost/billed_usage.c: tokens that a provider reports ---------------- */

/* Returns the number of input tokens that a provider has billed for a request:
 * the sum of the numbers at the given paths, which begin at a JSON node (see
 * struct ctx_usage).  Returns 0 if the value at the first path is missing, or
 * if a value cannot be a number of tokens, such as -1, 1e308 or a string. */
uint64_t ctx_billed_input(const struct ctx_json *json, uint32_t node,
    const char *const paths[CTX_USAGE_PATHS]);
/* Returns the number of billed input tokens that the object around the messages
 * of a conversation (a request or a response) reports, or 0 if the object
 * reports none.  The object may have a different format than its messages,
 * because some gateways translate only the object or only the messages. */
uint64_t ctx_billed_request(const struct ctx_json *json,
    const struct ctx_record_layout *layout);

/* The tokens that a provider has billed for a request, as far as the input
 * reports them. */
struct ctx_billed_usage {
	/* all input tokens, including those read from and written to the
	 * cache */
	uint64_t input;
	/* tokens of the input that were read from the prompt cache */
	uint64_t read;
	/* tokens of the input that were written to the prompt cache */
	uint64_t written;
	/* number of the written tokens that the cache stores for an hour */
	uint64_t written_hour;
	uint64_t output;
};
/* Reads the billed tokens of a request. node, paths: as for ctx_billed_input.
 * row: dialect (format) in which the usage has these paths.  A number that is
 * not reported is 0.  If read and written together are more than input, they
 * are reduced.  Returns false, with *usage all 0, if the input tokens are not
 * reported. */
bool ctx_billed_usage_read(const struct ctx_json *json, uint32_t node,
    const char *const paths[CTX_USAGE_PATHS], const struct ctx_dialect *row,
    struct ctx_billed_usage *usage);

/* ---- cost/calibration.c: a model's tokens per token of an encoding ------ */

/* A request from which the factor between billed and counted tokens is
 * computed. counted: number of tokens that ctx counts in the texts of the
 * request. billed: number of tokens that the provider reported, minus the
 * tokens of images and of everything else that is not text.  Both numbers are
 * greater than 0. */
struct ctx_billed_sample {
	uint64_t counted, billed;
};
/* The line billed = overhead + factor * counted, fitted to the tokens of
 * several requests. */
struct ctx_calibration {
	double factor; /* billed tokens per counted token */
	/* half of the width of the 95 % interval of the factor */
	double spread;
	/* Share by which the requests have reduced the variance of the factor:
	 * from 0 (the requests say nothing about the factor) to 1. */
	double learned;
	/* number of tokens that are billed with every request */
	double overhead;
	/* Errors of the fitted line, relative to the mean of the billed tokens.
	 * error: root mean square; worst: the largest error. */
	double error, worst;
	/* The smallest number, not below factor, for which overhead + upper *
	 * counted is at least the billed tokens of each request. */
	double upper;
};
/* The prior distribution of a model's factor: what is assumed before any billed
 * request is known.  It is a normal distribution with the mean factor and the
 * standard deviation factor * spread. */
struct ctx_factor_prior {
	double factor, spread;
};
/* Sets *prior to the prior distribution of a model's factor for an encoding.
 * The mean is 1 if the encoding is that of the model.  For other models and
 * o200k_base, mean and spread are as measured.  For a model that was not
 * measured, or another encoding, the spread is large. */
void ctx_factor_prior_find(const struct ctx_model *model, const char *encoding,
    struct ctx_factor_prior *prior);
/* Fits the line billed = overhead + factor * counted to n requests.  The fewer
 * requests there are, and the less they agree, the nearer the factor is to the
 * factor of *prior.  Returns false if there are no requests, or if the requests
 * have no tokens. */
bool ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n,
    const struct ctx_factor_prior *prior);

/* ---- cost/user_models.c: models that the user has defined ---------------- */

/* Models that a user has defined in a file.  A struct whose members are all 0
 * is valid and has no models. */
struct ctx_user_models {
	struct ctx_model *list;
	size_t n;
	struct ctx_price *prices; /* one price for each model in list */
	/* The parsed JSON file.  The names of the models point into the parsed
	 * file, so it is freed together with the list. */
	void *text;
};

/*
 * Reads the models that the user has defined in a JSON file: an object whose
 * members are models.  Each model is an object with members such as window,
 * input, output (tokens), image [rule, x, y, edge], tools [rule, once, forced],
 * and price [in, out, read, write, write for an hour] (dollars per million
 * tokens). ctx-count(1) explains all members.
 *
 * A missing member is taken from the built-in model that ctx_model_find finds
 * for the name.  A model with the member encoding has a factor of 1 and is
 * exact, unless the members factor or exact say otherwise, or its tokenizer is
 * not public.  A relative path of an encoding is relative to the directory of
 * the JSON file.
 *
 * Returns 1; or 0 if the file does not exist; or -1 with *err, which may
 * contain the pointer path, not a copy.  The caller must release the models,
 * unless -1 is returned.
 */
int ctx_user_models_read(struct ctx_user_models *models, const char *path,
    struct ctx_err *err);
void ctx_user_models_release(struct ctx_user_models *models);

/* ---- cost/model_counters.c: the token counter for each model ------------ */

/* How the texts of a model were counted. */
struct ctx_model_note {
	/* the model, or NULL if no model was named */
	const struct ctx_model *model;
	/* the dialect that has decided how tokens are counted because no model
	 * was named, or NULL */
	const struct ctx_dialect *dialect;
	const char *encoding;
	enum ctx_basis basis;
};
#define CTX_MODEL_NOTES 16

/* Opens a token counter for each model that the input names.  The model of a
 * conversation is the first of these that is set: the member "model", the model
 * that the record names, the member "fallback".  The encoding is the first of
 * these that is set: the member "encoding", the encoding of the model, the
 * encoding of the model that the dialect's messages are counted like
 * (ctx_dialect.counts_like), o200k_base.  The last two are estimates. */
struct ctx_model_counters {
	/* model and encoding that the user has chosen, or NULL */
	const char *model, *encoding;
	/* model of conversations that name no model, or NULL */
	const char *fallback;
	struct ctx_models own; /* models that the user has defined */
	/* path of the directory for compiled vocabularies */
	const char *cache;
	enum ctx_simd simd;
	/* True if ctx-count compares counted with billed tokens (--calibrate).
	 * Then counts are numbers of tokens of the encoding: counts are not
	 * multiplied by the model's factor, and not marked as estimates. */
	bool calibrating;
	/* True if the reasoning of earlier turns is counted for every model,
	 * even if its provider does not bill it (ctx_model.drops_reasoning).
	 * Needed to count a request that was sent earlier: its newest turn was
	 * not the newest turn of the whole conversation. */
	bool keeps_reasoning;
	bool stores_texts; /* see ctx_token_counter_store_texts */
	/* token counters that were opened so far */
	struct ctx_opened_counter **opened;
	size_t n, cap;
	/* For a warning: the first name of a model that is not in the table of
	 * models (at most 79 bytes of it); empty if all are. */
	char unknown[80];
	/* For a report to the user. alias: the first name, of the input or the
	 * user, that is an alias, or a version or variant that is not in the
	 * table of models (at most 79 bytes of it). alias_of: the model that is
	 * used for this name, or NULL. */
	char alias[80];
	const struct ctx_model *alias_of;
	/* For reports to the user: the first CTX_MODEL_NOTES models whose texts
	 * were counted. */
	struct ctx_model_note notes[CTX_MODEL_NOTES];
	size_t n_notes;
	struct ctx_intern names; /* names of models, with escapes decoded */
	struct ctx_buf text;     /* scratch memory */
};

/* The model of a conversation, and the token counter for it.  The struct
 * ctx_model_counters owns the counter, which is valid until that struct is
 * released. */
struct ctx_model_counter {
	/* the model, or NULL if the conversation names none */
	const struct ctx_model *model;
	/* The name of the model, as the user or the input writes it.  The name
	 * is valid as long as the option or the record that contains it.  If
	 * each message of the conversation is a record, the name becomes empty
	 * when its record is not valid any more.  A name with JSON escapes is
	 * decoded, and then valid as long as the struct ctx_model_counters.  A
	 * name of more than 256 bytes is not decoded, nor is any name after
	 * 4,096 different names were decoded. */
	struct ctx_str name;
	struct ctx_counter *counter;
	const char *encoding;
	/* The dialect whose member counts_like has decided how tokens are
	 * counted, because neither a model nor an encoding was named; otherwise
	 * NULL. */
	const struct ctx_dialect *dialect;
	/* True if the message by which the counter was chosen is possible in
	 * several dialects.  Set by the callers of ctx_model_counters_find that
	 * choose again at a later message. */
	bool is_likely;
};

/* The next functions take the name of a model as a JSON string with its quotes,
 * as the record contains it (literal).  Its length n is 0 if the record names
 * no model. */

/* Finds the model of a conversation and its token counter, which is opened if
 * necessary. dialect: dialect of the conversation, or NULL for a text.  If no
 * model is named, the dialect decides how tokens are counted, but
 * model_counter->model is NULL: window, prices and rules of the model are not
 * known. */
int ctx_model_counters_find(struct ctx_model_counters *counters,
    struct ctx_str literal, const struct ctx_dialect *dialect,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Returns true if the dialect decides how tokens are counted in conversations
 * that name no model, because the user has chosen neither a model nor an
 * encoding. */
bool ctx_model_counters_ask_dialect(const struct ctx_model_counters *counters);
/* Sets *binds to the result of ctx_model_binds.  Opens no tokenizer. */
int ctx_model_counters_binds(struct ctx_model_counters *counters,
    struct ctx_str literal, enum ctx_binding *binds, struct ctx_err *err);
/* Sets *row to the model that ctx_model_find finds, or to NULL if no model is
 * named, or if the name is not known.  Opens no tokenizer. */
int ctx_model_counters_model(struct ctx_model_counters *counters,
    struct ctx_str literal, const struct ctx_model **row, struct ctx_err *err);
void ctx_model_counters_release(struct ctx_model_counters *counters);

#endif
