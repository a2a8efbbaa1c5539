/*
 * ctx.h - libctx: count, prune, truncate, age and check conversations with
 * language models
 *
 * libctx reads conversations as JSON records: requests, and session files of
 * agents (ctx-stream(5)).  It counts tokens, and removes or shortens messages
 * such that providers accept the rest.  Other bytes are not changed.
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
 *  - Any function may fail with CTX_ERROR_MEMORY or _ARGUMENT; one that opens a
 *    file, counts tokens or reads an input also with _SYSTEM, _FILE or _LIMIT;
 *    one that reads an input also with _INPUT; one that writes with _PIPE.
 *  - A text is UTF-8.  It is NUL-terminated unless a length in bytes is passed
 *    with it.  A const char * that a function returns belongs to the library,
 *    and lives as long as the program unless the comment says otherwise.
 *  - A handle (struct ctx_input, struct ctx_output, struct ctx_encoding) may be
 *    used by one thread at a time.  Different handles may be used at the same
 *    time.  Functions without a handle may be called by any thread.  A handle
 *    has copies of the names and options with which it was opened.
 *  - A ..._free function accepts NULL.  Other pointers may be NULL only where a
 *    comment says so.
 *  - The library prints nothing.  It never ends the process, except by SIGPIPE
 *    at a write to a pipe without a reader.  It does not read environment
 *    variables or a clock.
 *  - A pointer that a callback gets is valid until the callback returns.  A
 *    callback must not throw, nor use the handles that its caller uses.
 *
 * Options and results are structs that begin with their size in bytes.  They
 * are declared with the macro ..._INIT, as above: it sets the size and clears
 * the other members, and a cleared member means the default.  Options without a
 * size are an error; a result without a size gets no values.  A program
 * compiled before a member was added still runs: the member has its default.
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

/* Means zero (such as no messages, or no limit) where 0 means the default. */
#define CTX_NONE UINT64_MAX

/* ---- Version and errors -------------------------------------------------- */

/* Returns the version of the library, as CTX_VERSION is that of the header. */
CTX_API const char *ctx_version(void);

enum ctx_error_kind {
	CTX_ERROR_NONE,
	CTX_ERROR_MEMORY,   /* there is no memory */
	CTX_ERROR_SYSTEM,   /* a system call failed: see member system */
	CTX_ERROR_PIPE,     /* no process reads the output pipe any more */
	CTX_ERROR_INPUT,    /* the input is not valid JSON or UTF-8 */
	CTX_ERROR_LIMIT,    /* the input is larger than the library can read */
	CTX_ERROR_ARGUMENT, /* an option is wrong, or a callback has failed */
	CTX_ERROR_FILE,     /* a file has a wrong format, owner or mode */
};

/* What went wrong. */
struct ctx_error {
	size_t size;
	int kind;        /* enum ctx_error_kind */
	int system;      /* errno of CTX_ERROR_SYSTEM, otherwise 0 */
	uint64_t line;   /* line of the input, from 1; 0: unknown */
	uint64_t column; /* byte of the line, from 1; 0: unknown */
	char file[256];  /* name of the input file; empty: unknown */
	char text[256];  /* what failed, as one clause in lower case */
};
#define CTX_ERROR_INIT CTX_INIT(struct ctx_error)

/* Writes an error with its place to out, such as "chat.jsonl:3:17: expected a
 * value".  size: bytes at out; 600 are enough, a longer text is cut. */
CTX_API void ctx_error_format(const struct ctx_error *error, char *out,
    size_t size);

/* Frees the memory of a ctx_bytes or ctx_id_list; accepts NULL. */
CTX_API void ctx_free(void *memory);

/* ---- Names --------------------------------------------------------------- */

/* Return name number i, from 0, of the message formats, strategies of
 * ctx_prune, built-in encodings, models, providers and rules of ctx_check; NULL
 * after the last.  ctx-stream(5), ctx-strategy(7), ctx-encoding(7) and
 * ctx-check(1) explain them. */
