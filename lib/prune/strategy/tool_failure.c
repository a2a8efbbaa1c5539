/* tool_failure.c - finds out from the text of a tool result whether the tool
 * call has failed */
#include "prune/strategy/tool_failure.h"

/* An error message is searched for only in this number of bytes at the
 * beginning of a tool result. */
enum { FAILURE_BYTES = 400 };

/* Returns true if a line begins like an error message, such as "Error: ...". */
static bool
is_error_line(struct ctx_str line)
{
	static const char *const signs[] = {"Error", "error:", "ERROR",
	    "Traceback", "Exception", "exit: 1", "exit: 2", "exit code: 1",
	    "exit code: 2", "Exit code 1", "{\"error\"",
	    "fatal:", "bash: ", "sh: ", "FAILED", NULL};

	for (size_t i = 0; signs[i] != NULL; i++)
		if (ctx_str_begins(line, signs[i]))
			return true;
	return false;
}

struct ctx_str
ctx_find_error_line(struct ctx_str text)
{
	if (text.n > FAILURE_BYTES)
		text.n = FAILURE_BYTES;
	while (text.n > 0) {
		struct ctx_str line = ctx_str_cut(&text, '\n');

		if (is_error_line(line))
			return line;
	}
	return (struct ctx_str){NULL, 0};
}
