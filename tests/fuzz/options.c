/*
 * options.c - fuzz target: command lines
 *
 * Input: a byte that chooses the command, then the arguments, each with a NUL
 * byte after it.  The linker (--wrap) replaces the work of a command after its
 * options were read, and its exit, by functions of this file.  The exit status
 * must be one that ctx has.  With the status 2, the command must print one line
 * with the reason, without characters that control a terminal.
 */
#include <setjmp.h>
#include <unistd.h>

#include "cli/cli.h"
#include "fuzz.h"

/* the main functions of cmd/ctx-*.c */
int main_ctx_age(int argc, char **argv);
int main_ctx_cache(int argc, char **argv);
int main_ctx_check(int argc, char **argv);
int main_ctx_count(int argc, char **argv);
int main_ctx_prune(int argc, char **argv);
int main_ctx_restore(int argc, char **argv);
int main_ctx_truncate(int argc, char **argv);

static int (*const commands[])(int argc, char **argv) = {main_ctx_age,
    main_ctx_cache, main_ctx_check, main_ctx_count, main_ctx_prune,
    main_ctx_restore, main_ctx_truncate};

enum { MOST = 40, ACCEPTED = 100 };

static struct {
	bool on;
	jmp_buf back;
	struct cli *cli;
	/* patterns of the command's options */
	struct ctx_pattern *patterns[MOST];
	size_t n;
} running;

/* Frees memory that a command does not free if it ends early.  Then ends the
 * command. */
static _Noreturn void
end(int status)
{
	while (running.n > 0)
		ctx_pattern_release(running.patterns[--running.n]);
	if (running.cli != NULL) {
		free(running.cli->files);
		running.cli->files = NULL;
	}
	running.on = false;
	longjmp(running.back, status + 1);
}

_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);
void __real_cli_parse(struct cli *cli, const struct cli_option *options,
    int argc, char **argv);
void __wrap_cli_parse(struct cli *cli, const struct cli_option *options,
    int argc, char **argv);
FILE *__real_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode);
int __real_close(int fd);
int __wrap_close(int fd);
void __wrap_cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
FILE *__wrap_cli_explain_open(const struct cli *cli, const char *path);
void __wrap_cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n, struct ctx_writer *writer);
void __wrap_cli_model_counters(struct cli *cli,
    struct ctx_model_counters *counters);
void __wrap_cli_sandbox(const struct cli *cli,
    const struct cli_sandbox_grants *needs);
void __wrap_cli_check_in_place(const struct cli *cli);
int __wrap_cli_end(struct cli *cli);

void
__wrap_exit(int status)
{
	if (!running.on)
		__real_exit(status);
	end(status);
}

void
__wrap_cli_parse(struct cli *cli, const struct cli_option *options, int argc,
    char **argv)
{
	const struct cli_option *option;

	running.cli = cli;
	for (option = options; option->help != NULL; option++)
		if (option->type == CLI_PATTERN && running.n < MOST)
			running.patterns[running.n++] = option->to;
	__real_cli_parse(cli, options, argc, argv);
}

/* No command line may create a file. */
FILE *
__wrap_fopen(const char *name, const char *mode)
{
	return running.on ? NULL : __real_fopen(name, mode);
}

int
__wrap_close(int fd)
{
	return running.on && fd == STDOUT_FILENO ? 0 : __real_close(fd);
}

void
__wrap_cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out)
{
	(void)cli;
	(void)report;
	(void)out;
	end(ACCEPTED);
}

FILE *
__wrap_cli_explain_open(const struct cli *cli, const char *path)
{
	(void)cli;
	(void)path;
	end(ACCEPTED);
}

void
__wrap_cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n, struct ctx_writer *writer)
{
	(void)cli;
	(void)stream;
	(void)files;
	(void)n;
	(void)writer;
	end(ACCEPTED);
}

void
__wrap_cli_model_counters(struct cli *cli, struct ctx_model_counters *counters)
{
	(void)cli;
	(void)counters;
	end(ACCEPTED);
}

void
__wrap_cli_sandbox(const struct cli *cli,
    const struct cli_sandbox_grants *needs)
{
	(void)cli;
	(void)needs;
	end(ACCEPTED);
}

/* The result must not depend on which files exist. */
void
__wrap_cli_check_in_place(const struct cli *cli)
{
	(void)cli;
	end(ACCEPTED);
}

int
__wrap_cli_end(struct cli *cli)
{
	(void)cli;
	end(ACCEPTED);
}

/* Checks that the command has printed one safe line, whatever the arguments
 * were. */
static void
judge(int status, const char *said, size_t n)
{
	size_t i;
	uint32_t cp;

	must(status == CLI_YES || status == CLI_TROUBLE || status == ACCEPTED);
	must((status == CLI_TROUBLE) == (n > 0));
	if (n == 0)
		return;
	must(said[n - 1] == '\n');
	for (i = 0; i < n - 1; i += ctx_utf8_next(said + i, n - i, &cp))
		must((unsigned char)said[i] >= 0x20 && said[i] != 0x7f &&
		    !((unsigned char)said[i] == 0xc2 &&
			(unsigned char)said[i + 1] < 0xa0));
}

static void
run(int (*command)(int, char **), int argc, char **argv)
{
	FILE *out = stdout, *err = stderr, *none;
	char *said = NULL;
	size_t n = 0;
	int status;

	none = __real_fopen("/dev/null", "w");
	must(none != NULL);
	stdout = none;
	stderr = open_memstream(&said, &n);
	must(stderr != NULL);
	memset(&running, 0, sizeof running);
	status = setjmp(running.back);
	if (status == 0) {
		running.on = true;
		status = command(argc, argv) + 1;
		running.on = false;
	}
	must(fclose(stderr) == 0);
	must(fclose(none) == 0);
	stdout = out;
	stderr = err;
	judge(status - 1, said, n);
	free(said);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[MOST + 2], *text, *p, name[] = "ctx";
	unsigned choice = fuzz_byte(&data, &size);
	int argc = 0;

	text = malloc(size + 1);
	must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	argv[argc++] = name;
	for (p = text; p < text + size && argc <= MOST; p += strlen(p) + 1)
		argv[argc++] = p;
	argv[argc] = NULL;
	run(commands[choice % (sizeof commands / sizeof *commands)], argc,
	    argv);
	free(text);
	return 0;
}
