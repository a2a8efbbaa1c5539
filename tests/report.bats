# --dry-run, --explain and --archive: the same in every command that changes
# messages

load helper

# What each rule does, and what becomes of a message: hints cost no tokens.
rules() { # command
	case $1 in
	ctx-cache*)
		some='[0-9]'
		actions='["mark", "strip"]'
		weighs='.before == .after'
		;;
	*)
		some='[1-9]'
		actions='["drop", "edit"]'
		weighs='.before != .after'
		;;
	esac
}

# The sample as the command $1 wants it, as lines, as a record and as a
# pretty-printed document: in, record, document.
inputs() {
	cp "$agent" in
	[ "${1%% *}" != ctx-restore ] || ctx-age -o 1000 "$agent" > in
	# A model that takes hints.
	jq -sc '{model: "claude-opus-4-5", messages: .}' in > record
	jq -s '{messages: .}' in > document
}

# The sha256 of each line of a file, its line feed included.
hashes() {
	while IFS= read -r line; do
		printf '%s\n' "$line" | sha256sum | cut -d ' ' -f 1
	done < "$1"
}

@test "--dry-run writes nothing, prints the plan, and has the same exit status" {
	while read -r c; do
		inputs "$c"
		rules "$c"
		for f in in record document; do
			rm -rf new
			# shellcheck disable=SC2086 # a command and its options
			$c $f > out
			run -1 cmp -s out $f
			mv .ctx new 2> /dev/null || :
			[ "${c%% *}" != ctx-restore ] || mv new .ctx
			# shellcheck disable=SC2086
			$c -n --archive arch $f > plan
			[ ! -e arch ]
			[ "${c%% *}" = ctx-restore ] || [ ! -e .ctx ]
			grep -qE '^  [a-z-]+ .*[1-9][0-9]* messages .*'"$some"'[0-9]* tokens$' plan
			[ "$(head -n 1 plan | cut -d : -f 1)" = $f ]
			# shellcheck disable=SC2086
			$c -n --json $f > json
			jq -e --arg f $f --arg some "$some" '.file == $f and
			    (.rules | length > 0 and all(.messages > 0 and
			    (.tokens | tostring | test("^" + $some))))' json
		done
	done < <(changing)
	run -1 ctx-prune -n -b 500 "$agent"
}

@test "--dry-run says on standard error that nothing would change" {
	local c
	jq -nc '{role: "user", content: "hello"}' > in
	for c in ctx-truncate ctx-age ctx-restore "ctx-check --repair" \
	    "ctx-cache --strip" "ctx-truncate --explain told"; do
		# shellcheck disable=SC2086 # a command and its options
		run -0 --separate-stderr $c -n in
		[ -z "$output" ]
		[ "$stderr" = "${c%% *}: nothing would change" ] || fail "$c: $stderr"
		# shellcheck disable=SC2086
		run -0 --separate-stderr $c in
		[ -z "$stderr" ]
	done
	for c in "ctx-check --repair -q" "ctx-truncate --json"; do
		# shellcheck disable=SC2086
		run -0 $c -n in
		[ -z "$output" ]
	done
	# One changed file is enough, and changes that only --explain lists.
	cp "$agent" long
	run -0 --separate-stderr ctx-truncate -l 1000 -n long in
	[ -z "$stderr" ]
	tail -n +5 "$agent" > cut
	run -0 --separate-stderr ctx-check --repair -n --explain told cut
	[ -z "$stderr" ]
}

