/* exec.c - commands that behave, and commands that do not */
#include <signal.h>
#include <time.h>

#include "ctx.h"
#include "tap.h"

static int
run(const char *command, const char *input, size_t n, unsigned seconds,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_exec exec = {command, {input, n}, 1 << 20, seconds};

	out->n = 0;
	memset(err, 0, sizeof *err);
	return ctx_exec(&exec, out, err);
}

int
main(void)
{
	struct ctx_buf out = {0}, big = {0};
	struct ctx_err err;
	time_t before;
	size_t i;

	tap_case("a command reads its input and its output comes back");
	CHECK(run("tr a-z A-Z", "hello", 5, 10, &out, &err) == 0);
	CHECK(out.n == 5 && memcmp(out.p, "HELLO", 5) == 0);
	tap_case("input and output larger than any pipe do not dead-lock");
	for (i = 0; i < 80000; i++)
		NEED(ctx_buf_add(&big, "0123456789", 10, &err) == 0);
	CHECK(run("cat", big.p, big.n, 20, &out, &err) == 0);
	CHECK(out.n == big.n && memcmp(out.p, big.p, big.n) == 0);
	tap_case("a command may stop reading early, or never read");
	CHECK(run("head -c 3", big.p, big.n, 10, &out, &err) == 0);
	CHECK(out.n == 3);
	CHECK(run("exec <&-; echo ok", big.p, big.n, 10, &out, &err) == 0);
	CHECK(out.n == 3);
	tap_case("what fails says how");
	CHECK(run("exit 3", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "status 3") != NULL);
	CHECK(run("no-such-command-here 2>/dev/null", "", 0, 10, &out, &err) ==
	    -1);
	CHECK(strstr(err.text, "status 127") != NULL);
	CHECK(run("kill -9 $$", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "signal 9") != NULL);
	CHECK(run("printf '\\377'", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "UTF-8") != NULL);
	CHECK(run("yes", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "more than 1048576 bytes") != NULL);
	tap_case("a command that hangs is killed with all it started");
	before = time(NULL);
	CHECK(run("sleep 60 & sleep 60", "", 0, 1, &out, &err) == -1);
	CHECK(strstr(err.text, "within 1 seconds") != NULL);
	CHECK(run("exec >&-; sleep 60", "", 0, 1, &out, &err) == -1);
	CHECK(time(NULL) - before < 20);
	tap_case("signals are as they were");
	CHECK(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
	ctx_buf_release(&out);
	ctx_buf_release(&big);
	return tap_done();
}
