/*
 * image_rules.c - checks the size and the number of images against the limits
 * of the provider
 *
 * Anthropic, "Vision", platform.claude.com, 2026: an image with a side of more
 * than 8,000 pixels is refused; in a request with more than 20 images, an image
 * with a side of more than 2,000 pixels.  A request may have 600 images, or 100
 * if the model's window has 200,000 tokens ("too many images and documents: 104
 * + 1 > 100", claude-code #23392, February 2026).  "image exceeds 5 MB maximum:
 * 5272940 bytes > 5242880 bytes" counts base64 (lobehub #14711, May 2026).
 * Bedrock, API reference of Message: 20 images per message, each at most 8,000
 * pixels on a side and 3.75 MB.
 *
 * If a request has too many images, a repair replaces the oldest images by
 * texts.  If a request has more than 20 images, and some are too large for such
 * a request, a repair replaces large images until at most 20 images are left.
 */
#include <stdio.h>
#include <string.h>

#include "check/validator.h"
#include "cost/media.h"
#include "dialect/result_content.h"
#include "stream/placeholder.h"

/* maximum length in bytes of the text of a finding (violation of a rule) */
#define TEXT 160

static int
inspect_media(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_media *media, struct ctx_err *err)
{
	scratch->n = 0;
	return ctx_media_look(json, node, scratch, media, err);
}

int
ctx_text_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err)
{
	const char *before = dialect->text_block;

	if (ctx_buf_add(out, before, strlen(before), err) < 0 ||
	    ctx_json_string_encode(out, p, n, err) < 0)
		return -1;
	return ctx_buf_add(out, "}", 1, err);
}

int
ctx_image_replace(struct ctx_buf *out, struct ctx_buf *scratch,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t block, struct ctx_err *err)
{
	struct ctx_media media;
	struct ctx_buf text = {0};
	int rc;

	out->n = 0;
	rc = inspect_media(json, block, scratch, &media, err);
	if (rc == 0)
		rc = ctx_placeholder_add(&text, json, &media, true, err);
	if (rc == 0)
		rc = ctx_text_block(out, dialect, text.p, text.n, err);
	ctx_buf_release(&text);
	return rc;
}

bool
ctx_image_find(const struct ctx_message *message, size_t ordinal,
    struct ctx_buf *scratch, uint32_t *block, struct ctx_err *err)
{
	struct ctx_media media;
	size_t i;

	for (i = 0; i < message->n; i++) {
		*block = ctx_media_block(message, i);
		if (*block == 0)
			continue;
		if (inspect_media(message->json, *block, scratch, &media, err) <
		    0)
			return false;
		if (strcmp(media.kind, "image") == 0 && ordinal-- == 0)
			return true;
	}
	*block = 0;
	return true;
}

/* Reports a finding about an image.  For an image inside a request, or in the
 * message that is being checked, the finding contains the JSON of the image.
 * For an image in an earlier message that is a record, the repair finds the
 * image by its index in the message. */
static int
refuse_image(struct ctx_validator *validator, enum ctx_rule_id id,
    const struct ctx_image_seen *image, const char *what)
{
	struct ctx_finding finding = {.id = id, .place = image->place};

	if (image->json != NULL && image->block != 0) {
		if (ctx_image_replace(&validator->replacement, &validator->text,
			validator->dialect, image->json, image->block,
			validator->err) < 0)
			return -1;
		finding.old = ctx_json_str(image->json, image->block);
		finding.replacement = (struct ctx_str){validator->replacement.p,
		    validator->replacement.n};
	} else if (image->block != 0) {
		finding.block = image->ordinal + 1;
	}
	return ctx_validate_report(validator, &finding, what);
}

/* Returns true if an image exceeds a limit that does not depend on the number
 * of images.  In this case, writes the text of the finding to the buffer
 * "what". */
