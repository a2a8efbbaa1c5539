# ctx-prune -s summarize: what the built-in summary says

load helper
load summary

@test "a summary contains requests of the user, actions of tool calls, and a list of names" {
	{
		messages "user:Never touch the table doors_v7. Rename its reader." \
		    "assistant:Let me look at the reader qz_81 of that table first." \
		    "assistant:I decided to keep the old name as an alias for now."
		tool c1 run '{"command": "make check"}' 'Error: no rule'
		tool c2 run '{"command": ["bash", "-lc", "make -j2"]}' \
		    $'order\n'"$(words 25)"$'\nQX-4471 is complete\n====='
		tool c3 edit_file '{"path": "src/reader.c", "old": "a"}' ok
		tool c4 read_file '{"path": "src/other.c"}' 'int other_v2;'
		tool c5 apply_patch '{"input": "*** Begin Patch\n*** Update File: a/b.py\n+x"}' ok
		tool c6 todo_write '{"todos": [{"content": "first", "status":
		    "completed"}, {"content": "write the alias", "status": "pending"}]}' ok
		for i in 1 2 3; do
			messages "user:and $i?" "assistant:$(words 60)"
		done
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 300 in > out
	sentences_of out > text
	grep -q 'User: Never touch the table doors_v7\.$' text
	grep -qx 'Assistant: I decided to keep the old name as an alias for now\.' text
	run ! grep 'Let me look' text
	grep -qx 'Names in removed messages: qz_81' text
	grep -qx 'Open: write the alias' text
	grep -qx 'Done: first' text
	grep -qx 'Changed: src/reader.c' text
	grep -qx 'Changed: a/b.py' text
	grep -qx 'Ran: make check -> Error: no rule' text
	grep -qx 'Ran: make -j2' text
	grep -qx 'Called: read_file src/other.c -> int other_v2;' text
	# Below a call are the names in its result.
	grep -A 1 -x 'Ran: make -j2' text | grep -qx '  QX-4471'
	run ! grep 'Changed: src/other.c' text
	# A later run reads the lines of the summary as what they are.
	{
		cat out
		messages "user:$(words 40)" "assistant:$(words 50)" \
		    "user:what now?" "assistant:nothing"
	} > more
	ctx-prune -s summarize -k 1 -t 1 -b 420 more > out
	summary_of out > text
	grep -qx 'Ran: make check -> Error: no rule' text
	grep -qx 'Open: write the alias' text
	[ "$(grep -c QX-4471 text)" -eq 1 ]
	grep -A 1 -x 'Ran: make -j2' text | grep -qx '  QX-4471'
}

@test "a summary tells in order what was said and called, with the keys of results in JSON" {
	{
		messages "user:My order W77123 has not arrived, please look."
		tool c1 get_order '{"order_id": "W77123", "open": true}' '{
		    "order_id": "W77123", "address": "12 Lime Rd",
		    "items": [{"item_id": 5551234, "status": "sent"},
			{"item_id": 5551235, "status": "lost"}],
		    "paid": {"card_8812": {"paid_at": "2026-11-02"}}}'
		messages "assistant:I found that item 5551235 of the order was lost." \
		    "user:Then send it again, but never to the old address."
		tool c2 send_item '{"item_id": 5551235, "to": {"zip": "90413-X"}}' ok
		messages "assistant:The parcel service has your new address now." \
		    "user:Thanks." "assistant:$(words 400)" \
		    "user:And now?"
	} > in
	ctx-prune --compact -k 1 -t 1 in > out
	summary_of out | sed '1s/^.*summary\]: //' > text
	cat > expected <<'X'
User: My order W77123 has not arrived, please look.
Called: get_order W77123 -> address=12 Lime Rd, item_id=5551234, status=sent, item_id=5551235, status=lost, paid_at=2026-11-02
  card_8812
Assistant: I found that item 5551235 of the order was lost.
User: Then send it again, but never to the old address.
Called: send_item 5551235 -> ok
  zip=90413-X
X
	head -n 7 text | diff expected -
	# A later run reads the lists of an earlier summary.
	{
		cat out
		messages "assistant:$(words 350)" "user:What now?"
	} > more
	ctx-prune --compact -k 1 -t 1 more > out
	summary_of out | sed '1s/^.*summary\]: //' > text
	head -n 7 text | diff expected -
}

