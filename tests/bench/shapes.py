#!/usr/bin/env python3
"""What streams of odd shapes cost as they grow (make bench-shapes).

shapes.py [--size N] [SHAPE...]

Each shape has something in great number that a stream of few could have: calls
in one message, results in the wrong order, names, parts, keys of a schema,
compactions, marks in a text.  Every command reads it at N and at 4 N; what
takes more than SHARE times as much processor time for the larger one, and
more than FLOOR seconds, is printed, and the status is 1.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

SHARE = 7     # 4 is linear; what is fixed, and noise, move it a little
FLOOR = 0.15  # seconds
PATIENCE = 60

COMMANDS = [
    ["ctx-count", "-m", "gpt-4o"],
    ["ctx-count", "-m", "gpt-4o", "--per", "message"],
    ["ctx-count", "-m", "gpt-4o", "--per", "turn"],
    ["ctx-count", "-m", "gpt-4o", "--per", "tool"],
    ["ctx-count", "-m", "gpt-4o", "--bar"],
    ["ctx-count", "-m", "gpt-4o", "--annotate"],
    ["ctx-truncate", "-l", "50"],
    ["ctx-truncate", "-l", "7", "--unit", "bytes"],
    ["ctx-truncate", "-l", "300k", "--keep", "head"],
    ["ctx-truncate", "-l", "20", "--unit", "tokens", "-m", "gpt-4o"],
    ["ctx-truncate", "--message-limit", "30", "--args", "30"],
    ["ctx-age", "-k", "2", "-o", "30", "--mask"],
    ["ctx-check"],
    ["ctx-check", "--repair"],
    ["ctx-cache", "--provider", "anthropic"],
    ["ctx-cache", "--strip"],
    ["ctx-restore"],
] + [["ctx-prune", "-m", "gpt-4o", "-s", strategy, "-l", level, "-b", "4000"]
     for strategy in ("pinned-fifo", "fifo", "window", "middle-out",
                      "summarize", "heuristic", "recall", "salient")
     for level in ("light", "aggressive")]


def line(value):
    return json.dumps(value, separators=(",", ":")) + "\n"


def lines(values):
    return "".join(map(line, values))


def user(content):
    return {"role": "user", "content": content}


def assistant(content):
    return {"role": "assistant", "content": content}


def calls(ids, name="f"):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": i, "type": "function",
         "function": {"name": name, "arguments": "{}"}} for i in ids]}


def result(i, content="r"):
    return {"role": "tool", "tool_call_id": i, "content": content}


def ids(n):
    return ["c%d" % i for i in range(n)]


def turns(n):
    return [user("q%d a b" % i) if i % 2 == 0 else assistant("r%d c d" % i)
            for i in range(n)]


def tool_use(i):
    return {"type": "tool_use", "id": i, "name": "f", "input": {}}


def tool_result(i, content="r"):
    return {"type": "tool_result", "tool_use_id": i, "content": content}


def function(name, parameters):
    return {"type": "function",
            "function": {"name": name, "parameters": parameters}}


def claude(uuid, parent, role="user", **more):
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "message": {"role": role, "content": "x " + uuid}, **more}


def codex(payload, kind="response_item"):
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind,
            "payload": payload}


def said(i):
    return codex({"type": "message", "role": "user",
                  "content": [{"type": "input_text", "text": "x%d" % i}]})


def item(kind, **more):
    return {"type": kind, **more}


def in_turn(n, *each):
    """n values: each of the functions in its turn."""
    return [each[i % len(each)](i) for i in range(n)]


SHAPES = {
    "messages": lambda n: lines(turns(n)),
    "messages of a request": lambda n: line(
        {"model": "gpt-4o", "messages": turns(n)}),
    "requests": lambda n: lines(
        {"model": "gpt-4o", "messages": turns(3)} for i in range(n)),
    "names": lambda n: lines(
        {**user("x"), "name": "n%d" % i} for i in range(n)),
    "speakers": lambda n: lines(
        user("Ann%d: hello there" % i) for i in range(n)),
    "the same words": lambda n: lines(
        user("deploy the server") for i in range(n)),
    "system prompts": lambda n: lines(
        [{"role": "system", "content": "s%d" % i} for i in range(n)] +
        [user("x")]),
    "messages that say nothing": lambda n: lines(
        [user("x")] + [assistant("")] * n),
    "calls in a message": lambda n: lines(
        [user("x"), calls(ids(n))] + [result(i) for i in ids(n)]),
    "results in reverse": lambda n: lines(
        [user("x"), calls(ids(n))] + [result(i) for i in reversed(ids(n))]),
    "calls of one id": lambda n: lines(
        [user("x"), calls(["c"] * n)] + [result("c")] * n),
    "calls without results": lambda n: lines(
        [user("x")] + [calls([i]) for i in ids(n)]),
    "results without calls": lambda n: lines(
        [user("x")] + [result(i) for i in ids(n)]),
    "tools by name": lambda n: lines(
        [user("x")] + [m for i in ids(n // 2)
                       for m in (calls([i], "tool_" + i), result(i))]),
    "tools of a request": lambda n: line(
        {"model": "gpt-4o", "messages": [user("x")],
         "tools": [function(i, {"type": "object", "properties": {}})
                   for i in ids(n)]}),
    "keys of a schema": lambda n: line(
        {"model": "gpt-4o", "messages": [user("x")], "tools": [
            function("f", {"type": "object", "required": ids(n)[::-1],
                           "properties": {i: {"type": "string"}
                                          for i in ids(n)}})]}),
    "keys of a message": lambda n: line({**dict.fromkeys(ids(n)), **user("x")}),
    "arguments": lambda n: lines(
        [user("x"), {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {
                "name": "f", "arguments": json.dumps(dict.fromkeys(ids(n)))}},
        ]}]),
    "parts": lambda n: lines(
        role([{"type": "text", "text": i} for i in ids(n)])
        for role in (user, assistant)),
    "parts of a result": lambda n: lines(
        [user("x"), calls(["c"]),
         result("c", [{"type": "text", "text": "part " + i}
                      for i in ids(n)])]),
    "uses in a message": lambda n: lines(
        [user("x"), assistant([tool_use(i) for i in ids(n)]),
         user([tool_result(i) for i in reversed(ids(n))])]),
    "long results in a message": lambda n: lines(
        [user("x"), assistant([tool_use(i) for i in ids(n)]),
         user([tool_result(i, "r" * 60) for i in ids(n)])]),
    "blocks of a result": lambda n: lines(
        [user("x"), assistant([tool_use("c")]),
         user([tool_result("c", [{"type": kind, "text": i}
                                 for kind in ("text", "search_result")
                                 for i in ids(n)])])]),
    "uses without results": lambda n: lines(
        [user("x"), assistant([tool_use(i) for i in ids(n)]), user("y")]),
    "uses in a row of messages": lambda n: lines(
        [user("x")] + [assistant([tool_use(i)]) for i in ids(n)]),
    "images of an opencode export": lambda n: line(
        {"info": {"id": "s"}, "messages": [
            {"info": {"id": "m" + i, "role": "user"},
             "parts": [{"type": "text", "text": i},
                       {"type": "file", "mime": "image/png",
                        "url": "data:image/png;base64,iVBORw0KGgo="}]}
            for i in ids(n)]}),
    "thoughts in a row of messages": lambda n: lines(
        [user("x")] + [assistant([{"type": "thinking", "thinking": "h",
                                   "signature": "Eq"}])] * n),
    "cache hints": lambda n: line(
        {"model": "claude-opus-4-8", "max_tokens": 1, "messages": [user([
            {"type": "text", "text": i,
             "cache_control": {"type": "ephemeral"}} for i in ids(n)])]}),
    "system blocks": lambda n: line(
        {"model": "claude-opus-4-8", "max_tokens": 1, "messages": [user("x")],
         "system": [{"type": "text", "text": i} for i in ids(n)]}),
    "items of Responses": lambda n: lines(
        [item("message", role="user", content="x")] + in_turn(
            n, lambda i: item("reasoning", id="rs_%d" % i, summary=[]),
            lambda i: item("function_call", name="f", arguments="{}",
                           call_id="c%d" % i),
            lambda i: item("function_call_output", output="r",
                           call_id="c%d" % (i - 1)))),
    "reasoning items": lambda n: lines(
        [item("message", role="user", content="x")] +
        [item("reasoning", id=i, summary=[]) for i in ids(n)]),
    "calls of Gemini by one name": lambda n: line({"contents": [
        {"role": "user", "parts": [{"text": "x"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "f", "args": {}}}] * n},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "f", "response": {}}}] * n}]}),
    "calls of Gemini by names": lambda n: line({"contents": [
        {"role": "user", "parts": [{"text": "x"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": i, "args": {}}} for i in ids(n)]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": i, "response": {}}}
            for i in reversed(ids(n))]}]}),
    "uses of Bedrock": lambda n: line({"messages": [
        user([{"text": "x"}]),
        assistant([{"toolUse": {"toolUseId": i, "name": "f", "input": {}}}
                   for i in ids(n)]),
        user([{"toolResult": {"toolUseId": i, "content": [{"text": "r"}]}}
              for i in ids(n)])]}),
    "lines of Claude Code": lambda n: lines(
        claude("u%d" % i, "u%d" % (i - 1) if i else None,
               ("user", "assistant")[i % 2]) for i in range(n)),
    "lines in reverse": lambda n: lines(
        claude("u%d" % (n - i), "u%d" % (n - i - 1)) for i in range(n)),
    "answers to one line": lambda n: lines(
        claude("u%d" % i, "u0" if i else None) for i in range(n)),
    "lines of one id": lambda n: lines([claude("u", "u")] * n),
    "side chains": lambda n: lines(
        claude("u%d" % i, None, isSidechain=True) for i in range(n)),
    "compactions of Claude Code": lambda n: lines(in_turn(
        n, lambda i: claude("u%d" % i, "u%d" % (i - 1) if i else None),
        lambda i: {"type": "system", "subtype": "compact_boundary",
                   "uuid": "u%d" % i, "parentUuid": None,
                   "logicalParentUuid": "u%d" % (i - 1), "content": "c",
                   "sessionId": "s"})),
    "compactions of Codex": lambda n: lines(
        [codex({"id": "x", "cwd": "/"}, "session_meta")] + in_turn(
            n, said, lambda i: codex({"message": "c"}, "compacted"))),
    "turns of Codex taken back": lambda n: lines(
        [codex({"id": "x", "cwd": "/"}, "session_meta")] + in_turn(
            n, said, said, lambda i: codex(
                {"type": "thread_rolled_back", "num_turns": 1},
                "event_msg"))),
    "lines that are no messages": lambda n: lines(
        [{"x": i} for i in range(n)] + [user("x")]),
    "blank lines": lambda n: "\n" * n + line(user("x")),
    "lines of a text": lambda n: line(user("ab c\n" * n)),
    "lines of a result": lambda n: lines(
        [user("x"), calls(["c"]), result("c", "a line of text\n" * n)]),
    "lines of base64": lambda n: lines(
        [calls(["c"]), result("c", ("QUJD" * 20 + "\n") * n)]),
    "heads of data URLs": lambda n: line(user("data:image/png;base64," * n)),
    "marks": lambda n: line(
        user("\n[\u2026 9 characters truncated \u2026]\n" * n)),
    "escapes": lambda n: line(user("\\\"\n\t\u00e9\U0001f600" * n)),
    "a cluster of joiners": lambda n: line(user("\U0001f468\u200d" * n)),
    "a row of flags": lambda n: line(user("\U0001f1e9" * n)),
    "a cluster of accents": lambda n: line(user("e" + "\u0301" * n)),
    "references": lambda n: lines(
        result("c", "head\n[%d characters in /tmp/.ctx/spool/f-%032x.md]" %
               (i, i)) for i in range(n)),
}


def seconds(command, path):
    """Processor time, the best of two; None if it did not end by itself."""
    best = None
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            status = subprocess.run(
                [*command, path], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, timeout=PATIENCE).returncode
        except subprocess.TimeoutExpired:
            return None
        if status < 0:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = (after.ru_utime + after.ru_stime -
                before.ru_utime - before.ru_stime)
        best = took if best is None else min(best, took)
        if took < FLOOR:
            break
    return best


def check_commands():
    """Ends the run if a command does not know its options: it would be fast."""
    for command in COMMANDS:
        done = subprocess.run(command, input=line(user("x")).encode(),
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit("%s: %s" % (" ".join(command), done.stderr.decode()))


def judge(name, command, small, large):
    """A line about what grows too fast, or None."""
    slow = seconds(command, large)
    if slow is None:
        return "%s: %s: killed, or over %d s" % (name, " ".join(command),
                                                 PATIENCE)
    if slow < FLOOR:
        return None
    fast = seconds(command, small)
    if fast is not None and slow <= SHARE * fast:
        return None
    return "%s: %s: %.3f s, then %.3f s" % (name, " ".join(command),
                                            fast or 0, slow)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("shapes", nargs="*", default=list(SHAPES))
    options = parser.parse_args()
    found = 0
    check_commands()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for name in options.shapes:
            paths = []
            for n in (options.size, 4 * options.size):
                paths.append("shape-%d" % n)
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(SHAPES[name](n))
            for command in COMMANDS:
                complaint = judge(name, command, *paths)
                if complaint is not None:
                    print(complaint, flush=True)
                    found += 1
    print("%d shapes, %d commands: %d grow too fast" %
          (len(options.shapes), len(COMMANDS), found))
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
