/*
 * reader.c - fuzz framing: the same records whatever a read returns
 *
 * Input: options, a number of bytes that say how reads are cut, these bytes,
 * and what is read.
 */
#include "fuzz.h"

/* What came out: kinds, places, texts, the error. */
static int
list(bool lenient, struct ctx_buf *out, struct ctx_buf *bytes)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err, late;
	int rc;

	must(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	ctx_reader_set_lenient(reader, lenient);
	while ((rc = ctx_reader_next(reader, &record, &err)) > 0) {
		must(record.text.n > 0 && record.line > 0);
		must(lenient || record.kind != CTX_RECORD_BAD);
		if (record.kind == CTX_RECORD_JSON)
			must(record.value.p >= record.text.p &&
			    record.value.n > 0 &&
			    record.value.p + record.value.n <=
				record.text.p + record.text.n &&
			    record.json->text == record.value.p &&
			    record.json->nodes[0].end == record.value.n);
		must(ctx_buf_printf(out, &late, "%d %llu %zu %zu\n",
			 (int)record.kind, (unsigned long long)record.line,
			 record.text.n, record.value.n) == 0);
		must(ctx_buf_add(bytes, record.text.p, record.text.n, &late) ==
		    0);
	}
	if (rc < 0) {
		must(err.line > 0 && err.column > 0 && err.text[0] != '\0');
		must(ctx_buf_printf(out, &late, "%llu:%llu %s\n",
			 (unsigned long long)err.line,
			 (unsigned long long)err.column, err.text) == 0);
	}
	ctx_reader_close(reader);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctx_buf whole = {0}, cut = {0}, bytes = {0}, again = {0};
	unsigned options = fuzz_byte(&data, &size);
	size_t n = fuzz_byte(&data, &size) % 32;
	const uint8_t *chunks = data;
	bool lenient = options & 1;
	int rc;

	if (n > size)
		return -1;
	data += n;
	size -= n;
	fuzz_input((const char *)data, size, NULL, 0);
	rc = list(lenient, &whole, &bytes);
	must(rc < 0 || fuzz_same(bytes.p, bytes.n, (const char *)data, size));
	fuzz_input((const char *)data, size, chunks, n);
	must(list(lenient, &cut, &again) == rc);
	must(fuzz_same(whole.p, whole.n, cut.p, cut.n));
	must(fuzz_same(bytes.p, bytes.n, again.p, again.n));
	fuzz_input_end();
	ctx_buf_release(&whole);
	ctx_buf_release(&cut);
	ctx_buf_release(&bytes);
	ctx_buf_release(&again);
	return 0;
}
