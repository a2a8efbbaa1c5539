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
	const char *name; /* a prefix of the names it stands for */
	const char *vendor;
	uint64_t window; /* tokens of context */
	uint64_t input;  /* most tokens of input; 0: the window */
	uint64_t output; /* most tokens of one answer */
	const char *encoding;
	bool exact;       /* the encoding is the model's own */
	uint32_t factor;  /* else its tokens for 100 of the encoding's; 0: not
			   * known, as many */
	const char *file; /* where its own is to be had, or NULL */
	struct ctx_image image;
	struct ctx_tools tools;
	enum ctx_cache_kind cache;
	uint32_t cache_least; /* tokens of the shortest prefix cached */
	/* True if the model refuses signed reasoning after anything that was
	 * changed (platform.claude.com, "Prefix checks on thinking blocks",
	 * November 2026). */
	bool binds;
	/* Millionths of a dollar for a million tokens; 0: not known. */
	uint64_t price_in, price_out, price_read, price_write;
};

/* A list of models that goes before the table; the caller's. */
struct ctx_models {
	const struct ctx_model *list;
	size_t n;
};

/* Row i of the table, or NULL behind the last. */
const struct ctx_model *ctx_model_at(size_t i);
/* The day of the table, as 2026-11-21. */
const char *ctx_models_date(void);
/*
 * The row, of own (or NULL) and the table, whose name is the longest prefix
 * of name.  Letters of either case are the same, and so are dots, dashes,
 * underscores, colons and @; a version does not end between digits.  What
 * stands before the name, up to 15 parts, is left aside: "openrouter/openai/",
 * "us.anthropic.", "ft:"; and "hermes-3-" of "hermes-3-llama-3.1-70b", if
 * nothing begins so.  Names of no row, and of more than 256 bytes, get the one
 * that stands for unknown, local models: 32,000 tokens; its vendor is
 * "unknown".
 */
const struct ctx_model *ctx_model_find(const struct ctx_models *own,
    const char *name, size_t n);
/*
 * True if the model of this name binds signed reasoning to what stands before
 * it.  A Claude model of a version that has no row does, and so does a model
 * that is not known (model NULL, or the row for unknown models).
 */
bool ctx_model_binds(const struct ctx_model *model, struct ctx_str name);
/* The most tokens a conversation may hold: the input cap or the window. */
uint64_t ctx_model_limit(const struct ctx_model *model);
/* "tiles", ..., "types", ... and "auto", "control", ...; "-" is none. */
const char *ctx_image_rule_name(enum ctx_image_rule rule);
const char *ctx_tools_rule_name(enum ctx_tools_rule rule);
const char *ctx_cache_name(enum ctx_cache_kind cache);

/* ---- cost/message_tokens.c: tokens of a message ------------------------- */

/* What stands in for the body of a result that a plan cleared; of an aged one
 * (age/age_stream.c) its reference is left. */
#define CTX_CLEARED "[cleared]"

/* What a message costs, in tokens. */
struct ctx_cost {
	uint64_t tokens;    /* all of it */
	uint64_t framing;   /* of these, what every message costs */
	uint64_t reasoning; /* of these, what stripping it would save */
	uint64_t results;   /* of these, its results, bodies and all */
	uint64_t clearable; /* of these, what clearing the results would save */
	uint64_t chars;     /* characters of its texts */
	uint64_t estimated; /* of the tokens, what is no exact count */
	/* Where the answer stands in the message too: the tokens, framing
	 * included, and the estimated ones that stand before it; else 0. */
	uint64_t prompt_tokens, prompt_estimated;
	uint64_t kinds[CTX_BLOCK_KINDS]; /* of the tokens, those of parts; the
					  * blocks of a result are RESULT */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS]; /* of those, what is no
							exact count */
};

/*
 * Counts messages with one encoding.  A text is what the model is shown: a
 * string's text, or the JSON of anything else.  OpenAI framing: 3 tokens a
 * message, 1 a name, 3 once ("How to count tokens with tiktoken", OpenAI
 * cookbook); a call costs its name and its arguments.  Media cost what the
 * model's rule says of their size (cost/media.c), without one what OpenAI's
 * tiles do, and are an estimate; so is what is encrypted, 3 tokens for 16
 * bytes of base64.
 * Texts that several messages repeat, role names above all, cost one look.
 */
struct ctx_counter {
	struct ctx_token_counter *tokens; /* the caller's */
	bool exact;                       /* the encoding is the model's own */
	uint32_t factor;        /* tokens of the model for 100; 0: 100 */
	struct ctx_image image; /* of the model; no rule: the dialect's */
	struct ctx_tools tools; /* the same */
	struct ctx_buf text;    /* scratch */
	uint64_t cleared;       /* tokens of CTX_CLEARED in a result ... */
	const struct ctx_dialect *cleared_in; /* ... of this dialect */
	struct ctx_buf aged; /* the reference of the result in hand, if any */
};

