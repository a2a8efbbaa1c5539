/*
 * load.c - loads vocabulary files, and caches their compiled form
 *
 * A cache entry is a file that contains a packed vocabulary and a checksum.
 * The name of a cache entry contains the SHA-256 of the vocabulary file and of
 * its pretokenizer.  A cache entry gets its name only when it is complete, so
 * other processes find a complete entry or no entry.  The checksum detects
 * accidental damage, by a disk or an editor.  An attacker could write a correct
 * checksum.  So validate.c also checks every number in the packed vocabulary.
 */
#define _GNU_SOURCE /* for O_TMPFILE, if the system has it */
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/open.h"
#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* maximum number of bytes that are read from a vocabulary file */
#define FILE_MAX (1u << 30)

/* The pattern of Kimi K2 and K3, tokenization_kimi.py of Moonshot's models:
 * runs of Han characters, then the pattern of o200k_base for all other
 * characters.
 * [^[^A]B] are the characters of A that are not in B. */
#define HAN                                                                  \
	"\\x{2e80}-\\x{2e99}\\x{2e9b}-\\x{2ef3}\\x{2f00}-\\x{2fd5}\\x{3005}" \
	"\\x{3007}\\x{3021}-\\x{3029}\\x{3038}-\\x{303b}\\x{3400}-\\x{4dbf}" \
	"\\x{4e00}-\\x{9fff}\\x{f900}-\\x{fa6d}\\x{fa70}-\\x{fad9}"          \
	"\\x{16fe2}-\\x{16fe3}\\x{16ff0}-\\x{16ff1}\\x{20000}-\\x{2a6df}"    \
	"\\x{2a700}-\\x{2b739}\\x{2b740}-\\x{2b81d}\\x{2b820}-\\x{2cea1}"    \
	"\\x{2ceb0}-\\x{2ebe0}\\x{2ebf0}-\\x{2ee5d}\\x{2f800}-\\x{2fa1d}"    \
	"\\x{30000}-\\x{3134a}\\x{31350}-\\x{323af}"
#define UPPER "[^[^\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]" HAN "]"
#define LOWER "[^[^\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]" HAN "]"
#define WORD(letters) \
	"[^\\r\\n\\p{L}\\p{N}]?" letters "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
#define KIMI                                                                   \
	"[" HAN "]+|" WORD(UPPER "*" LOWER "+") WORD(                          \
	    UPPER "+" LOWER "*") "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" \
				 "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define KIMI_TOKENS 163584

/* tiktoken rank files contain neither the pretokenizer nor the special tokens,
 * so both are chosen by the beginning of the file's name. */
static const struct {
	const char *name;
	struct ctx_pretokenizer pretokenizer;
	const struct ctx_specials *specials;
	/* a pattern that is not built in, or NULL */
	const char *pattern;
} families[] = {
    {"o200k", {CTX_PRETOKENIZER_O200K, 3, 1, 0}, &ctx_specials_o200k, NULL},
    {"cl100k", {CTX_PRETOKENIZER_CL100K, 3, 1, 0}, &ctx_specials_cl100k, NULL},
    {"p50k", {CTX_PRETOKENIZER_R50K, 0, 1, 0}, &ctx_specials_r50k, NULL},
    {"r50k", {CTX_PRETOKENIZER_R50K, 0, 1, 0}, &ctx_specials_r50k, NULL},
    {"gpt2", {CTX_PRETOKENIZER_R50K, 0, 1, 0}, &ctx_specials_r50k, NULL},
    {"tiktoken.model", {CTX_PRETOKENIZER_NONE, 0, 0, 0}, NULL, KIMI},
};

static bool
is_gguf(const struct ctx_buf *buf)
{
	return buf->n >= 4 && memcmp(buf->p, CTX_GGUF_MAGIC, 4) == 0;
}

/* If buf contains all metadata of a GGUF file, shortens buf to the end of the
 * metadata and returns true.  For linear time, looks at buf only if buf has at
 * least *next bytes, and then sets *next to twice the number of bytes in
 * buf. */
static bool
is_enough(struct ctx_buf *buf, size_t *next)
{
	size_t n;

	if (buf->n < *next || !is_gguf(buf))
		return false;
	n = ctx_gguf_size(buf->p, buf->n);
	*next = 2 * buf->n;
	if (n > 0)
		buf->n = n;
	return n > 0;
}

