# ctx-age: old tool results are moved to disk

load helper

# call ID TOOL TEXT: a call and its result.
call() {
	jq -nc --arg id "$1" --arg tool "$2" --arg t "$3" '
	    {role: "assistant", content: null, tool_calls: [{id: $id, type:
		"function", function: {name: $tool, arguments: "{}"}}]},
	    {role: "tool", tool_call_id: $id, content: $t}'
}

# long N: N lines of ten characters.
long() {
	seq -f 'line %04.0f' 0 $(($1 - 1))
}

aged() {
	grep -c ' characters in ' "$@"
}

@test "results that are old and long become a head and a reference; all else is unchanged" {
	ctx-age "$agent" > out
	[ "$(wc -l < out)" -eq 306 ]
	cmp <(tail -n 10 out) <(tail -n 10 "$agent")
	[ "$(aged out)" -eq "$(find .ctx/spool -name '*.md' | wc -l)" ]
	# In a changed record only the body differs.
	cmp <(jq -c 'del(.content)' out) <(jq -c 'del(.content)' "$agent")
	jq -e -s 'map(select(.role == "tool" and (.content | type == "string"
	    and test("characters in"))) | .content | length <= 1200) | all' out
	[ "$(tokens out)" -lt "$(tokens "$agent")" ]
}

@test "the reference is the last line and has characters, path and digits of the sha256" {
	{ call a read_file "$(long 900)"; call b f x; } > in
	ctx-age -k 2 in > out
	text=$(sed -n 2p out | jq -r .content)
	[ "$(head -c 1000 <<< "$text")" = "$(long 900 | head -c 1000)" ]
	last=$(tail -n 1 <<< "$text")
	[[ $last =~ ^\[8999\ characters\ in\ (\.ctx/spool/read_file-([0-9a-f]{32})\.md)\]$ ]]
	cmp "${BASH_REMATCH[1]}" <(printf %s "$(long 900)")
	[ "$(sha256sum < "${BASH_REMATCH[1]}" | cut -c -32)" = "${BASH_REMATCH[2]}" ]
}

@test "aging twice equals aging once, and equal input gives equal bytes and file names" {
	for o in "" "-k 3 -o 300" "--keep-results 4 -o 300" "--step 7 -o 500" \
	    "--at-least 5k -o 300" "--mask -o 300"; do
		# shellcheck disable=SC2086 # options
		ctx-age $o "$agent" > out
		# shellcheck disable=SC2086
		ctx-age $o out | cmp - out
		ls -R .ctx > names 2> /dev/null || :
		# shellcheck disable=SC2086
		ctx-age $o < "$agent" | cmp - out
		ls -R .ctx 2> /dev/null | cmp - names
	done
}

@test "files are created with mode 0600, directories with 0700" {
	(umask 0 && ctx-age -S a/b "$agent" > /dev/null)
	[ "$(stat -c %a a a/b | sort -u)" = 700 ]
	[ "$(stat -c %a a/b/* | sort -u)" = 600 ]
}

