/* age_result.h - replaces one tool result or media block by a reference to a
 * file with it */
#ifndef CTX_AGE_AGE_RESULT_H
#define CTX_AGE_AGE_RESULT_H

#include "age/age.h"

/* A tool result or media block, and the reference to a file that replaces it.
 * Valid if zeroed; may be used for one result after another. */
struct aged_result {
	/* text of the whole tool result; of media the decoded payload */
	struct ctx_buf text;
	struct ctx_buf replacement; /* JSON that replaces the result or block */
	/* Name of the file that holds the result, NUL-terminated.  Empty if
	 * nothing is stored. */
	struct ctx_buf file_name;
	/* JSON of the result that is stored besides text if text alone is not
	 * enough to restore it.  Points into the message; n is 0 if there is
	 * none. */
	struct ctx_str json;
	/* True if only the JSON of the block is stored, without text. */
	bool json_only;
	/* JSON in the message that is replaced. */
	struct ctx_str replaced;
	uint64_t saved_tokens;
	struct ctx_buf scratch;
};

/* A tool result or media block that may be replaced by a reference to a file.
 */
struct age_candidate {
	const struct ctx_message *message;
	size_t i; /* index of the block in the message */
	/* Name of the tool; its length n is 0 if it is not known or there is
	 * none. */
	struct ctx_str tool;
	struct ctx_counter *counter; /* token counter of the model */
};

/* Sets *aged to the reference that replaces a tool result, and what is stored
 * in the file.  Returns 1; 0 if the result is not replaced because it is too
 * short, is replaced already, or no token would be saved; -1 and sets *err. */
int ctx_age_result(struct aged_result *aged,
    const struct ctx_age_options *options, const struct age_candidate *result,
    struct ctx_err *err);
/* Sets *aged to the reference that replaces a media block, and what is stored
 * in the file.  Returns 1; 0 if the block is not replaced; -1 and sets *err. */
int ctx_age_media(struct aged_result *aged,
    const struct ctx_age_options *options,
    const struct age_candidate *candidate, struct ctx_err *err);
/* Writes the files with a removed tool result or media block to the spool
 * directory.  The message must still be valid. */
int ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err);
/* Frees the buffers in *aged if a long result has made them large. */
void ctx_aged_result_trim(struct aged_result *aged);
void ctx_aged_result_release(struct aged_result *aged);

#endif
