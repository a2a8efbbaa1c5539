/* cost.h - models with their windows and prices, and how many tokens messages
 * and requests have */
#ifndef CTX_COST_H
#define CTX_COST_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "message/message.h"
#include "tokenizer/tokenizer.h"

/* ---- cost/models.c, model_figures.c: windows, encodings, prices --------- */

#define CTX_NO_PRICE UINT64_MAX /* the price is not known */
/* Prices of a model, in millionths of a dollar per million tokens, and the
 * condition under which these prices apply. */
struct ctx_price {
	/* The prices apply from this time on: seconds since 1970 (UTC). */
	int64_t since;
	/* The prices apply to requests with more input tokens than this. */
	uint64_t above;
	/* days of the week on which the prices apply, as bits 1 << day (1 is
	 * Monday, 7 Sunday), and hours of the day (UTC), as bits 1 << hour; 0:
	 * all */
	uint32_t days, hours;
	/* Price of input, of output, of input read from the prompt cache, and
	 * of input written to it for some minutes and for an hour. */
	uint64_t in, out, read, write, write_hour;
	/* The condition under which these prices apply, in words; "-": always.
	 * This and the date are arrays, because the dynamic loader would have
	 * to relocate pointers at every start of a program. */
	char when[48];
	/* day on which the prices were read at their source, such as
	 * "2026-11-26"; "-": not known */
	char date[11];
};

struct ctx_model {
	/* beginning of the names of all models that this row is for (see
	 * ctx_model_find) */
	const char *name;
	const char *vendor;
	uint64_t window; /* context window in tokens */
	uint64_t input;  /* maximum input tokens; 0: the context window */
	uint64_t output; /* maximum tokens of one response */
	const char *encoding;
	/* whether the encoding is the model's own, a reconstruction of it, or
	 * another one */
	enum ctx_basis basis;
	/* For a model that is counted by another encoding: how many of its
	 * tokens correspond to 100 tokens of the encoding; 0: not known, taken
	 * as 100. */
	uint32_t factor;
	/* True if the product is corrected by what characters the text consists
	 * of (ctx_text_correction). */
	bool corrects;
	/* URL path on huggingface.co of the model's own tokenizer or, if
	 * file_is_near is true, of a related model's tokenizer.  NULL: there is
	 * none. */
	const char *file;
	/* True if the member "file" is the path of a related model's tokenizer,
	 * because the model's own tokenizer is not public.  Token counts with
	 * such a tokenizer are only estimates. */
	bool file_is_near;
	struct ctx_image image;
	struct ctx_tools tools;
	enum ctx_cache_kind cache;
	/* minimum number of tokens of a prompt that the provider caches */
	uint32_t cache_least;
	/* True if the provider checks signed reasoning of the model: it
	 * refuses a request if anything before this reasoning was changed
	 * (platform.claude.com, "Prefix checks on thinking blocks", November
	 * 2026). */
	bool binds;
	/* True if the provider leaves reasoning out, and does not bill it, in
	 * messages before the last message of the user. */
	bool drops_reasoning;
	/* The model's prices; NULL: not known.  Each element says to which
	 * requests it applies; the first one applies to all.  Of the elements
	 * that apply to a request, the last one is used (ctx_model_price). */
	const struct ctx_price *prices;
	size_t n_prices;
	/* whole names that stand for the model, separated by commas; or NULL */
	const char *aliases;
	/* day on which context windows were read at their source, such as
	 * "2026-11-26"; empty: not known */
	char date[11];
	/* True if this is a copy of a row of the table without its prices, for
	 * a version or variant of the model that the table does not have
	 * (ctx_model_find). */
	bool unlisted;
};

/* Models that are used in addition to the built-in table of models. */
struct ctx_models {
	const struct ctx_model *list;
	size_t n;
};

/* Returns row number i, from 0, of the built-in table of models; NULL after
 * the last. */