static bool
is_too_big(const struct ctx_provider_limits *limits,
    const struct ctx_media *media, char what[TEXT])
{
	uint64_t bytes =
	    limits->encoded ? (media->base64.n + 3) / 4 * 4 : media->bytes;
	uint32_t side =
	    media->width > media->height ? media->width : media->height;

	if (limits->side > 0 && side > limits->side)
		(void)snprintf(what, TEXT,
		    "an image has %ux%u pixels, more than %u on a side",
		    (unsigned)media->width, (unsigned)media->height,
		    (unsigned)limits->side);
	else if (limits->image > 0 && bytes > limits->image)
		(void)snprintf(what, TEXT,
		    "an image has %llu bytes%s, more than %llu",
		    (unsigned long long)bytes,
		    limits->encoded ? " of base64" : "",
		    (unsigned long long)limits->image);
	else
		return false;
	return true;
}

/* Removes image i from the list of images. replaced: true if a text has
 * replaced the image in its message.  Then the indices of the later images of
 * this message are decreased by one. */
static void
remove_image_seen(struct ctx_validator *validator, size_t i, bool replaced)
{
	struct ctx_image_seen *list = validator->images;
	size_t k;

	for (k = i + 1; replaced && k < validator->n_images; k++)
		if (list[k].place.message == list[i].place.message)
			list[k].ordinal--;
	if (replaced && list[i].json != NULL)
		validator->next_ordinal--;
	validator->images_left -= replaced;
	validator->n_images--;
	memmove(list + i, list + i + 1,
	    (validator->n_images - i) * sizeof *list);
}

/* Reports the oldest images of the request, until the number of the remaining
 * images is at most "most", the maximum of the provider.  If most is 0, there
 * is no maximum. */
static int
refuse_surplus_images(struct ctx_validator *validator, uint64_t most)
{
	char what[TEXT];
	int rc;

	(void)snprintf(what, sizeof what,
	    "more than %llu images; this image is not among the newest",
	    (unsigned long long)most);
	while (most > 0 && validator->n_images > most) {
		rc = refuse_image(validator, CTX_RULE_MANY_IMAGES,
		    validator->images, what);
		if (rc < 0)
			return -1;
		remove_image_seen(validator, 0, rc > 0);
	}
	return 0;
}

/* The provider refuses large images in a request with more than limits->many
 * images.  Reports the oldest large images until the request has at most this
 * many images. */
static int
refuse_large_images(struct ctx_validator *validator,
    const struct ctx_provider_limits *limits)
{
	char what[TEXT];
	size_t i;
	int rc;

	(void)snprintf(what, sizeof what,
	    "an image has more than %u pixels "
	    "on a side, in a request of more than %u images",
	    (unsigned)limits->many_side, (unsigned)limits->many);
	for (i = 0; limits->many > 0 && i < validator->n_images &&
	     validator->images_left > limits->many;) {
		if (!validator->images[i].large) {
			i++;
			continue;
		}
		rc = refuse_image(validator, CTX_RULE_BIG_IMAGE,
		    &validator->images[i], what);
		if (rc < 0)
			return -1;
		validator->images[i].large = false;
		if (rc > 0)
			remove_image_seen(validator, i, true);
	}
	return 0;
}

static int
add_image_seen(struct ctx_validator *validator,
    const struct ctx_image_seen *image,
    const struct ctx_provider_limits *limits)
{
	if (CTX_GROW(validator->images, validator->images_cap,
		validator->n_images + 1, validator->err) < 0)
		return -1;
	validator->images[validator->n_images++] = *image;
	validator->images_left++;
	if (refuse_surplus_images(validator,
		ctx_provider_limits_images(limits, validator->window)) < 0)
		return -1;
	return refuse_large_images(validator, limits);
}

