/*
 * sentencepiece.c - reads the vocabulary of a SentencePiece model file (BPE)
 *
 * The file is a protocol buffer, the message ModelProto of
 * sentencepiece_model.proto: a list of fields, each with a number, a type and a
 * value.  Tokens are called pieces, and the id of a piece is its index in the
 * list of pieces.  Two tokens can merge if their bytes together are a piece.
 * The merge that gives the piece with the highest score is made first.
 */
#include <stdlib.h>

#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* types of values in a protocol buffer */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
/* Numbers of fields in the messages ModelProto, SentencePiece, TrainerSpec and
 * NormalizerSpec. */
enum { PIECES = 1, TRAINER = 2, NORMALIZER = 3 };
enum { PIECE_NAME = 1, PIECE_SCORE = 2, PIECE_TYPE = 3 };
enum { MODEL_TYPE = 3, BLANK_AFTER = 24, BYTE_FALLBACK = 35 };
enum { CHARSMAP = 2, DUMMY_PREFIX = 3, REMOVE_BLANKS = 4, ESCAPE_BLANKS = 5 };
/* values of PIECE_TYPE and MODEL_TYPE */
enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED_PIECE, BYTE };
enum { UNIGRAM = 1, BPE, WORD, CHAR };

/* A message of the protocol buffer, whose fields are being read.  The fields
 * that were not read yet are the bytes of the file from "at" to "end". */
struct fields {
	const char *p;
	size_t at, end;
};

struct field {
	uint64_t number, type;
	/* the value of the field, if its type is VARINT or FIXED32 */
	uint64_t value;
	struct ctx_str bytes;
	size_t at; /* offset of the field in the file */
};

struct piece {
	struct ctx_str name;
	float score;
	uint32_t type, id;
};

struct model {
	struct piece *pieces;
	size_t n, cap;
	uint64_t type; /* value of the field MODEL_TYPE */
	bool byte_fallback, blank_after, dummy_prefix, remove_blanks;
	bool escape_blanks, charsmap;
	struct ctx_vocab_builder *pack;
	/* One bit for each code point: set if the character is a piece.  The
	 * array must be freed together with the struct. */
	unsigned char *has_char;
};

static int
refuse_model(struct ctx_err *err, const char *what, struct ctx_str name)
{
	return ctx_err_set(err, CTX_EFILE, CTX_REFUSED("%s%.*s"), what,
	    (int)(name.n < 80 ? name.n : 80), name.p);
}

static int
fail_at(struct ctx_err *err, size_t at, const char *what)
{
	return ctx_err_set(err, CTX_EFILE,
	    "not a SentencePiece model: at byte %zu: %s", at, what);
}

static int
read_varint(struct fields *f, uint64_t *value, struct ctx_err *err)
{
	size_t from = f->at;
	unsigned shift;
	uint64_t byte;

	*value = 0;
	for (shift = 0; shift < 64 && f->at < f->end; shift += 7) {
		byte = (unsigned char)f->p[f->at++];
		*value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return 0;
	}
	return fail_at(err, from, "a number without an end");
}

/* Reads a little-endian number of "size" bytes. */
static int
read_fixed(struct fields *f, unsigned size, uint64_t *value,
    struct ctx_err *err)
{
	unsigned i;

	if (f->end - f->at < size)
		return fail_at(err, f->at, "a number that is cut off");
	*value = 0;
	for (i = 0; i < size; i++)
		*value |= (uint64_t)(unsigned char)f->p[f->at++] << 8 * i;
	return 0;
}

/* Reads the next field of a message.  Returns 1, 0 at the end of the message,
 * or -1 with *err. */