CTX_API const char *ctx_dialect_name(size_t i);
CTX_API const char *ctx_strategy_name(size_t i);
CTX_API const char *ctx_encoding_name(size_t i);
CTX_API const char *ctx_model_name(size_t i);
CTX_API const char *ctx_provider_name(size_t i);
CTX_API const char *ctx_rule_name(size_t i);

/* Returns what a rule of ctx_check finds, as a line; NULL: unknown rule. */
CTX_API const char *ctx_rule_about(const char *name);

/* ---- Models -------------------------------------------------------------- */

/* Models that a program's user has defined.  Several threads may use them. */
struct ctx_user_models;

/* Reads the models of a file, in the format of models.json in ctx-count(1). */
CTX_API int ctx_user_models_open(struct ctx_user_models **models,
    const char *file, struct ctx_error *error);
CTX_API void ctx_user_models_free(struct ctx_user_models *models);
/* Returns the name of model number i, from 0; NULL after the last.  The name,
 * and all texts of a model of the user, are valid as long as the models. */
CTX_API const char *ctx_user_models_name(const struct ctx_user_models *models,
    size_t i);

/* A model.  The numbers are tokens; 0: unknown. */
struct ctx_model_info {
	size_t size;
	const char *name; /* of the row in the table of models */
	const char *vendor, *encoding;
	const char *basis; /* "exact", "reconstructed", "estimated" counts */
	uint64_t window;   /* context window */
	uint64_t input, output; /* most tokens of a request, of a response */
};
#define CTX_MODEL_INFO_INIT CTX_INIT(struct ctx_model_info)

/* Looks up a model by the name that a provider gives it, such as
 * "openai/gpt-4o-2024-08-06".  Prefixes of providers and dates are ignored.
 * models: those of the user, which are preferred; NULL: only built-in models.
 * Returns 1, or 0 if the model is unknown; *model is then the row for local
 * models, with the name "" and a window of 32,000 tokens. */
CTX_API int ctx_model_lookup(const struct ctx_user_models *models,
    const char *name, struct ctx_model_info *model, struct ctx_error *error);

/* Prices, in millionths of a dollar per million tokens; CTX_NONE: unknown. */
struct ctx_price_info {
	size_t size;
	uint64_t input, output;
	uint64_t cache_read, cache_write; /* input from, to the prompt cache */
};
#define CTX_PRICE_INFO_INIT CTX_INIT(struct ctx_price_info)

/* Sets *price to the prices of a model for a request with this number of input
 * tokens at this time, in seconds since 1970.  models and name are those of
 * ctx_model_lookup.  Returns 1, or 0 if no price of the model is known. */
CTX_API int ctx_model_prices(const struct ctx_user_models *models,
    const char *name, int64_t time, uint64_t tokens,
    struct ctx_price_info *price, struct ctx_error *error);

/* ---- Encodings: tokens of a text ----------------------------------------- */

/* Sets the directory of the file "encodings", the vocabularies of the built-in
 * encodings, for the whole process.  After one of them was used, a call returns
 * 0 without effect.  Without a call it is share/ctx beside the library's file
 * or up to three levels above it, or the directory chosen at build time. */
CTX_API int ctx_set_data_directory(const char *directory,
    struct ctx_error *error);

/* An encoding, with the working memory to count in it. */
struct ctx_encoding;

/* Opens an encoding.  name: a built-in encoding ("o200k_base"), or the path of
 * a vocabulary file.  cache: directory in which the compiled vocabulary of a
 * file is kept, made if missing; NULL: it is compiled at every call. */
CTX_API int ctx_encoding_open(struct ctx_encoding **encoding, const char *name,
    const char *cache, struct ctx_error *error);

/* Opens the encoding in which the texts of a model are counted.  If only
 * another model's encoding is available, counts are multiplied by the factor
 * that is known for the model; of an unknown model they are estimated.  models:
 * as for ctx_model_lookup; they must be valid until the encoding is freed. */
CTX_API int ctx_encoding_open_model(struct ctx_encoding **encoding,
    const struct ctx_user_models *models, const char *model, const char *cache,
    struct ctx_error *error);
