#!/usr/bin/env python3
"""Ours against the rivals, on the same input in the same run (make bench).

run.py [--size MB] [--runs N] [--short] [--json FILE]   the tables
run.py --growth                     1x, 10x and 100x of the input
run.py --endless GB                 memory over a stream that is never a file
run.py --start                      start-up

Every command is a process of its own that reads a file and writes to a pipe;
ctx and the rivals take turns, N times, and the medians are printed; who takes
more than 20 seconds has one turn.  Rivals are looked for in $RIVALS, which
tests/bench/rivals fills; one that is not there is named as missing.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import logs

HERE = os.path.dirname(os.path.abspath(__file__))
RIVALS = os.environ.get("RIVALS", "")
PATIENCE = 120  # seconds that a rival gets
SLOW = 20       # seconds after which it gets no second turn
LIMIT = 16000   # characters; one record of the log in ten has more
BUDGET = "128000"

# What ctx-truncate does to results beyond LIMIT characters.
EDIT = ('if .role == "tool" and (.content | length) > %d then .content |= '
        '.[:11974] + "\\n[\u2026 \\(length - 15964) characters truncated '
        '\u2026]\\n" + .[-3990:] else . end' % LIMIT)


def python(*arguments):
    return [os.path.join(RIVALS, "venv", "bin", "python"),
            os.path.join(HERE, "rival.py"), *arguments]


def node(*arguments):
    return ["node", os.path.join(HERE, "rival.mjs"), *arguments]


# name, command, what its row is put against
STREAM = [
    ("cat", ["cat"], None),
    ("ctx-truncate, nothing to do", ["ctx-truncate", "-l", "0"], "jq -c ."),
    ("ctx-age, nothing to do", ["ctx-age", "-o", "1M"], "jq -c ."),
    ("ctx-check", ["ctx-check", "-q", "--allow-pending"], "jq -c ."),
    ("ctx-count, bytes/4", ["ctx-count", "-e", "bytes/4"], "jq -c ."),
    ("ctx-truncate, one in ten cut", ["ctx-truncate", "-l", str(LIMIT)],
     "jq, one in ten cut"),
    ("jq -c .", ["jq", "-c", "."], None),
    ("jq, one in ten cut", ["jq", "-c", EDIT], None),
    ("mlr cat", ["mlr", "--ijsonl", "--ojsonl", "cat"], None),
    ("Python json", python("json"), None),
]
TOKENS = [
    ("ctx-count", ["ctx-count", "-e", "o200k_base"], "PyPI tiktoken"),
    ("ctx-count --text", ["ctx-count", "-e", "o200k_base", "--text"],
     "PyPI ttok"),
    ("ctx-prune", ["ctx-prune", "-e", "o200k_base", "-b", BUDGET],
     "npm @langchain/core trimMessages"),
    ("ctx-prune, pinned-fifo", ["ctx-prune", "-s", "pinned-fifo", "-e",
                                "o200k_base", "-b", BUDGET],
     "npm @langchain/core trimMessages"),
    ("PyPI tiktoken", python("count"), None),
    ("PyPI ttok", python("ttok"), None),
    ("npm gpt-tokenizer", node("gpt-tokenizer"), None),
    ("npm tiktoken", node("tiktoken"), None),
    ("npm js-tiktoken", node("js-tiktoken"), None),
    ("npm @anthropic-ai/tokenizer", node("@anthropic-ai/tokenizer"), None),
    ("PyPI langchain-core trim_messages", python("langchain", BUDGET), None),
    ("PyPI litellm trim_messages", python("litellm", BUDGET), None),
    ("npm @langchain/core trimMessages", node("@langchain/core", BUDGET),
     None),
    ("npm ai pruneMessages", node("ai"), None),
]
# Against the same with one thread; twice as fast is all that two can be.
CORES = [
    ("ctx-count, -j 1", ["ctx-count", "-e", "o200k_base"], None),
    ("ctx-count, -j 2", ["ctx-count", "-e", "o200k_base", "-j", "2"],
     "ctx-count, -j 1"),
    ("ctx-prune, -j 1", ["ctx-prune", "-e", "o200k_base", "-b", BUDGET],
     None),
    ("ctx-prune, -j 2", ["ctx-prune", "-e", "o200k_base", "-b", BUDGET,
                         "-j", "2"], "ctx-prune, -j 1"),
]
GROWING = [case for case in STREAM + TOKENS if case[1][0].startswith("ctx-")]
GROWING += [
    ("ctx-cache", ["ctx-cache", "--provider", "anthropic"], None),
    ("ctx-restore", ["ctx-restore"], None),
    ("ctx-prune, heuristic", ["ctx-prune", "-s", "heuristic", "-e", "bytes/4",
                              "-b", BUDGET], None),
    CORES[1],
]
# In memory that does not grow with the stream; ctx-check has the ids it met.
BOUNDED = [
    ("ctx-prune, pinned-fifo", ["ctx-prune", "-s", "pinned-fifo", "-e",
                                "bytes/4", "-b", BUDGET], None),
    ("ctx-prune, window", ["ctx-prune", "-s", "window", "-e", "bytes/4",
                           "-b", BUDGET], None),
    ("ctx-prune, pinned-fifo, -j 2", ["ctx-prune", "-s", "pinned-fifo", "-e",
                                      "bytes/4", "-b", BUDGET, "-j", "2"],
     None),
    ("ctx-count --text, bytes/4", ["ctx-count", "-e", "bytes/4", "--text"],
     None),
]
BOUNDED = [case for case in GROWING if "o200k_base" not in case[1] and
           "heuristic" not in case[1]] + BOUNDED
MODULES = {"count": "tiktoken", "ttok": "ttok", "langchain": "langchain_core",
           "litellm": "litellm", "json": "json"}


def present(command):
    """Is the program there, and the package that it is to run?"""
    if shutil.which(command[0]) is None:
        return False
    if command[0] == "node":
        return os.path.isdir(os.path.join(RIVALS, "node_modules", command[2]))
    if command[0].startswith(RIVALS + os.sep):
        return subprocess.run(
            [command[0], "-c", "import " + MODULES[command[2]]],
            stderr=subprocess.DEVNULL).returncode == 0
    return True


def peak(command, stdin):
    """MiB, as time(1) has it: to the kernel a child process is never smaller
    than we are.  0 without that program."""
    if shutil.which("time") is None:
        return 0
    with tempfile.NamedTemporaryFile("r") as out:
        done = subprocess.run(
            ["time", "-q", "-f", "%M", "-o", out.name, *command], stdin=stdin,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode == 127:
            sys.exit("run.py: there is no " + command[0])
        return int(out.read() or 0) / 1024


def run(command, source):
    """Wall seconds, processor seconds, status; None if it takes longer than
    anybody would wait."""
    with open(source, "rb") as stdin:
        begin = time.perf_counter()
        reader = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, LITELLM_LOCAL_MODEL_COST_MAP="True"))
        timer = threading.Timer(PATIENCE, reader.kill)
        timer.start()
        while reader.stdout.read1(1 << 20):
            pass
        _, status, usage = os.wait4(reader.pid, 0)
        reader.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        reader.stdout.close()
    if reader.returncode == -9:
        return None
    return (time.perf_counter() - begin, usage.ru_utime + usage.ru_stime,
            reader.returncode)


def measure(cases, source, runs):
    """Each case in turn, runs times; medians, and the memory of one run
    more."""
    figures = {name: [] for name, _, _ in cases}
    memory = {}
    for _ in range(runs):
        for name, command, _ in cases:
            if None not in figures[name] and not any(
                    figure[0] > SLOW for figure in figures[name]):
                figures[name].append(run(command, source))
    for name, command, _ in cases:
        if None not in figures[name]:
            with open(source, "rb") as stdin:
                memory[name] = peak(command, stdin)
    return {
        name: None if None in list_ else {
            "wall": statistics.median(f[0] for f in list_),
            "cpu": statistics.median(f[1] for f in list_),
            "peak": memory[name],
            "runs": len(list_),
            "status": max(f[2] for f in list_),
        }
        for name, list_ in figures.items()
    }


def table(cases, result, size):
    print("%-34s %8s %8s %7s %8s %12s  %s" % (
        "%.0f MB" % (size / 1e6), "wall s", "cpu s", "MB/s", "MiB",
        "of cat", "against, cpu (wall)"))
    cat = result.get("cat")
    for name, _, rival in cases:
        row = result[name]
        if row is None:
            print("%-34s more than %d s" % (name, PATIENCE))
            continue
        of_cat = against = ""
        if cat:
            of_cat = "%.2f (%.2f)" % (row["cpu"] / cat["cpu"],
                                      row["wall"] / cat["wall"])
        if result.get(rival):
            against = "%.1fx (%.1fx) faster than %s" % (
                result[rival]["cpu"] / row["cpu"],
                result[rival]["wall"] / row["wall"], rival)
        print("%-34s %8.3f %8.3f %7.0f %8.1f %12s  %s" % (
            name, row["wall"], row["cpu"], size / 1e6 / row["wall"],
            row["peak"], of_cat, against))
    print()


def compare(directory, options):
    """The tables of the streams, of the cores, and of the tokens, a tenth of
    the input."""
    path = os.path.join(directory, "log")
    result = {}
    missing = []
    for cases, size in ((STREAM, options.size), (CORES, options.size),
                        (TOKENS, options.size / 10)):
        here = [case for case in cases if present(case[1])]
        missing += [case[0] for case in cases if case not in here]
        logs.make_log(path, size, options.short)
        result.update(measure(here, path, options.runs))
        table(here, result if cases is STREAM else
              {name: result[name] for name, _, _ in here},
              os.path.getsize(path))
    for name in missing:
        print("missing: " + name)
    return {"size": options.size, "runs": options.runs,
            "short": options.short, "machine": platform.platform(),
            "cases": result, "missing": missing}


def growth(directory, options):
    """Seconds of the processor and MiB for 1x, 10x and 100x."""
    found = {name: [] for name, _, _ in GROWING}
    for scale in (100, 10, 1):
        path = os.path.join(directory, "grown")
        logs.make_log(path, options.size / scale)
        result = measure(GROWING, path, options.runs)
        for name, row in result.items():
            found[name].append((row["cpu"], row["peak"]))
    print("%-34s %s" % ("", "cpu s and MiB for 1x, 10x, 100x; the last against"
                        " ten times the one before"))
    for name, list_ in found.items():
        print("%-34s %s  %.2f" % (name, "  ".join(
            "%7.3f %6.1f" % pair for pair in list_),
            list_[2][0] / list_[1][0] / 10))
    return found


def again(writer, text, times):
    """Writes a log so many times, its system message once and with new ids
    each time; nobody need read it to the end."""
    body = text[text.index(b"\n") + 1:]
    with os.fdopen(writer, "wb", buffering=0) as out:
        try:
            for i in range(times):
                rest = memoryview(text if i == 0 else body.replace(
                    b'"call_', b'"call_%d_' % i))
                while rest:
                    rest = rest[out.write(rest):]
        except BrokenPipeError:
            pass


def endless(directory, options):
    """Peak MiB over a tenth of so many GB, and over all of them; what it is
    made of never is a file of that size."""
    path = os.path.join(directory, "log")
    logs.make_log(path, 50)
    with open(path, "rb") as log:
        text = log.read()
    found = {}
    print("%-34s %10s %10s" % ("peak MiB", "%g GB" % (options.endless / 10),
                               "%g GB" % options.endless))
    for name, command, _ in BOUNDED:
        found[name] = []
        for gigabytes in (options.endless / 10, options.endless):
            reader, writer = os.pipe()
            feed = threading.Thread(target=again, args=(
                writer, text, int(gigabytes * 1e9 / len(text)) + 1))
            feed.start()
            with os.fdopen(reader, "rb") as stdin:
                found[name].append(peak(command, stdin))
            feed.join()
        print("%-34s %10.1f %10.1f" % (name, *found[name]), flush=True)
    return found


def start(directory, options):
    """Milliseconds from fork to end for one short message."""
    path = os.path.join(directory, "one")
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"role":"user","content":"Ten tokens, please."}\n')
    found = {}
    for command in (["true"], ["ctx-count"], ["ctx-prune", "-b", "8k"],
                    ["ctx-truncate"], ["ctx-age"], ["ctx-restore"],
                    ["ctx-check"], ["ctx-cache", "--provider", "anthropic"]):
        list_ = [run(command, path) for _ in range(10 * options.runs)]
        found[command[0]] = tuple(
            1000 * statistics.median(f[i] for f in list_) for i in (0, 1))
        print("%-14s %6.2f ms, %.2f of the processor" % (
            command[0], *found[command[0]]))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=float, default=100, help="MB")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--short", action="store_true",
                        help="leave the sample's results as they are")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--endless", type=float, metavar="GB")
    parser.add_argument("--start", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    what = (growth if options.growth else endless if options.endless else
            start if options.start else compare)
    with tempfile.TemporaryDirectory() as directory:
        result = what(directory, options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
