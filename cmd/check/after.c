/*
 * after.c - implements ctx-check --after: compares a request with an earlier
 * request, and prints the first change in the part that the provider had
 * already received
 *
 * A change costs money, because the provider's prompt cache can be used only
 * for the part of the request before the change.  If reasoning comes after the
 * change, the provider may drop it, or even refuse the request.
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cache/cache.h"
#include "check/after.h"

static void
print_item(const struct ctx_request_prefix_item *item)
{
	if (item->member != NULL)
		printf("%s", item->member);
	else
		printf("message %" PRIu64 " (%s)", item->index,
		    ctx_role_name(item->role));
}

static void
print_place(const struct ctx_request_prefix_item *item, uint64_t line,
    uint64_t column)
{
	cli_print_masked(stdout, item->file, strlen(item->file));
	printf(":%" PRIu64 ":", line);
	if (column > 0)
		printf("%" PRIu64 ":", column);
	(void)putchar(' ');
}

/* Returns true if the provider refuses the later request. */
static bool
is_refused(const struct ctx_request_prefix_change *change)
{
	return change->bound != NULL && change->binds == CTX_BINDS_REFUSED;
}

static void
print_change(const char *later, const struct ctx_request_prefix_change *change)
{
	const struct ctx_request_prefix_item *item = change->item;

	if (item == NULL) {
		cli_print_masked(stdout, later, strlen(later));
		printf(": ends after %" PRIu64 " unchanged messages\n",
		    change->messages);
	} else {
		print_place(item, change->line, change->column);
		print_item(item);
		printf(" changed here, after %" PRIu64
		       " unchanged messages: it was ",
		    change->messages);
		cli_print_masked(stdout, change->was.p, change->was.n);
		printf(", it is ");
		cli_print_masked(stdout, change->now.p, change->now.n);
		(void)putchar('\n');
	}
	if (change->bound != NULL) {
		print_place(change->bound, change->bound->line, 0);
		printf("bound-reasoning: ");
		print_item(change->bound);
		puts(is_refused(change)
			? " has signed reasoning after the change, which the "
			  "provider refuses"
			: " is reasoning after the change, which the provider "
			  "drops");
	}
	cli_print_masked(stdout, later, strlen(later));
	printf(": of %" PRIu64 " tokens in the prompt cache %" PRIu64
	       " are lost\n",
	    change->kept + change->lost, change->lost);
}

static json_t *
make_item_json(const struct ctx_request_prefix_item *item)
{
	json_t *o = json_pack("{s:o, s:I}", "file",
	    cli_json_text(item->file, strlen(item->file)), "line",
	    (json_int_t)item->line);

	if (item->member != NULL)
		return cli_json_with(o, "member", json_string(item->member));
	o = cli_json_number(o, "index", item->index);
	return cli_json_with(o, "role", json_string(ctx_role_name(item->role)));
}

static void
print_json(const struct cli *cli,
    const struct ctx_request_prefix_change *change)
{
	json_t *o = json_pack("{s:b, s:I, s:I, s:I}", "appended",
	    change->appended, "messages", (json_int_t)change->messages, "kept",
	    (json_int_t)change->kept, "lost", (json_int_t)change->lost);
	json_t *changed = NULL;
	struct ctx_err err;

	if (change->item != NULL) {
		changed = make_item_json(change->item);
		changed = cli_json_number(changed, "line", change->line);
		changed = cli_json_number(changed, "column", change->column);
		changed = cli_json_with(changed, "was",
		    cli_json_text(change->was.p, change->was.n));
		changed = cli_json_with(changed, "now",
		    cli_json_text(change->now.p, change->now.n));
	}
	o = cli_json_with(o, "changed",
	    change->item != NULL ? changed : json_null());
	o = cli_json_with(o, "refused",
	    is_refused(change) ? make_item_json(change->bound) : json_null());
	o = cli_json_with(o, "dropped",
	    change->bound != NULL && !is_refused(change)
		? make_item_json(change->bound)
		: json_null());
	if (cli_json_line(stdout, CLI_STDOUT, o, 0, &err) < 0)
		cli_fail(cli, &err);
}

void
after_compare(struct cli *cli, struct ctx_model_counters *counters,
    const char *earlier, char *later, enum after_output output)
{
	struct ctx_request_prefix_options options = {.keep = true};
	struct ctx_request_prefix_change change;
	struct ctx_request_prefix *first, *second;
	struct ctx_hashkey key;
	char *old = (char *)earlier;

	ctx_hashkey_init(&key);
	options.key = &key;
	first = cli_read_request(cli, counters, &options, &old, 1);
	options =
	    (struct ctx_request_prefix_options){.key = &key, .earlier = first};
	second = cli_read_request(cli, counters, &options, &later, 1);
	ctx_request_prefix_compare(first, second, &change);
	if (output == AFTER_JSON)
		print_json(cli, &change);
	else if (output == AFTER_LINES && !change.appended)
		print_change(later, &change);
	cli_check_stdout(cli);
	if (is_refused(&change))
		cli_status(cli, CLI_NO);
	ctx_request_prefix_close(first);
	ctx_request_prefix_close(second);
	cli_note_models(cli, counters);
}
