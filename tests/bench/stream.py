#!/usr/bin/env python3
"""The stream path against its rivals, on the same input in the same run.

stream.py [--size MB] [--runs N] [--growth] [--json FILE]

Makes an agent log (the sample session again and again, ids made anew), runs
ours and the rivals in turn, N times, and prints the median of wall time and of
processor time, MB/s, peak memory, and the ratio of processor time to that of
cat and of the rival that the row is about.  A rival that is not here is named
as missing.  --growth runs every command on 1x, 10x and 100x of the input.
"""
import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "..", "sample", "agent.jsonl")

# The text of a tool's result as it stands in its line; bytes behind which a
# character ends, and an escape too if it is within one.
RESULT = re.compile(br'"role": ?"tool".*"content": ?"((?:[^"\\]|\\.)*)"')
ENDS = frozenset(b" ghijklmnopqrstvwxyz")

EDIT = ('if (.role == "tool" and input_line_number % 10 == 0) '
        'then .content = "cut" else . end')
PYTHON = ("import json,sys\n"
          "for line in sys.stdin:\n"
          "    sys.stdout.write(json.dumps(json.loads(line)) + '\\n')")

# name, command, rival of the row (or None)
CASES = [
    ("cat", ["cat"], None),
    ("ctx-truncate, nothing to do", ["ctx-truncate", "-l", "0"], "jq -c ."),
    ("ctx-age, nothing to do", ["ctx-age", "-k", "1G"], "jq -c ."),
    ("ctx-check", ["ctx-check", "-q", "--allow-pending"], "jq -c ."),
    ("ctx-count, bytes/4", ["ctx-count", "-e", "bytes/4"], "jq -c ."),
    ("ctx-count, o200k_base", ["ctx-count", "-e", "o200k_base"], "ttok"),
    ("ctx-prune to 20k", ["ctx-prune", "-e", "o200k_base", "-b", "20k"],
     "langchain trim"),
    ("ctx-truncate, one in ten cut", ["ctx-truncate", "-l", "3000"],
     "jq, one in ten edited"),
    ("jq -c .", ["jq", "-c", "."], None),
    ("jq, one in ten edited", ["jq", "-c", EDIT], None),
    ("mlr cat", ["mlr", "--ijsonl", "--ojsonl", "cat"], None),
    ("Python json", ["python3", "-c", PYTHON], None),
    ("ttok", ["ttok", "-m", "gpt-4o", "-i", "-"], None),
    ("langchain trim", ["python3", os.path.join(HERE, "trim.py"), "20000"],
     None),
]


def make_log(path, megabytes, short=False):
    """The sample again and again, a system message only at the start.  Each
    result of a tool becomes 1 to 32 KB of the sample's results, the same in
    every run (short: as it is in the sample)."""
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
                    body = cut(bodies, number)
                    line = (line[:match.start(1)] + body +
                            line[match.end(1):])
                out.write(line.replace(b"\"call_", b"\"call_%d_" % copies))
            copies += 1


def place(bodies, at):
    """The next place at or behind at where a text may begin or end."""
    while bodies[at - 1] not in ENDS:
        at += 1
    return at


def cut(bodies, number):
    """1 to 32 KB of the bodies; every doubling is as likely."""
    size = int(1024 * 32 ** number.random())
    at = place(bodies, number.randrange(1, len(bodies) - 40000))
    return bodies[at:place(bodies, at + size)]


def run(command, source):
    """Wall seconds, processor seconds, peak KiB, status."""
    with open(source, "rb") as stdin:
        begin = time.perf_counter()
        reader = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        while reader.stdout.read1(1 << 20):
            pass
        _, status, usage = os.wait4(reader.pid, 0)
        reader.returncode = os.waitstatus_to_exitcode(status)
        reader.stdout.close()
    return (time.perf_counter() - begin, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss, reader.returncode)


def present(command):
    if shutil.which(command[0]) is None:
        return False
    if command[0] == "python3" and command[1].endswith("trim.py"):
        return subprocess.run(
            ["python3", "-c", "import langchain_core, tiktoken"],
            stderr=subprocess.DEVNULL).returncode == 0
    return True


def measure(cases, source, runs):
    """Each case in turn, runs times; medians."""
    figures = {name: [] for name, _, _ in cases}
    for _ in range(runs):
        for name, command, _ in cases:
            figures[name].append(run(command, source))
    return {
        name: {
            "wall": statistics.median(f[0] for f in list_),
            "cpu": statistics.median(f[1] for f in list_),
            "peak_kib": max(f[2] for f in list_),
            "status": max(f[3] for f in list_),
        }
        for name, list_ in figures.items()
    }


def table(cases, result, size):
    print("%-30s %8s %8s %8s %9s %8s  %s" % (
        "", "wall s", "cpu s", "MB/s", "peak MiB", "of cat", "against"))
    for name, _, rival in cases:
        row = result[name]
        against = ""
        if rival in result:
            against = "%.1fx faster than %s" % (
                result[rival]["cpu"] / row["cpu"], rival)
        print("%-30s %8.2f %8.2f %8.0f %9.1f %8.1f  %s" % (
            name, row["wall"], row["cpu"], size / 1e6 / row["wall"],
            row["peak_kib"] / 1024, row["cpu"] / result["cat"]["cpu"],
            against))


def growth(directory, megabytes, runs):
    """Seconds of the processor and MiB for 1x, 10x and 100x."""
    ours = [case for case in CASES if case[1][0].startswith("ctx-")]
    found = {name: [] for name, _, _ in ours}
    for scale in (100, 10, 1):
        path = os.path.join(directory, "grown")
        make_log(path, megabytes / scale)
        result = measure(ours, path, runs)
        for name in found:
            found[name].append((result[name]["cpu"],
                                result[name]["peak_kib"] / 1024))
    print("%-30s %s" % ("", "cpu s and MiB for 1x, 10x, 100x"))
    for name, list_ in found.items():
        print("%-30s %s" % (name, "  ".join(
            "%8.3f %7.1f" % pair for pair in list_)))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=float, default=100, help="MB")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    missing = [name for name, command, _ in CASES if not present(command)]
    cases = [case for case in CASES if case[0] not in missing]
    with tempfile.TemporaryDirectory() as directory:
        if options.growth:
            result = growth(directory, options.size, options.runs)
        else:
            path = os.path.join(directory, "log")
            make_log(path, options.size)
            size = os.path.getsize(path)
            result = measure(cases, path, options.runs)
            table(cases, result, size)
    for name in missing:
        print("missing: " + name)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
