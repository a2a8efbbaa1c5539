# Every option of every table takes a right value and refuses a wrong one.

load helper

# By command and option, by the option's name, else by what its help calls the argument: a value that
# is taken, one that is refused ("free": any text will do, and only its lack
# is refused), and what the option needs beside it.
VALUES='
N               5               5x
N|P%            50%             x%               -mgpt-4o
TIME            2h              2x
REGEX           run|read        (
NAME|FILE       cl100k_base     no-such
FILE            made            no/such/made
DIR             kept            /dev/null/kept
UNIT            bytes           stones
WHAT            -               stones
key             tokens          free             --annotate
ctx-count/annotations github gitlab         --max=9k
annotations     github          gitlab
bound           upper           lower            --calibrate
path-format     {tool}-{sha256} {tool}
model           gpt-4o          free
price           3,15,0.3,3.75   3,x              --diff=few
diff            few             no-such
after           few             no-such
svg             picture         no/such/made     --bar
color           never           sometimes        --bar
billed          always          sometimes
trigger-messages 5              x                -ssummarize
window          9k              9kk
ctx-count/reserve 9             9kk              -mgpt-4o
ctx-prune/tool  ^r              (                -laggressive
ctx-prune/not-tool ^r           (                -laggressive
pin-role        user            nobody
window-turns    2               x                -swindow
keep-first      2               x                -smiddle-out
summary-tokens  50              x                -ssummarize
summarizer      wc              free             -ssummarize
prompt          short           free             -ssummarize --summarizer=wc
timeout         5               x                -ssummarize --summarizer=wc
on-failure      builtin         nothing          -ssummarize --summarizer=wc
query           what            free             -srecall
embedder        ./one            free             -srecall
notice          gone            free
ratio           1:1             1:
provider        anthropic       no-such
ctx-restore/spool kept          free
ctx-eval/timeout 5              x
policy          cat             name=
P%,...          30%,50%         0%
ctx-replay/policy few=-b500     free
'

# The row for option $2 of command $1, whose argument is called $3.
row_of() {
	awk -v command="$1" -v option="$2" -v arg="$3" '
		$1 == command "/" option { own = $0 }
		$1 == option { named = $0 }
		$1 == arg { called = $0 }
		END { print own ? own : named ? named : called }' <<< "$VALUES"
}

# Runs command $1 with the rest on the few messages; sets status.  Where it
# says what it needs beside an option, it gets that.
try() {
	local c=$1 needs small=(-b 9k)
	shift
	[[ $1 != --reserve* ]] || small=(--window 9k)
	[[ $1 != --window ]] || small=()
	[ "$c" != ctx-prune ] || set -- "${small[@]}" "$@"
	[[ "$c,$1" != ctx-eval,* || $1 == --needed ]] || set -- -p cat "$@"
	for _ in 1 2; do
		status=0
		timeout 20 "$c" "$@" few > out 2> err < /dev/null || status=$?
		needs=$(sed -nE 's/.* (needs|be combined with) (--[a-z-]+)( or .*)?$/\2/p' err)
		[ -n "$needs" ] || return 0
		[ "$needs" != --diff ] || needs=--diff=few
		set -- "$needs" "$@"
	done
}

# Option $2 of command $1 with argument name $3 and words $4.
check_valued() {
	local row taken refused beside
	row=$(row_of "$1" "$2" "$3")
	read -r _ taken refused beside <<< "$row"
	[ -z "$4" ] || taken=${4%% *} refused=${refused:-no-such}
	[ -n "$taken" ] || fail "$1 --$2: no value for $3 here"
	rm -f made
	# shellcheck disable=SC2086 # none or one word
	try "$1" $beside "--$2" "$taken"
	[ "$status" -le 1 ] || fail "$1 --$2 $taken: $(cat err)"
	if [ "$refused" != free ]; then
		# shellcheck disable=SC2086
		try "$1" $beside "--$2" "$refused"
		[ "$status" -eq 2 ] || fail "$1 --$2 $refused: status $status"
		grep -qe "$2" -e "$refused" err ||
			fail "$1 --$2 $refused: $(cat err)"
		# Places are found out to be wrong when they are used.
		[ "$3" = DIR ] || [ "$3" = FILE ] || [ ! -s out ] ||
			fail "$1 --$2 $refused: wrote something"
	fi
	status=0
	"$1" few "--$2" > out 2> err || status=$?
	[ "$status" -eq 2 ] && grep -q "$2 needs an argument" err ||
		fail "$1 --$2 without an argument: $(cat err)"
}

# Option $2 of command $1 takes an argument only after "=".
check_suffix() {
	try "$1" "--$2" --
	[ "$status" -le 1 ] || fail "$1 --$2: $(cat err)"
	try "$1" "--$2=.kept" --
	[ "$status" -le 1 ] || fail "$1 --$2=.kept: $(cat err)"
	[ ! -e few.kept ] || mv few.kept few
	try "$1" "--$2=x"
	[ "$status" -eq 2 ] && grep -q "$2: 'x' is not " err ||
		fail "$1 --$2=x: status $status, $(cat err)"
}

# Option $2 of command $1 takes no argument.
check_flag() {
	# --follow never ends, see bar.bats.
	if [ "$2" != follow ]; then
		try "$1" "--$2"
		[ "$status" -le 1 ] || fail "$1 --$2: $(cat err)"
	fi
	try "$1" "--$2=x"
	[ "$status" -eq 2 ] && grep -q "$2 takes no argument" err ||
		fail "$1 --$2=x: status $status, $(cat err)"
}

@test "every option accepts a valid value and refuses an invalid one" {
	local c option arg words n=0
	printf '#!/bin/sh\nsed "s/.*/[1]/"\n' > one
	chmod +x one
	for c in $(cd "$B" && ls ctx-*); do
		head -n 90 "$agent" > few
		[ "$c" != ctx-restore ] || ctx-age "$agent" > few
		"$c" --list-options | cut -f 2- | tr '\t' '\037' > table
		while IFS=$'\037' read -r option arg _ words; do
			n=$((n + 1))
			if [[ $arg == \[* ]]; then
				check_suffix "$c" "$option"
			elif [ -n "$arg" ]; then
				check_valued "$c" "$option" "$arg" "$words"
			else
				check_flag "$c" "$option"
			fi
		done < table
	done
	[ "$n" -gt 100 ]
}

@test "a number that is spelled in another way is refused with the right spelling" {
	while read -r option wrong right; do
		run -2 ctx-prune $option "$wrong" "$chat"
		[[ $output == *"'$wrong' is not a number such as 20"*"; did you mean $right?" ]] ||
			fail "$wrong: $output"
		run -0 ctx-prune -b 100% -m gpt-4o $option "$right" "$chat"
	done <<-'END'
		-b 8_000 8000
		-b 8,000 8000
		-b 1m 1M
		-b 2g 2G
		-b 0.5 50%
		-b .125 12.5%
		-b 0.125 12.5%
		-b 8.000 8000
		--window 20.000 20000
		-b 8KB 8K
		-b 8KiB 8K
		-b 1e4 10000
		--window 128_000k 128000k
		--window 1.5m 1.5M
	END
	# Here nothing is near.
	for wrong in 0.5x 1.0005 1.5 8kx m _ 99999999999999999999 -5; do
		run -2 ctx-prune --window "$wrong" "$chat"
		[[ $output == *" is not a number such as 20000, 20k or 1.5M" ]] ||
			fail "$wrong: $output"
	done
	ctx-prune -n --json -b 8K "$chat" | jq -e '.budget == 8000'
}

@test "an option that has no effect is refused, and says what it needs" {
	cp "$agent" few
	printf '#!/bin/sh\nsed "s/.*/[1]/"\n' > one
	chmod +x one
	while IFS='|' read -r c needed; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c few
		[[ $output == *" needs $needed" || $output == *"$needed exclude each other; "* ]] ||
			fail "$c: $output"
		[[ $needed != --[a-z]*" and "* ]] || continue
		# shellcheck disable=SC2086
		run $c $needed few
		[ "$status" -le 1 ] || fail "$c $needed: $output"
	done <<-'END'
		ctx-prune -b 9k --query x|--strategy recall
		ctx-prune -b 9k -s heuristic --embedder ./one|--strategy recall
		ctx-prune -b 9k --keep-first 2|--strategy middle-out
		ctx-prune -b 9k -s fifo --window-turns 2|--strategy window
		ctx-prune -b 9k --summarizer wc|--strategy summarize
		ctx-prune -b 9k --summarizer wc --prompt short|--strategy summarize
		ctx-prune -b 9k --summary-tokens 50|--strategy summarize
		ctx-prune -b 9k --summarizer wc --on-failure keep|--strategy summarize
		ctx-prune -b 9k --trigger-messages 9|--strategy summarize
		ctx-count --key n|--annotate
		ctx-count -i|--annotate
		ctx-count -n|--annotate
		ctx-count --archive gone|--annotate
		ctx-count --explain told|--annotate
		ctx-count --bound upper|--calibrate
		ctx-count --color never|--bar
		ctx-count --billed always --per role|--per message
		ctx-count --json --tsv|--json and --tsv
		ctx-check --reasoning keep|--repair
	END
	# What the environment says for other runs is no option.
	CTX_SUMMARIZER=wc CTX_EMBEDDER=wc ctx-prune -b 9k few > out
	# --compact is the strategy summarize.
	ctx-prune --compact --summary-tokens 50 few > out
}

@test "an option that has no effect with another one is refused, and both are named" {
	local option
	cp "$agent" before
	while IFS='|' read -r c other; do
		# The last option of the command line, without its argument.
		option=$(grep -o -e '--[a-z-]*' <<< "$c" | tail -n 1)
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c $other "$agent"
		[[ $output == *": $option has no effect with ${other%% [0-9a-z]*}"*"; give one of these two options" ]] ||
			fail "$c $other: $output"
		# shellcheck disable=SC2086
		run $c "$agent"
		[ "$status" -le 1 ] || fail "$c: $output"
		# shellcheck disable=SC2086
		run ${c%%" $option"*} $other "$agent"
		[ "$status" -le 1 ] || fail "$c with $other alone: $output"
	done <<-'END'
		ctx-age -n --head 9|--mask
		ctx-age -n --path-format {tool}-{sha256}|--mask
		ctx-age -n --spool other|--mask
		ctx-age -n --head 9|--media 1
		ctx-age -n --keep-last 3|--keep-results 1
		ctx-cache --provider anthropic --ttl 1h|--strip
		ctx-cache --provider anthropic --strip|--diff before
		ctx-check --allow-pending --sarif|--quiet
		ctx-check --allow-pending --annotations github|--quiet
		ctx-count --per role|--text
		ctx-count --top 3|--text
		ctx-count --per role|--calibrate
		ctx-count --top 3|--calibrate
		ctx-count --top 3|--per role
		ctx-count --bar|--quiet
		ctx-count --json|--models
		ctx-count --tsv|--models
		ctx-eval --split 50% --policy cat|--needed
		ctx-prune -m gpt-4o --reserve 9|--budget 9k
		ctx-prune -s summarize -b 90k --trigger-messages 9|--compact
		ctx-truncate --ratio 1:2|--keep head
	END
}

@test "options for a command are refused if no command is run" {
	for o in --prompt=short --on-failure=keep; do
		run -2 ctx-prune -s summarize -b 9k $o "$agent"
		[[ $output == *"${o%=*} needs --summarizer" ]]
		ctx-prune -s summarize -b 9k $o --summarizer wc "$agent" > out
		CTX_SUMMARIZER='wc' ctx-prune -s summarize -b 9k $o "$agent" |
			cmp - out
	done
	run -2 ctx-prune -s recall -b 9k --timeout 9 "$agent"
	[[ $output == *"--timeout needs --summarizer or --embedder" ]]
}

@test "ctx-eval refuses a share below 1 without a percent sign" {
	run -2 ctx-eval -b 0.5 "$agent"
	[ "$output" = "ctx-eval: --budget: '0.5' is not a percentage such as 10%; did you mean 50%?" ] ||
		fail "$output"
}

@test "an argument that was forgotten or not joined is named" {
	run -2 ctx-prune --keep 3 -b 9k "$agent"
	[[ $output == *"there is no option --keep; did you mean --keep-last?" ]]
	run -2 ctx-count --enc cl100k_base "$agent"
	[[ $output == *"there is no option --enc; did you mean --encoding?" ]]
	run -2 ctx-count --hlep
	[[ $output == *"there is no option --hlep; did you mean --help?" ]]
	# A single dash before a long name.
	run -2 ctx-prune -budget 9k "$agent"
	[ "$output" = "ctx-prune: there is no option -budget; did you mean --budget?" ]
	run -2 ctx-prune -json=x "$agent"
	[ "$output" = "ctx-prune: there is no option -json; did you mean --json?" ]
	run -2 ctx-prune -b
	[ "$output" = "ctx-prune: -b needs an argument, N|P%, such as 20k or 70%" ]
	run -2 ctx-prune -b 9k -s recal "$agent"
	[[ $output == "ctx-prune: --strategy: 'recal' is not one of salient, "*", recall" ]]
	# An empty pattern, which matches every text, is not what is meant, nor
	# an empty question or command.
	for c in "ctx-prune -b 9k --pin" "ctx-prune -b 9k --pin-tool" \
	    "ctx-prune -b 9k -s recall --query" \
	    "ctx-prune -b 9k -s recall --embedder" \
	    "ctx-prune -b 9k -s summarize --summarizer" \
	    "ctx-truncate --tool" "ctx-age --not-tool"; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c "" "$agent"
		[[ $output == *": the argument is empty; is a shell variable not set?" ]] ||
			fail "$c: $output"
	done
	run -2 ctx-count --budget 9k
	[[ $output == *"there is no option --budget; see ctx-count --help" ]]
	cp "$agent" few
	run -2 ctx-prune -b 9k -i bak few
	[ "$output" = "ctx-prune: cannot open bak: No such file or directory; write a suffix directly after -i, as in -i.bak" ]
	cmp few "$agent"
	run -2 ctx-count --model few
	[ "$output" = "ctx-count: --model: 'few' is a file, not a model; ctx-count --models lists the models" ]
	: > gpt-4o
	run -0 ctx-count -m gpt-4o few
	head -c 200 few > cut
	run -2 ctx-count cut
	[[ $output == *": unexpected end of input; get the rest of the JSON value that begins in line 1" ]]
	{ messages user:hi; cat cut; } > lines
	run -2 ctx-count lines
	[[ $output == *": unexpected end of input; with --lenient this is not an error" ]]
	run -0 ctx-count --lenient lines
	# A line into which another line was written.
	printf '%s\n' '{"role":"user","content":"a"}{"role":"user"' > lines
	run -2 ctx-count lines
	[[ $output == *": more than one JSON value on the line; "*"; with --lenient this is not an error" ]]
}