/* Adds tokens and characters of one value to *cost. */
int ctx_count_value(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err);
/* Adds what part i of a message costs; parts owned by it are not in it. */
int ctx_count_block(struct ctx_counter *counter,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    size_t i, struct ctx_cost *cost, struct ctx_err *err);
/* Adds what part *i, a result, costs with the parts that it owns; *i is then
 * the last of them. */
int ctx_count_result(struct ctx_counter *counter,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    size_t *i, struct ctx_cost *cost, struct ctx_err *err);
/* Sets *saved to the tokens that clearing part i, a result, would save, and
 * *left to the text that would be left, until the counter's next use. */
int ctx_count_clear_savings(struct ctx_counter *counter,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    size_t i, struct ctx_str *left, uint64_t *saved, struct ctx_err *err);
/* Sets *cost to what a message costs. */
int ctx_count_message(struct ctx_counter *counter,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    struct ctx_cost *cost, struct ctx_err *err);
/* Tokens of the model for a text of so many tokens of the encoding, and the
 * most tokens of the encoding that come to no more than tokens. */
uint64_t ctx_tokens_to_model(const struct ctx_counter *counter,
    uint64_t tokens);
uint64_t ctx_tokens_to_encoding(const struct ctx_counter *counter,
    uint64_t tokens);
void ctx_counter_release(struct ctx_counter *counter);

/* ---- cost/request_overhead.c: tokens outside the messages of a request -- */

/* Tokens, and characters of the texts. */
struct ctx_request_overhead {
	uint64_t tokens;    /* all of it: framing, and ... */
	uint64_t system;    /* ... the system prompt of the request, */
	uint64_t tools;     /* ... definitions of tools and of the answer */
	uint64_t estimated; /* of the tokens, what is no exact count */
	uint64_t chars;
};
/*
 * Sets *beside to what the conversation costs whose shape it is.  How the
 * definitions are written for the model is known in outline only, so they are
 * an estimate whatever the encoding.
 */
int ctx_count_request_overhead(struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct ctx_request_overhead *overhead, struct ctx_err *err);

/* ---- cost/billed_usage.c: what providers say that a call took ----------- */

/* The input tokens, cached ones among them, of a usage object as one of the
 * dialects has it, or the number itself; 0 if there are none, or usage is
 * 0. */
uint64_t ctx_billed_input(const struct ctx_json *json, uint32_t usage);

/* ---- cost/calibration.c: a model's tokens for those of an encoding ------ */

/* A call: tokens of the encoding that its texts come to (more than 0), and
 * what the provider said, less what is no text (more than 0). */
struct ctx_billed_sample {
	uint64_t counted, billed;
};
struct ctx_calibration {
	double factor; /* billed for one that was counted */
	double spread; /* it is so far off at most, with 95 % confidence;
			* INFINITY: one call, or two, cannot tell */
	double beside; /* tokens that were billed with every call */
	double beside_spread;
	double error, worst; /* quadratic mean and largest, in shares of the
			      * mean call */
	double upper;        /* with this factor no call is counted too low */
};
/* False: there is nothing to fit. */
bool ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *calls, size_t n);

/* ---- cost/model_counters.c: the right counter for each model ------------ */

/*
 * Which model a conversation is for, and how its tokens are counted.  The
 * model is the one that was asked for, else the one that the record names,
 * else the fallback, else none; the encoding is the one that was asked for,
 * else the model's, else o200k_base, which then is an estimate.
 */
struct ctx_model_counters {
	const char *model, *encoding; /* asked for, or NULL */
	const char *fallback;         /* model of the environment, or NULL */
	struct ctx_models own;        /* the user's models */
	const char *cache;            /* directory of compiled vocabularies */
	enum ctx_simd simd;
	struct ctx_meter_entry *entries; /* encodings opened so far */
	size_t n, cap;
	/* What people may want to be told, of the first such model: */
	char unknown[80];             /* the name that no row has */
	const struct ctx_model *near; /* counted by another's tokenizer, though
				       * its own is to be had */
	struct ctx_intern names;      /* that were given with escapes, and */
	struct ctx_buf text;          /* scratch */
};

/* A model and its counter; the counter is the meter's, in use until the
 * meter is released. */
struct ctx_model_counter {
	const struct ctx_model *model; /* NULL: none is known */
	struct ctx_str name; /* as it was given; lives as what gave it, but
			      * decoded as the meter, which decodes none of
			      * more than 256 bytes, and 4096 in all */
	struct ctx_counter *counter;
	const char *encoding;
};

/* model: the node of json that names one, or 0. */
int ctx_model_counters_find(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Sets *binds to whether that model binds signed reasoning; opens no
 * tokenizer. */
int ctx_model_counters_binds(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model, bool *binds,
    struct ctx_err *err);
/* Sets *window to the tokens of that model's window, 0 if no model is named or
 * its window is not known; opens no tokenizer. */
int ctx_meter_window(struct ctx_model_counters *counters,
    const struct ctx_json *json, uint32_t model, uint64_t *window,
    struct ctx_err *err);
void ctx_model_counters_release(struct ctx_model_counters *counters);

#endif
