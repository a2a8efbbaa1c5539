/*
 * make_nfc.c - run when ctx is built: makes the tables for the Unicode
 * normalisation form NFC
 *
 * make-nfc nfc9.tsv nfc15.tsv > C
 *
 * The first file has the data of Unicode 9; the second file has the data that
 * later versions up to Unicode 15 have added.  The output has a table with
 * properties of characters for each of the two versions.  There is only one set
 * of tables of decompositions, for both versions.  This is safe: with the
 * properties of Unicode 9, these tables are never searched for a character that
 * only Unicode 15 decomposes or composes.
 */
#define PROGRAM "make-nfc"
#include "gen/blocks.h"
#include "tokenizer/encode/nfc.h"

enum { CHARACTERS = 4000, KINDS = 200 };

/* A Unicode character and the one or two characters that it decomposes into
 * (Decomposition_Mapping in the Unicode Character Database).  If it decomposes
 * into only one character, to[1] is 0. */
static struct {
	unsigned from, to[2];
	bool composed;
} list[CHARACTERS];
static unsigned n_list;
static uint8_t class_of[POINTS], flags_of[POINTS], first[POINTS];
static uint8_t kind_of[POINTS];
static struct ctx_nfc_kind kinds[KINDS];

static void
read_mapping(const char *line)
{
	char mark = ' ';
	unsigned from, a, b = 0, i;
	int fields = sscanf(line, "%x = %x %x", &from, &a, &b);

	check(fields >= 2 && from < POINTS && a < POINTS && b < POINTS &&
		n_list < CHARACTERS,
	    line);
	(void)sscanf(strrchr(line, ' ') == NULL ? "" : strrchr(line, ' '),
	    " %c", &mark);
	for (i = n_list++; i > 0 && list[i - 1].from > from; i--)
		list[i] = list[i - 1];
	check(i == 0 || list[i - 1].from < from, "a character twice");
	list[i].from = from;
	list[i].to[0] = a;
	list[i].to[1] = b;
	list[i].composed = mark != 'X';
}

static void
read_line(const char *line)
{
	unsigned first, last, class;

	if (strchr(line, '=') != NULL) {
		read_mapping(line);
		return;
	}
	check(sscanf(read_range(line, &first, &last), "%u", &class) == 1 &&
		class < 256,
	    line);
	memset(class_of + first, (int)class, last - first + 1);
}

/* Sets the flags that say which characters can be composed to syllables of
 * Hangul, the Korean script.  Syllables need no table of decompositions,
 * because the code point of a syllable is computed from the code points of its
 * two or three letters. */
static void
add_hangul(void)
{
	unsigned i;

	for (i = 0; i < CTX_NFC_L_COUNT; i++)
		first[CTX_NFC_L + i] = 1;
	for (i = 0; i < CTX_NFC_V_COUNT; i++)
		flags_of[CTX_NFC_V + i] = CTX_NFC_MAYBE;
	for (i = 1; i < CTX_NFC_T_COUNT; i++)
		flags_of[CTX_NFC_T + i] = CTX_NFC_MAYBE;
	for (i = 0; i < CTX_NFC_S_COUNT; i += CTX_NFC_T_COUNT)
		first[CTX_NFC_S + i] = 1;
}

static void
find_flags(void)
{
	unsigned i;

	for (i = 0; i < n_list; i++) {
		if (!list[i].composed) {
			flags_of[list[i].from] |= CTX_NFC_NO;
			continue;
		}
		check(list[i].to[1] != 0 && class_of[list[i].from] == 0,
		    "composed of one, or a mark");
		first[list[i].to[0]] = 1;
		flags_of[list[i].to[1]] |= CTX_NFC_MAYBE;
	}
}

static void
find_kinds(const char *version)
{
	unsigned n = CTX_NFC_SAFE, cp, k, i;

	for (cp = 0; cp < POINTS; cp++) {
		kind_of[cp] = first[cp] ? CTX_NFC_FIRST : CTX_NFC_INERT;
		if (class_of[cp] == 0 && flags_of[cp] == 0)
			continue;
		for (k = CTX_NFC_SAFE; k < n; k++)
			if (kinds[k].class == class_of[cp] &&
			    kinds[k].flags == flags_of[cp])
				break;
		check(k < KINDS, "too many kinds");
		if (k == n)
			kinds[n++] =
			    (struct ctx_nfc_kind){class_of[cp], flags_of[cp]};
		kind_of[cp] = (uint8_t)k;
	}
	for (i = 0; i < n_list; i++)
		if (list[i].composed)
			kind_of[list[i].from] = CTX_NFC_COMPOSED;
	printf("static const struct ctx_nfc_kind kinds%s[%u] = {", version, n);
	for (k = 0; k < n; k++)
		printf("\n{%u, %u},", kinds[k].class, kinds[k].flags);
	printf("\n};\n");
}

