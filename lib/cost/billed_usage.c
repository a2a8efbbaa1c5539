/* billed_usage.c - reads the tokens that a provider has billed for a request */
#include "cost/cost.h"

/* Upper limit for token counts; no real count reaches it.  A sum of several
 * counts of this size does not overflow. */
#define MOST UINT64_C(1000000000000)

/* Sets *n to the value of a JSON number that consists only of digits and is at
 * most MOST (an upper limit for real token counts).  Returns false for any
 * other value. */
static bool
read_count(const struct ctx_json *json, uint32_t node, uint64_t *n)
{
	struct ctx_str text = ctx_json_str(json, node);
	size_t i;

	*n = 0;
	if (json->nodes[node].kind != CTX_JSON_NUMBER)
		return false;
	for (i = 0; i < text.n && *n <= MOST; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		*n = *n * 10 + (uint64_t)(text.p[i] - '0');
	}
	return *n <= MOST;
}

uint64_t
ctx_billed_input(const struct ctx_json *json, uint32_t node,
    const char *const paths[CTX_USAGE_PATHS])
{
	uint64_t sum = 0, n;
	uint32_t count;
	size_t i;

	for (i = 0; i < CTX_USAGE_PATHS && paths[i] != NULL; i++) {
		count = ctx_json_find_path(json, node, paths[i]);
		if (count == 0 || json->nodes[count].kind == CTX_JSON_NULL) {
			if (i == 0)
				return 0;
			continue;
		}
		if (!read_count(json, count, &n))
			return 0;
		sum += n;
	}
	return sum;
}

uint64_t
ctx_billed_request(const struct ctx_json *json,
    const struct ctx_record_layout *layout)
{
	const struct ctx_dialect *row = layout->dialect;
	uint64_t billed =
	    ctx_billed_input(json, layout->request, row->usage.request);
	size_t i;

	for (i = 0; billed == 0 && (row = ctx_dialect_at(i)) != NULL; i++)
		billed =
		    ctx_billed_input(json, layout->request, row->usage.request);
	return billed;
}

/* Returns the number of tokens at a path that begins at a JSON node, but at
 * most limit.  Returns 0 if path is NULL, or if the value at the path is
 * missing or cannot be a number of tokens. */
static uint64_t
read_part(const struct ctx_json *json, uint32_t node, const char *path,
    uint64_t limit)
{
	uint32_t count =
	    path == NULL ? 0 : ctx_json_find_path(json, node, path);
	uint64_t n;

	if (count == 0 || !read_count(json, count, &n))
		return 0;
	return n < limit ? n : limit;
}

bool
ctx_billed_usage_read(const struct ctx_json *json, uint32_t node,
    const char *const paths[CTX_USAGE_PATHS], const struct ctx_dialect *row,
    struct ctx_billed_usage *usage)
{
	const struct ctx_usage *from = &row->usage;

	*usage = (struct ctx_billed_usage){
	    .input = ctx_billed_input(json, node, paths)};
	if (usage->input == 0)
		return false;
	usage->read = read_part(json, node, from->read, usage->input);
	usage->written =
	    read_part(json, node, from->written, usage->input - usage->read);
	usage->written_hour =
	    read_part(json, node, from->written_hour, usage->written);
	usage->output = read_part(json, node, from->output, MOST);
	return true;
}
