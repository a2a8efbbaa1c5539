# ctx-prune -s summarize: what the built-in summary says about tool calls

load helper
load summary

@test "a summary says with which outcome each command and changing call ended" {
	{
		messages "user:Fix the tests, please."
		tool c1 run '{"command": "pytest -q"}' $'FF...
== FAILURES ==
E       KeyError: 7
==== 2 failed, 3 passed in 0.41s ====
[exit 1]'
		tool c2 edit_file '{"path": "a.py"}' 'a.py was edited, all is well'
		tool c3 run '{"command": "pytest -q"}' $'.....\n5 passed in 0.40s\n[exit 0]'
		tool c4 run '{"command": "make doc"}' $'cc -c a.c
    log.error("error: bad %s", name)
\e[31merror: no such page\e[0m
error: and another'
		tool c5 run '{"command": "cat a.py"}' $'def f():\n    # error: none\n    pass\n'"# $(words 20)"
		tool c6 update_seat '{"seat": "12A"}' '{"status": "ok", "price": 5}'
		tool c7 write_page '{"path": "b.md"}' 'Error: the disk is full'
		tool c8 run '{"cmd": "ls x"}' 'Chunk ID: 96e67a
Wall time: 0.6695 seconds
Process exited with code 2
Original token count: 14567
Output:
ls: x: No such file or directory'
		tool c10 run '{"command": "# why it fails\n\n# again\ncd /app\n# and\ngrep -c \\\n  x log && grep -n bad_7 log"}' ok
		tool c11 run '{"command": "# not yet"}' ok
		tool c12 run '{"command": "cd /doc; pwd\nls"}' /doc
		tool c13 run '{"command": "cargo test"}' 'test result: ok. 57 passed; 0 failed; 0 ignored
test result: ok. 0 passed; 0 failed; 1 ignored'
		tool c14 run '{"command": "cargo test all"}' 'test result: FAILED. 56 passed; 1 failed
test result: ok. 9 passed; 0 failed'
		tool c15 run '{"command": "mvn verify"}' 'Tests run: 4, Failures: 0, Errors: 0
Tests run: 10, Failures: 0, Errors: 0'
		tool c16 run '{"command": "mvn test"}' 'Tests run: 4, Failures: 0, Errors: 10
Tests run: 0, Failures: 0, Errors: 0'
		tool c17 run '{"command": "rspec"}' '4 examples, 0 failures
20 examples, 0 failures'
		tool c9 run '{"command": "ssh box"}' '{"output": "a\nFAILED box_1\n", "exit_code": 3}'
		messages "assistant:$(words 900)" "user:and?" \
		    "assistant:$(words 300)"
	} > in
	summary_text
	cat > expected <<'X'
User: Fix the tests, please.
Ran: pytest -q -> 2 failed, 3 passed in 0.41s; KeyError: 7 [exit 1]
Changed: a.py
Ran: pytest -q -> 5 passed in 0.40s
Ran: make doc -> error: no such page
Ran: cat a.py
Called: update_seat 12A -> {"status": "ok", "price": 5}
Changed: b.md (failed) -> Error: the disk is full
Ran: ls x -> ls: x: No such file or directory [exit 2]
Ran: cd /app && grep -c x log && grep -n bad_7 log # why it fails -> ok
Ran: # not yet -> ok
Ran: cd /doc; pwd -> /doc
Ran: cargo test -> test result: ok. 57 passed; 0 failed; 0 ignored
Ran: cargo test all -> test result: FAILED. 56 passed; 1 failed
Ran: mvn verify -> Tests run: 10, Failures: 0, Errors: 0
Ran: mvn test -> Tests run: 4, Failures: 0, Errors: 10
Ran: rspec -> 20 examples, 0 failures
Ran: ssh box -> FAILED box_1 [exit 3]
X
	grep -v '^  ' text | diff expected -
	# Nor does it list what a program measures.
	run ! grep -e 96e67a -e 0.6695 -e 14567 -e '^  .*0.41s' text
	# A later run reads these lines as they are.
	{
		cat out
		messages "assistant:$(words 900)" "user:What now?"
	} > more
	mv more in
	summary_text
	grep -v -e '^  ' -e '^User: and' text | diff expected -
}

@test "a summary tells what the last change of a file changed" {
	{
		messages "user:Mend them, please."
		tool c1 Edit '{"file_path": "a.c", "old_string": "int a;\nint b = 1;",
		    "new_string": "int a;\nint b = 2;"}' ok
		tool c2 Edit '{"file_path": "b.c", "old_string": "same();",
		    "new_string": "same();\nadded();"}' ok
		tool c3 Edit '{"file_path": "c.c", "old_string": "gone();\n",
		    "new_string": ""}' ok
		tool c4 Edit '{"file_path": "d.c", "old_string": "same();",
		    "new_string": "same();"}' ok
		tool c5 Write '{"file_path": "e.py", "content":
		    "#!/usr/bin/python3\n\nimport sys\nfrom os import path\n\ndef mend(door):\n"}' ok
		# Of a long line, the part with the difference is told.
		tool c9 Edit "$(jq -nc --arg same "$(words 14)" '{file_path: "n.c",
		    old_string: ($same + "old end"), new_string: ($same + "new end")}')" ok
		tool c0 Edit "$(jq -nc --arg same "$(words 14 | tr -d ' ')" '{file_path: "o.c",
		    old_string: ($same + "=old(end)"), new_string: ($same + "=new(end)")}')" ok
		# Of several changes of a file, the largest is told.
		tool c7 Edit '{"file_path": "l.c", "old_string": "}", "new_string":
		    "}\n\n#include <b.h>\nint large;\nint larger;\n"}' ok
		tool c8 Edit '{"file_path": "l.c", "old_string": "int small;",
		    "new_string": "int least;"}' ok
		tool c6 apply_patch "$(jq -nc '{input: ("*** Begin Patch\n" +
		    "*** Update File: f.c\n@@\n int a;\n-int b;\n-int c;\n+long b;\n+long c;\n" +
		    "*** Add File: g.c\n+#include <a.h>\n+\n+int g;\n" +
		    "*** Update File: h.c\n@@\n-int h;\n int i;\n+int j;\n" +
		    "*** Update File: m.c\n@@\n-},\n-int m;\n*** Delete File: k.c\n" +
		    "*** End Patch")}')" ok
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	for i in 1 2; do
		ctx-prune --compact -k 1 -t 1 --summary-tokens 400 in > out
		summary_of out > text
		grep -qx 'Changed: a\.c -> - int b = 1; + int b = 2;' text
		grep -qx 'Changed: b\.c -> + added();' text
		grep -qx 'Changed: c\.c -> - gone();' text
		grep -qx 'Changed: d\.c' text
		grep -qx 'Changed: n\.c -> - \.\.\. word word word word old end + \.\.\. word word word word new end' text
		grep -qx 'Changed: o\.c -> - \.\.\. ordwordwordwordword=old(end) + \.\.\. ordwordwordwordword=new(end)' text
		grep -qx 'Changed: e\.py -> + def mend(door):' text
		grep -qx 'Changed: f\.c -> - int b; + long b;' text
		grep -qx 'Changed: g\.c -> + int g;' text
		grep -qx 'Changed: h\.c -> - int h;' text
		grep -qx 'Changed: k\.c -> deleted' text
		grep -qx 'Changed: m\.c -> - int m;' text
		grep -qx 'Changed: l\.c -> + int large; (2 changes)' text
		{ # A later run reads these lines as they are.
			cat out
			messages "assistant:$(words 900)" "user:then?"
		} > in
	done
}

