# ctx-prune -s recall: what the question is about is kept

load helper

@test "recall keeps what the question asks for, in order and with its turn" {
	{
		for i in $(seq 60); do
			messages "user:Tell me about topic $i, $(numbered 20)" \
			    "assistant:Topic $i is dull. $(numbered 20)"
			[ "$i" -ne 17 ] || messages \
			    "user:By the way, my sister Ottilie moved to Bergen." \
			    "assistant:How nice, Bergen is rainy."
		done
		messages "user:Where does my sister live now?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 700 in > out
	[ "$(tokens out)" -le 700 ]
	grep -q Ottilie out
	is_subsequence out in
	[ "$(tail -n 1 out)" = "$(tail -n 1 in)" ]
	# recency alone would have lost it
	ctx-prune -s pinned-fifo -k 1 -t 1 -b 700 in > fifo
	run -1 grep -q Ottilie fifo
	ctx-prune -s recall --query "topic 5" -k 1 -t 1 -b 700 in > out
	grep -q 'topic 5,' out
}

@test "recall: words consist of all letters and digits" {
	for w in aaaa zzzz AAAA ZZZZ 0000 9999; do
		{
			messages "user:Once I said $w." "assistant:You did."
			for i in $(seq 30); do
				messages "user:Tell me about it, mmm$i" \
				    "assistant:It is kept dull, $(numbered 5)"
			done
		} > in
		ctx-prune -s recall --query "$w" -k 1 -t 1 -b 200 in > out
		[ "$(head -n 1 out)" = "$(head -n 1 in)" ] || fail "$w"
	done
}

@test "recall finds words in scripts without spaces" {
	{
		for i in $(seq 40); do
			messages "user:第$i回の話は普通です。天気もよかった。" "assistant:そうですか。"
		done
		messages "user:合言葉は青い鯨です。" "assistant:覚えました。"
		for i in $(seq 40); do
			messages "user:第$i回の続きも普通です。天気もよかった。" "assistant:そうですか。"
		done
		messages "user:青い鯨とは何でしたか？"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 400 in > out
	grep -q '合言葉' out
}

# A long conversation about nothing, with the given lines at one place in it.
talk_around() {
	local i
	for i in $(seq 40); do
		messages "user:Ann: The weather is fine on day $i here." \
		    "assistant:Bob: So it is, and number $i was fine."
		[ "$i" -ne 11 ] || messages "$@"
	done
}

@test "recall reads every word of a very long text" {
	for thing in xylophone piano; do
		messages "user:What do you see?"
		jq -nc --arg t "My $thing is blue. " \
		    '{role: "assistant", content: ($t + "la " * 70000)}'
	done > in
	messages "user:And where is it?" "assistant:In the hall." >> in
	n=$(tokens <(sed -n 2p in))
	for thing in xylophone piano; do
		ctx-prune -s recall -l light -k 1 -t 1 -b $((n * 3 / 2)) \
		    --query $thing in > out
		[ "$(jq -r '.content | select(length > 1000) |
		    split(" ")[1]' out)" = $thing ]
	done
}

@test "recall matches forms of a word, and keeps the response next to the match" {
	{
		talk_around "user:Ann: I am thinking of adopting a greyhound." \
		    "assistant:Bob: Which?" "user:Ann: Zazu, with three legs."
		messages "user:What about the adoption?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 150 in > out
	grep -q adopting out
	grep -q Zazu out
	{
		talk_around "user:Ann: My canoe was bought from old Tibor."
		messages "user:From whom did she buy it?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 150 in > out
	grep -q Tibor out
}

@test "recall matches Greek and Cyrillic capitals with small letters" {
	for pair in ЁЛКА:ёлка ЂАК:ђак ΣΑΛΟΝΙ:σαλονι ÄRGER:ärger ŠKODA:škoda; do
		{
			for i in $(seq 8); do
				messages "user:$i $(numbered 6)" "assistant:$i"
			done
			messages "user:x ${pair%:*} y" "assistant:there"
			for i in $(seq 8); do
				messages "user:$i $(numbered 6)" "assistant:$i"
			done
			messages "user:${pair#*:}"
		} > in
		ctx-prune -s recall -k 1 -t 1 -b 60 in > out
		grep -q "${pair%:*}" out || fail "$pair"
	done
}

@test "recall prefers the speaker asked about, by name, prefix or dated prefix" {
	local a b n
	for form in plain dated member; do
		case $form in
		plain) a='Ann: ' b='Bob: ' n=70 ;;
		dated) a='[9:15 on 3 May] Ann: ' b='[9:16 on 3 May] Bob: '
			n=130 ;;
		member) a='' b='' n=70 ;;
		esac
		for i in $(seq 60); do
			messages "user:${a}day $i was fine." \
			    "assistant:${b}number $i, too."
			[ "$i" -ne 20 ] ||
				messages "user:${a}my boat is called Kestrel."
			[ "$i" -ne 30 ] || messages "user:${a}I see." \
			    "assistant:${b}my boat is called Petrel."
		done |
		    if [ $form = member ]; then
			jq -c '.name = {user: "Ann", assistant: "Bob"}[.role]'
		    else
			cat
		    fi > in
		ctx-prune -s recall -k 1 -t 1 -b $n \
		    --query "What is Ann's boat called?" in > out
		grep -q Kestrel out
		run -1 grep Petrel out
		ctx-prune -s recall -k 1 -t 1 -b $n \
		    --query "What is Bob's boat called?" in > out
		grep -q Petrel out
		run -1 grep Kestrel out
	done
}

# Long questions with short answers; one answer is what the last question asks.
long_questions() {
	for i in $(seq 30); do
		messages "user:Tell me about topic $i. $(numbered 30)"
		[ "$i" -ne 17 ] && messages "assistant:Topic $i is dull." ||
			messages "assistant:Ottilie lives in Bergen."
	done
	messages "user:Where does Ottilie live?"
}

@test "recall keeps an answer without its question where the format allows it" {
	long_questions > chat
	jq -c '.content = [{type: "text", text: .content}]' chat > anthropic
	jq -c '{role: {user: "user", assistant: "model"}[.role],
	    parts: [{text: .content}]}' chat > gemini
	jq -c '{role, content: [{text: .content}]}' chat > bedrock
	for d in openai-chat:chat anthropic:anthropic gemini:gemini \
	    bedrock:bedrock; do
		f=${d#*:}
		ctx-prune -d "${d%:*}" -s recall -k 1 -t 1 -b 400 "$f" > out
		ctx-count -d "${d%:*}" -q --max 400 out
		ctx-check -d "${d%:*}" out
		is_subsequence out "$f"
		[ "$(head -n 1 out | jq -r .role)" = user ]
		[ "$(grep -c Topic out)" -gt 1 ]
		users=$(grep -c '"role":"user"' out)
		others=$(grep -vc '"role":"user"' out)
		# Several answers share a question only if roles need not alternate.
		case $f in
		gemini | bedrock) [ "$users" -eq $((others + 1)) ] ;;
		*) grep -q Bergen out && [ "$users" -lt "$others" ] ;;
		esac
		ctx-prune -d "${d%:*}" -s recall -k 1 -t 1 -b 400 out | cmp out -
	done
}

