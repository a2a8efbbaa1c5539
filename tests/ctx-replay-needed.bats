# ctx-replay --policy: how many of the names that the tool calls of answers take
# from their prompts are still in the pruned prompts

load helper

# A chat with tools.  needed says which of its lines is an answer that takes which
# name from older messages of its prompt.
search_and_edit() {
	local n
	messages "user:Look at src/user_named.c first. $(words 20)"
	called c1 list '{"dir":"src/user_named.c"}' "src/found_one.c $(words 150)"
	called c2 get '{}' "The request is REQ-111222. $(words 150)"
	messages "assistant:Both are read." "user:Now change it."
	for n in 3 4 5 6; do
		called "c$n" get "{\"n\":$n}" "$(words 60)"
	done
	called c7 edit '{"path":"src/found_one.c"}' ok
	called c8 send '{"id":"REQ-111222"}' ok
	called c9 edit '{"path":"src/user_named.c"}' ok
	# One name is in the newest messages, the other in none.
	called c10 edit '{"path":"src/user_named.c","to":"src/new_file.c"}' ok
}
needed="16:src/found_one.c 18:REQ-111222 20:src/user_named.c"

# Prints how many strings that later tool calls use are in the prompts of chat.jsonl, each
# pruned by ctx-prune with the options $2...; $1 is "whole" or "fed".
keep_by_hand() {
	local how=$1 line last=1 kept=0 one
	shift
	: > history
	while read -r line; do
		# The prompt of the request ends before the answer.
		if [ "$how" = whole ]; then
			head -n $((line - 1)) chat.jsonl > prompt
		else
			sed -n "$last,$((line - 1))p" chat.jsonl >> history
			cp history prompt
		fi
		last=$line
		ctx-prune -m "${MODEL:-gpt-4o}" "$@" prompt > pruned
		cp pruned history
		for one in $needed; do
			[ "${one%%:*}" = "$line" ] && grep -qF "${one#*:}" pruned &&
				kept=$((kept + 1))
		done
	done < <(grep -n '"role":"assistant"' chat.jsonl | cut -d : -f 1)
	echo "$kept"
}

# Checks which share of the strings that later tool calls use a policy with the options $1 keeps,
# without and with --feed-back, against keep_by_hand.  $2 and $3: numbers that
# are kept, so that the test knows that names are lost.
keeps() {
	ctx-replay --json -m "${MODEL:-gpt-4o}" -p "$1" -p "$1 --feed-back" \
	    chat.jsonl 2> err > rows
	jq -es --argjson n "$(wc -w <<< "$needed")" \
	    'all(.[]; .needed == $n) and .[0].kept == $n' rows ||
		fail "$1: $(jq -sc 'map([.needed, .kept])' rows)"
	# shellcheck disable=SC2086 # several words
	[ "$(keep_by_hand whole $1)" = "$2" ] || fail "by hand $1"
	# shellcheck disable=SC2086 # several words
	[ "$(keep_by_hand fed $1)" = "$3" ] || fail "by hand fed: $1"
	[ "$(jq -s '.[1].kept' rows)" = "$2" ] || fail "$1"
	[ "$(jq -s '.[2].kept' rows)" = "$3" ] || fail "fed: $1"
}

@test "needed% counts names of tool calls that are still in the pruned prompt" {
	search_and_edit > chat.jsonl
	keeps "-b 1M" 3 3
	keeps "-b 700 -s pinned-fifo --quantum 0" 2 2
	keeps "-b 700 -s salient -l light" 2 2
	keeps "-b 700 -s salient" 3 3
	keeps "-b 500 -s salient -l light --quantum 0" 2 2
	keeps "-b 500 -s salient --quantum 0" 3 3
	# Without passages of its result a message may keep a name or lose it.
	keeps "-b 275 -s salient" 2 2
	keeps "-b 350 -s heuristic --quantum 0" 3 3
	keeps "-b 500 -s fifo --quantum 0" 1 1
	ctx-replay -m gpt-4o -p "x=-b 700 -l light" chat.jsonl 2> err > out
	head -n 1 out | grep -q ' cost% needed%  pruned '
	[ "$(awk 'NR > 1 { print $6 }' out | paste -sd ' ')" = "100.0 66.7" ]
	ctx-replay --tsv -m gpt-4o -p "x=-b 700 -l light" chat.jsonl 2> err |
	    cut -f 6 | paste -sd ' ' > out
	[ "$(cat out)" = "needed 100.00 66.67" ]
}

@test "a string that later tool calls use is kept if a summary has it" {
	search_and_edit > chat.jsonl
	keeps "-b 600 -s summarize" 3 3
	# A shorter summary lacks a name.
	keeps "-b 450 -s summarize --summary-tokens 20" 2 2
}

