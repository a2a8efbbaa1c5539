/*
 * ctx.h - libctx: count, prune, truncate, age and check conversations with
 * language models
 *
 * libctx reads conversations as JSON: messages, requests, or session files of
 * agents (ctx-stream(5)).  It counts tokens, and removes or shortens messages;
 * providers accept the rest.  Other bytes are not changed.
 *
 * This program fits conversations into 100,000 tokens:
 *
 *     #include <ctx.h>
 *     #include <stdio.h>
 *
 *     int
 *     main(void)
 *     {
 *         struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
 *         struct ctx_error error = CTX_ERROR_INIT;
 *         struct ctx_input *input = NULL;
 *         struct ctx_output *output = NULL;
 *         int rc = -1;
 *
 *         options.budget = 100000;
 *         if (ctx_input_open_fd(&input, 0, NULL, &error) == 0 &&
 *             ctx_output_open_fd(&output, 1, &error) == 0)
 *             rc = ctx_prune(input, output, &options, NULL, &error);
 *         if (rc < 0)
 *             fprintf(stderr, "%s\n", error.text);
 *         ctx_output_free(output);
 *         ctx_input_free(input);
 *         return rc < 0 ? 2 : rc;
 *     }
 *
 * Rules that hold for every function:
 *  - A function that can fail returns -1 and fills the error, which may be
 *    NULL.  Otherwise it returns 0, or 1 where its comment says so, and leaves
 *    the error unchanged.  If a handle cannot be opened, it is set to NULL.
 *  - "Errors:" lists the kinds of errors that a function can have, without the
 *    prefix CTX_ERROR_.  A function without a parameter "error" never fails.
 *  - A text is UTF-8.  It is NUL-terminated unless a length in bytes is passed
 *    with it.  A const char * that a function returns belongs to the library,
 *    and lives as long as the program unless the comment says otherwise.
 *  - A handle (struct ctx_input, struct ctx_output, struct ctx_encoding) may be
 *    used by one thread at a time.  Different handles may be used at the same
 *    time, and functions without a handle by any thread.  A handle has copies
 *    of the names and options with which it was opened.
 *  - A pointer may be NULL for ..._free, else only where a comment says so.
 *  - The library prints nothing, and does not read the environment or a clock.
 *    Only SIGPIPE or SIGXFSZ, at a write, can end the process.
 *  - After fork(2), a child must not use or free an input with threads > 1.
 *  - A pointer that a callback gets is valid until the callback returns.  A
 *    callback must not throw, nor use the handles that its caller uses.
 *
 * Options and results are structs that begin with their size in bytes.  The
 * macro ..._INIT, as above, sets the size and clears the other members.  A
 * cleared option has its default.  Options without a size are an error, and a
 * result without a size gets no values.  Later versions may add members at the
 * end: programs compiled before still run, with the defaults of these members.
 *
 * Until version 1.0 a release may change this interface; the number in the name
 * of the shared library (CTX_ABI) then changes, so compiled programs still run.
 */
#ifndef CTX_H
#define CTX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTX_VERSION "0.1.0"
#define CTX_ABI     2
#if defined(__GNUC__)
#define CTX_API __attribute__((visibility("default")))
#else
#define CTX_API
#endif

