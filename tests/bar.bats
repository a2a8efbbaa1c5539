# ctx-count --bar: the context bar, on a terminal, in a log and in a file

load helper

# A conversation of exactly $1 tokens, framing and all.
exactly() {
	printf '{"role":"user","content":"%s"}\n' \
	    "$(printf ' a%.0s' $(seq $(($1 - 7))))"
}

@test "--bar says how full the window is: MOSTLY FREE, OVER HALF FULL, FILLING UP, NEARLY FULL, OVERFULL" {
	exactly 1190 > t
	[ "$(tokens -e o200k_base t)" -eq 1190 ]
	zone() {
		ctx-count --bar -e o200k_base --window "$1" t | sed -n 's/.*% //p;2q'
	}
	[ "$(zone 2381)" = "MOSTLY FREE" ]
	[ "$(zone 2380)" = "OVER HALF FULL" ]
	[ "$(zone 1700)" = "OVER HALF FULL" ]
	[ "$(zone 1699)" = "FILLING UP" ]
	[ "$(zone 1400)" = "FILLING UP" ]
	[ "$(zone 1399)" = "NEARLY FULL" ]
	[ "$(zone 1190)" = "NEARLY FULL" ]
	[ "$(zone 1189)" = OVERFULL ]
	# Without a window there is no zone, and shares are of the whole.
	run -0 ctx-count --bar -e o200k_base t
	[ "${lines[1]}" = "1.2k tokens" ]
	[[ $output != *[A-Z][A-Z][A-Z][A-Z]\ * && $output != *50%* ]]
	[[ ${lines[-1]} == "U user "*" 1.2k  99.7%" ]]
}

@test "--bar colours each zone; a log, NO_COLOR and --color never get no escape sequences" {
	exactly 1190 > t
	for pair in 2381:77 2000:220 1500:208 1300:203 1000:196; do
		ctx-count --bar --color always -e o200k_base \
		    --window "${pair%:*}" t > out
		grep -q $'\033\[30;48;5;'"${pair#*:}"m out || fail "$pair"
	done
	export TERM=xterm-256color
	ctx-count --bar --window 2000 t > out
	run ! grep -q $'\033' out
	ctx-count --bar --color never --window 2000 t | cmp - out
	NO_COLOR=1 ctx-count --bar --window 2000 t | cmp - out
	# Without its colours the picture is the same.
	ctx-count --bar --color always --window 2000 t |
	    sed 's/\x1b\[[0-9;]*m//g' | cmp - out
	run -2 ctx-count --bar --color sometimes t
	[[ $output == *"not one of auto, always, never"* ]]
}

@test "--bar prints no line wider than the terminal, and a bar exactly as wide" {
	for width in 24 30 36 37 40 60 74 79 80 81 111 200 400; do
		for window in 1k 90k 110302 128k 10M; do
			COLUMNS=$width ctx-count --bar -m gpt-4o \
			    --window $window "$agent" > out
			sed -i 1d out # a path
			[ "$(sed -n 2p out | tr -d '\n' | wc -c)" -eq "$width" ] ||
				fail "$width: $(sed -n 2p out)"
			awk -v w="$width" 'length > w { exit 1 }' out ||
				fail "$width: $(cat out)"
		done
	done
	# What has room beside the place of the largest: its role, its tool.
	for width in 30 40 80; do
		COLUMNS=$width ctx-count --bar --top 2 -m gpt-4o "$agent" |
		    tail -n 2 > out
		awk -v w="$width" 'length > w { exit 1 }' out
		[ "$(grep -c ':262' out)" -eq 1 ] || fail "$width: $(cat out)"
		[ "$(grep -c ':262 .*tool' out)" -eq $((width >= 40)) ] ||
			fail "$width: $(cat out)"
	done
	for width in 0 -5 abc 99999999999999999999; do
		COLUMNS=$width run -0 ctx-count --bar "$agent"
		[ "${#lines[2]}" -le 400 ]
	done
}

@test "--bar: a part with more tokens is never narrower than one with fewer" {
	local width window
	for width in 30 60 80 111; do
		for window in 90k 128k 1M 3M; do
			COLUMNS=$width ctx-count --bar -m gpt-4o \
			    --window $window "$agent" > out
			# Of each part: its letter, tokens and cells.
			sed 1,4d out | grep -o '[A-Z1-9] [a-z_]*  *[0-9.]*k\{0,1\}  *[0-9.]*%' |
			    awk -v bar="$(sed -n 3p out)" '{
				n = $3 ~ /k/ ? $3 * 1000 : $3 + 0
				print $1, n, gsub($1, "", bar) }' | sort -k 2,2n > parts
			[ "$(wc -l < parts)" -ge 8 ] || fail "$(cat out)"
			awk '$2 > tokens && $3 < cells { exit 1 }
			    { tokens = $2; cells = $3 }' parts ||
				fail "$width $window: $(cat out parts)"
		done
	done
}

