/*
 * bar.c - adds up the tokens of each role and each tool in a conversation, and
 * draws the sums as a bar (ctx-count --bar)
 *
 * For each conversation ctx-count prints, one below the other: its file, a line
 * with the number of tokens, the bar, a scale in percent (if the context window
 * is known), and a legend.
 */
#include <stdlib.h>
#include <string.h>

#include "bar/layout.h"

void
bar_check(struct bar *bar, struct cli *cli, bool other)
{
	size_t i;

	bar->cli = cli;
	if ((bar->shown || bar->follow) && other)
		cli_die(cli,
		    "--bar and --follow cannot be combined with --json, --tsv, "
		    "--per, --text, --calibrate or --annotate");
	for (i = 0; bar->follow && i < cli->n_files; i++)
		if (strcmp(cli->files[i], "-") == 0)
			break;
	if (bar->follow && (cli->n_files == 0 || i < cli->n_files))
		cli_die(cli,
		    "--follow cannot read standard input; name a file");
	bar->shown |= bar->follow;
	/* With --follow, another program may be writing the input file.  Then
	 * the last line of the file may be incomplete, which is no error. */
	cli->lenient |= bar->follow;
}

bool
bar_is_on(const struct bar *bar)
{
	return bar->shown || bar->follow || bar->svg != NULL;
}

/* ---- adding up ---- */

/* Adds tokens to a part of the bar.  A part is identified by its name and its
 * rank (kind of part) together, because a role and a tool may have the same
 * name. */
static int
add(struct bar *bar, enum rank rank, struct ctx_str name, uint64_t tokens,
    struct ctx_err *err)
{
	struct ctx_buf full = {0};
	uint32_t id;
	int rc;

	if (tokens == 0)
		return 0;
	rc = ctx_buf_printf(&full, err, "%u ", (unsigned)rank);
	if (rc == 0)
		rc = ctx_buf_add(&full, name.p, name.n, err);
	if (rc == 0)
		rc = ctx_intern(&bar->names, full.p, full.n, &id, err);
	ctx_buf_release(&full);
	if (rc < 0)
		return -1;
	if (CTX_GROW(bar->parts, bar->cap, id, err) < 0)
		return -1;
	if (id > bar->n) {
		memset(&bar->parts[id - 1], 0, sizeof *bar->parts);
		bar->parts[id - 1].rank = rank;
		bar->parts[id - 1].name = ctx_intern_at(&bar->names, id);
		bar->parts[id - 1].name.p += 2;
		bar->parts[id - 1].name.n -= 2;
		bar->n = id;
	}
	bar->parts[id - 1].tokens += tokens;
	return 0;
}

int
bar_add(struct bar *bar, const struct ctx_token_stats *t, struct ctx_err *err)
{
	static const enum rank ranks[] = {
	    [CTX_ROLE_OTHER] = OTHER,
	    [CTX_ROLE_SYSTEM] = SYSTEM,
	    [CTX_ROLE_USER] = USER,
	    [CTX_ROLE_ASSISTANT] = ASSISTANT,
	    [CTX_ROLE_TOOL] = TOOL,
	};
	const char *name = ctx_role_name(t->role);
	uint64_t rest = t->tokens;
	size_t i;

	/* The bar has a separate part for the tool calls and tool results of
	 * each tool. */
	for (i = 0; i < t->n_shares; i++) {
		rest -= t->shares[i].tokens;
		if (add(bar, TOOL, t->shares[i].tool, t->shares[i].tokens,
			err) < 0)
			return -1;
	}
	return add(bar, ranks[t->role], (struct ctx_str){name, strlen(name)},
	    rest, err);
}

/* ---- pictures ---- */

int
bar_end(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    struct ctx_err *err)
{
	struct picture picture;
	bool billed = !bar->no_billed && t->last.billed > 0;
	const char *absent =
	    t->lacks_earlier ? "not in file: see -v" : "not in this file";
	int rc = 0;

	if (billed)
		rc = add(bar, ELSEWHERE,
		    (struct ctx_str){absent, strlen(absent)},
		    ctx_tokens_not_in_input(t), err);
	if (rc == 0)
		rc =
		    add(bar, DEFINITIONS, (struct ctx_str){"tools defined", 13},
			t->overhead.tools, err);
	if (rc == 0)
		rc = add(bar, SYSTEM, (struct ctx_str){"system", 6},
		    t->overhead.system, err);
	picture = (struct picture){.t = t,
	    .window = window,
	    .tokens = billed ? ctx_context_tokens(t) : t->tokens,
	    .billed = billed,
	    .compacted = !bar->no_billed && t->last.compacted};
	picture_make(&picture, bar->parts, bar->n);
	if (rc == 0 && (bar->shown || bar->follow)) {
		if (bar->lines > 0)
			(void)putchar('\n');
		bar->lines += bar->lines > 0;
		bar_print(bar, &picture);
	}
	if (rc == 0 && bar->svg != NULL)
		rc = bar_draw(bar, &picture, err);
	ctx_intern_reset(&bar->names);
	bar->n = 0;
	return rc;
}

void
bar_release(struct bar *bar)
{
	free(bar->last);
	ctx_intern_release(&bar->names);
	ctx_buf_release(&bar->pictures);
	free(bar->parts);
}
