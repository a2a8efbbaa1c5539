/*
 * short.c - runs a fuzz target over short conversations
 *
 *     short-NAME [SAMPLES [SEED]]
 *
 * Runs without a fuzzing engine. tests/fuzz/alphabet has messages of some
 * dialects, one per line.  Runs all conversations of two of these messages
 * (only every third if built with AddressSanitizer, because that is several
 * times slower), and SAMPLES (default: 60) random conversations of up to eight
 * messages.  Every other random conversation consists of messages that
 * ctx-check accepts.  Each conversation is run as lines and as one array, each
 * time with every value of the second byte of the input, which selects options
 * of the target.  Prints a TAP case for each dialect, and each input that
 * fails.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "check/check.h"
#include "fuzz.h"

#define MESSAGES 64
#define LONGEST  8
#define CHOICES  16
#ifdef __SANITIZE_ADDRESS__
#define PAIR_STEP 3
#else
#define PAIR_STEP 1
#endif

static struct ctx_buf input; /* input of the current run */
static size_t head;

static struct alphabet {
	char text[40000];
	size_t from[MESSAGES + 1];
	size_t n;
} alphabet;

/* Called if the target aborts.  Prints the input. */
static void
on_abort(int signal)
{
	size_t i;

	(void)signal;
	printf("not ok - a conversation does not hold; options");
	for (i = 0; i < head; i++)
		printf(" %u", (unsigned)(uint8_t)input.p[i]);
	printf(":\n%.*s", (int)(input.n - head), input.p + head);
	(void)fflush(stdout);
	_exit(1);
}

static void
read_alphabet(const char *name)
{
	char file[200];
	FILE *f;
	size_t i, n;

	(void)snprintf(file, sizeof file, "tests/fuzz/alphabet/%s", name);
	f = fopen(file, "r");
	must(f != NULL);
	n = fread(alphabet.text, 1, sizeof alphabet.text, f);
	must(feof(f) && n > 0 && alphabet.text[n - 1] == '\n');
	(void)fclose(f);
	alphabet.n = 0;
	for (i = 0; i < n; i++) {
		if (alphabet.text[i] != '\n')
			continue;
		must(alphabet.n < MESSAGES);
		alphabet.from[++alphabet.n] = i + 1;
	}
}

static void
add(const char *p, size_t n)
{
	struct ctx_err err;

	must(ctx_buf_add(&input, p, n, &err) == 0);
}

static void
add_messages(const size_t *messages, size_t n, bool array)
{
	const size_t *from = alphabet.from;
	size_t i;

	for (i = 0; i < n; i++) {
		if (array)
			add(i == 0 ? "[" : ",", 1);
		/* Some lines begin or end with a blank. */
		add(" ", (messages[i] + i) % 5 == 0);
		add(alphabet.text + from[messages[i]],
		    from[messages[i] + 1] - from[messages[i]] - 1);
		add(" ", (messages[i] + i) % 7 == 0);
		add("\n", !array);
	}
	if (array)
		add("]\n", 2);
}

/* Runs the target with a conversation, as lines and as one array. */
static void
run(unsigned dialect, const size_t *messages, size_t n)
{
	uint8_t options[16] = {0};
	unsigned i;

	head = fuzz_head(options, sizeof options);
	for (i = 0; i < 2 * CHOICES; i++) {
		size_t k;

		for (k = 2; k < head; k++)
			options[k] = (uint8_t)(rand() >> 7);
		options[0] = fuzz_choice(ctx_dialect_at(dialect));
		options[1] = (uint8_t)(i / 2);
		/* for the target check: no bytes that say how many bytes a read
		 * returns */
		options[2] &= 0xf0;
		input.n = 0;
		add((const char *)options, head);
		add_messages(messages, n, i & 1);
		(void)LLVMFuzzerTestOneInput((const uint8_t *)input.p, input.n);
	}
}

static int
on_found(void *user, const struct ctx_finding *finding, struct ctx_err *err)
{
	(void)finding;
	(void)err;
	*(bool *)user = true;
	return 0;
}

/* Returns true if the provider would accept the conversation so far. */
static bool
is_valid(const struct ctx_dialect *dialect, const size_t *messages, size_t n)
{
	bool found = false;
	struct ctx_check_config options = {.allow_pending = true,
	    .user = &found,
	    .on_finding = on_found};
	struct ctx_stream stream = {.forced = dialect};
	struct ctx_err err;
	int rc;

	input.n = 0;
	add_messages(messages, n, false);
	fuzz_input(input.p, input.n, NULL, 0);
	must(ctx_reader_open(&stream.reader, NULL, 0, &err) == 0);
	rc = ctx_check_stream(&stream, NULL, &options, &err);
	ctx_reader_close(stream.reader);
	ctx_stream_release(&stream);
	fuzz_input_end();
	return rc == 0 && !found;
}

/* Chooses n random messages. valid: true if they form a valid conversation, as
 * far as valid messages are found. */
static void
draw(const struct ctx_dialect *dialect, size_t *messages, size_t n, bool valid)
{
	size_t i, tries;

	for (i = 0; i < n; i++) {
		tries = valid ? 2 * alphabet.n : 1;
		do
			messages[i] = (size_t)rand() % alphabet.n;
		while (--tries > 0 && !is_valid(dialect, messages, i + 1));
	}
}

static void
run_all(unsigned dialect, unsigned long samples)
{
	size_t messages[LONGEST], n;

	read_alphabet(ctx_dialect_at(dialect)->name);
	for (messages[0] = 0; messages[0] < alphabet.n; messages[0]++) {
		run(dialect, messages, 1);
		for (messages[1] = messages[0] % PAIR_STEP;
		     messages[1] < alphabet.n; messages[1] += PAIR_STEP)
			run(dialect, messages, 2);
	}
	while (samples-- > 0) {
		n = 3 + (size_t)rand() % (LONGEST - 2);
		draw(ctx_dialect_at(dialect), messages, n, samples % 2);
		run(dialect, messages, n);
	}
}

int
main(int argc, char **argv)
{
	unsigned long samples = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
	unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
	const struct sigaction action = {.sa_handler = on_abort};
	const struct ctx_dialect *dialect;
	unsigned row, cases = 0;
	char file[200];

	must(sigaction(SIGABRT, &action, NULL) == 0);
	srand(seed);
	for (row = 0; (dialect = ctx_dialect_at(row)) != NULL; row++) {
		(void)snprintf(file, sizeof file, "tests/fuzz/alphabet/%s",
		    dialect->name);
		if (access(file, R_OK) != 0)
			continue;
		run_all(row, samples);
		printf("ok %u - short conversations of %s hold\n", ++cases,
		    dialect->name);
		(void)fflush(stdout);
	}
	printf("1..%u\n", cases);
	ctx_buf_release(&input);
	return cases == 0;
}
