/*
 * choose_rules.c - chooses the rules by which a conversation is checked
 *
 * The rules are those of the dialect (format), and those of the provider, if
 * the caller names it, or if the model and the format of a request show it.
 */
#include <string.h>

#include "check/check.h"

/* Returns the rules, as bits, for a conversation that is translated from its
 * dialect (format) to the format of a provider. more: further rules of the
 * provider.  Returns the rules of the dialect, of the provider's dialect and of
 * "more".  Rules about how messages are written in JSON (CTX_FORM_RULES) are
 * returned only if the dialect has them, because the translation writes
 * messages as the provider's format demands. */
static uint64_t
translate_rules(const struct ctx_dialect *dialect,
    const struct ctx_provider *provider, uint64_t more)
{
	uint64_t own = ctx_dialect_find(provider->dialect)->rules;

	return dialect->rules | CTX_LIFTS_SYSTEM |
	    ((own | more) & ~CTX_FORM_RULES);
}

/* Returns the rules of the provider for a conversation in its own dialect. */
static uint64_t
get_own_rules(const struct ctx_provider *provider)
{
	return (ctx_dialect_find(provider->dialect)->rules | provider->more) &
	    ~provider->less;
}

static bool
has_dialect(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect)
{
	return strcmp(provider->dialect, dialect->name) == 0;
}

/* Returns true if a request whose messages look like those of a dialect can be
 * a request to the provider. */
static bool
is_plain(const struct ctx_provider *provider, const struct ctx_dialect *dialect)
{
	size_t i;

	for (i = 0; i < CTX_LENGTH(provider->plain); i++)
		if (provider->plain[i] != NULL &&
		    strcmp(provider->plain[i], dialect->name) == 0)
			return true;
	return false;
}

uint64_t
ctx_provider_rules(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect, bool in_request)
{
	if (provider == NULL)
		return dialect->rules;
	if (has_dialect(provider, dialect) ||
	    (in_request && is_plain(provider, dialect)))
		return get_own_rules(provider);
	return translate_rules(dialect, provider, provider->more);
}

/* Returns true if the model is of the provider's vendor, and no server but the
 * provider's runs it. */
static bool
runs_model(const struct ctx_provider *provider, const struct ctx_model *model)
{
	const char *open = provider->open_models;

	return provider->vendor != NULL &&
	    strcmp(provider->vendor, model->vendor) == 0 &&
	    (open == NULL || strncmp(model->name, open, strlen(open)) != 0);
}

const struct ctx_provider *
ctx_provider_of_request(const struct ctx_json *json,
    const struct ctx_record_layout *layout, const struct ctx_model *model)
{
	const struct ctx_provider *row;
	size_t i;

	if (!layout->in_request || model == NULL)
		return NULL;
	for (i = 0; (row = ctx_provider_at(i)) != NULL; i++)
		if (runs_model(row, model) &&
		    (has_dialect(row, layout->dialect) ||
			((layout->dialect->rules & CTX_MODEL_DECIDES) &&
			    is_plain(row, layout->dialect))) &&
		    (row->member == NULL ||
			ctx_json_find(json, layout->request, row->member) != 0))
			return row;
	return NULL;
}

/* Returns the rules, as bits, if the caller names no provider. */
static uint64_t
choose_default(const struct ctx_rule_choice *choice,
    const struct ctx_dialect *dialect, const struct ctx_provider **provider)
{
	*provider = choice->shown;
	if (choice->shown != NULL)
		return choice->shown->served_by_others &&
			!has_dialect(choice->shown, dialect)
		    ? translate_rules(dialect, choice->shown,
			  choice->shown->more)
		    : ctx_provider_rules(choice->shown, dialect, true);
	if (choice->model == NULL || !(dialect->rules & CTX_MODEL_DECIDES))
		return dialect->rules;
	*provider = ctx_provider_find(choice->model->vendor);
	return *provider == NULL ? dialect->rules
				 : translate_rules(dialect, *provider, 0);
}

uint64_t
ctx_choose_rules(const struct ctx_rule_choice *choice,
    const struct ctx_dialect *dialect, const struct ctx_provider **provider)
{
	const struct ctx_model *model = choice->model;
	uint64_t rules;

	*provider = choice->given;
	rules = choice->given != NULL
	    ? ctx_provider_rules(choice->given, dialect, choice->in_request)
	    : choose_default(choice, dialect, provider);
	if (model == NULL || !model->signs_calls)
		rules &= ~CTX_SIGNS_CALLS;
	if (model != NULL && model->takes_prefill)
		rules &= ~(uint64_t)CTX_LAST_USER;
	if (model != NULL && model->fixes_system &&
	    (rules & CTX_SYSTEM_BETWEEN))
		rules = (rules & ~(uint64_t)CTX_SYSTEM_BETWEEN) | CTX_NO_SYSTEM;
	return rules;
}
