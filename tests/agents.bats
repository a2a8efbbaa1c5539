# The recipes of ctx-agents.7, with hook input of the agents' real shapes.
#
# The samples in hooks/ have the members that these sources name (read on
# 2026-11-26):
# - Claude Code, members of every hook and PostToolUse:
#   code.claude.com/docs/en/hooks, as quoted in gabriel-dehan/claude_hooks#62
#   (2026-08-24), which also says that a replacement must have the shape of the
#   tool's output; output of Bash: anthropics/claude-code#19523 (2026-01-20);
#   versions that ignore the replacement: anthropics/claude-code#68951
#   (2026-06-17)
# - PreCompact: docs.claude-mem.ai/api-reference/hooks-api
# - statusLine: mintlify.com/chongdashu/cc-statusline/advanced/claude-code-json
# - Codex: openai/codex, codex-rs/hooks/src/legacy_notify.rs at 898cee38
# - Gemini CLI: google-gemini/gemini-cli, docs/hooks/reference.md at 06c0d810
# - opencode: anomalyco/opencode, packages/opencode/src/cli/cmd/session.ts at
#   01e4a7a5 and import.ts at 020ac73e

load helper

PAGE=$BATS_TEST_DIRNAME/../man/ctx-agents.7
HOOKS=$BATS_TEST_DIRNAME/hooks

# The displays of the page, each ended by a line with a form feed.
displays() {
	awk '/^\.Bd -literal/ { on = 1; next }
		/^\.Ed/ { on = 0; print "\f"; next }
		on { gsub(/\\e/, "\\"); print }' "$PAGE"
}

# Writes the script that the page calls $1 to a file of this name.
script() {
	displays | awk -v name="# $1:" -v RS='\f\n' \
	    'index($0, "#!/bin/sh\n" name) == 1' > "$1"
	[ -s "$1" ] || fail "ctx-agents.7 has no script $1"
	chmod +x "$1"
}

# Writes the commands of the display that contains $1, without their prompts.
commands() {
	displays | awk -v text="$1" -v RS='\f\n' 'index($0, text) > 0' |
		sed -n 's/^\$ //p; /^    /p' > script
	[ -s script ] || fail "ctx-agents.7 has no command $1"
}

# The sample conversation as a session of the agent $1, with the model $2.
session_of() {
	jq -sc --arg m "$2" '{model: $m, messages: .}' "$agent" |
		jq -c --arg to "$1" -f "$BATS_TEST_DIRNAME/rewrite.jq"
}

# Replaces program $1 by a script that writes its arguments to the file ran.
stand_in() {
	mkdir -p bin
	printf '#!/bin/sh\necho "%s $*" >> "%s/ran"\n%s\n' "$1" "$PWD" "${2:-}" \
	    > "bin/$1"
	chmod +x "bin/$1"
	PATH=$PWD/bin:$PATH
}

@test "Claude Code: a session is made smaller and resumed" {
	export HOME=$PWD
	mkdir -p .claude/projects/other my_work
	cd my_work
	project=$HOME/.claude/projects/$(pwd -P | tr -c 'a-zA-Z0-9\n' -)
	mkdir "$project"
	session_of claude-code claude-opus-4-8 > "$project/s-1.jsonl"
	# A newer session of another project is not resumed here.
	cp "$project/s-1.jsonl" "$HOME/.claude/projects/other/s-2.jsonl"
	touch -d tomorrow "$HOME/.claude/projects/other/s-2.jsonl"
	stand_in claude
	commands 'claude --resume'
	sh -e script
	[ "$(cat ran)" = "claude --resume s-1" ]
	[ "$(ctx-count --json "$project/s-1.jsonl" | jq .tokens)" -le 100000 ]
	session_of claude-code claude-opus-4-8 | cmp - "$project/s-1.jsonl.bak"
	# If the session could not be made smaller, it is not resumed.
	rm ran
	cp "$project/s-1.jsonl.bak" "$project/s-1.jsonl"
	run ! sh -e script
	[ ! -e ran ]
}

@test "Claude Code: the PostToolUse hook cuts long output and leaves the rest" {
	script cut-result
	jq '.tool_response.stdout = "é\n" * 9000' \
	    "$HOOKS/claude-post-tool-use.json" > long.json
	./cut-result < long.json > out
	jq -e '.hookSpecificOutput.hookEventName == "PostToolUse"' out
	jq -r .hookSpecificOutput.updatedToolOutput.stdout out > text
	[ "$(jq '.hookSpecificOutput.updatedToolOutput.stdout | length' out)" -le 8000 ]
	grep -q 'characters truncated' text
	# All other members are those of the tool's output.
	cmp <(jq -S '.tool_response | del(.stdout)' long.json) \
	    <(jq -S '.hookSpecificOutput.updatedToolOutput | del(.stdout)' out)
	run -0 ./cut-result < "$HOOKS/claude-post-tool-use.json"
	[ -z "$output" ]
	for response in '"text"' 'null' '{"filePath":"/p","success":true}'; do
		jq --argjson r "$response" '.tool_response = $r' long.json > in
		run -0 ./cut-result < in
		[ -z "$output" ]
	done
}