@test "with --feed-back a string that later tool calls use is lost if an earlier prompt was pruned of it" {
	{
		messages "user:List the files of the parser, then those of the clock."
		called c1 list '{}' "parser grammar: src/grammar_rules.c $(words 100)"
		called c2 list '{}' "clock hands: src/clock_hands.c $(words 100)"
		messages "assistant:Done." "user:Draw the clock hands. $(words 100)"
		messages "assistant:Done." "user:Now the parser grammar."
		called c3 edit '{"path":"src/grammar_rules.c"}' ok
	} > chat.jsonl
	needed="10:src/grammar_rules.c"
	keeps "-b 320 -s recall" 1 0
}

@test "a string that later tool calls use is lost in a cleared result, and kept in the arguments of its call" {
	search_and_edit > chat.jsonl
	keeps "-b 500 -l light -s heuristic --quantum 0" 1 1
}

@test "strings that later tool calls use are found in each of the cut results of a message, and in its text" {
	{
		messages "user:Begin."
		jq -nc '{role: "assistant", content: [("a", "b") |
		    {type: "tool_use", id: ., name: "list", input: {}}]}'
		jq -nc --arg pad "$(words 200)" '{role: "user", content: [
		    {type: "tool_result", tool_use_id: "a", content: ("src/in_first.c " + $pad)},
		    {type: "tool_result", tool_use_id: "b", content: ($pad + "src/in_second.c")},
		    {type: "text", text: "See src/in_text.c too."}]}'
		messages "assistant:$(words 30)" "user:Go on." "assistant:Yes." \
		    "user:The grammar."
		jq -nc '{role: "assistant", content: [{type: "tool_use", id: "c",
		    name: "edit", input: {a: "src/in_first.c", b: "src/in_second.c",
		    c: "src/in_text.c"}}]}'
	} > chat.jsonl
	needed="8:src/in_first.c 8:src/in_second.c 8:src/in_text.c"
	export MODEL=claude-sonnet-4-5
	keeps "-b 1M" 3 3
	keeps "-b 250 -k 1 -t 1 --quantum 0" 3 3
}

@test "of a message with tool results and text, each part is kept or lost by itself" {
	tool() {
		jq -nc --arg n "$1" --argjson i "$2" '{role: "assistant", content:
		    [{type: "tool_use", id: $n, name: "edit", input: $i}]}'
	}
	answer() {
		jq -nc --arg n "$1" --arg r "$2" --arg t "$3" '{role: "user",
		    content: ([{type: "tool_result", tool_use_id: $n, content: $r}] +
			if $t == "" then [] else [{type: "text", text: $t}] end)}'
	}
	# A message has the result $1 and the text $2.
	chat() {
		messages "user:Begin."
		tool c1 '{}'
		answer c1 "src/in_result.c $1" "See src/in_text.c too. $2"
		messages "assistant:$(words 30)" "user:Go on." "assistant:Yes." \
		    "user:The grammar."
		tool c2 '{"a":"src/in_result.c","b":"src/in_text.c"}'
		answer c2 ok ""
	}
	needed="8:src/in_result.c 8:src/in_text.c"
	export MODEL=claude-sonnet-4-5
	chat "$(words 200)" "" > chat.jsonl
	keeps "-b 1M" 2 2
	keeps "-b 200 -s fifo --quantum 0" 1 1
	keeps "-b 200 -l light -s heuristic --quantum 0" 1 1
	keeps "-b 60 -k 1 -t 1 -s fifo --quantum 0" 0 0
	# The result is about the question, the text is not.
	chat "grammar" "$(words 200)" > chat.jsonl
	ctx-replay --json -m $MODEL -p "-b 100 -s recall" chat.jsonl 2> err > rows
	[ "$(keep_by_hand whole -b 100 -s recall)" = 1 ]
	[ "$(jq -s '.[1].kept' rows)" = 1 ]
}

@test "if names are needed, a row is marked unless another costs no more and keeps as many" {
	search_and_edit > chat.jsonl
	ctx-replay --json -m gpt-4o -p "more=-b 700 -s salient --quantum 0" \
	    -p "less=-b 600 -s salient --quantum 0" \
	    -p "old=-b 600 -s pinned-fifo --quantum 0" chat.jsonl 2> err > rows
	# "less" sends fewer tokens than "more" and than no pruning, but keeps
	# all names; "old" costs the least, and loses a name.
	jq -es 'map(.kept) == [3, 3, 3, 2] and
	    (map(.dollars) | .[3] < .[2] and .[2] < .[1] and .[1] < .[0]) and
	    (map(.sent) | .[3] < .[2] and .[2] < .[1] and .[1] < .[0]) and
	    map(.best) == [false, false, true, true]' rows
}

# How many names session.jsonl needs.
count_needed() {
	ctx-replay --json -m gpt-4o -p "-b 1M" session.jsonl 2> err |
	    jq -s '.[1].needed'
}

