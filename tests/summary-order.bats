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
	summary_of out > text
	grep -qx 'Assistant: \*\*A\.\*\* The name of the timer says less than the code does\.' text
	grep -qx 'Assistant: \*\*B\.\*\* Two hosts pass although their names look alike\.' text
	grep -q '^Assistant: | #11 skew of the clock |' text
	grep -qx 'Assistant: I would merge it as soon as the tests are there\.' text
	run ! grep -e 'useless without' -e 'of the pages' -e 'what is missing' -e '--- |' text
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