@test "Claude Code: the PreCompact hook copies the session" {
	script keep-session
	mkdir p
	session_of claude-code claude-opus-4-8 > p/s.jsonl
	jq --arg p "$PWD/p/s.jsonl" '.transcript_path = $p' \
	    "$HOOKS/claude-pre-compact.json" > in
	./keep-session < in
	cmp p/s.jsonl p/s.jsonl.[0-9]*
	grep -q "p/s.jsonl" p/compacted.txt
}

@test "Claude Code: the status line shows the tokens and the largest tool" {
	script ctx-status
	session_of claude-code claude-opus-4-8 > s.jsonl
	jq --arg p "$PWD/s.jsonl" '.transcript_path = $p' \
	    "$HOOKS/claude-status-line.json" > in
	run -0 ./ctx-status < in
	all=$(ctx-count --json s.jsonl | jq .tokens)
	[[ $output =~ ^$all\ tokens,\ run\ [0-9]+\ %$ ]]
	# A session without tools, and one that is not there yet.
	messages user:hi | jq -c '{type: "user", uuid: "u", parentUuid: null,
	    sessionId: "s", message: .}' > s.jsonl
	run -0 ./ctx-status < in
	[[ $output =~ ^[0-9]+\ tokens$ ]]
	rm s.jsonl
	run -0 ./ctx-status < in
	[ -z "$output" ]
}

@test "Codex: a session is made smaller and resumed, and notify reports a large one" {
	export HOME=$PWD
	unset CODEX_HOME
	id=$(jq -r '."thread-id"' "$HOOKS/codex-notify.json")
	mkdir -p .codex/sessions/2026/11/10
	rollout=.codex/sessions/2026/11/10/rollout-2026-11-10T09-00-07-$id.jsonl
	session_of codex gpt-5 > "$rollout"
	stand_in notify-send
	script codex-size
	./codex-size "$(cat "$HOOKS/codex-notify.json")"
	grep -q 'notify-send Codex ctx-count: .* tokens, over 100k' ran
	rm ran
	stand_in codex
	commands 'codex resume'
	sh -e script
	[ "$(cat ran)" = "codex resume $id" ]
	[ "$(ctx-count --json "$rollout" | jq .tokens)" -le 100000 ]
	./codex-size "$(cat "$HOOKS/codex-notify.json")"
	run ! grep -q notify-send ran
}

@test "Gemini CLI: a session is made smaller and resumed, and AfterTool cuts long output" {
	export HOME=$PWD
	mkdir -p .gemini/tmp/17e3/chats
	session=.gemini/tmp/17e3/chats/session-1.jsonl
	session_of gemini-cli gemini-2.5-pro > $session
	stand_in gemini
	commands 'gemini --resume'
	sh -e script
	[ "$(cat ran)" = "gemini --resume $(jq -r '.sessionId // empty' $session.bak)" ]
	[ "$(ctx-count --json $session | jq .tokens)" -le 100000 ]
	[ -s $session.bak ]
	script cut-gemini-result
	jq '.tool_response.llmContent = "abc\n" * 9000' \
	    "$HOOKS/gemini-after-tool.json" > long.json
	./cut-gemini-result < long.json > out
	jq -e '.decision == "deny" and (.reason | length) <= 8000 and
	    (.reason | test("characters truncated"))' out
	jq '.tool_response.llmContent = [{text: ("a" * 9000)}]' long.json > parts
	for in in parts "$HOOKS/gemini-after-tool.json"; do
		[ "$(./cut-gemini-result < "$in")" = '{}' ]
	done
}

@test "opencode: a session is exported, made smaller, deleted and imported" {
	session_of opencode gpt-5 > exported
	stand_in opencode "case \$1 in export) cat exported ;; esac
		case \"\$1 \$2\" in 'session list') cat '$HOOKS/opencode-session-list.json' ;; esac"
	commands 'opencode import'
	sh -e script
	[ "$(tail -n 2 ran)" = "opencode session delete ses_coding
opencode import smaller.json" ]
	cmp exported session.json
	[ "$(ctx-count --json smaller.json | jq .tokens)" -le 100000 ]
	# If it does not fit, the session is not deleted.
	rm ran
	sed -i 's/-b 100k/-b 1/' script
	run sh -e script
	run ! grep -q delete ran
}

@test "llm: its logs are counted, and its input is cut" {
	stand_in llm "if [ \"\$1\" = logs ]; then
		cat '$BATS_TEST_DIRNAME/corpus/llm-logs/tools.json'
	else
		cat > sent
	fi"
	commands 'llm logs'
	sh -e script | grep -q assistant
	stand_in git "cat '$agent'"
	commands 'llm -s'
	sh -e script
	[ "$(ctx-count --text --json sent | jq .tokens)" -le 8000 ]
	grep -q 'tokens truncated' sent
}

@test "ctx-agents.7: settings are JSON that names the scripts of the page" {
	local n=0
	displays | awk -v RS='\f\n' '/^\{"/ { gsub(/\n/, " "); print }' > settings
	while read -r line; do
		name=$(jq -r '[.. | .command? // empty][0]' <<< "$line")
		script "${name##*/}"
		n=$((n + 1))
	done < settings
	[ "$n" -eq 4 ]
	script codex-size
	grep -q codex-size "$PAGE"
}