const struct ctx_model *ctx_model_at(size_t i);
/* Returns the date of the built-in table of models, such as "2026-11-26". */
const char *ctx_models_date(void);
/*
 * Finds the model with a name of n bytes: the row whose name is the longest
 * beginning of it.  Rows are searched in own, which may be NULL, and in the
 * built-in table; own is preferred if both are equally long.
 * - Case does not matter, and . - _ : @ are equal.
 * - The name of a row may not end within a number: gpt-5-2 is not the beginning
 *   of gpt-5-2025.
 * - Up to 15 words before the model are skipped: "openrouter/openai/",
 *   "us.anthropic.", "ft:".
 * - A name that is an alias ("opus", "opus[1m]", "x-ai/grok:free") finds its
 *   row, unless a row in own is found by this name.
 * - If a version of one or two digits follows the row's name, the table lacks
 *   this version: "claude-opus-4-9", "gpt-5.99".  Then the result is a copy of
 *   the row without prices, and its member unlisted is true.  A version of
 *   Claude counts like the newest ones.
 * - If another word precedes or follows the row's name ("-fast", ":free",
 *   "prod-", "ft:"), the result is also such a copy, but a Claude counts as its
 *   row says.  Dates, revisions and the words latest, preview and default after
 *   the name change nothing ("-20250929", "-v1:0", "[1m]").
 *
 * If no row fits, words before dashes are skipped, too: "hermes-3-" of
 * "hermes-3-llama-3.1-70b".  A name without a row, or of more than 256 bytes,
 * gets the row for unknown local models: vendor "unknown", a window of 32,000
 * tokens.
 */
const struct ctx_model *ctx_model_find(const struct ctx_models *own,
    const char *name, size_t n);
/* Returns the rule for tools of a model that was found by this name.  Google
 * bills Gemini otherwise on Vertex AI than in the Gemini API: the name may say
 * that the provider is Vertex AI. */
struct ctx_tools ctx_model_tools(const struct ctx_model *model,
    struct ctx_str name);
/* Returns true if a name of n bytes is an alias of the model.  Names of
 * providers before the alias, each with a slash ("x-ai/"), are skipped. */
bool ctx_model_has_alias(const struct ctx_model *model, const char *name,
    size_t n);
/* Returns the prices of a model for a request with this number of input tokens
 * at this time, given in seconds since 1970; NULL if none are known. */
const struct ctx_price *ctx_model_price(const struct ctx_model *model,
    int64_t now, uint64_t tokens);
/* Returns true if the provider refuses a request in which signed reasoning of
 * this model comes after a changed message (ctx_model.binds).  This is assumed
 * for versions of Claude that are not in the table, and for unknown models
 * (model is NULL or the row for unknown models). */
bool ctx_model_binds(const struct ctx_model *model, struct ctx_str name);
/* Returns true if an encoding counts the tokens of a model exactly, or as well
 * as a reconstruction does, as far as ctx can know.  encoding: a name or the
 * path of a vocabulary file.  A file is trusted, but not for a model whose
 * tokenizer is not public. */
bool ctx_model_has_encoding(const struct ctx_model *model,
    const char *encoding);
/* Returns the maximum number of tokens of a conversation: the model's input
 * limit if it has one, else its context window. */
uint64_t ctx_model_limit(const struct ctx_model *model);
/* Return the name that the table of models has for an image rule, a rule for
 * tool definitions or a kind of prompt cache; "-" if the value is that of a
 * model without one (..._NONE). */
const char *ctx_image_rule_name(enum ctx_image_rule rule);
const char *ctx_tools_rule_name(enum ctx_tools_rule rule);
const char *ctx_cache_name(enum ctx_cache_kind cache);

/* ---- cost/message_tokens.c, text_tokens.c, joined_texts.c: tokens of a
 * message */

/* The text that replaces a tool result when it is cleared, which means that
 * its text is removed to save tokens.  If ctx-age has left a reference to a
 * file in the result, this reference is kept instead. */
#define CTX_CLEARED "[cleared]"

