# What holds for every command.

load helper

commands() {
	(cd "$B" && ls ctx-*)
}

# How each of them is called so that it does something; a line a command.
calls() {
	local c
	for c in $(commands); do
		case $c in
		ctx-prune) echo "$c -b 8000" ;;
		ctx-check) echo "$c --repair --allow-pending" ;;
		ctx-cache) echo "$c --provider anthropic" ;;
		ctx-eval) echo "$c -p cat" ;;
		*) echo "$c" ;;
		esac
	done
}

@test "--help fits a page, --version names the command, and both exit 0" {
	for c in $(commands); do
		run -0 "$c" --help
		[ "${#lines[@]}" -le 45 ] || fail "$c --help: ${#lines[@]} lines"
		[[ $output == "usage: $c "* ]]
		[[ $output == *Examples:* ]]
		[[ ${lines[-1]} =~ ^Exit\ status:\ 0\ success,(\ 1\ .*,)?\ 2\ error\.$ ]] ||
			fail "$c --help: ${lines[-1]}"
		while IFS= read -r line; do
			[ "${#line}" -le 80 ] || fail "$c --help: $line"
		done <<< "$output"
		help=$output
		run -0 "$c" -h
		[ "$output" = "$help" ]
		run -0 "$c" -V
		[[ ${lines[0]} =~ ^$c\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
		[[ ${lines[1]} =~ ^models\ of\ 20[0-9]{2}-[01][0-9]-[0-3][0-9]$ ]]
	done
}

@test "--help names every value of an option that takes one of a few" {
	local c option choices value n=0
	for c in $(commands); do
		"$c" --help | tr -cs 'a-z0-9_.-' '\n' | sed 's/[.]$//' | sort -u > words
		while IFS=$'\037' read -r option choices; do
			# Long lists that other commands print, and one of the manual.
			case $option in model | dialect | encoding | pin-role | on-failure) continue ;; esac
			[[ $c,$option != ctx-check,provider ]] || continue
			for value in $choices; do
				n=$((n + 1))
				grep -qx -e "$value" words ||
					fail "$c --help does not name $value of --$option"
			done
		done < <("$c" --list-options | cut -f 2,5 | grep $'\t.' | tr '\t' '\037')
	done
	[ "$n" -ge 30 ]
}

@test "an unknown option exits 2 and suggests the nearest one" {
	for c in $(commands); do
		run -2 "$c" --dialekt x
		[[ $output == *"did you mean --dialect?"* ]]
		# Nothing is near to what is longer than any name.
		run -2 "$c" "--dialect$(printf 'x%.0s' {1..300})"
		[[ $output != *"did you mean"* ]]
		run -2 "$c" --no-such-thing-at-all
		[[ $output == *"$c --help"* ]]
		run -2 "$c" -Z
		[[ $output == *"no option -Z"* ]]
	done
}

@test "an option in place of the name of a file exits 2, but may be a pattern" {
	run -2 ctx-cache --diff --json "$chat"
	[[ $output == *"--diff needs an argument, FILE"* ]]
	run -2 ctx-check --after --json "$chat"
	[[ $output == *"--after needs an argument, FILE"* ]]
	cp "$chat" ./--json
	ctx-cache --diff=--json "$chat" | grep -q '^shared'
	ctx-prune -b 100k --pin --json "$chat" | cmp - "$chat"
}

@test "an option without its argument, or with one too many, exits 2" {
	for c in $(commands); do
		run -2 "$c" --dialect
		[[ $output == *"--dialect needs an argument"* ]]
		run -2 "$c" -d
		[[ $output == *"-d needs an argument"* ]]
		run -2 "$c" --lenient=yes
		[[ $output == *"--lenient takes no argument"* ]]
		run -2 "$c" --dialect=klingon
		[[ $output == *"openai-chat"* ]]
	done
}

@test "--list-options prints the option table for completions" {
	for c in $(commands); do
		run -0 "$c" --list-options
		[[ $output == *$'d\tdialect\tNAME\t'*openai-chat* ]]
		"$c" --help > help
		for name in $(cut -f 2 <<< "$output"); do
			grep -qe "--$name" help || fail "$c: --$name"
		done
	done
}

@test "-- ends the options, so that a file may be named -x" {
	messages user:hi > -x
	run -0 ctx-count -- -x
	[[ $output == *" -x" ]]
}

@test "invalid input is refused with file, line and column" {
	printf '%s\n' '{"role":"user","content":"a"}' '{"role":"user",}' > bad
	while read -r c; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c bad
		[[ $output == *"bad:2:16: "* ]] || fail "$c: $output"
		# shellcheck disable=SC2086
		run -2 $c < bad
		[[ $output == *"-:2:16: "* ]] || fail "$c: $output"
	done < <(calls)
}

@test "a file in UTF-16 is refused, and the message says so" {
	messages user:hi user:ho > utf8
	for encoding in UTF-16LE UTF-16BE; do
		printf '\xef\xbb\xbf' | cat - utf8 | iconv -f UTF-8 -t $encoding > marked
		iconv -f UTF-8 -t $encoding utf8 > wide
		while read -r c; do
			# shellcheck disable=SC2086 # a command and its options
			run -2 $c marked
			[[ $output == *"marked:1:1: the input is UTF-16; convert it with: iconv -f UTF-16 -t UTF-8"* ]] ||
			    fail "$c: $output"
			# shellcheck disable=SC2086
			run -2 $c wide
			[[ $output == *"wide:1:1: the input is UTF-16; convert it with: iconv -f $encoding -t UTF-8"* ]] ||
			    fail "$c: $output"
		done < <(calls)
	done
}

@test "a file that is not JSON is named, with the command that reads it" {
	gzip -c "$chat" > gzip
	printf '\x28\xb5\x2f\xfd\x24\x00' > zstd
	xz -c "$chat" > xz
	bzip2 -c "$chat" > bzip2
	printf "{'role': 'user', 'content': None}\n" > "Python's repr"
	printf -- '- role: user\n  content: hi\n' > YAML
	cp YAML "plain text"
	printf 'SQLite format 3\0\x10\0\1\1\0@  ' > SQLite
	printf 'PAR1\x15\4\x15\x10PAR1' > Parquet
	printf 'PK\3\4\x14\0' > zip
	tar cf tar zip
	printf '\x89PNG\r\n\x1a\n' > PNG
	printf '\xff\xd8\xff\xe0\0' > JPEG
	while IFS='|' read -r name command text; do
		[ -z "$text" ] || printf "%s\n" "$text" > "$name"
		while read -r c; do
			# shellcheck disable=SC2086 # a command and its options
			run -2 --separate-stderr $c "$name"
			[[ $stderr == *": $name:1:"[1-9]": "*"$name"*"$command"* ]] ||
				fail "$c: $stderr"
		done < <(calls)
	done <<-'END'
		gzip|; decompress it with: gzip -dc|
		zstd|; decompress it with: zstd -dc|
		xz|; decompress it with: xz -dc|
		bzip2|; decompress it with: bzip2 -dc|
		SQLite|; print a table as JSON with: sqlite3 -json|
		Parquet|; print it as JSON with: duckdb -jsonlines|
		zip|; print a file in it with: unzip -p|
		tar|; print a file in it with: tar -xOf|
		PNG|; name a conversation|
		JPEG|; name a conversation|
		PDF|; print its text with: pdftotext|%PDF-1.7
		HTML|; convert it to JSON|<!DOCTYPE html><html lang="en">
		Python's repr|; write it with json.dumps|
		server-sent events|; take the JSON out of them with: sed |event: message_start
		server-sent events|; take the JSON out of them with: sed |data: {"type":"ping"}
		JSON has no comments|; remove them|// settings of "x"
		Python's repr|; write it with json.dumps|[{'role': 'user'}]
		YAML|; convert it with: yq |
		YAML|; convert it with: yq |messages:
		YAML|; convert it with: yq |---
		YAML|; convert it with: yq |- role: user
		CSV|; convert it with: mlr --c2l cat |role,content
		CSV|; convert it with: mlr --c2l cat |role	content
		plain text|, which ctx-count --text and ctx-truncate --text read|hello, world
		plain text|, which ctx-count --text and ctx-truncate --text read|hello world
		plain text|, which ctx-count --text and ctx-truncate --text read|Human: Hello
		plain text|, which ctx-count --text and ctx-truncate --text read|- item one
		plain text|, which ctx-count --text and ctx-truncate --text read|# Notes
	END
	# Numbers of Python, Latin-1
	printf '{"role":"user","content":"a","x":NaN}\n' > in
	run -2 ctx-count in
	[[ $output == *"in:1:34: JSON has no NaN or Infinity; write null" ]] ||
		fail "$output"
	printf '{"role":"user","content":"caf\xe9"}\n' > in
	run -2 ctx-count in
	[[ $output == *"in:1:30: invalid UTF-8; convert the input, "*"iconv -f ISO-8859-1 "* ]] ||
		fail "$output"
	zstd --version > /dev/null 2>&1 || return 0
	zstd -qc "$chat" > zstd
	run -2 ctx-count zstd
	[[ $output == *"zstd:1:1: the input is compressed by zstd; decompress it with: zstd -dc"* ]]
	# JSON with an error is not taken for something else.
	for text in '{"role":"user",}' 'user","content":"x"}' '[1,' '{role: 1}'; do
		echo "$text" > in
		run -2 ctx-count in
		[[ ${output%; get the rest of the JSON value *} != *"; "* ]] ||
			fail "$output"
	done
}

@test "the byte order mark of a later file is not copied into the stream" {
	messages user:hi assistant:ho > plain
	printf '\xef\xbb\xbf' | cat - plain > marked
	cat marked plain > want
	# The budget is so large that nothing is removed.
	for c in "ctx-truncate" "ctx-age" "ctx-restore" "ctx-prune -b 1000"; do
		# shellcheck disable=SC2086 # a command and its options
		$c marked marked | cmp - want || fail "$c"
		# shellcheck disable=SC2086
		cat marked | $c marked - | cmp - want || fail "$c, -"
	done
	for c in "ctx-cache --provider anthropic" "ctx-count --annotate"; do
		# shellcheck disable=SC2086
		$c marked marked > out
		[ "$(ctx-count --json out | jq .messages)" -eq 4 ] || fail "$c"
	done
}

@test "a missing file and a directory exit 2 and are named" {
	while read -r c; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c nowhere.jsonl
		[[ $output == *"nowhere.jsonl"*"No such file"* ]] ||
			fail "$c: $output"
		# shellcheck disable=SC2086
		run -2 $c .
		[[ $output == *"Is a directory; name a file in it"* ]] ||
			fail "$c: $output"
	done < <(calls)
}

@test "an output file that is an input file is refused, and so is an empty name" {
	cp "$chat" a
	while read -r c; do
		case $c in
		ctx-count*) options=--svg ;;
		ctx-check*) options=--explain ;;
		ctx-replay*) options= ;;
		ctx-restore* | ctx-prune* | ctx-truncate* | ctx-age* | ctx-cache*)
			options="--explain --archive" ;;
		ctx-eval*) continue ;; # it writes no file
		esac
		for option in $options; do
			# shellcheck disable=SC2086
			run -2 $c $option ./a a
			[[ $output == *"cannot write ./a: it is also read; "* ]] ||
			    fail "$c: $output"
			# What is written twice is written over.
			cp a b
			# shellcheck disable=SC2086
			$c $option ./b a >> b 2> err && fail "$c: wrote to b twice"
			grep -q "cannot write ./b: standard output is written to it, too; " err
			# shellcheck disable=SC2086
			$c $option ./b a > out 2>> b && fail "$c: wrote to b twice"
			tail -n 1 b | grep -q "cannot write ./b: standard error is written to it, too; "
			sed '$d' b | cmp - a
			# shellcheck disable=SC2086
			run -2 $c $option a < a
			# shellcheck disable=SC2086
			run -2 $c $option "" a
			[[ $output == *": the argument is empty; is a shell variable not set?" ]] ||
			    fail "$c: $output"
		done
		# shellcheck disable=SC2086
		case $options in *" "*)
			cp a b
			ln -f b c
			for other in b ./c; do
				run -2 $c --archive "$other" --explain b a
				[[ $output == *": two options name it; "* ]]
				run -2 $c --dry-run --archive b --explain "$other" a
				cmp a b
			done
			rm b c
			run -2 $c --archive b --explain b a
			run -2 $c --archive b --explain ./b a
			[[ $output == *": two options name it; "* ]]
			# What is no file takes all.
			run -0 $c --archive /dev/null --explain /dev/null a ;;
		esac
		# shellcheck disable=SC2086
		run -2 $c ""
		[[ $output == *"a file name is empty; "* ]]
		# shellcheck disable=SC2086
		$c a >> a 2> err && fail "$c: wrote to its input"
		grep -q "cannot write standard output: it is an input file" err
		cmp a "$chat"
		# shellcheck disable=SC2086
		$c a > a 2> err && fail "$c: wrote to its input"
		grep -q "an input file (emptied by the shell), too; write to another file" err
		cp "$chat" a
	done < <(calls)
}

