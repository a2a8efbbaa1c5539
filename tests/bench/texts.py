#!/usr/bin/env python3
"""Measures how far estimated token counts are from a model's own tokenizer.

A model whose tokenizer is not built in is counted with o200k_base and a factor
(ctx-encoding(7)).  This script makes texts of several kinds, counts each by the
name of the model and by the model's tokenizer, and prints the error in percent.

    tests/bench/texts.py [--ctx-count FILE] MODEL=TOKENIZER...

For the table of lib/cost/NOTES.md, with the files that ctx-count --models names:

    tests/bench/texts.py gemini-2.5-pro=gemma.json llama-3.3=llama.json \\
        deepseek-v4=deepseek.json qwen3=qwen.json qwen3.5=qwen35.json \\
        glm-5=glm.json minimax-m2=minimax.json \\
        mistral-nemo=tekken.json kimi-k2=tiktoken.model

The texts are made from files of this repository, and from the manual pages in
other languages that are installed (Debian: manpages-de, manpages-fr,
manpages-ja, manpages-ru, manpages-uk, manpages-zh).  A text has at most 200,000
bytes.
"""
import argparse
import base64
import glob
import gzip
import hashlib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                    os.pardir)
MOST = 200000

# Emoji, some with modifiers, or of several characters.
EMOJI = ["\U0001f600", "\U0001f44d\U0001f3fd", "\u2764\ufe0f", "\U0001f680",
         "\U0001f469\u200d\U0001f4bb", "\U0001f1f3\U0001f1f4", "\u2705",
         "\U0001f389", "\U0001f914", "\u26a0\ufe0f", "\U0001f525", "\U0001f4c1"]


def read(*patterns):
    """The beginning of the files of the repository that match."""
    text = ""
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, encoding="utf-8", errors="replace") as f:
                text += f.read()
    return text


def prose(text):
    """The sentences of manual pages, without their markup."""
    text = re.sub(r"(?m)^[.'].*\n", "", text)
    return re.sub(r"\\f[A-Z]|\\&|\\", "", text)


def manual(language, other=False):
    """Manual pages of a language; other: only lines in another script."""
    text = ""
    for path in sorted(glob.glob("/usr/share/man/%s/man[1-8]/*.gz" % language)):
        with gzip.open(path, "rt", encoding="utf-8", errors="ignore") as f:
            text += prose(f.read())
        if len(text) > 3 * MOST:
            break
    if other:
        text = "".join(line for line in text.splitlines(True)
                       if sum(c > "\u02ff" for c in line) * 2 > len(line))
    return text


def hashes():
    """64 hexadecimal digits per line."""
    return "".join(hashlib.sha256(b"%d" % i).hexdigest() + "\n"
                   for i in range(2000))


def emoji():
    digits = "".join(hashlib.sha256(b"e%d" % i).hexdigest()
                     for i in range(100))
    return "".join(EMOJI[int(a + b, 16) % len(EMOJI)] + (" " if a > "9" else "")
                   for a, b in zip(digits[::2], digits[1::2]))


def blanks():
    """The white space of sources: their words are removed."""
    return re.sub(r"[^\s]+", "", read("lib/*/*.c", "tests/bench/*.py"))


KINDS = [
    ("English", lambda: prose(read("man/*.[17]"))),
    ("code", lambda: read("lib/tokenizer/*/*.c", "tests/bench/*.py")),
    ("JSON", lambda: read("tests/corpus/*/*.json", "tests/corpus/*/*.jsonl")),
    ("German", lambda: manual("de")),
    ("French", lambda: manual("fr")),
    ("Russian", lambda: manual("ru", True)),
    ("Chinese", lambda: manual("zh_CN", True)),
    ("Japanese", lambda: manual("ja", True)),
    ("Korean", lambda: manual("ko", True)),
    ("emoji", emoji),
    ("base64", lambda: base64.b64encode(hashlib.shake_256(b"b").digest(
        60000)).decode()),
    ("hex digits", hashes),
    ("white space", blanks),
]


def cut(text):
    return text.encode()[:MOST].decode(errors="ignore")


def count(program, text, *how):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        said = subprocess.run([program, "--text", "--json", *how, f.name],
                              stdout=subprocess.PIPE, check=True)
    return int(re.search(rb'"tokens":(\d+)', said.stdout).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pair", nargs="+", metavar="MODEL=TOKENIZER")
    parser.add_argument("--ctx-count", default="ctx-count")
    options = parser.parse_args()
    pairs = [pair.split("=", 1) for pair in options.pair]
    if any(len(pair) != 2 for pair in pairs):
        sys.exit("texts: MODEL=TOKENIZER expected")
    print("%-12s" % "" + "".join("%14s" % model for model, _ in pairs))
    for name, make in KINDS:
        text = cut(make())
        if not text:
            print("%-12s no such text is installed" % name)
            continue
        line = "%-12s" % name
        for model, tokenizer in pairs:
            true = count(options.ctx_count, text, "-e", tokenizer)
            said = count(options.ctx_count, text, "-m", model)
            line += "%+13.0f%%" % (100 * (said - true) / true)
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