@test "recall keeps the question of each answer if the conversation has tool calls" {
	{
		called a look '{}' ready
		long_questions
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 250 in > out
	ctx-count -q --max 250 out
	ctx-check out
	[ "$(grep -c Topic out)" -gt 1 ]
	[ "$(grep -c '"role":"user"' out)" -gt "$(grep -c '"assistant"' out)" ]
}

@test "recall begins with a user message, or removes the first answer" {
	{
		messages "user:Question $(numbered 200)" \
		    "assistant:Ottilie lives in Bergen." \
		    "user:And now?" "assistant:Now it rains."
		talk_around "user:Ann: I like tea." "assistant:Bob: Me, too."
		messages "user:Where does Ottilie live?"
	} > in
	# The only user message before the answer does not fit.
	ctx-prune -s recall -k 1 -t 1 -b 150 in > out
	ctx-count -q --max 150 out
	[ "$(head -n 1 out | jq -r .role)" = user ]
	run -1 grep -q Bergen out
	# It fits if it is short.
	sed 's/word1 .*word200/Where?/' in > short
	ctx-prune -s recall -k 1 -t 1 -b 150 short > out
	ctx-count -q --max 150 out
	[ "$(head -n 2 out)" = "$(head -n 2 short)" ]
	# A pinned answer is kept with the user message before it.
	run -1 ctx-prune -s recall -k 1 -t 1 -b 150 --pin Bergen in
	[ "$(ctx-prune -s recall -l light -k 1 -t 1 -b 900 --pin Bergen in |
	    head -n 1)" = "$(head -n 1 in)" ]
}

@test "recall keeps no message only because the question stands next to it" {
	{
		for i in $(seq 6); do
			messages "user:ok" "assistant:We saw film number $i."
			[ "$i" -ne 3 ] ||
				messages "user:And?" "assistant:Roses need water."
		done
		messages "user:Roses: what do they need?"
	} > in
	for b in 32 36 40; do
		ctx-prune -s recall -k 1 -t 1 -b $b in > out
		grep -q 'Roses need' out || fail $b
		run -1 grep -q 'number 6' out
	done
}

@test "recall prefers short messages if answers are three times as long as questions" {
	local n users
	for n in 20 60; do
		for i in $(seq 12); do
			messages "user:Tell me of house $i. $(numbered $n)" \
			    "assistant:Her sister did move to house $i. $(numbered 120)"
		done > in
		messages "user:When did my sister move to her house?" >> in
		ctx-prune -s recall -k 1 -t 1 -b $(($(tokens in) / 2)) in > out
		users=$(grep -c 'Tell me' out)
		if [ $n -eq 20 ]; then
			[ "$users" -eq 12 ]
		else
			[ "$users" -lt 6 ]
		fi
	done
}

@test "recall skips a group that is too large and keeps smaller ones that fit" {
	{
		messages "user:Read the notes."
		called a read_file '{"path":"notes"}' "the password $(numbered 300)"
		messages "user:The password is on the door."
		for i in $(seq 40); do
			messages "user:thing $i" "assistant:done $i"
		done
		messages "user:Which password?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 120 in > out
	ctx-count -q --max 120 out
	grep -q 'on the door' out
	# the room is filled, but for less than one of the small ones
	[ "$(tokens out)" -ge 105 ]
}

@test "recall finds a rare word among very many" {
	{
		for word in quokka wombat; do
			messages "user:Go on."
			seq 70000 | tr '\n' ' ' | sed "s/69990/$word $word/" |
				jq -Rc '{role: "assistant", content: .}'
		done
		messages "user:Where is the quokka?"
	} > in
	n=$(tokens in)
	ctx-prune -s recall -k 1 -t 1 -b $((n * 6 / 10)) in > out
	grep -q 'quokka quokka' out
	run ! grep -q wombat out
}

@test "recall keeps a turn with its late result, within the budget" {
	{
		messages "user:One." "assistant:Yes."
		called a find '{"what":"the heron"}' "heron" | head -n 1
		messages "user:Meanwhile, $(numbered 200)" "assistant:Well."
		called a find '{"what":"the heron"}' "nothing" | tail -n 1
		for i in $(seq 40); do
			messages "user:thing $i" "assistant:done $i"
		done
		messages "user:Where was the heron?"
	} > in
	for b in 60 100 200 400; do
		ctx-prune -s recall -k 1 -t 1 -b $b in > out
		ctx-count -q --max $b out
		ctx-check -q out
	done
}

# A chat in which one long answer says where a sister lives.
chat_of_long_answers() {
	local i
	for i in $(seq 12); do
		messages "user:Tell me about house $i."
		jq -nc --arg i "$i" '{role: "assistant", content: ([range(40) |
		    "House \($i) has room \(.), which is dull and grey." +
		    if $i == "5" and . == 20 then
			"\nYour sister Ottilie lives there, in Bergen.\n"
		    else " " end] | add)}'
	done
	messages "user:Where does my sister Ottilie live?"
}

