# helper.bash - what the bats files share
#
# bats facts: run merges the outputs and strips line feeds, so bytes are
# compared with cmp; a bare "! cmd" that is not the last line never fails.

bats_require_minimum_version 1.5.0

# As tests/run has them.
B=$(cd "${B:-$BATS_TEST_DIRNAME/../build/release}" && pwd)
PATH=$B:$PATH
export B PATH
STRATEGIES=$("$BATS_TEST_DIRNAME/strategies")

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	SAMPLE=$BATS_TEST_DIRNAME/sample
	agent=$SAMPLE/agent.jsonl
	chat=$SAMPLE/chat.jsonl
	export SAMPLE agent chat
	unset CTX_DATA CTX_MODEL CTX_ENCODING CTX_SPOOL CTX_SUMMARIZER CTX_EMBEDDER
	unset TOOL_RESULT_LIMIT SUPERVISOR_MSG_CHAR_LIMIT
	unset "${!SUMMARIZATION_@}"
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

# Ends a test with a message.
fail() {
	echo "$*" >&2
	return 1
}

# The tokens that ctx-count finds on standard input.
tokens() {
	ctx-count "$@" | awk '{ sub(/^~/, "", $1); print $1 }'
}

# Every kept message is valid where it stands: results follow their calls.
is_paired() {
	jq -se '
	    reduce .[] as $m ({open: [], ok: true};
		if $m.role == "tool"
		then .ok = (.ok and (.open | index($m.tool_call_id) != null))
		    | .open -= [$m.tool_call_id]
		else .ok = (.ok and .open == [])
		    | .open = [($m.tool_calls // [])[].id]
		end)
	    | .ok and .open == []' "$1" > /dev/null
}

# A text of $1 words.
words() {
	printf 'word %.0s' $(seq "$1")
}

# The same of words that differ.
numbered() {
	printf 'word%s ' $(seq "$1")
}

# 120 lines of a megabyte, by a format of printf for the role and the text.
large_lines() {
	FORMAT=$1 awk 'BEGIN {
		for (x = "word "; length(x) < 1000000;)
			x = x x
		for (i = 0; i < 120; i++)
			printf ENVIRON["FORMAT"] "\n", i % 2 ? "assistant" : "user", x
	}' < /dev/null
}

# Limits this shell to $1 kilobytes of addresses, and sets limit to this number.
# Under a sanitizer or an emulator, which need more, it is "unlimited".
limit_memory() {
	limit=$1
	(ulimit -v "$limit" && ctx-prune -V > /dev/null 2>&1) || limit=unlimited
	[ "$limit" = "$1" ] || [[ $B != */release ]] || return
	ulimit -v "$limit"
}

# Checks that a command needs more memory than limit_memory allows, so that the
# limit has an effect.
exceeds_memory() {
	[ "$limit" != unlimited ] || return 0
	run -2 sh -c "$1"
	[[ $output == *"out of memory"* ]]
}

# A call of a tool and its result: id, tool, arguments, result.
called() {
	jq -nc --arg i "$1" --arg t "$2" --arg a "$3" --arg r "$4" '
	    {role: "assistant", content: null, tool_calls: [{id: $i,
		type: "function", function: {name: $t, arguments: $a}}]},
	    {role: "tool", tool_call_id: $i, content: $r}'
}

# One line a message: {role, content} from arguments "role:text".
messages() {
	local one
	for one in "$@"; do
		jq -nc --arg r "${one%%:*}" --arg c "${one#*:}" \
		    '{role: $r, content: $c}'
	done
}

# Checks that every line of file $1 stands, in order, in file $2.
is_subsequence() {
	awk 'NR == FNR { want[++n] = $0; next }
		i < n && $0 == want[i + 1] { i++ }
		END { exit i != n }' "$1" "$2"
}

# Answers with signed reasoning, before and after a tool result of the text $1.
bound_talk() {
	cat <<X
{"role":"user","content":"Weather in Oslo?"}
{"role":"assistant","content":[{"type":"thinking","thinking":"one","signature":"Eq1="},{"type":"tool_use","id":"a","name":"wx","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"$1"}]}
{"role":"assistant","content":[{"type":"thinking","thinking":"two","signature":"Eq2="},{"type":"text","text":"ok"}]}
{"role":"user","content":"And Rome?"}
{"role":"assistant","content":[{"type":"redacted_thinking","data":"Eq3="}]}
{"role":"user","content":"Go on."}
{"role":"assistant","content":[{"type":"thinking","thinking":"four","signature":"Eq4="},{"type":"text","text":"ok"}]}
X
}

# The commands that change messages, each with options by which it changes the
# sample.
changing() {
	echo "ctx-prune -b 20k -l light"
	echo "ctx-truncate -l 1000 --args 300"
	echo "ctx-age -o 1000"
	echo "ctx-age -o 1000 --mask"
	echo "ctx-restore"
	echo "ctx-cache --provider anthropic"
}

# Runs "$@" with the file in, as standard input and through a pipe.  All that
# the command writes, also to archive and explain, must be equal.
same_from_pipe() {
	local from report
	for from in file pipe; do
		rm -rf spool archive explain
		case $from in
		file) "$@" < in > out-$from 2> err-$from ;;
		pipe) cat in | "$@" > out-$from 2> err-$from ;;
		esac || echo "status $?" >> err-$from
		for report in archive explain; do
			[ ! -e $report ] || cat $report >> out-$from
		done
	done
	cmp out-file out-pipe || fail "$*: output"
	cmp err-file err-pipe || fail "$*: messages"
}

# Prints a rank file with N tokens, as many as Kimi's has: bytes, a few tokens
# that tell how texts are split, and others.
kimi_ranks() { # N
	perl -MMIME::Base64 -e 'for (map({ chr } 0 .. 255), "\xe4\xb8",
	    "\xe4\xb8\xad", "\xe6\x96", "\xe6\x96\x87",
	    "\xe4\xb8\xad\xe6\x96\x87", "\xe4\xb8\xada", "a\xe4\xb8\xad", "  ",
	    "ab", "aA", map { sprintf "\x01%06d", $_ } 1 .. shift() - 266) {
		print encode_base64($_, ""), " ", $i++, "\n"
	}' "$1"
}
