/* in_place.h - replaces input files by the output of the command */
#ifndef CTX_CMD_CLI_IN_PLACE_H
#define CTX_CMD_CLI_IN_PLACE_H

#include "cli/cli.h"

/* Exits with an error if an input file cannot be replaced, before anything is
 * written.  Called by cli_parse. */
void cli_check_in_place(const struct cli *cli);
/* Creates the new version of an input file, and returns its descriptor.  Until
 * cli_end_in_place is called, the exit status is that of this input file
 * alone. */
int cli_begin_in_place(struct cli *cli, const char *name);
/* Says what the command has changed in the input file, in a few words for
 * people.  If this function is not called, people see the sizes of the file. */
void cli_describe_change(const char *fmt, ...) CTX_FORMAT(1, 2);
/* Says why the command does not change the input file, for people.  The text is
 * printed only if the file does not change. */
void cli_explain_unchanged(const char *fmt, ...) CTX_FORMAT(1, 2);
/* Marks the input file for replacement if the exit status is CLI_YES and the
 * new version is different. */
void cli_end_in_place(struct cli *cli);
/* Writes the reports to disk (cli_report_sync), then replaces all marked files
 * or, after an error, none.  Prints a line for each of them if standard error
 * is a terminal. */
void cli_replace_inputs(const struct cli *cli);

/* Writes the path under which the original of an input file is kept to the
 * buffer "path": target with the suffix of --in-place.  Exits with an error if
 * the path is too long. */
void cli_name_original(const struct cli *cli, const char *name,
    const char *target, char path[4096]);
/* Exits with an error if --in-place has a suffix, and a file exists at the path
 * under which the original of an input file would be kept. */
void cli_check_original(const struct cli *cli, const char *name,
    const char *target);
/* Exits with the error that a file exists at this path. */
_Noreturn void cli_refuse_kept(const struct cli *cli, const char *original);

#endif
