/*
 * request.c - what a request holds beside its messages
 */
#include "check/judge.h"
#include "check/text.h"

int
ctx_judge_request(struct ctx_judge *judge, uint64_t rules,
    const struct ctx_json *json, uint32_t request, uint32_t messages,
    const struct ctx_place *place, struct ctx_err *err)
{
	int rc;

	judge->rules = rules;
	judge->place = *place;
	judge->beside = true;
	rc = ctx_judge_strings(judge, json, request, messages, err) < 0 ||
	    ctx_judge_strings(judge, json, json->nodes[messages].next,
		json->nodes[request].next, err) < 0 ? -1 : 0;
	judge->beside = false;
	return rc;
}
