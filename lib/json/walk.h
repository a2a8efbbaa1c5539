/* walk.h - to the end of a JSON string */
#ifndef CTX_JSON_WALK_H
#define CTX_JSON_WALK_H

#include "ctx.h"

/*
 * Begins with p behind the opening quote and the rest zero; ends with p at
 * the closing quote, at the end of the text, or at the byte that is wrong.
 * UTF-8 is not looked at.
 */
struct walk {
	const char *p, *end; /* the place reached; the end of the text */
	const char *high;    /* the first byte beyond ASCII, or NULL */
	const char *wrong;   /* what is wrong at p, or NULL */
	bool escaped;        /* there was a backslash */
};

typedef void ctx_walk(struct walk *walk);

ctx_walk *ctx_walk_pick(enum ctx_simd simd);

#endif