@test "a call with taskId and status of another tool is a call, and a task that failed is none" {
	{
		messages "user:Close the ticket, please."
		tool c1 update_ticket '{"taskId": "QX-77", "status": "done"}' ok
		tool c2 TaskCreate '{"subject": "call them"}' 'Error: no more tasks'
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune --compact -k 1 -t 1 in > out
	summary_of out > text
	grep -qx 'Called: update_ticket QX-77 done -> ok' text
	run ! grep 'call them' text
}

@test "a summary has the end of a long path" {
	long=/home/ada/src/a-project-with-a-long-name/with/many/directories/below/it/session
	{
		messages "user:Mend the clock."
		tool c1 read_file "{\"path\": \"$long/state.go\"}" 'ok'
		tool c2 read_file "{\"path\": \"$long/clock.go\"}" 'ok'
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 130 in > out
	summary_of out > text
	grep -qx 'Called: read_file with/many/directories/below/it/session/state.go -> ok' text
	grep -qx 'Called: read_file with/many/directories/below/it/session/clock.go -> ok' text
}

@test "a summary tells that an edit failed, and not what it would have changed" {
	edit='"old_string": "int b = 1;", "new_string": "int b = 2;"}'
	{
		messages "user:Mend them, please."
		tool c1 Edit '{"file_path": "a.c", '"$edit" ok
		tool c2 Edit '{"file_path": "b.c", '"$edit" 'File has not been read yet. Read it first.'
		tool c3 Edit '{"file_path": "c.c", '"$edit" '<tool_use_error>String to replace not found in file.</tool_use_error>'
		tool c4 run '{"command": "make"}' "$(words 900)"
		messages "user:so?" "assistant:$(words 100)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 180 in > out
	summary_of out > text
	grep -q 'Changed: a.c -> - int b = 1; + int b = 2;$' text
	ctx-prune -s summarize -k 1 -t 1 -b 150 in > out
	summary_of out > text
	grep -qx 'Changed: b.c (failed) -> File has not been read yet\. Read it first\.' text
	grep -qx 'Changed: c.c (failed) -> String to replace not found in file\.' text
}

@test "a summary lists fewer names of a call with hundreds of names" {
	{
		messages "user:Find the files."
		tool c1 run '{"command": "find ."}' "$(printf 'a/part_%s_x.c\n' $(seq 7 13 5000))"
		tool c2 run '{"command": "find b"}' "$(printf 'b/piece_%s_x.c\n' $(seq 7 13 200))"
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 300 in > out
	summary_of out > text
	[ "$(grep -o 'piece_' text | wc -l)" -eq 15 ]
	[ "$(grep -o 'part_' text | wc -l)" -lt 60 ]
}

@test "a summary does not list the limits of tool calls" {
	{
		messages "user:Mend the clock."
		tool c1 run '{"command": "mend", "max_output_tokens": 61234, "timeout_ms": 98765, "part": "spring_71"}' "$(words 900)"
		messages "user:so?" "assistant:x" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 130 in > out
	summary_of out > text
	grep -q spring_71 text
	run ! grep -e 61234 -e 98765 text
}

@test "a summary says how many times a file was changed" {
	{
		messages "user:Mend it."
		tool c1 Edit '{"file_path": "a.c", "old_string": "x1", "new_string": "y1"}' ok
		tool c2 Edit '{"file_path": "a.c", "old_string": "x2", "new_string": "y2"}' ok
		tool c3 Edit '{"file_path": "a.c", "old_string": "x3", "new_string": "y3"}' 'File has been modified since read. Read it.'
		tool c4 Edit '{"file_path": "b.c", "old_string": "x4", "new_string": "y4"}' ok
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune --compact -k 1 -t 1 in > out
	summary_of out | sed '1s/^\[Earlier conversation summary\]: //' > text
	grep -qx 'Changed: a.c -> - x2 + y2 (2 changes)' text
	grep -qx 'Changed: b.c -> - x4 + y4' text
	# A later run repeats the line.
	{
		cat out
		messages "assistant:Well."
		tool c5 Edit '{"file_path": "a.c", "old_string": "x5", "new_string": "y5"}' ok
		messages "assistant:$(words 900)" "user:then?"
	} > more
	ctx-prune --compact -k 1 -t 1 more > out
	summary_of out | sed '1s/^\[Earlier conversation summary\]: //' > text
	grep -qx 'Changed: a.c -> - x2 + y2 (2 changes)' text
	grep -qx 'Changed: a.c -> - x5 + y5' text
}

@test "a summary tells what the user chose when a tool asked" {
	{
		messages "user:Move the libraries, please." \
		    "assistant:I have two questions about that."
		tool c1 AskUserQuestion '{"questions": [{"question": "Do you want to keep the history?", "options": [{"label": "Keep it"}]}, {"question": "Which one?"}]}' \
		    'User has answered your questions: "Do you want to keep the history?"="Fresh copy (no history)", "Which one?"="Only the "reader", please". You can now continue with the answers in mind.'
		for i in 1 2 3; do
			messages "user:and $i?" "assistant:$(words 60)"
		done
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 280 in > out
	summary_of out |
	    grep -q 'Called: AskUserQuestion Do you want to keep the history?; Which one? -> the user chose Fresh copy (no history); Only the "reader", please$'
	# Newer versions begin otherwise.
	for start in 'Your questions have been answered' 'The user answered'; do
		sed "s/User has answered your questions/$start/" in > newer
		ctx-prune -s summarize -k 1 -t 1 -b 280 newer > out
		summary_of out |
		    grep -q 'AskUserQuestion Do you .* -> the user chose Fresh copy'
	done
	# Notes repeat the answer.
	sed 's/(no history).",/& user notes: Fresh copy (no history),/; s/",\( user notes[^,]*\),/"\1,/' \
	    in > newer
	grep -q 'history).* user notes: Fresh copy (no history), ' newer
	ctx-prune -s summarize -k 1 -t 1 -b 280 newer > out
	summary_of out |
	    grep -q ' -> the user chose Fresh copy (no history); Only the "reader", please$'
}

@test "a summary tells what another agent was asked to do" {
	{
		messages "user:Mend the doors, please."
		tool c1 spawn "$(jq -nc '{tasks: [
		    {role: "worker", prompt: "Mend the first door.\nBe quick."},
		    {role: "worker", prompt: "Paint the second door."}]}')" ok
		tool c2 wait_for "$(jq -nc '{kind: "reader",
		    prompt: ("Find every door that " + "still " * 40)}')" ok
		messages "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text
	grep -qx 'Called: spawn Mend the first door\.; Paint the second door\. -> ok' text
	grep -q 'Called: wait_for reader Find every door that still .*still[.][.][.] -> ok' text || fail "$(cat text)"
}

@test "a short result of several lines is told whole" {
	{
		messages "user:Is it clean?"
		tool c1 run '{"command": "git status -sb"}' 'Exit code: 0
Wall time: 0 seconds
Output:
main
?? store/'
		messages "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 100 in > out
	summary_of out > text
	grep -q 'Ran: git status -sb -> main; ?? store/$' text || fail "$(cat text)"
}

@test "a command is told without what says nothing about its aim" {
	{
		messages "user:Is it clean?"
		n=0
		while IFS= read -r one; do
			n=$((n + 1))
			tool "c$n" run "$(jq -nc --arg c "$(printf "$one")" \
			    '{command: $c}')" "$(words 60)"
		done <<'X'
echo "--- a; b ---"; make one 2>&1 | tail -n 20; printf 'done\n'
git -C /home/x/some/where push origin main >/dev/null || true
set -e\nmake two
make three | head -3 | wc -l
git commit -m "$(cat <<'EOF'\nfix: read the door\n\nIt was open.\nEOF\n)"
python3 - <<'PY'\nimport sys\nfrom os import path\nmend(path, "x; y")\nPY
case $x in a) make four;; esac
echo only words
echo "a | b" | make five
make six --note "(not; two) 2 | 3"
X
		tool d1 Bash "$(jq -nc '{command: ("make seven " + "x=1 " * 60),
		    description: "Paint the door"}')" "$(words 60)"
		tool d2 Bash '{"command": "make eight", "description": "Wash it"}' "$(words 60)"
		messages "assistant:$(words 900)" "user:Go on."
	} > in
	summary_text
	cat > want <<'X'
Ran: make one
Ran: git push origin main
Ran: make two
Ran: make three | head -3 | wc -l
Ran: git commit -m "fix: read the door"
Ran: python3 - <<'PY' mend(path, "x; y")
Ran: case $x in a) make four;; esac
Ran: echo only words
Ran: echo "a | b" | make five
Ran: make six --note "(not; two) 2 | 3"
X
	printf 'Ran: Paint the door: make seven %s ...\nRan: make eight\n' \
	    "$(printf 'x=1 %.0s' {1..23})x" >> want
	grep '^Ran' text | diff want -
}

@test "commands that only show the state of a repository are at the end of a summary" {
	{
		messages "user:Which branch is it?"
		for c in "git ls-remote origin" "gh pr view 7" "git rev-parse HEAD" \
		    "gh pr merge 7"; do
			tool "c-$c" run "{\"command\": \"$c\"}" "$(words 40) ${c// /_}_71"
		done
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	sed '/^Names in removed/,$d' text > before
	run grep -c '^Ran: g' before
	[ "$output" -eq 1 ]
	grep -qx 'Ran: gh pr merge 7' before
	[ "$(grep -c '^Ran: g' text)" -eq 4 ]
}

@test "a command that also shows files has no error as outcome unless it failed" {
	hit=$'a.c:7: error: bad name\n'"$(words 40)"
	{
		messages "user:Find it, please."
		tool c1 run '{"command": "make pack && rg bad src"}' "$hit"
		tool c2 run '{"command": "make sack && cat log"}' \
		    "$hit"$'\n5 passed in 1s'
		tool c3 run '{"command": "make rack && sed -n 9p log"}' \
		    $'Exit code 1\nerror: no rack\n'"$(words 40)"
		tool c4 run '{"command": "make stack | grep -v warning"}' "$hit"
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	cat > want <<'X'
Ran: make pack && rg bad src
Ran: make sack && cat log -> 5 passed in 1s
Ran: make rack && sed -n 9p log -> error: no rack [exit 1]
Ran: make stack | grep -v warning -> a.c:7: error: bad name
X
	grep '^Ran' text | diff want -
}

@test "a change whose result tells no outcome is told as ok" {
	{
		messages "user:Change my trip, please."
		tool c1 update_trip '{"trip": "T-71"}' "$(jq -nc '{cabin: "blue",
		    seats: [range(30) | {seat: "S-\(. * 7 + 300)"}]}')"
		tool c2 update_trip '{"trip": "T-72"}' 'Error: no such trip'
		tool c3 apply_patch "$(jq -nc '{patchText: ("*** Begin Patch\n" +
		    "*** Update File: f.c\n@@\n-int b;\n+long b;\n*** End Patch")}')" ok
		messages "assistant:$(words 900)" "user:and?"
	} > in
	for i in 1 2; do
		summary_text
		grep -q '^Called: update_trip T-71 -> ok; cabin=blue, seat=S-300' text
		grep -q '^Called: update_trip T-72.* -> Error: no such trip' text
		grep -qx 'Changed: f\.c -> - int b; + long b;' text
		{ # A later run reads these lines.
			cat out
			messages "assistant:$(words 900)" "user:then?"
		} > more
		mv more in
	done
}

@test "the last line of a command is its outcome if no other line is" {
	{
		messages "user:Find it, please."
		tool c1 run '{"command": "make pack"}' "$(words 40)"$'\nPacked 3 doors in 2 boxes\n'
		tool c2 run '{"command": "make sack"}' "$(words 40)"$'\n5 passed in 1s\nThe end of all'
		tool c3 run '{"command": "make rack"}' "$(words 40)"$'\n{"rack": 7, "a": 1}'
		tool c4 run '{"command": "cat log"}' "$(words 40)"$'\nThe end of all'
		tool c5 run '{"command": "grep \"a -> b\" log"}' "$(words 40)"$'\nThe end of all'
		tool c6 run '{"command": "cat log > copy"}' "$(words 40)"$'\nIt was copied'
		tool c10 run '{"command": "make cwd"}' \
		    "$(words 40)"$'\nIt is made now\nShell cwd was reset to /home/ada'
		tool c11 run '{"command": "make it"}' $'made\nShell cwd was reset to /home/ada'
		tool c7 run '{"command": "make code"}' "$(words 40)"$'\n// Use this one instead'
		tool c8 run '{"command": "make all"}' "$(words 40)"$'\nfor each of them {'
		tool c9 run '{"command": "bun test"}' \
		    $'Task 2 failed: no door\n'"$(words 40)"$'\n 12 pass\n 0 fail\nRan 12 tests'
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	cat > want <<'X'
Ran: make pack -> Packed 3 doors in 2 boxes
Ran: make sack -> 5 passed in 1s
Ran: make rack
Ran: cat log
Ran: grep "a -> b" log
Ran: cat log > copy
Ran: make cwd -> It is made now
Ran: make it -> made
Ran: make code
Ran: make all
Ran: bun test -> 12 pass
X
	grep '^Ran' text | diff want -
}

@test "a command that succeeded is told as ok, or with the commit that it made" {
	{
		messages "user:Mend the tests, please."
		tool c1 run '{"command": "git commit -am mend; git status"}' \
		    "pre-commit: error: 3 old files$(words 60)
[main 1a2b3c4] Mend the tests
 2 files changed, 9 insertions(+)
nothing to commit, working tree clean"
		tool c5 run '{"command": "git add a.c b.c && git commit -m \"Mend b\""}' \
		    "[main 1a2b3c5] Mend b"
		tool c6 run '{"command": "git commit -m \"Mend c\" && git push"}' \
		    "[main 1a2b3c6] Mend c"
		tool c9 run '{"command": "python3 -m pytest && git commit -m \"Mend f\""}' \
		    "[main 1a2b3c9] Mend f"
		tool c7 run '{"command": "git add d.c && git commit -q -m \"Mend d\""}' ''
		tool c8 run '{"command": "git add e.c"}' ''
		tool c2 run '{"command": "make doc"}' "$(words 60)=
x = (y,"
		tool c3 run '{"command": "make all"}' "$(words 60)=
x = (y,"
		tool c4 run '{"command": "make x"}' '(Bash completed with no output)'
		messages "assistant:$(words 900)" "user:and?" \
		    "assistant:$(words 300)"
	} > chat
	# In the format of Anthropic, a result may say that the call succeeded.
	jq -c 'if .role == "tool" then {role: "user", content: [{
	    type: "tool_result", tool_use_id: .tool_call_id, content: .content}
	    + if .tool_call_id == "c3" then {} else {is_error: false} end]}
	    elif .tool_calls then {role, content: [.tool_calls[] | {
	    type: "tool_use", id, name: .function.name,
	    input: (.function.arguments | fromjson)}]}
	    else {role, content: [{type: "text", text: .content}]} end' \
	    chat > in
	summary_text
	cat > want <<'X'
Ran: git commit -am mend; git status -> [main 1a2b3c4] Mend the tests
Ran: git commit -> [main 1a2b3c5] Mend b
Ran: git commit -m "Mend c" && git push -> [main 1a2b3c6] Mend c
Ran: python3 -m pytest && git commit -> [main 1a2b3c9] Mend f
Ran: git commit -q -m "Mend d"
Ran: git add e.c
Ran: make doc -> ok
Ran: make all
Ran: make x -> ok
X
	grep '^Ran' text | diff want -
}

@test "commits are told before other commands, and again in the next summary" {
	{
		messages "user:Mend the tests, please."
		tool c1 run '{"command": "git commit -m \"Mend it all\""}' \
		    "[main 1a2b3c4] Mend it all"
		for n in {1..40}; do
			tool "m$n" run "{\"command\": \"make part$n of=$n\"}" \
			    "part $n is made"
		done
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text -b 300
	grep -qx "Ran: git commit -> \[main 1a2b3c4\] Mend it all" text
	[ "$(grep -c '^Ran: make' text)" -lt 30 ]
	{
		cat out
		messages "assistant:$(words 900)" "user:and then?"
	} > in
	summary_text -b 300
	grep -qx "Ran: git commit -> \[main 1a2b3c4\] Mend it all" text
}

@test "a summary with outcomes in characters beyond ASCII is valid UTF-8" {
	accents=$(printf 'é%.0s' $(seq 300))
	{
		messages "user:Mend the tests, please."
		tool c1 run '{"command": "make"}' $'\e[1é error: ba\e[0üd thing'
		# The search for an error ends in the middle of a character.
		for x in "" x; do
			messages "assistant:As before."
			tool "c$x" run "{\"command\": \"cat $x.txt\"}" \
			    "$(printf '%0300d' 0)"$'\n'"Error: $x$accents"
		done
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	grep -qx 'Ran: make -> é error: baüd thing' text
	grep -q '^Ran: cat [.]txt -> Error: éé' text
	grep -q '^Ran: cat x[.]txt -> Error: xéé' text
}

@test "a summary has a command without text" {
	{
		messages "user:Mend the tests, please."
		tool c1 run '{"command": ""}' ok
		tool c2 run '{"command": "make"}' ok
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	grep -qx 'Ran: make -> ok' text
}

@test "a later summary repeats lines of calls that end with what a summary adds" {
	long=$(printf 'x%.0s' $(seq 114))
	{
		messages "user:Mend the tests, please."
		tool c1 run '{"command": "make check [1]"}' fine
		tool c2 run '{"command": "find ."}' \
		    "error: no x"$'\n'"$(printf 'src/f%s_q.c\n' $(seq 7 41 500))"
		tool c3 run "{\"command\": \"make ${long}ééééé\"}" fine
		tool c4 edit_file "{\"path\": \"$long/$long\"}" 'Error: disk full'
		tool c5 run '{"command": "find [2]"}' \
		    "error: no y"$'\n'"$(printf 'lib/g%s_q.c\n' $(seq 7 41 500))"
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	for i in 1 2 3; do
		summary_text --summary-tokens 1500
		grep -qx 'Ran: make check \[1\] -> fine' text
		grep -qx 'Ran: find [.] -> error: no x \[\([0-9]*\)\]' text
		grep -qx "Ran: make $long \.\.\. -> fine" text
		grep -q 'Changed: .*x \.\.\. (failed) -> Error: disk full' text
		sed -n '/^Ran: find .* -> /s/.*[[]\(.*\)]$/\1/p' text > numbers
		{ read -r x && read -r y; } < numbers
		grep -q "^\[$x\] src/f7_q\.c, .*, src/f499_q\.c$" text
		grep -q "^\[$y\] lib/g7_q\.c, .*, lib/g499_q\.c$" text
		{
			cat out
			messages "assistant:$(words 900)" "user:then $i?"
		} > in
		[ -s first ] || grep -v '^User:' text > first
		grep -v '^User:' text | diff first -
	done
}

@test "a later summary repeats a web address with a query in a list of names" {
	{
		messages "user:Mend the tests, please."
		tool c1 run '{"command": "curl x"}' \
		    "see part_5 and https://ex.org/p/q7?id=88 and abc_9 $(words 60)"
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	for i in 1 2; do
		summary_text --summary-tokens 1000
		grep -qx '  part_5, https://ex\.org/p/q7?id=88, abc_9' text
		{
			cat out
			messages "assistant:$(words 900)" "user:then $i?"
		} > in
	done
}

@test "a summary tells what the user said when refusing a call" {
	no="The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
	{
		messages "user:Mend the doors, please."
		tool c1 Edit '{"file_path": "a.c", "old_string": "int a;", "new_string": "int b;"}' \
		    "$no To tell you how to proceed, the user said:"$'\nPaint them "red" first.\n\nNote: pay attention'
		tool c2 ExitPlanMode '{"plan": "# Mend all"}' \
		    "$no STOP what you are doing and wait for the user to tell you how to proceed."
		tool c3 Task '{"description": "inspect it"}' \
		    "$no Note: The user may prefer another way of doing it."
		messages "assistant:$(words 900)" "user:and?"
	} > in
	for i in 1 2; do
		summary_text
		grep -q '^Changed: a\.c.* -> the user refused: Paint them "red" first\.$' text ||
			fail "$(cat text)"
		grep -qx 'Called: ExitPlanMode # Mend all -> the user refused' text ||
			fail "$(cat text)"
		grep -qx 'Called: Task inspect it -> the user refused' text
		run ! grep -e "doesn't want" -e Note text
		{ # A later run reads these lines.
			cat out
			messages "assistant:$(words 900)" "user:then?"
		} > more
		mv more in
	done
}

@test "of a command that failed a summary tells what follows Claude Code's line about the status" {
	{
		messages "user:Close the doors."
		tool c1 run '{"command": "close doors"}' $'Exit code 3\nGraphQL: The doors are not allowed to close'
		tool c2 run '{"command": "open doors"}' 'Exit code 4'
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	grep -qx 'Ran: close doors -> GraphQL: The doors are not allowed to close \[exit 3\]' text
	grep -qx 'Ran: open doors -> \[exit 4\]' text
}

@test "a summary tells a patch of several files that failed once" {
	{
		messages "user:Mend the doors."
		tool c1 apply_patch "$(jq -nc '{input: ("*** Begin Patch\n" +
		    "*** Update File: a.c\n@@\n-int a;\n+long a;\n" +
		    "*** Update File: b.c\n@@\n-int b;\n+long b;\n" +
		    "*** End Patch")}')" 'apply_patch verification failed: no such lines in b.c'
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	[ "$(grep '^Changed' text)" = 'Changed: a.c (failed) -> apply_patch verification failed: no such lines in b.c' ]
}

@test "a summary has the reports of agents in the background, and no notice of their start" {
	launch=$'Async agent launched successfully.\nagentId: a1 (internal ID)\noutput_file: /tmp/a1\nThe agent works in the background. Never read its file, for it is long.'
	{
		messages "user:Look at all of the doors."
		tool c1 Agent '{"description": "Look at doors", "prompt": "Look at them"}' "$launch"
		tool c2 Agent '{"description": "Look at roofs", "prompt": "Look at them"}' \
		    $'Two of the roofs are broken because of the storm.\nagentId: a2 (use SendMessage with its name to let this agent go on with its work)'
		messages $'user:<task-notification>\n<task-id>a1</task-id>\n<summary>Agent "Look at doors" finished</summary>\n<result>All of the doors are closed because it rains.</result>\n<usage>always 9</usage>\n</task-notification>' \
		    "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text
	grep -qx 'Assistant: Agent "Look at doors" finished' text
	grep -qx '  All of the doors are closed because it rains\.' text
	grep -qx 'Assistant: Two of the roofs are broken because of the storm\.' text
	run ! grep -e 'Async' -e 'agentId: ' -e 'always' text
	# The end of the report is missing.
	sed -i 's/<.result>.*<.task-notification>/ The roofs are closed, too, because it rains./' in
	summary_text
	grep -qx '  The roofs are closed, too, because it rains\.' text
}
