# ctx-restore: and back again

load helper

@test "ctx-restore undoes ctx-age byte for byte, whatever its options" {
	for o in "" "-k 0 -o 0" "-k 3 -o 100 --head 0" "-o 300 --head 4000" \
	    "--keep-results 5 -o 200" "--path-format x{sha256}.txt -o 99" \
	    "--at-least 1k --step 9 -o 10"; do
		# shellcheck disable=SC2086 # options
		ctx-age $o "$agent" | ctx-restore | cmp - "$agent"
	done
	jq -sc '{messages: .}' "$agent" > record
	ctx-age -o 100 record | ctx-restore | cmp - record
	jq -s . "$agent" > document
	ctx-age -o 100 document > aged
	run -1 cmp -s aged document
	ctx-restore aged | cmp - document
}

@test "every spelling of a result is restored, by its JSON stored next to the text" {
	text=$(head -c 3300 "$agent" | base64 -w 0)
	{
		for body in "\"$text\"" "\"\\u0041$text\"" "\"$text\\/\"" \
		    "\"$text\\u00e9\"" "\"${text}é\"" "\"\\ud83d$text\"" \
		    "\"$text\\ufffd\"" "\"\\u0000$text\"" "\"$text\\t\"" \
		    "\"$text\\u0009\"" \
		    "[{\"type\":\"text\",\"text\":\"$text\"}]" \
		    "[ {\"type\":\"text\",\"text\":\"a\"} , {\"type\":\"image_url\", \"image_url\": {\"url\":\"data:;base64,$text\"}}]" \
		    "[{\"type\":\"text\",\"text\":\"$text\"},{\"type\":\"new\",\"x\":1e400}]" \
		    "{\"rows\": [1.0, \"$text\"]}" "[1,2,\"$text\"]" \
		    "\"{\\\"rows\\\": [1.0, \\\"$text\\\"]}\""; do
			printf '{"role":"tool", "tool_call_id":"a","content": %s}\n' "$body"
		done
	} > in
	ctx-age -k 0 in > out
	[ "$(grep -c ' characters in ' out)" -eq "$(wc -l < in)" ]
	ctx-restore out | cmp - in
	# Text that cat shows; the JSON only where it is needed.
	files=$(find .ctx/spool -name '*.md' | wc -l)
	[ "$files" -eq 16 ]
	[ "$(find .ctx/spool -name '*.md.json' | wc -l)" -eq $((files - 5)) ]
	ctx-age -k 0 out | cmp - out
}

@test "every dialect is restored byte for byte" {
	tried=0
	for d in $(ctx-age --list-options |
	    awk -F'\t' '$2 == "dialect" { print $5 }'); do
		"$B/gen-tools/convo" --dialect "$d" --count 1 > /dev/null 2>&1 ||
			continue
		for seed in $(seq "${CHECK_LONG:-3}"); do
			for how in "" --wrap --crlf; do
				# shellcheck disable=SC2086 # an option or none
				"$B/gen-tools/convo" --dialect "$d" $how \
				    --seed "$seed" --count 4 > in
				ctx-age -d "$d" -k 1 -o 20 --head 5 in > out
				ctx-age -d "$d" -k 1 -o 20 --head 5 out |
				    cmp - out
				ctx-restore -d "$d" out | cmp - in
				[ -n "$how" ] || "$B/gen-tools/valid" "$d" \
				    --allow-pending < out
			done
		done
		tried=$((tried + 1))
	done
	[ "$tried" -ge 2 ]
}