static int
read_field(struct fields *f, struct field *field, struct ctx_err *err)
{
	uint64_t key, n;

	if (f->at == f->end)
		return 0;
	field->at = f->at;
	if (read_varint(f, &key, err) < 0)
		return -1;
	field->number = key >> 3;
	field->type = key & 7;
	field->value = 0;
	field->bytes = (struct ctx_str){f->p + f->at, 0};
	switch (field->type) {
	case VARINT:
		return read_varint(f, &field->value, err) < 0 ? -1 : 1;
	case FIXED64:
		return read_fixed(f, 8, &field->value, err) < 0 ? -1 : 1;
	case FIXED32:
		return read_fixed(f, 4, &field->value, err) < 0 ? -1 : 1;
	case BYTES:
		if (read_varint(f, &n, err) < 0)
			return -1;
		if (n > f->end - f->at)
			return fail_at(err, field->at,
			    "a field that is longer than the rest of the file");
		field->bytes = (struct ctx_str){f->p + f->at, (size_t)n};
		f->at += (size_t)n;
		return 1;
	default:
		return fail_at(err, field->at, "a field of an unknown type");
	}
}

/* Returns the message that is the value of a field, so that the fields of this
 * message can be read. */
static struct fields
enter_message(const struct fields *f, const struct field *field)
{
	size_t at = (size_t)(field->bytes.p - f->p);

	return (struct fields){f->p, at, at + field->bytes.n};
}

static int
read_piece(struct model *m, struct fields f, struct ctx_err *err)
{
	struct piece piece = {.type = NORMAL, .id = (uint32_t)m->n};
	struct field field;
	uint32_t bits;
	int rc;

	while ((rc = read_field(&f, &field, err)) > 0) {
		if (field.number == PIECE_NAME && field.type == BYTES)
			piece.name = field.bytes;
		else if (field.number == PIECE_TYPE && field.type == VARINT)
			piece.type = (uint32_t)field.value;
		if (field.number != PIECE_SCORE || field.type != FIXED32)
			continue;
		bits = (uint32_t)field.value;
		memcpy(&piece.score, &bits, sizeof bits);
	}
	if (rc < 0)
		return -1;
	if (piece.name.n == 0 || m->n + 1 >= CTX_VOCAB_MAX)
		return fail_at(err, f.at,
		    piece.name.n == 0 ? "a piece without a name"
				      : "too many pieces");
	if (piece.score != piece.score)
		return fail_at(err, f.at, "a score that is not a number");
	if (CTX_GROW(m->pieces, m->cap, m->n + 1, err) < 0)
		return -1;
	m->pieces[m->n++] = piece;
	return 0;
}

static int
read_trainer(struct model *m, struct fields f, struct ctx_err *err)
{
	struct field field;
	int rc;

	while ((rc = read_field(&f, &field, err)) > 0) {
		if (field.type != VARINT)
			continue;
		if (field.number == MODEL_TYPE)
			m->type = field.value;
		else if (field.number == BLANK_AFTER)
			m->blank_after = field.value != 0;
		else if (field.number == BYTE_FALLBACK)
			m->byte_fallback = field.value != 0;
	}
	return rc;
}

static int
read_normalizer_spec(struct model *m, struct fields f, struct ctx_err *err)
{
	struct field field;
	int rc;

	while ((rc = read_field(&f, &field, err)) > 0) {
		if (field.number == CHARSMAP && field.type == BYTES)
			m->charsmap = field.bytes.n > 0;
		if (field.type != VARINT)
			continue;
		if (field.number == DUMMY_PREFIX)
			m->dummy_prefix = field.value != 0;
		else if (field.number == REMOVE_BLANKS)
			m->remove_blanks = field.value != 0;
		else if (field.number == ESCAPE_BLANKS)
			m->escape_blanks = field.value != 0;
	}
	return rc;
}

