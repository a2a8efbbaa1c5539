/* embed.c - compares texts by their embeddings (vectors), which a program
 * chosen by the user makes */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "prune/strategy/embed.h"

enum { MOST_TEXT = 4096, MOST_NUMBERS = 65536 };

/* Maximum lengths in bytes of the output of the embedder (a program of the
 * user).  MOST_ANSWER: for each text; this is enough for 4,096 numbers of 24
 * digits.  MOST_ANSWERS: for all texts together, because the whole output is
 * held in memory. */
#define MOST_ANSWER  ((size_t)98304)
#define MOST_ANSWERS ((size_t)1 << 30)

int
ctx_embed_add(struct ctx_embed *embed, const char *p, size_t n,
    struct ctx_err *err)
{
	if (n > MOST_TEXT)
		for (n = MOST_TEXT; n > 0 && (p[n] & 0xc0) == 0x80; n--)
			continue;
	if (ctx_buf_add(&embed->lines, "{\"text\":", 8, err) < 0 ||
	    ctx_json_string_encode(&embed->lines, n > 0 ? p : "", n, err) < 0 ||
	    ctx_buf_add(&embed->lines, "}\n", 2, err) < 0)
		return -1;
	embed->n++;
	return 0;
}

/* Divides the numbers of a vector by the largest of them.  Their squares then
 * neither overflow nor underflow.  The direction of the vector remains the
 * same. */
static void
scale_vector(double *numbers, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (fabs(numbers[i]) > most)
			most = fabs(numbers[i]);
	for (size_t i = 0; most > 0 && i < n; i++)
		numbers[i] /= most;
}

/* Reads a line, which must be a JSON array of numbers.  Sets *out to the array,
 * which the caller must free, and *numbers to its length.  Returns -1 with *err
 * if the line is no such array. */
static int
read_vector(const char *p, size_t n, double **out, size_t *numbers,
    struct ctx_err *err)
{
	json_error_t why;
	json_t *array;

	*out = NULL;
	*numbers = 0;
	if (!ctx_json_shallow(p, n))
		goto none;
	/* When jansson has too little memory, it reports a syntax error or
	 * silently drops digits; only errno shows the true cause. */
	errno = 0;
	array = json_loadb(p, n, 0, &why);
	if (errno == ENOMEM) {
		json_decref(array);
		return ctx_err_nomem(err);
	}
	*numbers = json_array_size(array);
	if (array == NULL || *numbers == 0 || *numbers > MOST_NUMBERS)
		goto bad;
	*out = calloc(*numbers, sizeof **out);
	if (*out == NULL) {
		json_decref(array);
		return ctx_err_nomem(err);
	}
	for (size_t i = 0; i < *numbers; i++) {
		const json_t *number = json_array_get(array, i);

		(*out)[i] = json_number_value(number);
		if (!json_is_number(number) || !isfinite((*out)[i]))
			goto bad;
	}
	scale_vector(*out, *numbers);
	json_decref(array);
	return 0;
bad:
	json_decref(array);
	free(*out);
	*out = NULL;
none:
	return ctx_err_set(err, CTX_EARG,
	    "the embedder wrote a line that is not a JSON array of numbers");
}

static double
compute_cosine(const double *a, const double *b, size_t n)
{
	double dot = 0, aa = 0, bb = 0;

	for (size_t i = 0; i < n; i++) {
		dot += a[i] * b[i];
		aa += a[i] * a[i];
		bb += b[i] * b[i];
	}
	return aa > 0 && bb > 0 ? dot / sqrt(aa * bb) : 0;
}

/* Returns the number of lines that the embedder has written.  The last line is
 * counted even if it does not end with a line feed. */
static size_t
count_lines(const struct ctx_buf *text)
{
	const char *p = text->p, *end = text->p + text->n;
	size_t lines = 0;

	for (; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
		lines++;
	return lines + (text->n > 0 && end[-1] != '\n');
}

/* Sets near[i] to the cosine of the angle between the embedding of text i and
 * the embedding of the question. answer: output of the embedder.  Its first
 * line is the embedding of the question; each of the next lines is the
 * embedding of a text. */
static int
read_nearness(const struct ctx_buf *answer, double *near, size_t n,
    struct ctx_err *err)
{
	struct ctx_str rest = ctx_buf_str(answer), line;
	double *question = NULL, *vector;
	size_t numbers = 0, these, lines = count_lines(answer), i;
	int rc = -1;

	if (lines != n + 1)
		return ctx_err_set(err, CTX_EARG,
		    "the embedder wrote %zu lines for %zu texts; it must write "
		    "one for each",
		    lines, n + 1);
	for (i = 0; i <= n; i++) {
		line = ctx_str_cut(&rest, '\n');
		if (read_vector(line.p, line.n, &vector, &these, err) < 0)
			goto out;
		if (i == 0) {
			question = vector;
			numbers = these;
			continue;
		}
		if (these == numbers)
			near[i - 1] = compute_cosine(question, vector, numbers);
		free(vector);
		if (these != numbers) {
			ctx_err_set(err, CTX_EARG,
			    "the command of --embedder wrote arrays of "
			    "different lengths");
			goto out;
		}
	}
	rc = 0;
out:
	free(question);
	return rc;
}

size_t
ctx_embed_max(size_t n)
{
	return n < MOST_ANSWERS / MOST_ANSWER ? (n + 1) * MOST_ANSWER
					      : MOST_ANSWERS;
}

int
ctx_embed_nearness(struct ctx_embed *embed, struct ctx_str question,
    double *near, size_t n, struct ctx_err *err)
{
	struct ctx_buf answer = {0};
	struct ctx_embed input = {0};
	size_t limit = ctx_embed_max(n);
	int rc = -1;

	while (embed->n < n)
		if (ctx_embed_add(embed, "", 0, err) < 0)
			return -1;
	if (ctx_embed_add(&input, question.p, question.n, err) < 0 ||
	    ctx_buf_add_str(&input.lines, ctx_buf_str(&embed->lines), err) < 0)
		goto out;
	if (ctx_run_command(embed->command, ctx_buf_str(&input.lines), limit,
		&answer, err) == 0)
		rc = read_nearness(&answer, near, n, err);
	else if (answer.n > limit)
		ctx_err_set(err, CTX_EARG,
		    "the embedder wrote more than %zu bytes for %zu texts; "
		    "have it write fewer numbers or digits",
		    limit, n + 1);
out:
	ctx_embed_release(&input);
	ctx_buf_release(&answer);
	return rc;
}

void
ctx_embed_reset(struct ctx_embed *embed)
{
	embed->lines.n = 0;
	embed->n = 0;
}

void
ctx_embed_release(struct ctx_embed *embed)
{
	ctx_buf_release(&embed->lines);
	embed->n = 0;
}
