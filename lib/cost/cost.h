/* cost.h - models with their windows and prices, and the tokens of messages
 * and requests */
#ifndef CTX_COST_H
#define CTX_COST_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "message/message.h"
#include "tokenizer/tokenizer.h"

/* ---- cost/models.c: windows, encodings and prices of models ------------- */

struct ctx_model {
	const char *name; /* a prefix of the names of the model */
	const char *vendor;
	uint64_t window; /* context window in tokens */
	uint64_t input;  /* maximum input tokens; 0: the window */
	uint64_t output; /* maximum tokens of one response */
	const char *encoding;
	bool exact; /* true if the encoding is the model's own */
	/* For a model whose tokenizer is not public: how many of its tokens
	 * correspond to 100 tokens of the encoding; 0: not known, taken as
	 * 100. */
	uint32_t factor;
	/* URL path of the model's own tokenizer on huggingface.co, or NULL. */
	const char *file;
	struct ctx_image image;
	struct ctx_tools tools;
	enum ctx_cache_kind cache;
	uint32_t cache_least; /* tokens of the shortest prefix it caches */
	/* True if the provider refuses a request in which anything before the
	 * model's signed reasoning was changed (platform.claude.com, "Prefix
	 * checks on thinking blocks", November 2026). */
	bool binds;
	/* Prices in millionths of a dollar per million tokens: of input,
	 * output, tokens read from the prompt cache, and tokens written to it;
	 * 0: not known. */
	uint64_t price_in, price_out, price_read, price_write;
};

/* Models that the caller adds to the built-in table of models. */
struct ctx_models {
	const struct ctx_model *list;
	size_t n;
};

/* Returns entry i of the built-in table of models, or NULL after the last. */
const struct ctx_model *ctx_model_at(size_t i);
/* Returns the date of the built-in table of models, such as "2026-11-21". */
const char *ctx_models_date(void);
/*
 * Returns the row whose name is the longest prefix of the name of n bytes, from
 * own (may be NULL) and the table; own is preferred if both are equally long.
 *  - Case does not matter, and . - _ : @ are equal.
 *  - A prefix does not end within a number: gpt-5-2 is not one of gpt-5-2025.
 *  - Up to 15 words before the model are skipped: "openrouter/openai/",
 *    "us.anthropic.", "ft:".  If no row fits, words before dashes are skipped,
 *    too: "hermes-3-" of "hermes-3-llama-3.1-70b".
 * A name without a row, or of more than 256 bytes, gets the row for unknown
 * local models: vendor "unknown", a window of 32,000 tokens.
 */
const struct ctx_model *ctx_model_find(const struct ctx_models *own,
    const char *name, size_t n);
/* Returns true if the provider refuses requests with signed reasoning of this
 * model after a changed message (ctx_model.binds).  This is assumed for
 * versions of Claude that are not in the table, and for unknown models (model
 * is NULL or the entry for them). */
bool ctx_model_binds(const struct ctx_model *model, struct ctx_str name);
/* Returns the maximum tokens of a conversation: the model's input limit if it
 * has one, else its window. */
uint64_t ctx_model_limit(const struct ctx_model *model);
/* Return the name of an image rule or a kind of prompt cache, as in the table
 * of models; "-" for NONE. */
const char *ctx_image_rule_name(enum ctx_image_rule rule);
const char *ctx_tools_rule_name(enum ctx_tools_rule rule);
const char *ctx_cache_name(enum ctx_cache_kind cache);

/* ---- cost/message_tokens.c: tokens of a message ------------------------- */

/* The text that replaces the text of a tool result which is cleared.  A result
 * that ctx-age has already replaced by a reference to a file keeps the
 * reference instead. */
#define CTX_CLEARED "[cleared]"

