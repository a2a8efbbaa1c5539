/*
 * image_tokens.c - computes the tokens of an image from its size
 *
 * The rules use the numbers x, y and edge of the table of models.  An image is
 * never made larger, only smaller.
 *
 * tiles: The image is scaled down until the longer side has at most edge
 * pixels, and then until the shorter side has at most 768 pixels.  An image has
 * x tokens, and y tokens per tile of 512 by 512 pixels.  With low detail it has
 * x tokens. (OpenAI)
 *
 * patches: The image is scaled down until the longer side has at most edge
 * pixels, and then to at most y patches of 32 by 32 pixels.  A patch has x /
 * 100 tokens.  If edge is not 0: with low detail, the longer side has at most
 * 512 pixels; with original detail, it has at most 6,000 pixels, and the image
 * at most 4 * y patches.  (OpenAI)
 *
 * original-patches: Like the rule "patches".  But if the request does not say
 * in which detail the image is read, it is read in original detail. (OpenAI,
 * GPT-5.5)
 *
 * page-patches: Like the rule original-patches, but an image in original detail
 * is not scaled down.  The pages of a PDF are also read in high detail, unless
 * the request asks for low detail. (OpenAI, GPT-5.6 and later)
 *
 * squares: The image is scaled down until the longer side has at most edge
 * pixels, and then to at most y squares of 28 by 28 pixels.  An image has x
 * tokens, and 1 per square. (Anthropic; x: billed in 13 of 20 recorded requests
 * of 2025 and 2026, and one token more in 3)
 *
 * crops: An image has x tokens if it has at most 384 by 384 pixels.  A larger
 * image has x tokens, and x tokens per crop, whose sides have at most edge
 * pixels.  A PDF page has y tokens. (Gemini 2.0, and 1.5, which was not
 * measured)
 *
 * fixed: An image of any size has x tokens.  A PDF page has y tokens. (Gemini
 * 2.5)
 *
 * grid: The image is divided into at most x squares, all of one size, that fit
 * into the image side by side.  A square has 1 token.  A PDF page is divided
 * into at most y squares. (Gemini 3 and later)
 *
 * Source: the providers' pages, November 2026 (for original detail, copies of
 * "Images and vision", developers.openai.com).  For the rule "patches" from
 * GPT-5 on, x is the number that users of OpenAI's developer forum were billed
 * in March 2026.  OpenAI's page gives a higher number.
 *
 * The rules crops, fixed and grid give exactly the tokens that Gemini reported
 * for images of 16 sizes in recorded requests to Gemini 2.0 to 3.5 (2025 and
 * 2026). ai.google.dev ("Media resolution") gives 1120 and 560 only as maximum.
 */
#include <math.h>

#include "cost/media.h"

/* Maximum number of pixels of the longer side of an image.  A larger number in
 * an image file is assumed to be wrong, because no provider accepts such
 * images. */
#define LONGEST_SIDE 65535

enum {
	/* Size in pixels of the image that OpenAI is assumed to make of a page
	 * of a PDF. */
	PAGE_WIDTH = 1700,
	PAGE_HEIGHT = 2200,
	/* Number of tokens of a page of a PDF for Claude, without the tokens of
	 * its text: 1,585 to 1,600 in 22 recorded requests. */
	CLAUDE_PAGE = 1600,
};

static const struct ctx_image usual = {CTX_IMAGE_TILES, 85, 170, 2048};

static uint64_t
divide_up(double length, double unit)
{
	double n = ceil(length / unit - 1e-6);

	return n < 1 ? 1 : n > 1e8 ? 100000000 : (uint64_t)n;
}

/* Scales an image down if its longer side has more than edge pixels. *w, *h:
 * width and height of the image, which are changed. edge: 0 means no limit. */
static void
shrink_to_edge(double *w, double *h, double edge)
{
	double longer = *w > *h ? *w : *h;

	if (edge > 0 && longer > edge) {
		*w = *w * edge / longer;
		*h = *h * edge / longer;
	}
}

static uint64_t
count_tile_tokens(const struct ctx_image *image, double w, double h,
    enum ctx_detail detail)
{
	double shorter;

	if (detail == CTX_DETAIL_LOW)
		return image->x;
	shrink_to_edge(&w, &h, image->edge);
	shorter = w < h ? w : h;
	if (shorter > 768) {
		w = w * 768 / shorter;
		h = h * 768 / shorter;
	}
	return image->x + image->y * divide_up(w, 512) * divide_up(h, 512);
}

/* Returns the number of tokens of an image by the rule "patches".  An image
 * with too many patches is first scaled down to the area of the maximum number
 * of patches, and then further, until one side is a whole number of patches. */
static uint64_t
count_patch_tokens(const struct ctx_image *image, double w, double h,
    enum ctx_detail detail)
{
	double edge = image->edge, r, across, down, whole;
	uint64_t n, most = image->y;