@test "a summary lists times, addresses of bytes and web addresses whole, and no words that are not names" {
	{
		messages "user:Look at this order, please."
		tool c1 get_order '{"id": "W77123"}' '{"created":
		    "2026-05-14T09:12:00", "mac": "00:1b:44:11:3a:b7",
		    "url": "https://x.example/a/b?id=77&k=2",
		    "log": "<tool_note>/var/q_1 8.93s</tool_note>, in cfg/base"}'
		messages "assistant:It was sent, is that right (yes/no) or new/old?" \
		    "user:and?" "assistant:$(words 200)"
	} > in
	for i in 1 2; do
		summary_text
		grep -F 'created=2026-05-14T09:12:00' text
		grep -F 'mac=00:1b:44:11:3a:b7' text
		grep -F 'url=https://x.example/a/b?id=77&k=2' text
		grep -F 'log=/var/q_1, cfg/base' text
		run ! grep -e '^Names' -e tool_note text
		{ # A later run reads the list.
			cat out
			messages "assistant:$(words 200)" "user:What now?"
		} > more
		mv more in
	done
}

@test "a summary lists no coordinates of drawings and no measurements" {
	{
		messages "user:Look at the icon, please."
		tool c1 get_icon '{"path": "bell.svg"}' "$(words 60)
		    d='M4.5 7.25c0-1.42.9 2.6l-1.5.3',
		    took 519.111542 and 0.8791, 3.14.2 and rgb_2.5"
		messages "assistant:$(words 900)" "user:and?"
	} > in
	summary_text
	for name in 3.14.2 rgb_2.5; do
		grep -qF " $name" text || fail "no $name: $(cat text)"
	done
	run ! grep -e 'M4' -e 7.25c -e 2.6l -e 519 -e 0.87 text
}

@test "in a small summary the user's constraints and changing calls come before names" {
	{
		messages "user:I want to change my trip, please." \
		    "assistant:Of course, which one?" \
		    "user:Leave a day later, never before noon, for 150 dollars at most."
		tool c1 search_flights '{"day": "2026-05-21"}' \
		    "$(jq -nc '[range(40) | {no: "HAT\(. * 7 + 100)"}]')"
		tool c2 add_bag '{"bags": 1}' '{"status": "ok"}'
		tool c3 get_seats '{"day": "2026-05-21"}' \
		    "$(jq -nc '[range(40) | {seat: "K-\(. * 7 + 300)"}]')"
		messages "user:Good, go ahead." \
		    "user:And?" "assistant:$(words 60)"
	} > in
	summary_text -b 190
	[ "$(tokens --text text)" -lt 100 ]
	grep -qx 'User: I want to change my trip, please\.' text
	grep -qx 'User: Leave a day later, never before noon, for 150 dollars at most\.' text
	grep -qx 'Called: add_bag 1 -> {"status": "ok"}' text
	run ! grep 'go ahead' text
}

@test "in a small summary names come before all but one constraint of the user" {
	{
		messages "user:I want to change my trip, please."
		for day in noon dusk dawn; do
			messages "user:It must never leave before $day." \
			    "assistant:Noted."
		done
		tool c1 get_trips '{"user": "ada_9"}' \
		    "$(jq -nc '[range(40) | {trip: "QK\(. * 7 + 100)X"}]')"
		messages "user:And?" "assistant:$(words 60)"
	} > in
	ctx-prune -s summarize -b 180 -k 1 -t 1 in > out
	sentences_of out > text
	[ "$(grep -c 'must never' text)" -eq 1 ]
	[ "$(grep -o 'QK[0-9]*X' text | wc -l)" -ge 10 ]
}

@test "a summary lists no names of a result that only count" {
	{
		messages "user:Read the log of the job, please."
		tool c1 run '{"command": "journalctl"}' \
		    "$(seq -f 'matched batch_%02g' 60; echo 'lock qk_81 is left'; echo ====)"
		messages "user:and?" "assistant:$(words 60)"
	} > in
	summary_text
	grep -qx '  qk_81' text
}

@test "a summary lists consecutive dates" {
	{
		messages "user:When can I travel, please?"
		tool c1 get_days '{"month": "May"}' \
		    "$(jq -nc '{month: "May", days: [range(21; 26) | "2026-05-\(.)"], note: "late"}')"
		messages "assistant:$(words 60)" "user:and?" "assistant:$(words 60)"
	} > in
	summary_text
	grep -q '2026-05-21, 2026-05-22, 2026-05-23, 2026-05-24, 2026-05-25$' text
}

