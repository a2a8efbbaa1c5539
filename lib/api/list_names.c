/* list_names.c - implements the functions of ctx.h that list names: of formats,
 * strategies, encodings, models, providers and rules */
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