@test "a full device exits 2, also if only the last write fails" {
	[ -w /dev/full ] || fail "no /dev/full here"
	while read -r c; do
		run -2 sh -c "$c \"\$agent\" > /dev/full"
		[[ $output == *"No space left on device"* ]] ||
			fail "$c: $output"
		run -2 sh -c "${c%% *} --help > /dev/full"
	done < <(calls)
	for form in "" --json --sarif; do
		echo '{"role":"tool","tool_call_id":"x","content":"1"}' > in
		run -2 sh -c "ctx-check $form in > /dev/full"
		[[ $output == *"No space left on device"* ]]
	done
}

@test "reaching the file size limit exits 2 with one line" {
	for _ in 1 2 3 4 5 6 7 8; do cat "$chat"; done > big
	(
		ulimit -S -f 1
		for c in "ctx-prune -b 9M" "ctx-truncate -l 0" "ctx-check --repair" \
		    "ctx-count --annotate" "ctx-truncate -l 9 --archive arch"; do
			# shellcheck disable=SC2086 # a command and its options
			run -2 bash -c "$c big > out"
			[ "${#lines[@]}" -eq 1 ]
			[[ $output == *"cannot write "*": File too large" ]]
		done
	)
}

@test "a path that is too long is refused with the reason" {
	path=$(printf 'a/%.0s' {1..2100})x
	for c in "ctx-prune -b 8000" "ctx-truncate -l 100" "ctx-age --mask"; do
		for option in --archive --explain; do
			# shellcheck disable=SC2086 # a command and its options
			run -2 --separate-stderr $c $option "$path" "$chat"
			# As glibc says it, or musl.
			[[ $stderr == "${c%% *}: cannot open "*": File"*" too long" ]] ||
				fail "$c $option: $stderr"
			[ "${#stderr}" -lt 400 ]
			[ -z "$output" ]
		done
	done
}