@test "--over counts characters, and text blocks of one result are joined by lines" {
	call a f "$(long 100)" > in
	n=$(jq -r 'select(.role == "tool") | .content | length' in)
	ctx-age -k 0 -o "$n" --head 10 in | cmp - in
	[ "$(ctx-age -k 0 -o $((n - 1)) --head 10 in | aged)" -eq 1 ]
	rm -r .ctx
	jq -nc --arg t "$(long 100)" '{role: "user", content: [{type: "tool_result",
	    tool_use_id: "a", content: [{type: "text", text: "one"},
		{type: "image", source: {type: "base64", data: "QUJD"}},
		{type: "text", text: $t}]}]}' > in
	[ "$(ctx-age -d anthropic -k 0 -o 200 in | aged)" -eq 1 ]
	cat .ctx/spool/*.md > text
	{
		echo one
		sed -n 2p text | grep -x '\[media, [0-9]* characters of JSON\]'
		long 100
	} | cmp - <(cat text; echo)
}

@test "-k counts messages and --keep-results counts results, also in one message" {
	for i in 1 2 3 4 5 6; do call c$i f "$(long 500) $i"; done > in
	[ "$(ctx-age -k 0 in | aged)" -eq 6 ]
	[ "$(ctx-age -k 1 in | aged)" -eq 5 ]
	[ "$(ctx-age -k 4 in | aged)" -eq 4 ]
	[ "$(ctx-age -k 12 in | aged || :)" -eq 0 ]
	[ "$(ctx-age --keep-results 2 in | aged)" -eq 4 ]
	[ "$(ctx-age --keep-results 0 in | aged)" -eq 6 ]
	ctx-age --keep-results 2 in | tail -n 4 | cmp - <(tail -n 4 in)
}

@test "--step moves the age boundary N messages at a time" {
	for i in 1 2 3 4 5 6; do call c$i f "$(long 500) $i"; done > in
	[ "$(ctx-age -k 0 --step 5 in | aged)" -eq 5 ]
	[ "$(ctx-age -k 2 --step 4 in | aged)" -eq 4 ]
	[ "$(ctx-age --keep-results 0 --step 4 in | aged)" -eq 4 ]
	# A history that grows keeps its prefix while the boundary stands.
	head -n 9 in | ctx-age -k 0 --step 8 > nine
	head -n 10 in | ctx-age -k 0 --step 8 | head -n 9 | cmp - nine
}

@test "--at-least ages all or nothing, by the tokens saved" {
	for i in 1 2 3; do call c$i f "$(long 500) $i"; done > in
	ctx-age -k 0 -v in > out 2> err
	saved=$(sed -n 's/.*saved \([0-9]*\) tokens/\1/p' err)
	ctx-age -k 0 --at-least "$saved" in | cmp - out
	ctx-age -k 0 --at-least $((saved + 1)) in | cmp - in
	jq -sc '{messages: .}' in > record
	ctx-age -k 0 --at-least $((saved + 1)) record | cmp - record
	ctx-age -k 0 --at-least "$saved" record > out2
	cmp <(jq -c '.messages[]' out2) <(jq -c . out)
}

@test "saved tokens are model tokens if the model has a factor" {
	for m in gpt-4o claude-sonnet-4-5; do
		ctx-age -m $m -o 300 -v -S s "$agent" > out 2> err
		saved=$(sed -n 's/.*saved \([0-9]*\) tokens/\1/p' err)
		[ $(($(tokens -m $m "$agent") - $(tokens -m $m out))) -eq "$saved" ]
		ctx-age -m $m -o 300 -S s --at-least "$saved" "$agent" | cmp - out
		ctx-age -m $m -o 300 -S s --at-least $((saved + 1)) "$agent" |
		    cmp - "$agent"
	done
}

@test "the head ends before base64 and between grapheme clusters" {
	text="$(long 30) $(head -c 9000 "$agent" | base64 -w 76)"
	call a f "$text" > in
	ctx-age -k 0 in | sed -n 2p | jq -r .content > out
	cmp <(head -n -1 out) <(long 30 | sed '$s/$/ /')
	# Right after it is as good a place as any.
	payload=$(head -c 300 "$agent" | base64 -w 0)
	call a f "$payload, $(long 500)" > in
	ctx-age -k 0 --head ${#payload} in | sed -n 2p | jq -r .content |
	    head -n 1 | grep -qx "$payload"
	call a f "$(printf '👩‍👩‍👧%.0s' $(seq 1000))" > in
	for h in 1 4 5 6 99; do
		left=$(ctx-age -k 0 --head $h in | sed -n 2p |
		    jq -r .content | head -n -1 | tr -d '\n' | wc -c)
		[ $((left % 18)) -eq 0 ]
	done
}

@test "--tool and --not-tool match the tool that was called" {
	{ call a read "$(long 500)"; call b run "$(long 501)"; } > in
	[ "$(ctx-age -k 0 --tool '^read$' in | sed -n '2p' | aged)" -eq 1 ]
	[ "$(ctx-age -k 0 --tool '^read$' in | aged)" -eq 1 ]
	[ "$(ctx-age -k 0 --not-tool read in | sed -n '4p' | aged)" -eq 1 ]
	[ "$(ctx-age -k 0 --not-tool 'r' in | aged || :)" -eq 0 ]
}

@test "--mask stores nothing" {
	ctx-age --mask -k 0 -o 300 "$agent" > out
	grep -q '"\[cleared\]"' out
	[ ! -e .ctx ]
}

@test "a result that would not cost fewer tokens is unchanged" {
	call a f "$(printf '=%.0s' $(seq 4001))" > in
	ctx-age -k 0 --head 3900 in > out
	cmp in out
	[ ! -e .ctx ]
	for o in 0 1 5 50 200; do
		ctx-age -k 0 -o $o "$agent" > out
		[ "$(tokens out)" -le "$(tokens "$agent")" ]
	done
}

# Which calls of a run, in the file trace, came too early: before a file was
# synced its name, before that and new directories were synced a line.
too_early() {
	awk '
	function fd_of(line) {
		sub(/^[a-z]*\(/, "", line)
		return line + 0
	}
	/ = -1 E/ { next }
	/^mkdirat/ { dirty[fd_of($0)] = 1 }
	/^openat.*(O_TMPFILE|O_EXCL)/ { file[$NF] = dirty[$NF] = 1 }
	/^write/ && file[fd_of($0)] { dirty[fd_of($0)] = 1 }
	/^fsync/ { dirty[fd_of($0)] = 0 }
	/^close/ {
		if (dirty[fd_of($0)])
			print "closed: " $0
		file[fd_of($0)] = dirty[fd_of($0)] = 0
	}
	/^linkat\(AT_FDCWD/ {
		split($0, part, /fd\/|", /)
		if (dirty[part[2] + 0])
			print "linked: " $0
		dirty[part[3] + 0] = 1
		links++
	}
	/^linkat\([0-9]/ { dirty[fd_of($0)] = 1; links++ }
	/^writev?\(1,/ {
		lines++
		for (fd in dirty)
			if (dirty[fd])
				print "written before " fd ": " $0
	}
	END {
		if (links < 10 || lines < 10)
			print links + 0 " links, " lines + 0 " lines"
	}' trace
}

@test "a result is on disk under its name before the output refers to it" {
	[ "$(uname)" = Linux ] || return 0
	command -v strace > /dev/null || fail "no strace here"
	# LeakSanitizer does not work under strace.
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	calls=openat,mkdirat,write,writev,fsync,linkat,close
	sample=$BATS_TEST_DIRNAME/sample/agent.jsonl
	strace -o trace -e trace=$calls \
	    ctx-age -u -S a/b/spool -k 2 -o 200 "$sample" > out
	[ -z "$(too_early)" ] || fail "$(too_early)"
	# Where a file cannot be without a name, it has a hidden one first.
	rm -rf a
	at=$(grep -c '' < <(sed '/O_TMPFILE/q' trace | grep '^openat'))
	strace -o trace -e trace=$calls -e inject=openat:error=EOPNOTSUPP:when=$at \
	    ctx-age -u -S a/b/spool -k 2 -o 200 "$sample" | cmp - out
	grep -q '^linkat([0-9]*, "\.tmp-' trace
	[ -z "$(too_early)" ] || fail "$(too_early)"
	# An emulator has calls of its own.
	[ "$(head -c 4 "$(command -v ctx-age)" | tail -c 3)" = ELF ] || return 0
	# What is there already, by whatever way, is synced as well: each file
	# that is read, the spool, and the three that lead to it.
	strace -o trace -e trace=$calls \
	    ctx-age -u -S a/b/spool -k 2 -o 200 "$sample" | cmp - out
	awk '
	/^openat.*O_NONBLOCK.*O_NOFOLLOW/ { found++ }
	/^openat.*(O_DIRECTORY|O_NONBLOCK.*O_NOFOLLOW)/ { dirty[$NF] = 1 }
	/^fsync/ { sub(/^fsync\(/, ""); delete dirty[$0 + 0]; synced++ }
	/^close/ {
		sub(/^close\(/, "")
		bad += ($0 + 0) in dirty
		delete dirty[$0 + 0]
	}
	# Lines before the first result refer to nothing.
	/^writev?\(1,/ && found { for (fd in dirty) bad++; lines++ }
	END {
		if (found < 10 || bad > 0 || synced < found + 4)
			print found + 0 " found, " synced " synced, " bad " not"
	}' trace > bad
	[ ! -s bad ] || fail "$(cat bad)"
}

@test "a tool name cannot lead to a path outside the spool" {
	ten_k=$(printf 'x%.0s' $(seq 10000))
	for tool in ../../etc/passwd .. . -rf '' "$ten_k" $'a\nb' 'ä/ö' CON \
	    $'\u2028' '{sha256}'; do
		call a "$tool" "$(long 500) $tool"
	done > in
	jq -nc '{role: "assistant", content: null, tool_calls: [{id: "z", type:
	    "function", function: {name: "nul\u0000", arguments: ""}}]},
	    {role: "tool", tool_call_id: "z", content: ("many words " * 900)}' \
	    >> in
	mkdir sub
	(cd sub && ctx-age -k 0 < ../in > ../out)
	[ "$(aged out)" -eq 12 ]
	[ "$(find . -name '*.md' | wc -l)" -eq 12 ]
	find . -name '*.md' | while read -r f; do
		[[ $f =~ ^\./sub/\.ctx/spool/[A-Za-z0-9_][A-Za-z0-9_-]*-[0-9a-f]{32}\.md$ ]]
		[ "${#f}" -le 220 ]
	done
}

@test "--path-format makes safe names that end in the digits of the sha256" {
	ctx-age --path-format 'r-{sha256}' "$agent" > out
	find .ctx/spool -name 'r-*' | grep -q .
	ctx-age --path-format 'r-{sha256}' out | cmp - out
	for format in '{tool}.md' '../{sha256}.md' '{sha256}/x' '.{sha256}' \
	    '-{sha256}' '{sha256}.{tool}.md' '{sha256}-{date}.md' '' \
	    '{tool}-{tool}-{tool}-{sha256}.md'; do
		run -2 ctx-age --path-format "$format" "$agent"
		[[ $output == *"{tool}-{sha256}.md"* ]]
	done
}

@test "an archive or --explain file inside the spool is refused" {
	ctx-age "$agent" > out
	file=$(find .ctx/spool -name '*.md' | head -n 1)
	cp "$file" kept
	for c in "ctx-restore --archive" "ctx-restore --explain" \
	    "ctx-age --archive" "ctx-age -S $PWD/.ctx/spool --explain"; do
		for path in "$file" "./$file" .ctx/spool/new; do
			# shellcheck disable=SC2086 # a command and its options
			run -2 $c "$path" out
			[[ $output == *"is in the spool, which only ctx-age may write; name a file elsewhere" ]]
		done
	done
	cmp "$file" kept
	[ ! -e .ctx/spool/new ]
}

@test "text that looks like a reference does not exempt a result from aging" {
	ref='[9 characters in .ctx/spool/f-0123456789abcdef0123456789abcdef.md]'
	call a f "$(long 500)"$'\n'"$ref" > in
	[ "$(ctx-age -k 0 in | jq -r .content | tail -n 1)" != "$ref" ]
	# Another spool's is text as well.
	call a f "$(long 300)"$'\n'"${ref/.ctx/other}" > in
	ctx-age -k 0 -o 300 in > out
	run -1 cmp -s in out
}

@test "ctx-truncate keeps the reference of an aged result" {
	ctx-age -o 300 "$agent" > out
	ctx-truncate -l 200 out > cut
	cmp <(grep -o '[0-9]* characters in [^]]*\]' out) \
	    <(grep -o '[0-9]* characters in [^]]*\]' cut)
	ctx-truncate out | cmp - <(ctx-truncate out | ctx-age -o 300)
}

@test "an unusable spool exits 2 with one line, and the stream passes unchanged" {
	ln -s /tmp link
	mkdir real open
	chmod 777 open
	touch file
	ln -s real inner
	for s in link file file/x open inner/x /proc/nothing; do
		ctx-age -S "$s" "$agent" > out 2> err && fail "$s: no error"
		cmp out "$agent"
		grep -q "spool directory $s" err
		[ "$(grep -c "agent.jsonl:" err)" -eq 1 ]
	done
	run -2 --separate-stderr ctx-age -S inner "$agent"
	[[ $stderr == *"symbolic link"*"$PWD/real"* ]]
	# Only the superuser can make one that belongs to another user.
	if [ "$(id -u)" -eq 0 ]; then
		mkdir -m 700 other
		chown 12345 other
		run -2 --separate-stderr ctx-age -S other "$agent"
		[[ $stderr == *": spool directory other belongs to another user; name another directory with -S DIR"* ]]
	fi
	run -2 ctx-age -S $'new\nline' "$agent"
	run -2 ctx-age -S $'bad\xff' "$agent"
}

@test "a failed sync of a directory is an error only if ctx-age created the directory" {
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	ctx-age -S a/spool "$agent" > want
	rm -r a/spool
	# The first is the directory that a stands in, which was there.
	strace -o trace -e trace=fsync -e inject=fsync:error=EROFS:when=1 \
	    ctx-age -S a/spool "$agent" | cmp - want
	grep -q INJECTED trace
	for how in EIO:when=1 EROFS:when=2 EIO:when=2; do
		rm -rf a/spool
		run -2 --separate-stderr strace -o trace -e trace=fsync \
		    -e inject=fsync:error=$how ctx-age -S a/spool "$agent"
		grep -q INJECTED trace
		[[ $stderr == *"spool directory a"*": "*"error"* ||
		    $stderr == *"spool directory a"*": "*"ead-only"* ]] || fail "$stderr"
		echo "$output" | cmp - "$agent"
	done
}

# Runs a command that may read and list no more than its files' modes say.
as_anybody() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --inh-caps=-all \
		    --bounding-set=-dac_override,-dac_read_search "$@"
	else
		"$@"
	fi
}

@test "directories above a spool need no read permission" {
	[ "$(uname)" = Linux ] || return 0
	as_anybody true || fail "no setpriv here"
	mkdir above
	mkdir -m 700 above/spool
	chmod 311 above
	for dir in above/spool "$PWD/above/spool"; do
		as_anybody ctx-age -S "$dir" "$agent" > out
		grep -q 'characters in ' out
		as_anybody ctx-restore -S "$dir" out | cmp - "$agent"
	done
	run -2 as_anybody ctx-age -S above/new "$agent"
	[[ $output == *"cannot open spool directory above/new: Permission denied"* ]]
	chmod 755 above
}

# The spools that the sandbox must let be made, in a directory of their own.
spools() {
	cat <<-X
		spool
		./new/spool//
		deep/er/and/deeper/spool
		../here/up/spool
		made/below/spool
		$PWD/absolute/spool
		$PWD/link/linked/spool
		passed/spool
		$PWD/passed/spool
	X
}

@test "in the sandbox a spool can be created anywhere, reused and read" {
	[ "$(uname)" = Linux ] || return 0
	as_anybody true || fail "no setpriv here"
	mkdir -p here && cd here
	mkdir -p made target passed
	mkdir -m 700 passed/spool
	ln -s target link
	chmod 311 passed
	spools > list
	[ "$(wc -l < list)" -eq 9 ]
	while read -r dir; do
		as_anybody ctx-age -S "$dir" "$agent" > out
		[ "$(aged out)" -gt 9 ]
		as_anybody ctx-age -S "$dir" -o 300 "$agent" > more
		as_anybody ctx-restore -S "$dir" out | cmp - "$agent"
		as_anybody ctx-restore -S "$dir" more | cmp - "$agent"
		as_anybody ctx-restore -S "$dir" --gc out | grep -q -- '-[0-9a-f]*\.md$'
	done < list
	chmod 755 passed
	# A kernel without it.
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	strace -o trace -e trace=landlock_create_ruleset,seccomp \
	    -e inject=landlock_create_ruleset,seccomp:error=ENOSYS \
	    ctx-age -S no/landlock "$agent" > out
	strace -o trace -e trace=landlock_create_ruleset,seccomp \
	    -e inject=landlock_create_ruleset,seccomp:error=ENOSYS \
	    ctx-restore -S no/landlock out | cmp - "$agent"
}

@test "ctx-age and ctx-restore enter the sandbox before they read" {
	[ "$(uname)" = Linux ] || return 0
	# What strace sees of an emulator are its own calls; with
	# AddressSanitizer, and for coverage (tests/coverage), there is no sandbox.
	[ "$(head -c 4 "$(command -v ctx-age)" | tail -c 3)" = ELF ] || return 0
	! grep -qE '__asan_init|__gcov_init' "$(command -v ctx-age)" || return 0
	command -v strace > /dev/null || fail "no strace here"
	mkdir -m 700 notes other
	ctx-age -S other "$agent" > aged
	for c in "ctx-age -S notes" "ctx-age -S notes/new/spool" \
	    "ctx-age --mask" "ctx-restore -S other"; do
		# shellcheck disable=SC2086 # a command and its options
		strace -o trace -e trace=landlock_restrict_self,read $c - < aged > out
		# Not a byte of the input is read before.
		awk '/^landlock_restrict_self.*= 0$/ { shut = 1 }
		    /^read\(0, / { bad += !shut; got++ }
		    END { exit !(shut && got && !bad) }' trace ||
			fail "$c: $(cat trace)"
	done
}

@test "an unused spool that was created is removed, unless it has files" {
	echo '{"role":"user","content":"hi"}' > short
	for dir in spool a/b/spool "$PWD/x/y///"; do
		ctx-age -S "$dir" short | cmp - short
	done
	[ ! -e spool ] && [ ! -e a ] && [ ! -e x ]
	run -2 ctx-age -S a/spool <(echo broken)
	[ ! -e a ]
	# A directory that existed before is kept.
	mkdir -p a
	mkdir -m 700 a/b
	ctx-age -S a/b short > out
	ctx-age -S a/b/spool short > out
	[ -d a/b ] && [ ! -e a/b/spool ]
	# One that another command has opened meanwhile.
	mkfifo in
	ctx-age -S busy in > slow &
	exec 9> in
	for _ in {1..100}; do
		[ ! -e busy ] || break
		sleep 0.05
	done
	ctx-age -S busy short | cmp - short
	[ -d busy ]
	cat "$agent" >&9
	exec 9>&-
	wait $!
	ctx-restore -S busy slow | cmp - "$agent"
	# And the other way about.
	rm -rf busy
	ctx-age -S busy in > slow &
	exec 9> in
	for _ in {1..100}; do
		[ ! -e busy ] || break
		sleep 0.05
	done
	ctx-age -S busy "$agent" > out
	exec 9>&-
	wait $!
	ctx-restore -S busy out | cmp - "$agent"
	# A reader that starts before there is a spool.
	for _ in 1 2 3 4 5; do
		rm -rf late
		ctx-age -S late/spool "$agent" | ctx-restore -S late/spool |
			cmp - "$agent"
	done
	for _ in {1..40}; do
		ctx-age -S race/spool short > out1 &
		ctx-age -S race/spool "$agent" > out
		wait
		ctx-restore -S race/spool out | cmp - "$agent"
		rm -rf race
	done
}

@test "if a sync fails, the results concerned are unchanged and named" {
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	mkdir -p base/spool
	for strategy in "-k 2 -o 200" "-u -k 2 -o 200"; do
		rm -rf spool
		# shellcheck disable=SC2086 # options
		strace -o trace -e trace=fsync ctx-age $strategy -S spool \
		    "$agent" > want
		n=$(grep -c '^fsync' trace)
		[ "$n" -gt 3 ]
		for at in 1 2 3 4 $((n / 2)) $((n - 1)) "$n"; do
			rm -rf spool
			# shellcheck disable=SC2086
			run -2 strace -o trace -e trace=fsync \
			    -e inject=fsync:error=EIO:when=$at sh -c \
			    "exec ctx-age $strategy -S spool '$agent' > out 2> err"
			grep -q INJECTED trace
			sed -n 's/^ctx-age: .*:\([0-9]*\): .*is unchanged.*/\1/p' err > stays
			[ -s stays ]
			while read -r line; do
				cmp <(sed -n "${line}p" out) \
				    <(sed -n "${line}p" "$agent")
			done < stays
			# What is referred to is there.
			run ctx-restore -S spool out
			[ "$status" -eq 0 ]
			ctx-restore -S spool out | cmp - "$agent"
		done
	done
}

