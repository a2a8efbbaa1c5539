/*
 * calibrate.c - computes the factor by which token counts of an encoding must
 * be multiplied to get the token counts of a model (ctx-count --calibrate)
 *
 * Assistant messages report the input tokens that the provider billed for the
 * messages before them.  From this number, the tokens of everything that is not
 * text are subtracted: message framing, media, tool definitions.  The remaining
 * number is compared with the tokens that ctx counted in the texts.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/calibrate.h"

struct calibrate_call {
	/* id of the model's name in calibrate.models, a string table */
	uint32_t model;
	/* encoding with which the tokens of the request were counted */
	const char *encoding;
	size_t number; /* number of the stored request, from 0 */
	struct ctx_billed_sample sample;
};

/* Finds the name of a message's model: the model that the message names or, if
 * it names none, the model that its conversation names (else "unknown").  Sets
 * *id to the id of this name in calibrate.models. */
static int
find_name(struct calibrate *calibrate, const struct ctx_token_stats *stats,
    uint32_t *id, struct ctx_err *err)
{
	struct ctx_str text = stats->model_name;

	calibrate->text.n = 0;
	if (stats->message != NULL &&
	    ctx_json_is_string(stats->message->json, stats->message->model) &&
	    ctx_json_text(stats->message->json, stats->message->model,
		&calibrate->text, &text, err) < 0)
		return -1;
	if (text.n == 0)
		text = (struct ctx_str){"unknown", strlen("unknown")};
	return ctx_intern(&calibrate->models, text.p, text.n, id, err);
}

/* Stores two numbers about the texts of a request, which are compared later:
 * the tokens that ctx counted in these texts, and the tokens that the provider
 * billed for them.  The provider bills only whole requests, so sum->rest is
 * subtracted from the billed tokens.  Stores nothing if one of the two numbers
 * is not above 0. *sum: the tokens that ctx counted in the texts of the request
 * (text), and in everything else (rest). */
static int
record_request(struct calibrate *calibrate, const struct ctx_token_stats *stats,
    const struct calibrate_sum *sum, struct ctx_err *err)
{
	uint32_t model;

	if (sum->text == 0 || stats->billed <= sum->rest)
		return 0;
	if (CTX_GROW(calibrate->list, calibrate->cap, calibrate->n + 1, err) <
	    0)
		return -1;
	if (find_name(calibrate, stats, &model, err) < 0)
		return -1;
	calibrate->list[calibrate->n] =
	    (struct calibrate_call){model, stats->encoding, calibrate->n,
		{sum->text, stats->billed - sum->rest}};
	calibrate->n++;
	return 0;
}

const char *
calibrate_bound_name(size_t i)
{
	static const char *const names[] = {"fit", "upper"};

	return i < CTX_LENGTH(names) ? names[i] : NULL;
}

int
calibrate_message(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err)
{
	uint64_t rest = stats->framing + stats->estimated, asked;
	struct calibrate_sum sum;

	/* An assistant message may be split over several records, and each
	 * record may report the billed tokens.  These are the tokens of the
	 * messages before the first record.  So the later records do not change
	 * calibrate->before. */
	if (!(stats->message->flags & CTX_MESSAGE_CONTINUES))
		calibrate->before = calibrate->all;
	calibrate->role = stats->role;
	/* If a record contains a prompt and its response, the billed tokens
	 * include the tokens of the prompt.  So the billed tokens are compared
	 * with the tokens of the messages before this record plus the tokens of
	 * the prompt. */
	sum = calibrate->before;
	asked = stats->framing + stats->prompt_estimated;
	sum.rest += asked < stats->prompt_tokens ? asked : stats->prompt_tokens;
	sum.text +=
	    asked < stats->prompt_tokens ? stats->prompt_tokens - asked : 0;
	if (stats->billed > 0 &&
	    record_request(calibrate, stats, &sum, err) < 0)
		return -1;
	calibrate->all.rest += rest < stats->tokens ? rest : stats->tokens;
	calibrate->all.text += rest < stats->tokens ? stats->tokens - rest : 0;
	return 0;
}

