# What is written is true: the README's commands run and print what it says.

load helper

# Prints the commands of the README's indented blocks, each followed by the
# output that it claims, as "$ command" and "> output" lines.
examples() {
	awk '
		/^    \$ / { on = 1; sub(/^    \$ /, ""); cmd = $0
			while (cmd ~ /\\$/ && (getline line) > 0) {
				sub(/\\$/, "", cmd)
				sub(/^ */, "", line)
				cmd = cmd line
			}
			print "$ " cmd
			next }
		/^    / && on { sub(/^    /, ""); print "> " $0; next }
		{ on = 0 }' "$1"
}

# The literal displays of a manual page, as the README would show them.
displays() {
	awk '
		/^\.Bd -literal/ { on = 1; next }
		/^\.Ed/ { on = 0; print ""; next }
		on { gsub(/\\&/, ""); gsub(/\\e/, "\\"); print "    " $0 }' "$1"
}

# Checks command $1, which ended with status $2 and printed the file got: its
# status, and, if the page shows no output ($3 is false), that there is some.
check_example() {
	local file
	# ctx-check has found something, or what is shown ends with the status.
	[ "$2" -eq 0 ] || { [ "$2" -eq 1 ] && $3 && [[ $1 == *ctx-check* ]]; } ||
		fail "$1: status $2: $(cat got)"
	! $3 || return 0
	for file in $(grep -o '> *[a-z.-]*\.jsonl\?\>' <<< "$1" | tr -d '> '); do
		[ -s "$file" ] || fail "$1: $file is empty"
		[[ $1 == *--archive\ "$file"* ]] || ctx-check "$file" > findings ||
			fail "$1: $file is not valid: $(cat findings)"
	done
	[[ $1 == *'> '* || $1 == *'| cmp '* || -s got ]] || fail "$1 printed nothing"
}

