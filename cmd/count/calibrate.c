/*
 * calibrate.c - finds the factor by which token counts of a known encoding are
 * multiplied to get those of another model (ctx-count --calibrate)
 *
 * Assistant messages report the input tokens that the provider billed for the
 * messages before them.  From this number, the tokens of everything that is not
 * text are subtracted: message framing, media, tool definitions.  The rest is
 * compared with the tokens that ctx counted in the texts.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/calibrate.h"

struct calibrate_call {
	/* id of the model's name in calibrate.models, a table of strings */
	uint32_t model;
	size_t number; /* number of the request in the input, from 0 */
	struct ctx_billed_sample sample;
};

/* Sets *id to the id of the model that a message names or, if the message names
 * none, of the model that its conversation names. */
static int
find_name(struct calibrate *calibrate, const struct ctx_token_stats *stats,
    uint32_t *id, struct ctx_err *err)
{
	struct ctx_str text = stats->model_name;

	calibrate->text.n = 0;
	if (stats->message != NULL && stats->message->model != 0 &&
	    stats->message->json->nodes[stats->message->model].kind ==
		CTX_JSON_STRING &&
	    ctx_json_text(stats->message->json, stats->message->model,
		&calibrate->text, &text, err) < 0)
		return -1;
	if (text.n == 0)
		text = (struct ctx_str){"unknown", strlen("unknown")};
	return ctx_intern(&calibrate->models, text.p, text.n, id, err);
}

/* Records the billed tokens of a request, to be compared with *sum, the tokens
 * that ctx counted in the request's messages. */
static int
record_request(struct calibrate *calibrate, const struct ctx_token_stats *stats,
    const struct calibrate_sum *sum, struct ctx_err *err)
{
	struct calibrate_call *grown;
	uint32_t model;

	if (sum->text == 0 || stats->billed <= sum->rest)
		return 0;
	grown = ctx_grow(calibrate->list, &calibrate->cap, calibrate->n + 1,
	    sizeof *grown, err);
	if (grown == NULL)
		return -1;
	calibrate->list = grown;
	if (find_name(calibrate, stats, &model, err) < 0)
		return -1;
	grown[calibrate->n] = (struct calibrate_call){model, calibrate->n,
	    {sum->text, stats->billed - sum->rest}};
	calibrate->n++;
	return 0;
}

int
calibrate_message(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err)
{
	uint64_t rest = stats->framing + stats->estimated, asked;
	struct calibrate_sum sum;

	/* An assistant message may be split over several records, and any of
	 * them may report the billed tokens.  These were billed for the
	 * messages before the first record, so the later records of the message
	 * do not change calibrate->before. */
	if (!(stats->message->flags & CTX_MESSAGE_CONTINUES))
		calibrate->before = calibrate->all;
	calibrate->role = stats->role;
	/* If a record contains a prompt and its response, the billed tokens
	 * include those of the prompt.  So the billed tokens are compared with
	 * the tokens of the messages before this record and of this prompt. */
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

/* A computed factor is reported as useless if it comes from fewer than
 * MIN_REQUESTS requests, or if the error relative to the billed tokens is above
 * MAX_ERROR.  It is also useless if it is below MIN_FACTOR or above MAX_FACTOR,
 * because no two tokenizers differ so much. */
enum { MIN_REQUESTS = 3 };
#define MAX_ERROR  0.25
#define MIN_FACTOR 0.1
#define MAX_FACTOR 10.0

/* Returns a text for the user that says why the factor computed for a model is
 * useless; NULL if it is useful. */
static const char *
explain_doubt(const struct ctx_calibration *calibration, size_t calls)
{
	if (calls < MIN_REQUESTS || isinf(calibration->spread))
		return "fewer than three requests have billed usage";
	if (calibration->factor < MIN_FACTOR ||
	    calibration->factor > MAX_FACTOR)
		return "no tokenizer has such a factor";
	if (calibration->error > MAX_ERROR ||
	    calibration->spread >= calibration->factor)
		return "the billed tokens do not follow the count";
	return NULL;
}

/* Returns a model's factor in hundredths, as in models.json: the best fit,
 * rounded.  If upper is true, returns the smallest factor with which no request
 * is counted too low, rounded up. */
static double
round_factor(const struct ctx_calibration *calibration, bool upper)
{
	return upper ? ceil(calibration->upper * 100 - 1e-9) / 100
		     : floor(calibration->factor * 100 + 0.5) / 100;
}

static json_t *
make_models_line(const char *model, const char *encoding,
    const struct ctx_calibration *calibration, bool upper)
{
	return json_pack("{s:{s:s, s:b, s:f}}", model, "encoding", encoding,
	    "exact", 0, "factor", round_factor(calibration, upper));
}

static int
print_text(const char *model, const char *encoding,
    const struct ctx_calibration *calibration, size_t calls, json_t *line,
    struct ctx_err *err)
{
	char number[16];

	cli_print_masked(stdout, model, strlen(model));
	printf(": %zu request%s\n  factor      %.3f tokens for one of %s",
	    calls, calls == 1 ? "" : "s", calibration->factor, encoding);
	if (isinf(calibration->spread))
		printf(", too few requests for an interval\n");
	else
		printf(" (95 %% confidence: %.3f to %.3f)\n",
		    calibration->factor - calibration->spread,
		    calibration->factor + calibration->spread);
	printf("  error       %.1f %% of the mean billed tokens, largest "
	       "%.1f %%\n",
	    100 * calibration->error, 100 * calibration->worst);
	printf("  overhead    %s tokens per request that the input lacks; add "
	       "them to --reserve\n",
	    cli_short_number(number, (uint64_t)(calibration->overhead + 0.5)));
	printf("  upper       %.2f underestimates no request\n",
	    round_factor(calibration, true));
	if (line == NULL) {
		printf("  models.json no line: %s\n",
		    explain_doubt(calibration, calls));
		return 0;
	}
	printf("  models.json ");
	return cli_json_line(stdout, CLI_STDOUT, json_incref(line),
	    JSON_REAL_PRECISION(6), err);
}

static int
print_json(const char *model, const char *encoding,
    const struct ctx_calibration *calibration, size_t calls, json_t *line,
    struct ctx_err *err)
{
	json_t *o =
	    json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:I, s:f, s:O?}",
		"model", model, "encoding", encoding, "calls",
		(json_int_t)calls, "factor", calibration->factor, "error",
		calibration->error, "worst", calibration->worst, "upper",
		round_factor(calibration, true), "beside",
		(json_int_t)(calibration->overhead + 0.5), "spread",
		isinf(calibration->spread) ? 0.0 : calibration->spread,
		"models", line);

	/* If the confidence interval of the factor is not known, its width
	 * (spread) is infinite.  JSON has no infinity, so null is written. */
	if (isinf(calibration->spread))
		o = cli_json_with(o, "spread", json_null());
	return cli_json_line(stdout, CLI_STDOUT, o, JSON_REAL_PRECISION(6),
	    err);
}

