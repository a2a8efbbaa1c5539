/*
 * nfc_ref.h - Normalization Form C, in a slow and simple way
 *
 * Used by tests and fuzzers to check the library.  It shares no code and no
 * table with the library: it reads properties of characters from the data file,
 * and searches the starter again for each mark (D108 to D117 of the standard).
 */
#ifndef NFC_REF_H
#define NFC_REF_H

#include "token_ref.h"

static unsigned char nfc_class[0x110000];
/* number of the character in the list, from 1; 0 if it is not in the list */
static unsigned short nfc_number[0x110000];
/* true if the character is composed with characters before it */
static unsigned char nfc_second[0x110000];
static struct {
	uint32_t from, a, b;
	int composed;
} nfc_list[4000];
static unsigned nfc_n;

static inline int
nfc_load(const char *path)
{
	FILE *in = fopen(path, "r");
	unsigned first, last, class, b;
	char line[100], *end;

	if (in == NULL)
		return -1;
	while (fgets(line, sizeof line, in) != NULL) {
		if (sscanf(line, "%x\t%x\t%u", &first, &last, &class) == 3)
			memset(nfc_class + first, (int)class, last - first + 1);
		else if (sscanf(line, "%x\t=\t%x", &first, &last) == 2) {
			end = strrchr(line, '\t');
			b = 0;
			(void)sscanf(end, "%*x %x", &b);
			nfc_list[nfc_n].from = first;
			nfc_list[nfc_n].a = last;
			nfc_list[nfc_n].b = b;
			nfc_list[nfc_n].composed = strchr(end, 'X') == NULL;
			if (nfc_list[nfc_n].composed)
				nfc_second[b] = 1;
			nfc_number[first] = (unsigned short)++nfc_n;
		}
	}
	fclose(in);
	return nfc_n > 2000 ? 0 : -1;
}

static inline unsigned
nfc_class_of(uint32_t cp)
{
	return cp < 0x110000 ? nfc_class[cp] : 0;
}

static inline size_t
nfc_apart(uint32_t cp, uint32_t *out)
{
	unsigned number = cp < 0x110000 ? nfc_number[cp] : 0;
	uint32_t s = cp - 0xac00;
	size_t n;

	if (s < 11172) {
		out[0] = 0x1100 + s / 588;
		out[1] = 0x1161 + s % 588 / 28;
		out[2] = 0x11a7 + s % 28;
		return s % 28 == 0 ? 2 : 3;
	}
	if (number == 0) {
		out[0] = cp;
		return 1;
	}
	n = nfc_apart(nfc_list[number - 1].a, out);
	if (nfc_list[number - 1].b != 0)
		n += nfc_apart(nfc_list[number - 1].b, out + n);
	return n;
}

static inline uint32_t
nfc_together(uint32_t a, uint32_t b)
{
	unsigned i;

	if (a >= 0x1100 && a < 0x1113 && b >= 0x1161 && b < 0x1176)
		return 0xac00 + (a - 0x1100) * 588 + (b - 0x1161) * 28;
	if (a >= 0xac00 && a < 0xd7a4 && (a - 0xac00) % 28 == 0 && b > 0x11a7 &&
	    b < 0x11c3)
		return a + (b - 0x11a7);
	if (b >= 0x110000 || !nfc_second[b])
		return 0;
	for (i = 0; i < nfc_n; i++)
		if (nfc_list[i].composed && nfc_list[i].a == a &&
		    nfc_list[i].b == b)
			return nfc_list[i].from;
	return 0;
}

/* Sorts marks: each mark moves before marks of higher classes. */
static inline void
nfc_order(uint32_t *cps, size_t n)
{
	uint32_t cp;
	size_t i, k;

	for (i = 1; i < n; i++) {
		cp = cps[i];
		for (k = i; k > 0 && nfc_class_of(cp) > 0 &&
		     nfc_class_of(cps[k - 1]) > nfc_class_of(cp);
		     k--)
			cps[k] = cps[k - 1];
		cps[k] = cp;
	}
}

#define NFC_GONE UINT32_MAX

static inline void
nfc_compose(uint32_t *cps, size_t n)
{
	size_t i, k;
	uint32_t whole;

	for (i = 1; i < n; i++) {
		for (k = i; k > 0; k--)
			if (cps[k - 1] != NFC_GONE &&
			    (nfc_class_of(cps[k - 1]) == 0 ||
				nfc_class_of(cps[k - 1]) >=
				    nfc_class_of(cps[i])))
				break;
		if (k == 0 || nfc_class_of(cps[k - 1]) != 0)
			continue;
		whole = nfc_together(cps[k - 1], cps[i]);
		if (whole != 0) {
			cps[k - 1] = whole;
			cps[i] = NFC_GONE;
		}
	}
}

/* Writes the normal form of a text to out, which must have four times as many
 * bytes.  Returns its length.  A byte that is not UTF-8 counts as a character
 * of class 0. */
static inline size_t
nfc_ref(const char *p, size_t n, char *out)
{
	struct ref_char *c = malloc((n + 1) * sizeof *c);
	uint32_t *cps = malloc((4 * n + 1) * sizeof *cps);
	size_t k = 0, length = 0, i, count;

	if (c == NULL || cps == NULL)
		abort();
	count = ref_chars(p, n, c);
	for (i = 0; i < count; i++)
		k += nfc_apart(c[i].cp != UINT32_MAX
			? c[i].cp
			: 0x110000u + (unsigned char)p[c[i].at],
		    cps + k);
	nfc_order(cps, k);
	nfc_compose(cps, k);
	for (i = 0; i < k; i++)
		if (cps[i] < 0x110000)
			length += ref_put_char(out + length, cps[i]);
		else if (cps[i] != NFC_GONE)
			out[length++] = (char)(cps[i] & 0xff);
	free(c);
	free(cps);
	return length;
}

#endif
