/* look_up_model.c - implements the functions of ctx.h that look up models, and
 * read the models that a user has defined */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"

struct ctx_models
ctx_api_user_rows(const struct ctx_user_models *models)
{
	struct ctx_models rows = {NULL, 0};

	if (models != NULL) {
		rows.list = models->list;
		rows.n = models->n;
	}
	return rows;
}

int
ctx_user_models_open(struct ctx_user_models **models, const char *file,
    struct ctx_error *error)
{
	struct ctx_user_models *made = calloc(1, sizeof *made);
	struct ctx_err err;
	int rc = -1;

	*models = NULL;
	if (made == NULL)
		ctx_err_nomem(&err);
	else if (file == NULL)
		ctx_err_set(&err, CTX_EARG, "the name of the file is NULL");
	else
		rc = ctx_user_models_read(made, file, &err);
	if (rc == 0)
		ctx_err_sys(&err, ENOENT, "cannot open %s", file);
	if (rc <= 0) {
		free(made);
		return ctx_api_fail(error, &err);
	}
	*models = made;
	return 0;
}

void
ctx_user_models_free(struct ctx_user_models *models)
{
	if (models == NULL)
		return;
	ctx_user_models_release(models);
	free(models);
}

const char *
ctx_user_models_name(const struct ctx_user_models *models, size_t i)
{
	return i < models->n ? models->list[i].name : NULL;
}

static const struct ctx_model *
find_row(const struct ctx_user_models *models, const char *name,
    struct ctx_err *err)
{
	const struct ctx_models own = ctx_api_user_rows(models);

	if (name == NULL) {
		ctx_err_set(err, CTX_EARG, "the name of the model is NULL");
		return NULL;
	}
	return ctx_model_find(&own, name, strlen(name));
}

int
ctx_model_lookup(const struct ctx_user_models *models, const char *name,
    struct ctx_model_info *model, struct ctx_error *error)
{
	struct ctx_model_info known = CTX_MODEL_INFO_INIT;
	struct ctx_err err;
	const struct ctx_model *row = find_row(models, name, &err);

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
	/* In the table of models, only the entry for unknown models has an
	 * empty name.  The vendor cannot be tested, because a model of the user
	 * may also have the vendor "unknown". */
	return row->name[0] != '\0';
}

int
ctx_model_prices(const struct ctx_user_models *models, const char *name,
    int64_t time, uint64_t tokens, struct ctx_price_info *price,
    struct ctx_error *error)
{
	struct ctx_price_info known = CTX_PRICE_INFO_INIT;
	struct ctx_err err;
	const struct ctx_model *row = find_row(models, name, &err);
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