CTX_API void ctx_encoding_free(struct ctx_encoding *encoding);

/* Returns how far to trust counts: "exact", "reconstructed" or "estimated". */
CTX_API const char *ctx_encoding_exactness(const struct ctx_encoding *encoding);

/* Counts the tokens of a text of length bytes.  The text need not be valid
 * UTF-8.  Names of special tokens count as ordinary text. */
CTX_API int ctx_encoding_count(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t *tokens, struct ctx_error *error);

/* A list of n token ids.  The caller frees ids with ctx_free. */
struct ctx_id_list {
	uint32_t *ids;
	size_t n;
};
/* Encodes a text of length bytes.  Fails for encodings without ids, such as
 * those of Claude.  If counts are not exact, n is not the count. */
CTX_API int ctx_encoding_encode(struct ctx_encoding *encoding, const char *text,
    size_t length, struct ctx_id_list *list, struct ctx_error *error);

/* Bytes, and a NUL byte after them.  The caller frees data with ctx_free. */
struct ctx_bytes {
	char *data;
	size_t length;
};
/* Decodes n token ids of the encoding.  The text may end inside a character. */
CTX_API int ctx_encoding_decode(struct ctx_encoding *encoding,
    const uint32_t *ids, size_t n, struct ctx_bytes *text,
    struct ctx_error *error);

/* Find a long beginning (head) or end (tail) of a text that has at most limit
 * tokens.  Set *at to the byte where the head ends or the tail begins, which is
 * between two characters.  A slightly longer part may fit, too. */
CTX_API int ctx_encoding_head(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error);
CTX_API int ctx_encoding_tail(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error);

/* ---- Input --------------------------------------------------------------- */

/* A stream of conversations, read by either ctx_input_next or one operation. */
struct ctx_input;

struct ctx_input_options {
	size_t size;
	const char *dialect; /* message format; NULL: detected */
	const char *model;   /* NULL: the one that each conversation names */
	const char *default_model; /* if none is named; NULL: estimate */
	const char *encoding; /* opened at the first count; NULL: the model's */
	const char *cache;    /* as for ctx_encoding_open */
	const char *name;     /* of an input that is no file; NULL: "-" */
	uint32_t threads; /* that count, at most 1024; 0: only the caller's */
	bool skip_bad; /* true: a line that is not JSON is copied, no error */
	bool read_inactive; /* true: also return inactive lines of sessions */
	const struct ctx_user_models *models; /* of the user; NULL: none */
};
#define CTX_INPUT_OPTIONS_INIT CTX_INIT(struct ctx_input_options)

/* Reads at most size bytes of input to buffer.  Returns their number, 0 at the
 * end of the input, or -1 after an error. */
typedef ptrdiff_t ctx_read_function(void *user, char *buffer, size_t size);

/* Open an input: n files that are read as one stream ("-" is standard input);
 * an open descriptor, which is not closed; length bytes in memory; or what a
 * function reads.  options may be NULL.  Memory, models and user must live as
 * long as the input.  Files are opened later, when they are read. */
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

/* Returns the message format detected so far; "generic" if none was yet. */
CTX_API const char *ctx_input_dialect(const struct ctx_input *input);

/* A message.  Pointers are valid until the next call of ctx_input_next. */
struct ctx_message_info {
	size_t size;
	const char *dialect, *file;
	const char *role; /* "system", "user", "assistant", "tool", "other" */
	uint64_t line;    /* line of the file, from 1 */
	uint64_t conversation; /* number of the conversation, from 0 */
	uint64_t index;        /* number in the conversation, from 0 */
	size_t n_blocks;
	const char *json; /* the message as it is in the input */
	size_t json_length;
};
#define CTX_MESSAGE_INFO_INIT CTX_INIT(struct ctx_message_info)

/* Reads the next message; message may be NULL.  Returns 1, or 0 at the end of
 * the input, where *message is cleared.  An error, too, ends the input. */
CTX_API int ctx_input_next(struct ctx_input *input,
    struct ctx_message_info *message, struct ctx_error *error);

