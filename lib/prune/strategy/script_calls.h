/* script_calls.h - finds the tool calls in a script of Codex's tool "exec" */
#ifndef CTX_PRUNE_STRATEGY_SCRIPT_CALLS_H
#define CTX_PRUNE_STRATEGY_SCRIPT_CALLS_H

#include "base/base.h"

/* A script in JavaScript that is being read.  Set the member "script" and set
 * the others to 0.  No memory is allocated. */
struct ctx_script {
	struct ctx_str script;
	size_t at; /* offset in bytes of what is read next */
	/* The variables to which the script assigned a string last.  A new one
	 * overwrites the oldest.  The name of an unused element is empty. at:
	 * offset of the string literal; n: number of variables so far. */
	struct script_variable {
		struct ctx_str name;
		size_t at;
	} variables[8];
	size_t n;
};

/*
 * Finds the next tool call in a script, such as
 *
 *	const r = await tools.exec_command({cmd: "make", timeout: limit});
 *
 * and sets *tool to the name of the tool, which points into the script.  Writes
 * the arguments to the buffer "arguments" as a JSON object: {"cmd":"make",
 * "timeout":null}.  Only literals, and the first use of a variable to which a
 * string literal was assigned, have a value; other expressions become null.  An
 *argument that is not an object becomes the member "input".
 *
 * Returns 1, or 0 if the script has no further tool call, or -1 with *err.
 * Takes linear time in the length of the script, for all calls together.
 */
int ctx_script_next_call(struct ctx_script *script, struct ctx_str *tool,
    struct ctx_buf *arguments, struct ctx_err *err);

#endif
