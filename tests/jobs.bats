#!/usr/bin/env bats
# -j: the same bytes, messages and statuses as of one thread.

load helper

# as_one N COMMAND...: standard input through it, with one thread and with N.
as_one() {
	local n=$1 one=0 many=0
	shift
	cat > in
	"$@" -j 1 < in > one 2> one.err || one=$?
	"$@" -j "$n" < in > many 2> many.err || many=$?
	cmp one many
	cmp one.err many.err
	[ "$one" -eq "$many" ]
}

# A log of more bytes than are counted in one piece: 0.4 MB a time.
long_log() {
	for i in $(seq "$1"); do
		sed "s/call_/call_$i/g" "$agent"
	done | sed '2,$ { /"role": *"system"/d }'
}

# The same as records that hold 1 to 40 messages each.
long_records() {
	long_log "$1" | awk '
		{ list = list (n++ ? "," : "") $0 }
		n > k * 7 % 25 {
			print "{\"messages\":[" list "]}"
			list = ""
			n = 0
			k++
		}'
}

@test "-j: the corpus gives the same output with any number of threads" {
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*; do
		[ -f "$f" ] || continue
		as_one 2 ctx-count --per message --json < "$f"
		as_one 8 ctx-prune -e bytes/4 -b 300 < "$f"
	done
}

@test "-j: message lines in many pieces give the same output" {
	long_log 4 > log
	[ "$(wc -c < log)" -gt 1500000 ]
	for j in 2 3; do
		as_one $j ctx-count --per message -m gpt-4o < log
		as_one $j ctx-count --per message -m gemini-3-pro < log
		as_one $j ctx-prune -b 20k < log
	done
	as_one 2 ctx-count --annotate < log
	as_one 8 ctx-prune -m gpt-4o -b 30k -s heuristic -v < log
}

@test "-j: records with conversations in many pieces give the same output" {
	long_records 4 > log
	[ "$(wc -l < log)" -gt 80 ]
	as_one 2 ctx-count --per message --json < log
	for j in 2 3 8; do
		as_one $j ctx-prune -e bytes/4 -b 4k < log
	done
	as_one 2 ctx-prune -e bytes/4 -b 4k -n --json < log
	as_one 2 ctx-prune -b 2k -l aggressive --explain - -n < log
}

@test "-j: a stream of lines, records and blank lines gives the same output" {
	{
		long_log 1
		printf '\n  \n{"event":1}\n'
		long_records 2
		printf '[1,2]\n'
		long_log 2
	} > log
	as_one 2 ctx-count --per message < log
	as_one 3 ctx-prune -b 9k < log
}

@test "-j: a record larger than a piece and transcripts between lines give the same output" {
	{
		long_log 1
		long_log 4 | jq -sc '{messages: .}'
		long_log 1
	} > log
	as_one 3 ctx-count < log
	as_one 3 ctx-prune -b 50k < log
	long_log 2 > a.jsonl
	cp "$(ls "$BATS_TEST_DIRNAME"/corpus/claude-code/*.jsonl | head -n 1)" b.jsonl
	cp a.jsonl c.jsonl
	for c in "ctx-count --per message -e bytes/4" \
	    "ctx-prune -e bytes/4 -b 3k"; do
		one=0 many=0
		$c -j 1 a.jsonl b.jsonl c.jsonl b.jsonl > one || one=$?
		$c -j 4 a.jsonl b.jsonl c.jsonl b.jsonl > many || many=$?
		cmp one many
		[ $one -eq $many ]
	done
}

@test "-j: errors are reported in order, with their lines" {
	long_log 4 > log
	at=$(($(wc -l < log) / 2))
	sed "${at}s/.*/{\"role\": oops}/" log > bad
	as_one 2 ctx-count --per message < bad
	as_one 2 ctx-count --annotate < bad
	[ "$(wc -l < many)" -eq $((at - 1)) ]
	as_one 2 ctx-prune --lenient -e bytes/4 -b 20k < bad
	as_one 3 ctx-prune -e bytes/4 -b 20k < bad
	grep -q "^ctx-prune: -:$at:" many.err
	long_records 4 > log
	sed '60s/"role"/"role/' log > bad
	as_one 4 ctx-prune -e bytes/4 -b 3k < bad
	grep -q "^ctx-prune: -:60:" many.err
	[ "$(wc -l < many)" -eq 59 ]
}

@test "-j: a reader that closes the pipe early ends the command silently" {
	long_log 6 > log
	run bash -c 'ctx-count --annotate -j 4 log 2>&1 >/dev/full | grep -c .'
	[ "$output" -eq 1 ]
	run bash -c 'ctx-count --annotate -j 4 log 2> err | head -n 1 > /dev/null
	    exit "${PIPESTATUS[0]}"'
	[ "$status" -eq 141 ]
	[ ! -s err ]
}

@test "-j 0 means one thread per core, -u means one thread, and -j has a maximum" {
	as_one 0 ctx-count < "$agent"
	mkfifo pipe
	ctx-count --annotate -u -j 4 < pipe > out &
	exec 4> pipe
	head -n 5 "$agent" >&4
	for _ in $(seq 100); do
		[ "$(wc -l < out)" -lt 5 ] || break
		sleep 0.1
	done
	left=$(wc -l < out)
	exec 4>&-
	wait
	[ "$left" -eq 5 ]
	run -2 ctx-count -j 1025 "$agent"
	[[ $output == *"--jobs"* ]]
	run -2 ctx-prune -j x -b 1k "$agent"
}
