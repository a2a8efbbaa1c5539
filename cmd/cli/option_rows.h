/*
 * option_rows.h - rows of the table of options that several commands share
 *
 * --help prints the options in the order of the table.  So the options that
 * most people need come first.  The options of CLI_REST, which every command
 * has, come last.
 */
#ifndef CTX_CMD_CLI_OPTION_ROWS_H
#define CTX_CMD_CLI_OPTION_ROWS_H

#include "cli/cli.h"

#define CLI_DIALECT(cli)                                                     \
	{                                                                    \
		'd', "dialect", "NAME", "message format (detected)",         \
		    CLI_STRING, &(cli)->dialect_name, ctx_dialect_name, NULL \
	}
#define CLI_MODEL(cli)                                                  \
	{                                                               \
		'm', "model", "NAME",                                   \
		    "model: window and tokenizer (named by the input)", \
		    CLI_FILE, &(cli)->model, ctx_model_name, NULL       \
	}
#define CLI_ENCODING(cli)                                                      \
	{                                                                      \
		'e', "encoding", "NAME|FILE",                                  \
		    "tokenizer (the model's, else by the format)", CLI_STRING, \
		    &(cli)->encoding, ctx_encoding_name, NULL                  \
	}
#define CLI_REST(cli)                                                          \
	{.type = CLI_BRIEF, .help = "Other options, explained in the manual"}, \
	    {0, "lenient", NULL, "accept lines that are not JSON", CLI_FLAG,   \
		&(cli)->lenient, NULL, NULL},                                  \
	    {'u', "unbuffered", NULL, "write each record at once", CLI_FLAG,   \
		&(cli)->unbuffered, NULL, NULL},                               \
	    {'v', "verbose", NULL, "print what was assumed and done",          \
		CLI_FLAG, &(cli)->verbose, NULL, NULL},                        \
	    {0, "progress", NULL, "show the progress at once", CLI_FLAG,       \
		&(cli)->progress_asked, NULL, NULL},                           \
	    {0, "force", NULL, "overwrite files that hold something else",     \
		CLI_FLAG, &(cli)->force, NULL, NULL},                          \
	{                                                                      \
		0, "no-sandbox", NULL, "do not give up rights", CLI_FLAG,      \
		    &(cli)->no_sandbox, NULL, NULL                             \
	}

/* A row of the table of options: --jobs, for commands that count tokens in
 * several threads.  The command must set the member "jobs" to 1, the default,
 * before it parses the command line. */
#define CLI_JOBS(cli)                                                       \
	{                                                                   \
		'j', "jobs", "N", "number of threads; 0: one per core (1)", \
		    CLI_NUMBER, &(cli)->jobs, NULL, NULL                    \
	}

/* A row of the table of options: --reasoning, what is done with signed
 * reasoning that becomes invalid because something before it is changed. to:
 * address of the enum ctx_reasoning that the option sets. given: address of a
 * bool that becomes true if the option is given, or NULL. */
#define CLI_REASONING(to, given)                                         \
	{                                                                \
		0, "reasoning", "WHAT",                                  \
		    "invalidated reasoning: drop (default), keep, fail", \
		    CLI_CHOICE, to, cli_reasoning_name, given            \
	}

/* Rows of the table of options: --tool and --not-tool, which select tools by
 * regular expressions for their names. */
#define CLI_TOOLS(only, except)                                                \
	{0, "tool", "REGEX", "change only results of matching tools",          \
	    CLI_PATTERN, only, NULL, NULL},                                    \
	{                                                                      \
		0, "not-tool", "REGEX", "change no results of matching tools", \
		    CLI_PATTERN, except, NULL, NULL                            \
	}

/* Rows of the table of options, for ctx-prune and the policies (ways to prune)
 * of ctx-replay: which messages are kept, by regular expressions. config: a
 * struct ctx_prune_config. */
#define CLI_PINS(config)                                                     \
	{0, "pin", "REGEX", "keep messages whose text matches", CLI_PATTERN, \
	    &(config)->pin_text, NULL, NULL},                                \
	{                                                                    \
		0, "pin-tool", "REGEX",                                      \
		    "keep calls and results of matching tools", CLI_PATTERN, \
		    &(config)->pin_tool, NULL, NULL                          \
	}
/* Rows of the table of options, for ctx-prune and the policies of ctx-replay:
 * numbers of tokens other than the budget. config: a struct ctx_prune_config.
 */
#define CLI_AMOUNTS(config, reserve_given)                                    \
	{0, "window", "N", "context window (the model's)", CLI_NUMBER,        \
	    &(config)->window, NULL, NULL},                                   \
	    {0, "reserve", "N",                                               \
		"without -b: tokens left for the response (512)", CLI_NUMBER, \
		&(config)->reserve, NULL, reserve_given},                     \
	    {0, "trigger", "N|P%",                                            \
		"prune only above this many tokens (the budget)", CLI_AMOUNT, \
		&(config)->trigger, NULL, NULL},                              \
	    {0, "target", "N|P%",                                             \
		"when pruning, prune down to this (the budget)", CLI_AMOUNT,  \
		&(config)->target, NULL, NULL},                               \
	{                                                                     \
		0, "quantum", "N|P%",                                         \
		    "size of removal steps, % of the target (33%)",           \
		    CLI_AMOUNT, &(config)->quantum, NULL, NULL                \
	}

/* A row of the table of options: --in-place, for commands that copy their input
 * with changes to standard output. */
#define CLI_IN_PLACE(cli)                                              \
	{                                                              \
		'i', "in-place", "[=SUFFIX]",                          \
		    "replace each file; keep the old one with SUFFIX", \
		    CLI_SUFFIX, &(cli)->suffix, NULL, &(cli)->in_place \
	}
/* Rows of the table of options: --dry-run, --archive and --in-place, for
 * commands that change messages. */
#define CLI_CHANGES(cli, report)                                         \
	{'n', "dry-run", NULL, "print what would change, write nothing", \
	    CLI_FLAG, &(report)->dry_run, NULL, NULL},                   \
	    {0, "archive", "FILE",                                       \
		"append what is removed or changed to FILE", CLI_FILE,   \
		&(report)->archive_path, NULL, NULL},                    \
	    CLI_IN_PLACE(cli)
#define CLI_EXPLAIN(report)                                                    \
	{                                                                      \
		0, "explain", "FILE",                                          \
		    "write a JSON line per changed message to FILE", CLI_FILE, \
		    &(report)->explain_path, NULL, NULL                        \
	}
#define CLI_REPORT(report)                                            \
	{0, "json", NULL, "with --dry-run: print the report as JSON", \
	    CLI_FLAG, &(report)->json, NULL, NULL},                   \
	    CLI_EXPLAIN(report)

/* A row of the table of options: --annotations, which prints the findings of a
 * command in the form that a code host shows beside the lines of a file. */
#define CLI_ANNOTATIONS(annotations)                                       \
	{                                                                  \
		0, "annotations", "HOST",                                  \
		    "print annotations for a code host; HOST is github",   \
		    CLI_CHOICE, &(annotations)->host, cli_annotation_host, \
		    &(annotations)->given                                  \
	}

#endif