/* Token counts of a message. */
struct ctx_cost {
	/* All tokens of the message.  The next four members count parts of
	 * them. */
	uint64_t tokens;
	uint64_t framing; /* tokens of the message's role and delimiters */
	/* tokens saved if the message's reasoning is removed */
	uint64_t reasoning;
	uint64_t results; /* tokens of tool results, with tool names */
	/* tokens saved if the message's tool results are cleared */
	uint64_t clearable;
	uint64_t chars;     /* number of characters in the message's texts */
	uint64_t estimated; /* how many of the message's tokens are estimated */
	/* Only for a message that contains a prompt and the answer to it:
	 * tokens of the prompt and its role, and how many of these are
	 * estimated.  Otherwise 0. */
	uint64_t prompt_tokens, prompt_estimated;
	/* Tokens of each kind of block.  Those of blocks inside a tool result
	 * count as CTX_BLOCK_TOOL_RESULT. */
	uint64_t kinds[CTX_BLOCK_KINDS];
	/* Of the tokens of each kind of block, those that are estimated. */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS];
};

/*
 * Counts messages with one encoding.
 *  - The text of a string is counted, or the JSON of any other value.
 *  - OpenAI framing: 3 tokens per message, 1 per name, 3 per conversation ("How
 *    to count tokens with tiktoken", OpenAI cookbook).
 *  - Claude framing: an encoding has frame tokens for a request of one message.
 *    A part of them (frame_message) is counted for each message, the others
 *    once for the request (frame_request).
 *  - Framing of some other models: as measured (surcharges.c).
 *  - A tool call costs its tool's name and its arguments.
 *  - Media are estimated from their size by the image rule of the model, else
 *    of the dialect, else OpenAI's tiles (cost/media.c).
 *  - Encrypted reasoning is estimated by its length (surcharges.c).
 *
 * Texts that repeat, such as role names, are looked up in the token counter's
 * cache.
 */
struct ctx_counter {
	struct ctx_token_counter *tokens; /* owned by the caller */
	/* how far to trust the counts of texts: exact, reconstructed or
	 * estimated */
	enum ctx_basis basis;
	/* Tokens of a request around its messages, and of each message around
	 * its text; both 0: as the dialect says. */
	unsigned frame_request, frame_message;
	/* tokens of the model per 100 tokens of the encoding; 0: equally many
	 */
	uint32_t factor;
	bool corrects; /* see ctx_model.corrects */
	/* The model's rules for images and for tool definitions.  If the model
	 * has none (CTX_IMAGE_NONE, CTX_TOOLS_NONE), those of the dialect
	 * (message format) are used. */
	struct ctx_image image;
	struct ctx_tools tools;
	/* see ctx_model.drops_reasoning */
	bool drops_reasoning;
	struct ctx_buf text; /* scratch memory */
	/* Tokens of a tool result whose text is CTX_CLEARED, in messages of the
	 * dialect cleared_in.  Stored because they are always equal. */
	uint64_t cleared;
	/* NULL: the member cleared is not set */
	const struct ctx_dialect *cleared_in;
	/* The reference to a file that ctx-age has left in the tool result
	 * which is being counted; empty if there is none. */
	struct ctx_buf aged;
};

/* Adds the tokens and characters of one JSON value to *cost. */
int ctx_count_value(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err);
/* Adds the tokens of block i of a message to *cost.  If the block is a tool
 * result, those of blocks inside it are not added.  If the block is the first
 * of several texts that the provider joins, the tokens of all of them are
 * added; the other texts add none. */
