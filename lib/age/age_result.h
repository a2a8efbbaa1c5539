/* age_result.h - ages one tool result or media block */
#ifndef CTX_AGE_AGE_RESULT_H
#define CTX_AGE_AGE_RESULT_H

#include "age/age.h"

/* A result or media block that is aged, and what replaces it.  Valid if zeroed;
 * may be used for one result after another. */
struct aged_result {
	struct ctx_buf text; /* the whole result; of media: the payload */
	struct ctx_buf replacement; /* the JSON that replaces the result */
	/* Name of its spool file, NUL-terminated; empty: nothing is stored. */
	struct ctx_buf file_name;
	/* JSON that is stored besides text, since text alone cannot restore it;
	 * n 0: none.  Points into the message. */
	struct ctx_str json;
	bool json_only;          /* true if text is not stored */
	struct ctx_str replaced; /* the JSON that is replaced, in the message */
	uint64_t saved_tokens;
	struct ctx_buf scratch;
};

/* A tool result or media block that may be aged. */
struct age_candidate {
	const struct ctx_message *message;
	size_t i;            /* index of the block in the message */
	struct ctx_str tool; /* name of its tool; n 0: not known, or none */
	struct ctx_counter *counter; /* counts its tokens */
};

/* Sets *aged to what replaces a tool result.  Returns 1; 0 if the result is not
 * aged, because it is too short, aged already, or no token would be saved; -1
 * with *err. */
int ctx_age_result(struct aged_result *aged,
    const struct ctx_age_options *options, const struct age_candidate *result,
    struct ctx_err *err);
/* Sets *aged to what replaces a media block.  Returns as ctx_age_result. */
int ctx_age_media(struct aged_result *aged,
    const struct ctx_age_options *options,
    const struct age_candidate *candidate, struct ctx_err *err);
/* Stores the files of a result in the spool.  The message must still be valid.
 */
int ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err);
/* Frees the buffers if a long result has made them large. */
void ctx_aged_result_trim(struct aged_result *aged);
void ctx_aged_result_release(struct aged_result *aged);

#endif