@test "--explain has a line for each changed message, and --dry-run counts as many" {
	while read -r c; do
		inputs "$c"
		rules "$c"
		for f in in record document; do
			rm -f arch
			# shellcheck disable=SC2086 # a command and its options
			$c --explain lines --archive arch $f > out
			rm -rf .ctx.away
			[ "${c%% *}" = ctx-restore ] || mv .ctx .ctx.away 2> /dev/null || :
			# shellcheck disable=SC2086
			$c -n --explain - $f > dry
			jq -c 'del(.archive)' lines | cmp - <(jq -c . dry)
			jq -es --arg f $f 'length > 3 and all(.file == $f and
			    .line > 0 and ('"$weighs"') and
			    .archive == "arch" and (.sha256 | length == 64) and
			    (.role | IN("system", "user", "assistant", "tool")) and
			    (.tool | type == "string") and
			    (.action | IN('"$actions"'[])))' lines
			# A message that is changed has one line.
			jq -r .index lines | sort -n > index
			sort -n -u index | cmp - index
			# What is archived is what it was.
			[ "$(wc -l < arch)" -eq "$(wc -l < lines)" ]
			[ $f != in ] || hashes arch |
			    cmp - <(jq -r .sha256 lines)
			[ $f = in ] || [ "$(jq -c . arch | wc -l)" -eq \
			    "$(wc -l < lines)" ]
		done
	done < <(changing)
}

@test "--explain: before and after are the tokens of ctx-count" {
	while read -r c; do
		[ "${c%% *}" != ctx-prune ] || continue
		inputs "$c"
		# shellcheck disable=SC2086 # a command and its options
		$c --explain lines in > out
		for which in in out; do
			ctx-count -d openai-chat --per message --json $which |
			    jq -c '[.index, .tokens]' > $which.counts
		done
		jq -c '[.index, .before]' lines > before
		jq -c '[.index, .after]' lines > after
		is_subsequence before in.counts
		is_subsequence after out.counts
	done < <(changing)
}

# Do archive and reports of a command over a file of this dialect add up?
adds_up() { # file, dialect, command ...
	run -0 "$BATS_TEST_DIRNAME/ledger" "$@"
	[ -z "$output" ] || fail "$output"
}

@test "a message that is edited and later removed is reported once" {
	adds_up "$agent" openai-chat ctx-prune -b 40k
	ctx-prune -b 40k --archive gone --explain told "$agent" > out
	jq -es 'map(select(.line == 108)) | length == 1 and
	    .[0].action == "drop" and .[0].after == 0' told
	# Reasoning is removed when the first 256 KiB have come.
	[ "$(jq 'select(.line == 108).before' told)" = \
	    "$(ctx-count --per message --json "$agent" |
		jq 'select(.line == 108).tokens')" ]
	sort gone > a
	comm -23 <(sort "$agent") <(sort out) | cmp - a
}

@test "the records of one message count once in every command" {
	c=$BATS_TEST_DIRNAME/corpus
	while read -r dialect file; do
		for o in "-b 300" "-b 900 -l aggressive" \
		    "-s summarize -b 300 -k 1 -t 1" "-s window --window-turns 1"; do
			# shellcheck disable=SC2086 # options
			adds_up "$c/$dialect/$file" $dialect ctx-prune $o
		done
		adds_up "$c/$dialect/$file" $dialect ctx-truncate -l 20 --args 9
		adds_up "$c/$dialect/$file" $dialect ctx-age -k 1 -o 30 --head 9
		adds_up "$c/$dialect/$file" $dialect ctx-cache --strip
		adds_up "$c/$dialect/$file" $dialect ctx-count --annotate
	done <<-EOF
		claude-code session.jsonl
		claude-code branches.jsonl
		claude-stream plain.jsonl
		gemini-cli chat.jsonl
		pi branches.jsonl
		codex rollout.jsonl
	EOF
	# More lines than messages.
	ctx-prune -s pinned-fifo -n -k 4 -t 3 -b 300 \
	    "$c/claude-code/session.jsonl" > plan || [ $? -eq 1 ]
	grep -q '^  drop   pinned-fifo  *-  *15 messages ' plan
}

