# --in-place: operands are replaced by what the command writes

load helper

# The commands that replace operands, each with options by which it changes the
# file that input makes.
replacing() {
	changing
	echo "ctx-check --repair"
	echo "ctx-count --annotate"
}

# Makes the file $2, which the command $1 changes.
input() {
	case $1 in
	ctx-restore*) ctx-age -o 1000 "$agent" > "$2" ;;
	# Results without their calls.
	ctx-check*) tail -n +5 "$agent" > "$2" ;;
	*) cp "$agent" "$2" ;;
	esac
}

# What a file is, besides its bytes.
identity() {
	stat -c '%i %a %u %g %Y %s' "$1"
}

# No temporary file and nothing else is beside the named files.
only() {
	ls -A > there
	printf '%s\n' there "$@" | LC_ALL=C sort > want
	LC_ALL=C sort there | diff - want
	rm there want
}

@test "each file becomes what the command writes, with its mode and owner" {
	mkdir dir
	while read -r c; do
		for suffix in "" .bak; do
			input "$c" dir/file
			chmod 640 dir/file
			[ "$(id -u)" -ne 0 ] || chown 12345:54321 dir/file
			stat -c '%a %u %g' dir/file > rights
			cp dir/file before
			# shellcheck disable=SC2086 # a command and its options
			$c before > want
			run -1 cmp -s before want
			# shellcheck disable=SC2086
			run -0 --separate-stderr $c -i$suffix dir/file
			[ -z "$output" ] || fail "$c: $output"
			cmp dir/file want
			stat -c '%a %u %g' dir/file | cmp - rights
			[ -z "$suffix" ] || cmp dir/file.bak before
			[ -z "$suffix" ] ||
				stat -c '%a %u %g' dir/file.bak | cmp - rights
			rm dir/file*
			[ -z "$(ls -A dir)" ]
		done
	done < <(replacing)
}

@test "several files are conversations of their own" {
	for f in one two three; do cp "$agent" $f; done
	ctx-prune -b 20k "$agent" > want
	ctx-prune -b 20k --in-place=.old one two three
	for f in one two three; do
		cmp $f want
		cmp $f.old "$agent"
	done
	only one one.old three three.old two two.old want
}

@test "--dry-run prints a plan for each file and replaces none" {
	while read -r c; do
		[ "${c%% *}" != ctx-count ] || continue
		input "$c" one
		cp one two
		identity one > before
		# shellcheck disable=SC2086 # a command and its options
		$c -n -i.bak one two > plan
		identity one | cmp - before
		[ "$(grep -c '^[^ ]' plan)" -eq 2 ] || fail "$c: $(cat plan)"
		[ "$(grep -c '^one' plan)" -eq 1 ]
		[ "$(grep -c '^two' plan)" -eq 1 ]
		[ ! -e one.bak ]
		# shellcheck disable=SC2086
		$c -n one > alone
		sed -n '/^one/,/^two/p' plan | sed '$d' | cmp - alone
	done < <(replacing)
}

