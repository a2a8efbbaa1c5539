# ctx-prune -s summarize: tool calls in scripts, as Codex has them

load helper
load summary

script() { # ID TEXT OUTPUT [TOOL]: the call of a tool without JSON, and its result
	jq -nc --arg id "$1" --arg text "$2" --arg out "$3" \
	    --arg tool "${4:-exec}" '
	    {type: "custom_tool_call", call_id: $id, name: $tool, input: $text},
	    {type: "custom_tool_call_output", call_id: $id, output: [
		{type: "input_text", text:
		    "Script completed\nWall time 0.1 seconds\nOutput:\n"},
		{type: "input_text", text: $out}]}'
}

talk() { # three questions and answers, which are kept
	for i in 1 2 3; do
		jq -nc --arg text "$(words 90)" --arg i "$i" '{type: "message",
		    role: "user", content: "and \($i)?"}, {type: "message",
		    role: "assistant", content: $text}'
	done
}

@test "the tools that a script of Codex calls are told as other calls are" {
	{
		jq -nc '{type: "message", role: "user", content: "Mend the reader."}'
		script c1 'const r = await tools.exec_command({cmd:"make \"check\"", workdir:"/w",
			yield_time_ms:1000}); text(r.output);' $'reading\n2 failed, 3 passed in 1s'
		script c2 'const patch = "*** Begin Patch\n*** Update File: src/a.c\n+x\n*** Add File: src/b.c\n*** End Patch";
			text(await tools.apply_patch(patch));' '{}'
		# shellcheck disable=SC2016 # backquotes of JavaScript
		script c3 '// tools.exec_command({cmd: "not run"})
			const cmd = `make
			doc`, all = await Promise.all([
			tools.exec_command({cmd, "max": limit + 1}),
			tools.web__run({search: ["tools.web__run({})"], page: 7})]);' \
		    'error: which of both is not known'
		script c4 'tools.update_plan({plan: [{step: "write the alias", status: "pending"},
			{step: "find it", status: `completed`}]})' ok
		script c5 "const s = await tools.exec_command({cmd: 'make all'}); text(s)" \
		    '{"session_id":77,"output":""}'
		script c6 'text(await tools.write_stdin({session_id: 77, chars: ""}))' \
		    '8 passed in 9s'
		script c7 'tools.exec_command({cmd: "unfinished' ok
		jq -nc '{type: "custom_tool_call", call_id: "c8", name: "exec", input:
			"tools.exec_command({cmd: \"make long\"})"},
		    {type: "custom_tool_call_output", call_id: "c8", output:
			"Script running with cell ID 5\nWall time 1 seconds\nOutput:\n"},
		    {type: "function_call", call_id: "c9", name: "wait", arguments:
			"{\"cell_id\": \"5\", \"yield_time_ms\": 9}"},
		    {type: "function_call_output", call_id: "c9", output:
			"Script completed\nWall time 2 seconds\nOutput:\nerror: no space left"}'
		script c11 'text(await tools.exec_command({cmd: "make run"}))' \
		    '{"chunk_id":"5aa7e1","wall_time_seconds":0.3128,"exit_code":1,"output":"cannot open run\nplease plan\n"}'
		jq -nc '{type: "custom_tool_call", call_id: "c10", name: "exec", input:
			"tools.apply_patch(`*** Begin Patch\n*** Update File: src/c.c\n*** End Patch`)"},
		    {type: "custom_tool_call_output", call_id: "c10", output:
			"Script failed\nWall time 0 seconds\nOutput:\n\nScript error:\napply_patch verification failed: no such lines"}'
		talk
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 420 in > out
	summary_of out | grep -v -e '^  ' -e '^User: and' > text
	cat > expected <<'X'
[Earlier conversation summary]: User: Mend the reader.
Ran: make "check" -> 2 failed, 3 passed in 1s
Changed: src/a.c
Changed: src/b.c
Ran: make
Ran: make all -> 8 passed in 9s
Ran: unfinished -> ok
Ran: make long -> error: no space left
Ran: make run -> cannot open run; please plan [exit 1]
Changed: src/c.c (failed) -> apply_patch verification failed: no such lines
Done: find it
Open: write the alias
Names in removed messages:
Called: web__run 7
X
	diff expected text
}

@test "of scripts, no text in comments or strings, and no wrong value is told" {
	{
		jq -nc '{type: "message", role: "user", content: "Mend the reader."}'
		script c1 $'// first\n// tools.exec_command({cmd: "never"})
			/* also *//**/tools.exec_command({cmd: "make a"})' ok
		script c2 'let p = "old 1"; p = "make b"; tools.exec_command({cmd: p});
			tools.exec_command({cmd: p}); p = "old 2"; p = f();
			tools.exec_command({cmd: p}); if (p == "old 3") tools.exec_command({cmd: p})' ok
		script c3 $'tools.exec_command({cmd: "\\x6dake \\u{63} \\u12 \\xg \\ud800 \\\t\\\'\\"\\\\."})' ok
		script c4 '*** Begin Patch
*** Update File: src/c.ts
@@
+  tools.exec_command({cmd: "not run"})
*** End Patch' ok apply_patch
		script c5 'tools.exec_command({cmd: "make d"})' '{"session_id": 12}'
		script c6 'tools.write_stdin({session_id: id, chars: ""})' \
		    'error: of which command?'
		script c7 'tools.write_stdin({session_id: 12})' 'error: of d'
		# shellcheck disable=SC2016 # backquotes of JavaScript
		script c8 'const a = s.replace(/[`/]\/`/g, ""), b = 6 / 2 / 1, d =
			`tools.exec_command({cmd: "a text"})`; tools.exec_command({cmd:
			x ? /[)`}]/ : 1, cmd: "make e"})' ok
		script c9 'tools.wait_for({a: 1.5, b: 2 * x, c: 0, d: 34 })' ok
		talk
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 490 in > out
	summary_of out | grep -v '^  ' > text
	cat > expected <<'X'
[Earlier conversation summary]: User: Mend the reader.
Ran: make a -> ok
Ran: make b -> ok
Ran: make u{63} u12 xg � 	'"\. -> ok
Changed: src/c.ts -> + tools.exec_command({cmd: "not run"})
Ran: make d -> error: of d
Tool: error: of which command?
Ran: make e -> ok
Called: wait_for 0 34 -> ok
X
	diff expected text
}

@test "a long line with the marks of many files is read in linear time" {
	{
		jq -nc '{type: "message", role: "user", content: "Mend the reader."},
		    {type: "custom_tool_call", call_id: "c1", name: "apply_patch",
			input: ("*** Update File: " * 400000)},
		    {type: "custom_tool_call_output", call_id: "c1", output: "ok"}'
		talk
	} > in
	timeout 15 ctx-prune -s summarize -k 1 -t 1 -b 450 in > out
	summary_of out | grep '^Changed: ' > text
	[ "$(cut -c 1-43 text)" = "Changed: *** Update File: *** Update File: " ]
	[ "$(wc -l < text)" -eq 1 ]
}