@test "recall keeps the passages of a long message that match the question" {
	chat_of_long_answers > in
	for b in 250 500 1500; do
		ctx-prune -s recall -k 1 -t 1 -b $b in > out
		[ "$(tokens out)" -le $b ]
		ctx-check -q out
		grep -q 'Ottilie lives there, in Bergen' out || fail $b
		# No other text than the mark is added.
		jq -r .content out |
		    sed 's/^\[… [0-9]* characters truncated …\]$//; s/\[…\]//' > kept
		[ "$(grep -c 'characters truncated' out)" -gt 0 ]
		jq -r .content in | tr -s ' \n' '\n\n' > all
		tr -s ' \n' '\n\n' < kept | sed '/^$/d' > words
		is_subsequence words all
		# A second run changes nothing.
		ctx-prune -s recall -k 1 -t 1 -b $b out | cmp - out
		# A smaller budget cuts no mark.
		ctx-prune -s recall -k 1 -t 1 -b $((b * 3 / 4)) out > again
		ctx-count -q --max $((b * 3 / 4)) again
		sed 's/\[… [0-9]* characters truncated …\]//g; s/\[…\]//g' again \
		    > kept
		run ! grep '…' kept
	done
	# The level light removes whole messages.
	ctx-prune -s recall -l light -k 1 -t 1 -b 250 in > out
	is_subsequence out in
	run -1 grep -q Bergen out
}

