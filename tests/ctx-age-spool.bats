# ctx-age: how results are stored in the spool

load helper
load age

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
	    '{tool}-{tool}-{tool}-{sha256}.md' "$(printf '%0300d' 0)"; do
		run -2 ctx-age --path-format "$format" "$agent"
		[[ $output == *" '${format:0:40}' must give a name of at most 200 letters, "* ]]
		[[ $output == *"as in {tool}-{sha256}.md" ]]
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
		[[ $stderr == *": spool directory other belongs to another user; choose another directory"* ]]
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

@test "a result above the file size limit exits 2 and names its file" {
	(
		ulimit -S -f 1
		run -2 bash -o pipefail -c "ctx-age '$agent' | cat > /dev/null"
		[[ ${lines[0]} == *"cannot write file .ctx/spool/"*".md: File too large"* ]] ||
			fail "$output"
	)
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
	[[ $stderr == *"$victim exists, but with other contents than ctx-age would write; move this file to another place, or choose another spool directory"* ]]
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
		[[ $stderr == *": $file $1; remove this file, or choose another spool directory; the tool result is unchanged" ]] ||
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

@test "a spool with a too long name stores nothing and loses nothing" {
	long=$(printf 'x%.0s' {1..300})
	run -2 --separate-stderr ctx-age -S "$long" -k 2 -o 300 "$agent"
	[[ $stderr == *[Ff]ile*"name too long"*"the tool result is unchanged"* ]]
	ctx-age -S "$long" -k 2 -o 300 "$agent" > out 2> err || [ $? -eq 2 ]
	cmp out "$agent"
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

@test "if .ctx/.gitignore cannot be written, the error names it, and no file is stored" {
	command -v strace > /dev/null || fail "no strace here"
	[ "$(uname)" = Linux ] || return 0
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	failing() { # CALL FIRST WHAT: the call fails from the FIRST time on
		rm -rf .ctx
		strace -o trace -e "trace=$1" -e "inject=$1:error=ENOSPC:when=$2+" \
		    ctx-age "$agent" > out 2> err && fail "$1: no error"
		grep -q INJECTED trace
		[[ $(head -n 1 err) == *": cannot $3 file .ctx/.gitignore: No space left on device; the tool result is unchanged" ]] ||
			fail "$1: $(cat err)"
		cmp out "$agent"
		[ -z "$(find .ctx -type f)" ]
	}
	failing linkat 1 create
	# The first two directories to be synced are those with .ctx and spool.
	failing fsync 3 write
}