/* The cost of a message in tokens. */
struct ctx_cost {
	/* total number of tokens; the next four members are parts of it */
	uint64_t tokens;
	uint64_t framing;   /* role and per_message of the dialect */
	uint64_t reasoning; /* saved if the reasoning were removed */
	uint64_t results;   /* of the tool results, with their names */
	uint64_t clearable; /* saved if the tool results were cleared */
	uint64_t chars;     /* characters of the texts */
	uint64_t estimated; /* of the total, tokens that are not exact */
	/* For a message that contains a prompt and its response: tokens of the
	 * prompt with those for its role, and how many of them are estimated;
	 * else 0. */
	uint64_t prompt_tokens, prompt_estimated;
	/* The total divided by kind of block.  Blocks inside a tool result
	 * count as CTX_BLOCK_TOOL_RESULT. */
	uint64_t kinds[CTX_BLOCK_KINDS];
	/* Of these, tokens that are not exact. */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS];
};

/*
 * Counts messages with one encoding.
 *  - The text of a string is counted, or the JSON of any other value.
 *  - OpenAI framing: 3 tokens per message, 1 per name, 3 per conversation ("How
 *    to count tokens with tiktoken", OpenAI cookbook).
 *  - A tool call costs its tool's name and its arguments.
 *  - Media are estimated from their size by the image rule of the model, else
 *    of the dialect, else OpenAI's tiles (cost/media.c).
 *  - Encrypted reasoning is estimated as 3 tokens per 16 bytes of base64.
 * Texts that repeat, such as role names, are looked up in the token counter's
 * cache.
 */
struct ctx_counter {
	struct ctx_token_counter *tokens; /* the caller's */
	bool exact; /* true if the encoding is the model's own */
	/* tokens of the model per 100 tokens of the encoding; 0: equally many
	 */
	uint32_t factor;
	/* The model's rules; NONE: the dialect's. */
	struct ctx_image image;
	struct ctx_tools tools;
	struct ctx_buf text;                  /* scratch */
	uint64_t cleared;                     /* tokens of CTX_CLEARED ... */
	const struct ctx_dialect *cleared_in; /* ... in this dialect */
	/* reference to a file in the tool result that is being counted, if it
	 * has one */
	struct ctx_buf aged;
};

/* Adds the tokens and characters of one JSON value to the totals in *cost. */
int ctx_count_value(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err);
/* Adds the tokens of block i of a message to the totals in *cost.  If the
 * block is a tool result, the blocks inside it are left out. */