@test "closed standard input or output exits 2; closed standard error is harmless" {
	run -2 sh -c 'ctx-prune -b 8000 "$agent" >&-'
	run -2 sh -c 'ctx-prune -b 8000 <&-'
	run -0 sh -c 'ctx-prune -b 8000 "$agent" 2>&- | wc -c'
	[ "$output" -gt 1000 ]
}

# What a command writes beside the stream holds nothing else, whatever is
# closed: the files right/* and those in the directory closed.
beside() { # COMMAND
	local c=$1 file
	for file in archive explain; do
		# An archive may end where the stream could not be written.
		if [ "$file" = archive ]; then
			cmp -n "$(wc -c < closed/archive)" closed/archive \
			    right/archive
		else
			# It names the archive.
			is_subsequence closed/explain \
			    <(sed 's|"right/|"closed/|' right/explain)
		fi || fail "$c: $file"
	done
}

@test "output meant for a closed descriptor is never written to a file opened later" {
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	mkdir right closed
	cp "$agent" in
	for c in "ctx-prune -b 8000" "ctx-truncate -l 100" "ctx-age -k 2 -o 300"; do
		# shellcheck disable=SC2086 # a command and its options
		$c --archive right/archive --explain right/explain in > out
		[ -s right/archive ]
		[ -s right/explain ]
		for without in "/dev/null" "nothing"; do
			tracer="strace -o trace -e trace=/^open -P /dev/null"
			tracer+=" -e inject=/^open:error=ENOENT"
			[ $without = /dev/null ] || tracer=
			rm -f closed/*
			run -2 sh -c "$tracer $c --archive closed/archive \
			    --explain closed/explain in >&-"
			[[ $output == *"cannot write standard output: "* ]]
			beside "$c >&-"
			rm -f closed/*
			run sh -c "$tracer $c --archive closed/archive \
			    --explain closed/explain in nowhere > out 2>&-"
			[ "$status" -eq 2 ]
			beside "$c 2>&-"
			rm -f closed/*
			run -2 sh -c "$tracer $c --archive closed/archive \
			    --explain closed/explain <&-"
			[[ $output == *": -: cannot read: "* ]] || fail "$output"
			[ ! -s closed/archive ]
		done
		rm right/*
	done
	# Where nothing can be put there nothing is begun.
	rm -f closed/*
	run -2 sh -c "strace -o trace -e trace=/^open -P /dev/null -P / \
	    -e inject=/^open:error=EMFILE \
	    ctx-prune -b 8000 --archive closed/archive in >&-"
	[[ $output == "ctx: cannot open /dev/null: "* ]]
	[ ! -e closed/archive ]
	run -2 sh -c "ctx-count --svg closed/svg -m gpt-4o in >&-"
	ctx-count --svg right/svg -m gpt-4o in
	[ ! -e closed/svg ] || cmp closed/svg right/svg
}

@test "each line on standard error is one write" {
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	echo '{"role":"tool","tool_call_id":"x","content":"1"}' > orphan
	echo 'x' > broken
	for c in "ctx-count broken" "ctx-check --repair orphan" \
	    "ctx-prune -b 1 $chat" "ctx-count --nothing"; do
		# shellcheck disable=SC2086 # a command and its operands
		strace -o trace -e trace=write,writev $c > out 2> err || true
		[ "$(wc -l < err)" -gt 0 ]
		[ "$(grep -c '^writev\?(2,' trace)" -le "$(wc -l < err)" ] ||
		    fail "$c: $(cat trace)"
	done
}

@test "an output file that is the vocabulary or models.json is refused" {
	cp "$BATS_TEST_DIRNAME/fuzz/seeds/token_file/json" vocabulary
	cp vocabulary kept
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	models=$XDG_CONFIG_HOME/ctx/models.json
	echo '{"mine":{"window":9000}}' > "$models"
	for c in "ctx-prune -b 300 -e vocabulary --explain" \
	    "ctx-truncate -l 9 -e ./vocabulary --archive" \
	    "ctx-count -e vocabulary --svg"; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c vocabulary "$chat"
		[[ $output == *": it is also read; "* ]]
		cmp vocabulary kept
		# shellcheck disable=SC2086
		run -2 $c "$models" "$chat"
		[[ $output == *": it is also read; "* ]]
	done
	CTX_ENCODING=vocabulary run -2 ctx-count --svg vocabulary "$chat"
	# One that a model of the user's names, used or not.
	echo "{\"mine\":{\"encoding\":\"$PWD/vocabulary\",\"window\":9000}}" \
	    > "$models"
	for c in "ctx-count --svg" "ctx-prune -b 300 --explain" \
	    "ctx-truncate -l 9 --explain" "ctx-truncate -l 9 --archive" \
	    "ctx-age -k 0 -S spool --explain" "ctx-cache --strip --explain" \
	    "ctx-restore -S spool --explain"; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c vocabulary "$chat"
		[[ $output == *": it is also read; "* ]] ||
		    fail "$c: $output"
		cmp vocabulary kept
	done
	grep -q '"window":9000' "$models"
	# A file with the name of one that is built in is none.
	ctx-count -e o200k_base --svg o200k_base "$chat"
	grep -q '<svg' o200k_base
}

@test "a reader that closes the pipe early ends a command silently" {
	for _ in 1 2 3 4 5 6 7 8; do cat "$agent"; done > big
	run sh -c 'ctx-prune -b 9M big 2> err | head -c 10 > /dev/null; cat err'
	[ -z "$output" ]
}

@test "control characters of the input are masked on the terminal" {
	printf '{"role":"user","content":"x"}\n' > $'evil\033[31m'
	run -0 ctx-count $'evil\033[31m'
	[[ $output == *'evil?[31m' ]]
	# In JSON they are escaped: nothing is lost.
	messages $'user:\xc2\x9b\xe2\x80\xae\x7f\xf3\xa0\x81\x81.' | jq -c '.name = .content |
	    {role: "tool", tool_call_id: "a", name, content}' > evil
	for c in "ctx-count --per tool --json" "ctx-check --json" \
	    "ctx-check --sarif" "ctx-age -o 0 -k 0 --mask -n --json"; do
		# shellcheck disable=SC2086 # a command and its options
		$c evil > out || [ $? -eq 1 ]
		LC_ALL=C run ! grep -q $'\xc2\x9b\|\xe2\x80\xae\|\x7f\|\xf3\xa0' out
	done
	ctx-count --per tool --json evil |
	    jq -es 'any(.tool == "\u009b\u202e\u007f\udb40\udc41.")'
}

@test "invisible characters in a name are masked" {
	# Zero width, fillers, soft hyphen, tags, notes between the lines.
	for unseen in '\u200b' '\u2060' '\u2064' '\u00ad' '\u180e' '\u115f' \
	    '\u3164' '\uffa0' '\ufff9' '\udb40\udc41' '\ufeff'; do
		printf '{"role":"tool","tool_call_id":"a","name":"run%s","content":"x"}\n' \
		    "$unseen" > named
		run -0 ctx-count --per tool named
		[[ $output == *'run?'* ]] || fail "$unseen: $output"
	done
	# Joiners are part of what is seen.
	printf '{"role":"tool","tool_call_id":"a","name":"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb","content":"x"}\n' > named
	run -0 ctx-count --per tool named
	[[ $output == *$'\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb'* ]]
}

@test "a file name that is not UTF-8 is masked in JSON" {
	cp "$chat" $'\xff.jsonl'
	echo '{"role":"tool","tool_call_id":"x","content":"1"}' >> $'\xff.jsonl'
	run -0 ctx-count --json $'\xff.jsonl'
	[ "$(jq -r .file <<< "$output")" = "?.jsonl" ]
	run -1 ctx-check --json $'\xff.jsonl'
	[ "$(jq -r .file <<< "$output")" = "?.jsonl" ]
	ctx-check --repair --explain e $'\xff.jsonl' > out
	[ "$(jq -r .file e)" = "?.jsonl" ]
}

# A right and a wrong value for an option, from what its row says.
values_of() { # option, arg, choices
	wrong='' right=x
	case $2 in
	N | S) wrong=x right=40 ;;
	'N|P%') wrong=x% right=90% ;;
	TIME) wrong=x right=2h ;;
	REGEX) wrong='(' right=a ;;
	H:T) wrong=3 right=1:1 ;;
	*%,*) wrong=x right=1%,2% ;;
	POLICY) wrong=x right=-b500 ;;
	*,*) wrong=x right=1,2,3,4 ;;
	esac
	[ -z "$3" ] || wrong=nonsense right=${3%% *}
	case $1 in
	path-format) wrong=x right='{tool}-{sha256}.md' ;;
	# Any name of a model will do: a stream may know better.
	model) wrong='' ;;
	diff) right=$chat ;;
	older-than) wrong=2x right=2h ;;
	esac
}

@test "every option accepts valid values and refuses invalid ones" {
	local option arg choices wrong right
	while read -r c; do
		"${c%% *}" --list-options | cut -f 2- | tr '\t' '\037' > table
		while IFS=$'\037' read -r option arg _ choices; do
			# Files are replaced in in-place.bats.
			case $option in
			help | version | follow | in-place) continue ;;
			esac
			if [ -z "$arg" ]; then
				# shellcheck disable=SC2086 # options
				run -2 $c "--$option=x" "$chat"
				[[ $output == *"--$option takes no argument"* ]]
				continue
			fi
			# shellcheck disable=SC2086
			run -2 $c "--$option"
			[[ $output == *"--$option needs an argument, $arg"* ]]
			values_of "$option" "$arg" "$choices"
			if [ -n "$wrong" ]; then
				# shellcheck disable=SC2086
				run $c "--$option" "$wrong" "$chat"
				[ "$status" -eq 2 ] ||
					fail "$c --$option $wrong: $output"
				[[ $output == *"$option"* || $output == *"$wrong"* ]] ||
					fail "$c --$option $wrong: $output"
			fi
			# What another option has written is not overwritten.
			rm -rf x
			# shellcheck disable=SC2086
			run timeout 20 $c "--$option" "$right" "$chat"
			[[ $status -lt 2 || $output == *" needs "* ||
				$output == *" be combined with "* || $output == *" has no effect with "* || $output == *" go without "* ||
				$output == *" exclude each other"* ]] ||
				fail "$c --$option $right: $output"
		done < table
	done < <(calls)
}

@test "no command leaves a core file" {
	[ "$(uname)" = Linux ] || skip "no limits of others can be seen here"
	# Whoever runs this may have one, and no sanitizer sees to it first.
	ulimit -S -c "$(ulimit -H -c)"
	export ASAN_OPTIONS=$ASAN_OPTIONS:disable_coredump=0:handle_segv=0
	mkfifo pipe
	mkdir here
	cd here
	exec 9<> ../pipe
	while read -r c; do
		# shellcheck disable=SC2086 # a command and its options
		$c < ../pipe > ../out 2>&1 3>&- &
		for ((i = 0; i < 1000; i++)); do
			limit=$(grep '^Max core' /proc/$!/limits) || break
			[[ ! $limit =~ size\ +0\ +0 ]] || break
			sleep 0.01
		done
		kill -SEGV $! || fail "$c: $(cat ../out)"
		status=0
		wait $! 2> /dev/null || status=$?
		[ "$i" -lt 1000 ] || fail "$c: $limit"
		[ "$status" -eq 139 ] || fail "$c: $status, $(cat ../out)"
		[ -z "$(find . -name '*core*')" ] || fail "$c: $(find .)"
	done < <(calls)
}

@test "commands are not dumpable, so no core file collector gets their memory" {
	[ "$(uname)" = Linux ] || skip "no such programs here"
	command -v strace > /dev/null || fail "no strace here"
	want='^prctl(PR_SET_DUMPABLE, \(SUID_DUMP_DISABLE\|0\)[,)].* = 0'
	while read -r c; do
		# shellcheck disable=SC2086 # options; LeakSanitizer as below
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -o trace \
		    -e trace=prctl $c < /dev/null > out 2>&1 || true
		# LeakSanitizer could not trace such a process.
		if grep -q __asan_init "$(command -v "${c%% *}")"; then
			run ! grep -q PR_SET_DUMPABLE trace
		else
			grep -q "$want" trace || fail "$c: $(cat trace)"
		fi
	done < <(calls)
}

@test "in the sandbox hash tables still get a random key" {
	[ "$(uname)" = Linux ] || skip "no sandbox here"
	command -v strace > /dev/null || fail "no strace here"
	# LeakSanitizer does not work under strace.
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -o trace \
	    -e trace=openat,getrandom ctx-check "$chat"
	grep -q '^getrandom(.*, 16, 0) *= 16' trace
	run ! grep urandom trace
}

@test "ctx-prune enters the sandbox, and its summarizer or embedder runs outside" {
	[ "$(uname)" = Linux ] || skip "no sandbox here"
	# What strace sees of an emulator are its own calls.
	[ "$(head -c 4 "$(command -v ctx-prune)" | tail -c 3)" = ELF ] || return 0
	# With AddressSanitizer there is none.
	never=$(grep -c __asan_init "$(command -v ctx-prune)" || true)
	command -v strace > /dev/null || fail "no strace here"
	export CTX_SUMMARIZER CTX_EMBEDDER
	while IFS='|' read -r CTX_SUMMARIZER CTX_EMBEDDER options enters; do
		# shellcheck disable=SC2086 # options, LeakSanitizer as above
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -o trace \
		    -e trace=landlock_create_ruleset \
		    ctx-prune $options "$chat" > out
		entered=no
		! grep -q '^landlock_create_ruleset' trace || entered=yes
		[ "$never" -eq 0 ] || enters=no
		[ "$entered" = "$enters" ] ||
			fail "'$CTX_SUMMARIZER' '$CTX_EMBEDDER' $options"
	done <<-'X'
		cat|cat|-b 16k|yes
		cat|cat|-s heuristic -b 16k|yes
		|tee texts > lines; sed 's/.*/[1]/' lines|-s recall -b 1000|yes
		tee messages > copy; echo Hi||-s summarize -b 1000|yes
		||-s recall -b 1000|yes
		||-s summarize -b 1000|yes
		||-s recall --no-sandbox -b 1000|no
	X
	# Both commands could write files.
	[ -s texts ]
	[ -s messages ]
}

