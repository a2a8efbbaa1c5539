/* age_result.h - replaces a tool result or media block by a reference to a
 * file */
#ifndef CTX_AGE_AGE_RESULT_H
#define CTX_AGE_AGE_RESULT_H

#include "age/age.h"

/* A tool result or media block, and the reference to a file that replaces it.
 * A struct of zeros is valid, and can be used for many results, one after
 * another. */
struct aged_result {
	/* content of the spool file: the text of the tool result, or the
	 * decoded media */
	struct ctx_buf text;
	/* JSON that is written in place of the tool result or media block */
	struct ctx_buf replacement;
	/* Name of the spool file, terminated by a NUL byte.  Empty if nothing
	 * is stored. */
	struct ctx_buf file_name;
	/* The JSON of the result or media block, if it is stored in a file; the
	 * pointer json.p points into the message's JSON.  Otherwise the length
	 * json.n is 0. */
	struct ctx_str json;
	/* True if only the member json is stored, not the member text: the
	 * media block is only a link to the media. */
	bool json_only;
	/* The JSON that is replaced, a part of the message's JSON. */
	struct ctx_str replaced;
	uint64_t saved_tokens;
	struct ctx_buf scratch;
};

/* A tool result or media block that may be replaced by a reference to a file.
 */
struct age_candidate {
	const struct ctx_message *message;
	size_t i; /* index of the block in the message */
	/* Name of the tool.  Its length n is 0 if the name is not known, or if
	 * the block belongs to no tool. */
	struct ctx_str tool;
	struct ctx_counter *counter; /* token counter of the model */
};

/* Writes the reference that replaces a tool result, and the content of the file
 * with the result, to *aged.  Returns 1.  Returns 0 if the result must not be
 * replaced, because it is too short, was replaced before, or no token would be
 * saved.  Returns -1 with *err after an error. */
int ctx_age_result(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *result,
    struct ctx_err *err);
/* Some agents keep a copy of a tool result beside the message.  Writes the
 * reference that replaces a text in this copy, and the content of the file with
 * the text, to *aged. node: JSON string of the text, or an array of texts; an
 * array is replaced by an array with the reference as its only element.
 * Returns 1.  Returns 0 if the text must not be replaced, because it is too
 * short, was replaced before, or is not longer than its replacement.  Returns
 * -1 with *err after an error. */
int ctx_age_copied_text(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *result,
    uint32_t node, struct ctx_err *err);
/* Writes the reference that replaces a media block, and the content of the file
 * with the media, to *aged.  Returns 1, or 0 if the block must not be replaced,
 * or -1 with *err. */
int ctx_age_media(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *candidate,
    struct ctx_err *err);
/* Stores the files of a replaced tool result or media block in the spool
 * directory.  The JSON of the message must still be in memory, because
 * aged->json points into it. */
int ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err);
/* Frees the buffers in *aged that a long tool result has made large. */
void ctx_aged_result_trim(struct aged_result *aged);
void ctx_aged_result_release(struct aged_result *aged);

#endif