@test "--bar counts a wide character as two columns" {
	jq -nc '{role: "assistant", content: null, tool_calls: [{id: "a", type:
	    "function", function: {name: $name, arguments: "{}"}}]},
	    {role: "tool", tool_call_id: "a", content: "x"}' \
	    --arg name ab > narrow
	for name in 天 한 ａ 🔧; do
		sed "s/ab/$name/" narrow > wide
		for file in narrow wide; do
			COLUMNS=60 ctx-count --bar $file | grep "^1 " > $file.out
		done
		sed "s/^1 ab /1 $name /" narrow.out > want
		# Their figures differ, not where they stand.
		cmp <(tr 0-9 0 < want) <(tr 0-9 0 < wide.out) ||
			fail "$(cat narrow.out wide.out)"
	done
}

@test "--bar: the colours of neighbours differ, and can be seen on dark and on light ground" {
	for n in {1..9}; do
		jq -nc --arg n "$n" '{role: "assistant", content: null, tool_calls:
		    [{id: $n, type: "function", function: {name: $n, arguments: "{}"}}]},
		    {role: "tool", tool_call_id: $n, content: ("word " * 9)}'
	done > in
	COLUMNS=200 ctx-count --bar --color always in | sed -n 3p |
	    grep -o '48;5;[0-9]*' | cut -d ';' -f 3 | uniq > colors
	[ "$(wc -l < colors)" -eq 10 ]
	# The relative luminance of WCAG 2 of colours of 256.
	awk 'function linear(c) {
		c /= 255
		return c <= 0.04045 ? c / 12.92 : exp(2.4 * log((c + 0.055) / 1.055))
	}
	function level(n) { return n == 0 ? 0 : 55 + 40 * n }
	{
		if ($1 >= 232)
			r = g = b = 8 + 10 * ($1 - 232)
		else {
			n = $1 - 16
			r = level(int(n / 36))
			g = level(int(n / 6) % 6)
			b = level(n % 6)
		}
		l = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
		if ((l + 0.05) / 0.05 < 4.5 || 1.05 / (l + 0.05) < 2)
			exit bad = 1
		ratio = (l + 0.05) / (last + 0.05)
		if (NR > 1 && ratio < 1.25 && ratio > 1 / 1.25)
			exit bad = 1
		last = l
	}
	END { exit bad }' colors || fail "$(cat colors)"
}

@test "--bar: the tokens of the legend add up and agree with --per role and --per tool" {
	# Short numbers are exact below 1,000; larger ones are rounded.
	short() {
		awk '$1 < 1000 { print; next }
		    { printf($1 < 9950 ? "%.1fk\n" : "%.0fk\n", $1 / 1e3) }'
	}
	for f in "$agent" "$BATS_TEST_DIRNAME"/corpus/{anthropic,gemini}/agent.jsonl \
	    "$BATS_TEST_DIRNAME"/corpus/{bedrock/steps,codex/rollout}.jsonl; do
		ctx-count --json -m gpt-4o --per tool "$f" > tools
		COLUMNS=40 ctx-count --bar --billed never -m gpt-4o "$f" |
		    tail -n +5 > legend
		while read -r name tokens; do
			grep -q "^[1-9] $name  *$tokens " legend ||
				fail "$f: $name $tokens: $(cat legend)"
		done < <(paste -d ' ' <(jq -r 'select(.tool != "-").tool' tools) \
		    <(jq 'select(.tool != "-").tokens' tools | short))
		[ "$(grep -c '^[1-9] ' legend)" -eq $(($(wc -l < tools) - 1)) ]
	done
	for role in system user; do
		want=$(ctx-count --json -m gpt-4o --per role "$agent" |
		    jq --arg r $role 'select(.role == $r).tokens' | short)
		COLUMNS=40 ctx-count --bar -m gpt-4o "$agent" |
		    grep -q "^. $role  *$want " || fail "$role $want"
	done
	exactly 300 > small
	jq -nc '{role: "assistant", content: "so", tool_calls: [{id: "a", type:
	    "function", function: {name: "x", arguments: "{}"}}]},
	    {role: "tool", tool_call_id: "a", content: "x y z"}' >> small
	COLUMNS=40 ctx-count --bar -m gpt-4o small | tail -n +5 > legend
	[ "$(awk '{ n += $(NF - 1) } END { print n }' legend)" -eq \
	    $(($(tokens -m gpt-4o small) - 3)) ]
	# Results within messages of the user are those of their tools.
	run -0 ctx-count --bar "$BATS_TEST_DIRNAME/corpus/anthropic/agent.jsonl"
	[[ $output == *"1 Bash "* ]]
	# A request has tools and a system prompt beside its messages.
	COLUMNS=40 run -0 ctx-count --bar "$BATS_TEST_DIRNAME/corpus/requests/anthropic.json"
	[[ $output == *"D tools defined "* && $output == *"S system "* ]]
}

