#!/usr/bin/env python3
"""Peak memory of the commands over session files of agents.

transcripts.py [--size MB]... [--short] [--compact TURNS] [--pipe]
    [--only COMMAND]... [DIALECT...]

For each dialect of a transcript a file of each size is written to $TMPDIR,
read by each command, and removed.  Prints the size of the file, its lines and
the peaks, all sizes in MB (10^6 bytes), and the most bytes per line.  The agent
compacts its context every TURNS turns (default: 1000, about 4 MB; 0: never).
--short: short lines, of 150 to 450 bytes.  --pipe: each command also reads a
pipe, and so keeps the transcript in memory.
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

COMMANDS = {
    "prune": ["ctx-prune", "-e", "bytes/4", "-b", "100k"],
    "pinned-fifo": ["ctx-prune", "-s", "pinned-fifo", "-e", "bytes/4", "-b",
                    "100k"],
    "age": ["ctx-age", "-e", "bytes/4", "--mask", "-o", "100"],
    "truncate": ["ctx-truncate", "-l", "1000"],
    "check": ["ctx-check", "-q"],
    "count": ["ctx-count", "-e", "bytes/4"],
}

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


SUMMARY = "The parser is done; the tests pass."
# What each agent writes when it compacts its context. %(s)s and %(t)s are ids;
# the id of the next line's parent is the last of them.
COMPACTIONS = {
    "claude-code": '{"parentUuid":null,"type":"system","subtype":'
                   '"compact_boundary","sessionId":"6513270e",'
                   '"uuid":"%(s)s"}\n{"parentUuid":"%(s)s","type":"user",'
                   '"message":{"role":"user","content":"' + SUMMARY + '"},'
                   '"sessionId":"6513270e","isCompactSummary":true,'
                   '"uuid":"%(t)s"}\n',
    "claude-stream": '{"type":"system","subtype":"compact_boundary",'
                     '"session_id":"b7ed5f3e","uuid":"%(t)s"}\n',
    "codex": CODEX % ("compacted", '{"message":"","replacement_history":[{'
                      '"type":"message","role":"user","content":[{"type":'
                      '"input_text","text":"' + SUMMARY + '"}]}]}'),
    "copilot-cli": COPILOT % (
        "session.compaction_complete", '{"success":true,"summaryContent":"' +
        SUMMARY + '"}', "t", "u"),
    "gemini-cli": '{"$set":{"messages":[{"id":"%(t)s","timestamp":'
                  '"2026-11-10T10:00:00.000Z","type":"user","content":[{"text":'
                  '"' + SUMMARY + '"}]}]}}\n',
    "pi": '{"type":"compaction","id":"%(t)s","parentId":"%(u)s","timestamp":'
          '"2026-11-10T09:00:51.962Z","summary":"' + SUMMARY + '",'
          '"firstKeptEntryId":"%(u)s"}\n',
}


def write(path, dialect, options, size):
    """Writes turns of this dialect until the file has size bytes.  Returns the
    number of lines."""
    form = "%08x" if dialect == "pi" else "%08x-e90b-4a76-a285-a8c6b73c30c8"
    turn, compaction = TURNS[dialect], COMPACTIONS[dialect]
    if options.short:
        turn = turn.replace(RESULT, "done").replace(TEXT, "Good. ")
    before, written, i, lines = form % 0, 0, 0, 0
    with open(path, "w", encoding="utf-8", buffering=1 << 20) as out:
        while written < size:
            ids = {name: form % (8 * i + k + 1)
                   for k, name in enumerate("abcdst")}
            text = turn % dict(ids, u=before, i=i)
            before, i = ids["d" if "%(d)s" in turn else "c"], i + 1
            if options.compact and i % options.compact == 0:
                text += compaction % dict(ids, u=before)
                before = ids["t"]
            out.write(text)
            written += len(text)
            lines += text.count("\n")
    return lines


def piped(command, path):
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        found = peak(command, cat.stdout)
        cat.stdout.close()
    return found


def from_file(command, path):
    with open(path, "rb") as stdin:
        return peak(command, stdin)


def measure(path, dialect, options, size):
    lines = write(path, dialect, options, size * 1e6)
    for read in (from_file, piped) if options.pipe else (from_file,):
        peaks = [read(COMMANDS[name], path) * 1.048576
                 for name in options.only or COMMANDS]
        print("%-14s %8.0f %9.3f" % (dialect, size, lines / 1e6) +
              " %11.1f" * len(peaks) % tuple(peaks) +
              " %7.0f" % (max(peaks) * 1e6 / lines), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=float, action="append", help="MB")
    parser.add_argument("--short", action="store_true", help="short lines")
    parser.add_argument("--compact", type=int, default=1000, metavar="TURNS",
                        help="turns between compactions (default: 1000)")
    parser.add_argument("--only", action="append", choices=COMMANDS)
    parser.add_argument("--pipe", action="store_true",
                        help="read from a pipe, too")
    parser.add_argument("dialect", nargs="*")
    options = parser.parse_args()
    if shutil.which("time") is None:
        sys.exit("transcripts.py: time(1) is missing")
    names = tuple(options.only or COMMANDS)
    print("%-14s %8s %9s" % ("MB", "file", "M lines") +
          " %11s" * len(names) % names + " %7s" % "B/line", flush=True)
    for size in options.size or [1, 10, 100]:
        for dialect in options.dialect or TURNS:
            with tempfile.NamedTemporaryFile() as out:
                measure(out.name, dialect, options, size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