@test "a spool that is moved away during the run gets no more references" {
	total=$(wc -l < "$agent")
	for later in none another; do
		rm -rf spool moved fifo
		mkfifo fifo
		{
			ctx-age -u -k 2 -o 200 -S spool fifo > out 2> err ||
				echo $? > rc
		} &
		{
			head -n 60 "$agent"
			for _ in $(seq 100); do
				[ "$(wc -l < out)" -lt 30 ] || break
				sleep 0.1
			done
			mv spool moved
			[ $later = none ] || mkdir -m 700 spool
			tail -n +61 "$agent"
		} > fifo
		wait
		[ "$(cat rc)" -eq 2 ]
		grep -q 'spool directory spool' err
		[ "$(wc -l < out)" -eq "$total" ]
		# What was referred to before is where it was put.
		ctx-restore -S moved <(sed 's|in spool/|in moved/|' out) |
		    cmp - "$agent"
		[ "$(tail -n 100 out | grep -c 'characters in spool')" -eq 0 ]
	done
}

@test "on a file system without hard links a stored file is renamed into place" {
	command -v strace > /dev/null || fail "no strace here"
	[ "$(uname)" = Linux ] || return 0
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	ctx-age -S spool "$agent" > want
	rm -r spool
	strace -o trace -e trace=linkat,/^rename -e inject=linkat:error=EPERM \
	    ctx-age -S spool "$agent" > out
	cmp want out
	grep -q INJECTED trace
	[ "$(find spool -name '.*' | grep -c tmp)" -eq 0 ]
	ctx-restore -S spool out | cmp - "$agent"
}