/* Copies the beginning of a UTF-8 text, which may be cut between two
 * characters, and a NUL byte to name, an array of size bytes. */
static void
copy_name(char *name, size_t size, struct ctx_str text)
{
	size_t n = text.n < size ? text.n : size - 1;

	while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	memcpy(name, text.p, n);
	name[n] = '\0';
}

static int
compare_requests(const void *a, const void *b)
{
	const struct calibrate_call *x = a, *y = b;

	if (x->model != y->model)
		return x->model < y->model ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

int
calibrate_report(struct calibrate *calibrate, const char *encoding, bool upper,
    bool json, struct ctx_err *err)
{
	struct ctx_billed_sample *calls =
	    calloc(calibrate->n + 1, sizeof *calls);
	struct ctx_calibration calibration;
	struct ctx_factor_prior prior;
	struct ctx_str model;
	char name[200];
	json_t *line;
	bool known;
	uint32_t id;
	size_t i = 0, n;
	int rc = 0;

	if (calls == NULL)
		return ctx_err_nomem(err);
	if (calibrate->n > 0)
		qsort(calibrate->list, calibrate->n, sizeof *calibrate->list,
		    compare_requests);
	for (id = 1; rc >= 0 && id <= calibrate->models.n; id++) {
		for (n = 0; i < calibrate->n && calibrate->list[i].model == id;
		     i++)
			calls[n++] = calibrate->list[i].sample;
		model = ctx_intern_at(&calibrate->models, id);
		known = ctx_factor_prior_find(ctx_model_find(NULL, model.p,
						  model.n),
		    encoding, &prior);
		if (!ctx_calibrate(&calibration, calls, n,
			known ? &prior : NULL))
			continue;
		copy_name(name, sizeof name, model);
		line = explain_doubt(&calibration, n) != NULL
		    ? NULL
		    : make_models_line(name, encoding, &calibration, upper);
		if (line == NULL && explain_doubt(&calibration, n) == NULL)
			rc = ctx_err_nomem(err);
		else if (json)
			rc = print_json(name, encoding, &calibration, n, line,
			    err);
		else
			rc = print_text(name, encoding, &calibration, n, line,
			    err);
		json_decref(line);
		rc = rc < 0 ? -1 : 1;
	}
	free(calls);
	return rc;
}

void
calibrate_release(struct calibrate *calibrate)
{
	free(calibrate->list);
	ctx_intern_release(&calibrate->models);
	ctx_buf_release(&calibrate->text);
}