int ctx_count_block(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Adds the tokens of the tool result in block *i, and of the blocks inside it,
 * to the totals in *cost.  Sets *i to the last of these blocks. */
int ctx_count_result(struct ctx_counter *counter,
    const struct ctx_message *message, size_t *i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Sets *saved to the tokens that are saved if tool result i is cleared
 * (replaced by a short text), and *left to that text, which is valid until the
 * counter is used again. */
int ctx_count_clear_savings(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str *left,
    uint64_t *saved, struct ctx_err *err);
/* Sets *cost to the cost of a message. */
int ctx_count_message(struct ctx_counter *counter,
    const struct ctx_message *message, struct ctx_cost *cost,
    struct ctx_err *err);
/* ctx_tokens_to_model converts a number of tokens of the encoding to tokens of
 * the model. ctx_tokens_to_encoding does the reverse and rounds down. */
uint64_t ctx_tokens_to_model(const struct ctx_counter *counter,
    uint64_t tokens);
uint64_t ctx_tokens_to_encoding(const struct ctx_counter *counter,
    uint64_t tokens);
void ctx_counter_release(struct ctx_counter *counter);

/* ---- cost/request_overhead.c: tokens outside the messages of a request -- */

/* The tokens of a request that are not in its messages, such as those of tool
 * definitions. */
struct ctx_request_overhead {
	uint64_t tokens; /* total: framing, system and tools */
	uint64_t system; /* system prompt */
	/* tokens of the tool definitions, and of the JSON schema for the
	 * response */
	uint64_t tools;
	uint64_t estimated; /* of the total, tokens that are not exact */
	uint64_t chars;     /* characters of the texts */
};
/* Sets *overhead to the tokens outside the messages of the request that this
 * layout belongs to.  Those of tool definitions are always an estimate,
 * because providers publish only roughly how they write them into the prompt.
 */
int ctx_count_request_overhead(struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct ctx_request_overhead *overhead, struct ctx_err *err);

/* ---- cost/billed_usage.c: tokens that a provider reports ---------------- */

/* Returns the input tokens of a request, cached ones included, that a usage
 * object of any format reports. usage is the JSON node of the object or of a
 * number.  Returns 0 if no input tokens are reported, or if usage is 0. */
uint64_t ctx_billed_input(const struct ctx_json *json, uint32_t usage);

/* ---- cost/calibration.c: a model's tokens per token of an encoding ------ */

/* One request for the calibration. counted: the tokens of its texts, counted
 * with the encoding. billed: the tokens that the provider reported, less those
 * of images and everything else that is not text.  Both numbers are greater
 * than 0. */
struct ctx_billed_sample {
	uint64_t counted, billed;
};
/* The fitted line billed = beside + factor * counted (tokens of a request). */
struct ctx_calibration {
	double factor; /* billed tokens per counted token */
	/* Half of the 95 % confidence interval of factor; INFINITY if there
	 * are too few requests for one. */
	double spread;
	double beside; /* tokens billed with every request */
	double beside_spread;
	/* Root mean square error and largest error of the fitted line, as
	 * shares of the mean billed tokens. */
	double error, worst;
	/* smallest factor with which no request is estimated too low */
	double upper;
};
/* Fits a straight line to n requests: billed tokens as a function of counted
 * tokens.  Returns false if no line can be fitted. */
bool ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n);

/* ---- cost/model_counters.c: the token counter for each model ------------ */

/* Opens token counters, one for each model that occurs.  The model of a
 * conversation is the first of these that is set: the member model, the model
 * that the record names, the member fallback.  The encoding is the member
 * encoding, else the model's; else o200k_base is used as an estimate. */
struct ctx_model_counters {
	const char *model, *encoding; /* chosen by the user, or NULL */
	const char *fallback;         /* model from the environment, or NULL */
	struct ctx_models own;        /* models of the user */
	const char *cache;            /* directory of compiled vocabularies */
	enum ctx_simd simd;
	struct ctx_model_counters_entry *entries; /* counters opened so far */
	size_t n, cap;
	/* The first model name that is not in the table, for a warning; an
	 * empty string if there was none. */
	char unknown[80];
	/* The first model that was counted with another model's tokenizer
	 * although its own is available, for a warning; or NULL. */
	const struct ctx_model *near;
	struct ctx_intern names; /* decoded model names */
	struct ctx_buf text;     /* scratch */
};

/* A model and its token counter.  The struct ctx_model_counters owns the
 * counter, which is valid until that is released. */
struct ctx_model_counter {
	const struct ctx_model *model; /* NULL: no model is named */
	/* The model's name as it was given.  It is valid as long as the option
	 * or the record that contains it; a name with JSON escapes is decoded
	 * and valid as long as the struct ctx_model_counters.  A name of more
	 * than 256 bytes, or after 4,096 different names, is left as a JSON
	 * string. */
	struct ctx_str name;
	struct ctx_counter *counter;
	const char *encoding;
};

/* Sets *model_counter for the model whose name is the JSON node node; 0: no
 * name. */
int ctx_model_counters_find(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Sets *binds to the result of ctx_model_binds for the model that this JSON
 * node names; true if there is no model.  Does not open a tokenizer. */
int ctx_model_counters_binds(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model, bool *binds,
    struct ctx_err *err);
/* Sets *row to the table entry of the model that this JSON node names; NULL if
 * there is none.  Does not open a tokenizer. */
int ctx_model_counters_model(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model, const struct ctx_model **row,
    struct ctx_err *err);
void ctx_model_counters_release(struct ctx_model_counters *counters);

#endif
