#!/usr/bin/env python3
"""Do ctx and the rivals give the same answers (make bench-answers)?

Counts of an agent's log, by every counter of the same encoding; what is left
of chats by every trimmer that drops the oldest messages, at several budgets;
and the records that are cut at a limit.  The status is 1 if any differ; who is
not there is named.
"""
import json
import os
import subprocess
import sys
import tempfile

import logs
import run

ENCODING = "o200k_base"
# Beyond the newest message and its question, which ctx never drops.
BUDGETS = (5000, 10000, 20000)


def output(command, path):
    with open(path, "rb") as stdin:
        return subprocess.run(command, stdin=stdin, capture_output=True,
                              check=False).stdout


def say(what, good):
    print("%-60s %s" % (what, "the same" if good else "DIFFERENT"))
    return good


def counts(path):
    """Tokens of all messages, then of the whole text."""
    ours = output(["ctx-count", "-e", ENCODING], path).split()[0]
    text = output(["ctx-count", "-e", ENCODING, "--text"],
                  path).split()[0]
    good = True
    for name, command, want in (
            ("PyPI tiktoken", run.python("count"), ours),
            ("npm gpt-tokenizer", run.node("gpt-tokenizer"), ours),
            ("npm tiktoken", run.node("tiktoken"), ours),
            ("npm js-tiktoken", run.node("js-tiktoken"), ours),
            ("PyPI ttok", run.python("ttok"), text)):
        if not run.present(command):
            print("missing: " + name)
            continue
        good &= say("%s tokens by %s" % (want.decode(), name),
                    output(command, path).split()[-1:] == [want])
    return good


def kept(directory):
    """Chats at several budgets."""
    path = os.path.join(directory, "chat")
    good = True
    for seed in range(3):
        logs.make_chat(path, 120, seed)
        for budget in BUDGETS:
            ours = output(["ctx-prune", "-s",
                           "pinned-fifo", "-l", "light", "-k", "1", "-t", "0",
                           "-e", ENCODING, "-b", str(budget)], path)
            for name, command in (
                    ("PyPI langchain-core", run.python("langchain",
                                                       str(budget))),
                    ("npm @langchain/core", run.node("@langchain/core",
                                                     str(budget)))):
                if not run.present(command):
                    print("missing: " + name)
                    continue
                theirs = output(command, path)
                good &= say("chat %d within %d by %s: %d messages" % (
                    seed, budget, name, len(ours.splitlines())),
                    same(ours, theirs))
    return good


def same(ours, theirs):
    return ([json.loads(line) for line in ours.splitlines()] ==
            [json.loads(line) for line in theirs.splitlines()])


def cuts(path):
    command = ["jq", "-c", run.EDIT]
    if not run.present(command):
        print("missing: jq")
        return True
    with open(path, "rb") as log:
        lines = log.read().splitlines()
    sides = [output(one, path).splitlines() for one in (
        ["ctx-truncate", "-l", str(run.LIMIT)], command)]
    # By their contents: jq writes some numbers of other members anew.
    cut = [{i for i, (a, b) in enumerate(zip(lines, side))
            if json.loads(a)["content"] != json.loads(b)["content"]}
           for side in sides]
    return say("%d of %d records cut by jq" % (len(cut[0]), len(lines)),
               cut[0] == cut[1])


def main():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "log")
        logs.make_log(path, 2)
        good = counts(path)
        good &= kept(directory)
        good &= cuts(path)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