@test "a summary tells what the assistant says is open, and leaves out announcements, layout and repetitions" {
	{
		jq -nc '{role: "user", content: ("<ide_opened_file>The user opened " +
		    "a.py.</ide_opened_file>\n<INSTRUCTIONS>Never use tabs, " +
		    "please.</INSTRUCTIONS>\nPlease fix the reader of the table.\n" +
		    "<system-reminder>You must not\nmention this.</system-reminder>")}'
		jq -nc '{role: "assistant", content: ("I\u2019ll review the reader now, step " +
		    "by step.\nNext I\u2019m checking all of the callers.\n" +
		    "| `external` | in the table |\n" +
		    "## What was found and fixed in there\n" +
		    "All five pass. Still open: update docs/usage.md.")}'
		for i in one two; do
			messages "assistant:As for $i, please see the page on the same subject in the handbook, where all of it was done."
		done
		messages "assistant:$(words 200)" "user:and?" "assistant:$(words 60)"
	} > in
	summary_text
	cat > expected <<'X'
User: Please fix the reader of the table.
Assistant: All five pass.
  Still open: update docs/usage.md.
Assistant: As for one, please see the page on the same subject in the handbook, where all of it was done.
X
	grep -v '^Names' text | diff expected -
}

@test "a summary begins with the first sentences of the user, without lines that are only tags" {
	{
		jq -nc '{role: "user", content: ("<instructions>\n" +
		    "I am looking for a night train to Vienna.\n" +
		    "</instructions>\nMy name is Ottilie Brandt.")}'
		messages "assistant:On which day do you travel?"
		for i in $(seq 12); do
			messages "user:Please never book seat $i, because it is loud." \
			    "assistant:$(words 60)"
		done
		messages "user:Go on."
	} > in
	ctx-prune -s summarize -b 300 -k 1 -t 1 in > out
	sentences_of out > lines
	grep -q 'seat 12' lines
	sed -n 1p lines | grep -q 'User: I am looking for a night train to Vienna\.$'
	sed -n 2p lines | grep -qx 'User: My name is Ottilie Brandt\.'
	run ! grep -q 'instructions>' lines
}

@test "a summary quotes whole sentences: abbreviations and parentheses end none" {
	{
		messages "user:Please stop the tills one by one, i. e. never two of \
them. Keep the old keys (the table has some 4 Mill. Rows). Then report." \
		    "assistant:Yes."
		for i in $(seq 12); do
			messages "user:Step $i." "assistant:$(numbered 60)"
		done
		messages "user:Go on."
	} > in
	ctx-prune -s summarize -b 300 -k 1 -t 1 in > out
	sentences_of out > lines
	grep -q 'User: Please stop the tills one by one, i\. e\. never two of them\.$' lines
	grep -qx 'User: Keep the old keys (the table has some 4 Mill\. Rows)\.' lines
}

@test "text after a NUL character is used for the summary" {
	jq -nc '{role: "user", content: "which port is it then"},
	    {role: "assistant", content:
	    "the port is\u0000 4242 because nothing else was left"},
	    (range(4) | {role: "user", content: "and now, \(.)?"},
	    {role: "assistant", content: ("so " * 40)})' > in
	ctx-prune --compact -k 1 -t 0 -b 300 -l aggressive in > out
	[[ $(summary_of out | tr '\0' '#') == \
	    *"the port is# 4242 because nothing else was left"* ]]
}

@test "of a very long line the summary contains the beginning, cut between two characters" {
	{
		jq -nc --arg t "x$(printf 'é%.0s' {1..3000})" '{role: "user", content: $t}'
		jq -nc --arg t "$(printf 'é%.0s' {1..3000})" '{role: "user", content: $t}'
		cat "$chat"
	} > in
	ctx-prune -s summarize --compact --summary-tokens 9000 in > out
	head -n 1 out | jq -e '.content | test("User: xé+ [.][.][.]\n") and
	    test("User: éé+ [.][.][.]\n") and (test("\ufffd") | not)'
	head -n 1 out | iconv -f utf8 -t utf16 > /dev/null
}

@test "a list of tasks replaces the open tasks of earlier lists" {
	jq -nc 'range(3) as $k | {role: "assistant", content: null,
	    tool_calls: [{id: "c\($k)", type: "function", function: {name:
	    "todo", arguments: ({todos: [range(3) | {content: "task \($k) \(.)",
	    status: "pending"}]} | tojson)}}]}, {role: "tool",
	    tool_call_id: "c\($k)", content: "ok"}' > in
	messages "user:$(words 60)" "assistant:$(words 60)" user:and? \
	    assistant:no >> in
	ctx-prune -s summarize -k 1 -t 1 -b 150 in > out
	summary_of out > text
	[ "$(grep -c 'Open: task 2 ' text)" -eq 3 ]
	[ "$(grep -c 'Open: ' text)" -eq 3 ]
}