@test "a removed record of a message that is kept counts as an edit of the message" {
	line() { # id, parent, message id, block
		echo '{"parentUuid":'"$2"',"sessionId":"s","type":"assistant","uuid":"'"$1"'","message":{"role":"assistant","model":"claude-opus-5-5","id":"'"$3"'","content":['"$4"']}}'
	}
	user() { # id, parent, text
		echo '{"parentUuid":'"$2"',"sessionId":"s","type":"user","uuid":"'"$1"'","message":{"role":"user","content":"'"$3"'"}}'
	}
	{
		user t null "a first question"
		line z '"t"' m0 '{"type":"text","text":"of many words, so that it is the first to go from this conversation"}'
		user u '"z"' "a question"
		# Bound to all that is before it.
		line a '"u"' m1 '{"type":"thinking","thinking":"one two three four five six","signature":"s"}'
		line b '"a"' m1 '{"type":"text","text":"an answer"}'
		user v '"b"' another
		line c '"v"' m2 '{"type":"text","text":"yes"}'
	} > in
	ctx-prune -s pinned-fifo -b 33 -k 1 -t 2 --explain told in > out
	[ "$(wc -l < out)" -eq 4 ]
	[ "$(jq -r 'select(.index == 3) | "\(.line) \(.rule) \(.action)"' told |
	    paste -sd ,)" = "4 bound reasoning edit,5 links relink" ]
	# The framing of the message is now that of its second record.
	[ "$(jq 'select(.line == 4).after' told)" -gt 0 ]
	for o in "-b 33 -t 2" "-b 33 -t 1" "-b 20 -t 0" "-b 40 --notice hm"; do
		# shellcheck disable=SC2086 # options
		adds_up in claude-code ctx-prune -k 1 $o
	done
	# Two records whose results stand between them are one message, too.
	c=$BATS_TEST_DIRNAME/corpus/claude-code
	ctx-count --per message --json "$c/session.jsonl" |
	    jq -r .index | sort -nu | wc -l > numbers
	ctx-count --json "$c/session.jsonl" | jq .messages | cmp - numbers
}

@test "--explain names the message or block that is inserted" {
	for d in openai-chat generic openai-responses anthropic bedrock gemini; do
		for o in "--notice gone -s middle-out" "-s summarize"; do
			: > all
			for i in 2 4; do
				"$B/gen-tools/convo" --dialect $d --seed $i \
				    --messages 60 > in
				o="$o -b 1500 -k 1 -t 1"
				# shellcheck disable=SC2086 # options
				ctx-prune -d $d $o --explain told in > out ||
					[ $? -eq 1 ]
				cat told >> all
				# shellcheck disable=SC2086
				adds_up in $d ctx-prune $o
			done
			jq -es 'map(select(.action == "add")) | length > 0 and
			    all((.rule | IN("notice", "summary")) and
				.before == 0 and .after > 0 and
				.archive == null and (.sha256 | length == 64))' all ||
				fail "$d: $o"
		done
	done
	# A part of the user's next message is no message of its own.
	ctx-prune -d bedrock -b 300 -k 1 -t 1 -s summarize \
	    --explain told "$BATS_TEST_DIRNAME/corpus/bedrock/agent.jsonl" \
	    > out || [ $? -eq 1 ]
	jq -es 'any(.action == "add" and .part)' told
}

@test "--explain names the tool that was called, in every dialect" {
	for d in openai-chat anthropic gemini bedrock openai-responses; do
		"$B/gen-tools/convo" --dialect $d --seed 3 --messages 200 > in
		ctx-truncate -d $d -l 10 --explain lines in > out
		[ "$(wc -l < lines)" -gt 3 ]
		jq -es 'map(select(.rule == "results")) |
		    all(.tool | length > 0)' lines
		ctx-truncate -d $d -l 10 --tool '^run$' --explain some in > out
		[ "$(wc -l < some)" -gt 1 ]
		[ "$(wc -l < some)" -lt "$(wc -l < lines)" ]
		# A message may hold results of other tools before it.
		case $d in
		openai-*) jq -es 'all(.tool == "run")' some ;;
		esac
		ctx-truncate -d $d -l 10 --not-tool '^run$' out > rest
		ctx-truncate -d $d -l 10 in | cmp - rest
	done
}

