/* age_result.h - one result, or block of media, on its way to disk */
#ifndef CTX_AGE_AGE_RESULT_H
#define CTX_AGE_AGE_RESULT_H

#include "age/age.h"

/* What a result becomes.  Zero is valid; reused over results. */
struct aged_result {
	struct ctx_buf text;   /* all of the result, as text */
	struct ctx_buf body;   /* what stands in its record instead */
	struct ctx_buf name;   /* of the file, NUL ended; empty: masked */
	struct ctx_str beside; /* its JSON, if that must lie beside the text */
	bool bare;             /* that JSON is the file; there is no text */
	struct ctx_str old;    /* what is replaced in its record */
	uint64_t saved;        /* tokens */
	struct ctx_buf scratch;
};

/*
 * Works out what part i of a message, a result, becomes; 1, or 0 if it is
 * to stay as it is.
 */
int ctx_age_result(struct aged_result *aged,
    const struct ctx_age_options *options, const struct ctx_message *message,
    const struct ctx_dialect *dialect, size_t i, struct ctx_str tool,
    struct ctx_counter *counter, struct ctx_err *err);
/* The same of part i, media; text is the payload, decoded. */
int ctx_age_media(struct aged_result *aged,
    const struct ctx_age_options *options, const struct ctx_message *message,
    const struct ctx_dialect *dialect, size_t i, struct ctx_counter *counter,
    struct ctx_err *err);
/* Stores its files; the message is still there. */
int ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err);
/* Gives back the memory of a long one. */
void ctx_aged_result_forget(struct aged_result *aged);
void ctx_aged_result_release(struct aged_result *aged);

#endif