@test "output to a non-blocking pipe is complete" {
	[ -e /proc/self/fd ] || skip "no names of open files here"
	ctx-count --models > want
	# The pipe is made small, and read late.
	perl -e 'use Fcntl; fcntl(STDOUT, F_SETFL, O_NONBLOCK) or die;
	    fcntl(STDOUT, 1031, 4096); exec "ctx-count", "--models"' |
	    { sleep 0.2; cat; } > out
	cmp want out
	# A socket cannot be opened once more; the GNU C library can do
	# without.
	for _ in {1..90}; do
		cat "$chat"
	done > long
	ctx-count --per message long > want
	grep -q GLIBC "$(command -v ctx-count)" || return 0
	cat > socket.pl <<-'X'
		use Fcntl; use Socket;
		socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0) or die;
		fcntl($theirs, F_SETFL, O_NONBLOCK) or die;
		setsockopt($theirs, SOL_SOCKET, SO_SNDBUF, 4096) or die;
		my $pid = fork;
		if ($pid == 0) {
			close $ours;
			open STDOUT, ">&", $theirs or die;
			open STDERR, ">&", $theirs or die if $ENV{both};
			$SIG{PIPE} = "IGNORE";
			exec @ARGV;
		}
		if ($ENV{deaf}) {
			close $ours;
			waitpid $pid, 0;
			exit($? >> 8 | $? & 127);
		}
		close $theirs;
		select undef, undef, undef, 0.2;
		print while <$ours>;
		waitpid $pid, 0;
		exit($? >> 8 | $? & 127);
	X
	perl socket.pl ctx-count --per message long | cmp want -
	perl socket.pl ctx-count --per message long > out
	perl socket.pl ctx-count --annotate long > out
	ctx-count --annotate long | cmp out -
	run -2 env both=1 perl socket.pl ctx-count --none
	[[ $output == "ctx-count: there is no option --none"* ]]
	# The command ends when its reader has closed the socket.
	run -2 env deaf=1 timeout 20 perl socket.pl ctx-count --annotate long
	run -2 env deaf=1 timeout 20 perl socket.pl ctx-count --per message long
}

