/* prompt_writer.h - writes texts of the model's prompt, such as tool
 * definitions */
#ifndef CTX_PROMPT_WRITER_H
#define CTX_PROMPT_WRITER_H

#include "json/json.h"

/* A text that is being written.  If memory cannot be allocated, failed is set
 * to true and *err is set; then nothing more is written. */
struct ctx_prompt_writer {
	const struct ctx_json *json; /* JSON that the text is about */
	struct ctx_buf *out;
	struct ctx_err *err;
	bool failed;
};

/* Writes a text that is terminated by a NUL byte. */
void ctx_prompt_put(struct ctx_prompt_writer *to, const char *text);
void ctx_prompt_put_bytes(struct ctx_prompt_writer *to, const char *p,
    size_t n);
/* Writes the text of a string, or the JSON of another value without white
 * space. */
void ctx_prompt_put_text(struct ctx_prompt_writer *to, uint32_t node);
/* Writes the JSON of a value without white space; a string is written with its
 * quotes. */
void ctx_prompt_put_json(struct ctx_prompt_writer *to, uint32_t node);

#endif
