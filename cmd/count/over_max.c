/* over_max.c - reports conversations that have more tokens than --max allows */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "count/output.h"

void
over_max_print(const struct row_form *form, const struct ctx_amount *max,
    const struct ctx_token_stats *stats, uint64_t counted,
    const struct cli_annotations *annotations)
{
	uint64_t window = row_window(form, stats);
	uint64_t limit = max->percent ? max->n * window / 100000 : max->n;
	char tokens[24], most[16], text[80], place[40] = "";

	cli_short_number(tokens, counted);
	/* "100k tokens, over 100k" would not say what is wrong. */
	if (strcmp(tokens, cli_short_number(most, limit)) == 0)
		(void)snprintf(tokens, sizeof tokens, "%" PRIu64, counted);
	if (max->percent)
		(void)snprintf(text, sizeof text, "%s tokens, over %g %% of %s",
		    tokens, (double)max->n / 1000,
		    cli_short_number(most, window));
	else
		(void)snprintf(text, sizeof text, "%s tokens, over %s", tokens,
		    most);
	if (annotations->given) {
		cli_print_annotation(form->cli, annotations, stats->file,
		    stats->line, text);
		return;
	}
	if (stats->line > 0)
		(void)snprintf(place, sizeof place, ":%" PRIu64, stats->line);
	cli_say(form->cli, "%s%s: %s", stats->file, place, text);
}
