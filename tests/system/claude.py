#!/usr/bin/env python3
"""Compares ctx-count with the PyPI package ctok, whose counts it reproduces.

    make check-claude PYTHON=python3.12 [CTOK=DIRECTORY] [STRINGS=N] [TEXTS=M]

needs Python 3.12, because the characters of ctx's encodings are those of
Unicode 15.0, and ctok 1.3.0.  DIRECTORY is the unpacked source archive of ctok
(pip download --no-binary :all: ctok==1.3.0): its gates are then run as well,
against the counts of the provider.  N is the number of random strings
(20,000), M the number of texts of most other kinds (50).  Prints a line for each
kind of text, and exits with 1 if a count differs.
"""
import gzip
import json
import multiprocessing
import os
import random
import subprocess
import sys
import unicodedata

import kinds
from ctok import token_count

# Encoding: version of ctok, tokens of its frame, and tokens that ctx-count adds
# to the text of a message.
FAMILIES = {"claude-3": ("3.0", 7, 3), "claude-4.7": ("4.7", 11, 4),
            "claude-4.8": ("4.8", 6, 2)}


def ours(encoding, texts):
    """What ctx-count says of the texts, as messages of one stream.  Every
    second is written with all its characters escaped."""
    lines = []
    for i, text in enumerate(texts):
        message = {"role": "user", "content": text}
        line = json.dumps(message, ensure_ascii=i % 2 == 0)
        # A lone surrogate can only be written as an escape.
        lines.append("".join("\\u%04x" % ord(c) if "\ud800" <= c <= "\udfff"
                             else c for c in line))
    out = subprocess.run(
        ["ctx-count", "--no-sandbox", "-d", "generic", "-e", encoding,
         "--per", "message", "--json"], check=True, stdout=subprocess.PIPE,
        input=("\n".join(lines) + "\n").encode()).stdout
    added = FAMILIES[encoding][2]
    counts = [json.loads(line)["tokens"] - added for line in
              out.splitlines()]
    assert len(counts) == len(texts), (len(counts), len(texts))
    return counts


def differing(job):
    encoding, texts = job
    version, frame, _ = FAMILIES[encoding]
    bad = []
    for text, count in zip(texts, ours(encoding, texts)):
        want = token_count(text, version) - frame if text else 0
        if count != want:
            bad.append((encoding, text[:60], count, want))
    return bad


def compare(pool, kind, texts):
    # Two surrogates that are a pair are one character in JSON.
    texts = [json.loads(json.dumps(text)) for text in texts]
    jobs = [(encoding, texts[i:i + 500]) for encoding in FAMILIES
            for i in range(0, len(texts), 500)]
    bad = [b for found in pool.imap_unordered(differing, jobs) for b in found]
    print("%-20s %8d texts, %d of %d counts differ"
          % (kind, len(texts), len(bad), len(texts) * len(FAMILIES)),
          flush=True)
    for encoding, text, count, want in bad[:5]:
        print("    %s %r: ctx %d, ctok %d" % (encoding, text, count, want))
    return len(bad)


def check_gates(directory):
    """Compares with the counts that the provider reported, in the gates of
    ctok; v5 is Opus 5, which reads white space at the end in another way."""
    bad = 0
    for name, key in (("udhr", "f"), ("rosetta", "id"),
                      ("rosetta_holdout", "id"), ("multipl_e", "lang")):
        base = os.path.join(directory, "tests", "fixtures", name)
        with gzip.open(base + ".jsonl.gz", "rt", encoding="utf-8") as f:
            rows = [json.loads(line) for line in f]
        with open(base + "_counts.json", encoding="utf-8") as f:
            recorded = json.load(f)
        for family, encoding in (("v3", "claude-3"), ("v4.7", "claude-4.7"),
                                 ("v5", "claude-4.8")):
            frame = FAMILIES[encoding][1]
            counts = recorded[family]["counts"]
            wrong = sum(count + frame != counts[row[key]] for count, row in
                        zip(ours(encoding, [row["text"] for row in rows]),
                            rows))
            print("%-20s %8d texts, %d counts differ from those of %s"
                  % (name, len(rows), wrong, recorded[family]["model"]))
            bad += wrong if family != "v5" else 0
    return bad


def main():
    if unicodedata.unidata_version != "15.0.0":
        sys.exit("claude.py: needs Python 3.12, which has Unicode 15.0")
    r = random.Random(int(os.environ.get("SEED", "1")))
    strings = int(os.environ.get("STRINGS") or 20000)
    bad = 0
    with multiprocessing.Pool() as pool:
        for kind, texts in kinds.kinds(r):
            bad += compare(pool, kind, texts)
        bad += compare(pool, "random strings", kinds.strings(r, strings))
    if len(sys.argv) > 1 and sys.argv[1]:
        bad += check_gates(sys.argv[1])
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
