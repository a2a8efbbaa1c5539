#!/usr/bin/env python3
"""How much of what the rest of a session needs is kept by pruning.

measure.py [--budgets 10,25,50] [--policy NAME=OPTIONS]... DIR...

DIR has samples that sets.py has made.  The budget is the system prompt and 10,
25 and 50 % of the other tokens.  For each policy and budget prints, in percent,
the needed strings that the output still has: the mean over samples, and the
interval that has 95 % of the means if sessions are drawn again at random.  In
brackets: runs whose floors exceed the budget (status 1).

A policy is options of ctx-prune (default: every strategy), or one of these,
which are here for comparison and choose among groups (a call with its results):
  random    groups at random
  recency   the newest groups; one that does not fit is passed over
  cover     rare names per root of tokens, each counted once
  oracle    the needed strings per token, which no policy can know
They keep what sets.py assumes that every strategy keeps.
"""
import argparse
import concurrent.futures
import glob
import json
import math
import os
import random
import subprocess
import sys
import zlib

import sets

ENCODING = "o200k_base"
DRAWS = 1000


class Sample:
    def __init__(self, path):
        self.path = path
        base = os.path.basename(path)[:-len(".jsonl")]
        self.session = sets.session_of(base.rsplit("-", 1)[0])
        with open(path, encoding="utf-8") as lines:
            self.messages = [json.loads(line) for line in lines]
        with open(path[:-len("jsonl")] + "needed", encoding="utf-8") as lines:
            self.needed = lines.read().split("\n")[:-1]
        self.texts = [sets.whole_text(m) for m in self.messages]
        rows = subprocess.run(
            ["ctx-count", "-e", ENCODING, "--per", "message", "--tsv", path],
            capture_output=True, text=True, check=True).stdout.split("\n")
        self.tokens = [int(row.split("\t")[0].lstrip("~"))
                       for row in rows[1:] if row]
        self.system = sum(t for t, m in zip(self.tokens, self.messages)
                          if m["role"] == "system")

    def budget(self, percent):
        return self.system + (sum(self.tokens) - self.system) * percent // 100

    def kept(self, text):
        return sum(n in text for n in self.needed) / len(self.needed)

    def groups(self):
        """Lists of message numbers that can be kept only together."""
        result = []
        for i, message in enumerate(self.messages):
            if message["role"] == "tool" and result:
                result[-1].append(i)
            else:
                result.append([i])
        return result


# ---- policies for comparison ----


def always(sample, groups):
    last = max((i for i, m in enumerate(sample.messages)
                if m["role"] == "user"), default=0)
    return [g for g in groups
            if g[-1] >= len(sample.messages) - sets.NEWEST or last in g
            or sample.messages[g[0]]["role"] == "system"]


def fill(sample, percent, order):
    """Keeps groups in this order, passing over those that do not fit."""
    groups = sample.groups()
    kept = always(sample, groups)

    def cost(group):
        return sum(sample.tokens[i] for i in group)

    left = sample.budget(percent) - sum(cost(g) for g in kept)
    over = left < 0
    for group in order([g for g in groups if g not in kept], kept, cost):
        if cost(group) <= left:
            left -= cost(group)
            kept.append(group)
    return "\n".join(sample.texts[i] for g in sorted(kept) for i in g), over


def by_random(sample, percent):
    def order(groups, _kept, _cost):
        random.Random(zlib.crc32(sample.path.encode())).shuffle(groups)
        return groups
    return fill(sample, percent, order)


def by_recency(sample, percent):
    return fill(sample, percent, lambda groups, _kept, _cost: groups[::-1])


def greedy(groups, worth):
    """The group that is worth most, again and again.  Worth falls only, so a
    value computed earlier is a bound."""
    left = [[math.inf, n, g] for n, g in enumerate(groups)]
    while left:
        left.sort(key=lambda e: (-e[0], -e[1]))
        while True:
            now = worth(left[0][2])
            if len(left) < 2 or now >= left[1][0]:
                break
            left[0][0] = now
            left.sort(key=lambda e: (-e[0], -e[1]))
        yield left.pop(0)[2]


