/* list_names.c - the functions of libctx that list the names of formats,
 * strategies, encodings, models, providers and rules, and look up prices */
#include <string.h>

#include "api/handles.h"
#include "check/check.h"
#include "prune/prune.h"

const char *
ctx_dialect_name(size_t i)
{
	const struct ctx_dialect *row = ctx_dialect_at(i);

	return row != NULL ? row->name : NULL;
}

const char *
ctx_strategy_name(size_t i)
{
	const struct ctx_strategy *row = ctx_strategy_at(i);

	return row != NULL ? row->name : NULL;
}

const char *
ctx_encoding_name(size_t i)
{
	return ctx_tokenizer_builtin(i);
}

const char *
ctx_model_name(size_t i)
{
	const struct ctx_model *row = ctx_model_at(i);

	return row != NULL ? row->name : NULL;
}

const char *
ctx_provider_name(size_t i)
{
	const struct ctx_provider *row = ctx_provider_at(i);

	return row != NULL ? row->name : NULL;
}

const char *
ctx_rule_name(size_t i)
{
	const struct ctx_rule *row = ctx_rule_at(i);

	return row != NULL ? row->id : NULL;
}

const char *
ctx_rule_about(const char *name)
{
	const struct ctx_rule *row;
	size_t i;

	for (i = 0; (row = ctx_rule_at(i)) != NULL; i++)
		if (strcmp(row->id, name) == 0)
			return row->about;
	return NULL;
}

static const struct ctx_model *
look_up_model(const char *name, struct ctx_err *err)
{
	if (name == NULL) {
		ctx_err_set(err, CTX_EARG, "the name of the model is NULL");
		return NULL;
	}
	return ctx_model_find(NULL, name, strlen(name));
}

int
ctx_model_lookup(const char *name, struct ctx_model_info *model,
    struct ctx_error *error)
{
	struct ctx_model_info known = CTX_MODEL_INFO_INIT;
	struct ctx_err err;
	const struct ctx_model *row = look_up_model(name, &err);

	if (row == NULL)
		return ctx_api_fail(error, &err);
	known.name = row->name;
	known.vendor = row->vendor;
	known.encoding = row->encoding;
	known.basis = ctx_basis_name(row->basis);
	known.window = row->window;
	known.input = ctx_model_limit(row);
	known.output = row->output;
	ctx_api_give(model, &known, sizeof known);
	return strcmp(row->vendor, "unknown") != 0;
}

int
ctx_model_prices(const char *name, int64_t time, uint64_t tokens,
    struct ctx_price_info *price, struct ctx_error *error)
{
	struct ctx_price_info known = CTX_PRICE_INFO_INIT;
	struct ctx_err err;
	const struct ctx_model *row = look_up_model(name, &err);
	const struct ctx_price *found;

	_Static_assert(CTX_NO_PRICE == CTX_NONE,
	    "one value for unknown prices");
	if (row == NULL)
		return ctx_api_fail(error, &err);
	found = ctx_model_price(row, time, tokens);
	known.input = found != NULL ? found->in : CTX_NONE;
	known.output = found != NULL ? found->out : CTX_NONE;
	known.cache_read = found != NULL ? found->read : CTX_NONE;
	known.cache_write = found != NULL ? found->write : CTX_NONE;
	ctx_api_give(price, &known, sizeof known);
	return found != NULL;
}