#ifdef __cplusplus
extern "C++" template <class T>
inline T
ctx_make_sized()
{
	T value = T();
	value.size = sizeof(T);
	return value;
}
#define CTX_INIT(type) ctx_make_sized<type>()
extern "C" {
#else
#define CTX_INIT(type)               \
	{                            \
		.size = sizeof(type) \
	}
#endif

/* Value of an option that means zero or none, because 0 means the default. */
#define CTX_NONE UINT64_MAX

/* ---- Version and errors -------------------------------------------------- */

/* Returns the library's version, such as CTX_VERSION.  Never fails. */
CTX_API const char *ctx_version(void);

enum ctx_error_kind {
	CTX_ERROR_NONE,
	CTX_ERROR_MEMORY,   /* there is no memory */
	CTX_ERROR_SYSTEM,   /* a system call failed, or a file has changed */
	CTX_ERROR_PIPE,     /* no process reads the output pipe any more */
	CTX_ERROR_INPUT,    /* the input is not valid JSON or UTF-8 */
	CTX_ERROR_LIMIT,    /* an input or text exceeds a limit of ctx */
	CTX_ERROR_ARGUMENT, /* an option is wrong, or a callback has failed */
	CTX_ERROR_FILE,     /* a file has a wrong format, owner or mode */
};

/* Describes why a function of the library has failed. */
struct ctx_error {
	size_t size;
	int kind;        /* enum ctx_error_kind */
	int system;      /* errno of the system call that failed, else 0 */
	uint64_t line;   /* line of the input, from 1; 0: not known */
	uint64_t column; /* byte in that line, from 1; 0: not known */
	char file[256];  /* name of the input file; "": not known */
	char text[256];  /* why it failed, as one clause in lower case */
};
#define CTX_ERROR_INIT CTX_INIT(struct ctx_error)
/* Writes an error with its place to out, such as "chat.jsonl:3:17: expected a
 * value".  size: bytes of out; 600 are enough, more is cut.  Never fails. */
CTX_API void ctx_error_format(const struct ctx_error *error, char *out,
    size_t size);

/* Frees the memory in a ctx_bytes or ctx_id_list, or NULL.  Never fails. */
CTX_API void ctx_free(void *memory);

/* ---- Names --------------------------------------------------------------- */

/* Return name number i, from 0, in a list; NULL: the list has fewer names.
 * Dialects are message formats (ctx-stream(5)); strategies are those of
 * ctx_prune (ctx-strategy(7)); encodings (ctx-encoding(7)) and models are built
 * in; providers and rules are those of ctx-check(1).  Never fail. */
CTX_API const char *ctx_dialect_name(size_t i);
CTX_API const char *ctx_strategy_name(size_t i);
CTX_API const char *ctx_encoding_name(size_t i);
CTX_API const char *ctx_model_name(size_t i);
CTX_API const char *ctx_provider_name(size_t i);
CTX_API const char *ctx_rule_name(size_t i);

/* Returns what a rule finds, in one line; NULL: unknown rule.  Never fails. */
CTX_API const char *ctx_rule_about(const char *name);

/* ---- Models -------------------------------------------------------------- */

/* Models that a user has defined in a file.  Any thread may use them. */
struct ctx_user_models;
/* Reads models from a file in the format of models.json in ctx-count(1).
 * Errors: MEMORY, SYSTEM, ARGUMENT, FILE. */
CTX_API int ctx_user_models_open(struct ctx_user_models **models,
    const char *file, struct ctx_error *error);
CTX_API void ctx_user_models_free(struct ctx_user_models *models);
/* Returns the name of the model with index i, from 0; NULL: there is none.  The
 * texts of these models are valid until ctx_user_models_free.  Never fails. */
CTX_API const char *ctx_user_models_name(const struct ctx_user_models *models,
    size_t i);

/* Describes a model.  Numbers are numbers of tokens; 0: not known. */
struct ctx_model_info {
	size_t size;
	const char *name; /* name in the table of models */
	const char *vendor, *encoding;
	const char *basis;      /* see ctx_encoding_exactness */
	uint64_t window;        /* context window */
	uint64_t input, output; /* maximum of a request, of a response */
};
#define CTX_MODEL_INFO_INIT CTX_INIT(struct ctx_model_info)
/* Looks up a model by the name that a provider gives it, such as
 * "openai/gpt-4o-2024-08-06"; prefixes of providers, and dates, are ignored.
 * models: models of the user, which are tried first; NULL: only built-in ones.
 * Returns 1 and sets *model.  For an unknown name returns 0, and sets *model to
 * the name "", a window of 32,000 tokens, and o200k_base.  Errors: ARGUMENT. */
CTX_API int ctx_model_lookup(const struct ctx_user_models *models,
    const char *name, struct ctx_model_info *model, struct ctx_error *error);

/* Prices in millionths of a dollar per million tokens; CTX_NONE: not known. */
struct ctx_price_info {
	size_t size;
	uint64_t input, output;
	uint64_t cache_read, cache_write; /* from and to the prompt cache */
};
#define CTX_PRICE_INFO_INIT CTX_INIT(struct ctx_price_info)
/* Sets *price to the prices of a model for a request with this number of input
 * tokens at this time, in seconds since 1970.  models and name are those of
 * ctx_model_lookup.  Returns 1, or 0 if none is known.  Errors: ARGUMENT. */
CTX_API int ctx_model_prices(const struct ctx_user_models *models,
    const char *name, int64_t time, uint64_t tokens,
    struct ctx_price_info *price, struct ctx_error *error);

/* ---- Encodings: tokens of a text ----------------------------------------- */

/* Sets the directory of the file "encodings", which has the built-in encodings.
 * Has no effect after one of them was used.  Without a call, ctx searches
 * share/ctx beside the library's file or up to three levels above it, then the
 * directory that was chosen when ctx was built.  Errors: ARGUMENT. */
CTX_API int ctx_set_data_directory(const char *directory,
    struct ctx_error *error);

/* An encoding, and the working memory with which its tokens are counted. */
struct ctx_encoding;
/* Opens an encoding.  name: a built-in encoding ("o200k_base"), or the path of
 * a vocabulary file.  cache: directory in which the compiled vocabulary of a
 * file is kept, created if missing; NULL: each call compiles it again.
 * Errors: MEMORY, SYSTEM, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_encoding_open(struct ctx_encoding **encoding, const char *name,
    const char *cache, struct ctx_error *error);

/* Opens the encoding in which a model's tokens are counted.  If only another
 * model's encoding is available, counts are multiplied by a factor known for
 * the model.  Counts for an unknown model are estimates.  models: as for
 * ctx_model_lookup; they must be valid until the encoding is freed.
 * Errors: MEMORY, SYSTEM, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_encoding_open_model(struct ctx_encoding **encoding,
    const struct ctx_user_models *models, const char *model, const char *cache,
    struct ctx_error *error);
CTX_API void ctx_encoding_free(struct ctx_encoding *encoding);

/* Returns how exact token counts are: "exact"; "reconstructed", if the encoding
 * is derived from counts of the provider; or "estimated".  Never fails. */
CTX_API const char *ctx_encoding_exactness(const struct ctx_encoding *encoding);

/* Counts the tokens of a text of length bytes, which need not be UTF-8.  Names
 * of special tokens in it are ordinary text.  Errors: MEMORY, LIMIT, FILE. */
CTX_API int ctx_encoding_count(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t *tokens, struct ctx_error *error);

/* A list of n token ids.  The caller frees ids with ctx_free. */
struct ctx_id_list {
	uint32_t *ids;
	size_t n;
};
/* Encodes a text of length bytes.  Fails for encodings without token ids, such
 * as Claude's.  If counts are not exact, n may differ from the count.
 * Errors: MEMORY, INPUT, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_encoding_encode(struct ctx_encoding *encoding, const char *text,
    size_t length, struct ctx_id_list *list, struct ctx_error *error);

/* Bytes, and a NUL byte after them.  The caller frees data with ctx_free. */
struct ctx_bytes {
	char *data;
	size_t length;
};
/* Decodes n token ids.  The resulting text may end inside a UTF-8 character.
 * Errors: MEMORY, ARGUMENT. */
CTX_API int ctx_encoding_decode(struct ctx_encoding *encoding,
    const uint32_t *ids, size_t n, struct ctx_bytes *text,
    struct ctx_error *error);

/* Find a head (beginning) or tail (end) of a text that has at most limit
 * tokens.  Set *at to the byte where the head ends or the tail begins, which is
 * between two characters.  A slightly longer head or tail might also fit.
 * Errors: MEMORY, LIMIT, FILE. */
CTX_API int ctx_encoding_head(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error);
CTX_API int ctx_encoding_tail(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error);

/* ---- Input --------------------------------------------------------------- */

/* A source of conversations: read by ctx_input_next, or by one operation. */
struct ctx_input;

struct ctx_input_options {
	size_t size;
	const char *dialect;       /* message format; NULL: detected */
	const char *model;         /* NULL: that of each conversation */
	const char *default_model; /* model if none is named; or NULL */
	const char *encoding;      /* of all counts; NULL: by model or format */
	const char *cache;         /* as for ctx_encoding_open */
	const char *name;          /* of a source without files; NULL: "-" */
	uint32_t threads;          /* counting threads, at most 1024; 0: 1 */
	bool skip_bad; /* true: copy a line that is not JSON; false: fail */
	bool read_inactive; /* true: also return messages not sent any more */
	const struct ctx_user_models *models; /* defined by the user; or NULL */
};
#define CTX_INPUT_OPTIONS_INIT CTX_INIT(struct ctx_input_options)
/* Reads at most size bytes of input into buffer.  Returns the number of bytes,
 * 0 at the end of the input, or -1 after an error. */
typedef ptrdiff_t ctx_read_function(void *user, char *buffer, size_t size);

/* Open an input: n files that are read as one stream ("-", or no files, is
 * standard input); an open descriptor, which is not closed; length bytes in
 * memory; or a callback.  options may be NULL.  Memory, models and user must
 * live as long as the input.  Files are opened later, when they are read.
 * Errors: MEMORY, ARGUMENT; for a descriptor also SYSTEM. */
CTX_API int ctx_input_open_files(struct ctx_input **input,
    const char *const *files, size_t n, const struct ctx_input_options *options,
    struct ctx_error *error);
CTX_API int ctx_input_open_fd(struct ctx_input **input, int fd,
    const struct ctx_input_options *options, struct ctx_error *error);
CTX_API int ctx_input_open_memory(struct ctx_input **input, const void *data,
    size_t length, const struct ctx_input_options *options,
    struct ctx_error *error);
CTX_API int ctx_input_open_callback(struct ctx_input **input,
    ctx_read_function *read, void *user,
    const struct ctx_input_options *options, struct ctx_error *error);
CTX_API void ctx_input_free(struct ctx_input *input);

/* Returns the dialect detected so far; "generic": none yet.  Never fails. */
CTX_API const char *ctx_input_dialect(const struct ctx_input *input);

/* A message.  Its pointers are valid until the next call of ctx_input_next. */
struct ctx_message_info {
	size_t size;
	const char *dialect, *file;
	const char *role; /* "system", "user", "assistant", "tool", "other" */
	uint64_t line;    /* line of the file, from 1 */
	uint64_t conversation; /* number of the conversation, from 0 */
	uint64_t index;        /* index in its conversation, from 0 */
	size_t n_blocks;
	const char *json; /* the message's bytes in the input */
	size_t json_length;
};
#define CTX_MESSAGE_INFO_INIT CTX_INIT(struct ctx_message_info)
/* Reads the next message into *message, unless message is NULL.  Returns 1, or
 * 0 at the end, with *message cleared.  After an error, later calls return 0.
 * Errors: MEMORY, SYSTEM, INPUT, LIMIT, ARGUMENT. */
CTX_API int ctx_input_next(struct ctx_input *input,
    struct ctx_message_info *message, struct ctx_error *error);

/* A content block.  Its pointers are valid as long as those of its message.
 * The blocks in a tool result follow it; their texts are parts of its text. */
struct ctx_block_info {
	size_t size;
	/* "text", "reasoning", "tool_call", "tool_result", "media", "opaque" */
	const char *kind;
	const char *tool; /* name of the tool; NULL: none is known */
	const char *id;   /* id of the tool call; NULL: none */
	/* Text, arguments of a tool call, or content of a block; "": none.
	 * Decoded if one JSON string; otherwise JSON, and is_json is true. */
	const char *text;
	size_t text_length;
	size_t result; /* 1 + index of the tool result it is in; 0: none */
	bool is_json;
	bool is_error; /* true if the message says that the tool call failed */
};
#define CTX_BLOCK_INFO_INIT CTX_INIT(struct ctx_block_info)
/* Sets *block to the block with index i, from 0, of the message that was read
 * last.  i must be less than n_blocks.  Errors: MEMORY, LIMIT, ARGUMENT. */
CTX_API int ctx_input_block(struct ctx_input *input, size_t i,
    struct ctx_block_info *block, struct ctx_error *error);

/* Token counts of a message. */
struct ctx_token_info {
	size_t size;
	uint64_t tokens;    /* all tokens, including those of a name */
	uint64_t estimated; /* how many tokens are estimated */
	uint64_t framing;   /* tokens for the role and the delimiters */
	uint64_t text, reasoning, tool_calls, tool_results, media, opaque;
	const char *encoding; /* valid until ctx_input_free */
};
#define CTX_TOKEN_INFO_INIT CTX_INIT(struct ctx_token_info)
/* Counts the tokens of the message that ctx_input_next has read last.
 * Errors: MEMORY, SYSTEM, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_input_count(struct ctx_input *input,
    struct ctx_token_info *tokens, struct ctx_error *error);

/* ---- Output -------------------------------------------------------------- */

/* A destination to which ctx_prune and other operations write in turn. */
struct ctx_output;
/* Called with size bytes of output.  Returns 0, or -1 to report an error. */
typedef int ctx_write_function(void *user, const char *data, size_t size);

/* Open an output: a descriptor, which is not closed; memory; or a callback.
 * When an operation ends, it has written all its output.  If it failed, it has
 * written the conversations before the error, and perhaps some messages of the
 * last one.  After a failed write all later ones fail.  Errors: MEMORY. */
CTX_API int ctx_output_open_fd(struct ctx_output **output, int fd,
    struct ctx_error *error);
CTX_API int ctx_output_open_memory(struct ctx_output **output,
    struct ctx_error *error);
CTX_API int ctx_output_open_callback(struct ctx_output **output,
    ctx_write_function *write, void *user, struct ctx_error *error);
CTX_API void ctx_output_free(struct ctx_output *output);

/* Moves the output in memory to *bytes.  Fails if it is not in memory.
 * Errors: MEMORY, ARGUMENT. */
CTX_API int ctx_output_take(struct ctx_output *output, struct ctx_bytes *bytes,
    struct ctx_error *error);

/* ---- Results and reports ------------------------------------------------- */

/* Sums over all conversations of an operation, or over those before an error.
 * In brackets: the operations that set the member; others set it to 0. */
struct ctx_result {
	size_t size;
	uint64_t conversations; /* conversations read [count prune] */
	uint64_t messages;      /* messages read [count prune age check] */
	uint64_t removed;       /* messages removed [prune] */
	uint64_t changed; /* texts and media changed [truncate age restore] */
	uint64_t tokens_before; /* tokens of the input [count prune] */
	uint64_t tokens_after;  /* tokens of the output [prune] */
	uint64_t too_long;      /* conversations above the budget [prune] */
	uint64_t refused; /* conversations refused [prune truncate age check] */
	uint64_t findings, repaired; /* violations left, repaired [check] */
	uint64_t failed; /* not pruned, stored, restored [prune age restore] */
	/* texts for which a regular expression needed too much work, so that
	 * they were not changed or removed [prune truncate age] */
	uint64_t given_up;
};
#define CTX_RESULT_INIT CTX_INIT(struct ctx_result)

struct ctx_change_info {
	size_t size;
	const char *file;
	uint64_t line, index; /* index of the message in its conversation */
	const char *role;     /* role of the message */
	const char *tool;     /* first tool in the message; or NULL */
	const char *rule;     /* reason of the change */
	/* "drop", "edit", "add", or "relink" for a link to a removed line */
	const char *action;
	uint64_t tokens_before, tokens_after;
};
/* Called when a change is final.  Returns 0, or -1 to stop the operation. */
typedef int ctx_change_function(void *user,
    const struct ctx_change_info *change);

/* ---- Operations ---------------------------------------------------------- */

/* An operation reads an input to its end.  If output is NULL, it writes nothing
 * and changes no file; the result and the reports say what it would do.  A
 * second operation can read the input only if the first has failed at once: an
 * option is wrong, the archive cannot be opened, or ctx_prune has no budget for
 * the first record.  options, result and error may be NULL.  Some options:
 *  - archive: file to which the originals of changed and removed messages are
 *    appended before the output is written; NULL: none
 *  - tool, not_tool: regular expressions (PCRE2); only results of tools whose
 *    name matches tool and does not match not_tool are changed; NULL: of all
 *  - reasoning: what to do with reasoning that the provider would refuse or
 *    drop after a change: "drop" it (the default), "keep" it, or "fail", which
 *    leaves the conversation unchanged; it is then refused
 *  - on_change: called with user for each change; NULL: not called */

/* Token counts of a conversation. */
struct ctx_conversation_info {
	size_t size;
	const char *file;
	uint64_t line; /* 0: each message is a line */
	const char *dialect, *encoding;
	const char *model; /* NULL: unknown */
	uint64_t window;   /* context window in tokens; 0: unknown */
	uint64_t messages, turns;
	uint64_t tokens;    /* all tokens; the next members are parts of them */
	uint64_t estimated; /* how many tokens are estimated */
	uint64_t system, tools; /* system prompt, tools outside messages */
	uint64_t framing;       /* for roles and delimiters of messages */
};
struct ctx_count_options {
	size_t size;
	/* Called at the end of each conversation.  Returns 0, or -1 to stop. */
	int (*on_conversation)(void *user,
	    const struct ctx_conversation_info *conversation);
	void *user;
};
#define CTX_COUNT_OPTIONS_INIT CTX_INIT(struct ctx_count_options)
/* Counts the tokens of whole requests, not only of messages: ctx-count(1).
 * Errors: MEMORY, SYSTEM, INPUT, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_count(struct ctx_input *input,
    const struct ctx_count_options *options, struct ctx_result *result,
    struct ctx_error *error);

/* Options of ctx_prune.  Numbers are tokens unless a comment says otherwise. */
struct ctx_prune_options {
	size_t size;
	const char *strategy; /* NULL: "salient" */
	const char *level;    /* "light", "balanced" (default), "aggressive" */
	uint64_t budget;      /* maximum in the output; 0: window - reserve */
	uint64_t window;      /* context window; 0: that of the model */
	uint64_t reserve;     /* tokens reserved for the response; 0: 512 */
	uint64_t trigger;     /* prune only above this many tokens; 0: budget */
	uint64_t target;      /* prune down to this many tokens; 0: budget */
	uint64_t quantum;     /* steps of removal; 0: by level; CTX_NONE: 0 */
	uint64_t keep_last;   /* newest messages kept; 0: 6, 4 or 2 by level */
	uint64_t keep_turns;  /* newest turns of which a part is kept; 0: 3 */
	uint64_t keep_first;  /* "middle-out": first messages kept; 0: 2 */
	uint64_t window_turns;   /* "window": newest turns kept; 0: 10 */
	uint64_t summary_tokens; /* maximum; 0: what kept messages leave */
	const char *pin;         /* regular expression: texts that are kept */
	const char *pin_tool;    /* regular expression: tools that are kept */
	const char *tool, *not_tool, *reasoning, *archive;
	const char *notice; /* text inserted where messages are removed */
	const char *query;  /* question for "recall"; NULL: last user message */
	ctx_change_function *on_change;
	void *user;
	bool unpin_system; /* true: system messages may be removed */
	bool always;       /* true: prune even below the trigger */
};
#define CTX_PRUNE_OPTIONS_INIT CTX_INIT(struct ctx_prune_options)
/* Removes groups of messages until each conversation fits its budget, as
 * ctx-prune(1) does.  Returns 1 if one does not fit or was refused.  Fails at a
 * conversation for which no budget, window or model is given, unless strategy
 * is "window".  The input's option default_model gives a model to each.
 * Errors: MEMORY, SYSTEM, PIPE, INPUT, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_prune(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_prune_options *options, struct ctx_result *result,
    struct ctx_error *error);

struct ctx_truncate_options {
	size_t size;
	const char *unit;    /* "chars" (default), "bytes", "tokens", "lines" */
	const char *keep;    /* "ends" (default), "head", "tail" */
	uint64_t head, tail; /* ratio of head to tail; both 0: 3 to 1 */
	/* Maximum sizes, in units: of a tool result (0: 20,000); of a message,
	 * and of the arguments of a tool call (0: no limit) */
	uint64_t limit, message, arguments;
	uint64_t keep_media; /* newest media kept; 0: all; CTX_NONE: none */
	const char *tool, *not_tool, *reasoning, *archive;
	ctx_change_function *on_change;
	void *user;
	bool unsent; /* true: only messages after the last assistant message */
};
#define CTX_TRUNCATE_OPTIONS_INIT CTX_INIT(struct ctx_truncate_options)
/* Shortens long tool results, messages and arguments, as ctx-truncate(1) does.
 * Returns 1 if a conversation was refused.
 * Errors: MEMORY, SYSTEM, PIPE, INPUT, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_truncate(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_truncate_options *options, struct ctx_result *result,
    struct ctx_error *error);

struct ctx_age_options {
	size_t size;
	const char *spool;  /* for moved results; NULL: .ctx/spool */
	const char *format; /* file names; NULL: "{tool}-{sha256}.md" */
	uint64_t keep;      /* newest messages not changed; 0: 10 (unsent: 0) */
	uint64_t step;      /* move results after every N new messages; 0: 1 */
	uint64_t older; /* only if older by more ms than the newest message */
	uint64_t over;  /* only results with more characters; 0: 4000 */
	uint64_t head;  /* characters kept, at most 4000; 0: over / 4 */
	uint64_t at_least; /* tokens that must be saved, else no change */
	const char *tool, *not_tool, *reasoning, *archive;
	ctx_change_function *on_change;
	void *user;
	bool by_results; /* "keep" and "step" are numbers of tool results */
	bool media;  /* moves media; "keep" and "step" are numbers of media */
	bool unsent; /* true: only messages after the last assistant message */
	bool mask;   /* true: write "[cleared]", store nothing */
};
#define CTX_AGE_OPTIONS_INIT CTX_INIT(struct ctx_age_options)
/* Moves old, long tool results or media to files, and leaves references, as
 * ctx-age(1) does.  Returns 1 if a conversation was refused.  If something
 * cannot be stored, leaves it unchanged, writes the rest, and returns -1.
 * Errors: MEMORY, SYSTEM, PIPE, INPUT, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_age(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_age_options *options, struct ctx_result *result,
    struct ctx_error *error);

struct ctx_restore_options {
	size_t size;
	const char *spool; /* of ctx_age; NULL: .ctx/spool */
	const char *archive;
	ctx_change_function *on_change;
	void *user;
};
#define CTX_RESTORE_OPTIONS_INIT CTX_INIT(struct ctx_restore_options)
/* Puts back what ctx_age has moved to files, as ctx-restore(1) does.  Returns 1
 * if it keeps references because a file is missing, changed, or lacks the text
 * before a reference, or because all files are in directories other than spool.
 * Errors: MEMORY, SYSTEM, PIPE, INPUT, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_restore(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_restore_options *options, struct ctx_result *result,
    struct ctx_error *error);

/* A message that violates a rule of ctx_check. */
struct ctx_finding_info {
	size_t size;
	const char *file;
	uint64_t line, index; /* index of the message in its conversation */
	const char *rule;     /* see ctx_rule_about */
	const char *text;     /* what is wrong; may have control characters */
	const char *action;   /* drop, insert, move, edit; NULL: no repair */
};
struct ctx_check_options {
	size_t size;
	const char *provider; /* whose rules are checked, too; or NULL */
	const char *reasoning, *archive;
	/* Called per finding and per repair.  Returns 0, or -1 to stop. */
	int (*on_finding)(void *user, const struct ctx_finding_info *finding);
	void *user;
	bool allow_pending; /* true: results may be missing at the end */
	bool schema; /* true: check arguments against the tools' schemas */
};
#define CTX_CHECK_OPTIONS_INIT CTX_INIT(struct ctx_check_options)
/* Finds what a provider would refuse, as ctx-check(1) does.  If output is not
 * NULL, also repairs what it can, and writes the stream.  Returns 1 if a
 * violation remains, or a conversation was refused.
 * Errors: MEMORY, SYSTEM, PIPE, INPUT, LIMIT, ARGUMENT, FILE. */
CTX_API int ctx_check(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_check_options *options, struct ctx_result *result,
    struct ctx_error *error);

#ifdef __cplusplus
}
#endif
#endif