/* A content block.  Pointers are valid as long as those of the message. */
struct ctx_block_info {
	size_t size;
	/* "text", "reasoning", "tool_call", "tool_result", "media", "opaque" */
	const char *kind;
	const char *tool; /* name of the tool; NULL: none is known */
	const char *id;   /* id of the tool call; NULL: none */
	/* Arguments of the call, content of the result, or text: decoded if it
	 * is one JSON string; else as JSON, and is_json is true. */
	const char *text;
	size_t text_length;
	size_t result; /* number, from 1, of the tool result it is in; or 0 */
	bool is_json;
	bool is_error; /* true if the message says that the tool call failed */
};
#define CTX_BLOCK_INFO_INIT CTX_INIT(struct ctx_block_info)

/* Sets *block to block number i, from 0, of the message that was read last.
 * i must be less than the message's n_blocks. */
CTX_API int ctx_input_block(struct ctx_input *input, size_t i,
    struct ctx_block_info *block, struct ctx_error *error);

/* Token counts of a message. */
struct ctx_token_info {
	size_t size;
	uint64_t tokens;    /* all; those of a name are in no member below */
	uint64_t estimated; /* those that are estimated */
	uint64_t framing;   /* those of the role and the delimiters */
	uint64_t text, reasoning, tool_calls, tool_results, media, opaque;
	const char *encoding; /* valid as long as the input */
};
#define CTX_TOKEN_INFO_INIT CTX_INIT(struct ctx_token_info)

/* Counts the tokens of the message that was read last. */
CTX_API int ctx_input_count(struct ctx_input *input,
    struct ctx_token_info *tokens, struct ctx_error *error);

/* ---- Output -------------------------------------------------------------- */

/* Where operations, one after another, write their streams. */
struct ctx_output;

/* Takes length bytes of output.  Returns 0, or -1 if it cannot take them. */
typedef int ctx_write_function(void *user, const char *data, size_t length);

/* Open an output: a descriptor, which is not closed; memory; or a function that
 * is called with the bytes.  When an operation returns, it has written
 * everything, or after an error the conversations before it, and of the last
 * what was final.  After a failed write every later operation on it fails. */
CTX_API int ctx_output_open_fd(struct ctx_output **output, int fd,
    struct ctx_error *error);
CTX_API int ctx_output_open_memory(struct ctx_output **output,
    struct ctx_error *error);
CTX_API int ctx_output_open_callback(struct ctx_output **output,
    ctx_write_function *write, void *user, struct ctx_error *error);
CTX_API void ctx_output_free(struct ctx_output *output);

/* Moves the bytes written to memory so far.  Fails for other outputs. */
CTX_API int ctx_output_take(struct ctx_output *output, struct ctx_bytes *bytes,
    struct ctx_error *error);

/* ---- Results and reports ------------------------------------------------- */

/* Sums over all conversations of an operation, or over those before an error.
 * In brackets: the operations that set a member; for others it is 0. */
struct ctx_result {
	size_t size;
	uint64_t conversations; /* [count prune] */
	uint64_t messages;      /* in the input [count prune age check] */
	uint64_t removed;       /* messages [prune] */
	uint64_t changed; /* messages, results, media [truncate age restore] */
	uint64_t tokens_before; /* of the input [count prune] */
	uint64_t tokens_after;  /* of the output [prune] */
	uint64_t too_long;      /* conversations above the budget [prune] */
	uint64_t refused; /* conversations; see reasoning [not count restore] */
	uint64_t findings, repaired; /* violations left, repaired [check] */
	uint64_t failed; /* not pruned, stored, restored [prune age restore] */
	/* texts for which a regular expression was given up as too slow; they
	 * are pinned, or by tool and not_tool unchanged [prune truncate age] */
	uint64_t given_up;
};
#define CTX_RESULT_INIT CTX_INIT(struct ctx_result)

