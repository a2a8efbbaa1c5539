# ctx-prune -s summarize: what the built-in summary says of files and issues that
# the user has named

load helper
load summary

@test "the file or issue that the user names is told, if a tool call reads it" {
	local rest other
	rest="| $(words 60) |"
	other="This is not what the user has named.
$rest"
	issue=$'title:\tThe door sticks\nstate:\tOPEN\n--\nIt opens only if one pushes hard, since it was painted.\n'$rest
	page=$(printf '     1→# Paint\n     2→\n     3→| a | b | c | d | e | f | g | h | i |\n     4→```\n     5→this is code of the file and no prose\n     6→```\n     7→Use \033[1mblue\033[0m paint for the door, and never paint it on Sundays.\n     8→%s' "$rest")
	{
		messages "user:Do what notes/PAINT.md says, and mend #51. See https://a.b/c and schema.md." \
		    "assistant:I read both."
		tool c1 Read '{"file_path": "/w/notes/PAINT.md"}' "$page"
		tool c2 Bash '{"command": "gh issue view 51 --repo a/door"}' "$issue"
		n=0
		while IFS= read -r args; do
			n=$((n + 1))
			tool "n$n" "${args%% *}" "${args#* }" "$other"
		done <<'X'
Read {"file_path": "/w/notes/OTHER.md"}
Read {"file_path": "/w/PAINT.md.c"}
Read {"file_path": "/w/a.md"}
Read {"file_path": "/w/issue.c", "limit": 51}
Grep {"pattern": "http", "path": "/w/src"}
Grep {"pattern": "red", "path": "/w/PAINT.md"}
Bash {"command": "gh issue list --limit 51"}
Bash {"command": "cat OTHER.md PAINT.md"}
Bash {"command": "cat src/main.c PAINT.md"}
Bash {"command": "sed -n s/a/b/p PAINT.md"}
WebFetch {"url": "https://a.b/"}
WebFetch {"url": "https://a.b/c/d"}
list_issues {"owner": "a", "page": 51}
Bash {"command": "head -5 log"}
X
		messages "assistant:$(words 900)"
		jq -nc '{role: "user", content: [{type: "text",
		    text: "Yes. See log.txt (5)."}, {type: "text", text: "Now."}]}'
		tool c6 Bash '{"command": "cat log.txt"}' \
		    $'Command: cat\nChunk ID: 1\nOutput:\nThe door was opened four times in the night.\n'"$rest"
		tool c7 Bash '{"command": "cat log.txt > log2.txt"}' "$other"
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text -b 4000
	grep '^Read: ' text > told
	diff told - <<'X'
Read: /w/notes/PAINT.md -> # Paint; Use blue paint for the door, and never paint it on Sundays.
Read: 51 -> title:	The door sticks; It opens only if one pushes hard, since it was painted.
Read: log.txt -> The door was opened four times in the night.
X
	# The next summary tells it, too.
	{
		cat out
		messages "assistant:$(words 900)" "user:and then?"
	} > in
	summary_text -b 3000
	grep '^Read: ' text | diff told -
	# Of a result with several texts, the first counts; a reminder does not.
	{
		jq -nc '{role: "user", content: "Do what TASK.md says."}'
		jq -nc '{role: "assistant", content: [{type: "tool_use", id: "t",
		    name: "Read", input: {file_path: "TASK.md"}}]}'
		jq -nc --arg text "Paint the door blue, please, and all windows.
$rest
<system-reminder>
Whenever you read a file, consider that you read it.
</system-reminder>" '{role: "user", content: [{type: "tool_result",
		    tool_use_id: "t", content: [{type: "text", text: $text},
		    {type: "text", text: ("The reading is done, this is all. " * 9)}]}]}'
		jq -nc --arg fill "$(words 900)" '{role: "assistant", content:
		    [{type: "text", text: $fill}]}, {role: "user", content: "and?"}'
	} > in
	ctx-prune --compact -s summarize -k 1 -t 1 -b 600 in > out
	grep -o 'Read: TASK.md -> [^"\\]*' out > told
	echo 'Read: TASK.md -> Paint the door blue, please, and all windows.' |
		diff told -
	# The text is cut between two characters.
	{
		messages "user:Do what TASK.md says."
		tool c1 Read '{"file_path": "TASK.md"}' \
		    "$(printf 'x\n%.0s' {1..4050})$(printf '日本 語で すべ ての 文字 が三 バイト です %.0s' {1..10})"
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text -b 1200
	grep -q '^Read: TASK.md -> x日本' text
}

@test "a file that the user names is not told if it could not be read, or is no prose" {
	{
		messages "user:Do what a.md, b.md and c.txt say."
		tool c0 Read '{"file_path": "a.md"}' \
		    "The file a.md could not be read, because it does not exist."
		tool c1 Read '{"file_path": "b.md"}' "│   ├── one file that is here
{\"a\": \"b c d e f g h i j $(words 40)\"}
short"
		tool c2 Read '{"file_path": "c.txt"}' ''
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	run ! grep '^Read: ' text
}
