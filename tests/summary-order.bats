# ctx-prune -s summarize: what the assistant answered, and the order of the
# summary and of the messages that are kept

load helper
load summary

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