static uint8_t
rank_of(unsigned cp)
{
	const struct ctx_nfc_kind *kind = kinds + kind_of[cp];

	if (kind_of[cp] < CTX_NFC_SAFE)
		return kind_of[cp] == CTX_NFC_INERT ? CTX_NFC_RANK_INERT
						    : CTX_NFC_RANK_SAFE;
	check(kind->class < CTX_NFC_RANK_MAYBE, "a class without a rank");
	if (kind->flags == CTX_NFC_MAYBE && kind->class == 0)
		return CTX_NFC_RANK_MAYBE;
	return kind->flags != 0 ? CTX_NFC_RANK_NONE : kind->class;
}

static void
print_ranks(const char *version)
{
	static uint8_t blocks[0x10000 / 64], values[256][64];
	unsigned n = 0, b, i, k;
	uint8_t row[64];

	for (b = 0; b < sizeof blocks; b++) {
		for (i = 0; i < 64; i++)
			row[i] = rank_of(b * 64 + i);
		for (k = 0; k < n; k++)
			if (memcmp(values[k], row, sizeof row) == 0)
				break;
		check(k < 256, "too many blocks of ranks");
		if (k == n)
			memcpy(values[n++], row, sizeof row);
		blocks[b] = (uint8_t)k;
	}
	printf("static const uint8_t rank_block%s[%zu] = {", version,
	    sizeof blocks);
	for (b = 0; b < sizeof blocks; b++)
		print_number(b, blocks[b]);
	printf("\n};\nstatic const uint8_t rank_value%s[%u][64] = {", version,
	    n);
	for (k = 0; k < n; k++) {
		printf("{");
		for (i = 0; i < 64; i++)
			print_number(i, values[k][i]);
		printf("},\n");
	}
	printf("};\n");
}

/* Returns the index of a character in the list of characters that have a
 * decomposition, or n_list if the character is not in the list. */
static unsigned
find(unsigned cp)
{
	unsigned i = 0;

	while (i < n_list && list[i].from != cp)
		i++;
	return i;
}

/* Prints the full decomposition of character number i of the list: the
 * characters that remain after every character that can be decomposed was
 * decomposed.  If a character decomposes into two characters, only the first
 * may be decomposed further. */
static void
print_parts(unsigned i)
{
	unsigned parts[CTX_NFC_PARTS], n = 0, k = i, at;

	for (;; k = find(list[k].to[0])) {
		if (list[k].to[1] != 0) {
			check(find(list[k].to[1]) == n_list &&
				n < CTX_NFC_PARTS - 1,
			    "parts");
			parts[n++] = list[k].to[1];
		}
		if (find(list[k].to[0]) == n_list)
			break;
	}
	printf("{0x%x, {0x%x", list[i].from, list[k].to[0]);
	for (at = n; at > 0; at--)
		printf(", 0x%x", parts[at - 1]);
	printf("}},\n");
}

static void
print_pairs(void)
{
	static struct ctx_nfc_pair pairs[CTX_NFC_PAIRS];
	unsigned n = 0, i, k;

	for (i = 0; i < n_list; i++) {
		if (!list[i].composed)
			continue;
		check(++n < CTX_NFC_PAIRS / 2, "too many pairs");
		for (k = ctx_nfc_place(list[i].to[0], list[i].to[1]);
		     pairs[k % CTX_NFC_PAIRS].whole != 0; k++)
			;
		pairs[k % CTX_NFC_PAIRS] = (struct ctx_nfc_pair){list[i].to[0],
		    list[i].to[1], list[i].from};
	}
	printf("static const struct ctx_nfc_pair pairs[%u] = {\n",
	    (unsigned)CTX_NFC_PAIRS);
	for (i = 0; i < CTX_NFC_PAIRS; i++)
		printf("{0x%x, 0x%x, 0x%x},\n", (unsigned)pairs[i].first,
		    (unsigned)pairs[i].second, (unsigned)pairs[i].whole);
	printf("};\n");
}

static void
print_version(const char *version)
{
	char name[20];

	add_hangul();
	find_flags();
	find_kinds(version);
	(void)snprintf(name, sizeof name, "nfc%s", version);
	print_table(name, "uint8_t", kind_of, POINTS);
	print_ranks(version);
}

static void
print_tables(const char *version)
{
	printf("const struct ctx_nfc_tables ctx_nfc_%s = {ctx_nfc%s_block, "
	       "ctx_nfc%s_value,\n    kinds%s, apart, %u, rank_block%s, "
	       "rank_value%s, pairs};\n",
	    version, version, version, version, n_list, version, version);
}

int
main(int argc, char **argv)
{
	unsigned i;

	check(argc == 3, "usage: make-nfc nfc9.tsv nfc15.tsv > C");
	printf("/* made by lib/gen/make_nfc.c */\n#include "
	       "\"tokenizer/encode/nfc.h\"\n");
	read_lines(argv[1], read_line);
	print_version("9");
	read_lines(argv[2], read_line);
	print_version("15");
	printf("static const struct ctx_nfc_apart apart[%u] = {\n", n_list);
	for (i = 0; i < n_list; i++)
		print_parts(i);
	printf("};\n");
	print_pairs();
	print_tables("9");
	print_tables("15");
	return fflush(stdout) != 0;
}
