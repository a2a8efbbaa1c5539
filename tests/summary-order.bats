# ctx-prune -s summarize: what the assistant answered, and the order of the
# summary and of the messages that are kept

load helper
load summary

@test "a summary has numbered items, table rows and the end of an answer before its other sentences" {
	answer='The polish is fine but for the points below, as far as I see.
**A.** The name of the timer says less than the code does.
**B.** Two hosts pass although their names look alike.
  - Hidden below B, and useless without it.

| test | what is missing |
| --- | --- |
| #11 skew of the clock | nothing fails if the limit of 30 seconds goes |
We could also talk about the colours of the pages at length.
We could also talk about the sizes of the pages at length.
I would merge it as soon as the tests are there.'
	{
		messages "user:Review the polish." "assistant:$answer" \
		    "user:Mend A and B." "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 140 in > out
	sentences_of out > text
	grep -qx 'Assistant: \*\*A\.\*\* The name of the timer says less than the code does\.' text
	grep -qx 'Assistant: \*\*B\.\*\* Two hosts pass although their names look alike\.' text
	grep -A 1 -x 'Assistant: | test | what is missing |' text |
	    grep -q '^Assistant: | #11 skew of the clock |'
	grep -qx 'Assistant: I would merge it as soon as the tests are there\.' text
	run ! grep -e 'useless without' -e 'of the pages' -e '--- |' text
}

@test "of an answer that does not fit, a summary has the first items of its lists" {
	answer='These are the tools that may pass the trial of the winter:
- The hammer is the best of them all, and the oldest one.
- The second best is the saw with the long blade of steel.

**Tools that had better stay in the shed**
- The drill is far too loud for the house in the morning.
- The sander makes dust, which nobody in the house likes.

All in all the hammer is enough for what you want to do.'
	{
		messages "user:Which tools pass the trial?" "assistant:$answer" \
		    "user:Thanks a lot, and which of the boards are dry?" \
		    "assistant:$(words 900)" "user:and?"
	} > in
	first='- The hammer is the best' second='- The second best is'
	third='- The drill is far' fourth='- The sander makes'
	for b in $(seq 60 3 180); do
		ctx-prune -s summarize -k 1 -t 1 -b "$b" in > out 2> err || continue
		summary_of out > text
		# No item without the one before it, no heading without an item.
		if grep -q -e "$second" text; then
			grep -B 1 -e "$second" text | grep -q -e "$first"
			seen+=" 2"
		fi
		if grep -q -e "$fourth" text; then
			grep -B 1 -e "$fourth" text | grep -q -e "$third"
			seen+=" 4"
		fi
		if grep -q 'in the shed' text; then
			grep -A 1 'in the shed' text | grep -q -e "$third"
		fi
		if grep -q 'of the winter:$' text; then
			grep -A 1 'of the winter:$' text | grep -q -e "$first"
			grep -q -e "$second" text || seen+=" 1"
		fi
	done
	# There were summaries with one, two and four items.
	[[ $seen == *1* && $seen == *2* && $seen == *4* ]]
}

@test "a summary says which lines follow a kept message of the user" {
	{
		messages "user:Look at the attic."
		tool c1 run '{"command": "ls attic"}' "beam_71 $(words 900)"
		messages "user:Now mend the beam in the attic, with the oak boards from the shed, please."
		tool c2 run '{"command": "mend beam_71"}' "done_73 $(words 900)"
		messages "user:and?" "assistant:$(words 60)" "user:so?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 --pin 'oak boards' -b 480 in > out
	summary_of out > text
	mark="After the user's message \"Now mend the beam in the attic, with the oak boards from the...\" (complete below):"
	[ "$(grep -cxF "$mark" text)" -eq 1 ]
	[ "$(grep -nF 'Ran: ls attic' text | cut -d : -f 1)" -lt "$(grep -nxF "$mark" text | cut -d : -f 1)" ]
	[ "$(grep -nF 'Ran: mend beam_71' text | cut -d : -f 1)" -gt "$(grep -nxF "$mark" text | cut -d : -f 1)" ]
	# Nothing was removed after the last messages.
	[ "$(grep -c "^After the user's message" text)" -eq 1 ]
	# The line stays where it is in a later summary, as long as the message is
	# kept.
	{
		cat out
		messages "assistant:$(words 300)" "user:then?"
	} > more
	ctx-prune -s summarize -k 1 -t 1 --pin 'oak boards' -b 560 more > out
	summary_of out > text
	[ "$(grep -cxF "$mark" text)" -eq 1 ]
	[ "$(grep -nF 'Ran: ls attic' text | cut -d : -f 1)" -lt "$(grep -nxF "$mark" text | cut -d : -f 1)" ]
	[ "$(grep -nF 'Ran: mend beam_71' text | cut -d : -f 1)" -gt "$(grep -nxF "$mark" text | cut -d : -f 1)" ]
	ctx-prune -s summarize -k 1 -t 1 -b 200 more > out
	run ! grep "After the user's message" out
}

@test "of several kept messages in a row, the summary names only the last" {
	{
		messages "user:Pin the first of them." "user:Pin the second of them."
		tool c1 run '{"command": "make attic"}' "beam_71 roof_72 $(words 900)"
		messages $'user:<system-reminder>\nPin the third of them.\n</system-reminder>'
		tool c2 run '{"command": "make shed"}' "oak_73 $(words 900)"
		messages "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 --pin '^(<system-reminder>\s*)?Pin the' -b 420 in > out
	summary_of out | sed '1s/^\[Earlier conversation summary\]: //' > text
	[ "$(grep -c "^After the user's message" text)" -eq 1 ]
	grep -q "^After the user's message \"Pin the second of them.\" (complete below):" text
	# Calls that are told only at the end do not count.
	sed -i 's/make \(attic\|shed\)/ls \1/' in
	ctx-prune -s summarize -k 1 -t 1 --pin '^(<system-reminder>\s*)?Pin the' -b 420 in > out
	run ! grep "After the user's message" out
}

@test "a task that a kept call ends is told at the end of the summary" {
	{
		messages "user:Mend it."
		tool c1 TaskCreate '{"subject": "mend the beam"}' 'Task #1 created successfully: mend the beam'
		tool c2 run '{"command": "mend beam_71"}' "done_73 $(words 900)"
		tool c3 TaskUpdate '{"taskId": "1", "status": "completed"}' ok
		messages "user:so?"
	} > in
	ctx-prune -s summarize -k 3 -t 1 -b 140 in > out
	summary_of out > text
	[ "$(tail -n 1 text)" = 'Done: #1 mend the beam (see below)' ]
}

@test "list items before many blanks are read once" {
	# Searched to its end for each item, the text took minutes.
	{
		messages user:go
		{ seq -f '  - item %g' 40000; printf '%2000000s' ''; } |
		    jq -Rsc '{role: "assistant", content: .}'
		messages 'user:and?'
	} > in
	timeout 60 "$B/ctx-prune" -s summarize -k 1 -t 1 -b 3000 in > out
	[ -s out ]
}

@test "long lists of names, and calls that only read, are at the end of a summary" {
	long="lib/a.c lib/b.c lib/c.c lib/d.c lib/e.c lib/f.c lib/g.c lib/h.c lib/i.c"
	{
		messages $'user:Mend the reader of doors_v7.\nNever touch its table.'
		tool c1 run '{"command": "make check"}' "failed: $long"
		tool c2 read_file '{"path": "src/x.c"}' "include x_1.h $(words 40)"
		tool c3 run '{"command": "make doc"}' "page_9 $(words 40)"
		tool c5 Task '{"description": "inspect it"}' "beam_44"$'\n'"$(words 40 | tr ' ' '\n')"
		tool c4 run '{"command": "make all"}' "$(sed 's/[.]c/.o/g' <<< "$long") $(words 40)"
		messages "assistant:$(words 900)" "user:Go on."
	} > in
	ctx-prune --compact -k 1 -t 1 in > out
	summary_of out | sed '1s/^.*summary\]: //' > text
	cat > want <<X
User: Mend the reader of doors_v7.
  Never touch its table.
Ran: make check -> failed: $long
Ran: make doc
  page_9
Called: Task inspect it
  beam_44
Ran: make all [1]
Names in removed messages:
[1] $(sed 's/[.]c/.o/g; s/ /, /g' <<< "$long")
Called: read_file src/x.c
  x_1.h
X
	diff want text
	# A later run reads each list as that of its call, and sentences as
	# those of their message.
	{
		cat out
		messages "assistant:$(words 900)" "user:And now?"
	} > more
	ctx-prune --compact -k 1 -t 1 more > out
	summary_of out | sed '1s/^.*summary\]: //' | grep -v '^After' | diff want -
}

@test "a summary has what long texts in the middle of the work tell, unless there are many" {
	work() { # REPORTS: as many texts before some of 12 calls
		local rooms=(attic cellar kitchen stable tower garden
		    chapel library pantry hall nursery study)
		messages "user:Look at all of the doors of the house."
		for i in $(seq 12); do
			[ "$i" -gt "$1" ] || messages "assistant:As I see, there is a green door in the ${rooms[i - 1]}."$'\n'"As I see, there is a red window in the ${rooms[i - 1]}."$'\n'"As I see, there is a blue roof over the ${rooms[i - 1]}."
			tool "c$i" run "{\"command\": \"look at door $i\"}" "It is there, door $i"
		done
		messages "assistant:All of the doors are closed by now." "user:And?" \
		    "assistant:$(words 900)" "user:And now?"
	}
	work 2 > in
	summary_text --summary-tokens 240
	[ "$(grep -c 'As I see' text)" -eq 6 ] || fail "$(cat text)"
	work 12 > in
	summary_text --summary-tokens 240
	[ "$(grep -c 'As I see' text)" -lt 6 ] || fail "$(cat text)"
	grep -q 'All of the doors are closed by now' text
}

@test "a summary has the option that the user chose by its letter or number" {
	offer='There are several ways to close the doors of the house:
- **A. By hand**, which takes a day in all of the rooms.
- **B. By a spring**, which costs more than the door itself.
- **C. By the wind**, which works in winter only.
We could also talk about the colours of the doors at length.
We could also talk about the sizes of the doors at length.
Which of these do you want to have?'
	for choice in C C. c No.; do
		messages "user:Close the doors." "assistant:$offer" "user:$choice" \
		    "assistant:$(words 900)" "user:and?" > in
		ctx-prune -s summarize -k 1 -t 1 -b 110 in > out
		sentences_of out > text
		if [ "$choice" = No. ]; then
			run ! grep 'By the wind' text
		else
			grep -qx 'Assistant: - \*\*C\. By the wind\*\*, which works in winter only\.' text
		fi
	done
}

@test "a summary has the first sentence of each message of the user before other sentences" {
	{
		messages "user:Look at the doors of the house."
		for i in attic cellar kitchen stable; do
			messages "user:What about the $i of the house? You must never forget the $i, because it should be kept clean." \
			    "assistant:It is clean."
		done
		messages "assistant:$(words 900)" "user:and?"
	} > in
	ctx-prune -s summarize -k 1 -t 1 -b 130 in > out
	sentences_of out > text
	[ "$(grep -c '^User: What about' text)" -eq 4 ] || fail "$(cat text)"
	[ "$(grep -c '^User: You must' text)" -lt 4 ] || fail "$(cat text)"
}

@test "if there are many calls for each answer, a summary has more of what the assistant said, and fewer names" {
	local rooms=(attic cellar kitchen stable tower garden chapel library)
	work() { # CALLS: each with many names; before each the text of its room
		messages "user:Look at all of the doors of the house."
		for i in $(seq "$1"); do
			[ -z "$said" ] || messages "assistant:$said the ${rooms[i - 1]}."
			tool "c$i" run "{\"command\": \"look at door $i\"}" \
			    "$(printf "src/door_${i}_%s.c " $(seq 40))"
		done
		messages "assistant:$answer" "user:And?" "assistant:$(words 900)" "user:And now?"
	}
	told() { # TEXT TOKENS: in how many lines a summary of TOKENS has TEXT
		summary_text --summary-tokens "$2"
		grep -c "$1" text || true
	}
	said='' answer=$(printf 'The door of the %s is open, and nobody is there.\n' "${rooms[@]}")
	work 3 > in
	few=$(told 'is open, and nobody' 250)
	work 8 > in
	[ "$(told 'is open, and nobody' 250)" -gt "$few" ] || fail "$few, and $(cat text)"
	# If the answer is short, other sentences of the assistant.
	said='There is a green door in' answer='All of the doors are open, as far as I see.'
	work 8 > in
	[ "$(told "$said" 400)" -ge 3 ] || fail "$(cat text)"
}