def by_cover(sample, percent):
    def order(groups, kept, cost):
        every = sample.groups()
        have = {tuple(g): set().union(*(sets.names(sample.texts[i])
                                        for i in g)) for g in every}
        count = {}
        for found in have.values():
            for name in found:
                count[name] = count.get(name, 0) + 1
        done = set().union(*(have[tuple(g)] for g in kept)) if kept else set()
        for group in greedy(groups, lambda g: sum(
                math.log(len(every) / count[n])
                for n in have[tuple(g)] - done) / math.sqrt(cost(g))):
            done |= have[tuple(group)]
            yield group
    return fill(sample, percent, order)


def by_oracle(sample, percent):
    def order(groups, kept, cost):
        done = {n for n in sample.needed
                if any(n in sample.texts[i] for g in kept for i in g)}
        for group in greedy(groups, lambda g: sum(
                any(n in sample.texts[i] for i in g)
                for n in sample.needed if n not in done) / cost(g)):
            done |= {n for n in sample.needed
                     if any(n in sample.texts[i] for i in group)}
            yield group
    return fill(sample, percent, order)


COMPARED = {"random": by_random, "recency": by_recency, "cover": by_cover,
            "oracle": by_oracle}


def by_prune(sample, percent, options):
    run = subprocess.run(
        ["ctx-prune", "-e", ENCODING, "-b", str(sample.budget(percent))] +
        options + [sample.path], capture_output=True, text=True, check=False)
    if run.returncode > 1:
        sys.exit("ctx-prune %s: %s" % (" ".join(options), run.stderr))
    text = "\n".join(sets.whole_text(json.loads(line))
                     for line in run.stdout.split("\n") if line)
    return text, run.returncode == 1


# ---- figures ----


def interval(scores):
    """The mean over samples, and its interval over sessions."""
    sessions = {}
    for session, score in scores:
        sessions.setdefault(session, []).append(score)
    lists = list(sessions.values())
    rng = random.Random(1)
    means = []
    for _ in range(DRAWS):
        drawn = [s for _ in lists for s in rng.choice(lists)]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    return (sum(s for _, s in scores) / len(scores), means[DRAWS // 40],
            means[-DRAWS // 40])


def policies(args):
    if args.policy:
        pairs = [p.split("=", 1) if "=" in p else [p, None]
                 for p in args.policy]
    else:
        options = subprocess.run(["ctx-prune", "--list-options"],
                                 capture_output=True, text=True,
                                 check=True).stdout
        names = [row.split("\t")[4].split() for row in options.split("\n")
                 if row.split("\t")[1:2] == ["strategy"]][0]
        pairs = [[n, None] for n in COMPARED] + [[n, "-s " + n]
                                                 for n in names]
    for name, options in pairs:
        if options is None:
            yield name, COMPARED[name]
        else:
            yield name, lambda s, p, o=options.split(): by_prune(s, p, o)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", nargs="+")
    parser.add_argument("--budgets", default="10,25,50")
    parser.add_argument("--policy", action="append")
    args = parser.parse_args()
    budgets = [int(b) for b in args.budgets.split(",")]
    samples = [Sample(path) for directory in args.dir
               for path in sorted(glob.glob(directory + "/*.jsonl"))]
    if not samples:
        sys.exit("no samples in " + " ".join(args.dir))
    print("%d samples of %d sessions" % (len(samples),
                                         len({s.session for s in samples})))
    print("%-28s" % "" + "".join("%24s" % ("%d %%" % b) for b in budgets))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, policy in policies(args):
            row = "%-28s" % name
            for percent in budgets:
                runs = list(pool.map(lambda s: policy(s, percent), samples))
                mean, low, high = interval(
                    [(s.session, s.kept(text))
                     for s, (text, _) in zip(samples, runs)])
                over = sum(o for _, o in runs) / len(runs)
                row += "%24s" % ("%.1f [%.0f, %.0f] (%.0f)" % (
                    100 * mean, 100 * low, 100 * high, 100 * over))
            print(row, flush=True)


if __name__ == "__main__":
    main()