@test "the archive is on disk under its name before the stream is written" {
	[ "$(uname)" = Linux ] || return 0
	command -v strace > /dev/null || fail "no strace here"
	# LeakSanitizer does not work under strace.
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	mkdir there
	ln -s there/arch link
	while read -r c; do
		inputs "$c"
		rm -f there/arch
		# shellcheck disable=SC2086 # a command and its options
		strace -o trace -e trace=openat,write,writev,fsync $c -u \
		    --archive link in > out
		fd=$(sed -n 's/.*"link".* = \([0-9]*\)$/\1/p' trace)
		dir=$(sed -n 's|.*/there/".* = \([0-9]*\)$|\1|p' trace)
		[ -n "$fd" ]
		[ -n "$dir" ]
		awk -v w="write($fd," -v s="fsync($fd)" -v d="fsync($dir)" '
			{ sub(/^writev/, "write") }
			index($0, w) { dirty = 1; n++ }
			index($0, s) { dirty = 0 }
			index($0, d) && n { named = 1 }
			/^write\(1,/ && n && (dirty || !named) { exit 1 }
			END { if (n == 0 || !named) exit 1 }' trace ||
			fail "$c: written before it is archived"
	done < <(changing; echo "ctx-count --annotate")
}

@test "--archive saves a long record unchanged, on one line" {
	jq -nc '("first", "long " * 60000, "next", "long " * 90000, "last") |
	    {role: "tool", content: .}' | sed 's/^{/{ /' > in
	ctx-truncate -l 3 --archive arch in > out
	cmp arch in
	# Line breaks between the tokens of a document become blanks.
	jq -s '{messages: .}' in > doc
	rm arch
	ctx-truncate -d openai-chat -l 3 --archive arch doc > out
	[ "$(wc -l < arch)" -eq 5 ]
	cmp <(jq -c . arch) <(jq -c '.messages[]' doc)
}

@test "an unfinished last line in an archive spoils no record appended to it" {
	half='{"role":"tool","cont'
	while read -r c; do
		inputs "$c"
		rm -f arch
		# shellcheck disable=SC2086 # a command and its options
		$c --archive arch in > out
		{
			echo "$half"
			cat arch
		} > want
		printf %s "$half" > arch
		# shellcheck disable=SC2086
		$c --archive arch in > out
		cmp arch want || fail "$c"
		# A whole one is continued.
		head -n 1 "$agent" > arch
		# shellcheck disable=SC2086
		$c --archive arch in > out
		cmp <(tail -n +2 arch) <(tail -n +2 want) || fail "$c"
	done < <(changing)
}

@test "a line that another process leaves unfinished in an archive spoils no record" {
	text=$(words 100)
	mkfifo in
	ctx-truncate -u -l 9 --archive arch in > out &
	pid=$!
	exec 5> in
	messages "tool:1 $text" >&5
	for _ in $(seq 100); do
		[ ! -s out ] || break
		sleep 0.1
	done
	printf half >> arch
	messages "tool:2 $text" "tool:3 $text" >&5
	exec 5>&-
	wait "$pid"
	{
		messages "tool:1 $text"
		echo half
		messages "tool:2 $text" "tool:3 $text"
	} | cmp - arch
}

@test "an archive that may only be written is appended to" {
	[ "$(uname)" = Linux ] || return 0
	command -v strace > /dev/null || fail "no strace here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	messages "tool:$(words 100)" > in
	printf half > arch
	for _ in 1 2; do
		strace -o trace -P arch -e trace=openat \
		    -e inject=openat:error=EACCES:when=1..2 \
		    ctx-truncate -l 9 --archive arch in > out
	done
	# Whether a line is whole is not known then, so it is ended.
	printf 'half\n%s\n\n%s\n' "$(cat in)" "$(cat in)" | cmp - arch
	# A pipe has no other reader than its own.
	mkfifo pipe
	cat pipe > got &
	ctx-truncate -l 9 --archive pipe in > out
	wait "$!"
	cmp got in
}

@test "an archive or report that cannot be written exits 2" {
	for c in "ctx-truncate -l 100" "ctx-age -o 300" "ctx-prune -b 20k" \
	    "ctx-cache --provider anthropic"; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $c --archive /dev/full "$agent"
		[[ $output == *"cannot write archive /dev/full"* ]]
		# shellcheck disable=SC2086
		run -2 $c --archive nowhere/arch "$agent"
		[[ $output == *"cannot open archive nowhere/arch"* ]]
		# shellcheck disable=SC2086
		run -2 $c --explain /dev/full "$agent"
		[[ $output == *"cannot write /dev/full: No space left"* ]]
		# shellcheck disable=SC2086
		run -2 $c --explain nowhere/lines "$agent"
		[[ $output == *"cannot open nowhere/lines"* ]]
		# shellcheck disable=SC2086
		run -2 $c --explain - "$agent"
		[[ $output == *"--explain=- (standard output) needs --dry-run"* ]]
		# shellcheck disable=SC2086
		run -2 $c --json "$agent"
		[[ $output == *"--json needs --dry-run"* ]]
	done
	run -2 ctx-restore --list --archive arch "$agent"
	run -2 ctx-restore --gc -n "$agent"
	[ ! -e arch ]
}

@test "a file with an unusual name is named in reports" {
	head -n 12 "$agent" > $'a\xffb'
	ctx-truncate -l 100 -n --explain - $'a\xffb' |
	    jq -es 'length > 0 and all(.file == "a?b")'
	ctx-truncate -l 100 -n --json $'a\xffb' | jq -e '.file == "a?b"'
}

@test "--dry-run prints a table for each file" {
	head -n 40 "$agent" > one
	tail -n +41 "$agent" | head -n 60 > two
	ctx-truncate -l 100 -n one two > plan
	[ "$(grep -v '^ ' plan | tr '\n' ' ')" = "one two " ]
	ctx-truncate -l 100 -n --json one two | jq -es 'map(.file) == ["one", "two"]'
	cmp <(ctx-truncate -l 100 -n one two) plan
}

@test "a file that holds something else is refused, unless --force is given" {
	printf '{\n  "name": "x"\n}\n' > package.json
	echo "some notes" > notes
	cp "$chat" session
	printf '\x89PNG\r\n' > picture
	for f in package.json notes session picture; do
		cp $f kept
		for o in --explain --archive --svg; do
			c="ctx-truncate -l 1000"
			[ $o != --svg ] || c="ctx-count -q"
			# A session is a list of records, as an archive is.
			[ "$o $f" != "--archive session" ] || continue
			# shellcheck disable=SC2086 # a command and its options
			run -2 --separate-stderr $c $o $f "$agent"
			[ -z "$output" ]
			[[ $stderr == *": $f is not a"*"; name another file, or use --force to "*" it" ]] ||
				fail "$o $f: $stderr"
			cmp $f kept
			# shellcheck disable=SC2086
			$c --force $o $f "$agent" > out
			run -1 cmp -s $f kept
			[ $o != --archive ] || cmp -n "$(wc -c < kept)" $f kept
			cp kept $f
		done
	done
	# Other records of JSON, and another program's XML.
	echo '{"file":"a.c","line":1}' > places
	ctx-count --json --per message "$agent" > counts
	printf '{"name":"x","version":"1"}' > package.json
	echo '<?xml version="1.0"?><project/>' > pom.xml
	echo '<svg xmlns="http://www.w3.org/2000/svg"/>' > other.svg
	ctx-truncate -l 1000 --explain told "$agent" > out
	{ echo '{"type":"session_meta","payload":{"id":"s"}}'; head -n 2 "$chat"; } > header
	echo '{"type":"user","uuid":"u","parentUuid":null,"sessionId":"5e55","message":{"role":"user","content":"hi"}}' > 5e55.jsonl
	sed 's/"sessionId"/"agentId":"a1","sessionId"/' 5e55.jsonl > agent-a1.jsonl
	# An archive may consist of the first lines of a session.
	for i in 1 2 3 4 5 6 7 8 9; do
		jq -nc --arg i "$i" '{type: "user", uuid: $i, sessionId: "s", parentUuid:
		    (if $i == "1" then null else "\($i | tonumber - 1)" end),
		    message: {role: "user", content: "one two three four"}}'
	done > session
	for i in 1 2; do
		ctx-prune -s pinned-fifo -k 1 -t 0 -b 20 --archive first session > out
	done
	[ "$(grep -c . first)" -ge 10 ]
	for pair in explain:places explain:counts svg:pom.xml svg:other.svg \
	    archive:places archive:counts archive:package.json archive:told \
	    archive:header archive:5e55.jsonl archive:agent-a1.jsonl; do
		f=${pair#*:} c="ctx-truncate -l 1000"
		[[ $pair != svg:* ]] || c="ctx-count -q"
		cp "$f" kept
		# shellcheck disable=SC2086 # a command and its options
		run -2 --separate-stderr $c --${pair%%:*} "$f" "$agent"
		[[ $stderr == *": $f is not a"*"; name another file, or use --force to "*" it" ]] ||
			fail "$pair: $stderr"
		cmp "$f" kept
	done
	# What ctx has written, and what is empty, is its own.
	rm told
	for _ in 1 2; do
		ctx-truncate -l 1000 --explain told --archive gone "$agent" > out
		ctx-count -q --svg bar.svg "$agent"
	done
	: > empty
	ctx-truncate -l 1000 --explain empty "$agent" > out
	cmp empty <(sed 's/,"archive":"gone"//' told)
	: > empty
	ctx-truncate -l 1000 --archive empty "$agent" > out
	# An archive may begin with a record that a kill cut short, and its
	# records may be indented.
	printf '{"role":"us' > torn
	ctx-truncate -l 1000 --archive torn "$agent" > out
	jq . "$agent" > document
	ctx-truncate -l 1000 --archive indented document > out
	ctx-truncate -l 1000 --archive indented document > out
	# A dry run would overwrite it, too.
	run -2 ctx-truncate -n --explain notes "$agent"
}

@test "an archive of any dialect is appended to" {
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.jsonl; do
		rm -f gone
		for _ in 1 2; do
			for c in "ctx-prune -b 300 -k 1 -t 0" "ctx-truncate -l 100" \
			    ctx-cache "ctx-check --repair"; do
				# shellcheck disable=SC2086 # a command and its options
				$c --archive gone "$f" > out 2> err || :
				! grep 'is not an archive' err || fail "$c $f"
			done
		done
	done
}

@test "--annotations github: an error line for each finding, escaped as GitHub's toolkit does" {
	local odd=$'a,b:c%d\ne'

	{ messages user:hi; jq -nc '{role: "tool", tool_call_id: "x%\r\ny\u001b",
	    content: "r"}'; } > "$odd"
	run -1 --separate-stderr ctx-check --annotations github "$odd"
	[ "$output" = '::error file=a%2Cb%3Ac%25d%0Ae,line=2::orphan-result: tool result "x%25%0D%0Ay?" has no tool call' ]
	[ -z "$stderr" ]
	run -1 ctx-check --annotations github < "$odd"
	[[ $output == '::error line=2::orphan-result: '* ]]
	run -0 ctx-check --annotations github "$chat"
	[ -z "$output" ]
	cp "$agent" agent.jsonl
	run -1 --separate-stderr ctx-count -m gpt-4o --max 70% \
	    --annotations github agent.jsonl "$chat"
	[ "${lines[0]}" = '::error file=agent.jsonl::110k tokens, over 70 %25 of 128k' ]
	[ "${#lines[@]}" -eq 4 ]
	[ -z "$stderr" ]
	jq -sc '{messages: .}' "$agent" > wrapped
	run -1 ctx-count -m gpt-4o --max 9k --annotations github wrapped
	[ "${lines[0]}" = '::error file=wrapped,line=1::110k tokens, over 9.0k' ]
	run -1 ctx-count -q -m gpt-4o --max 9k --annotations github wrapped
	[ -z "$output" ]
	# An error of the input is shown as well, beside its line.
	{ messages user:hi; printf '{"role":'; } > cut
	for c in "ctx-check --annotations github" \
	    "ctx-count -m gpt-4o --max 9k --annotations github"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr $c cut
		[ "$output" = "::error file=cut,line=2::unexpected end of input" ] ||
			fail "$c: $output"
		[[ $stderr == *"cut:2:"* ]]
	done
	run -2 --separate-stderr ctx-count -q -m gpt-4o --max 9k --annotations github cut
	[ -z "$output" ]
	run -2 ctx-count --annotations github "$agent"
	run -2 ctx-count --max 9 --annotations github --json "$agent"
	run -2 ctx-count --max 9 --annotations github --tsv "$agent"
	run -2 ctx-check --annotations gitlab "$agent"
	[[ $output == *github* ]]
}