int
ctx_validate_assistant_media(struct ctx_validator *validator, size_t i)
{
	const struct ctx_message *message = validator->message;
	uint32_t block =
	    validator->dialect == NULL ? 0 : ctx_media_block(message, i);
	bool system = message->role == CTX_ROLE_SYSTEM;

	/* Audio that the assistant spoke is a member of the message and not a
	 * block, so no text block can replace it. */
	if (!(validator->rules & CTX_SAYS_TEXT) || block == 0 ||
	    (!system && message->role != CTX_ROLE_ASSISTANT))
		return 0;
	if (ctx_image_replace(&validator->replacement, &validator->text,
		validator->dialect, message->json, block, validator->err) < 0)
		return -1;
	return ctx_validate_refuse_text(validator, CTX_RULE_ASSISTANT_MEDIA,
	    ctx_json_str(message->json, block),
	    system ? "a system message has media"
		   : "an assistant message has media");
}

/* Sets *n to the number of images in the message. */
static int
count_images(struct ctx_validator *validator, size_t *n)
{
	const struct ctx_message *message = validator->message;
	struct ctx_media media;
	size_t i;

	*n = 0;
	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_MEDIA)
			continue;
		if (inspect_media(message->json,
			message->blocks[i].removable != 0
			    ? message->blocks[i].removable
			    : message->blocks[i].payload,
			&validator->text, &media, validator->err) < 0)
			return -1;
		*n += strcmp(media.kind, "image") == 0;
	}
	return 0;
}

/* Checks an image. *over: number of images that must be refused, from this
 * image on, because the message has too many images. */
static int
check_image(struct ctx_validator *validator,
    const struct ctx_provider_limits *limits, size_t i, size_t *over)
{
	const struct ctx_message *message = validator->message;
	const struct ctx_block *block = &message->blocks[i];
	struct ctx_image_seen image = {.place = validator->place,
	    .json = message->json,
	    .ordinal = validator->next_ordinal,
	    .block = ctx_media_block(message, i)};
	struct ctx_media media;
	char what[TEXT];
	int rc = 0;

	if (inspect_media(message->json,
		block->removable != 0 ? block->removable : block->payload,
		&validator->text, &media, validator->err) < 0)
		return -1;
	if (strcmp(media.kind, "image") != 0)
		return 0;
	image.large =
	    media.width > limits->many_side || media.height > limits->many_side;
	if (is_too_big(limits, &media, what)) {
		rc = refuse_image(validator, CTX_RULE_BIG_IMAGE, &image, what);
	} else if (*over > 0) {
		(void)snprintf(what, sizeof what,
		    "more than %u images in a message; this image is not among "
		    "the last",
		    (unsigned)limits->in_message);
		rc =
		    refuse_image(validator, CTX_RULE_MANY_IMAGES, &image, what);
	}
	*over -= *over > 0;
	if (rc != 0)
		return rc;
	/* An image that no text can replace has no index, so it does not change
	 * the index of the next image. */
	validator->next_ordinal += image.block != 0;
	return limits->images > 0 ? add_image_seen(validator, &image, limits)
				  : 0;
}

/* Called after the images of a message that is a record were checked.  When
 * later messages are checked, the JSON of this message is no longer in memory,
 * so the pointers to it are set to NULL. */
static void
forget_json(struct ctx_validator *validator)
{
	size_t i = validator->n_images;

	while (i-- > 0 && validator->images[i].json != NULL)
		validator->images[i].json = NULL;
}

int
ctx_validate_images(struct ctx_validator *validator)
{
	const struct ctx_provider_limits *limits =
	    ctx_provider_limits_of(validator->provider, validator->dialect);
	size_t i, n, over = 0;

	if (!(validator->rules & CTX_IMAGE_LIMITS) ||
	    validator->dialect == NULL || limits == NULL)
		return 0;
	if (limits->in_message > 0) {
		if (count_images(validator, &n) < 0)
			return -1;
		over = n > limits->in_message ? n - limits->in_message : 0;
	}
	validator->next_ordinal = 0;
	for (i = 0; i < validator->message->n; i++)
		if (validator->message->blocks[i].kind == CTX_BLOCK_MEDIA &&
		    check_image(validator, limits, i, &over) < 0)
			return -1;
	if (!validator->place.inside)
		forget_json(validator);
	return 0;
}