@test "recall archives and explains a message of which it keeps passages" {
	chat_of_long_answers > in
	ctx-prune -s recall -k 1 -t 1 -b 250 --archive gone --explain why in > out
	jq -es 'map(select(.rule == "passages")) | length == 1 and
	    .[0].after < .[0].before' why
	# The archive has the whole message.
	grep -qxFf <(grep Bergen in) gone
	# Tokens and messages add up, also in formats with blocks.
	run -0 "$BATS_TEST_DIRNAME/ledger" in openai-chat ctx-prune -s recall \
	    -k 1 -t 1 -b 250
	[ -z "$output" ]
	jq -sc '{messages: map(.content |= [{type: "text", text: .}])}' in > record
	for dialect in anthropic openai-chat bedrock; do
		run -0 "$BATS_TEST_DIRNAME/ledger" record $dialect ctx-prune \
		    -s recall -k 1 -t 1 -b 250
		[ -z "$output" ] || fail "$output"
	done
}

@test "recall divides no text of a conversation with tool calls into passages" {
	{
		chat_of_long_answers | sed '$d'
		called a read_file '{"path":"notes"}' "nothing"
		messages "user:Where does my sister Ottilie live?"
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 700 in > out
	run -1 grep -q 'characters truncated' out
}

@test "recall ranks with an embedder, and an embedder that fails keeps everything" {
	{
		for i in $(seq 40); do
			messages "user:item $i $(numbered 10)" "assistant:noted $i"
		done
		messages "user:which one?"
	} > in
	# near to the question: what speaks of item 7
	cat > embed <<'X'
#!/bin/sh
awk '{ print (NR == 1 || /item 7 /) ? "[1,0]" : "[0,1]" }'
X
	chmod +x embed
	ctx-prune -s recall --embedder ./embed -k 1 -t 1 -b 200 in > out
	grep -q 'item 7 ' out
	CTX_EMBEDDER=./embed ctx-prune -s recall -k 1 -t 1 -b 200 in | cmp - out
	# The last line may be without its end.
	ctx-prune -s recall --embedder 'printf %s "$(./embed)"' -k 1 -t 1 \
	    -b 200 in | cmp - out
	# Only where numbers point counts, not how far.
	for far in 1e-200 1e80 1e300; do
		sed "s/\\[1,/[$far,/; s/,1\\]/,$far]/" embed > far
		chmod +x far
		ctx-prune -s recall --embedder ./far -k 1 -t 1 -b 200 in | cmp - out
	done
	# A command, and why its answer is none.
	while IFS='|' read -r bad why; do
		run -2 ctx-prune -s recall --timeout 1 --embedder "$bad" -b 200 in
		ctx-prune -s recall --timeout 1 --embedder "$bad" -b 200 in \
		    > out 2> err || [ $? -eq 2 ]
		cmp out in
		grep -q "nothing was removed: .*$why" err || fail "$bad: $(cat err)"
	done <<-'X'
		false|status 1
		sed "s/.*/x/"|not a JSON array of numbers
		sed p|wrote 164 lines for 82 texts
		echo "[1]"|wrote 1 lines for 82 texts
		yes "[]"|the embedder wrote more than 8060928 bytes for 82 texts; have it
		sed "s/.*/[1e999]/"|not a JSON array of numbers
		sed "s/.*/[]/"|not a JSON array of numbers
		sed "s/.*/[1,\"2\"]/"|not a JSON array of numbers
		sed "s/.*/[1,2/"|not a JSON array of numbers
		sed "s/.*/[1]/;3s/1/1,2/"|arrays of different lengths
		sed "s/.*/[1]/;82d"|wrote 81 lines for 82 texts
		sleep 60|within 1 seconds
	X
	# A line that a reader which recurses would not do with.
	(ulimit -s 128 && run -2 ctx-prune -s recall -b 200 in --embedder \
	    'sed "s/.*/$(printf "[%.0s" $(seq 2000))/"' &&
		[[ $output == *"not a JSON array of numbers"* ]])
}

# An embedder for which texts are near to the question if they match $1.
make_embedder() {
	printf '#!/bin/sh\nawk "{ print (NR == 1 || /%s/) ? \\"[1,0]\\" : \\"[0,1]\\" }"\n' \
	    "$1" > embed
	chmod +x embed
}

@test "an embedder adds what the words do not find, and does not displace what they find" {
	{
		for i in $(seq 40); do
			case $i in
			9) messages "user:The zeppelin landed. $(numbered 10)" ;;
			*) messages "user:item $i $(numbered 10)" ;;
			esac
			messages "assistant:noted $i"
		done
		messages "user:Where is the zeppelin?"
	} > in
	make_embedder "item 30 "
	ctx-prune -s recall --embedder ./embed -k 1 -t 1 -b 200 in > out
	grep -q zeppelin <(sed '$d' out)
	grep -q 'item 30 ' out
	ctx-prune -s recall -k 1 -t 1 -b 200 in > words
	run ! grep -q 'item 30 ' words
	# If there is room for only one of them, the word counts more than an
	# embedder that finds a quarter of all messages near.
	make_embedder "item 3"
	ctx-prune -s recall --embedder ./embed -k 1 -t 1 -b 70 in > out
	grep -q zeppelin <(sed '$d' out)
	# The result depends only on the input.
	ctx-prune -s recall --embedder ./embed -k 1 -t 1 -b 70 in | cmp - out
}