int ctx_count_block(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Adds the tokens of a tool result, with those of the blocks inside it, to
 * *cost.  *i is the index of the result; it becomes that of the last block
 * inside it. */
int ctx_count_result(struct ctx_counter *counter,
    const struct ctx_message *message, size_t *i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Sets *saved to the tokens that are saved if tool result i is cleared (its
 * text is replaced by a short one).  Sets *left to the short text, which is
 * valid until the counter is used again. */
int ctx_count_clear_savings(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str *left,
    uint64_t *saved, struct ctx_err *err);
/* Returns true if the provider joins the texts that follow each other in a
 * message of this dialect, so that they are counted as one text. */
bool ctx_counter_joins_texts(const struct ctx_counter *counter,
    const struct ctx_dialect *dialect);
/* Sets *tokens to the tokens that a text adds to a message when it becomes a
 * block before block i, or replaces the block before block i. literal: the text
 * as a JSON string. */
int ctx_count_added_text(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str literal,
    uint64_t *tokens, struct ctx_err *err);
/* Sets *cost to the token counts of a message. */
int ctx_count_message(struct ctx_counter *counter,
    const struct ctx_message *message, struct ctx_cost *cost,
    struct ctx_err *err);
/* Returns the tokens that a text of n bytes has for the model.  tokens: those
 * of the encoding.  They are multiplied by the factor and, if the counter
 * corrects its counts, corrected by ctx_text_correction. */
uint64_t ctx_text_to_model(const struct ctx_counter *counter, const char *p,
    size_t n, uint64_t tokens);
/* Returns how many thousandths of a token the digits, underscores, line breaks,
 * tabs, characters from U+3000 on and characters from U+10000 on of a text have
 * more (or less, if negative) than the encoding's tokens times the factor; 0 if
 * the counter does not correct its counts.  The correction of a text is the sum
 * of those of its parts. */
int64_t ctx_text_correction(const struct ctx_counter *counter, const char *p,
    size_t n);
/* Does what ctx_text_to_model does, with the correction of a text that is
 * counted in several parts. */
uint64_t ctx_correct_tokens(const struct ctx_counter *counter, uint64_t tokens,
    int64_t correction);
/* A counter may count with an encoding that is not the model's own, and
 * multiply the tokens by a factor (ctx_counter.factor). ctx_tokens_to_model
 * converts a number of tokens of the encoding to tokens of the model;
 * ctx_tokens_to_encoding does the reverse and rounds down. */
uint64_t ctx_tokens_to_model(const struct ctx_counter *counter,
    uint64_t tokens);
uint64_t ctx_tokens_to_encoding(const struct ctx_counter *counter,
    uint64_t tokens);
void ctx_counter_release(struct ctx_counter *counter);

/* ---- cost/request_overhead.c: tokens outside the messages of a request -- */

/* The tokens of a request that are not in its messages: those of the system
 * prompt, the tool definitions and others. */
struct ctx_request_overhead {
	/* all tokens of the request outside its messages: the members system
	 * and tools, and the framing of the request */
	uint64_t tokens;
	uint64_t system; /* tokens of the system prompt */
	/* Tokens of the tool definitions, and of the JSON schema for the
	 * response. */
	uint64_t tools;
	uint64_t estimated; /* how many of the request's tokens are estimated */
	/* Number of characters in the texts, and how many of these characters
	 * are in the system prompt. */
	uint64_t chars, system_chars;
};
/* Counts the tokens of a request that are not in its messages. layout says
 * where the request and its messages are in the record.  The tokens of tool
 * definitions are always an estimate, because providers publish only roughly
 * how they write these into the prompt. */
int ctx_count_request_overhead(struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct ctx_request_overhead *overhead, struct ctx_err *err);

/* ---- cost/billed_usage.c: tokens that a provider reports ---------------- */

/* Returns the sum of the numbers at the paths from a JSON node, which are the
 * input tokens that a provider has billed for a request (see struct ctx_usage).
 * Returns 0 if the first of them is missing, or if any is no number of tokens,
 * such as -1, 1e308 or a string. */
uint64_t ctx_billed_input(const struct ctx_json *json, uint32_t node,
    const char *const paths[CTX_USAGE_PATHS]);
/* Returns the input tokens that the object around a conversation's messages
 * reports, which is a request or a response; 0 if it reports none.  The object
 * may have the usage of another format than its messages, because gateways
 * translate only one of them. */
uint64_t ctx_billed_request(const struct ctx_json *json,
    const struct ctx_record_layout *layout);

/* The tokens that a provider has billed for a request, as far as the input
 * reports them. */
struct ctx_billed_usage {
	/* all input tokens, including those of the next two members */
	uint64_t input;
	/* tokens of the input that were read from the prompt cache */
	uint64_t read;
	/* tokens of the input that were written to the prompt cache */
	uint64_t written;
	/* Of the tokens written, those that the cache stores for an hour. */
	uint64_t written_hour;
	uint64_t output;
};
/* Reads the usage of a request. node and paths are those of ctx_billed_input;
 * row: the dialect whose usage has these paths.  A part that is not reported is
 * 0.  If the parts of the input are together more than the input, they are
 * reduced to it.  Returns false, with *usage all 0, if the input tokens are not
 * reported. */
bool ctx_billed_usage_read(const struct ctx_json *json, uint32_t node,
    const char *const paths[CTX_USAGE_PATHS], const struct ctx_dialect *row,
    struct ctx_billed_usage *usage);

/* ---- cost/calibration.c: a model's tokens per token of an encoding ------ */

/* A request from which the factor between billed and counted tokens is
 * computed. counted: the tokens of its texts, counted with the encoding.
 * billed: the tokens that the provider reported, without those of images and
 * everything else that is not text.  Both numbers are greater than 0. */
struct ctx_billed_sample {
	uint64_t counted, billed;
};
/* The line billed = overhead + factor * counted, fitted to the tokens of
 * several requests. */
struct ctx_calibration {
	double factor; /* billed tokens per counted token */
	/* half of the width of the 95 % interval of factor */
	double spread;
	/* By how much the requests have reduced the variance of the factor:
	 * from 0, they say nothing about it, to 1. */
	double learned;
	/* number of tokens that are billed with every request */
	double overhead;
	/* Errors of the fitted line, relative to the mean of the billed tokens:
	 * their root mean square, and the largest one. */
	double error, worst;
	/* The smallest factor, not less than the member "factor", with which
	 * overhead + upper * counted is at least the billed tokens of each
	 * request. */
	double upper;
};
/* The prior distribution of a model's factor, before any billed request is
 * known: a normal distribution.  Its mean is the member "factor", its standard
 * deviation the product of both members. */
struct ctx_factor_prior {
	double factor, spread;
};
/* Sets *prior to the prior distribution of a model's factor for an encoding: 1
 * if the encoding is the model's own, else as measured or, for a model that was
 * not measured, a wide one. */
void ctx_factor_prior_find(const struct ctx_model *model, const char *encoding,
    struct ctx_factor_prior *prior);
/* Fits a straight line to n requests, which gives the billed tokens for a
 * number of counted tokens.  The fewer requests there are, and the less they
 * agree, the nearer is the factor to that of prior.  Returns false if there are
 * no requests, or no tokens in them. */
bool ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n,
    const struct ctx_factor_prior *prior);

/* ---- cost/user_models.c: models that the user has defined ---------------- */

/* Models of a file.  A zeroed struct is valid and has none. */
struct ctx_user_models {
	struct ctx_model *list;
	size_t n;
	struct ctx_price *prices; /* a price for each element of list */
	/* The parsed file.  The names of the models point into it, so it is
	 * freed together with the list. */
	void *text;
};

/*
 * Reads the models that the user has defined in a JSON file: an object whose
 * members are models.  Each model is an object with any of window, input,
 * output (tokens), vendor, encoding, exact, factor, image [rule, x, y, edge],
 * tools [rule, once, forced], cache, cache_least, and price [in, out, read,
 * write, write for an hour] (dollars per million tokens).  Ctx-count(1)
 * explains the members.
 *
 * Members that a model does not have are those of the built-in model with its
 * name.  A model with an encoding is exact, with a factor of 1.  A relative
 * path of an encoding starts in the directory of the JSON file.
 *
 * Returns 1, 0 if the file does not exist, or -1 with *err, which may point to
 * path.  The models are released by the caller, unless -1 is returned.
 */
int ctx_user_models_read(struct ctx_user_models *models, const char *path,
    struct ctx_err *err);
void ctx_user_models_release(struct ctx_user_models *models);

/* ---- cost/model_counters.c: the token counter for each model ------------ */

/* How the texts of a model were counted. */
struct ctx_model_note {
	const struct ctx_model *model; /* NULL: no model was named */
	const char *encoding;
	enum ctx_basis basis;
};
#define CTX_MODEL_NOTES 16

/* Opens a token counter for each model that the input names.  The model of a
 * conversation is the first of these that is set: the member model, the model
 * that the record names, the member fallback.  The encoding is the member
 * encoding if it is set, else that of the model, else o200k_base as an
 * estimate. */
struct ctx_model_counters {
	const char *model, *encoding; /* chosen by the user, or NULL */
	/* model for conversations that name none, or NULL */
	const char *fallback;
	struct ctx_models own; /* models that the user has defined */
	/* path of the directory for compiled vocabularies */
	const char *cache;
	enum ctx_simd simd;
	/* True if ctx-count compares counted with billed tokens (--calibrate).
	 * Counts are then tokens of the encoding, not of the model: they are
	 * not multiplied by a factor, and not marked as estimates. */
	bool calibrating;
	/* True if the reasoning of earlier turns counts for every model.  The
	 * newest turn of a request that was sent earlier is another one than
	 * that of the whole conversation (ctx_model.drops_reasoning). */
	bool keeps_reasoning;
	struct ctx_model_counters_entry *entries; /* counters opened so far */
	size_t n, cap;
	/* For a warning: the first model name in the input that the table of
	 * models does not have; an empty string if there was none. */
	char unknown[80];
	/* To be shown to the user: the first name in the input that is an alias
	 * or has a version that the table lacks, and the model that this name
	 * is assumed to mean; NULL if there was none. */
	char alias[80];
	const struct ctx_model *alias_of;
	/* To be shown to the user: the first CTX_MODEL_NOTES models for which
	 * texts were counted. */
	struct ctx_model_note notes[CTX_MODEL_NOTES];
	size_t n_notes;
	struct ctx_intern names; /* model names after decoding */
	struct ctx_buf text;     /* scratch memory */
};

/* The model of a conversation, and the token counter for it.  The struct
 * ctx_model_counters owns the counter, which is valid until that struct is
 * released. */
struct ctx_model_counter {
	/* NULL: the conversation names no model */
	const struct ctx_model *model;
	/* The name by which the user or the input names the model.  It is valid
	 * as long as the option or the record that contains it.  In a
	 * conversation whose messages are records of their own, a name from one
	 * of these records becomes empty when that record is not valid any
	 * more.  A name with JSON escapes is decoded, and then valid as long as
	 * the struct ctx_model_counters.  Such a name remains a JSON string if
	 * it has more than 256 bytes, or if 4,096 different names were decoded
	 * before it. */
	struct ctx_str name;
	struct ctx_counter *counter;
	const char *encoding;
};

/* The following functions take the name of a model as the JSON string that the
 * record contains, with its quotes (literal); n is 0 if the record names no
 * model. */

/* Finds the model of a conversation and its token counter, which is opened if
 * necessary. */
int ctx_model_counters_find(struct ctx_model_counters *counters,
    struct ctx_str literal, struct ctx_model_counter *model_counter,
    struct ctx_err *err);
/* Sets *binds to true if the provider refuses signed reasoning of the model
 * when anything before it was changed (ctx_model_binds), or if no model is
 * named.  Opens no tokenizer. */
int ctx_model_counters_binds(struct ctx_model_counters *counters,
    struct ctx_str literal, bool *binds, struct ctx_err *err);
/* Sets *row to the row of the table of models for a model, or to NULL.  Opens
 * no tokenizer. */
int ctx_model_counters_model(struct ctx_model_counters *counters,
    struct ctx_str literal, const struct ctx_model **row, struct ctx_err *err);
void ctx_model_counters_release(struct ctx_model_counters *counters);

#endif
