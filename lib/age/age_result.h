/* age_result.h - ages one tool result or media block */
#ifndef CTX_AGE_AGE_RESULT_H
#define CTX_AGE_AGE_RESULT_H

#include "age/age.h"

/* What replaces a result.  Valid if zeroed; can be reused. */
struct aged_result {
	struct ctx_buf text;        /* the whole result, as text */
	struct ctx_buf replacement; /* the JSON that replaces it */
	struct ctx_buf
	    file_name;       /* of the file, NUL-terminated; empty: masked */
	struct ctx_str json; /* its JSON, if the text cannot restore it; n 0:
				  not stored */
	bool json_only;      /* only the JSON is stored, not text */
	struct ctx_str replaced; /* the JSON that is replaced */
	uint64_t saved_tokens;   /* tokens saved */
	struct ctx_buf scratch;
};

/* A tool result or media block that may be aged. */
struct age_candidate {
	const struct ctx_message *message;
	size_t i;            /* index of the block in the message */
	struct ctx_str tool; /* name of its tool; n 0: not known, or none */
	struct ctx_counter *counter; /* counts its tokens */
};

/*
 * Sets *aged to what replaces a tool result.  Returns 1, 0 if the result is not
 * aged, or -1 with *err.
 */
int ctx_age_result(struct aged_result *aged,
    const struct ctx_age_options *options, const struct age_candidate *result,
    struct ctx_err *err);
/* Like ctx_age_result, for a media block; aged->text is the decoded payload. */
int ctx_age_media(struct aged_result *aged,
    const struct ctx_age_options *options,
    const struct age_candidate *candidate, struct ctx_err *err);
/* Stores the files of a result; the message must still be valid. */
int ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err);
/* Frees the buffers that a long result has made large. */
void ctx_aged_result_trim(struct aged_result *aged);
void ctx_aged_result_release(struct aged_result *aged);

#endif