	if (detail == CTX_DETAIL_AUTO && image->rule != CTX_IMAGE_PATCHES)
		detail = CTX_DETAIL_ORIGINAL;
	if (edge > 0 && detail == CTX_DETAIL_LOW)
		edge = 512;
	if (edge > 0 && detail == CTX_DETAIL_ORIGINAL) {
		edge = image->rule == CTX_IMAGE_PAGE_PATCHES ? 0 : 6000;
		most = image->rule == CTX_IMAGE_PAGE_PATCHES ? 0 : 4 * most;
	}
	shrink_to_edge(&w, &h, edge);
	n = divide_up(w, 32) * divide_up(h, 32);
	if (most > 0 && n > most) {
		r = sqrt(32.0 * 32.0 * (double)most / (w * h));
		across = w * r / 32;
		down = h * r / 32;
		whole = across < 1 ? 1 : floor(across) / across;
		if (down >= 1 && floor(down) / down < whole)
			whole = floor(down) / down;
		n = divide_up(across * whole, 1) * divide_up(down * whole, 1);
		n = n < most ? n : most;
	}
	return (n * image->x + 99) / 100;
}

/* Returns the number of tokens of an image by the rule "squares".  An image
 * with too many squares is scaled down to the largest size that is allowed,
 * which is found by bisection to some thousandths of a pixel. */
static uint64_t
count_square_tokens(const struct ctx_image *image, double w, double h)
{
	double small = 0, large = 1, scale = 1;
	int i;

	shrink_to_edge(&w, &h, image->edge);
	for (i = 0; i < 20 && image->y > 0; i++) {
		if (divide_up(w * scale, 28) * divide_up(h * scale, 28) >
		    image->y)
			large = scale;
		else
			small = scale;
		if (small == 1)
			break;
		scale = (small + large) / 2;
	}
	return image->x + divide_up(w * small, 28) * divide_up(h * small, 28);
}

/* Returns the number of tokens of an image by the rule "crops": the image is
 * divided into squares.  The side of a square is two thirds of the image's
 * shorter side, but at least 256 and at most edge pixels. */
static uint64_t
count_crop_tokens(const struct ctx_image *image, double w, double h)
{
	double unit = floor((w < h ? w : h) / 1.5);

	if (w <= 384 && h <= 384)
		return image->x;
	if (unit > image->edge)
		unit = image->edge;
	if (unit < 256)
		unit = 256;
	return image->x * (1 + divide_up(w, unit) * divide_up(h, unit));
}

/* Returns the number of squares of an image by the rule "grid": the largest
 * number of squares, but at most "most". */
static uint64_t
count_grid_squares(uint32_t most, double w, double h)
{
	uint64_t across = (uint64_t)sqrt(most * w / h + 1e-6);
	uint64_t down = (uint64_t)sqrt(most * h / w + 1e-6);

	if (across == 0)
		return down < most ? down : most;
	if (down == 0)
		return across < most ? across : most;
	return across * down;
}

/* Returns the number of tokens of the image that OpenAI makes of a page of a
 * PDF.  With low detail, which is the default except with the rule
 * page-patches, only the text of the page was billed. */
static uint64_t
count_openai_page(const struct ctx_image *image, enum ctx_detail detail)
{
	if (detail == CTX_DETAIL_LOW ||
	    (detail == CTX_DETAIL_AUTO &&
		image->rule != CTX_IMAGE_PAGE_PATCHES))
		return 0;
	return ctx_image_tokens(image, PAGE_WIDTH, PAGE_HEIGHT,
	    CTX_DETAIL_HIGH);
}

uint64_t
ctx_page_tokens(const struct ctx_image *image, enum ctx_detail detail)
{
	switch (image->rule) {
	case CTX_IMAGE_TILES:
	case CTX_IMAGE_PATCHES:
	case CTX_IMAGE_ORIGINAL_PATCHES:
	case CTX_IMAGE_PAGE_PATCHES:
		return count_openai_page(image, detail);
	case CTX_IMAGE_SQUARES:
		return CLAUDE_PAGE;
	default:
		return ctx_unknown_page_tokens(image);
	}
}

uint64_t
ctx_unknown_page_tokens(const struct ctx_image *image)
{
	switch (image->rule) {
	case CTX_IMAGE_CROPS:
	case CTX_IMAGE_FIXED:
		return image->y;
	case CTX_IMAGE_GRID:
		/* a page of A4, in millimetres */
		return count_grid_squares(image->y, 210, 297);
	default:
		return 3000;
	}
}

uint64_t
ctx_image_tokens(const struct ctx_image *image, uint32_t width, uint32_t height,
    enum ctx_detail detail)
{
	double w = width < LONGEST_SIDE ? width : LONGEST_SIDE;
	double h = height < LONGEST_SIDE ? height : LONGEST_SIDE;

	if (width == 0 || height == 0)
		w = h = 1024;
	if (image->rule == CTX_IMAGE_NONE)
		image = &usual;
	switch (image->rule) {
	case CTX_IMAGE_PATCHES:
	case CTX_IMAGE_ORIGINAL_PATCHES:
	case CTX_IMAGE_PAGE_PATCHES:
		return count_patch_tokens(image, w, h, detail);
	case CTX_IMAGE_SQUARES:
		return count_square_tokens(image, w, h);
	case CTX_IMAGE_CROPS:
		return count_crop_tokens(image, w, h);
	case CTX_IMAGE_FIXED:
		return image->x;
	case CTX_IMAGE_GRID:
		return count_grid_squares(image->x, w, h);
	default:
		return count_tile_tokens(image, w, h, detail);
	}
}