# Runs the commands in the file list, which examples has printed; what they
# print must begin as shown.  "$ cat FILE" makes a file that is not there yet.
run_examples() {
	local line command='' making=false shown=false status=0
	while IFS= read -r line; do
		if [[ $line == '$ '* ]]; then
			[ -z "$command" ] || $making ||
				check_example "$command" "$status" "$shown"
			command=${line#??}
			making=false
			shown=false
			if [[ $command == 'cat '* && ! -e ${command#cat } ]]; then
				making=true
				continue
			fi
			status=0
			sh -c "$command" > got 2>&1 < /dev/null || status=$?
			cp got left
			continue
		elif $making; then
			printf '%s\n' "${line#??}" >> "${command#cat }"
			continue
		fi
		shown=true
		# The name of an aged file is shown without a command.
		IFS= read -r first < left || fail "$command: no such line: $line"
		[ "$first" = "${line#??}" ] ||
			fail "$command printed: $first, not: ${line#??}"
		sed -i 1d left
	done < list
	[ -z "$command" ] || $making || check_example "$command" "$status" "$shown"
}

@test "README: every command of the recipes runs and prints what is shown" {
	ln -s "$BATS_TEST_DIRNAME" tests
	sed -n '/^## Recipes/,/^## How/p' "$BATS_TEST_DIRNAME/../README.md" > readme
	examples readme > list
	[ "$(grep -c '^\$ ' list)" -ge 10 ]
	run_examples
	# The picture is the one of the sample.
	ctx-count --svg context.svg -m gpt-4o tests/sample/agent.jsonl
	cmp context.svg "$BATS_TEST_DIRNAME/../man/context.svg"
}

# Prints the README's commands from the one that begins with $1 to the one that
# begins with $2.
commands_between() {
	sed -n 's/^    \$ //p' "$BATS_TEST_DIRNAME/../README.md" |
		sed -n "/^$1/,/^$2/p"
}

@test "README: the commands for a session of one's own shrink it and keep the original" {
	local session=$PWD/home/.claude/projects/p/s.jsonl
	mkdir -p "${session%/*}"
	jq -sc '{messages: .}' "$agent" |
		jq -c --arg to claude-code -f "$BATS_TEST_DIRNAME/rewrite.jq" > original
	cp original "$session"
	commands_between session= 'ctx-prune.*-i' > script
	[ "$(wc -l < script)" -eq 3 ]
	mkdir bin
	printf '#!/bin/sh\necho "claude $*"\n' > bin/claude
	chmod +x bin/claude
	HOME=$PWD/home PATH=$PWD/bin:$PATH sh -e script > shown
	grep -q '^[0-9]* .*tokens' shown || fail "$(cat shown)"
	[ "$(tail -n 1 shown)" = 'claude --resume' ]
	cmp original "$session.bak"
	ctx-check "$session"
	[ "$(ctx-count --json "$session" | jq .tokens)" -le 100000 ]
	# Those that explain the output come after these.
	commands_between 'ctx-count --billed' . | head -n 1 > script
	session=$session sh -e script > shown
	grep -q '^ *~[0-9]* .*s.jsonl' shown
	jq -c '{messages: [.]}' "$agent" | head -n 1 > request.json
	commands_between 'ctx-prune.*request.json' . | head -n 1 > script
	sh -e script
	cmp request.json smaller.json
}

@test "manual pages: every command of a display prints what is shown" {
	ln -s "$BATS_TEST_DIRNAME" tests
	mkdir bin
	printf '#!/bin/sh\ncat > /dev/null; echo "A summary."\n' > bin/ollama
	chmod +x bin/ollama
	PATH=$PWD/bin:$PATH
	# The recipes of ctx.7 need other tools, see system/recipes.bats.
	for page in "$BATS_TEST_DIRNAME"/../man/*.[15]; do
		echo "# $page"
		mkdir "${page##*/}"
		cp "$agent" "${page##*/}"
		cp "$BATS_TEST_DIRNAME/corpus/claude-code/session.jsonl" \
		    "${page##*/}/coding.jsonl"
		displays "$page" > shown
		examples shown > "${page##*/}/list"
		(cd "${page##*/}" && run_examples)
	done
}

@test "EXAMPLES.md: every command prints what is shown, and every dialect is there" {
	examples "$BATS_TEST_DIRNAME/../lib/dialect/EXAMPLES.md" > list
	run_examples
	for f in *.json*; do
		jq -c . "$f" | ctx-count --json
	done | jq -r .dialect | sort -u > shown
	ctx-count --list-options | sed -n 's/^d\tdialect\t.*\t//p' |
	    tr ' ' '\n' | sort > known
	[ "$(wc -l < known)" -gt 20 ]
	diff shown known
}

@test "manual pages: ctx-stream(5) describes every dialect" {
	sed -n '/^\.Sh PROVIDERS/,/^\.Sh SEE/s/^\.It Cm //p' \
	    "$BATS_TEST_DIRNAME/../man/ctx-stream.5" | tr -d , | tr -s ' ' '\n' |
	    sort > described
	ctx-count --list-options | sed -n 's/^d\tdialect\t.*\t//p' |
	    tr ' ' '\n' | sort > known
	[ "$(wc -l < known)" -gt 20 ]
	diff described known
}

@test "manual pages: ctx-encoding(7) has the errors that NOTES.md has" {
	root=$BATS_TEST_DIRNAME/..
	sed -n 's/^\.It [A-Za-z0-9]* Ta \([-+0-9].*\)/\1/p' \
	    "$root/man/ctx-encoding.7" | sed 's/ Ta / | /g; s/.*/| & |/' > rows
	[ "$(wc -l < rows)" -ge 10 ]
	while read -r row; do
		grep -qF -e "$row" "$root/lib/cost/NOTES.md" || fail "$row"
	done < rows
}

@test "manual pages: ctx-check(1) names every rule" {
	sed -n '/^\.Sh RULES/,/^\.Sh EXIT/s/^\.\(It \)*Cm //p' \
	    "$BATS_TEST_DIRNAME/../man/ctx-check.1" | tr -d ',.' |
	    tr -s ' ' '\n' | sed '/^$/d' | sort > named
	ctx-check --list-rules | grep -v '^ ' | sort > known
	[ "$(wc -l < known)" -gt 20 ]
	diff named known
}

@test "README: the set-up commands exist, and CI runs the second" {
	grep -q 'sh tests/setup demo' "$BATS_TEST_DIRNAME/../README.md"
	grep -q 'sh tests/setup check' "$BATS_TEST_DIRNAME/../README.md"
	grep -q 'sh tests/setup check' "$BATS_TEST_DIRNAME/../.ci/run"
}

# The options that COMMON OPTIONS of page $1 lists in its first paragraph; those
# of ctx.7 are options of every command.  An option with a letter is listed by
# its letter; the file table, which --list-options has printed, has the letters
# and names of the options.
common() {
	sed -n '/^\.Sh COMMON/,/^\.\(Pp\|Bl\|Sh [^C]\)/p' "$1" | grep '^\.Fl' |
		tr ' ' '\n' |
		awk -F '\t' 'NR == FNR { if ($1 != "") name[$1] = "-" $2; next }
			{ print $1 in name ? name[$1] : $1 }' table -
}

@test "manual pages: the options equal the option table" {
	local c page
	for c in $(cd "$B" && ls ctx-*); do
		page=$BATS_TEST_DIRNAME/../man/$c.1
		[ -f "$page" ] || fail "no page for $c"
		"$c" --list-options > table
		cut -f 2 table | grep -vx 'help\|version' | sort > options
		{
			grep '^\.It Fl' "$page" | tr ' ' '\n'
			common "$page"
			common "$BATS_TEST_DIRNAME/../man/ctx.7"
		} | sed -n 's/^-\([a-z]\)/\1/p' |
			grep -vx 'help\|version' | sort -u > page
		diff options page || fail "$page describes other options"
		grep -qx '\.Op Ar options' "$page" || fail "$page: no SYNOPSIS"
	done
}

@test "manual pages: a group of options in --help has the heading of its section in the manual" {
	local c page heading n=0
	for c in $(cd "$B" && ls ctx-*); do
		page=$BATS_TEST_DIRNAME/../man/$c.1
		# The options of the first two are in COMMON OPTIONS.
		"$c" --help | sed -n '/^  /d; s/:$//p' |
			grep -vx -e 'Input and reports' -e 'Examples' \
			    -e 'Other options, explained in the manual' > headings || true
		while IFS= read -r heading; do
			n=$((n + 1))
			grep -qix "\.S[hs] $heading" "$page" ||
				fail "$page has no section $heading"
		done < headings
	done
	[ "$n" -ge 10 ]
}

# Prints "FUNCTION KIND" for each kind of error that ctx.h names, and "FUNCTION -"
# if it says that the function never fails.
errors_in_header() {
	awk '/^\/\*/ { comment = ""; inside = 1 }
		inside { comment = comment $0; inside = !/\*\/$/; next }
		/^CTX_API/ { all = ""; open = 1 }
		open { all = all $0 }
		open && /;$/ {
			open = 0
			name = all
			sub(/\(.*/, "", name)
			sub(/.*[ *]/, "", name)
			sub(/const struct ctx_error/, "", all)
			if (all !~ /struct ctx_error/) {
				if (comment ~ /Never fails?\. \*\/$/ || name ~ /_free$/)
					print name, "-"
			} else if (match(comment, /Errors: [A-Z]+(, [A-Z]+)*(; for a descriptor also SYSTEM)?\. \*\/$/)) {
				print name ": " substr(comment, RSTART, RLENGTH - 3)
			}
		}' "$1" | split_errors
}

# The same of the source of libctx(3).
errors_in_manual() {
	awk '/^\.S[sh]/ { name = $2 }
		/^Never fails\.$/ { print name, "-" }
		/^Errors: / { print name ": " $0 }' "$1" | split_errors
}

split_errors() {
	awk '/^[a-z_]* -$/ { print; next }
		{
			name = substr($1, 1, length($1) - 1)
			if (name !~ /_fd$/)
				sub(/; for a descriptor also SYSTEM/, "")
			sub(/; for a descriptor also/, ",")
			sub(/\.$/, "")
			gsub(/,/, "")
			for (i = 3; i <= NF; i++)
				print name, $i
		}' | sort
}

@test "ctx.h and libctx(3) name every kind of error of every function, and no other" {
	local lib=$BATS_TEST_DIRNAME/../lib
	errors_in_header "$lib/ctx.h" > header
	awk -f "$lib/gen/manual.awk" "$lib/ctx.h" > page
	errors_in_manual page | diff header -
	sed -n 's/^CTX_API .*[ *]\(ctx_[a-z0-9_]*\)(.*/\1/p' "$lib/ctx.h" |
	    sort > functions
	cut -d ' ' -f 1 header | sort -u | diff functions -
	# These need gigabytes of input, or a compiled vocabulary that was damaged
	# in memory.
	cat > not_caused <<-'END'
		ctx_encoding_count FILE
		ctx_encoding_encode FILE
		ctx_encoding_head FILE
		ctx_encoding_open LIMIT
		ctx_encoding_open_model LIMIT
		ctx_encoding_tail FILE
		ctx_input_block LIMIT
	END
	{
		"$B/tests/public_errors"
		"$B/tests/public_memory"
	} | sed -n 's/^# \(ctx_[a-z_]* [A-Z]*\)$/\1/p' |
	    sort -u - not_caused > caused
	[ "$(wc -l < caused)" -gt 80 ]
	grep -v ' -$' header | diff caused -
	# A function that never fails cannot lack memory; nor can these.
	grep ' MEMORY$' header | cut -d ' ' -f 1 | sort > allocate
	grep -v ' -$' header | cut -d ' ' -f 1 | sort -u | comm -23 - allocate > rest
	[ "$(tr '\n' ' ' < rest)" = \
	    "ctx_model_lookup ctx_model_prices ctx_set_data_directory " ]
}
