/*
 * grapheme.c - finds grapheme clusters, the units that people see as one
 * character
 *
 * The clusters are the extended grapheme clusters of UAX #29, Unicode 16.0.
 * Whether a new cluster begins at a character depends on this character and on
 * a few flags about the text before it.  So a text is read once, character by
 * character.
 */
#include "base/base.h"

enum break_class {
	OTHER,
	CR,
	LF,
	CONTROL,
	EXTEND,
	/* a character of the break class Extend with
	 * Indic_Conjunct_Break=None */
	EXTEND_ONLY,
	/* a character of the break class Extend with
	 * Indic_Conjunct_Break=Linker */
	LINKER,
	ZWJ,
	REGIONAL,
	PREPEND,
	SPACING,
	L,
	V,
	T,
	HANGUL, /* Hangul syllable, LV or LVT */
	LV,
	LVT,
	PICTOGRAPHIC,
	CONSONANT,
};

static const struct {
	uint32_t first, last;
	enum break_class class;
} ranges[] = {
#include "grapheme.inc"
};

static enum break_class
break_class_of(uint32_t cp)
{
	size_t low = 0, high = CTX_LENGTH(ranges), middle;

	if (cp >= 0x20 && cp < 0x7f)
		return OTHER;
	if (cp < 0x20)
		return cp == '\n' ? LF : cp == '\r' ? CR : CONTROL;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (cp > ranges[middle].last)
			low = middle + 1;
		else if (cp < ranges[middle].first)
			high = middle;
		else if (ranges[middle].class != HANGUL)
			return ranges[middle].class;
		else
			return (cp - 0xac00) % 28 == 0 ? LV : LVT;
	}
	return OTHER;
}

static bool is_extend(enum break_class class)
{
	return class == EXTEND || class == EXTEND_ONLY || class == LINKER;
}

static bool is_control(enum break_class class)
{
	return class == CR || class == LF || class == CONTROL;
}

/* Returns true if two adjacent characters belong to one Hangul syllable (rules
 * GB6 to GB8 of UAX #29). */
static bool
is_same_syllable(enum break_class before, enum break_class class)
{
	if (before == L)
		return class == L || class == V || class == LV || class == LVT;
	if (before == LV || before == V)
		return class == V || class == T;
	return (before == LVT || before == T) && class == T;
}

/* Returns true if a grapheme cluster begins between two characters, by the
 * rules GB3 to GB13 of UAX #29 in their order. */
static bool
is_break(const struct ctx_grapheme *g, enum break_class class)
{
	enum break_class before = (enum break_class)g->before;

	if (before == CR && class == LF)
		return false;
	if (is_control(before) || is_control(class))
		return true;
	if (is_same_syllable(before, class) || is_extend(class) ||
	    class == ZWJ || class == SPACING || before == PREPEND)
		return false;
	if (class == CONSONANT && g->linked)
		return false;
	if (class == PICTOGRAPHIC && g->joined)
		return false;
	return !(class == REGIONAL && g->half_flag);
}

bool
ctx_grapheme_next(struct ctx_grapheme *g, uint32_t cp)
{
	enum break_class class = break_class_of(cp);
	bool first = !g->begun, found = first || is_break(g, class);

	/* Rules GB12 and GB13: two regional indicators make a flag.  In a row
	 * of regional indicators, pairs are counted from the first one.
	 * half_flag is true after the first regional indicator of a pair. */
	g->half_flag = class == REGIONAL && !g->half_flag;
	/* Rule GB11: joined is true after a pictograph, any number of combining
	 * marks on the pictograph, and a zero width joiner. */
	g->joined = class == ZWJ && g->picture;
	g->picture = class == PICTOGRAPHIC || (g->picture && is_extend(class));
	/* Rule GB9c: linked is true after a consonant and combining marks, if
	 * one of these marks is a linker. */
	if (class == CONSONANT) {
		g->consonant = true;
		g->linked = false;
	} else if (class == LINKER) {
		g->linked = g->consonant;
	} else if (class != EXTEND && class != ZWJ) {
		g->consonant = g->linked = false;
	}
	g->before = (uint8_t) class;
	g->begun = true;
	return found;
}

/* Returns true if a grapheme cluster always begins with the second character,
 * whatever text comes before the first one.  The text before the first
 * character can only set flags of struct ctx_grapheme, and flags can only
 * prevent a boundary.  So this function begins with flags that let the first
 * character leave as many flags set as it can: if there is a boundary then,
 * there is always a boundary. */
bool
ctx_grapheme_is_break(uint32_t first, uint32_t second)
{
	struct ctx_grapheme g = {.begun = true,
	    .picture = true,
	    .consonant = true,
	    .linked = true};

	(void)ctx_grapheme_next(&g, first);
	return ctx_grapheme_next(&g, second);
}
