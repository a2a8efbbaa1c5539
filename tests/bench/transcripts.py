#!/usr/bin/env python3
"""Peak memory of the commands over session files of agents.

transcripts.py [--size MB]... [DIALECT...]

For each dialect of a transcript a file of each size is written to $TMPDIR,
read by each command as a file and as a pipe, and removed.  Prints the size of
the file, of the output of ctx-prune and the peaks, all in MB (10^6 bytes).
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from run import peak

# 2,000 characters, as a tool may return them.
RESULT = "\\n".join("%03d: static int parse_header(struct request *r);" % i
                    for i in range(38))
TEXT = "The name is copied up to the colon without looking at its bytes. " * 3

COMMANDS = [
    ["ctx-prune", "-e", "bytes/4", "-b", "20000"],
    ["ctx-prune", "-s", "pinned-fifo", "-e", "bytes/4", "-b", "20000"],
    ["ctx-count", "-e", "bytes/4"],
    ["ctx-truncate", "-l", "1000"],
]

# One turn of each agent.  %(u)s is an id of the line before; %(a)s to %(d)s are
# those of the turn's lines.
CLAUDE = ('{"parentUuid":"%%(%s)s","isSidechain":false,"userType":"external",'
          '"cwd":"/home/dev/httpd","sessionId":"6513270e","version":"2.1.300",'
          '"type":"%s","message":%s,"uuid":"%%(%s)s",'
          '"timestamp":"2026-11-10T09:00:08.578Z"}\n')
ANTHROPIC = [
    '{"role":"user","content":"Please find out why and fix it. ' + TEXT + '"}',
    '{"id":"msg_01%(i)d","type":"message","role":"assistant","model":'
    '"claude-sonnet-5","content":[{"type":"tool_use","id":"toolu_%(i)d",'
    '"name":"Bash","input":{"command":"make check"}}],"usage":'
    '{"input_tokens":3,"output_tokens":44}}',
    '{"role":"user","content":[{"tool_use_id":"toolu_%(i)d","type":'
    '"tool_result","content":"' + RESULT + '"}]}',
    '{"id":"msg_02%(i)d","type":"message","role":"assistant","model":'
    '"claude-sonnet-5","content":[{"type":"text","text":"' + TEXT + '"}],'
    '"usage":{"input_tokens":3,"output_tokens":44}}',
]
STREAM = ('{"type":"%s","message":%s,"parent_tool_use_id":null,"session_id":'
          '"b7ed5f3e","uuid":"%%(%s)s"}\n')
CODEX = '{"timestamp":"2026-11-10T09:00:07.542Z","type":"%s","payload":%s}\n'
COPILOT = ('{"type":"%s","data":%s,"id":"%%(%s)s","timestamp":'
           '"2026-09-09T14:54:06.000Z","parentId":"%%(%s)s"}\n')
GEMINI = '{"id":"%%(%s)s","timestamp":"2026-11-10T09:00:19.110Z",%s}\n'
PI = ('{"type":"message","id":"%%(%s)s","parentId":"%%(%s)s","timestamp":'
      '"2026-11-10T09:00:27.483Z","message":%s}\n')
TURNS = {
    "claude-code": "".join(
        CLAUDE % (up, role, message, own) for up, role, message, own in zip(
            "uabc", ("user", "assistant") * 2, ANTHROPIC, "abcd")),
    "claude-stream": "".join(
        STREAM % (role, message, own) for role, message, own in zip(
            ("user", "assistant") * 2, ANTHROPIC, "abcd")),
    "codex": "".join(CODEX % line for line in (
        ("response_item", '{"type":"message","role":"user","content":[{"type":'
         '"input_text","text":"Please find out why. ' + TEXT + '"}]}'),
        ("event_msg", '{"type":"user_message","message":"Please find out why. '
         + TEXT + '","images":[]}'),
        ("response_item", '{"type":"function_call","name":"exec_command",'
         '"arguments":"{\\"cmd\\": \\"make check\\"}","call_id":"call_%(i)d"}'),
        ("event_msg", '{"type":"token_count","info":{"last_token_usage":'
         '{"input_tokens":8237,"output_tokens":68,"total_tokens":9000}}}'),
        ("response_item", '{"type":"function_call_output","call_id":'
         '"call_%(i)d","output":"' + RESULT + '"}'),
        ("response_item", '{"type":"message","role":"assistant","content":'
         '[{"type":"output_text","text":"' + TEXT + '"}]}'))),
    "copilot-cli": "".join(
        COPILOT % line for line in (
            ("user.message", '{"content":"Please find out why. ' + TEXT +
             '"}', "a", "u"),
            ("assistant.message", '{"messageId":"m%(i)d","content":"",'
             '"toolRequests":[{"toolCallId":"toolu_%(i)d","name":"view",'
             '"arguments":{"path":"parse.c"}}]}', "b", "a"),
            ("tool.execution_complete", '{"toolCallId":"toolu_%(i)d",'
             '"success":true,"result":{"content":"' + RESULT + '"}}', "c",
             "b"),
            ("assistant.message", '{"messageId":"n%(i)d","content":"' + TEXT +
             '","toolRequests":[]}', "d", "c"))),
    "gemini-cli": "".join(GEMINI % line for line in (
        ("a", '"type":"user","content":[{"text":"Please find out why. ' +
         TEXT + '"}]'),
        ("b", '"type":"gemini","content":"","thoughts":[],"toolCalls":[{"id":'
         '"run-%(i)d","name":"run_shell_command","args":{"command":"make"},'
         '"result":[{"functionResponse":{"id":"run-%(i)d","name":'
         '"run_shell_command","response":{"output":"' + RESULT + '"}}}],'
         '"status":"success"}],"model":"gemini-3.5-flash"'),
        ("c", '"type":"gemini","content":"' + TEXT + '","thoughts":[],'
         '"model":"gemini-3.5-flash"'))) +
    '{"$set":{"lastUpdated":"2026-11-10T09:00:27.246Z"}}\n',
    "pi": "".join(PI % line for line in (
        ("a", "u", '{"role":"user","content":[{"type":"text","text":"' + TEXT +
         '"}]}'),
        ("b", "a", '{"role":"assistant","content":[{"type":"toolCall","id":'
         '"toolu_%(i)d","name":"read","arguments":{"path":"src/http.c"}}],'
         '"model":"claude-sonnet-4-5"}'),
        ("c", "b", '{"role":"toolResult","toolCallId":"toolu_%(i)d",'
         '"toolName":"read","content":[{"type":"text","text":"' + RESULT +
         '"}]}'),
        ("d", "c", '{"role":"assistant","content":[{"type":"text","text":"' +
         TEXT + '"}],"model":"claude-sonnet-4-5"}'))),
}


def write(path, dialect, size):
    """Writes turns of this dialect until the file has size bytes."""
    wide = dialect != "pi"
    form = "%08x-e90b-4a76-a285-a8c6b73c30c8" if wide else "%08x"
    before, written, i = form % 0, 0, 0
    with open(path, "w", encoding="utf-8", buffering=1 << 20) as out:
        while written < size:
            ids = {name: form % (4 * i + k + 1)
                   for k, name in enumerate("abcd")}
            turn = TURNS[dialect] % dict(ids, u=before, i=i)
            out.write(turn)
            before, written, i = ids["d"], written + len(turn), i + 1


def piped(command, path):
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        found = peak(command, cat.stdout)
        cat.stdout.close()
    return found


def measure(path, dialect, pipes):
    row = [dialect, os.path.getsize(path) / 1e6]
    with open(path, "rb") as stdin:
        kept = subprocess.run(COMMANDS[0], stdin=stdin, check=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
    row.append(len(kept) / 1e6)
    for command in COMMANDS:
        with open(path, "rb") as stdin:
            row.append(peak(command, stdin) * 1.048576)
        row.append(piped(command, path) * 1.048576 if pipes else float("nan"))
    print("%-14s %9.1f %9.1f" % tuple(row[:3]) +
          " %9.1f %9.1f" * len(COMMANDS) % tuple(row[3:]), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=float, action="append", help="MB")
    parser.add_argument("--no-pipe", action="store_true",
                        help="read no pipes, which are held in memory")
    parser.add_argument("dialect", nargs="*")
    options = parser.parse_args()
    if shutil.which("time") is None:
        sys.exit("transcripts.py: time(1) is missing")
    print("%-14s %9s %9s" % ("", "file", "kept") + "".join(
        " %19s" % command["-s" in command and 2] for command in COMMANDS))
    print("%-14s %9s %9s" % ("MB", "", "") +
          " %9s %9s" % ("file", "pipe") * len(COMMANDS))
    for size in options.size or [1, 10, 100]:
        for dialect in options.dialect or TURNS:
            with tempfile.NamedTemporaryFile() as out:
                write(out.name, dialect, size * 1e6)
                measure(out.name, dialect, not options.no_pipe)
    return 0


if __name__ == "__main__":
    sys.exit(main())
