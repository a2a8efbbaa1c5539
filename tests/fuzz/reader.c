/*
 * reader.c - fuzz target: the reader returns the same records, however many
 * bytes each read returns
 *
 * Input: a byte of options (lowest bit: lenient; other bits: number of the
 * record from which the records are read again); a number n; n bytes that say
 * how many bytes each read returns; the stream.
 */
#include "fuzz.h"
#include "io/second_pass.h"

static void
list_record(const struct ctx_record *record, struct ctx_buf *out,
    struct ctx_buf *bytes)
{
	struct ctx_err err;

	must(record->text.n > 0 && record->line > 0);
	if (record->kind == CTX_RECORD_JSON)
		must(record->value.p >= record->text.p && record->value.n > 0 &&
		    record->value.p + record->value.n <=
			record->text.p + record->text.n &&
		    record->json->text == record->value.p &&
		    record->json->nodes[0].end == record->value.n);
	must(ctx_buf_printf(out, &err, "%d %llu %zu %zu\n", (int)record->kind,
		 (unsigned long long)record->line, record->text.n,
		 record->value.n) == 0);
	must(ctx_buf_add(bytes, record->text.p, record->text.n, &err) == 0);
}

/* After all records were read, lists the records from the mark on again. out_n,
 * bytes_n: number of bytes in the lists about records before the mark. */
static void
list_again(struct ctx_reader *reader, const struct ctx_buf *out, size_t out_n,
    const struct ctx_buf *bytes, size_t bytes_n)
{
	struct ctx_buf again = {0}, same = {0};
	struct ctx_record record;
	struct ctx_err err;

	ctx_reader_rewind(reader);
	while (ctx_reader_next_in_file(reader, &record, &err) > 0)
		list_record(&record, &again, &same);
	must(fuzz_same(again.p, again.n, out->p + out_n, out->n - out_n));
	must(fuzz_same(same.p, same.n, bytes->p + bytes_n, bytes->n - bytes_n));
	ctx_buf_release(&again);
	ctx_buf_release(&same);
}

/* Lists what the reader returns: kinds, places, texts, the error.  If mark is
 * not 0, the JSON value with this number and all later records are read
 * twice. */
static int
list(bool lenient, size_t mark, struct ctx_buf *out, struct ctx_buf *bytes)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err, late;
	size_t out_n = 0, bytes_n = 0;
	bool marked = false;
	int rc;

	must(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	ctx_reader_set_lenient(reader, lenient);
	rc = ctx_reader_next(reader, &record, &err);
	while (rc > 0) {
		must(lenient || record.kind != CTX_RECORD_BAD);
		if (record.kind == CTX_RECORD_JSON && mark > 0 && --mark == 0) {
			must(ctx_reader_mark(reader, &record, &err) == 0);
			out_n = out->n;
			bytes_n = bytes->n;
			marked = true;
		}
		list_record(&record, out, bytes);
		rc = ctx_reader_next_in_file(reader, &record, &err);
	}
	if (rc == 0 && marked)
		list_again(reader, out, out_n, bytes, bytes_n);
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
	size_t mark = options >> 1;
	int rc;

	if (n > size)
		return -1;
	data += n;
	size -= n;
	fuzz_input((const char *)data, size, NULL, 0);
	rc = list(lenient, 0, &whole, &bytes);
	must(rc < 0 || fuzz_same(bytes.p, bytes.n, (const char *)data, size));
	fuzz_input((const char *)data, size, chunks, n);
	must(list(lenient, mark, &cut, &again) == rc);
	must(fuzz_same(whole.p, whole.n, cut.p, cut.n));
	must(fuzz_same(bytes.p, bytes.n, again.p, again.n));
	fuzz_input_end();
	ctx_buf_release(&whole);
	ctx_buf_release(&cut);
	ctx_buf_release(&bytes);
	ctx_buf_release(&again);
	return 0;
}
