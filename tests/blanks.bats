# Blanks before and after the JSON value of a line are written as they are, and
# change nothing else.

load helper

PATH=$B/gen-tools:$PATH

# The commands that change a stream, each with options that change most
# conversations of several messages. $1: a level of ctx-prune, $2: -j.
commands() {
	local s
	for s in $STRATEGIES; do
		echo "ctx-prune -s $s -b 300 -l ${1-aggressive} -k 1 -t 0 ${2-}"
	done
	cat <<-X
	ctx-prune -s summarize -b 300 -k 1 -t 0 --summarizer "head -c 300"
	ctx-truncate -l 20 --args 10 --message-limit 60
	ctx-truncate -l 20 --media 0 --unsent
	ctx-age -o 10 -k 0 --mask
	ctx-age -S spool -o 10 -k 1 --media 0
	ctx-restore -S spool
	ctx-cache --provider anthropic -m claude-sonnet-5
	ctx-cache --strip
	ctx-check --repair
	ctx-check --repair --reasoning drop -m claude-opus-5-5
	ctx-count --annotate ${2-}
	X
}

# Writes what a command makes of its input to the file $1, without the blanks
# around lines, and its status.
without_blanks() {
	local to=$1 status=0
	shift
	eval "$*" > raw 2> err || status=$?
	sed 's/^[ \t\r]*//; s/[ \t\r]*$//' raw > "$to"
	echo "status $status" >> "$to"
}

# Checks every command of the file list with the files in and blanks, which
# differ only in blanks. $1: names the test. $2: file or pipe
same_apart_from_blanks() {
	local line
	while read -r line; do
		without_blanks plain "$line" < in
		case $2 in
		file) without_blanks out "$line" < blanks ;;
		pipe) cat blanks | without_blanks out "$line" ;;
		esac
		cmp plain out || fail "$1: $line: from a $2" || return
	done < list
}

@test "blanks around messages of made conversations change nothing else" {
	local d how
	for d in openai-chat generic openai-responses anthropic bedrock gemini; do
		for how in "" "--wrap --count 3" --broken; do
			# shellcheck disable=SC2086 # options
			convo --dialect $d --seed 2 --messages 40 $how > in
			# shellcheck disable=SC2086
			convo --dialect $d --seed 2 --messages 40 $how --blanks > blanks
			run -1 cmp -s in blanks
			commands aggressive > list
			same_apart_from_blanks "$d $how" pipe
			commands balanced "-j 2" | grep -e '-j 2$' -e summarize > list
			same_apart_from_blanks "$d $how" file
		done
	done
}

@test "blanks around records of every dialect of the corpus change nothing else" {
	local dir file n=0
	commands > list
	for dir in "$SAMPLE" "$BATS_TEST_DIRNAME"/corpus/*/; do
		file=$(find "$dir" -name '*.jsonl' | sort | head -n 1)
		[ -n "$file" ] || continue
		cp "$file" in
		sed '1~3s/^/ /; 2~3s/^/\t  /; 2~2s/$/ /; s/\r* *$/&\t/' in > blanks
		n=$((n + 1))
		case $((n % 2)) in
		0) same_apart_from_blanks "$file" pipe ;;
		1) same_apart_from_blanks "$file" file ;;
		esac
	done
}
