/* annotations.c - prints findings in the form that a code host shows beside the
 * lines of a file */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"

/* Prints a text.  Writes percent signs, line ends, and the characters in the
 * string "special", as % and two hex digits.  Writes "?" in place of other
 * characters that are not safe (cli_is_safe). */
static void
print_escaped(const char *p, const char *special)
{
	size_t n = strlen(p), length;
	uint32_t cp;

	for (; n > 0; p += length, n -= length) {
		length = ctx_utf8_next(p, n, &cp);
		if (*p == '%' || *p == '\r' || *p == '\n' ||
		    strchr(special, *p) != NULL)
			printf("%%%02X", (unsigned)(unsigned char)*p);
		else
			cli_print_masked(stdout, p, length);
	}
}

/* Prints a workflow command of GitHub Actions.  Escapes the same characters as
 * GitHub's toolkit (packages/core/src/command.ts, read in November 2026). */
static void
print_github(const char *file, uint64_t line, const char *text)
{
	const char *gap = " ";

	(void)fputs("::error", stdout);
	if (strcmp(file, "-") != 0) {
		(void)fputs(" file=", stdout);
		print_escaped(file, ":,");
		gap = ",";
	}
	if (line > 0)
		printf("%sline=%" PRIu64, gap, line);
	(void)fputs("::", stdout);
	print_escaped(text, "");
	(void)putchar('\n');
}

static const struct {
	const char *name;
	void (*print)(const char *file, uint64_t line, const char *text);
} hosts[] = {
    {"github", print_github},
};

const char *
cli_annotation_host(size_t i)
{
	return i < CTX_LENGTH(hosts) ? hosts[i].name : NULL;
}

void
cli_print_annotation(const struct cli *cli,
    const struct cli_annotations *annotations, const char *file, uint64_t line,
    const char *text)
{
	cli_progress_clear(cli);
	hosts[annotations->host].print(file, line, text);
	cli_check_stdout(cli);
}