@test "a file with the right name and other contents is never overwritten" {
	ctx-age "$agent" > good
	victim=$(find .ctx/spool -name '*.md' | sort | head -n 1)
	echo mine > "$victim"
	run -2 --separate-stderr ctx-age "$agent"
	[[ $stderr == *"$victim exists, but does not contain this result; move this file to another place, or name another directory with -S DIR"* ]]
	[ "$(cat "$victim")" = mine ]
	ctx-age "$agent" > out 2> /dev/null || :
	[ "$(aged out)" -eq $(($(aged good) - 1)) ]
	[ "$(wc -l < out)" -eq 306 ]
	# Nor is a link followed or a fifo waited for.
	rm "$victim"
	ln -s /etc/passwd "$victim"
	run -2 ctx-age "$agent"
	rm "$victim"
	mkfifo "$victim"
	run -2 timeout 10 ctx-age "$agent"
}

@test "a file with equal contents is reused" {
	ctx-age "$agent" > out
	find .ctx -name '*.md' -printf '%p %i %T@\n' | sort > before
	ctx-age "$agent" | cmp - out
	find .ctx -name '*.md' -printf '%p %i %T@\n' | sort | cmp - before
}

@test "a file with equal contents that others can write is not reused" {
	ctx-age "$agent" > good
	file=$(find .ctx/spool -name '*.md' | sort | head -n 1)
	refused() { # why
		run -2 --separate-stderr ctx-age "$agent"
		[[ $stderr == *": $file $1; remove this file, or name another directory with -S DIR; the tool result is unchanged" ]] ||
			fail "$stderr"
		ctx-age "$agent" > out 2> err || :
		[ "$(aged out)" -eq $(($(aged good) - 1)) ]
		[ "$(wc -l < out)" -eq 306 ]
	}
	for mode in 666 620 602; do
		chmod "$mode" "$file"
		refused "is writable by others"
		[ "$(stat -c %a "$file")" = "$mode" ]
	done
	chmod 644 "$file"
	ctx-age "$agent" | cmp - good
	ln "$file" other
	refused "has another hard link"
	rm other
	if [ "$(id -u)" -eq 0 ]; then
		chown 12345 "$file"
		refused "belongs to another user"
		chown 0 "$file"
	fi
	ctx-age "$agent" | cmp - good
}

@test "several processes can write to one spool" {
	for i in 1 2 3 4 5 6 7 8; do
		(
			# Half of what they write is the same.
			head -n $((60 + i * 10)) "$agent" > "in$i"
			ctx-age -k 0 -o 200 "in$i" > "out$i"
		) &
	done
	wait
	for i in 1 2 3 4 5 6 7 8; do
		ctx-restore "out$i" | cmp - "in$i"
	done
	[ -z "$(find .ctx/spool -name '.*' -type f)" ]
	find .ctx/spool -name '*.md' | while read -r f; do
		sum=$(sha256sum < "$f" | cut -c -32)
		[ ! -e "$f.json" ] || sum=$(sha256sum < "$f.json" | cut -c -32)
		[[ $f == *-$sum.md ]]
	done
}

@test "-u: a message is written as soon as enough newer ones have been read" {
	# Of the newest those wait that stand after one with a long result.
	short=$(head -n 60 "$agent" | tail -n 10 | jq -s 'map(.role == "tool"
	    and (.content | utf8bytelength) > 300) | index(true)')
	[ "$short" -ge 1 ]
	[ "$short" -lt 9 ]
	mkfifo pipe
	ctx-age -u -k 10 -o 300 < pipe > out &
	exec 4> pipe
	head -n 60 "$agent" >&4
	for _ in $(seq 100); do
		[ "$(wc -l < out)" -lt $((50 + short)) ] || break
		sleep 0.1
	done
	left=$(wc -l < out)
	exec 4>&-
	wait
	[ "$left" -eq $((50 + short)) ]
	[ "$(wc -l < out)" -eq 60 ]
}

@test "blank lines, CRLF, BOM and other records keep their place" {
	{
		printf '\357\273\277\r\n'
		call a f "$(long 500)" | sed 's/$/\r/'
		printf '\n{"event":1}\n[1,2]\n \n'
		call b f x
		printf '{"role":"user","content":"end"}'
	} > in
	ctx-age -k 1 in > out
	[ "$(aged out)" -eq 1 ]
	cmp <(grep -v tool_call_id in) <(grep -v tool_call_id out)
	ctx-restore out | cmp - in
}

@test "a record with a conversation between lines ages as it does alone" {
	{
		jq -nc '{role: "user", content: "q"}'
		call a f "$(long 100)"
		call b f "$(long 100)"
		jq -nc '{role: "user", content: "end"}'
	} > lines
	jq -sc '{messages: .}' lines > record
	{ head -n 4 lines; cat record; tail -n +5 lines; } > in
	# With -k 2 the first result waits while the record comes.
	for options in "-k 1 -o 50" "-k 1 -o 50 --mask" "-k 2 -o 50" \
	    "-k 2 -o 50 --at-least 1"; do
		# shellcheck disable=SC2086 # options
		for name in in lines record; do
			ctx-age $options "$name" > "$name.out"
		done
		run ! cmp -s record record.out
		sed -n 5p in.out | cmp - record.out
		sed 5d in.out | cmp - lines.out
	done
	for k in 1 2; do
		ctx-age -k $k -o 50 in | ctx-restore | cmp - in
	done
}

@test "contradicting or invalid options are refused" {
	run -2 ctx-age --step 0 "$agent"
	run -2 ctx-age --head 4001 "$agent"
	run -2 ctx-age --tool '(' "$agent"
}

@test "an invalid line exits 2 after the records before it are written" {
	{ head -n 30 "$agent"; echo '{"role":'; } > bad
	run -2 --separate-stderr ctx-age bad
	[[ $stderr == *"bad:31:"* ]]
	[ "${#lines[@]}" -eq 30 ]
}

@test "a reference is kept until its message is removed, by every command" {
	for d in openai-chat anthropic gemini bedrock openai-responses; do
		"$B/gen-tools/convo" --dialect $d --seed 5 --messages 120 > in
		ctx-age -d $d -k 2 -o 80 --head 60 in > aged
		grep -o '[0-9]* characters in [^]]*\]' aged | sort -u > refs
		[ "$(wc -l < refs)" -gt 5 ]
		# A second age, of any options, and a cut.
		for o in "-k 0 -o 10 --head 0" "-o 80 --mask -k 0"; do
			# shellcheck disable=SC2086 # options
			ctx-age -d $d $o aged > again
			grep -o '[0-9]* characters in [^]]*\]' again |
			    sort -u > left
			[ -z "$(comm -23 refs left)" ] || fail "$d $o"
		done
		ctx-truncate -d $d -l 120 aged > again
		grep -o '[0-9]* characters in [^]]*\]' again | sort -u |
		    cmp - refs
		# When ctx-prune clears an aged body, it removes the head and
		# keeps the reference.
		n=$(tokens -d $d aged)
		for most in $(seq $((n - 10)) -200 1); do
			ctx-prune -s pinned-fifo -d $d -l aggressive -t 0 -k 0 -b "$most" \
			    --target "$most" --explain why aged > pruned
			! grep -q "old results" why || break
		done
		grep -q "old results" why
		run ! grep -q '"drop"' why
		grep -o '[0-9]* characters in [^]]*\]' pruned | sort -u |
		    cmp - refs
		ctx-prune -s pinned-fifo -d $d -l aggressive -t 0 -k 0 -b "$most" \
		    --target "$most" pruned | cmp - pruned
		[ "$(tokens -d $d pruned)" -le "$most" ]
		# What is restored from it is what was aged.
		ctx-restore -d $d pruned > back
		ctx-restore -d $d --list back > list
		[ ! -s list ]
		ctx-restore -d $d aged | cmp - in
		# ctx-count takes it as text.
		[ "$(ctx-count -d $d --json aged | jq .exact)" = \
		    "$(ctx-count -d $d --json in | jq .exact)" ]
	done
}

