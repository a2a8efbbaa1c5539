# gen.awk - a conversation with marked evidence and its question at the end
#
#   awk -f gen.awk -v kind=dialogue -v seed=N -v ask=N talk facts
#   awk -f gen.awk -v kind=plain -v seed=N -v ask=N talk facts
#   awk -f gen.awk -v kind=agent -v seed=N -v ask=N talk work
#
# The seed makes the conversation, ask is the number of the fact that the
# question is about.  If this conversation does not mention that fact, or a
# plain question is wanted and none is known, nothing is printed.  In a
# dialogue two people talk in sessions; each fact is said once, by one of them,
# and its topic comes up elsewhere, too.  Even seeds write names as a prefix, odd
# ones as a member.

function random(n) {
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * n)
}

function one_of(list, n) {
	return list[random(n)]
}

function fill(text, topic) {
	gsub(/\{A\}/, names[who], text)
	gsub(/\{B\}/, names[1 - who], text)
	gsub(/\{T\}/, topic, text)
	return text
}

function quoted(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	gsub(/\n/, "\\n", text)
	return "\"" text "\""
}

# The next message is of the other person, save for some that add a word.
function say(text, evidence) {
	if (seed % 2)
		printf "{\"role\":\"%s\",\"name\":%s,\"content\":%s", \
		    who ? "assistant" : "user", quoted(names[who]), quoted(text)
	else
		printf "{\"role\":\"%s\",\"content\":%s", \
		    who ? "assistant" : "user", quoted(names[who] ": " text)
	print (evidence ? ",\"evidence\":true}" : "}")
	who = 1 - who
	if (random(25) == 0)
		who = 1 - who
}

function chatter(n) {
	for (; n > 0; n--)
		say(fill(one_of(talk, talks)))
}

# Talks about a topic without the fact.
function stray() {
	chatter(random(2))
	say(fill(one_of(about, abouts), topic[random(facts)]))
	chatter(random(2))
}

function speaker_of(i) {
	return int(i / 2) % 2
}

function tell(i, speaker,   parts, n, k) {
	if (before[i] != "") {
		who = 1 - speaker
		say(fill(before[i]))
	}
	n = split(fact[i], parts, / *\/\/ */)
	for (k = 1; k <= n; k++) {
		who = speaker
		say(fill(parts[k]), i == wanted)
		who = 1 - speaker
		if (k < n)
			say(fill(one_of(talk, talks)))
	}
	say(fill(answer[i]))
}

