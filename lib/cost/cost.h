/*
 * cost.h - models, and the tokens of messages and requests
 */
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
	/* If not exact: the model's tokens per 100 tokens of the encoding; 0:
	 * not known, taken as 100. */
	uint32_t factor;
	/* Where the model's own tokenizer is on huggingface.co, or NULL. */
	const char *file;
	struct ctx_image image;
	struct ctx_tools tools;
	enum ctx_cache_kind cache;
	uint32_t cache_least; /* tokens of the shortest prefix it caches */
	/* True if the model refuses signed reasoning after a changed message
	 * (platform.claude.com, "Prefix checks on thinking blocks", November
	 * 2026). */
	bool binds;
	/* Millionths of a dollar per million tokens: input, output, cache read,
	 * cache write; 0: not known. */
	uint64_t price_in, price_out, price_read, price_write;
};

/* Models that the caller adds to the table. */
struct ctx_models {
	const struct ctx_model *list;
	size_t n;
};

/* Returns row i of the table, or NULL after the last. */
const struct ctx_model *ctx_model_at(size_t i);
/* Returns the date of the table, as 2026-11-21. */
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
/*
 * Returns true if the model of this name refuses signed reasoning after a
 * changed message (ctx_model.binds).  Claude versions without a row are taken
 * to refuse it, and so are unknown models (NULL, or the row for them).
 */
bool ctx_model_binds(const struct ctx_model *model, struct ctx_str name);
/* Returns the maximum tokens of a conversation: input if set, else window. */
uint64_t ctx_model_limit(const struct ctx_model *model);
/* Return the name of a rule or cache kind, as in the table of models; "-" is
 * NONE. */
const char *ctx_image_rule_name(enum ctx_image_rule rule);
const char *ctx_tools_rule_name(enum ctx_tools_rule rule);
const char *ctx_cache_name(enum ctx_cache_kind cache);

/* ---- cost/message_tokens.c: tokens of a message ------------------------- */

/* The text that replaces the body of a cleared tool result.  The body of an
 * aged result (age/age_stream.c) is replaced by its reference. */
#define CTX_CLEARED "[cleared]"

/* The cost of a message in tokens. */
struct ctx_cost {
	uint64_t tokens;    /* total; the next four are contained in it */
	uint64_t framing;   /* role and per_message of the dialect */
	uint64_t reasoning; /* saved if the reasoning were removed */
	uint64_t results;   /* of the tool results, with their names */
	uint64_t clearable; /* saved if the tool results were cleared */
	uint64_t chars;     /* characters of the texts */
	uint64_t estimated; /* of the total, tokens that are not exact */
	/* For a message that contains a prompt and its response: tokens of the
	 * prompt, with framing, and how many of them are estimated; else 0. */
	uint64_t prompt_tokens, prompt_estimated;
	/* Of the total, tokens by kind of block.  Blocks in a tool result count
	 * as TOOL_RESULT. */
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
	bool exact;      /* true if the encoding is the model's own */
	uint32_t factor; /* model tokens per 100 of the encoding; 0: 100 */
	/* The model's rules; NONE: the dialect's. */
	struct ctx_image image;
	struct ctx_tools tools;
	struct ctx_buf text;                  /* scratch */
	uint64_t cleared;                     /* tokens of CTX_CLEARED ... */
	const struct ctx_dialect *cleared_in; /* ... in this dialect */
	struct ctx_buf aged; /* reference of the current tool result, if any */
};

/* Adds the tokens and characters of one JSON value to *cost. */
int ctx_count_value(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err);
/* Adds the cost of block i of a message to *cost, without that of the blocks in
 * it if it is a tool result. */