@test "a file for which the exit status is not 0 is left as it is" {
	ctx-age -o 1000 "$agent" > aged
	messages user:hi user:ho > alternating
	printf '{"role":"user","content":"a"}\n{"role":\n' > torn
	cp "$agent" long
	rm .ctx/spool/*1*
	: > notdir
	while IFS='|' read -r want said c; do
		f=${c##* }
		identity "$f" > before
		cp -p "$f" kept
		# shellcheck disable=SC2086 # a command and its options
		run -"$want" $c
		[[ $output == *"$said"* ]] || fail "$c: $output"
		identity "$f" | cmp - before
		cmp "$f" kept
		[ ! -e "$f.bak" ] || fail "$c: $f.bak"
		[ -z "$(find . -name '.tmp-*')" ] || fail "$c: a temporary"
	done <<-'END'
		1|long was not replaced, because the exit status is 1|ctx-prune -b 500 -i.bak long
		1|aged was not replaced, because the exit status is 1|ctx-restore -i.bak aged
		1|alternating was not replaced, because the exit status is 1|ctx-check --repair --provider bedrock -i.bak alternating
		2|torn:2:|ctx-truncate -i.bak torn
		2|torn:2:|ctx-prune -b 10 -i torn
		2|torn:2:|ctx-count --annotate -i torn
		2|long was not replaced, because the exit status is 2|ctx-age -o 1000 -S notdir/spool -i.bak long
	END
}

@test "after status 1 the next file is replaced, after an error none is" {
	cp "$agent" long
	cp "$agent" last
	printf '{"role":\n' > torn
	# The system prompt alone has more tokens; the other file has none.
	messages user:one assistant:two user:three assistant:four > short
	ctx-prune -b 20 -k 1 -t 1 short > want
	run -1 cmp -s short want
	run -1 ctx-prune -b 20 -k 1 -t 1 -i long short
	cmp long "$agent"
	cmp short want
	rm want
	for suffix in "" .bak; do
		run -2 ctx-truncate -l 300 -i$suffix long last torn
		cmp long "$agent"
		cmp last "$agent"
		only last long short torn
	done
	# The summarizer fails for one file only.
	cp "$agent" two
	run -2 ctx-prune -s summarize -b 8k -i.bak --summarizer \
	    "cat > text; [ -e second ] || { : > second; echo s; exit; }; exit 1" \
	    long two
	[[ $output == *"two was not replaced"*"no other file is replaced"* ]] ||
		fail "$output"
	cmp long "$agent"
	only last long second short text torn two
	rm second text
	# Another program changes a file after it was read.
	run -2 ctx-prune -s summarize -b 8k -i.bak --summarizer \
	    "cat > text; [ ! -e second ] || echo >> long; : > second; echo s" \
	    long two
	[[ $output == *"cannot replace long: another program changed it"* ]] ||
		fail "$output"
	cmp two "$agent"
	only last long second short text torn two
}

@test "a file in which nothing changes keeps its inode and time, and gets no copy" {
	cp "$agent" file
	touch -d 2020-01-01 file
	for c in "ctx-prune -b 200k" "ctx-truncate -l 0" "ctx-age -o 90k" \
	    ctx-restore "ctx-check --repair --allow-pending"; do
		identity file > before
		# shellcheck disable=SC2086 # a command and its options
		run -0 $c -i.bak file
		identity file | cmp - before
	done
	# Equal in length, but not in bytes.
	printf '{"role":"user","content":"a","ctx_tokens":11}\n' > counted
	ctx-count --annotate counted > want
	[ "$(wc -c < counted)" -ne "$(wc -c < want)" ] ||
		ctx-count --annotate -i counted
	only before counted file want
}

@test "a symbolic link stays, and the file that it leads to is replaced" {
	mkdir real
	cp "$agent" real/file
	ln -s real/file one
	ln -s ../one real/two
	ctx-truncate -l 300 "$agent" > want
	ctx-truncate -l 300 -i.bak real/two
	[ -L one ] && [ -L real/two ] && [ ! -L real/file ]
	cmp real/file want
	cmp real/file.bak "$agent"
	ln -s nowhere dangling
	run -2 ctx-truncate -i dangling
	[[ $output == *"cannot open dangling: "* ]]
	ln -s loop loop
	run -2 ctx-truncate -i loop
	[[ $output == *"cannot open loop: "* ]]
}

@test "another hard link keeps the old file" {
	cp "$agent" file
	ln file other
	ctx-truncate -l 300 -i file
	cmp other "$agent"
	[ "$(stat -c %h file)" -eq 1 ]
}

@test "what cannot be replaced is refused before any file is changed" {
	cp "$agent" good
	mkdir dir
	mkfifo pipe
	cp "$agent" locked
	chmod 444 locked
	cp "$agent" kept
	echo precious > kept.bak
	while IFS='|' read -r said files; do
		# shellcheck disable=SC2086 # several files
		run -2 --separate-stderr timeout 20 ctx-truncate -l 300 -i.bak \
		    $files < good
		[[ $stderr == "ctx-truncate: "*"$said"* ]] ||
			fail "$files: $stderr"
		[ "$(wc -l <<< "$stderr")" -eq 1 ]
		cmp good "$agent"
		[ ! -e good.bak ]
	done <<-'END'
		--in-place needs a file|
		standard input|-
		standard input|good -
		cannot replace dir: Is a directory|good dir
		cannot replace pipe: it is not a regular file|good pipe
		cannot replace /dev/null: it is not a regular file|good /dev/null
		cannot open none: No such file|good none
		cannot replace locked: it is read-only|good locked
		/kept.bak exists|good kept
		good and ./good are the same file|good ./good
	END
	[ "$(cat kept.bak)" = precious ]
	ln good again
	ln -s good link
	for f in again link; do
		run -2 ctx-truncate -l 300 -i.bak good $f
		[[ $output == *" are the same file; name it once" ]]
		cmp good "$agent"
	done
}

# Runs a command that may write no more than the files' modes say.
as_anybody() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --inh-caps=-all --bounding-set=-dac_override "$@"
	else
		"$@"
	fi
}

@test "a directory in which no file can be created is refused" {
	as_anybody true || fail "no setpriv here"
	mkdir dir
	cp "$agent" dir/file
	chmod 555 dir
	run -2 as_anybody ctx-truncate -l 300 -i dir/file
	[[ $output == *"cannot replace dir/file: cannot write to its directory: Permission denied" ]]
	cmp dir/file "$agent"
	chmod 755 dir
}

@test "a suffix has no slash and begins with no letter or digit" {
	cp "$agent" file
	for o in -in -i1 -ix.bak --in-place=old -i/x -i.a/b --in-place=; do
		run -2 ctx-truncate $o file
		[[ $output == "ctx-truncate: --in-place: '"*" is not a suffix such as .bak, "* ]] ||
			fail "$o: $output"
	done
	cmp file "$agent"
	long=$(printf 'x%.0s' {1..300})
	run -2 ctx-truncate -l 300 "-i.$long" file
	[[ $output == *"cannot keep the original as "*"ame too long" ]]
	run -2 ctx-truncate -l 300 "-i.$long$long$long$long$long$long$long$long$long$long$long$long$long$long" file
	[[ $output == *"cannot keep the original of file: "*"ame too long" ]]
	cmp file "$agent"
	only file
	ctx-truncate -ni~ file
	ctx-truncate -l 300 -i~ file
	cmp file~ "$agent"
}

@test "commands and options that write no stream refuse --in-place" {
	cp "$agent" file
	for c in "ctx-count" "ctx-count --bar" "ctx-check" "ctx-check --after file" \
	    "ctx-restore --list" "ctx-restore --gc" "ctx-cache --diff file"; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c -i file
		[[ $output == *--in-place* || $output == *"cannot be combined with "* ]] ||
			fail "$c: $output"
	done
	cmp file "$agent"
}

@test "a file that another program changes meanwhile is not replaced" {
	for change in "echo >> file" "touch -d 2020-01-01 file" \
	    "cp file new; mv new file" "rm file" "echo x > file.bak"; do
		rm -f file*
		cp "$agent" file
		run -2 ctx-prune -s summarize -b 8k -i.bak --summarizer \
		    "cat > text; $change; echo summary" file
		case $change in
		rm*) [[ $output == *"cannot replace file: No such file"* ]] ;;
		*bak) [[ $output == *"file.bak exists"* ]] ;;
		*) [[ $output == *"cannot replace file: another program changed it at the same time; "* ]] ;;
		esac || fail "$change: $output"
		[ ! -e file ] || cmp -n "$(wc -c < "$agent")" file "$agent"
		[ ! -e file.bak ] || [ "$(cat file.bak)" = x ]
		[ -z "$(find . -name '.tmp-*')" ]
	done
}

@test "a disk that is full leaves the file as it is" {
	for _ in 1 2 3 4 5 6 7 8; do cat "$agent"; done > file
	cp file before
	while read -r c; do
		case $c in ctx-prune* | ctx-restore* | ctx-check*) continue ;; esac
		# shellcheck disable=SC2086 # a command and its options
		run -2 bash -c "ulimit -S -f 400; exec $c -i.bak file"
		[[ $output == "${c%% *}: file"*": cannot write: File too large" ]] ||
			fail "$c: $output"
		[ "${#lines[@]}" -eq 1 ]
		cmp file before
		[ ! -e file.bak ]
		[ -z "$(find . -name '.tmp-*')" ]
	done < <(replacing)
}

# in_place_failing CALL WHEN OPTION...: replaces one and two by a command of
# which a system call fails.
in_place_failing() {
	local call=$1 when=$2
	shift 2
	rm -rf dir
	mkdir dir
	cp "$agent" dir/one
	cp "$agent" dir/two
	run -2 strace -f -o trace -e trace=link,linkat,rename,renameat,renameat2 \
	    -e inject="$call:error=EIO:when=$when" \
	    ctx-truncate -l 300 "$@" dir/one dir/two
}

@test "if a file cannot be renamed or kept, none is replaced" {
	command -v strace > /dev/null || fail "no strace here"
	# LeakSanitizer does not work under strace.
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	renames=rename,renameat,renameat2
	links=link,linkat
	while IFS='|' read -r said call when option; do
		in_place_failing "$call" "$when" "$option"
		[[ $output == "ctx-truncate: $said: Input/output error" ]] ||
			fail "$call $when: $output"
		cmp dir/one "$agent"
		cmp dir/two "$agent"
		(cd dir && only one two)
	done <<-END
		cannot replace dir/one|$renames|1|-i
		cannot replace dir/two|$renames|2|-i
		cannot replace dir/two|$renames|2|-i.bak
		cannot keep the original as $PWD/dir/one.bak|$links|1|-i.bak
		cannot keep the original as $PWD/dir/two.bak|$links|2|-i.bak
	END
	# The original cannot be restored either.
	in_place_failing $renames 2+ -i.bak
	[[ ${lines[0]} == "ctx-truncate: dir/one: was replaced before the error; the original is $PWD/dir/one.bak" ]] ||
		fail "$output"
	cmp dir/one.bak "$agent"
	cmp dir/two "$agent"
	(cd dir && only one one.bak two)
	# A file system without hard links.
	cp "$agent" file
	strace -f -o trace -e trace=$links -e inject=$links:error=EPERM \
	    ctx-truncate -l 300 -i file
	grep -q INJECTED trace
	ctx-truncate -l 300 "$agent" | cmp - file
}

@test "if the file of --explain cannot be written, no file is replaced" {
	jq -nc '{role: "user", content: ("word " * 99)}' > one
	cp one before
	run -2 ctx-truncate --message-limit 30 -i --explain /dev/full one
	[[ $output == "ctx-truncate: cannot write /dev/full: No space left"* ]]
	cmp one before
	only before one
}

@test "the number of files may exceed that of descriptors" {
	ctx-truncate -l 300 "$agent" > want
	for n in {1..40}; do cp "$agent" "f$n"; done
	bash -c 'ulimit -n 20; exec ctx-truncate -l 300 -i f*'
	for n in {1..40}; do cmp want "f$n"; done
}

@test "a signal removes all temporary files and leaves all operands as they are" {
	cp "$agent" file
	cp "$agent" first
	signals="TERM HUP"
	# Under nohup, HUP is ignored.
	! trap -p HUP | grep -q "''" || signals=TERM
	for signal in $signals; do
		rm -rf ready once
		ctx-prune -s summarize -b 8k -i.bak --summarizer \
		    "cat > text; ! mkdir once || { echo s; exit; }
		    : > ready; exec sleep 20" first file 2> err &
		pid=$!
		for _ in {1..200}; do [ -e ready ] && break; sleep 0.05; done
		[ "$(find . -name '.tmp-*' | wc -l)" -eq 2 ]
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		[ "$(kill -l $status)" = $signal ] || fail "$signal: $status"
		cmp file "$agent"
		cmp first "$agent"
		only err file first once ready text
	done
}

@test "a signal that is ignored stays ignored" {
	cp "$agent" file
	ctx-prune -s summarize -b 8k --summarizer \
	    "cat > text; echo summary" file > want
	(
		trap '' HUP
		exec ctx-prune -s summarize -b 8k -i --summarizer \
		    "cat > text; kill -HUP \$(cat pid); echo summary" file
	) &
	echo $! > pid
	wait $!
	cmp file want
}

@test "the archive is on disk before the file is replaced" {
	command -v strace > /dev/null || fail "no strace here"
	# LeakSanitizer does not work under strace.
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	while read -r c; do
		input "$c" file
		rm -f arch
		# shellcheck disable=SC2086 # a command and its options
		strace -f -y -o trace -e trace=fsync,rename,renameat,renameat2,writev,write \
		    $c -i --archive arch file
		awk '/^[0-9]+ +rename.*\.tmp-/ { renamed = 1; dirty += wrote }
		    /^[0-9]+ +writev?\([0-9]+<[^>]*\/arch>/ { wrote = 1 }
		    /^[0-9]+ +fsync\([0-9]+<[^>]*\/arch>/ { wrote = 0 }
		    /^[0-9]+ +fsync\([0-9]+<[^>]*\/\.tmp-/ { synced = 1 }
		    END { exit !(renamed && synced && !dirty) }' trace ||
			fail "$c: $(cat trace)"
		[ -s arch ]
	done < <(replacing)
}

@test "--explain and --archive hold the changes of all files" {
	cp "$agent" one
	cp "$agent" two
	ctx-prune -b 20k --archive want.archive --explain want.explain one > out
	ctx-prune -b 20k --archive archive --explain explain -i one two
	cat want.archive want.archive | cmp - archive
	for f in one two; do
		sed "s/\"one\"/\"$f\"/; s/want.archive/archive/" want.explain
	done | cmp - explain
}

@test "-j: files are replaced by the same bytes" {
	cp "$agent" one
	cp "$agent" two
	ctx-prune -b 20k "$agent" > want
	ctx-prune -b 20k -j 4 -i one two
	cmp one want
	cmp two want
}

@test "a file with an access control list or of another owner is refused first" {
	cp "$agent" one
	cp "$agent" two
	if command -v setfacl > /dev/null && setfacl -m u:1:rw two 2> /dev/null; then
		run -2 ctx-prune -b 20k -i one two
		[[ $output == *"two: it has an access control list"* ]] || fail "$output"
		cmp one "$agent"
		setfacl -b two
	fi
	[ "$(id -u)" -eq 0 ] || skip "not root"
	command -v setpriv > /dev/null || skip "no setpriv"
	# Below the directory of the test another user can open nothing.
	shared=$(mktemp -d)
	cp "$B/ctx-prune" one two "$shared"
	cp "$B"/libctx-commands-*.so "$shared" 2> /dev/null || : # linked in
	chmod 777 "$shared"
	chmod 666 "$shared/one" "$shared/two"
	chown 65534:65534 "$shared/one"
	run -2 setpriv --reuid 65534 --regid 65534 --clear-groups \
	    "$shared/ctx-prune" -b 20k -i "$shared/one" "$shared/two"
	cmp "$shared/one" "$agent"
	rm -r "$shared"
	[[ $output == *"two: it belongs to another user or group"* ]] || fail "$output"
}

@test "-i after -i.bak keeps the suffix" {
	cp "$agent" one
	ctx-prune -b 20k -i.bak -i one
	cmp one.bak "$agent"
}