@test "a name is not needed if it is in a message that every policy keeps, in 4 messages, or first in an answer" {
	local here
	# The name is at one place, or at those of several numbers.
	at() {
		local n
		here=" $1 "
		name() {
			if [[ $here == *" $1 "* ]]; then echo src/some_name.c; fi
		}
		messages "system:Rules. $(name 0)" "user:Hello. $(name 1)" \
		    "assistant:Hi. $(name 2)" "user:Search. $(name 3)"
		called c1 find '{}' "Found. $(name 4)"
		called c2 find '{}' "Found. $(name 5)"
		messages "assistant:Yes. $(name 6)" "system:Rule. $(name 11)" \
		    "user:Go on. $(name 7)"
		for n in 3 4 5; do
			called "c$n" find "{\"q\":\"$(name $((9 + n)))\"}" \
			    "Nothing. $(name $((5 + n)))"
		done
		called c6 edit '{"path":"src/some_name.c"}' ok
	}
	for here in 1 3 4 5 8 "1 3" "1 2 5" "4 5 6"; do
		at "$here" > session.jsonl
		[ "$(count_needed)" = 1 ] || fail "needed at $here"
	done
	# The tool call with the name needs it, too.  Call 12 is no longer among
	# the 4 newest messages of the last prompt, call 13 is.
	at "4 12" > session.jsonl
	[ "$(count_needed)" = 2 ]
	at "4 13" > session.jsonl
	[ "$(count_needed)" = 1 ]
	# System message, last user's message, newest messages; 4 messages; an
	# answer; no place at all.
	for here in 0 7 9 10 "1 7" "4 10" "4 11" "1 3 4 5" 2 6 "2 3" ""; do
		at "$here" > session.jsonl
		[ "$(count_needed)" = 0 ] || fail "not needed at $here"
	done
}

@test "the lines of one answer in a session file count as one message" {
	# A prompt of Claude Code; $1 lines of the next answer have the name.
	lines() {
		jq -nc --argjson lines "$1" --argjson apart "$2" '
		    def line($n; $up): {parentUuid: (if $n == 0 then null else
			"u\($up)" end), uuid: "u\($n)", sessionId: "s",
			isSidechain: false, version: "2.0.0", timestamp:
			(1764000000 + $n | todate)};
		    def user($n; $text): line($n; $n - 1) + {type: "user",
			message: {role: "user", content: $text}};
		    def answer($n; $id; $block): line($n; $n - 1) + {type:
			"assistant", message: {id: $id, role: "assistant",
			model: "claude-sonnet-4-5", content: [$block]}};
		    user(0; "Fix src/some_name.c"),
		    (range($lines) | answer(. + 1; if $apart then "m\(.)" else "m"
			end; {type: "text", text: "src/some_name.c"})),
		    user($lines + 1; "One."),
		    answer($lines + 2; "x"; {type: "text", text: "Two."}),
		    user($lines + 3; "Three."),
		    answer($lines + 4; "y"; {type: "text", text: "Four."}),
		    user($lines + 5; "Five."),
		    answer($lines + 6; "z"; {type: "tool_use", id: "c", name:
			"edit", input: {path: "src/some_name.c"}})'
	}
	lines 1 false > session.jsonl
	[ "$(count_needed)" = 1 ]
	lines 3 false > session.jsonl
	[ "$(count_needed)" = 1 ]
	lines 2 true > session.jsonl
	[ "$(count_needed)" = 1 ]
	# As answers of their own they are too many: 4 messages have the name.
	lines 3 true > session.jsonl
	[ "$(count_needed)" = 0 ]
}

@test "a policy has the same results after other policies as alone" {
	local n policy policies=() all=("-b 1k -l light" "-b 1k"
	    "-b 1k --quantum 0" "-b 1k --quantum 0 --feed-back"
	    "-b 1k -s heuristic --feed-back" "-b 1k -s heuristic -l light"
	    "-b 1k --quantum 0 -l light" "-b 1500 --quantum 0")
	{
		messages "user:Begin."
		for n in 1 2 3 4 5 6 7 8; do
			jq -nc --arg n "$n" '{role: "assistant", content: [
			    ("a", "b") | {type: "tool_use", id: "\(.)\($n)",
			    name: "list", input: {}}]}'
			jq -nc --arg n "$n" --arg pad "$(words $((n * 20)) | fold -w 60)" '
			    {role: "user", content: [
				{type: "tool_result", tool_use_id: "a\($n)",
				content: "src/in_\($n).c\n\($pad)\nREQ-\($n)00000"},
				{type: "tool_result", tool_use_id: "b\($n)",
				content: "\($pad)\n\($pad)\nID-77777\($n)\n\($pad)"},
				{type: "text", text: "See src/in_text\($n).c. \($pad)"}]}'
			messages "assistant:It is read."
		done
	} > chat.jsonl
	for policy in "${all[@]}"; do
		ctx-replay --json -m claude-sonnet-4-5 -p "$policy" chat.jsonl \
		    2> err | sed 1d
	done | jq -c 'del(.best)' > alone
	for policy in "${all[@]}"; do
		policies+=(-p "$policy")
	done
	ctx-replay --json -m claude-sonnet-4-5 "${policies[@]}" chat.jsonl 2> err |
		sed 1d | jq -c 'del(.best)' > together
	cmp alone together
	# The policies differ, so none has the results of another.
	[ "$(jq -c 'del(.policy)' alone | sort -u | wc -l)" -ge 6 ]
}
