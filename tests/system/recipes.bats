# The recipes of ctx.7, and the examples that it names, beside other tools.

load helper

# Puts what the recipes read into place.
setup_recipes() {
	mkdir fixtures
	cp "$agent" agent.jsonl
	cp "$chat" fixtures/chat.jsonl
	printf '#!/bin/sh\nhead -n 40 > seen\n' > watcher
	# Stand-ins for programs that ask a model.
	mkdir bin
	printf '#!/bin/sh\necho "summary by %s $*"; cat > /dev/null\n' ollama \
	    > bin/ollama
	printf '#!/bin/sh\necho "summary by %s $*"; cat > /dev/null\n' llm \
	    > bin/llm
	chmod +x watcher bin/*
	PATH=$PWD/bin:$PATH
}

# The commands that ctx.7 shows under WITH OTHER PROGRAMS after the line that contains
# $1, as a script.
recipe() {
	awk -v name="$1" '
		/^\.Sh/ { inside = $2 == "WITH" }
		inside && index($0, name) { on = 1; next }
		on && /^\.Bd/ { block = 1; next }
		on && /^\.Ed/ { exit }
		block { sub(/^\$ /, ""); gsub(/\\e/, "\\"); print }' \
	    "$ROOT/man/ctx.7" > script
	[ -s script ] || fail "ctx.7 has no recipe $1"
}

# Copies the file $1, which ctx.7 names, from the examples.
example() {
	grep -q "^\.It Pa $1\$" "$ROOT/man/ctx.7" || fail "ctx.7 has no file $1"
	cp "$ROOT/man/examples/$1" .
}

# Writes a command of ctx-prune with the arguments $2, and with the option of
# ctx.7 that contains $1.
prune_command() {
	sed -n "s/^--[a-z]* .*$1.*/ctx-prune $2 &/p" "$ROOT/man/ctx.7" > script
	[ -s script ] || fail "ctx.7 has no command $1"
}

@test "tail -f: records are written while the file is open" {
	setup_recipes
	recipe 'while it grows'
	timeout 20 sh script &
	for _ in $(seq 100); do
		[ -s seen ] && [ "$(wc -l < seen)" -eq 40 ] && break
		sleep 0.1
	done
	ctx-truncate agent.jsonl | head -n 40 | cmp - seen
	kill %1
	pkill -P $! || true
}

# Creates a repository with the hook of the recipe.
setup_hook() {
	setup_recipes
	git init -q .
	git config user.email a@b
	git config user.name a
	example pre-commit
	mv pre-commit .git/hooks
}

@test "git: the hook refuses a commit with a file over the limit" {
	setup_hook
	git add fixtures/chat.jsonl
	git commit -qm small
	cp agent.jsonl fixtures
	git add fixtures
	run ! git commit -qm large
	[[ $output == *"commit refused: fixtures/agent.jsonl is too long"* ]]
	[ "$(git log --oneline | wc -l)" -eq 1 ]
	# What is committed counts, whatever the working tree has by now.
	cp fixtures/chat.jsonl fixtures/agent.jsonl
	run ! git commit -qm "large still"
	"$B/ctx-prune" -b 1 fixtures/chat.jsonl > little || true
	cat fixtures/chat.jsonl little > "fixtures/a b.jsonl"
	for _ in $(seq 200); do cat little; done > fixtures/agent.jsonl
	# Other files are not counted.
	git add fixtures agent.jsonl
	git commit -qm small
	[ "$(git log --oneline | wc -l)" -eq 2 ]
}

@test "git: the hook refuses a commit with a file that it cannot count" {
	setup_hook
	for text in '{"role": "user", "content' '{"name": "no messages"}'; do
		echo "$text" > fixtures/broken.jsonl
		git add fixtures/broken.jsonl
		run ! git commit -qm broken
		[[ $output == *"commit refused: fixtures/broken.jsonl is"* ]]
	done
	git rm -qf fixtures/broken.jsonl
	git add fixtures
	mkdir tools
	for tool in git sh xargs; do
		ln -s "$(command -v $tool)" tools
	done
	run ! env PATH="$PWD/tools" git commit -qm uncounted
	[[ $output == *"commit refused: fixtures/chat.jsonl is"* ]]
	git commit -qm counted
}

# Runs the steps of the workflow in the file ctx.yml, as a runner of GitHub does.
run_workflow() {
	export GITHUB_PATH=$PWD/path
	: > path
	python3 - <<-'END'
	import os, subprocess, sys, yaml
	[job] = yaml.safe_load(open("ctx.yml"))["jobs"].values()
	for step in job["steps"]:
	    if "run" in step:
	        env = dict(os.environ, **job["env"])
	        for line in open(os.environ["GITHUB_PATH"]):
	            env["PATH"] = line.strip() + ":" + env["PATH"]
	        status = subprocess.call(["bash", "-e", "-c", step["run"]], env=env)
	        if status != 0:
	            sys.exit(status)
	END
}

