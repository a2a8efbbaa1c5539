"""The corpora of the benchmarks, the same in every run."""
import json
import os
import random
import re

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                      "sample", "agent.jsonl")

# The text of a tool's result as it stands in its line; bytes after which a
# character ends, and an escape too if it is within one.
RESULT = re.compile(br'"role": ?"tool".*"content": ?"((?:[^"\\]|\\.)*)"')
ENDS = frozenset(b" ghijklmnopqrstvwxyz")


def place(bodies, at):
    """The next place at or after at where a text may begin or end."""
    while bodies[at - 1] not in ENDS:
        at += 1
    return at


def cut(bodies, number):
    """1 to 32 KB of the bodies; every doubling is as likely."""
    size = int(1024 * 32 ** number.random())
    at = place(bodies, number.randrange(1, len(bodies) - 40000))
    return bodies[at:place(bodies, at + size)]


def make_log(path, megabytes, short=False):
    """An agent's log: the sample again and again, a system message only at
    the start, ids made anew.  Each result of a tool becomes 1 to 32 KB of the
    sample's results (short: kept as it is)."""
    with open(SAMPLE, "rb") as sample:
        lines = sample.readlines()
    bodies = b"\\n".join(
        match.group(1) for match in map(RESULT.search, lines) if match)
    number = random.Random(1)
    copies = 0
    with open(path, "wb") as out:
        while out.tell() < megabytes * 1000000:
            for line in lines if copies == 0 else lines[1:]:
                match = None if short else RESULT.search(line)
                if match:
                    line = (line[:match.start(1)] + cut(bodies, number) +
                            line[match.end(1):])
                out.write(line.replace(b"\"call_", b"\"call_%d_" % copies))
            copies += 1


def make_chat(path, messages, seed):
    """A chat without tools, of which every trimmer keeps the same."""
    with open(SAMPLE, encoding="utf-8") as sample:
        words = sample.read().replace("\\", " ").replace('"', " ").split()
    number = random.Random(seed)
    with open(path, "w", encoding="utf-8") as out:
        for i in range(messages):
            role = "system" if i == 0 else "user" if i % 2 else "assistant"
            at = number.randrange(len(words) - 400)
            text = " ".join(words[at:at + number.randrange(1, 400)])
            out.write(json.dumps({"role": role, "content": text},
                                 ensure_ascii=False) + "\n")