/* A change. */
struct ctx_change_info {
	size_t size;
	const char *file;
	uint64_t line, index; /* index: of the message, in its conversation */
	const char *role;     /* role of the message */
	const char *tool;     /* its first tool; NULL: none */
	const char *rule;     /* reason of the change */
	const char *action;   /* "drop", "edit", "relink" or "add" */
	uint64_t tokens_before, tokens_after;
};
/* Called for each change when it is final.  Returns 0, or -1 to end. */
typedef int ctx_change_function(void *user,
    const struct ctx_change_info *change);

/* ---- Operations ---------------------------------------------------------- */

/* An operation reads an input to its end.  output NULL: nothing is written, no
 * file is changed and only the result and the reports say what would be done.
 * An input can be used again only if an option was wrong or the archive could
 * not be opened.  options, result and error may be NULL.  Members of the
 * options that several operations have:
 *  - archive: file to which the originals of changed and removed messages are
 *    appended before the output is written; NULL: none
 *  - tool, not_tool: regular expressions (PCRE2); only results of tools whose
 *    name matches tool and does not match not_tool are changed; NULL: of all
 *  - reasoning: what to do with signed reasoning that its provider would refuse
 *    after a change: "drop" it (the default), "keep" it, or "fail", which
 *    leaves the conversation unchanged
 *  - on_change: called with user for each change; NULL: not called */

/* Token counts of a conversation. */
struct ctx_conversation_info {
	size_t size;
	const char *file;
	uint64_t line; /* 0: each message of the conversation is a line */
	const char *dialect, *encoding;
	const char *model; /* NULL: unknown */
	uint64_t window;   /* of the model, in tokens; 0: unknown */
	uint64_t messages, turns;
	uint64_t tokens;    /* all tokens; members below are parts of these */
	uint64_t estimated; /* those that are estimated */
	uint64_t system, tools; /* system prompt and tools beside messages */
	uint64_t framing;       /* roles and delimiters of the messages */
};
struct ctx_count_options {
	size_t size;
	/* Called for each conversation at its end.  Returns 0, or -1 to end. */
	int (*on_conversation)(void *user,
	    const struct ctx_conversation_info *conversation);
	void *user;
};
#define CTX_COUNT_OPTIONS_INIT CTX_INIT(struct ctx_count_options)

/* Counts the tokens of whole requests, not only of messages: ctx-count(1). */
CTX_API int ctx_count(struct ctx_input *input,
    const struct ctx_count_options *options, struct ctx_result *result,
    struct ctx_error *error);

/* Numbers are tokens unless a comment says otherwise. */
struct ctx_prune_options {
	size_t size;
	const char *strategy; /* NULL: "salient" */
	const char *level;    /* "light", "balanced" (default), "aggressive" */
	uint64_t budget;      /* maximum output tokens; 0: window - reserve */
	uint64_t window;      /* context window; 0: that of the model */
	uint64_t reserve;     /* for the response; 0: 512 */
	uint64_t trigger;     /* prune only above this; 0: the budget */
	uint64_t target;      /* prune down to this; 0: budget */
	uint64_t quantum;    /* removal in steps; 0: by level; CTX_NONE: none */
	uint64_t keep_last;  /* newest messages kept; 0: 6, 4 or 2 by level */
	uint64_t keep_turns; /* newest turns kept in part; 0: 3 */
	uint64_t keep_first; /* first messages kept by middle-out; 0: 2 */
	uint64_t window_turns;   /* newest turns kept by window; 0: 10 */
	uint64_t summary_tokens; /* maximum; 0: what kept messages leave */
	const char *pin;         /* regular expression: texts that are kept */
	const char *pin_tool;    /* regular expression: tools that are kept */
	const char *tool, *not_tool, *reasoning, *archive;
	const char *notice; /* text inserted where messages are removed */
	const char *query;  /* question for "recall"; NULL: last user message */
	ctx_change_function *on_change;
	void *user;
	bool unpin_system; /* true: system messages may be removed */
	bool always; /* true: prune although the trigger is not exceeded */
};
#define CTX_PRUNE_OPTIONS_INIT CTX_INIT(struct ctx_prune_options)