static int
read_model(struct model *m, struct fields f, struct ctx_err *err)
{
	struct field field;
	int rc = 0, more;

	m->type = UNIGRAM;
	m->dummy_prefix = m->remove_blanks = m->escape_blanks = true;
	while (rc == 0 && (more = read_field(&f, &field, err)) != 0) {
		if (more < 0)
			return -1;
		if (field.type != BYTES)
			continue;
		if (field.number == PIECES)
			rc = read_piece(m, enter_message(&f, &field), err);
		else if (field.number == TRAINER)
			rc = read_trainer(m, enter_message(&f, &field), err);
		else if (field.number == NORMALIZER)
			rc = read_normalizer_spec(m, enter_message(&f, &field),
			    err);
	}
	return rc;
}

/* Refuses a model whose tokens ctx cannot count exactly.  The error text names
 * the setting that is the reason. */
static int
check_spec(const struct model *m, struct ctx_err *err)
{
	static const char *const types[] = {"unknown", "Unigram", "BPE", "Word",
	    "Char"};
	const char *type = types[m->type <= CHAR ? m->type : 0], *what;

	if (m->n == 0)
		return fail_at(err, 0, "no pieces");
	if (m->type != BPE)
		return refuse_model(err, "a model of type ",
		    (struct ctx_str){type, strlen(type)});
	what = !m->byte_fallback ? "a model without byte_fallback"
	    : m->blank_after     ? "treat_whitespace_as_suffix"
	    : m->remove_blanks   ? "a normalizer with remove_extra_whitespaces"
	    : !m->escape_blanks  ? "a normalizer without escape_whitespaces"
	    : m->charsmap        ? "a normalizer with precompiled_charsmap"
				 : NULL;
	if (what != NULL)
		return refuse_model(err, what, (struct ctx_str){"", 0});
	return 0;
}

/* Compares pieces by the order of their merges: the highest score first and, if
 * scores are equal, the longest name first; see check_scores. */
static int
compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->name.n != y->name.n)
		return x->name.n > y->name.n ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Returns true if the name consists of one character, which may be repeated. */
static bool
is_run(struct ctx_str name)
{
	size_t i, length = 1;

	while (
	    length < name.n && ((unsigned char)name.p[length] & 0xc0) == 0x80)
		length++;
	for (i = length; i < name.n; i++)
		if (name.p[i] != name.p[i - length])
			return false;
	return true;
}

static bool
is_merged(const struct piece *piece)
{
	return piece->type == NORMAL && !ctx_is_char_name(piece->name);
}

/*
 * Refuses a model in which two pieces that are the result of merging have the
 * same score.  If both could be made in a text, SentencePiece first makes the
 * piece that is further left. ctx cannot do this, because it merges in a fixed
 * order of pieces.
 *
 * Runs of one character, such as several blanks, are an exception.
 * compare_pieces sorts the longest run first, so a run is merged from its left
 * end, as in SentencePiece.  The caller must sort the pieces first.
 */
static int
check_scores(const struct model *m, struct ctx_err *err)
{
	const struct piece *before = NULL, *piece;
	size_t i;

	for (i = 0; i < m->n; i++) {
		piece = m->pieces + i;
		if (!is_merged(piece))
			continue;
		if (before != NULL && before->score == piece->score &&
		    !(is_run(before->name) && is_run(piece->name) &&
			before->name.p[0] == piece->name.p[0] &&
			memcmp(before->name.p, piece->name.p, piece->name.n) ==
			    0))
			return refuse_model(err,
			    "two pieces of equal score, one of them ",
			    piece->name);
		before = piece;
	}
	return 0;
}

static int
add_special(struct model *m, const struct piece *piece, struct ctx_err *err)
{
	struct ctx_str name = ctx_char_name(&m->pack->arena, piece->name, err);

	if (name.p == NULL)
		return -1;
	return ctx_vocab_builder_add_special(m->pack,
	    (struct ctx_build_added_token){
		.p = name.p,
		.n = (uint32_t)name.n,
		.id = piece->id,
		.added = piece->type == USER_DEFINED,
		.normal = piece->type == USER_DEFINED,
	    },
	    err);
}