function dialogue(   per, told, s, i, j, sessions, speaker, asked, q, m, parts) {
	split("Caroline Tobias Priya Marek Joana Evan Lucia Henrik Nadia " \
	    "Oliver Yasmin Peter", list, " ")
	names[0] = list[seed % 12 + 1]
	names[1] = list[(seed * 5 + 3) % 12 + 1]
	if (names[0] == names[1])
		names[1] = "Sam"
	sessions = 8 + random(8)
	per = int((tells + sessions - 1) / sessions)
	for (s = told = 0; s < sessions; s++) {
		who = random(2)
		if (seed % 3 == 0)
			say("It is " (1 + random(28)) " " \
			    one_of(months, 12) " already. " fill(talk[0]))
		chatter(3 + random(4))
		for (j = 0; j < per && told < tells; j++) {
			speaker = speaker_of(order[told])
			tell(order[told++], speaker)
			chatter(1 + random(5))
			if (random(3) == 0)
				stray()
		}
		chatter(2 + random(3))
	}
	who = speaker_of(wanted)
	m = split(question[wanted], parts, /\/\//)
	q = fill(parts[seed % m + 1])
	if (kind == "dialogue" && seed % 4 > 1)
		q = "About the " topic[wanted] ": " q
	who = 0
	printf "{\"role\":\"user\",\"content\":%s}\n", quoted(q)
}

function call(command, output, evidence) {
	calls++
	printf "{\"role\":\"assistant\",\"content\":%s,\"tool_calls\":[{\"id\":" \
	    "\"call_%d\",\"type\":\"function\",\"function\":{\"name\":%s," \
	    "\"arguments\":%s}}]}\n", \
	    random(3) ? "null" : quoted(one_of(remarks, n_remarks)), calls, \
	    command ~ / / ? "\"run\"" : "\"read_file\"", \
	    quoted("{\"" (command ~ / / ? "command" : "path") "\":\"" command "\"}")
	printf "{\"role\":\"tool\",\"tool_call_id\":\"call_%d\",\"content\":%s%s}\n", \
	    calls, quoted(output), evidence ? ",\"evidence\":true" : ""
}

# A file speaks of a few things, and of the first of them most.
function thing() {
	return nouns[(subject + int(random(16) * random(16) / 16)) % n_nouns]
}

function lines(n,   text) {
	subject = random(n_nouns)
	for (; n > 0; n--)
		text = text one_of(verbs, n_verbs) "_" thing() \
		    "(" thing() ", " random(500) "); // " \
		    thing() " " one_of(verbs, n_verbs) "\n"
	return text
}

function noise(n) {
	for (; n > 0; n--)
		call(random(2) ? "src/" one_of(nouns, n_nouns) "." \
		    one_of(nouns, n_nouns) ".c" : "grep -n " \
		    one_of(nouns, n_nouns) " src", lines(2 + random(20)))
}

function words(text, list,   i, n, parts) {
	n = split(text, parts, " ")
	for (i = 0; i < n; i++)
		list[i] = parts[i + 1]
	return n
}

function agent(   i, f) {
	n_nouns = words("pool port redis test rounding line commit order lock " \
	    "column locale disk version export token minutes pod directory " \
	    "owner read upload table index image library retry delay error " \
	    "checkout process queue signature name bitmap request spec parser " \
	    "flag backup customer format user session cache page row " \
	    "widget menu frame button mouse cursor window theme font colour " \
	    "border margin layer canvas sprite shader mesh camera light scene " \
	    "sound track volume pitch tempo chord sample filter echo mixer " \
	    "street route bridge tunnel station ticket seat driver wagon rail " \
	    "plant leaf root seed stem bloom soil water weather season " \
	    "invoice tax ledger account branch teller coin salary budget loan", \
	    nouns)
	n_verbs = words("open use fail revert set fill wait expire crash find " \
	    "scan pin miss reject enable build decide sign rename prefer " \
	    "measure parse keep write call finish support check load", verbs)
	n_remarks = split("Let me look at the next file.|I check where it " \
	    "is used.|The test still fails, reading on.|Now the database " \
	    "side.|One more look at the error.", parts, "|")
	for (i = 1; i <= n_remarks; i++)
		remarks[i - 1] = parts[i]
	print "{\"role\":\"system\",\"content\":\"You are a coding agent.\"}"
	print "{\"role\":\"user\",\"content\":\"Please find out why the " \
	    "nightly job fails and mend it.\"}"
	for (i = 0; i < tells; i++) {
		f = order[i]
		noise(3 + random(6))
		if (where[f] == "result")
			call(file[f], lines(random(8)) fact[f] "\n" \
			    lines(random(8)), f == wanted)
		else
			printf "{\"role\":\"%s\",\"content\":%s%s}\n", \
			    where[f], quoted(fact[f]), \
			    f == wanted ? ",\"evidence\":true" : ""
		if (random(4) == 0)
			printf "{\"role\":\"user\",\"content\":%s}\n", \
			    quoted("Good, go on with the " \
			    one_of(nouns, n_nouns) ".")
	}
	noise(4)
	print "{\"role\":\"assistant\",\"content\":\"That is all for now.\"}"
	printf "{\"role\":\"user\",\"content\":%s}\n", quoted(question[wanted])
}

BEGIN {
	FS = "|"
	words("January February March April May June July August September " \
	    "October November December", months)
}
/^#/ { next }
FILENAME ~ /talk$/ {
	if (/^@/)
		about[abouts++] = substr($0, 2)
	else
		talk[talks++] = $0
	next
}
{
	fact[facts] = $3
	if (kind == "agent") {
		where[facts] = $1
		file[facts] = $2
		question[facts] = $4
	} else {
		topic[facts] = $1
		before[facts] = $2
		answer[facts] = $4
		question[facts] = kind == "plain" ? $6 : $5
	}
	facts++
}
END {
	state = seed * 7919 + 17
	for (i = 0; i < 10; i++)
		random(2)
	for (i = 0; i < facts; i++)
		order[i] = i
	for (i = facts - 1; i > 0; i--) {
		j = random(i + 1)
		k = order[i]
		order[i] = order[j]
		order[j] = k
	}
	tells = kind == "agent" ? facts : 46
	wanted = ask
	for (i = 0; i < tells && order[i] != wanted; i++)
		;
	if (i == tells || question[wanted] == "")
		exit
	if (kind == "agent")
		agent()
	else
		dialogue()
}