int
calibrate_ended(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err)
{
	struct calibrate_sum sum = calibrate->role == CTX_ROLE_ASSISTANT
	    ? calibrate->before
	    : calibrate->all;
	int rc = 0;

	if (stats->billed > 0) {
		sum.text += stats->overhead.system;
		sum.rest += stats->overhead.tokens - stats->overhead.system;
		rc = record_request(calibrate, stats, &sum, err);
	}
	memset(&calibrate->all, 0, sizeof calibrate->all);
	memset(&calibrate->before, 0, sizeof calibrate->before);
	calibrate->role = CTX_ROLE_OTHER;
	return rc;
}

/* ---- the report ---- */

/* A factor is reported as useless in each of these cases: it was computed from
 * fewer than MIN_REQUESTS requests; its error relative to the billed tokens is
 * above MAX_ERROR; the requests say little about the factor
 * (ctx_calibration.learned is below MIN_LEARNED); the factor is below
 * MIN_FACTOR or above MAX_FACTOR, because no two tokenizers differ so much. */
enum { MIN_REQUESTS = 3 };
#define MAX_ERROR   0.25
#define MIN_LEARNED 0.5
#define MIN_FACTOR  0.1
#define MAX_FACTOR  10.0

/* A model, and the straight line that was fitted to its requests. */
struct fitted {
	char name[200]; /* name of the model, shortened if it is too long */
	/* encoding with which the requests were counted */
	const char *encoding;
	bool own; /* true if the encoding is the model's own */
	size_t n; /* number of requests */
	struct ctx_calibration line;
	/* Factors in hundredths, as in models.json. factor: the factor that
	 * fits best, rounded; if the user has asked for the upper factor, the
	 * same number as the member "upper". upper: the smallest factor with
	 * which no request is counted too low, rounded up. */
	double factor, upper;
};

/* Returns a text that tells the user why the computed factor for the token
 * counts of a model should not be used, or NULL if it may be used. */
static const char *
explain_doubt(const struct fitted *fitted)
{
	const struct ctx_calibration *line = &fitted->line;

	if (fitted->n < MIN_REQUESTS)
		return "fewer than three requests have billed usage";
	if (fitted->factor < MIN_FACTOR || fitted->factor > MAX_FACTOR)
		return "no tokenizer has such a factor";
	if (line->error > MAX_ERROR)
		return "the billed tokens do not follow the count";
	if (fitted->own && fabs(fitted->factor - 1) <= line->spread)
		return "the count needs no factor";
	if (line->learned < MIN_LEARNED)
		return "the requests differ too little to find a factor";
	return NULL;
}

/* Sets *line to the line that the user can copy into models.json, or to NULL if
 * the factor is useless. */
static int
make_models_line(const struct fitted *fitted, json_t **line,
    struct ctx_err *err)
{
	*line = NULL;
	if (explain_doubt(fitted) != NULL)
		return 0;
	*line = json_pack("{s:{s:s, s:b, s:f}}", fitted->name, "encoding",
	    fitted->encoding, "exact", 0, "factor", fitted->factor);
	return *line == NULL ? ctx_err_nomem(err) : 0;
}

static int
print_text(const struct fitted *fitted, json_t *models, struct ctx_err *err)
{
	const struct ctx_calibration *line = &fitted->line;
	char number[16];

	cli_print_masked(stdout, fitted->name, strlen(fitted->name));
	printf(": %zu request%s\n", fitted->n, fitted->n == 1 ? "" : "s");
	printf("  factor      %.3f tokens for one of %s (95 %% confidence: "
	       "%.3f to %.3f)\n",
	    line->factor, fitted->encoding, line->factor - line->spread,
	    line->factor + line->spread);
	printf("  error       %.1f %% of the mean billed tokens, largest "
	       "%.1f %%\n",
	    100 * line->error, 100 * line->worst);
	printf("  overhead    %s tokens per request that the input lacks; add "
	       "them to --reserve\n",
	    cli_short_number(number, (uint64_t)(line->overhead + 0.5)));
	printf("  upper       %.2f underestimates no request\n", fitted->upper);
	if (models == NULL) {
		printf("  models.json no line: %s\n", explain_doubt(fitted));
		return 0;
	}
	printf("  models.json ");
	return cli_json_line(stdout, CLI_STDOUT, json_incref(models),
	    JSON_REAL_PRECISION(6), err);
}

