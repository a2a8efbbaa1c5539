# The recipes of ctx-agents.7 and their scripts, with hook input of the agents' real shapes.
#
# The samples in hooks/ have the members that these sources name (read on
# 2026-11-26):
# - Claude Code, members of every hook and PostToolUse:
#   code.claude.com/docs/en/hooks, as quoted in gabriel-dehan/claude_hooks#62
#   (2026-08-24), which also says that a replacement must have the shape of the
#   tool's output; outputs of the tools: sdk-tools.d.ts of
#   @anthropic-ai/claude-agent-sdk 0.3.332 (Claude Code 2.1.332), whose sdk.d.ts
#   says that updatedToolOutput works for all tools; versions that ignore the
#   replacement: anthropics/claude-code#68951 (2026-06-17)
# - PreCompact: sdk.d.ts of the same package (PreCompactHookInput)
# - statusLine: mintlify.com/chongdashu/cc-statusline/advanced/claude-code-json
# - Codex: openai/codex, codex-rs/hooks/src/legacy_notify.rs at 898cee38
# - Gemini CLI: google-gemini/gemini-cli, docs/hooks/reference.md at 06c0d810
# - opencode: anomalyco/opencode, packages/opencode/src/cli/cmd/session.ts at
#   01e4a7a5 and import.ts at 020ac73e

load helper

PAGE=$BATS_TEST_DIRNAME/../man/ctx-agents.7
EXAMPLES=$BATS_TEST_DIRNAME/../man/examples
HOOKS=$BATS_TEST_DIRNAME/hooks

# The displays of the page, each ended by a line with a form feed.
displays() {
	awk '/^\.Bd -literal/ { on = 1; next }
		/^\.Ed/ { on = 0; print "\f"; next }
		on { gsub(/\\e/, "\\"); print }' "$PAGE"
}

# Copies the script $1, which the page names, from the examples.
script() {
	grep -q "^\.It Pa $1 " "$PAGE" || fail "ctx-agents.7 has no script $1"
	cp "$EXAMPLES/$1" .
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

# Prints the hook input for the tool $1 with the response $2, a jq expression.
post_tool_use() {
	jq --arg tool "$1" ".tool_name = \$tool | .tool_response = ($2)" \
	    "$HOOKS/claude-post-tool-use.json"
}

@test "Claude Code: the PostToolUse hook cuts each long text of a result and leaves the rest" {
	script cut-result
	# Tool, its response with the text "long", and the path of the text.
	while IFS='|' read -r tool response path; do
		post_tool_use "$tool" '("é\n" * 9000) as $long | '"$response" > in
		./cut-result < in > out
		jq -e '.hookSpecificOutput.hookEventName == "PostToolUse"' out
		jq .hookSpecificOutput.updatedToolOutput out > new
		jq -e "($path | length <= 8000 and test(\"characters truncated\"))" new ||
			fail "$tool: $path is not cut"
		# All other members are those of the tool's output.
		cmp <(jq -S ".tool_response | $path = 0" in) <(jq -S "$path = 0" new)
	done <<-'END'
	Bash|{stdout: $long, stderr: "no\n", interrupted: false, isImage: false}|.stdout
	Bash|{stdout: "", stderr: $long, interrupted: false}|.stderr
	Read|{type: "text", file: {filePath: "/p", content: $long, numLines: 9000, startLine: 1, totalLines: 9000}}|.file.content
	Grep|{mode: "content", numFiles: 0, filenames: [], content: $long, numLines: 9000}|.content
	WebFetch|{bytes: 27000, code: 200, codeText: "OK", result: $long, durationMs: 9, url: "https://a.b"}|.result
	mcp__db__query|[{type: "text", text: "short"}, {type: "text", text: $long}]|.[1].text
	mcp__db__query|$long|.
	END
	# The lines that are left of a file are its first: their numbers are right.
	post_tool_use Read '{type: "text", file: {filePath: "/p",
	    content: ([range(9000)] | join("\n")), startLine: 1}}' > in
	./cut-result < in |
		jq -r .hookSpecificOutput.updatedToolOutput.file.content > text
	head -n 1000 text | cmp - <(seq 0 999)
	run ! grep -qx 8999 text
}