# A socket of the name $1, which nobody listens to.
make_socket() {
	perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0])
	    or die $!' "$1"
}

@test "a FIFO without a reader or writer, or a socket, is refused without waiting" {
	mkfifo p
	make_socket s
	while IFS='|' read -r c option; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 --separate-stderr timeout 5 $c $option p "$chat"
		[[ $stderr == "${c%% *}: "*p": "*" this FIFO; start its "*" first" ]] ||
			fail "$c $option p: $stderr"
		# shellcheck disable=SC2086
		run -2 --separate-stderr timeout 5 $c $option s "$chat"
		[[ $stderr == "${c%% *}: "*"cannot open "*s": it is a socket; name a regular file" ]] ||
			fail "$c $option s: $stderr"
	done <<-'X'
		ctx-count|-e
		ctx-prune -b 1000|-e
		ctx-truncate --unit tokens|-e
		ctx-age|-e
		ctx-prune -b 1000|--archive
		ctx-truncate|--archive
		ctx-age|--archive
		ctx-check --repair|--archive
		ctx-count --annotate|--archive
		ctx-prune -b 1000|--explain
		ctx-age|--explain
		ctx-check --repair|--explain
		ctx-count --annotate|--explain
		ctx-count|--svg
	X
}

@test "pipes, FIFOs with a reader or writer, and devices work as files" {
	vocabulary=${BATS_TEST_DIRNAME}/fuzz/seeds/token_file/json
	ctx-prune -b 1000 --archive gone "$chat" > want
	ctx-prune -b 1000 --explain log "$chat" | cmp - want
	ctx-prune -b 1000 --archive /dev/null --explain /dev/null "$chat" |
		cmp - want
	mkfifo p
	for option in --archive --explain; do
		case $option in
		--archive) file=gone ;;
		*) file=log ;;
		esac
		{ sleep 0.3; cat p; } > got &
		ctx-prune -b 1000 "$option" p "$chat" > out
		wait $!
		cmp want out
		cmp "$file" got
		ctx-prune -b 1000 "$option" /dev/stderr "$chat" 2>&1 > out |
			cmp - "$file"
	done
	ctx-count -q --svg want.svg "$chat"
	{ sleep 0.3; cat p; } > got &
	ctx-count -q --svg p "$chat"
	wait $!
	cmp got want.svg
	[[ $(ctx-count -q --svg /dev/stdout "$chat") == *"<svg"* ]]
	ctx-count -e "$vocabulary" "$chat" > want
	ctx-count -e <(cat "$vocabulary") "$chat" | cmp - want
	{ sleep 0.3; cat "$vocabulary" > p; } &
	ctx-count -e p "$chat" | cmp - want
	wait $!
}