@test "CI: the workflow of GitHub prints an error line for each finding" {
	setup_recipes
	example ctx.yml
	# An archive as that of make dist-static, but with installed commands.
	mkdir ci
	tar -czf ci/ctx.tar.gz -C "${PREFIX%/*}" usr/bin usr/lib usr/share/ctx
	run -0 run_workflow
	[[ $output != *'::error'* ]]
	[ -x ctx/bin/ctx-count ]
	rm -r ctx
	tail -n +5 agent.jsonl > fixtures/broken.jsonl
	run -1 run_workflow
	[[ $output == *'::error file=fixtures/broken.jsonl,line=1::orphan-result: '* ]]
	rm -r ctx
	mv agent.jsonl fixtures/broken.jsonl
	run -1 run_workflow
	[[ $output == *'::error file=fixtures/broken.jsonl::110k tokens, over 70 %25 of 128k'* ]]
}

@test "ollama and llm write summaries (both replaced by scripts)" {
	setup_recipes
	local command
	for command in 'ollama run llama3.2' 'llm -m local'; do
		prune_command "$command" '-s summarize -b 16k agent.jsonl > out.jsonl'
		sh -e script
		grep -q "summary by $command" out.jsonl
		ctx-check out.jsonl
	done
}

@test "an HTTP endpoint writes summaries, called with curl" {
	setup_recipes
	cat > server.py <<-'END'
	import http.server, json, sys
	class Handler(http.server.BaseHTTPRequestHandler):
	    def do_POST(self):
	        size = int(self.headers["content-length"])
	        asked = json.loads(self.rfile.read(size))
	        text = asked["messages"][0]["content"]
	        if "--empty" in sys.argv:
	            self.send_response(200)
	            self.end_headers()
	            self.wfile.write(b'{"choices": [{"message": {}}]}')
	            return
	        answer = "asked at %s with %d lines" % (
	            self.path, text.count("\n") > 10)
	        body = json.dumps({"choices": [{"message": {
	            "role": "assistant", "content": answer}}]}).encode()
	        self.send_response(200)
	        self.end_headers()
	        self.wfile.write(body)
	    def log_message(self, *args):
	        pass
	server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
	print(server.server_port, flush=True)
	server.serve_forever()
	END
	python3 server.py > port &
	for _ in $(seq 100); do [ -s port ] && break; sleep 0.1; done
	ENDPOINT=http://127.0.0.1:$(cat port)
	export ENDPOINT
	example summarize.sh
	prune_command 'sh summarize.sh' '-s summarize -b 16k agent.jsonl > by-endpoint.jsonl'
	sh -e script
	kill %1
	grep -q 'asked at /v1/chat/completions with 1 lines' by-endpoint.jsonl
	# Without a running endpoint the stream is unchanged, status 2.
	run -2 sh -e script
	cmp agent.jsonl by-endpoint.jsonl
	# An answer without a text is no summary either.
	python3 server.py --empty > port &
	for _ in $(seq 100); do [ -s port ] && break; sleep 0.1; done
	ENDPOINT=http://127.0.0.1:$(cat port)
	run -2 sh -e script
	kill $!
	cmp agent.jsonl by-endpoint.jsonl
}

@test "embeddings find an answer that shares no word with the question" {
	printf '%s\n' "What should I cook tonight?" \
	    "Try a lentil soup with cumin." \
	    "My puppy was limping, so we took him to the vet on Tuesday." \
	    "I hope he recovers soon." "How do I tune my guitar?" \
	    "Use the fifth fret method." "Which train goes to Lyon?" \
	    "The 7:40 from platform 3." "Can you recommend a novel?" \
	    "Read Middlemarch by George Eliot." "How tall is Mont Blanc?" \
	    "It is 4,806 metres high." "When did the dog need a doctor?" |
		jq -Rnc '[inputs] | to_entries[] | {
		    role: ["user", "assistant"][.key % 2], content: .value}' \
		    > chat.jsonl
	example embed.py
	python3 -m venv venv
	PATH=$PWD/venv/bin:$PATH
	pip -q install "$(sed -n '1s/.*pip install \(.*\))/\1/p' embed.py)"
	prune_command 'python3 embed.py' \
	    '-s recall -b 60 -k 1 -t 1 chat.jsonl > by-meaning.jsonl'
	sh -e script > log 2>&1 || fail "$(cat log)"
	grep -q puppy by-meaning.jsonl
	ctx-count -q --max 60 by-meaning.jsonl
	ctx-prune -s recall -b 60 -k 1 -t 1 chat.jsonl > by-words.jsonl
	run ! grep -q puppy by-words.jsonl
}