int ctx_count_block(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Adds the cost of tool result *i and of the blocks in it to *cost.  Sets *i to
 * the last of these blocks. */
int ctx_count_result(struct ctx_counter *counter,
    const struct ctx_message *message, size_t *i, struct ctx_cost *cost,
    struct ctx_err *err);
/* Sets *saved to the tokens that clearing tool result i would save, and *left
 * to the text that would replace its body (valid until the counter is used
 * again). */
int ctx_count_clear_savings(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str *left,
    uint64_t *saved, struct ctx_err *err);
/* Sets *cost to the cost of a message. */
int ctx_count_message(struct ctx_counter *counter,
    const struct ctx_message *message, struct ctx_cost *cost,
    struct ctx_err *err);
/* ctx_tokens_to_model returns the model's tokens for a number of tokens of the
 * encoding.  ctx_tokens_to_encoding is the reverse, rounded down. */
uint64_t ctx_tokens_to_model(const struct ctx_counter *counter,
    uint64_t tokens);
uint64_t ctx_tokens_to_encoding(const struct ctx_counter *counter,
    uint64_t tokens);
void ctx_counter_release(struct ctx_counter *counter);

/* ---- cost/request_overhead.c: tokens outside the messages of a request -- */

/* The cost of a request without its messages, in tokens. */
struct ctx_request_overhead {
	uint64_t tokens;    /* total: framing, system and tools */
	uint64_t system;    /* system prompt */
	uint64_t tools;     /* tool definitions and the response schema */
	uint64_t estimated; /* of the total, tokens that are not exact */
	uint64_t chars;     /* characters of the texts */
};
/*
 * Sets *overhead for the conversation of this layout.  Tool definitions are
 * always an estimate, because providers publish only an outline of how they
 * write them into the prompt.
 */
int ctx_count_request_overhead(struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct ctx_request_overhead *overhead, struct ctx_err *err);

/* ---- cost/billed_usage.c: tokens that a provider reports ---------------- */

/* Returns the input tokens of a request, with cached ones, that a usage object
 * of any dialect reports; usage may also be a number.  Returns 0 if it reports
 * none, or if usage is 0. */
uint64_t ctx_billed_input(const struct ctx_json *json, uint32_t usage);

/* ---- cost/calibration.c: a model's tokens per token of an encoding ------ */

/* One request, in tokens, both greater than 0: its texts counted with the
 * encoding, and the provider's figure without what is not text. */
struct ctx_billed_sample {
	uint64_t counted, billed;
};
/* The line billed = beside + factor * counted. */
struct ctx_calibration {
	double factor; /* billed tokens per counted token */
	/* Half of the 95 % confidence interval of factor; INFINITY if there are
	 * too few requests to tell. */
	double spread;
	double beside; /* tokens billed with every request */
	double beside_spread;
	/* Root mean square and largest error, as a share of the mean billed
	 * tokens. */
	double error, worst;
	double upper; /* the smallest factor that underestimates no request */
};
/* Fits the line to n requests.  Returns false if that is not possible. */
bool ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n);

/* ---- cost/model_counters.c: the token counter for each model ------------ */

/*
 * Opens the token counters of models, each once.
 * The model of a conversation is, in this order: model, the one that its record
 * names, fallback, or none.
 * The encoding is: encoding, the model's, or o200k_base as an estimate.
 */
struct ctx_model_counters {
	const char *model, *encoding; /* chosen by the user, or NULL */
	const char *fallback;         /* model from the environment, or NULL */
	struct ctx_models own;        /* models of the user */
	const char *cache;            /* directory of compiled vocabularies */
	enum ctx_simd simd;
	struct ctx_model_counters_entry *entries; /* counters opened so far */
	size_t n, cap;
	/* The first model name without a row, for a warning; else "". */
	char unknown[80];
	/* The first model counted with another model's tokenizer although its
	 * own is available, for a warning; or NULL. */
	const struct ctx_model *near;
	struct ctx_intern names; /* decoded model names */
	struct ctx_buf text;     /* scratch */
};

/* A model and its token counter.  The counter is owned by the
 * ctx_model_counters and valid until they are released. */
struct ctx_model_counter {
	const struct ctx_model *model; /* NULL: no model is named */
	/* The name as given, valid as long as the option or record that gives
	 * it.  A name with escapes is decoded, and valid as long as the
	 * ctx_model_counters; longer than 256 bytes, or after 4,096 different
	 * names, it stays a JSON string. */
	struct ctx_str name;
	struct ctx_counter *counter;
	const char *encoding;
};

/* Sets *model_counter for the model that this node of json names (0: none). */
int ctx_model_counters_find(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Sets *binds to ctx_model_binds of that model; true if there is no model.
 * Opens no tokenizer. */
int ctx_model_counters_binds(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model, bool *binds,
    struct ctx_err *err);
/* Sets *row to the row of that model, or to NULL if there is no model or it is
 * not known.  Opens no tokenizer. */
int ctx_model_counters_model(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model, const struct ctx_model **row,
    struct ctx_err *err);
void ctx_model_counters_release(struct ctx_model_counters *counters);

#endif