@test "--older-than uses the times in the stream, never the clock" {
	tried=0
	for f in "$BATS_TEST_DIRNAME"/corpus/{claude-code,codex,gemini-cli,pi,goose,opencode}/*.json*; do
		last=$(ctx-age -k 0 -o 20 --head 5 "$f" | aged || :)
		ctx-age -k 0 -o 20 --head 5 --older-than 0s "$f" > now
		for older in 1s 10s 30s 90s 5m 1h 7d; do
			ctx-age -k 0 -o 20 --head 5 --older-than $older "$f" > out
			ctx-age -k 0 -o 20 --head 5 --older-than $older out |
			    cmp - out
			ctx-restore out | cmp - "$f"
			n=$(aged out || :)
			[ "$n" -le "$last" ]
			[ "$n" -eq "$last" ] || tried=$((tried + 1))
			last=$n
		done
		cmp out "$f"
	done
	[ "$tried" -gt 8 ]
}

@test "--older-than ages what is older than the newest message and keeps the rest" {
	# at SECOND ID TEXT: a call and its result, as goose writes them.
	at() {
		jq -nc --argjson t "$1" --arg id "$2" --arg x "$3" '
		    {id: ("m" + $id), role: "assistant", created: $t, content:
			[{type: "toolRequest", id: $id, toolCall: {status:
			"success", value: {name: "f", arguments: {}}}}]},
		    {id: ("r" + $id), role: "user", created: $t, content:
			[{type: "toolResponse", id: $id, toolResult: {status:
			"success", value: {content: [{type: "text", text:
			$x}]}}}]}'
	}
	for i in 0 1 2 3 4 5 6 7 8 9; do
		at $((1793527200 + i * 60)) c$i "$(long 500) $i"
	done > in
	[ "$(ctx-age -k 0 --older-than 4m in | aged)" -eq 5 ]
	[ "$(ctx-age -k 0 --older-than 240s in | aged)" -eq 5 ]
	[ "$(ctx-age -k 0 --older-than 239s in | aged)" -eq 6 ]
	[ "$(ctx-age -k 14 --older-than 4m in | aged)" -eq 3 ]
	[ "$(ctx-age --keep-results 7 --older-than 1s in | aged)" -eq 3 ]
	# In any order, as a record, and message by message.
	{ sed -n '11,20p' in; sed -n '1,10p' in; } > turned
	[ "$(ctx-age -k 0 --older-than 4m turned | aged)" -eq 5 ]
	[ "$(ctx-age -k 0 --older-than 4m --at-least 1 turned | aged)" -eq 5 ]
	# Nothing waits but the first result that may still become old, and what
	# is after it; its call is no result.
	mkfifo pipe
	ctx-age -u -k 0 --older-than 4m < pipe > out &
	exec 4> pipe
	cat in >&4
	for _ in $(seq 100); do
		[ "$(wc -l < out)" -lt 11 ] || break
		sleep 0.1
	done
	left=$(wc -l < out)
	exec 4>&-
	wait
	[ "$left" -eq 11 ]
	ctx-age -k 0 --older-than 4m in | cmp - out
	# Without times nothing is older, and it says so.
	run -0 --separate-stderr ctx-age -k 0 --older-than 1s "$agent"
	[[ $stderr == *"no message has a timestamp"* ]]
	for t in 1 2x h 2h30 -1s "" 1.2345s; do
		run -2 ctx-age --older-than "$t" in
		[[ $output == *"is not a time such as"* ]]
	done
}

@test "a spool with a too long name stores nothing and loses nothing" {
	long=$(printf 'x%.0s' {1..300})
	run -2 --separate-stderr ctx-age -S "$long" -k 2 -o 300 "$agent"
	[[ $stderr == *[Ff]ile*"name too long"*"the tool result is unchanged"* ]]
	ctx-age -S "$long" -k 2 -o 300 "$agent" > out 2> err || [ $? -eq 2 ]
	cmp out "$agent"
}

# ---- media ----

# An image whose header says 1568 by 1176 pixels.
png=iVBORw0KGgoAAAANSUhEUgAABiAAAASYCAYAAAAAAAAA

# shots N: a question with an image and N calls, each answered with one.
shots() {
	jq -nc --argjson n "$1" --arg p "$png" '
	    def shot: {type: "image", source: {type: "base64",
		media_type: "image/png", data: ($p + "AAA\(.)")}};
	    {role: "user", content: [9 | shot + {cache_control:
		{type: "ephemeral"}}]},
	    (range($n) | {role: "assistant", content: [{type: "tool_use",
		id: "t\(.)", name: "shot", input: {}}]},
		{role: "user", content: [{type: "tool_result",
		tool_use_id: "t\(.)", content: [shot]}]})'
}

@test "--media stores all but the newest media as files, and ctx-restore puts them back" {
	shots 3 > in
	ctx-age --media 2 in > out
	diff <(sed -n 4,7p in) <(sed -n 4,7p out)
	jq -c '.content[0] | del(.text)' out | sed -n 1p |
	    grep -qx '{"type":"text","cache_control":{"type":"ephemeral"}}'
	text=$(sed -n 1p out | jq -r '.content[0].text')
	[ "$(head -n 1 <<< "$text")" = '[image removed: 1568x1176 png]' ]
	last=$(tail -n 1 <<< "$text")
	[[ $last =~ ^\[36\ bytes\ in\ (\.ctx/spool/image-([0-9a-f]{32})\.png)\]$ ]]
	file=${BASH_REMATCH[1]}
	digits=${BASH_REMATCH[2]}
	printf '%s' "${png}AAA9" | base64 -d | cmp - "$file"
	cmp <(sed -n 1p in | jq -c '.content[0]') "$file.json"
	[ "$(sha256sum < "$file.json" | cut -c 1-32)" = "$digits" ]
	[ "$(find .ctx/spool -type f | wc -l)" -eq 4 ]
	ctx-age --media 2 out | cmp - out
	ctx-restore out | cmp - in
	[ "$(ctx-restore --list out | cut -f 1,2 | sort -u)" = $'whole\t36' ]
	ctx-restore --gc out | cmp - /dev/null
	for n in 0 1 3 4 5; do
		ctx-age --media $n in > out
		[ "$(grep -c "$png" out)" -eq $((n < 4 ? n : 4)) ]
		ctx-restore out | cmp - in
		jq -sc . in | ctx-age --media $n | jq -c '.[]' | cmp - out
	done
}

@test "--media is undone by ctx-restore in every dialect and the corpus, and idempotent" {
	for d in openai-chat generic openai-responses anthropic bedrock gemini; do
		for seed in $(seq "${CHECK_LONG:-3}"); do
			"$B/gen-tools/convo" --dialect $d --seed "$seed" \
			    --count 3 --wrap | jq -c --arg to $d \
			    -f "$BATS_TEST_DIRNAME/media.jq" > in
			"$B/gen-tools/valid" $d --wrap --allow-pending < in \
			    > found || true
			for how in "--media 0" "--media 2 --step 2"; do
				# shellcheck disable=SC2086 # options
				ctx-age -d $d $how in > out
				"$B/gen-tools/valid" $d --wrap --allow-pending \
				    < out > now || true
				cmp found now
				# shellcheck disable=SC2086
				ctx-age -d $d $how out | cmp - out
				ctx-restore -d $d out | cmp - in
			done
			[ "$(grep -c 'bytes in .ctx' out)" -gt 0 ]
		done
	done
	files=0
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		ctx-age --media 0 "$f" > out
		ctx-age --media 0 out | cmp - out
		ctx-restore out | cmp - "$f"
		cmp -s out "$f" || files=$((files + 1))
		ctx-age --media 100 "$f" | cmp - "$f"
	done
	[ "$files" -gt 7 ]
}

@test "--media is undone by ctx-restore in transcripts of agents" {
	jq -nc --arg p "$png" '
	    {type: "user", uuid: "a", parentUuid: null, sessionId: "s",
		message: {role: "user", content: [{type: "image", source:
		{type: "base64", media_type: "image/png", data: $p}}]}},
	    {type: "assistant", uuid: "b", parentUuid: "a", sessionId: "s",
		message: {role: "assistant", id: "m", content: [{type:
		"tool_use", id: "t", name: "Read", input: {}}]}},
	    {type: "user", uuid: "c", parentUuid: "b", sessionId: "s",
		toolUseResult: {type: "image", file: {base64: $p}}, message:
		{role: "user", content: [{type: "tool_result", tool_use_id:
		"t", content: [{type: "image", source: {type: "base64",
		media_type: "image/png", data: $p}}]}]}}' > claude
	jq -nc --arg u "data:image/png;base64,$png" '
	    {timestamp: "2026-11-10T09:00:30Z", type: "session_meta",
		payload: {id: "s"}},
	    {timestamp: "2026-11-10T09:00:31Z", type: "response_item",
		payload: {type: "message", role: "user", content: [
		{type: "input_image", image_url: $u}]}},
	    {timestamp: "2026-11-10T09:00:32Z", type: "response_item",
		payload: {type: "function_call", call_id: "c", name:
		"view_image", arguments: "{}"}},
	    {timestamp: "2026-11-10T09:00:33Z", type: "response_item",
		payload: {type: "function_call_output", call_id: "c", output:
		[{type: "input_image", image_url: $u}]}}' > codex
	jq -nc --arg p "$png" '
	    {type: "session", version: 3, id: "s", cwd: "/"},
	    {type: "message", id: "a", parentId: null, message: {role:
		"user", content: [{type: "image", data: $p, mimeType:
		"image/png"}]}},
	    {type: "message", id: "b", parentId: "a", message: {role:
		"assistant", content: [{type: "toolCall", id: "t", name:
		"read", arguments: {}}]}},
	    {type: "message", id: "c", parentId: "b", message: {role:
		"toolResult", toolCallId: "t", toolName: "read", content: [
		{type: "image", data: $p, mimeType: "image/png"}]}}' > pi
	jq -nc --arg p "$png" '
	    {sessionId: "s", projectHash: "h"},
	    {id: "a", timestamp: "2026-11-10T09:00:30Z", type: "user",
		content: [{text: "See."}, {inlineData: {mimeType: "image/png",
		data: $p}}]},
	    {id: "b", timestamp: "2026-11-10T09:00:31Z", type: "gemini",
		content: "", toolCalls: [{id: "t", name: "read", args: {},
		result: [{functionResponse: {id: "t", name: "read", response:
		{output: "An image."}}}, {inlineData: {mimeType: "image/png",
		data: $p}}]}]}' > gemini
	for f in claude codex pi gemini; do
		ctx-age --media 0 $f > out
		[ "$(grep -c 'bytes in .ctx' out)" -eq 2 ] || fail "$f"
		ctx-age --media 0 out | cmp - out
		ctx-restore out | cmp - $f
		ctx-truncate -l 0 --media 1 $f > out
		[ "$(grep -c 'removed: 1568x1176 png, 33 bytes' out)" -eq 1 ]
	done
	# A copy that the model does not see is kept.
	ctx-age --media 0 claude | jq -r '.toolUseResult.file.base64 // empty' |
	    grep -qx "$png"
}

repeat() { # NUMBER TEXT
	printf "$2%.0s" $(seq "$1")
}

# A session of Claude Code in which the result $1 (JSON) has the copy $2, in the
# format $3 (default: claude-code).
copied() {
	jq -nc --argjson result "$1" --argjson copy "$2" --arg d "${3-claude-code}" '
	    def line($id; $up): if $d == "claude-code"
		then {uuid: $id, parentUuid: $up, sessionId: "s"}
		else {session_id: "s"} end;
	    (line("a"; null) + {type: "user", message: {role: "user",
		content: "Read it."}}),
	    (line("b"; "a") + {type: "assistant", message: {role: "assistant",
		id: "m", content: [{type: "tool_use", id: "t", name: "Read",
		input: {}}]}}),
	    ((if $d == "claude-code" then {toolUseResult: $copy}
		else {tool_use_result: $copy} end) + line("c"; "b") +
		{type: "user", message: {role: "user", content: [{type:
		"tool_result", tool_use_id: "t", content: $result}]}})'
}

@test "claude-code: a result and its copy are moved and restored together" {
	local text copy long
	text=$(repeat 300 'a naïve line ')
	long=$(jq -nc --arg t "$text" '$t')
	for copy in "$long" "{\"stdout\":$long,\"stderr\":\"\"}" \
	    "{\"type\":\"text\",\"file\":{\"filePath\":\"/a\",\"content\":$(jq -nc --arg t "$text" '"1 \($t)\n2"')}}" \
	    "[{\"type\":\"text\",\"text\":$long},{\"type\":\"text\",\"text\":\"b\"}]"; do
		for d in claude-code claude-stream; do
			copied "$long" "$copy" $d > plain
			jq -ac . plain > escaped
			for f in plain escaped; do
				ctx-age -o 1000 -k 0 $f > out
				run ! grep -q "$(repeat 100 'a naïve line ')" out
				[ "$(grep -o 'characters in .ctx/spool/' out | wc -l)" -eq 2 ]
				ctx-age -o 1000 -k 0 out | cmp - out
				ctx-restore out | cmp - $f
				# Only texts are replaced.
				cmp <(jq -c '.. |= if type == "string" and length > 100 then "x" else . end' $f) \
				    <(jq -c '.. |= if type == "string" and length > 100 then "x" else . end' out)
				# The copy counts nothing.
				ascii=-ac
				[ $f = escaped ] || ascii=-c
				jq $ascii 'del(.toolUseResult, .tool_use_result)' $f > bare
				cmp <(ctx-age -n --json -o 1000 -k 0 < $f) \
				    <(ctx-age -n --json -o 1000 -k 0 < bare)
				ctx-age --mask -o 1000 -k 0 $f > out
				[ "$(grep -o '\[cleared\]' out | wc -l)" -eq 2 ]
			done
		done
	done
}

@test "claude-code: a copy is kept if its result is kept, if it may be JSON, or if there are several results" {
	local text long
	text=$(repeat 300 'a line ')
	long=$(jq -nc --arg t "$text" '$t')
	copied '"short"' "{\"stdout\":$long}" > in
	ctx-age -o 1000 -k 0 in | cmp - in
	ctx-truncate -l 1000 in | cmp - in
	copied "$long" "$(jq -nc --arg t "$text" '[$t] | tojson')" > in
	ctx-age -o 1000 -k 0 in > out
	cmp <(jq -c .toolUseResult in) <(jq -c .toolUseResult out)
	ctx-restore out | cmp - in
	copied "$long" "{\"stdout\":$long}" |
	    jq -c 'if .toolUseResult then .message.content += [{type:
		"tool_result", tool_use_id: "t2", content: "short"}] else . end' > in
	ctx-age -o 1000 -k 0 in > out
	cmp <(jq -c .toolUseResult in) <(jq -c .toolUseResult out)
	run ! cmp -s in out
	ctx-restore out | cmp - in
}

@test "claude-code: the copy of a shortened or cleared result is shortened or cleared" {
	local text long
	text=$(repeat 800 'a line ')
	long=$(jq -nc --arg t "$text" '$t')
	copied "$long" "{\"stdout\":$long,\"isImage\":false}" > in
	ctx-truncate -l 1000 in > out
	[ "$(jq -c 'select(.toolUseResult) | .toolUseResult.stdout == .message.content[0].content' out)" = true ]
	[ "$(jq 'select(.toolUseResult) | .toolUseResult.stdout | length' out)" -le 1000 ]
	[ "$(jq -c 'select(.toolUseResult) | .toolUseResult | keys' out)" = '["isImage","stdout"]' ]
	ctx-truncate -l 1000 out | cmp - out
	# The result is old enough to be cleared.
	{
		cat in
		for i in d e f g h; do
			jq -nc --arg i $i '{uuid: $i, parentUuid: "c", sessionId: "s",
			    type: "assistant", message: {role: "assistant", id: $i,
			    content: [{type: "text", text: "Yes."}]}}'
		done
	} > more
	ctx-prune -s pinned-fifo -b 200 -l aggressive more > out
	[ "$(jq -c 'select(.toolUseResult) | [.toolUseResult.stdout, .message.content[0].content]' out)" = \
	    '["[cleared]","[cleared]"]' ]
	[ "$(wc -c < out)" -lt 2000 ]
	ctx-prune -s pinned-fifo -b 200 -l aggressive out | cmp - out
}

@test "--media: media in a result that ages later is restored with it in one run" {
	shots 2 | jq -c 'if .content[0].type == "tool_result"
	    then .content[0].content += [{type: "text", text: ("ab c" * 50)}]
	    else . end' > in
	ctx-age --media 0 in | ctx-age -k 0 -o 60 --head 10 > out
	[ "$(aged out)" -eq 2 ]
	run -1 grep -c 'shot-.*removed' out
	ctx-restore out | cmp - in
	ctx-restore --gc out | cmp - /dev/null
	[ "$(ctx-restore --list out | wc -l)" -eq 5 ]
	# The other way round what is aged has no media to age.
	ctx-age -k 0 -o 60 --head 10 in | ctx-age --media 0 > other
	ctx-restore other | cmp - in
	# A file that is missing leaves all of its record as it is.
	rm .ctx/spool/image-*.json
	run -1 --separate-stderr ctx-restore out
	[ "$output" = "$(cat out)" ]
	[[ $stderr == *"is missing"* ]]
}

@test "--media stores a URL or file id only as the JSON of its block" {
	pad=$(printf 'x%.0s' {1..40})
	jq -nc --arg p "$pad" '
	    {role: "user", content: [
		{type: "file", file: {file_id: "file-7", filename: "a.pdf"}},
		{type: "image_url", image_url: {url: "https://x.org/\($p).png"}}]}' > in
	ctx-age --media 0 in > out
	[ "$(find .ctx/spool -name '*.json' | wc -l)" -eq 2 ]
	[ "$(find .ctx/spool -type f | wc -l)" -eq 2 ]
	jq -r '.content[0].text' out | head -n 1 |
	    grep -qx '\[document removed: a.pdf, file-7\]'
	cat .ctx/spool/document-*.json | cmp - <(jq -c '.content[0]' in)
	ctx-restore out | cmp - in
	ctx-age --media 0 out | cmp - out
}

@test "--media keeps small media, and obeys --mask, --tool and --at-least" {
	shots 2 > in
	# An icon of a few tokens is cheaper than a reference.
	sed 's/AABiAAAASY/AAAEAAAABA/' in > icons
	ctx-age --media 0 icons | cmp - icons
	ctx-age --media 0 --mask --explain why in > out
	[ "$(grep -c '\[image removed: 1568x1176 png, 36 bytes\]' out)" -eq 3 ]
	[ ! -e .ctx ]
	[ "$(jq -r .rule why | sort -u)" = mask ]
	ctx-age --media 0 --tool other in > out
	diff <(tail -n 4 in) <(tail -n 4 out)
	grep -q 'bytes in' out
	ctx-age --media 0 --at-least 100k in | cmp - in
	ctx-age --media 0 --at-least 4k in | grep -c 'bytes in' | grep -qx 3
	ctx-age --media 0 -n in | grep -q 'edit   media  *3 messages'
	ctx-age --media 0 --explain why --archive gone in > out
	[ "$(jq -r '[.rule, .role, .tool] | @tsv' why | tail -n 1)" = \
	    $'media\tuser\tshot' ]
	cmp gone <(jq -c 'select(.role == "user")' in)
	ctx-age --media 0 -v in 2> err > out
	grep -q 'moved 3 blocks of media' err
	for o in "-k 1" "--keep-results 1"; do
		# shellcheck disable=SC2086 # an option and a number
		run -2 ctx-age --media 1 $o in
		[[ $output == *"cannot be combined with -k or"* ]]
	done
	ctx-age --media 0 --path-format 'x-{tool}-{sha256}' in > out
	ctx-restore out | cmp - in
	grep -q 'spool/x-image-[0-9a-f]*.png' out
}

@test "--media: only a placeholder text that ctx-age would write is restored" {
	shots 0 > in
	ctx-age --media 0 in > out
	text=$(jq '.content[0].text' out)
	ctx-restore -S other out 2> err | cmp - out
	grep -q ' 1 name files in other directories' err
	# Another first line, another size, another text before or after it.
	for change in 's/1568x1176/1568x1177/' 's/36 bytes/37 bytes/'; do
		sed "$change" out > forged
		run -1 --separate-stderr ctx-restore forged
		[ "$output" = "$(cat forged)" ]
		[[ $stderr == *"has changed"* ]]
	done
	for change in 's/"text":"/"text":"See: /' 's/\]","cache/], see.","cache/'; do
		sed "$change" out > forged
		ctx-restore forged | cmp - forged
	done
	# A record that another program has written anew is still read.
	jq . out > pretty
	ctx-restore pretty | jq -c . | cmp - in
	# A file that was changed is not believed.
	for f in .ctx/spool/image-*.json; do
		chmod u+w "$f"
		sed -i 's/ephemeral/something/' "$f"
	done
	run -1 --separate-stderr ctx-restore out
	[ "$output" = "$(cat out)" ]
	# A file of results is no block of media.
	call a run "$(long 900)" > results
	ctx-age -k 0 results > old
	name=$(grep -o 'run-[0-9a-f]*.md' old)
	jq -nc --arg n "$name" '{role: "user", content: [{type: "text", text:
	    "[image removed]\n[8999 bytes in .ctx/spool/\($n)]"}]}' > forged
	run -1 --separate-stderr ctx-restore forged
	[ "$output" = "$(cat forged)" ]
	[ -n "$text" ]
}

@test "ctx-truncate and ctx-prune keep the placeholders of --media whole" {
	shots 3 > in
	ctx-age --media 0 in > out
	ctx-truncate -l 9 --message-limit 9 out | cmp - out
	ctx-prune -b 100k out | cmp - out
	ctx-cache out | ctx-restore | grep -c "$png" | grep -qx 4
}

# ---- what was not sent yet ----

@test "--unsent ages only results after the last assistant message" {
	call a run "$(long 900)" > in
	call b run "$(long 800)" >> in
	ctx-age --unsent in > out
	cmp <(head -n 3 in) <(head -n 3 out)
	[ "$(aged out)" -eq 1 ]
	ctx-age --unsent out | cmp - out
	ctx-restore out | cmp - in
	jq -sc '{model: "gpt-4o", messages: .}' in | ctx-age --unsent |
	    jq -c '.messages[]' | cmp - out
	ctx-age --unsent -k 1 in | cmp - in
	ctx-age --unsent --keep-results 1 in | cmp - in
	ctx-age --unsent --at-least 100k in | cmp - in
	ctx-age --unsent --at-least 1k in | cmp - out
	ctx-age --unsent --explain why --archive gone in > /dev/null
	[ "$(jq -c '[.line, .index, .tool]' why)" = '[4,3,"run"]' ]
	cmp gone <(tail -n 1 in)
	jq -nc '{role: "assistant", content: "Done."}' >> in
	ctx-age --unsent in | cmp - in
	ctx-age --unsent -n in | cmp - /dev/null
}

@test "--unsent keeps the bytes that were already sent, in every dialect and with --media" {
	for d in openai-chat generic openai-responses anthropic bedrock gemini; do
		changed=0
		for seed in $(seq "${CHECK_LONG:-8}"); do
			"$B/gen-tools/convo" --dialect $d --seed "$seed" \
			    --messages $((9 + seed)) | jq -sc . |
			    jq -c --arg to $d -f "$BATS_TEST_DIRNAME/media.jq" |
			    jq -c 'until(.[-1].role
				| IN("assistant", "model") | not; .[:-1])
				| .[]' > in
			awk '{ line[NR] = $0 }
			    /"role":"(assistant|model)"|"type":"(function_call|reasoning)"/ {
				last = NR }
			    END { for (i = 1; i <= last; i++) print line[i] }' \
			    in > sent
			for how in "-o 20 --head 5" "--media 0"; do
				# shellcheck disable=SC2086 # options
				ctx-age -d $d $how --unsent in > out
				head -c "$(wc -c < sent)" out | cmp - sent
				cmp -s in out || changed=$((changed + 1))
				# shellcheck disable=SC2086
				ctx-age -d $d $how --unsent out | cmp - out
				ctx-restore -d $d out | cmp - in
			done
		done
		[ "$changed" -gt 0 ] || fail "$d: nothing has aged"
	done
}

@test "--unsent works before an invalid record and with events between messages" {
	call a run "$(long 900)" > in
	echo '{"event":1}' >> in
	ctx-age -d openai-chat --unsent in > out
	[ "$(tail -n 1 out)" = '{"event":1}' ]
	[ "$(aged out)" -eq 1 ]
	jq -nc '{role: "assistant", content: "Yes."}' >> in
	ctx-age -d openai-chat --unsent in | cmp - in
	call a run "$(long 900)" > in
	echo broken >> in
	# An assistant's message may have followed: nothing ages.
	run -2 --separate-stderr ctx-age --unsent in
	[ "$output" = "$(head -n 2 in)" ]
}

# ---- bound reasoning ----

@test "signed reasoning after an aged result is stored in the spool and restored" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	set -- -d anthropic -k 1 -o 40 -S spool
	ctx-age "$@" --explain log t > out
	head -n 2 t | cmp - <(head -n 2 out)
	[ "$(sed -n 4p out)" = '{"role":"assistant","content":[{"type":"text","text":"ok"}]}' ]
	[ "$(sed -n 6p out)" = '{"role":"assistant","content":[{"type":"text","text":"[reasoning removed]"}]}' ]
	[ "$(jq -c '[.index, .rule]' log | tr '\n' ' ')" = '[2,"age"] [3,"bound reasoning"] [5,"bound reasoning"] [7,"bound reasoning"] ' ]
	[ "$(find spool -name 'reasoning-*.json' | wc -l)" -eq 3 ]
	ctx-restore -d anthropic -S spool out | cmp - t
	ctx-age "$@" out | cmp - out
	[ "$(ctx-restore -d anthropic -S spool --list out | grep -c '^whole.*reasoning-')" -eq 3 ]
	[ -z "$(ctx-restore -d anthropic -S spool --gc out)" ]
	[ "$(ctx-restore -d anthropic -S spool --gc /dev/null | grep -c reasoning-)" -eq 3 ]
}

@test "reasoning is restored in a conversation that grew and was aged again" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	long=$(printf 'sun %.0s' {1..100})
	{
		cat t
		echo '{"role":"user","content":"Once more."}'
		echo '{"role":"assistant","content":[{"type":"thinking","thinking":"five","signature":"Eq5="},{"type":"tool_use","id":"b","name":"wx","input":{}}]}'
		echo "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"$long\"}]}"
		echo '{"role":"assistant","content":[{"type":"thinking","thinking":"six","signature":"Eq6="},{"type":"text","text":"ok"}]}'
	} > more
	ctx-age -d anthropic -k 1 -o 40 -S spool t > first
	{ cat first; tail -n 4 more; } > second
	ctx-age -d anthropic -k 1 -o 40 -S spool second > third
	# The reasoning before the second change is kept.
	grep -q five third
	run ! grep -q six third
	ctx-restore -d anthropic -S spool third | cmp - more
}

@test "reasoning is not restored into a changed message, nor from a forged file" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	ctx-age -d anthropic -k 1 -o 40 -S spool t > out
	sed '4s/"ok"/"no"/' out > changed
	ctx-restore -d anthropic -S spool changed > back
	# A model that binds would refuse it after the changed text, too.
	sed '1,3d' changed | cmp - <(sed '1,3d' back)
	head -n 3 t | cmp - <(head -n 3 back)
	for file in spool/reasoning-*; do
		sed -i 's/"text":"ok"/"text":"forged"/' "$file"
	done
	run -1 --separate-stderr ctx-restore -d anthropic -S spool out
	[ "${lines[3]}" = "$(sed -n 4p out)" ]
	[ "${lines[5]}" = "$(sed -n 6p t)" ]
}

@test "reasoning is not restored into an equal message of another conversation" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	sed -e 's/"a"/"b"/; s/rain/snow/g' \
	    -e '/Eq2/s/{"type":"thinking"[^}]*},//' t > u
	for file in t u; do
		ctx-age -d anthropic -k 1 -o 40 -S spool $file > $file.aged
	done
	# Both begin with the same question and answer "ok" after a result.
	[ "$(sed -n 4p t.aged)" = "$(sed -n 4p u.aged)" ]
	for file in t u; do
		ctx-restore -d anthropic -S spool $file.aged | cmp - $file
	done
}

@test "reasoning is restored in two conversations that differ only in their images" {
	# The question and the answer are the same.
	for payload in AAAA CCCC; do
		jq -nc --arg p "$payload" '{messages: [
		    {role: "user", content: [{type: "text", text: "What is it?"},
			{type: "image", source: {type: "base64",
			    media_type: "image/png", data: ($p * 400)}}]},
		    {role: "assistant", content: [{type: "thinking",
			thinking: $p, signature: "Eq1="},
			{type: "text", text: "ok"}]},
		    {role: "user", content: "So?"}]}'
	done > t
	ctx-age -d anthropic -S spool --media 0 t > out
	run ! grep -q thinking out
	[ "$(find spool -name 'reasoning-*.json' | wc -l)" -eq 2 ]
	ctx-restore -d anthropic -S spool out | cmp - t
	# Of two images one is moved first: its placeholder counts as the image.
	jq -c '.messages |= . + .' t > two
	ctx-age -d anthropic -S spool --media 1 two > first
	ctx-age -d anthropic -S spool --media 0 first > out
	ctx-restore -d anthropic -S spool out | cmp - two
}

@test "--reasoning keep and fail, --mask and older models leave reasoning in place" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	set -- -d anthropic -k 1 -o 40 -S spool
	ctx-age "$@" --reasoning keep t > out 2> err
	sed '1,3d' t | cmp - <(sed '1,3d' out)
	grep -q 'kept the signed reasoning of 3 messages' err
	ctx-restore -d anthropic -S spool out | cmp - t
	run -1 --separate-stderr ctx-age "$@" --reasoning fail t
	[ "$output" = "$(cat t)" ]
	[[ $stderr = *"1 conversations are unchanged"* ]]
	jq -cs '{model: "claude-opus-5-5", messages: .}' t > r
	run -1 --separate-stderr ctx-age -k 1 -o 40 -S spool --reasoning fail r
	[ "$output" = "$(cat r)" ]
	head -n 3 t > u
	ctx-age -d anthropic -k 0 -o 40 -S spool --reasoning fail u > out
	grep -q 'characters in' out
	ctx-age "$@" -m claude-opus-4-8 t > out 2> err
	sed '1,3d' t | cmp - <(sed '1,3d' out)
	[ ! -s err ]
	rm -rf spool
	ctx-age -d anthropic -k 1 -o 40 -S spool --mask t > out
	run ! grep -q 'Eq[234]' out
	[ ! -e spool ]
}

@test "reasoning whose file cannot be written is kept, with a message" {
	bound_talk "$(printf 'rain %.0s' {1..100})" > t
	ctx-age -d anthropic -k 1 -o 40 -S spool t > out
	name=$(ls spool/reasoning-* | head -n 1)
	rm -rf spool
	mkdir -m 700 spool spool/x
	mv spool/x "$name"
	run -2 --separate-stderr ctx-age -d anthropic -k 1 -o 40 -S spool t
	[[ $stderr = *"reasoning-"* ]]
	[[ $stderr = *"kept the signed reasoning of 1 messages"* ]]
}

@test "--media finds media in every place of a message that can be replaced" {
	# A payload that costs more than any reference.
	head -c 200000 /dev/zero | tr '\0' A > payload
	{
		printf iVBORw0KGgoAAAANSUhEUgAABiAAAASYCAYAAAA
		head -c 4001 payload
	} > png
	records() {
		jq -nc --rawfile p payload --rawfile png png "$1" > in
	}
	aged() {
		rm -rf spool
		ctx-age -d "$1" -S spool --media 0 in > out
		ctx-restore -S spool out | cmp - in
	}
	while IFS=$'\t' read -r dialect program; do
		records "$program"
		aged "$dialect"
		run -1 cmp -s in out
		ctx-truncate -d "$dialect" -l 0 --media 0 in > cut
		run -1 cmp -s in cut
	done <<'X'
openai-chat	{role: "user", content: [{type: "input_audio", input_audio: {data: $p, format: "wav"}}]}
openai-chat	{role: "user", content: [{type: "file", file: {filename: "a.pdf", file_data: ("data:application/pdf;base64," + $p)}}]}
openai-responses	{type: "custom_tool_call_output", call_id: "a", output: [{type: "input_image", image_url: ("data:image/png;base64," + $png)}]}
gemini	{role: "user", parts: [{fileData: {mimeType: "image/png", fileUri: "https://example.org/a.png"}}]}
claude-code	{type: "user", uuid: "1", parentUuid: null, sessionId: "s", message: {role: "user", content: [{type: "tool_result", tool_use_id: "t", content: [{type: "image", source: {type: "base64", media_type: "image/png", data: $png}}]}]}}
X
	while IFS=$'\t' read -r dialect program; do
		records "$program"
		aged "$dialect"
		cmp in out
		ctx-truncate -d "$dialect" -l 0 --media 0 in | cmp - in
	done <<'X'
openai-responses	{type: "computer_call_output", call_id: "a", output: {type: "computer_screenshot", image_url: ("data:image/png;base64," + $png)}}
openai-responses	{type: "image_generation_call", id: "a", status: "completed", result: $png}
gemini	{role: "user", parts: [{functionResponse: {name: "f", response: {}, parts: [{inlineData: {mimeType: "image/png", data: $png}}]}}]}
ollama	{role: "user", content: "See.", images: [$png]}
llm-logs	{id: "x", conversation_id: "c", model: "m", prompt: "p", response: "r", attachments: [{id: "i", type: "image/png", content: $png}]}
openai-chat	{role: "assistant", content: null, audio: {id: "audio_1", data: $p}}
X
	# Claude Code stores a copy that the model does not see: ctx keeps it.
	records '{type: "user", uuid: "1", parentUuid: null, sessionId: "s",
	    message: {role: "user", content: [{type: "tool_result",
		tool_use_id: "t", content: [{type: "image", source:
		{type: "base64", media_type: "image/png", data: $png}}]}]},
	    toolUseResult: {type: "image", file: {base64: $png}}}'
	aged claude-code
	cmp <(jq -c .toolUseResult in) <(jq -c .toolUseResult out)
	[ "$(jq -r '.message.content[0].content[0].type' out)" = text ]
}

@test "a new .ctx gets a .gitignore with its first file; other spools and an existing .ctx get none" {
	git init -q .
	ctx-age -k 99999 "$agent" > /dev/null
	[ ! -e .ctx ]
	ctx-age -n "$agent" > /dev/null
	[ ! -e .ctx ]
	ctx-age "$agent" > aged
	[ "$(cat .ctx/.gitignore)" = '*' ]
	[ "$(ls -A .ctx | sort | tr '\n' ' ')" = '.gitignore spool ' ]
	[ "$(stat -c %a .ctx/.gitignore)" = 600 ]
	[ -z "$(git status --porcelain .ctx)" ]
	# It is the user's from then on.
	echo mine > .ctx/.gitignore
	ctx-age -o 2000 "$agent" > aged
	[ "$(cat .ctx/.gitignore)" = mine ]
	rm .ctx/.gitignore
	ctx-age -o 1500 "$agent" > aged
	[ ! -e .ctx/.gitignore ]
	rm -r .ctx
	mkdir .ctx
	ctx-age "$agent" > aged
	[ "$(ls -A .ctx)" = spool ]
	ctx-age -S other/spool "$agent" > aged
	CTX_SPOOL=$PWD/third/spool ctx-age "$agent" > aged
	[ -z "$(find other third -name .gitignore)" ]
	# The sandbox is not the reason for any of this.
	rm -r .ctx
	ctx-age --no-sandbox "$agent" > aged
	[ "$(cat .ctx/.gitignore)" = '*' ]
}
