/* similar.h - finds the name that is most similar to a word, because the word
 * probably is this name misspelled */
#ifndef CTX_CMD_CLI_SIMILAR_H
#define CTX_CMD_CLI_SIMILAR_H

#include <stddef.h>

struct cli_similar {
	const char *word; /* what the user wrote */
	const char *name; /* the most similar name, or NULL if there is none */
	/* Number of edits that turn the word into the name. */
	size_t edits;
};

/* Compares the word with a name.  If the name is similar, and more similar than
 * all earlier names, stores it in *similar.  The name must be valid as long as
 * *similar is used. */
void cli_similar_add(struct cli_similar *similar, const char *name);

#endif