static int
read_all(struct ctx_buf *buf, const char *file, struct ctx_err *err)
{
	int fd = ctx_open_file(file, O_RDONLY);
	struct stat st;
	size_t next = 0;
	ssize_t got = 1;

	if (fd < 0 && errno == ENOENT)
		return ctx_err_set(err, CTX_EARG,
		    "there is no encoding or file %s", file);
	if (fd < 0)
		return ctx_err_open(err, errno, "", file);
	while (got > 0 && buf->n <= FILE_MAX && !is_enough(buf, &next)) {
		if (ctx_buf_reserve(buf, 1 << 16, err) < 0) {
			close(fd);
			return -1;
		}
		got = read(fd, buf->p + buf->n, buf->cap - buf->n);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			buf->n += (size_t)got;
	}
	if (got < 0)
		ctx_err_sys(err, errno, "cannot read %s", file);
	else if (buf->n > FILE_MAX)
		got = ctx_err_set(err, CTX_ELIMIT,
		    "%s is too large for a vocabulary", file);
	else if (buf->n == 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		got = ctx_err_set(err, CTX_EFILE,
		    "cannot read the file: no process writes to this FIFO; "
		    "start its writer first");
	close(fd);
	return got < 0 ? -1 : 0;
}

/* Returns a checksum of n bytes; n must be a multiple of 32.  The checksum of
 * the whole packed vocabulary is computed at every start of ctx, so four sums
 * are computed in parallel.  Each step is an invertible function, so a change
 * of one word always changes the checksum.  The result depends on the byte
 * order of the processor. */
static uint64_t
sum_of(const char *p, size_t n)
{
	uint64_t lanes[4] = {1, 2, 3, 4}, words[4], sum = n;
	size_t i, k;

	for (i = 0; i + sizeof words <= n; i += sizeof words) {
		memcpy(words, p + i, sizeof words);
		for (k = 0; k < 4; k++) {
			lanes[k] = (lanes[k] ^ words[k]) * 0x9e3779b97f4a7c15u;
			lanes[k] ^= lanes[k] >> 32;
		}
	}
	for (k = 0; k < 4; k++) {
		sum = (sum ^ lanes[k]) * 0xd6e8feb86659fd93u;
		sum ^= sum >> 32;
	}
	return sum;
}

/* If "map" (n bytes) contains a valid packed vocabulary and, after it, the
 * checksum of the packed vocabulary, sets t->vocab and returns true.  Otherwise
 * returns false. */
static bool
is_sound(struct ctx_tokenizer *t, const char *map, size_t n)
{
	struct ctx_err ignored;
	uint64_t sum;

	if (n < sizeof sum || (n - sizeof sum) % 64 != 0)
		return false;
	n -= sizeof sum;
	memcpy(&sum, map + n, sizeof sum);
	return sum == sum_of(map, n) &&
	    ctx_vocab_validate(&t->vocab, map, n, &ignored) == 0;
}

static int
open_patterns(struct ctx_tokenizer *t, struct ctx_err *err)
{
	const struct ctx_vocab *v = &t->vocab;

	return v->patterns == NULL
	    ? 0
	    : ctx_pcre2_open(&t->pcre2, v->patterns,
		  (size_t)v->head->bytes[CTX_VOCAB_PATTERNS], err);
}

/* Returns the contents of a cache entry, aligned to 64 bytes and owned by the
 * caller, or NULL if it cannot be read.  The file is not mapped into memory,
 * because this process would crash if another process truncated the file. */
static void *
read_cached_block(const char *path, size_t *n)
{
	/* O_NONBLOCK, because opening a FIFO without this flag would wait for a
	 * writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	void *block = NULL;
	bool whole = false;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size <= SIZE_MAX / 2) {
		*n = (size_t)st.st_size;
		if (posix_memalign(&block, 64, *n) != 0)
			block = NULL;
		whole = block != NULL && ctx_read_exactly(fd, block, *n) == 0;
	}
	close(fd);
	if (!whole) {
		free(block);
		return NULL;
	}
	return block;
}

/* Loads a packed vocabulary from the cache.  Returns false if the cache has no
 * valid entry for the file. */
static bool
load_cached(struct ctx_tokenizer *t, const char *path,
    const struct ctx_vocab_builder *pack)
{
	struct ctx_err ignored;
	size_t n;
	void *block = read_cached_block(path, &n);

	if (block == NULL)
		return false;
	if (!is_sound(t, block, n) ||
	    memcmp(t->vocab.head->source, pack->source, sizeof pack->source) !=
		0 ||
	    open_patterns(t, &ignored) < 0) {
		free(block);
		memset(&t->vocab, 0, sizeof t->vocab);
		return false;
	}
	t->block = block;
	t->size = n;
	return true;
}

void
ctx_tokenizer_make_cache(const char *cache)
{
	const char *slash = strrchr(cache, '/');
	struct ctx_buf parent = {0};
	struct ctx_err ignored;

	if (mkdir(cache, 0700) == 0 || errno != ENOENT || slash == NULL ||
	    ctx_buf_add(&parent, cache, (size_t)(slash - cache), &ignored) <
		0 ||
	    ctx_buf_add(&parent, "", 1, &ignored) < 0) {
		ctx_buf_release(&parent);
		return;
	}
	(void)mkdir(parent.p, 0700);
	(void)mkdir(cache, 0700);
	ctx_buf_release(&parent);
}

static bool
write_block(int fd, const struct ctx_tokenizer *t)
{
	uint64_t sum = sum_of(t->block, t->size);

	return ctx_write_all(fd, (struct ctx_str){t->block, t->size},
		   (struct ctx_str){(const char *)&sum, sizeof sum}) == 0;
}

/* Writes a cache entry to a file without a name, and then gives the file the
 * name "path".  If the process is killed before the file has its name, the file
 * disappears.  Returns false if the system cannot do this. */
static bool
write_nameless_entry(const struct ctx_tokenizer *t, const char *cache,
    const char *path)
{
#ifdef O_TMPFILE
	int fd = open(cache, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char self[40];
	bool done;

	if (fd < 0)
		return false;
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	/* If there was a valid entry with this name, load_cached would have
	 * used it, so an existing file may be removed. */
	done = write_block(fd, t) && (unlink(path) == 0 || errno == ENOENT) &&
	    linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
	close(fd);
	return done;
#else
	(void)t, (void)cache, (void)path;
	return false;
#endif
}

/* Writes a cache entry to a file with a random name, and then renames the file.
 * In the meantime, signals that end the process are blocked, so that only
 * SIGKILL can leave the file with the random name. */
static void
write_named_entry(const struct ctx_tokenizer *t, const char *path)
{
	unsigned held = ctx_signals_defer();
	struct ctx_buf name = {0};
	struct ctx_err ignored;
	bool written;
	int fd = -1;

	if (ctx_buf_printf(&name, &ignored, "%s.XXXXXX", path) >= 0)
		fd = mkstemp(name.p);
	if (fd >= 0) {
		written = write_block(fd, t);
		if (close(fd) < 0 || !written || rename(name.p, path) < 0)
			(void)unlink(name.p);
	}
	ctx_signals_release(held);
	ctx_buf_release(&name);
}

/* Stores the packed vocabulary in the cache.  A failure is not an error: the
 * next run compiles the vocabulary file again. */
static void
store_cached(const struct ctx_tokenizer *t, const char *cache, const char *path)
{
	ctx_tokenizer_make_cache(cache);
	if (!write_nameless_entry(t, cache, path))
		write_named_entry(t, path);
}

/* Chooses the pretokenizer and the special tokens of a rank file by the name of
 * the file, because rank files contain neither a pretokenizer nor special
 * tokens. */
static int
find_family(struct ctx_tokenizer *t, struct ctx_vocab_builder *pack,
    const char *file, const char **pattern, struct ctx_err *err)
{
	const char *base = strrchr(file, '/');
	size_t i;

	base = base == NULL ? file : base + 1;
	for (i = 0; i < sizeof families / sizeof families[0]; i++)
		if (strncmp(base, families[i].name, strlen(families[i].name)) ==
		    0) {
			pack->pretokenizer = families[i].pretokenizer;
			t->specials = families[i].specials;
			*pattern = families[i].pattern;
			return 0;
		}
	return ctx_err_set(err, CTX_EFILE,
	    "the file's name does not begin with its encoding (o200k, cl100k, "
	    "p50k or r50k) and is not tiktoken.model; rename the file");
}

/* Computes the SHA-256 of a vocabulary file and of its pretokenizer, because
 * the tokens of a text depend on both. */
static void
hash_source(struct ctx_vocab_builder *pack, const struct ctx_buf *text)
{
	SHA2_CTX hash;

	SHA256Init(&hash);
	SHA256Update(&hash, (const uint8_t *)&pack->pretokenizer,
	    sizeof pack->pretokenizer);
	SHA256Update(&hash, (const uint8_t *)text->p, text->n);
	SHA256Final(pack->source, &hash);
}

static int
make_cache_path(struct ctx_buf *path, const char *cache,
    const struct ctx_vocab_builder *pack, struct ctx_err *err)
{
	size_t i;

	if (ctx_buf_printf(path, err, "%s/", cache) < 0)
		return -1;
	for (i = 0; i < sizeof pack->source; i++)
		if (ctx_buf_printf(path, err, "%02x", pack->source[i]) < 0)
			return -1;
	return ctx_buf_printf(path, err, ".vocab%d%c", CTX_VOCAB_VERSION, '\0');
}

static bool
is_json(const struct ctx_buf *text)
{
	size_t i = 0;

	while (i < text->n && memchr(" \t\r\n", text->p[i], 4) != NULL)
		i++;
	return i < text->n && text->p[i] == '{';
}

typedef int read_fn(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err);

/* Returns the function that reads this vocabulary file, chosen by the first
 * bytes of the file. */
static read_fn *
find_reader(const struct ctx_buf *text)
{
	if (is_gguf(text))
		return ctx_gguf_read;
	if (is_json(text))
		return ctx_tekken_is(text->p, text->n) ? ctx_tekken_read
						       : ctx_huggingface_read;
	return ctx_sentencepiece_is(text->p, text->n) ? ctx_sentencepiece_read
						      : ctx_tiktoken_read;
}

static int
compile_vocabulary(struct ctx_tokenizer *t, struct ctx_vocab_builder *pack,
    const struct ctx_buf *text, const char *pattern, struct ctx_err *err)
{
	int rc = find_reader(text)(pack, text->p, text->n, err);

	if (rc == 0 && pattern != NULL)
		rc = pack->n == KIMI_TOKENS
		    ? ctx_buf_add(&pack->patterns, pattern, strlen(pattern) + 1,
			  err)
		    : ctx_err_set(err, CTX_EFILE,
			  "the file has %zu tokens instead of %d, as Kimi's "
			  "file of this name",
			  pack->n, KIMI_TOKENS);
	if (rc == 0)
		rc = ctx_vocab_build(pack, &t->block, &t->size, err);
	ctx_vocab_builder_release(pack);
	if (rc < 0)
		return -1;
	ctx_vocab_view(&t->vocab, t->block);
	return open_patterns(t, err);
}

/* Adds the name of the vocabulary file, and the line number if it is known, to
 * the beginning of the error text.  Name and line are not stored in err->file
 * and err->line, because the caller sets these to a place in the input.  Errors
 * of system calls already contain the name. */
static void
name_file(const char *file, struct ctx_err *err)
{
	const struct ctx_err why = *err;

	if (why.line > 0)
		ctx_err_set(err, why.code, "%s:%llu: %s", file,
		    (unsigned long long)why.line, why.text);
	else if (why.code != CTX_ESYS && why.code != CTX_ENOMEM)
		ctx_err_set(err, why.code, "%s: %s", file, why.text);
}

int
ctx_tokenizer_load(struct ctx_tokenizer *t, const char *file, const char *cache,
    struct ctx_err *err)
{
	struct ctx_buf text = {0}, path = {0};
	struct ctx_vocab_builder pack = {0};
	const char *pattern = NULL;
	int rc = read_all(&text, file, err);

	if (rc == 0 && find_reader(&text) == ctx_tiktoken_read)
		rc = find_family(t, &pack, file, &pattern, err);
	if (rc == 0) {
		hash_source(&pack, &text);
		rc = cache == NULL ? 0
				   : make_cache_path(&path, cache, &pack, err);
	}
	if (rc == 0 && !(cache != NULL && load_cached(t, path.p, &pack))) {
		rc = compile_vocabulary(t, &pack, &text, pattern, err);
		if (rc == 0 && cache != NULL)
			store_cached(t, cache, path.p);
	}
	if (rc == 0)
		rc = ctx_added_token_index(t, err);
	if (rc < 0)
		name_file(file, err);
	ctx_buf_release(&text);
	ctx_buf_release(&path);
	return rc;
}

void
ctx_tokenizer_unload(struct ctx_tokenizer *t)
{
	ctx_pcre2_close(t->pcre2);
	free(t->names);
	free(t->block);
}