/* Removes whole groups of messages until each conversation fits its budget, as
 * ctx-prune(1) does.  Returns 1 if one does not fit or was refused. */
CTX_API int ctx_prune(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_prune_options *options, struct ctx_result *result,
    struct ctx_error *error);

struct ctx_truncate_options {
	size_t size;
	const char *unit;    /* "chars" (default), "bytes", "tokens", "lines" */
	const char *keep;    /* "ends" (default), "head", "tail" */
	uint64_t head, tail; /* their ratio for "ends"; both 0: 3 to 1 */
	/* maximum size in units: of a tool result (0: 20,000); of a message,
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
 * Returns 1 if a conversation was refused. */
CTX_API int ctx_truncate(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_truncate_options *options, struct ctx_result *result,
    struct ctx_error *error);

struct ctx_age_options {
	size_t size;
	const char *spool;  /* directory of the results; NULL: .ctx/spool */
	const char *format; /* file names; NULL: "{tool}-{sha256}.md" */
	uint64_t keep;  /* newest messages left alone; 0: 10, if unsent none */
	uint64_t step;  /* the boundary moves by so many; 0: 1 */
	uint64_t older; /* only messages so many ms older than the newest */
	uint64_t over;  /* only results with more characters; 0: 4000 */
	uint64_t head;  /* characters that are kept, up to 4000; 0: over / 4 */
	uint64_t at_least; /* change nothing that saves fewer tokens */
	const char *tool, *not_tool, *reasoning, *archive;
	ctx_change_function *on_change;
	void *user;
	bool by_results; /* "keep" and "step" are numbers of tool results */
	bool media;  /* moves media; "keep" and "step" are numbers of media */
	bool unsent; /* true: only messages after the last assistant message */
	bool mask;   /* true: store nothing and write "[cleared]" */
};
#define CTX_AGE_OPTIONS_INIT CTX_INIT(struct ctx_age_options)

/* Moves old, long tool results or media to files, and leaves references, as
 * ctx-age(1) does.  Returns 1 if a conversation was refused.  What cannot be
 * stored is left unchanged; the rest is written before -1 is returned. */
CTX_API int ctx_age(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_age_options *options, struct ctx_result *result,
    struct ctx_error *error);

struct ctx_restore_options {
	size_t size;
	const char *spool; /* NULL: .ctx/spool */
	const char *archive;
	ctx_change_function *on_change;
	void *user;
};
#define CTX_RESTORE_OPTIONS_INIT CTX_INIT(struct ctx_restore_options)

/* Puts back what ctx_age has moved to files, as ctx-restore(1) does.  Returns 1
 * if a file is missing or has changed, or all are in other directories than the
 * spool.  Their references are kept. */
CTX_API int ctx_restore(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_restore_options *options, struct ctx_result *result,
    struct ctx_error *error);

/* A violation of a rule. */
struct ctx_finding_info {
	size_t size;
	const char *file;
	uint64_t line, index; /* index: of the message, in its conversation */
	const char *rule;     /* see ctx_rule_about */
	const char *text;     /* what is wrong; may quote control characters */
	const char *action;   /* repair: "drop", "insert", "edit"; NULL: none */
};
struct ctx_check_options {
	size_t size;
	const char *provider; /* its rules are checked, too; NULL: none */
	const char *reasoning, *archive;
	/* Called for each finding and each repair.  Returns 0, or -1 to end. */
	int (*on_finding)(void *user, const struct ctx_finding_info *finding);
	void *user;
	bool allow_pending; /* true: newest tool calls may lack results */
	bool schema; /* true: check arguments against the tools' schemas */
};
#define CTX_CHECK_OPTIONS_INIT CTX_INIT(struct ctx_check_options)

/* Finds what a provider would refuse, as ctx-check(1) does.  With an output,
 * also repairs what it can and writes the stream; else nothing is repaired.
 * Returns 1 if a violation remains, or a conversation was refused. */
CTX_API int ctx_check(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_check_options *options, struct ctx_result *result,
    struct ctx_error *error);

#ifdef __cplusplus
}
#endif
#endif
