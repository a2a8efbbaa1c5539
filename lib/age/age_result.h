/* age_result.h - replaces a tool result or media block by a reference to a
 * file */
#ifndef CTX_AGE_AGE_RESULT_H
#define CTX_AGE_AGE_RESULT_H

#include "age/age.h"

/* A tool result or media block, and the reference to a file that replaces it.
 * A zeroed struct is valid, and can be used for many results, one after
 * another. */
struct aged_result {
	/* bytes of the spool file: the text of the tool result, or the decoded
	 * media */
	struct ctx_buf text;
	struct ctx_buf replacement; /* JSON that replaces the result or block */
	/* Name of the spool file, NUL-terminated.  Empty if nothing is
	 * stored. */
	struct ctx_buf file_name;
	/* The JSON of the result or media block, if it is stored in a file;
	 * otherwise json.n is 0.  Points into the message's JSON. */
	struct ctx_str json;
	/* True if only the member json is stored, not the member text: for a
	 * media block that is only a link to the media. */
	bool json_only;
	/* The JSON that is to be replaced, a part of the message's JSON. */
	struct ctx_str replaced;
	uint64_t saved_tokens;
	struct ctx_buf scratch;
};

/* A tool result or media block that may be replaced by a reference to a file.
 */
struct age_candidate {
	const struct ctx_message *message;
	size_t i; /* index of the block in the message */
	/* Name of the tool.  Its length n is 0 if it is not known, or if the
	 * block belongs to no tool. */
	struct ctx_str tool;
	struct ctx_counter *counter; /* token counter of the model */
};

/* Makes the reference that replaces a tool result, and decides what is stored
 * in the file; both are then in *aged.  Returns 1; 0 if the result must not be
 * replaced, because it is too short, was replaced before, or no token would be
 * saved; or -1 with *err. */
int ctx_age_result(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *result,
    struct ctx_err *err);
/* Some agents keep a copy of a tool result beside the message.  Makes the
 * reference that replaces a text in this copy, and decides what is stored in
 * the file; both are then in *aged. node: the JSON string of the text.  Returns
 * 1; 0 if the text must not be replaced, because it is too short, was replaced
 * before, or is not longer than its replacement; or -1 with *err. */
int ctx_age_copied_text(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *result,
    uint32_t node, struct ctx_err *err);
/* Makes the reference that replaces a media block, and decides what is stored
 * in the file; both are then in *aged.  Returns 1; 0 if the block must not be
 * replaced; or -1 with *err. */
int ctx_age_media(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *candidate,
    struct ctx_err *err);
/* Writes the files for a replaced tool result or media block to the spool
 * directory.  The JSON of the message must still be in memory, because
 * aged->json points into it. */
int ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err);
/* Frees the buffers in *aged if a long result has made them large. */
void ctx_aged_result_trim(struct aged_result *aged);
void ctx_aged_result_release(struct aged_result *aged);

#endif
