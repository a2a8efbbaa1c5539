# transcripts.bash - what the bats files about transcripts of agents share

AGENTS="claude-code claude-stream codex copilot-cli gemini-cli pi"

live() { # DIALECT FILE
	jq -sc --arg dialect "$1" -f "$BATS_TEST_DIRNAME/live.jq" "$2"
}

counted() { # FILE
	ctx-count --per message --json "$1" | jq -sc 'map(.line)'
}

# Calls "$@" DIALECT FILE for every file of the corpus.
every_file() {
	local d f
	for d in $AGENTS; do
		for f in "$BATS_TEST_DIRNAME"/corpus/"$d"/*.jsonl; do
			echo "# $d $f"
			"$@" "$d" "$f"
		done
	done
}

# A random transcript: awk program DIALECT, seed, lines.
random() {
	awk -v seed="$2" -v n="$3" '
	function r(k) { return int(rand() * k) }
	function id(i) { return sprintf("\"%08x\"", i * 7919 + 17) }
	function some() { return r(12) == 0 ? "null" : id(r(12) ? r(i) : 9999) }
	function up() { return i && r(5) ? id(i - 1) : i ? some() : "null" }
	function text() { return "\"text " r(1000) "\"" }
	# An attachment that is sent, or one that is not.
	function attachment(   t) {
		t = r(5)
		printf ",\"type\":\"attachment\",\"attachment\":{\"type\":\"%s\"", t < 2 ? "queued_command" : "hook_success"
		printf "%s}", t < 2 ? ",\"prompt\":" text() : ""
		printf "%s}\n", t == 0 || t == 2 ? ",\"rendered\":[{\"content\":" text() "}]" : t == 3 ? ",\"rendered\":[]" : ""
	}
	function claude(   t, p) {
		p = up()
		t = r(9)
		printf "{\"parentUuid\":%s,\"uuid\":%s,\"sessionId\":\"s\"", p, id(i)
		if (!r(12)) printf ",\"isSidechain\":true"
		if (!r(12)) printf ",\"isMeta\":true"
		if (!r(30)) printf ",\"isApiErrorMessage\":true"
		if (t < 5 && (p in open)) {
			printf ",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":%s,\"content\":%s}]}}\n", p, text()
			delete open[p]
		} else if (t < 3)
			printf ",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":%s}}\n", text()
		else if (t < 7) {
			said += r(3) == 0
			if (!r(4)) {
				printf ",\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"id\":\"m%d\",\"content\":[{\"type\":\"thinking\",\"thinking\":%s}]}}\n", said, text()
				return
			}
			open[id(i)]
			printf ",\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"id\":\"m%d\",\"content\":[{\"type\":\"tool_use\",\"id\":%s,\"name\":\"f\",\"input\":{}}]}}\n", said, id(i)
		} else if (r(2))
			attachment()
		else
			printf ",\"type\":\"%s\"}\n", r(2) ? "progress" : "system"
	}
	function pi(   t) {
		t = r(14)
		printf "{\"id\":%s,\"parentId\":%s,\"timestamp\":\"t\"", id(i), up()
		if (t < 11)
			printf ",\"type\":\"message\",\"message\":{\"role\":\"%s\",\"content\":%s%s}}\n", t < 6 ? "user" : "assistant", text(), t == 10 ? ",\"stopReason\":\"error\"" : ""
		else if (t == 11)
			printf ",\"type\":\"compaction\",\"summary\":%s,\"firstKeptEntryId\":%s}\n", text(), id(r(i))
		else
			printf ",\"type\":\"%s\"}\n", t == 12 ? "label" : "model_change"
	}
	function gemini(   t) {
		t = r(16)
		if (t == 0)
			printf "{\"$rewindTo\":%s}\n", some() == "null" ? "\"no\"" : id(r(i))
		else if (t == 1)
			printf "{\"$set\":{\"lastUpdated\":%s}}\n", text()
		else if (t == 2 && !r(3))
			printf "{\"$set\":{\"messages\":[{\"id\":\"k\",\"type\":\"user\",\"content\":%s}]}}\n", text()
		else
			printf "{\"id\":%s,\"timestamp\":\"t\",\"type\":\"%s\",\"content\":[{\"text\":%s}]}\n", id(r(5) ? i : r(i)), t < 8 ? "user" : t < 15 ? "gemini" : "info", text()
	}
	function codex(   t) {
		t = r(16)
		printf "{\"timestamp\":\"t\",\"type\":\"%s\",\"payload\":", t < 13 ? "response_item" : t < 15 ? "event_msg" : "compacted"
		if (t < 5)
			printf "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":%s}]}}\n", r(4) ? text() : "\"<environment_context>x\""
		else if (t < 13)
			printf "{\"type\":\"message\",\"role\":\"%s\",\"content\":[{\"type\":\"%s_text\",\"text\":%s}]}}\n", t < 11 ? "assistant" : "developer", t < 11 ? "output" : "input", text()
		else if (t < 15)
			printf "{\"type\":\"thread_rolled_back\",\"num_turns\":%d}}\n", r(3)
		else if (!r(3))
			printf "{\"message\":\"\",\"replacement_history\":[]}}\n"
		else
			printf "{\"message\":%s}}\n", text()
	}
	BEGIN {
		srand(seed)
		if ("'"$1"'" == "pi")
			print "{\"type\":\"session\",\"id\":\"s\",\"cwd\":\"/\"}"
		for (i = 0; i < n; i++)
			if ("'"$1"'" == "claude-code") claude()
			else if ("'"$1"'" == "pi") pi()
			else if ("'"$1"'" == "codex") codex()
			else gemini()
	}' < /dev/null
}

# A line of Claude Code: type, id, parent as JSON, text.
claude_line() {
	printf '{"type":"%s","uuid":"%s","parentUuid":%s,"sessionId":"s","message":{"role":"%s","content":"%s"}}\n' \
	    "$1" "$2" "$3" "$1" "$4"
}