@test "--bar: results of several tools in one message count for their own tools" {
	cat > in <<'X'
{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}},{"type":"tool_use","id":"b","name":"y","input":{"p":"some long text here"}},{"type":"tool_use","id":"c","name":"x","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"one two three"},{"type":"tool_result","tool_use_id":"b","content":"one two three four five six"},{"type":"tool_result","tool_use_id":"c","content":"one two"},{"type":"text","text":"so what"}]}
X
	COLUMNS=40 ctx-count --bar -e o200k_base in | tail -n +4 |
	    awk '{ print $2, $3 }' | sort > legend
	printf '%s\n' 'assistant 4' 'user 6' 'x 57' 'y 56' | diff - legend
	# The message counts for each.
	ctx-count --per tool -e o200k_base --tsv in | cut -f 1,2,8 | sort > got
	printf '%s\t%s\t%s\n' '~56' 2 y '~57' 2 x 13 2 - tokens messages tool |
	    sort | diff - got
}

@test "--svg writes a well-formed picture and escapes every text of the input" {
	cat > evil.jsonl <<'X'
{"role":"user","content":"x"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"</text><script>&\"'\u0000\u001b\uffff","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"c","content":"result"}
X
	cp evil.jsonl 'a<b>&"c.jsonl'
	run -0 ctx-count --svg out.svg -m gpt-4o 'a<b>&"c.jsonl' "$agent"
	# The counts are printed as ever.
	[ "${#lines[@]}" -eq 3 ]
	[ "$(head -n 1 out.svg)" = '<?xml version="1.0" encoding="UTF-8"?>' ]
	[ "$(tail -n 1 out.svg)" = '</svg>' ]
	run ! grep -q '<script\|a<b>' out.svg
	grep -q 'a&#60;b&#62;&#38;&#34;c.jsonl' out.svg
	LC_ALL=C run ! grep -q $'[\x01-\x08\x0b-\x1f]' out.svg
	# Every element is closed, and no & stands for itself.
	sed 's/&#[0-9]*;//g' out.svg > plain
	run ! grep -q '&' plain
	[ "$(grep -o '<text' plain | wc -l)" -eq "$(grep -o '</text>' plain | wc -l)" ]
	[ "$(grep -c '<rect\|<path' plain)" -eq "$(grep -c '<\(rect\|path\)[^<>]*/>' plain)" ]
	grep -q '86.2% NEARLY FULL' out.svg
	# Nor what turns the direction of a line, or ends it; all else is there.
	name=$(printf 'x\342\200\256y\342\200\250\342\201\246\357\277\276z')
	cp "$chat" "$name-😀-ø"
	ctx-count -q --svg turned.svg "$name-😀-ø"
	grep -q '>x?y???z-😀-ø<' turned.svg
	run -0 ctx-count --bar --svg two.svg -m gpt-4o 'a<b>&"c.jsonl' "$agent"
	cmp out.svg two.svg
	: > nothing
	run -0 ctx-count --svg none.svg nothing
	[ "$(tail -n 1 none.svg)" = '</svg>' ]
	run -2 ctx-count --svg no/such/dir.svg "$agent"
	[[ $output == *"cannot write no/such/dir.svg: No such file"* ]]
	run -2 ctx-count --svg /dev/full "$agent"
	[[ $output == *"No space left"* ]]
}

@test "--svg replaces the file atomically and keeps its mode; if that fails, the old file is unchanged" {
	ctx-count --svg a.svg -m gpt-4o "$agent"
	[ "$(stat -c %a a.svg)" = 600 ]
	echo '<?xml old?><!-- written by ctx-count -->' > b.svg
	chmod 640 b.svg
	exec 5< b.svg
	ctx-count --svg b.svg -m gpt-4o "$agent"
	cmp a.svg b.svg
	[ "$(stat -c %a b.svg)" = 640 ]
	[ "$(cat <&5)" = '<?xml old?><!-- written by ctx-count -->' ]
	# No room for another: the old one stays, and nothing beside it.
	echo '<?xml old?><!-- written by ctx-count -->' > b.svg
	(
		ulimit -S -f 1
		run -2 --separate-stderr ctx-count -q --svg b.svg "$agent"
		[ "$stderr" = "ctx-count: cannot write b.svg: File too large" ]
	)
	[ "$(cat b.svg)" = '<?xml old?><!-- written by ctx-count -->' ]
	[ "$(echo .tmp*)" = '.tmp*' ]
	# A link, another name of a file, and a pipe are written to.
	mkdir other
	ln -s other/c.svg link.svg
	ln b.svg second.svg
	for name in link.svg link.svg second.svg; do
		ctx-count --svg $name -m gpt-4o "$agent"
	done
	[ -L link.svg ]
	cmp a.svg other/c.svg
	cmp a.svg b.svg
	ctx-count -q --svg >(cat > pipe) -m gpt-4o "$agent"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		grep -q '</svg>' pipe && break
		sleep 0.1
	done
	cmp a.svg pipe
}

@test "--svg keeps the group of the file, or writes in place if it cannot" {
	[ "$(uname)" = Linux ] || return 0
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	ctx-count -q --svg a.svg "$agent"
	cp a.svg want
	# Another group of the user's, where there is one; root has them all.
	other=$(id -G | tr ' ' '\n' | grep -vx "$(stat -c %g a.svg)" |
	    head -n 1) || :
	[ "$(id -u)" != 0 ] || other=54321
	echo '<?xml old?><!-- written by ctx-count -->' > a.svg
	chgrp "${other:-$(id -g)}" a.svg
	chmod 640 a.svg
	was=$(stat -c '%u %g %a' a.svg)
	inode=$(stat -c %i a.svg)
	ctx-count -q --svg a.svg "$agent"
	cmp a.svg want
	[ "$(stat -c '%u %g %a' a.svg)" = "$was" ]
	[ "$(stat -c %i a.svg)" != "$inode" ]
	# Who may not give the new one away writes the old one.
	echo '<?xml old?><!-- written by ctx-count -->' > a.svg
	inode=$(stat -c %i a.svg)
	strace -o trace -e trace=/^fchown -e inject=/^fchown:error=EPERM \
	    ctx-count -q --svg a.svg "$agent"
	cmp a.svg want
	[ "$(stat -c '%i %u %g %a' a.svg)" = "$inode $was" ]
	[ "$(echo .tmp*)" = '.tmp*' ]
}

@test "--svg leaves the old picture unchanged if a new file cannot be created" {
	[ "$(uname)" = Linux ] || return 0
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	echo '<?xml old?><!-- written by ctx-count -->' > a.svg
	strace -o trace -e trace=openat ctx-count -q --svg a.svg "$agent"
	at=$(grep -c '' < <(sed '/\.tmp-/q' trace))
	for error in ENOSPC EMFILE EDQUOT EIO; do
		echo '<?xml old?><!-- written by ctx-count -->' > a.svg
		run -2 strace -o trace -e trace=openat \
		    -e inject=openat:error=$error:when="$at" \
		    ctx-count -q --svg a.svg "$agent"
		[[ $output == "ctx-count: cannot write a.svg: "* ]]
		grep -q 'tmp-.*INJECTED' trace
		[ "$(cat a.svg)" = '<?xml old?><!-- written by ctx-count -->' ]
	done
}

@test "--svg writes in place if the path is too long for a temporary name" {
	ctx-count -q --svg want "$agent"
	echo '<?xml old?><!-- written by ctx-count -->' > a.svg
	inode=$(stat -c %i a.svg)
	ctx-count -q --svg "$(printf './%.0s' $(seq 2044))a.svg" "$agent"
	cmp a.svg want
	[ "$(stat -c %i a.svg)" = "$inode" ]
}

@test "--svg: a signal ends a command that waits for the reader of a pipe" {
	mkfifo p
	# Without a reader it ends by itself (common.bats); a reader that reads
	# nothing keeps it, until a signal.
	many=()
	for n in {1..200}; do
		cp "$chat" "$n"
		many+=("$n")
	done
	ctx-count -q --svg large "${many[@]}"
	[ "$(wc -c < large)" -gt 70000 ]
	exec 5<> p
	run -124 timeout -k 2 1 ctx-count -q --svg p "${many[@]}"
	exec 5>&-
}

# Waits until the last picture of follow's output matches.
shows() {
	for _ in $(seq 100); do
		tail -n 20 out | grep -q "$1" && return
		sleep 0.1
	done
	fail "$1: $(cat out)"
}

@test "--follow redraws when a file grows, is replaced or is truncated" {
	exactly 100 > t
	ctx-count --follow -e o200k_base t > out 2> err &
	pid=$!
	shows "^100 tokens"
	# Half a line is no line, and nothing to complain of.
	printf '{"role":"user","con' >> t
	sleep 0.5
	echo 'tent":"a"}' >> t
	shows "^105 tokens"
	exactly 50 > new
	mv new t
	shows "^50 tokens"
	exactly 20 > t
	shows "^20 tokens"
	rm t
	sleep 0.5
	exactly 30 > t
	shows "^30 tokens"
	kill "$pid"
	wait "$pid" || true
	[ ! -s err ] || fail "$(cat err)"
	run ! grep -q $'\033' out
}

@test "--follow follows a symbolic link to its new target and waits for a file that is missing" {
	mkdir data links
	exactly 100 > data/a
	exactly 50 > data/b
	ln -s ../data/a links/now
	ctx-count --follow -e o200k_base links/now > out 2> err &
	pid=$!
	shows "^100 tokens"
	ln -sfn ../data/b links/now
	shows "^50 tokens"
	exactly 30 > data/new
	mv data/new data/b
	shows "^30 tokens"
	kill "$pid"
	wait "$pid" || true
	[ ! -s err ] || fail "$(cat err)"

	exactly 100 > a
	exactly 50 > b
	ctx-count --follow -e o200k_base a b > out 2> err &
	pid=$!
	shows "^50 tokens"
	rm a
	exactly 40 > b
	sleep 0.5
	exactly 20 > new
	mv new a
	shows "^20 tokens"
	shows "^40 tokens"
	kill "$pid"
	wait "$pid" || true
	[ ! -s err ] || fail "$(cat err)"
}

@test "--follow on a terminal draws over its last picture, or clears a small screen" {
	command -v script > /dev/null || fail "no script(1) here"
	for rows in 24 2; do
		exactly 100 > t
		: > out
		TERM=xterm script -qfec "stty rows $rows cols 80; echo \$\$ > pid
		    exec ctx-count --follow -e o200k_base t" out < /dev/null \
		    > /dev/null &
		shows "^100 tokens"
		exactly 50 > t
		shows "50 tokens"
		kill "$(cat pid)"
		wait
		if [ "$rows" -eq 2 ]; then
			grep -q $'^\033\[H\033\[J' out
		else
			grep -q $'^\033\[4A\033\[J' out
		fi || fail "$rows: $(cat -v out)"
	done
}

@test "--bar and --follow refuse options that contradict them, and --follow needs files" {
	for option in --json --tsv "--per role" --text --calibrate --annotate; do
		# shellcheck disable=SC2086 # an option and its argument
		run -2 ctx-count --bar $option "$agent"
		[[ $output == *"--bar and --follow cannot be combined with"* ]]
	done
	run -2 ctx-count --follow < "$agent"
	[[ $output == *"--follow cannot read standard input"* ]]
	run -2 ctx-count --follow -
	run -2 ctx-count --follow nowhere.jsonl
	[[ $output == *"nowhere.jsonl"*"No such file"* ]]
	run -2 sh -c 'ctx-count --bar "$agent" > /dev/full'
	# Where nothing can be drawn there is nothing to wait for.
	run -2 timeout 60 sh -c 'ctx-count --follow "$agent" > /dev/full'
	[[ $output == "ctx-count: cannot write standard output: No space"* ]]
}

@test "--bar exits 1 over --max, and --top names the place of the largest messages" {
	run -1 ctx-count --bar -m gpt-4o --max 70% "$agent"
	run -0 ctx-count --bar -m gpt-4o --top 2 "$agent"
	[[ ${lines[-1]} == *"agent.jsonl:"[0-9]*" tool "* ]]
	run -0 ctx-count --bar < /dev/null
	[[ ${lines[1]} == "0 tokens"* ]]
}