/* Stores in m->has_char that a character is a piece of the model. */
static void
note_char(struct model *m, struct ctx_str name)
{
	uint32_t cp;

	(void)ctx_utf8_next(name.p, name.n, &cp);
	m->has_char[cp / 8] |= (unsigned char)(1u << cp % 8);
}

/* Refuses a piece that contains a character which is not a piece itself.
 * SentencePiece would merge such a character, although the character has no
 * token.  In ctx, the character becomes the tokens of its bytes, which are
 * never merged. */
static int
check_chars(const struct model *m, const struct piece *piece,
    struct ctx_err *err)
{
	struct ctx_str name = piece->name;
	size_t at = 0;
	uint32_t cp;

	while (at < name.n) {
		at += ctx_utf8_next(name.p + at, name.n - at, &cp);
		if (cp >= 0x80 && cp < 0x110000 &&
		    !(m->has_char[cp / 8] >> cp % 8 & 1))
			return refuse_model(err,
			    "a piece with a character that is not a piece, ",
			    name);
	}
	return 0;
}

/* Adds a piece to the list of tokens if it belongs to this round.  Round 0 is
 * for characters, round 1 for bytes, and round 2 for all other pieces. */
static int
add_piece(struct model *m, const struct piece *piece, unsigned round,
    struct ctx_err *err)
{
	int byte = ctx_byte_of_name(piece->name);
	bool is_char = piece->type == NORMAL && ctx_is_char_name(piece->name) &&
	    piece->name.p[0] != ' ';

	if (piece->type == BYTE && byte < 0)
		return refuse_model(err, "a byte piece with the name ",
		    piece->name);
	if (piece->type == UNUSED_PIECE || piece->type < NORMAL ||
	    piece->type > BYTE)
		return refuse_model(err,
		    "a piece that is unused or of an unknown type, ",
		    piece->name);
	if (round == 0 && is_char) {
		note_char(m, piece->name);
		return ctx_char_tokens_add(m->pack, piece->name, piece->id,
		    CTX_BUILD_CHAR, err);
	}
	if (round == 1 && piece->type == BYTE)
		return ctx_char_tokens_add_byte(m->pack, (unsigned)byte,
		    piece->id, err);
	if (round < 2 || is_char || piece->type == BYTE)
		return 0;
	if (piece->type == NORMAL && check_chars(m, piece, err) < 0)
		return -1;
	return piece->type == NORMAL ? ctx_char_tokens_add(m->pack, piece->name,
					   piece->id, CTX_BUILD_ANY, err)
				     : add_special(m, piece, err);
}

static int
add_pieces(struct model *m, struct ctx_err *err)
{
	unsigned round;
	size_t i;

	qsort(m->pieces, m->n, sizeof *m->pieces, compare_pieces);
	if (check_scores(m, err) < 0)
		return -1;
	m->has_char = calloc(0x110000 / 8, 1);
	if (m->has_char == NULL)
		return ctx_err_nomem(err);
	for (round = 0; round < 3; round++)
		for (i = 0; i < m->n; i++)
			if (add_piece(m, m->pieces + i, round, err) < 0)
				return -1;
	return 0;
}

bool
ctx_sentencepiece_is(const char *p, size_t n)
{
	return n > 2 && p[0] == (PIECES << 3 | BYTES);
}

int
ctx_sentencepiece_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err)
{
	struct model m = {.pack = pack};
	int rc = read_model(&m, (struct fields){p, 0, n}, err);

	if (rc == 0)
		rc = check_spec(&m, err);
	if (rc == 0)
		rc = add_pieces(&m, err);
	pack->pretokenizer.family = CTX_PRETOKENIZER_CHARS;
	if (m.dummy_prefix)
		pack->prefix = CTX_VOCAB_PREFIX | CTX_VOCAB_PREFIX_ONCE;
	free(m.pieces);
	free(m.has_char);
	return rc;
}
