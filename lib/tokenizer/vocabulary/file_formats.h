/* file_formats.h - functions that read vocabulary files of different formats */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H
#define CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* ---- readers of vocabulary files ---- */

/* The functions ctx_..._read read a vocabulary file (n bytes at p) into *pack:
 * its tokens, special tokens, patterns and settings.  They fail with CTX_EFILE
 * if the file is refused; then err->text says why.  The caller must release
 * *pack, also after an error. */

/* Reads a tiktoken rank file: each line consists of a token in base64, a space
 * and the token's rank.  The caller must have set pack->pretokenizer. */
int ctx_tiktoken_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err);
/* Reads a tokenizer.json of Hugging Face. */
int ctx_huggingface_read(struct ctx_vocab_builder *pack, const char *p,
    size_t n, struct ctx_err *err);
/* Reads a tokenizer.json that was already parsed (root). */
int ctx_huggingface_read_root(struct ctx_vocab_builder *pack,
    const json_t *root, struct ctx_err *err);
/* Parses the JSON of a vocabulary file. flags: flags of json_loadb of the
 * library jansson.  The caller must free *root, which is NULL after an
 * error. */
int ctx_huggingface_parse(json_t **root, const char *p, size_t n, size_t flags,
    struct ctx_err *err);
/* Reads a GGUF file.  The caller may pass only the first ctx_gguf_size bytes of
 * the file. */
int ctx_gguf_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err);
#define CTX_GGUF_MAGIC "GGUF"
/* Returns the length in bytes of the part of a GGUF file that ctx needs: the
 * beginning up to the end of the metadata.  Returns 0 if the n bytes do not
 * contain all metadata, so that more must be read.  Returns n if the file is
 * invalid; ctx_gguf_read then refuses it. */
size_t ctx_gguf_size(const char *p, size_t n);
/* Reads a tekken.json, the format of Mistral. */
int ctx_tekken_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err);
/* Returns true if a JSON file that begins with these bytes is probably a
 * tekken.json. */
bool ctx_tekken_is(const char *p, size_t n);
/* Reads a SentencePiece model file. */
int ctx_sentencepiece_read(struct ctx_vocab_builder *pack, const char *p,
    size_t n, struct ctx_err *err);
/* Returns true if a file with these first bytes, which is not JSON, is probably
 * a SentencePiece model. */
bool ctx_sentencepiece_is(const char *p, size_t n);

/* ---- byte_fallback.c ---- */

/* Returns true if the model of a tokenizer.json has byte fallback: a character
 * without a token becomes the tokens of its bytes. */
bool ctx_byte_fallback_is(const json_t *model);
/* Reads a tokenizer.json with byte fallback: its normalizer, pre_tokenizer,
 * vocab and merges.  Sets *normal to true if added tokens with the setting
 * "normalized" are searched for in the text after the blanks of the text were
 * replaced. */
int ctx_byte_fallback_read(struct ctx_vocab_builder *pack, const json_t *root,
    bool *normal, struct ctx_err *err);
/* Reads a merge of a tokenizer.json, which is "a b" or ["a", "b"].  Sets *name
 * to the name of the token that it makes, with a NUL byte at its end, and *left
 * to the name of the first part. */
int ctx_merge_read(const json_t *merge, struct ctx_buf *name,
    struct ctx_str *left, struct ctx_err *err);

/* ---- char_tokens.c ---- */

/* Tokens of a vocabulary that merges characters and has byte fallback: a
 * character without a token becomes the tokens of its bytes.  The caller must
 * add the tokens in this order: tokens of one character; tokens of one byte;
 * all other tokens, in the order of their merges. */

/* Returns a copy of a token's name, with a blank in place of each U+2581.  The
 * arena owns the copy.  If there is not enough memory, the member p of the
 * result is NULL, and *err is set. */
struct ctx_str ctx_char_name(struct ctx_arena *arena, struct ctx_str name,
    struct ctx_err *err);
/* Returns the length in bytes of the copy that ctx_char_name would make. */
size_t ctx_char_name_size(struct ctx_str name);
/* Returns true if the name consists of exactly one character. */
bool ctx_is_char_name(struct ctx_str name);
/* Returns the byte that a name such as <0x0A> stands for, or -1 for any other
 * name. */
int ctx_byte_of_name(struct ctx_str name);
/* Adds a token.  U+2581 in its name stands for a blank. cut: see struct
 * ctx_build_token; a length is the number of bytes after U+2581 was replaced.
 * A token whose name has a blank cannot occur in any text, and
 * is added with the cut CTX_BUILD_NEVER. */
int ctx_char_tokens_add(struct ctx_vocab_builder *pack, struct ctx_str name,
    uint32_t id, uint32_t cut, struct ctx_err *err);
/* Adds the token of a byte.  If the byte is also an ASCII character that has
 * its own token, the token of the byte is not used. */
int ctx_char_tokens_add_byte(struct ctx_vocab_builder *pack, unsigned byte,
    uint32_t id, struct ctx_err *err);

/* ---- file_pretokenizer.c ---- */

/*
 * Sets pack->pretokenizer and pack->patterns from the pre_tokenizer of a
 * tokenizer.json.  A text is first split by the patterns, with PCRE2.  The
 * resulting pieces of the text are then split by the built-in pretokenizer.  If
 * the last pattern splits in the same way as a built-in pretokenizer, the
 * built-in pretokenizer replaces the pattern.  Fails with CTX_EFILE if the
 * pre_tokenizer removes, joins or changes text, splits nothing, or has an
 * unknown type.
 */
int ctx_file_pretokenizer_json(struct ctx_vocab_builder *pack,
    const json_t *pre, struct ctx_err *err);

/* How a model in a GGUF file splits text into pretokens (pieces of text that
 * are encoded separately).  A GGUF file contains only a name, the value of
 * tokenizer.ggml.pre. ctx has a table with a row for each name.  The rows were
 * taken from the tokenizer.json files of the models. */
struct ctx_file_pretokenizer_model {
	const char *name;
	/* at most 3 patterns; if there are fewer, NULL comes after the last
	 * pattern */
	const char *patterns[3];
	/* the setting use_regex of ByteLevel: true if GPT-2's pattern also
	 * splits the text */
	bool byte_level;
	bool nfc; /* true if texts are normalized (NFC) first */
	/* the setting ignore_merges of the tokenizer.json; see
	 * ctx_vocab_builder.whole */
	bool whole;
};

/* Returns the row of the table for a value of tokenizer.ggml.pre in a GGUF
 * file, or NULL if the value is not known. */
const struct ctx_file_pretokenizer_model *ctx_file_pretokenizer_named(
    struct ctx_str name);

/* Sets *err to CTX_EFILE and a text: a vocabulary file is refused because of
 * its part "what" (such as its pre_tokenizer). name: type or name of this part,
 * or "".  Returns -1. */
int ctx_refuse_tokenizer(struct ctx_err *err, const char *what,
    const char *name);
/* Returns the string that an object has for a key, or "" if there is none. */
const char *ctx_json_string_of(const json_t *object, const char *key);
/* Returns true if an object has the value true for a key. */
bool ctx_json_true_of(const json_t *object, const char *key);

#endif