@test "a list of tasks in a kept tool call replaces those of removed tool calls" {
	{
		messages "user:three things please"
		tool c1 todo_write '{"todos": [{"content": "one", "status": "completed"},
		    {"content": "two", "status": "in_progress"},
		    {"content": "three", "status": "pending"}]}' ok
		messages "user:$(words 60)" "assistant:$(words 60)" user:and?
		tool c2 todo_write '{"todos": [{"content": "two", "status": "completed"},
		    {"content": "three", "status": "in_progress"}]}' ok
	} > in
	ctx-prune -s summarize -k 2 -t 1 -b 150 in > out
	grep -q '"c2"' out
	run ! grep -q '"c1"' out
	summary_of out > text
	grep -qx 'Done: one' text
	[ "$(grep -cE '^(Open|Done): ' text)" -eq 1 ]
}

@test "the status of a task is that of its last TaskUpdate, also after an earlier summary" {
	task() { # ID NUMBER SUBJECT
		tool "$1" TaskCreate "{\"subject\": \"$3\"}" \
		    "Task #$2 created successfully: $3"
	}
	update() { # ID NUMBER STATUS
		tool "$1" TaskUpdate "{\"taskId\": \"$2\", \"status\": \"$3\"}" \
		    "Updated task #$2 status"
	}
	{
		messages "user:four things please"
		task c1 1 "draw the map" && task c2 2 "send the map"
		task c3 3 "frame it" && task c4 4 "sell it"
		update c5 1 completed && update c6 2 in_progress
		update c7 3 deleted
		messages "user:$(words 60)" "assistant:$(words 60)" user:and? \
		    "assistant:no"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 200 in > out
	summary_of out > text
	grep -qx 'Done: #1 draw the map' text
	grep -qx 'Open: #2 send the map' text
	grep -qx 'Open: #4 sell it' text
	run ! grep -E 'frame it|TaskUpdate|created' text
	{
		cat out
		update c8 2 completed
		messages "user:$(words 60)" "assistant:$(words 60)" user:then?
		update c9 4 completed
	} > more
	ctx-prune -s summarize -k 2 -t 1 -b 200 more > out
	grep -q '"c9"' out
	run ! grep -q '"c8"' out
	summary_of out > text
	grep -qx 'Done: #1 draw the map' text
	grep -qx 'Done: #2 send the map' text
	grep -qx 'Done: #4 sell it (see below)' text
	run ! grep Open text
}

@test "a small summary has names of a JSON result rather than its other values" {
	{
		messages "user:Look at the seats, please."
		tool c1 get_seat '{"seat": "12A"}' '{"id": "QX-4471-82", "row1": null,
		    "row": 12, "class": "window", "state": "sold", "free": null,
		    "note": "", "paid": {"by": {"card": "CARD-99120"}}, "seat":
		    "12A", "long": "a value of more than forty bytes is left out"}'
		messages "user:and?" "assistant:$(words 300)" "user:what now?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 85 in > out
	summary_of out > text
	grep -qx 'Called: get_seat 12A' text
	grep -q 'QX-4471-82.*CARD-99120' text
	ctx-prune -s summarize -k 1 -t 1 -b 130 in > out
	summary_of out > text
	grep -qx 'Called: get_seat 12A -> id=QX-4471-82, row=12, class=window, state=sold, card=CARD-99120' text
}

@test "a summary has questions that the user answered in a word, and the lines before them" {
	offer=$'Moving is free of charge on all days.\nThe new room is on the second floor.\nShall I book room 14 for you?'
	{
		messages "user:A room, please." "assistant:$offer" \
		    "user:Yes, all of that sounds right to me. Bring a key." "assistant:Done, see you soon." \
		    "user:Is there a pool?" "assistant:Shall I look for one?" \
		    "user:No." "assistant:Which door shall I close, 1 or 2?" \
		    "user:2" \
		    $'assistant:**B)** A key for each door.\n\nMy advice is the second, **B**.' \
		    "user:yes" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 180 in > out
	sentences_of out > text
	grep -qx 'Assistant: My advice is the second, \*\*B\*\*\. (the user answered: "yes")' text
	grep -qx 'Assistant: The new room is on the second floor\.' text
	grep -qx 'Assistant: Shall I book room 14 for you? (the user answered: "Yes, all of that sounds right to me\.")' text
	grep -qx 'Assistant: Shall I look for one? (the user answered: "No\.")' text
	grep -qx 'Assistant: Which door shall I close, 1 or 2? (the user answered: "2")' text
	run ! grep -e '^User: Yes' -e '^User: No' text
	grep -qx 'User: Bring a key\.' text
	[ "$(grep -c 'room 14' text)" -eq 1 ]
	# A later run reads this line as it is.
	{
		cat out
		messages "assistant:$(words 300)" "user:then?"
	} > more
	ctx-prune -s summarize -k 1 -t 1 -b 250 more > out
	sentences_of out | grep -qx 'Assistant: Shall I book room 14 for you? (the user answered: "Yes, all of that sounds right to me\.")'
}

@test "only the next message of the user agrees to a question" {
	{
		messages "user:A room, please." "assistant:$(words 900)" "user:hm" \
		    "assistant:Shall I book room 14 for you, at 90 a night?" \
		    "user:What about the pool?" "assistant:There is one." \
		    "user:Yes, that sounds good." "assistant:Bye."
	} > in
	ctx-prune --compact -k 4 -t 1 in > out
	run ! grep 'the user answered' out
	summary_of out | grep -q 'Shall I book room 14'
}

@test "a summary has sentences of thoughts and of reports of other agents, and no data of the user" {
	{
		messages $'user:Look at this report.\n[{"project": "attic", "state": "unknown as ever"}]'
		tool c1 think '{"thought": "The roof cannot be mended because the beam is rotten."}' ''
		tool c2 Task '{"description": "inspect the beam", "prompt": "p"}' \
		    "The beam was replaced in May, which fixed the leak.
$(words 600)
This roof was painted because it had to be."
		# Codex returns reports in JSON.
		tool c3 wait_agent '{"targets": ["agent_71"], "timeout_ms": 300000}' \
		    '{"status": {"agent_71": {"completed": "The leak was in the gutter, which was full of leaves."}}, "timed_out": false}'
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 160 in > out
	summary_of out > text
	grep -qx 'Assistant: The roof cannot be mended because the beam is rotten\.' text
	grep -qx 'Assistant: The beam was replaced in May, which fixed the leak\.' text
	grep -qx 'Assistant: The leak was in the gutter, which was full of leaves\.' text
	grep -qx 'Called: Task inspect the beam p' text
	run ! grep 300000 text
	run ! grep -e think -e 'as ever' -e painted text
}

@test "of a report without line feeds the summary has its first sentences" {
	{
		messages "user:Look at the roof, please."
		tool c1 Task '{"prompt": "p"}' "The beam was replaced, which fixed the leak. Many $(
			words 400). The roof was painted because it had to be."
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune --compact -k 1 -t 1 in > out
	summary_of out > text
	grep -qx 'Assistant: The beam was replaced, which fixed the leak\.' text
	run ! grep painted text
}

@test "a task of a kept tool call is told as done if the call that says so is removed" {
	{
		messages "user:Two things, please."
		tool c1 TaskCreate '{"subject": "draw the map"}' \
		    'Task #1 created successfully: draw the map'
		tool c2 TaskUpdate '{"taskId": 1, "status": "completed"}' 'Updated task #1'
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune --compact -k 1 -t 1 --pin 'draw the map' in > out
	grep -q '"c1"' out
	run ! grep -q '"c2"' out
	summary_of out | sed '1s/^.*summary\]: //' | grep -qx 'Done: #1 draw the map'
}

@test "a summary has rows of tables, and no heading or rule that a program writes" {
	{
		messages $'user:# AGENTS.md instructions for /home/ada\n<INSTRUCTIONS>x</INSTRUCTIONS>\nMend the clock.' \
		    $'assistant:Insight \xe2\x94\x80\xe2\x94\x80\xe2\x94\x80 of the whole day\nThe clock is slow because it is wet.' \
		    $'assistant:| part | state |\n| --- | --- |\n| small | row |\n| the spring of the clock | broken since the winter of the year before |' \
		    "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 140 in > out
	sentences_of out > text
	grep -qx 'Assistant: The clock is slow because it is wet\.' text
	grep -A 1 -x 'Assistant: | part | state |' text |
	    grep -q '^Assistant: | the spring of the clock | broken'
	run ! grep -e 'User: # AGENTS' -e Insight -e '| ---' -e '| small' text
}

@test "a list of names below a JSON key ends with ... if names are missing" {
	{
		messages "user:Look at my orders."
		tool c1 get_user '{"user": "ada"}' '{"orders": ["W1001", "W2002", "W3003"], "cards": ["C4004"], "note": "Please ring twice, and wait until the dog has stopped to bark at the door of the house."}'
		tool c2 get_order '{"order": "W3003"}' '{"state": "sent"}'
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 150 in > out
	summary_of out > text
	grep -q 'orders=W1001, W2002, \.\.\.' text
	grep -qE 'cards=C4004($|;)' text
	# A later run keeps this mark.
	{
		cat out
		messages "assistant:$(words 300)" "user:then?"
	} > more
	ctx-prune -s summarize -k 1 -t 1 -b 190 more > out
	summary_of out > text
	grep -q 'orders=W1001, W2002, \.\.\.' text
	grep -qE 'cards=C4004($|;)' text
}

@test "a summary has what introduces a list in an answer, and no courtesies or texts of programs" {
	{
		messages $'user:<recommended_plugins>\nInstall the plugin of the moon, please.\n</recommended_plugins>\nBook it.' \
		    $'assistant:To book it, I must know these three things:\n\n1. The date on which you travel.\n2. The number of your bags.\n\nIf you have any other questions, please ask.' \
		    "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 120 in > out
	sentences_of out | sed '1s/^\[Earlier conversation summary\]: //' > text
	grep -qx 'Assistant: To book it, I must know these three things:' text
	grep -qx 'Assistant: 1\. The date on which you travel\.' text
	run ! grep -e moon -e 'other questions' text
}

@test "lines of a diff are no sentences of the user" {
	{
		messages $'user:Review the change of the reader, please.
diff --git a/src/reader.c b/src/reader.c
--- a/src/reader.c
+++ b/src/reader.c
@@ -6,4 +6,5 @@ static int must_not_fail(void)
 \tif (never) must_stop();
-\told_call_of_it();

+\tnew_call_must_not_fail();
+\tand_one_more(1);
 \treturn 0;
@@ -20 +21 @@
-\tvalue_must_be(1);
+\tvalue_must_be(2);
\\ No newline at end of file
- Look at the last line, too.
@@ home is where you always find me @@
+ And never merge it.' "assistant:$(words 60)"
		for i in 1 2 3; do
			messages "user:and $i?" "assistant:$(words 60)"
		done
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 300 in > out
	sentences_of out | sed 's/^\[.*\]: //' |
	    grep '^User: ' | grep -v 'and .?' > text
	cat > expected <<'X'
User: Review the change of the reader, please.
User: - Look at the last line, too.
User: @@ home is where you always find me @@
User: + And never merge it.
X
	diff expected text
}

@test "an item of an answer is told with all its sentences" {
	{
		messages "user:Move the libraries, please." \
		    $'assistant:It is done now. Nobody needs this sentence.\n1. The agent builds successfully. The plane does not, as before.\n- The reader was copied from here. Nothing else was.' \
		    "user:Good, and then?" "assistant:$(words 60)"
		for i in 1 2 3; do
			messages "user:and $i?" "assistant:$(words 60)"
		done
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 330 in > out
	sentences_of out | grep '^Assistant: [^w]' > text
	cat > expected <<'X'
Assistant: It is done now.
Assistant: 1. The agent builds successfully. The plane does not, as before.
Assistant: - The reader was copied from here. Nothing else was.
X
	diff expected text
}

@test "without tool calls a summary has more answers" {
	local n call
	for call in no yes; do
		{
			messages "user:I want to change my order, please."
			[ $call = no ] || tool c1 look '{"order": 1}' ok
			for n in red blue green white black brown grey pink; do
				messages "assistant:The rule says that it costs more if it is $n." \
				    "user:What does the rule say about $n in this case?"
			done
			messages "assistant:$(words 60)" "user:and now?" "assistant:$(words 60)"
		} > in
		ctx-prune -s summarize -k 1 -t 1 -b 300 in > out
		summary_of out | grep -c '^Assistant: The rule' > $call
	done
	[ "$(cat no)" -gt "$(cat yes)" ] || fail "$(cat no) $(cat yes)"
}

@test "a summary has nothing that programs write into messages of the user" {
	{
		messages $'user:# Context from my IDE setup:\n\n## Open tabs:\n- Never open: a.md\n\n## My request for Codex:\nMend the door of the attic.' \
		    'user:Called the Read tool with the following input: {"filePath": "never.c"}' \
		    $'user:<path>/never</path>\n<type>directory</type>\n<entries>\nnever.c must\n</entries>' \
		    $'user:<task-notification>It must\nend.</task-notification>\nRead the output file to retrieve the result: /tmp/never' \
		    "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text
	grep -qx 'User: Mend the door of the attic\.' text
	[ "$(grep -c '^User' text)" -eq 1 ] || fail "$(cat text)"
}

@test "a summary has what the user typed after the name of a command" {
	typed() {
		printf 'user:<command-message>plan</command-message>\n<command-name>/plan</command-name>\n<command-args>%s</command-args>' "$1"
	}
	{
		messages "$(typed 'Never paint the doors of the attic.')" \
		    "assistant:Shall I mend the roof of the house?" \
		    "$(typed 'Yes, do that. Keep the old beams.')" \
		    "assistant:$(words 900)" "$(typed '')" \
		    "$(typed 'Mend the roof, too.')" "assistant:$(words 900)" "user:And now?"
	} > in
	ctx-prune --compact -k 1 -t 1 --pin 'the roof, too' in > out
	summary_of out | sed '1s/^.*summary\]: //' > text
	cat > want <<'X'
User: /plan Never paint the doors of the attic.
Assistant: Shall I mend the roof of the house? (the user answered: "Yes, do that.")
User: Keep the old beams.
User: /plan
X
	diff want text
	messages "assistant:$(words 900)" "user:So?" >> in
	tool c1 run '{"command": "make roof"}' "$(words 60)" >> in
	messages "assistant:$(words 90)" "user:Go on." >> in
	ctx-prune --compact -k 1 -t 1 --pin 'the roof, too' in > out
	summary_of out | grep -qx "After the user's message \"Mend the roof, too.\" (complete below):"
}

@test "a summary has the commands of the user that are prompts or have arguments" {
	prompt() {
		printf 'user:<command-message>%s</command-message>\n<command-name>/%s</command-name>' "$1" "$1"
	}
	own() {
		printf 'user:<command-name>/%s</command-name>\n            <command-message>%s</command-message>\n            <command-args>%s</command-args>' "$1" "$1" "$2"
	}
	{
		messages "$(prompt pr)" "assistant:The door needs paint because it is old." \
		    "$(own clear '')" "$(own model fable)" \
		    "assistant:No response requested." \
		    "$(prompt review)"$'\n<command-args>the attic of the house</command-args>' \
		    "user:see /etc/door" "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text
	cat > want <<'X'
User: /pr
Assistant: The door needs paint because it is old.
User: /model fable
User: /review the attic of the house
User: see /etc/door
X
	diff want text
}

@test "a summary has what a command or another agent says in tags, without the tags" {
	{
		messages "user:<bash-input>make doors</bash-input>" \
		    "user:<bash-stdout>never told</bash-stdout>" \
		    $'user:<teammate-message teammate_id="lead" color="red">\nPaint the doors of the attic.\n</teammate-message>' \
		    "user:Is a < b, and where is <door id=1> used?" \
		    $'user:<system-reminder>never</system-reminder>\n<command-name>/clear</command-name>\n<command-args></command-args>' \
		    "user:Put it into <skill name>/door, and close that." \
		    "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text
	cat > want <<'X'
User: make doors
User: Paint the doors of the attic.
User: Is a < b, and where is <door id=1> used?
User: Put it into <skill name>/door, and close that.
X
	grep -v '^Names' text | diff want -
}

@test "a summary has what follows praise, and no members of objects that the user pasted" {
	{
		messages $'user:It fails:\n{\n  "message": "POST must not be used",\n  "level": "info"\n}\nWhy is that so?' \
		    $'assistant:Good news - no key is needed for any of the doors.\nPerfect! Great work.\nGreat, let me look at all of the doors now.\nPerfect! Now let me look at all of the windows.' \
		    "user:Fine, paint them." "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text
	cat > want <<'X'
User: Why is that so?
Assistant: Good news - no key is needed for any of the doors.
User: Fine, paint them.
X
	diff want text
}

@test "a text that only begins with a slash is no command" {
	{
		messages $'user:/mend the door of the attic, and\nnever the roof.\n<system-reminder>never</system-reminder>' \
		    "assistant:$(words 300)" "user:So?"
		tool c1 run '{"command": "make roof"}' "$(words 60)"
		messages "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text --pin 'door of the attic'
	grep -qx "After the user's message \"/mend the door of the attic, and\" (complete below):" text
}

@test "no text of a program is what the user's \"continue\" answers" {
	messages "user:Mend the doors of the house." \
	    "assistant:The first of the two doors is painted." \
	    "assistant:No response requested." "user:continue" \
	    "assistant:$(words 900)" "user:And now?" > in
	summary_text
	grep -qx 'Assistant: The first of the two doors is painted\. (the user answered: "continue")' text
	run ! grep 'No response' text
}

@test "short answers of the user are in a summary" {
	{
		messages "user:Book me a flight, please." \
		    "assistant:What kind of trip, which cabin, and how many bags?" \
		    $'user:1. One-way\n2. Economy\n3. It is just me who travels.' \
		    "assistant:$(words 900)" "user:Go on."
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 110 in > out
	sentences_of out > text
	grep -qx 'User: 1\. One-way' text
	grep -qx 'User: 2\. Economy' text
}

@test "of a long text of the user a summary has all headings and numbered items" {
	{
		jq -nc '{role: "user", content: ("Mend the doors of the house.\n" +
		    ([range(1; 7) | "## Part \(.):\n\nThe \(.). door is old, and it is red.\n" +
			"It was the \(.). of its kind.\n\n\(.). Paint the door number \(.)\n"] |
			join("")))}'
		messages "assistant:$(words 900)" "user:And now?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 260 in > out
	sentences_of out > text
	for i in 1 2 3 4 5 6; do
		grep -qx "User: ## Part $i:" text || fail "no heading $i: $(cat text)"
		grep -qx "User: $i. Paint the door number $i" text || fail "no item $i: $(cat text)"
	done
	[ "$(grep -c 'of its kind' text)" -lt 6 ]
}

@test "a summary does not announce what it does not have" {
	{
		messages "user:Look at the doors." \
		    $'assistant:Every door must be painted once with:\n\n```\npaint door\n```\nThe doors are old but not bad at all.\n| door | state |\n| --- | --- |\n| a | b |' \
		    "user:And the roof?" "assistant:$(words 900)" "user:And now?"
	} > in
	summary_text
	cat > want <<'X'
User: Look at the doors.
Assistant: Every door must be painted once with:
  paint door
  The doors are old but not bad at all.
User: And the roof?
X
	diff want text
	# Of a longer block of code the first line is told.
	sed 's/npaint door/n\\n  paint door\\npaint it again/' in > long
	mv in one
	mv long in
	summary_text
	grep -qx '  paint door \.\.\.' text
	mv one in
	# Without what follows.
	sed -i 's/paint door//; s/The doors are old but not bad at all[.]//' in
	summary_text
	grep -qx 'Assistant: Every door must be painted once with \.\.\.' text
	run ! grep '| door' text
}

@test "a later summary repeats the header of a table, and equal answers to questions" {
	end="to the archive of old files in the main store of the company?"
	yes="Yes, please do it as soon as you can, thanks."
	{
		messages "user:Mend the doors, please." \
		    $'assistant:| Door | Price |\n|---|---|\n| north | 12 | the hinge of this door was found to be broken |' \
		    "assistant:It works. Shall I move the doors $end" "user:$yes" \
		    "assistant:It is done. Shall I move the locks $end" "user:$yes" \
		    "assistant:$(words 900)" "user:and?"
	} > in
	for i in 1 2; do
		summary_text --summary-tokens 1000
		grep -A1 -x 'Assistant: | Door | Price |' text | grep -q '^  | north '
		grep -q 'move the doors .*(the user answered: "Yes' text
		grep -q 'move the locks .*(the user answered: "Yes' text
		{
			cat out
			messages "assistant:$(words 900)" "user:then $i?"
		} > in
	done
}

@test "a second table with the same header takes no row from the first" {
	table=$'| Door | Price |\n|---|---|\n'
	{
		messages "user:Mend the doors, please." \
		    "assistant:$table| north | 12 | the hinge of this door was found to be broken |"
		messages "assistant:$table| south | 15 | the lock of this door was found to be broken |"
		messages "user:so?" "assistant:$(words 900)" "user:and?"
	} > in
	summary_text --summary-tokens 1000
	grep -q '| north |' text
	grep -q '| south |' text
}

@test "a summary of a message with thousands of pieces of context needs little time" {
	for piece in 'x<skill></skill>' 'Called the <skill></skill>'; do
		printf "$piece%.0s" $(seq 40000) > large
		printf '%200000s' '' >> large
		{
			messages "user:Mend the doors, please."
			jq -Rsc '{role: "user", content: .}' large
			messages "assistant:$(words 900)" "user:and?"
		} > in
		timeout 10 ctx-prune --compact -k 1 -t 1 in > out
	done
}