static int
print_json(const struct fitted *fitted, json_t *models, struct ctx_err *err)
{
	const struct ctx_calibration *line = &fitted->line;

	return cli_json_line(stdout, CLI_STDOUT,
	    json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:I, s:f, s:O?}",
		"model", fitted->name, "encoding", fitted->encoding, "calls",
		(json_int_t)fitted->n, "factor", line->factor, "error",
		line->error, "worst", line->worst, "upper", fitted->upper,
		"beside", (json_int_t)(line->overhead + 0.5), "spread",
		line->spread, "models", models),
	    JSON_REAL_PRECISION(6), err);
}

/* Copies the beginning of a UTF-8 text to name, an array of size bytes, and
 * appends a NUL byte.  A long text is shortened; the copy ends between two
 * characters. */
static void
copy_name(char *name, size_t size, struct ctx_str text)
{
	size_t n = text.n < size ? text.n : size - 1;

	while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	memcpy(name, text.p, n);
	name[n] = '\0';
}

/* Compares two requests, to sort them by model and encoding.  Models are sorted
 * by their first request. */
static int
compare_groups(const struct calibrate_call *x, const struct calibrate_call *y)
{
	if (x->model != y->model)
		return x->model < y->model ? -1 : 1;
	return strcmp(x->encoding, y->encoding);
}

static int
compare_requests(const void *a, const void *b)
{
	const struct calibrate_call *x = a, *y = b;
	int order = compare_groups(x, y);

	return order != 0 ? order
			  : (x->number > y->number) - (x->number < y->number);
}

/* Fits a straight line to the requests of one model.  *call: the first of the
 * fitted->n requests of the model.  Returns false if no line can be fitted. */
static bool
fit_model(struct fitted *fitted, const struct calibrate_call *call,
    struct ctx_str name, const struct ctx_billed_sample *samples,
    const struct calibrate_choice *choice)
{
	const struct ctx_model *model =
	    ctx_model_find(choice->own, name.p, name.n);
	struct ctx_factor_prior prior;

	copy_name(fitted->name, sizeof fitted->name, name);
	fitted->encoding = call->encoding;
	fitted->own = model->name[0] != '\0' &&
	    ctx_model_has_encoding(model, call->encoding);
	ctx_factor_prior_find(model, call->encoding, &prior);
	if (!ctx_calibrate(&fitted->line, samples, fitted->n, &prior))
		return false;
	fitted->upper = ceil(fitted->line.upper * 100 - 1e-9) / 100;
	fitted->factor = choice->upper
	    ? fitted->upper
	    : floor(fitted->line.factor * 100 + 0.5) / 100;
	return true;
}

static int
print_fitted(const struct fitted *fitted, bool json, struct ctx_err *err)
{
	json_t *models;
	int rc;

	if (make_models_line(fitted, &models, err) < 0)
		return -1;
	rc = json ? print_json(fitted, models, err)
		  : print_text(fitted, models, err);
	json_decref(models);
	return rc < 0 ? -1 : 1;
}

int
calibrate_report(struct calibrate *calibrate,
    const struct calibrate_choice *choice, struct ctx_err *err)
{
	struct ctx_billed_sample *samples =
	    calloc(calibrate->n + 1, sizeof *samples);
	struct calibrate_call *list = calibrate->list, *call;
	struct fitted fitted;
	size_t i;
	int rc = 0;

	if (samples == NULL)
		return ctx_err_nomem(err);
	if (calibrate->n > 0)
		qsort(list, calibrate->n, sizeof *list, compare_requests);
	for (i = 0; rc >= 0 && i < calibrate->n; i += fitted.n) {
		call = &list[i];
		for (fitted.n = 0; i + fitted.n < calibrate->n &&
		     compare_groups(call, &call[fitted.n]) == 0;
		     fitted.n++)
			samples[fitted.n] = call[fitted.n].sample;
		if (fit_model(&fitted, call,
			ctx_intern_at(&calibrate->models, call->model), samples,
			choice))
			rc = print_fitted(&fitted, choice->json, err);
	}
	free(samples);
	return rc;
}

void
calibrate_release(struct calibrate *calibrate)
{
	free(calibrate->list);
	ctx_intern_release(&calibrate->models);
	ctx_buf_release(&calibrate->text);
}