@test "Claude Code: the PostToolUse hook changes no short text and no image" {
	script cut-result
	while IFS='|' read -r tool response; do
		post_tool_use "$tool" '("QUJD" * 9000) as $long | '"$response" > in
		run -0 --separate-stderr ./cut-result < in
		[ -z "$output" ] || fail "$tool $response: $output"
	done <<-'END'
	Bash|.tool_response
	Bash|{stdout: $long, stderr: "", interrupted: false, isImage: true}
	Read|{type: "image", file: {base64: $long, type: "image/png", originalSize: 27000}}
	mcp__shot__take|[{type: "image", data: $long, mimeType: "image/png"}]
	Bash|null
	Bash|"text"
	Edit|{filePath: "/p", oldString: $long}
	END
}

@test "hooks: without ctx in PATH, or with broken input, a tool result is not changed" {
	script cut-result
	script cut-gemini-result
	post_tool_use Bash '{stdout: ("a\n" * 9000), stderr: ""}' > long.json
	jq '.tool_response.llmContent = "abc\n" * 9000' \
	    "$HOOKS/gemini-after-tool.json" > gemini.json
	mkdir tools
	for tool in sh jq cat; do
		ln -s "$(command -v $tool)" tools
	done
	run -0 --separate-stderr env PATH="$PWD/tools" ./cut-result < long.json
	[ -z "$output" ]
	run -0 --separate-stderr env PATH="$PWD/tools" ./cut-gemini-result < gemini.json
	[ "$output" = '{}' ]
	# Nor if ctx-truncate is interrupted.
	printf '#!/bin/sh\nhead -c 100\nexit 2\n' > tools/ctx-truncate
	chmod +x tools/ctx-truncate
	ln -s "$(command -v head)" tools
	run -0 --separate-stderr env PATH="$PWD/tools" ./cut-result < long.json
	[ -z "$output" ]
	run -0 --separate-stderr env PATH="$PWD/tools" ./cut-gemini-result < gemini.json
	[ "$output" = '{}' ]
	head -c 9000 long.json > broken.json
	run -0 --separate-stderr ./cut-result < broken.json
	[ -z "$output" ]
	run -0 --separate-stderr ./cut-gemini-result < broken.json
	[ "$output" = '{}' ]
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
	# A session that cannot be counted is compacted as well.
	printf '{"type"' >> p/s.jsonl
	run -0 ./keep-session < in
	rm p/s.jsonl
	run -0 ./keep-session < in
}

@test "Claude Code: the status line shows the tokens and the largest tool" {
	script ctx-status
	session_of claude-code claude-opus-4-8 > s.jsonl
	jq --arg p "$PWD/s.jsonl" '.transcript_path = $p' \
	    "$HOOKS/claude-status-line.json" > in
	run -0 ./ctx-status < in
	all=$(ctx-count --json s.jsonl | jq .tokens)
	[[ $output =~ ^$all\ tokens,\ run\ [0-9]+\ %$ ]]
	# The last line is not complete while the agent writes it.
	printf '{"type":"assis' >> s.jsonl
	run -0 --separate-stderr ./ctx-status < in
	[[ $output =~ ^$all\ tokens,\ run\ [0-9]+\ %$ ]]
	printf '{"type":"assis' > s.jsonl
	run -0 --separate-stderr ./ctx-status < in
	[ -z "$output" ]
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
	stand_in git "cat '$agent'"
	commands 'llm logs'
	sh -e script | grep -q assistant
	[ "$(ctx-count --text --json sent | jq .tokens)" -le 8000 ]
	grep -q 'tokens truncated' sent
}

@test "examples: the settings are JSON that names scripts of ctx-agents.7" {
	local settings command n=0
	for settings in "$EXAMPLES"/*-settings.json; do
		grep -q "${settings##*/}" "$PAGE"
		for command in $(jq -r '.. | .command? // empty' "$settings"); do
			script "${command##*/}"
			[ -x "${command##*/}" ]
			n=$((n + 1))
		done
	done
	[ "$n" -eq 4 ]
	script codex-size
	grep -q '/codex-size\\(dq' "$PAGE"
}