@test "an embedder gets no names of senders; who is asked about counts more" {
	for i in $(seq 40); do
		jq -nc --arg name "$( ((i % 2)) && echo Bob || echo Ann)" \
		    --arg text "item $i $(numbered 10)" \
		    '{role: "user", name: $name, content: $text},
		    {role: "assistant", name: "Cleo", content: "noted"}'
	done > in
	echo '{"role":"user","name":"Dan","content":"What did Ann say of a zeppelin?"}' \
	    >> in
	sed -i 's/item 9 /zeppelin /' in
	# Bob's text is nearer to the question than Ann's.
	cat > embed <<'X'
#!/bin/sh
tee texts | awk 'NR == 1 || /item 31 / { print "[1,0]"; next }
{ print /item 20 / ? "[3,2]" : "[0,1]" }'
X
	chmod +x embed
	ctx-prune -s recall --embedder ./embed -k 1 -t 1 -b 60 in > out
	run ! grep -E 'Bob|Cleo|Dan' texts
	grep -q 'item 20 ' out
	run ! grep -q 'item 31 ' out
	sed 's/Ann say/Bob say/' in > other
	ctx-prune -s recall --embedder ./embed -k 1 -t 1 -b 60 other > out
	grep -q 'item 31 ' out
}

@test "in a chat with long answers an embedder still finds short messages" {
	{
		messages "user:My sister Ottilie moved to Bergen." "assistant:Nice."
		chat_of_long_answers | sed '/Ottilie lives/d'
	} > in
	make_embedder "dull"
	ctx-prune -s recall -k 1 -t 1 -b 200 --embedder ./embed in > out
	grep -q Bergen out
	ctx-count -q --max 200 out
}

@test "recall gives an embedder the beginning of a long text, in whole characters" {
	{
		# A message of two texts is not divided into passages.
		for t in "x$(printf 'é%.0s' {1..9000})" \
		    "$(printf 'é%.0s' {1..9000})"; do
			jq -nc --arg t "$t" '{role: "user", content: [
			    {type: "text", text: $t}, {type: "text", text: "é"}]}'
		done
		messages "assistant:a" "user:which?"
	} > in
	ctx-prune -s recall --embedder 'tee got | sed "s/.*/[1]/"' -k 1 -t 1 \
	    -b 200 in > out
	[ "$(wc -l < got)" -eq 5 ]
	jq -es '.[1:3] | map(.text | test("^x?é+( é)?$") and utf8bytelength > 1000 and
	    utf8bytelength < 9000) | all' got
	# What is no message is a text of nothing.
	jq -sc '{messages: [.[0], {no: "message"}, .[2], 7, .[3]]}' in > record
	ctx-prune -s recall --embedder 'tee got | sed "s/.*/[1]/"' -k 1 -t 1 \
	    -b 200 record > out
	jq -es 'map(.text) | (.[0] | startswith("which?")) and .[2] == "" and
	    .[4] == "" and (.[3] | startswith("a"))' got
}

@test "recall learns the names of speakers from how they address each other" {
	# two such remarks, of which only one fits
	chat() {
		local i
		for i in "$@"; do
			messages "user:Thanks, Ben! $(numbered 30)$i" \
			    "assistant:Ann, look at that. $(numbered 30)$i"
		done
	}
	{
		messages "user:Hi Ben! I went swimming in a lake." \
		    "assistant:Nice."
		chat 1 2 3 4
		messages "user:Hm." \
		    "assistant:Well, Ann! I went swimming in the sea."
		chat 5 6
	} > in
	ctx-prune -s recall -k 1 -t 1 -b 40 > out < <(cat in
	    messages "user:Where did Ann go swimming?")
	grep -q 'a lake' out
	run -1 grep -q 'the sea' out
	ctx-prune -s recall -k 1 -t 1 -b 40 > out < <(cat in
	    messages "user:Where did Ben go swimming?")
	grep -q 'the sea' out
	run -1 grep -q 'a lake' out
}