@test "the corpus is restored byte for byte, also what ctx-prune kept of it" {
	files=0 pruned=0
	for f in "$BATS_TEST_DIRNAME"/corpus/*/*.json*; do
		ctx-age -k 1 -o 20 --head 5 "$f" > out
		ctx-age -k 1 -o 20 --head 5 out | cmp - out
		ctx-restore out | cmp - "$f"
		files=$((files + 1))
		# Every string that is left must have been there.
		grep -q 'characters in .ctx' out || continue
		jq -c '.. | strings' "$f" | sort -u > was
		for most in 60% 30%; do
			n=$(ctx-count --json out | jq -s 'map(.tokens) | max')
			ctx-prune -l light -t 0 -k 1 --budget \
			    $((n * ${most%\%} / 100)) out > less || [ $? -eq 1 ]
			! cmp -s less out || continue
			ctx-restore less > back
			jq -c '.. | strings' back | sort -u > is
			comm -13 was is > made
			[ ! -s made ] || fail "$f $most: $(head -n 1 made)"
			ctx-restore --list back > list
			[ ! -s list ]
			pruned=$((pruned + 1))
		done
	done
	[ "$files" -gt 60 ]
	[ "$pruned" -gt 40 ]
}

@test "every dialect is restored after ctx-prune" {
	for d in openai-chat anthropic gemini bedrock openai-responses; do
		"$B/gen-tools/convo" --dialect $d --seed 9 --messages 150 > in
		ctx-age -d $d -k 3 -o 40 --head 20 in > aged
		ctx-restore -d $d aged | cmp - in
		jq -c '.. | strings' in | sort -u > was
		n=$(tokens -d $d aged)
		for s in pinned-fifo middle-out heuristic recall salient; do
			ctx-prune -d $d -s $s -l light -t 0 -b $((n / 2)) aged > less
			run -1 cmp -s less aged
			ctx-restore -d $d less > back
			jq -c '.. | strings' back | sort -u > is
			[ -z "$(comm -13 was is | grep -v cleared)" ]
			ctx-restore -d $d --list back > list
			[ ! -s list ]
		done
	done
}

@test "results that ctx-prune or ctx-truncate kept of an aged stream are restored" {
	ctx-age -o 300 "$agent" > aged
	ctx-prune -l light -b 12k aged > pruned
	grep -q ' characters in ' pruned
	ctx-restore pruned > out
	is_subsequence out "$agent"
	ctx-age -k 0 -o 300 --head 290 "$agent" > aged
	ctx-truncate -l 300 aged > cut
	grep ' characters in ' cut > refs
	grep -q truncated refs
	ctx-restore refs > out
	is_subsequence out "$agent"
}

@test "a missing or changed file exits 1 with one line, and the record passes" {
	ctx-age -o 300 "$agent" > aged
	first=$(find .ctx/spool -name '*.md' | sort | sed -n 1p)
	second=$(find .ctx/spool -name '*.md' ! -name "$(basename "$first")" |
	    sort | sed -n 2p)
	rm "$first"
	echo more >> "$second"
	run -1 ctx-restore aged
	ctx-restore aged > out 2> err || [ $? -eq 1 ]
	grep -qF "$first is missing" err
	grep -qF "$second has changed" err
	[ "$(wc -l < out)" -eq 306 ]
	grep -qF "$first" out
	grep -qF "$second" out
	[ "$(grep -c ' characters in ' out)" -eq "$(wc -l < err)" ]
	rm -r .ctx
	ctx-restore aged 2> err | cmp - aged
	grep -q "more references" err
}

@test "a file of the same size with other contents is detected by its sha256" {
	ctx-age "$agent" > aged
	first=$(find .ctx/spool -name '*.md' | sort | sed -n 1p)
	tr a-y b-z < "$first" > other && cp other "$first"
	run -1 --separate-stderr ctx-restore aged
	[[ $stderr == *"$first has changed, so its reference is kept" ]]
}

@test "a reference whose text before it was changed is kept, with a warning" {
	text=$(numbered 900)
	for body in "\"$text\"" "\"$text\\/\"" \
	    "[{\"type\":\"text\",\"text\":\"$text\"}]"; do
		printf '{"role":"tool","tool_call_id":"a","content":%s}\n' \
		    "$body" > in
		ctx-age -k 0 in > aged
		for change in 's/word5 /[redacted] /' 's/word1 /My note. &/' \
		    's/word9 //' 's/\\n\[/ See also:&/'; do
			sed "$change" aged > edited
			run -1 --separate-stderr ctx-restore edited
			cmp <(echo "$output") edited
			[[ $stderr == *" does not contain the text before the reference to it, so both are kept; "* ]]
			run -1 ctx-restore --list edited
			[[ $output == edited* ]]
		done
		# Without this text, with only some of it, or if ctx has cut it,
		# nothing is lost.
		for cut in "-l 300" "-l 90" "-l 3 --unit lines --keep tail"; do
			# shellcheck disable=SC2086 # options
			ctx-truncate $cut aged | ctx-restore | cmp - in
		done
		for change in 's/word1 .*\\n\[/[/' 's/word1 .*word9 //'; do
			sed "$change" aged | ctx-restore | cmp - in
		done
	done
}

@test "a file much longer than its reference says is not read whole" {
	ctx-age "$agent" > aged
	first=$(find .ctx/spool -name '*.md' | sort | sed -n 1p)
	# A file of holes, where the file system knows such.
	truncate -s 2T "$first" 2> err || truncate -s 200M "$first"
	run -1 --separate-stderr timeout 60 ctx-restore aged
	[[ $stderr == *"$first has changed, so its reference is kept" ]]
}

@test "only files inside the spool are opened" {
	name='f-0123456789abcdef0123456789abcdef.md'
	mkdir -p .ctx/spool other
	echo secret > other/$name
	ln -s ../../other/$name .ctx/spool/$name
	for path in other/$name .ctx/spool/../../other/$name "$PWD/other/$name" \
	    .ctx/spool/x/$name .ctx/spool//$name; do
		messages "tool:[7 characters in $path]" > in
		ctx-restore in | cmp - in
	done
	# A link in the spool is not followed.
	messages "tool:[7 characters in .ctx/spool/$name]" > in
	run -1 --separate-stderr ctx-restore in
	[[ $output != *secret* ]]
	# A socket cannot be opened.
	rm .ctx/spool/$name
	perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0],
	    Listen => 1) or die' .ctx/spool/$name
	run -1 --separate-stderr ctx-restore in
	[ "$output" = "$(cat in)" ]
	[[ $stderr == *" has changed, so its reference is kept"* ]]
	mv .ctx/spool .ctx/real
	ln -s real .ctx/spool
	run -2 ctx-restore in
	[[ $output == *"symbolic link"* ]]
}

@test "text that looks like a reference elsewhere is unchanged" {
	ctx-age "$agent" > aged
	ref=$(grep -o '\[[0-9]* characters in [^]]*\]' aged | head -n 1)
	messages "user:$ref" "assistant:$ref" "tool:$ref " "tool:see $ref" > in
	ctx-restore in | cmp - in
	# No file has so many characters.
	{
		messages "tool:[18446744073709551616 characters in .ctx/spool/a-$(printf '%032d' 0).md]"
		messages "tool:[$(printf '9%.0s' {1..40}) characters in .ctx/spool/a-$(printf '%032d' 0).md]"
	} > in
	run -0 ctx-restore --list in
	[ -z "$output" ]
}

@test "--list prints references and their state" {
	ctx-age -o 300 "$agent" > aged
	run -0 ctx-restore --list aged
	[ "${#lines[@]}" -eq "$(grep -c ' characters in ' aged)" ]
	tr '\t' ' ' <<< "${lines[0]}" |
	    grep -qE '^whole [0-9]+ \.ctx/spool/[^ ]+\.md aged:[0-9]+$'
	rm "$(find .ctx/spool -name '*.md' | head -n 1)"
	run -1 ctx-restore --list aged
	[ "$(grep -c ^missing <<< "$output")" -ge 1 ]
}

@test "JSON next to a changed file is not restored" {
	printf '{"role":"tool","tool_call_id":"a","content":"%s\\/"}\n' \
	    "$(head -c 3300 "$agent" | base64 -w 0)" > in
	ctx-age -k 0 in > aged
	[ "$(ls .ctx/spool | wc -l)" -eq 2 ]
	ctx-restore aged | cmp - in
	chmod u+w .ctx/spool/*
	sed -i 's/a/b/' .ctx/spool/*.json
	run -1 --separate-stderr ctx-restore aged
	[[ $stderr == *".md has changed, so its reference is kept" ]]
	cmp <(echo "$output") aged
	rm .ctx/spool/*.json
	run -1 --separate-stderr ctx-restore aged
	cmp <(echo "$output") aged
}

@test "--gc prints files that no stream refers to, and removes nothing" {
	ctx-age -o 300 "$agent" > all
	ctx-age -o 5000 "$agent" > few
	[ -z "$(ctx-restore --gc all)" ]
	find .ctx/spool -type f | sort > before
	ctx-restore --gc few | sort > unnamed
	find .ctx/spool -type f | sort | cmp - before
	touch .ctx/spool/keep-me
	ctx-restore --gc few | xargs -d '\n' rm --
	[ -e .ctx/spool/keep-me ]
	ctx-restore few | cmp - "$agent"
	[ -s unnamed ]
	[ -z "$(ctx-restore --gc few)" ]
	run -2 ctx-restore --gc --list few
	# The JSON beside a file belongs to it, whatever its name ends in.
	printf '{"role":"tool","tool_call_id":"a","content":"%s\\/"}\n' \
	    "$(head -c 3300 "$agent" | base64 -w 0)" > in
	for f in '{sha256}' '{sha256}.json' '{sha256}.md'; do
		ctx-age -k 0 -S s --path-format "$f" in > out
		[ -z "$(ctx-restore -S s --gc out)" ]
		[ "$(ctx-restore -S s --gc few | wc -l)" -eq 2 ]
		ctx-restore -S s out | cmp - in
		rm -r s
	done
}

@test "--gc prints nothing if an input cannot be read to its end" {
	ctx-age -o 300 "$agent" > all
	head -n 20 "$agent" > few
	[ -n "$(ctx-restore --gc few)" ]
	{ head -n 20 "$agent"; head -c 50 all; } > broken
	mkdir directory
	for bad in none broken directory; do
		run -2 --separate-stderr ctx-restore --gc few "$bad"
		[ -z "$output" ]
		run -2 --separate-stderr ctx-restore --gc "$bad" few
		[ -z "$output" ]
	done
	rm "$(find .ctx/spool -type f | head -n 1)"
	run -1 ctx-restore --list all
	run -0 ctx-restore --gc all
	[ -z "$output" ]
}

@test "--gc without any message exits 2 and prints no file name" {
	ctx-age -o 300 "$agent" > all
	echo '{"id":1}' > other
	echo '{"messages":[]}' > none
	for in in /dev/null other none; do
		run -2 --separate-stderr ctx-restore --gc $in
		[ -z "$output" ]
		[[ $stderr == *'--gc: the input has no messages, so every file in .ctx/spool would be listed as unused;'* ]]
		run -0 ctx-restore --gc $in all
		[ -z "$output" ]
	done
}

@test "references in inactive lines of a transcript count and are restored" {
	long=$(printf 'word %.0s' {1..900})
	cc() { # UUID PARENT ROLE CONTENT [MORE]
		printf '{"type":"%s","uuid":"%s","parentUuid":%s,"sessionId":"s",%s"message":{"role":"%s","content":[%s]}}\n' \
		    "$3" "$1" "$2" "${5:-}" "$3" "$4"
	}
	for i in 1 2 3; do
		before=null
		[ $i = 1 ] || before="\"b$((i - 1))\""
		cc u$i "$before" user '{"type":"text","text":"go"}'
		cc a$i "\"u$i\"" assistant '{"type":"tool_use","id":"t'$i'","name":"run","input":{}}'
		cc r$i "\"a$i\"" user '{"type":"tool_result","tool_use_id":"t'$i'","content":"'"$i $long"'"}'
		cc b$i "\"r$i\"" assistant '{"type":"text","text":"ok"}'
	done > tree
	# A summary, and an answer that starts over.
	cc c1 null user '{"type":"text","text":"so far"}' '"isCompactSummary":true,' > summary
	cc d1 '"u1"' assistant '{"type":"text","text":"no"}' > back
	gemini() { echo '{"id":"'"$1"'","timestamp":"2026-01-01T00:00:00Z","type":"'"$2"'",'"$3"'}'; }
	{
		echo '{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00Z"}'
		for i in 1 2 3; do
			gemini u$i user '"content":"go"'
			gemini g$i gemini '"content":"","toolCalls":[{"id":"t'$i'","name":"run","args":{},"result":[{"functionResponse":{"id":"t'$i'","name":"run","response":{"output":"'"$i $long"'"}}}],"status":"success"}]'
		done
	} > gemini
	echo '{"$rewindTo":"u1"}' > rewind
	for file in tree:summary tree:back gemini:rewind; do
		more=${file#*:} file=${file%:*}
		cat $file $more > whole
		ctx-age -k 0 -o 300 $file > aged
		[ "$(ls .ctx/spool | wc -l)" -eq 3 ]
		cat aged $more > later
		ctx-count -q later
		run ! cmp -s later whole
		ctx-restore later | cmp - whole
		[ "$(ctx-restore --list later | grep -c ^whole)" -eq 3 ]
		[ -z "$(ctx-restore --gc later)" ]
		# In what is no message, or no JSON, it is named as well.
		jq -c '{unknown: {log: .}}' later > unknown
		[ -z "$(ctx-restore --gc unknown)" ]
		[ -z "$(cut -c 2- later | ctx-restore --gc --lenient)" ]
		# The spool may be given by any of its names.
		[ -z "$(ctx-restore --gc -S "$PWD/.ctx/spool" later)" ]
		[ "$(head -n 4 unknown | ctx-restore --gc | wc -l)" -eq 2 ]
		rm -r .ctx
	done
	# A message that is not shown is no message of the conversation.
	ctx-age -k 0 -o 300 tree > aged
	cat aged summary > later
	ctx-restore -n --explain - later | jq -s -c 'map([.line, .index])' |
	    grep -qxF '[[3,null],[7,null],[11,null]]'
	ctx-restore -n later | grep -q '^  edit   restore  *3 lines$'
}

@test "--gc of a missing spool prints nothing, of an unsafe one exits 2" {
	ctx-age -o 300 "$agent" > aged
	run -0 --separate-stderr ctx-restore -S none --gc aged
	[ -z "$output" ]
	[ ! -e none ]
	mkdir -m 777 open
	touch file
	run -2 ctx-restore -S open --gc "$agent"
	[ "$output" = "ctx-restore: spool directory open is writable by others; run chmod go-w on it, or choose another directory" ]
	run -2 ctx-restore -S file --gc "$agent"
	[ "$output" = "ctx-restore: cannot open spool directory file: Not a directory" ]
}

@test "a reference is found in a result body that became a plain string" {
	long=$(printf 'word %.0s' {1..60})
	bare() { # dialect, text
		if [ "$1" = gemini ]; then
			jq -nc --arg t "$2" '{role: "user", parts: [
			    {functionResponse: {name: "f", response: $t}}]}'
		else
			jq -nc --arg t "$2" '{role: "user", content: [
			    {toolResult: {toolUseId: "a", content: $t}}]}'
		fi
	}
	for d in gemini bedrock; do
		bare $d "$long" > in
		ctx-age -d $d -k 0 -o 20 in > aged
		ctx-restore -d $d aged | cmp - in
		# The reference alone, not in the form that ctx-age gives it.
		bare $d "$(jq -r '.. | .output? // .text? // empty' aged)" > text
		run ! cmp -s aged text
		ctx-restore -d $d text | cmp - in
		ctx-truncate -d $d -l 40 in > cut
		jq -e '[.. | strings | select(startswith("word"))] |
		    length == 1 and (.[0] | length <= 40)' cut
	done
}

@test "a spool that no reference belongs to is reported once" {
	ctx-age -k 2 -o 100 < "$agent" > aged
	[ "$(grep -c 'characters in .ctx/spool/' aged)" -gt 1 ]
	for how in "" --list --dry-run; do
		run -1 ctx-restore -S other $how aged
		grep '^ctx-restore: no ref' <<< "$output" > err
		[ "$(grep -c . err)" -eq 1 ]
		grep -qE '^ctx-restore: no reference in the input names a file in other; references to other directories: [0-9]+; name such a directory with --spool, for example \.ctx/spool$' err
	done
	ctx-restore -S other < aged 2> err | cmp - aged
	# A tool may have written it: no control of a terminal comes through, and
	# a long name hides nothing.
	jq -nc --arg x "$(printf 'x%.0s' {1..2000})" --arg n "$(printf '%032d' 0)" '
	    "/\u001b]0;a\u0007\u202e\u009b\($x)/a-\($n).md" as $path |
	    {role: "tool", tool_call_id: "a",
	    content: "h\n[7 characters in \($path)]"}' > forged
	ctx-restore < forged 2> err | cmp - forged
	[ "$(wc -l < err)" -eq 1 ]
	[[ $(cat err) == *"references to other directories: 1; name such a directory with --spool, for example /?]0;a???xxx"* ]]
	# Not where some are files of ctx, nor where there are none.
	messages "tool:[7 characters in other/a-$(printf '%032d' 0).md]" |
	    cat - aged > both
	ctx-restore < both > out 2> err
	[ ! -s err ]
	ctx-restore -S other < "$agent" 2> err | cmp - "$agent"
	[ ! -s err ]
}

@test "CTX_SPOOL sets the spool, and -S overrides it, in any spelling" {
	CTX_SPOOL=here ctx-age "$agent" > aged
	[ -d here ]
	CTX_SPOOL=here ctx-restore aged | cmp - "$agent"
	ctx-restore -S "$PWD/here" aged | cmp - "$agent"
	ln -s . link
	ctx-restore -S "$PWD/link/here" aged | cmp - "$agent"
	CTX_SPOOL=there ctx-restore -S ./here/ aged | cmp - "$agent"
	ctx-restore aged | cmp - aged
}

@test "memory use does not depend on the size that a forged reference claims" {
	mkdir -m 700 sp
	name=big-d39e06960d94af866213d3ee90f89315.md
	truncate -s 300M sp/$name
	for said in 10 $((300 << 20)) $((300 << 22)) 99999999999; do
		jq -nc --arg n "$said" --arg f "$name" '{role: "user", content: "q"},
		    {role: "assistant", content: null, tool_calls: [{id: "c",
		    type: "function", function: {name: "x", arguments: "{}"}}]},
		    {role: "tool", tool_call_id: "c",
		    content: "h\n[\($n) characters in sp/\($f)]"}' > in
		(
			limit_memory 200000
			run -1 --separate-stderr ctx-restore -S sp in
			[[ $stderr == *"$name has changed"* ]] ||
			    fail "$said: $stderr"
			[ "$output" = "$(cat in)" ]
		)
	done
	# Nor the JSON that is said to stand beside it.
	printf hello > sp/$name
	truncate -s 300M sp/$name.json
	jq -c 'if .role == "tool" then .content |= sub("[0-9]+ char"; "5 char")
	    else . end' in > beside
	(
		limit_memory 200000
		run -1 --separate-stderr ctx-restore -S sp beside
		[[ $stderr == *"$name has changed"* ]]
	)
}

@test "a file that is not UTF-8 is not restored even if its sha256 fits" {
	mkdir -m 700 sp
	printf '\377' > sp/x
	name=f-$(sha256sum sp/x | cut -c 1-32).md
	mv sp/x "sp/$name"
	messages "tool:[1 characters in sp/$name]" > in
	run -1 --separate-stderr ctx-restore -S sp in
	[[ $stderr == *"$name has changed, so its reference is kept" ]]
	[ "$output" = "$(cat in)" ]
}