@test "--reasoning fail changes nothing in a stream that breaks off" {
	# Signed reasoning could have followed in what was not read.
	bound_talk "$(words 60)" | grep -v Eq > t
	printf '%s\n' '{"broken' >> t
	for command in "ctx-truncate -l 20" "ctx-truncate --message-limit 20" \
	    "ctx-age -k 0 -o 20 -S spool" "ctx-prune -k 1 -t 0 -b 30"; do
		rc=0
		$command -d anthropic --reasoning fail t > out 2> err || rc=$?
		[ $rc -eq 2 ] || fail "$command: status $rc"
		head -c "$(stat -c %s out)" t | cmp - out || fail "$command"
		# What does not bind is edited up to there, but by ctx-prune,
		# which needs the whole conversation.
		rc=0
		$command -d anthropic -m claude-opus-4-8 --reasoning fail t \
		    > out 2> err || rc=$?
		[ $rc -eq 2 ] || fail "$command: status $rc"
		[[ $command = ctx-prune* ]] ||
			! head -c "$(stat -c %s out)" t | cmp -s - out ||
			fail "$command: nothing changed"
	done
}

@test "records without any message exit 2 where they are judged, and pass elsewhere" {
	local gates='ctx-count --max 9 | ctx-check | ctx-check --repair |
	    ctx-prune -b 9 | ctx-prune -b 9 -n'
	: > empty
	printf '\n\n' > blank
	echo '{"level":"info"}' > none
	{ cat none; messages user:hi; cat none; } > mixed
	echo 'no JSON' > text
	tr '|' '\n' <<< "${gates//$'\n'/}" > list
	while read -r gate; do
		run -2 $gate none
		[[ $output == *"none:1: no messages were found"* ]]
		run -2 $gate --lenient text
		status_of_empty=0
		[ "$gate" != ctx-check ] || status_of_empty=2
		run -$status_of_empty $gate empty
		run -$status_of_empty $gate blank
		run -0 $gate mixed
	done < list
	for c in "ctx-prune -b 9" "ctx-check --repair"; do
		$c none 2> said > out || [ $? -eq 2 ]
		cmp none out
		$c mixed | cmp - mixed
	done
	for c in ctx-count "ctx-prune -m gpt-4o" ctx-truncate ctx-age ctx-cache; do
		run -0 $c none
	done
	# A file that cannot be judged is not replaced.
	run -2 ctx-check --repair -i none
	[[ $output == *"none was not replaced"* ]]
}

@test "a terminal on standard input is reported after a second, unless something is typed" {
	command -v script > /dev/null || fail "no script(1) here"
	for c in ctx-count "ctx-count --text" ctx-truncate; do
		sleep 2 | script -qec "$c" raw > shown
		grep -q "${c%% *}: reading from the terminal; name a file" shown
	done
	{ echo '{"role":"user","content":"hi"}'; sleep 1.5; } |
		script -qec ctx-count raw > shown
	run ! grep -q 'reading from' shown
	run -0 ctx-count "$chat"
	[[ $output != *"reading from"* ]]
}
