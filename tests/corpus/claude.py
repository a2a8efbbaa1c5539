#!/usr/bin/env python3
"""Writes claude-cases.bin: what the PyPI package ctok 1.3.0 counts.

A maintainer's tool, the tests only read the file.  With Python 3.12:

    pip install ctok==1.3.0
    python3.12 tests/corpus/claude.py > tests/corpus/claude-cases.bin

The file holds cases, then blocks.  A case is the length of a text in bytes (two
bytes, the lower first), the text, and its tokens in each encoding (two bytes
each).  Length 0 ends the cases.  A block is for 256 code points, of which each
is counted in each of the CONTEXTS: the FNV-1a sum (four bytes, the lowest
first) of the low bytes of these counts, for each encoding.
"""
import random
import struct
import sys

from ctok import main, token_count

# Version and tokens of the frame of a message: claude-3, claude-4.7, claude-4.8.
FAMILIES = [("3.0", 7), ("4.7", 11), ("4.8", 6)]
CONTEXTS = ["%s", "a%sb", "x %s ", " %s\n", "1 %s%s 漢", ". %s,"]
BLOCKS = [b for b in range(256) if not 0xd8 <= b < 0xf8] + \
    [0x103, 0x110, 0x119, 0x1d1, 0x1d4, 0x1d7, 0x1e0, 0x1f3, 0x1f6, 0x200,
     0x2f8, 0xe01]
HARD = list(
    "aAbBzZé'’‘“ \n\t\r.,;=-_(){}0123456789²½٣۴१०漢字가각ᄀかガゞー々〆。、）（：ıİßẞΣςσǅǆⅠⅷⒶ"
    "ⓐθϓℂ") + [
    "\u0301", "\u0308", "\u0323", "\u0327", "\u0338", "\u094d", "\u093e",
    "\u0bcd", "\u1161", "\u11a8", "\u3099", "\u3000", "\u00a0", "\u2028",
    "\0", "\x01", "\x1f", "\x85", "\ue000", "\uf8ff", "\ufdd0", "\ufdd1",
    "\ufdd2", "\ufdd3", "\ufdd4", "\ufe0f", "\ufe00", "\u200d", "\u200b",
    "\ufeff", "🙂", "👍", "🏽", "\U000e0101", "\U00011935", "\U00011930",
    "\U0001d160", "\u2126", "\u212b", "\u03f4", "\u0e4d", "\u0e32", "\u0730",
    "\u0711", "\u0700", "\u1ac0", "\u1abf", "\u0898", "\ufffd", "\uff10",
    "'s", "'t", "'re", "'ll", " the ", "The", "HTTP", "  ", "\n\n", "\r\n",
    "===", "```", "/* ", "0x", "\\n", "\">", "://", "don't", "I'm"]


def surfaces():
    """What the pieces of both vocabularies stand for, by script."""
    scripts = {}
    for version in ("3.0", "4.7"):
        for piece in main._model(main._family(version)).vocab:
            text = "".join(c for c in piece if not "\ufdd0" <= c <= "\ufdd4")
            if text:
                scripts.setdefault(ord(text[0]) // 128, set()).add(text)
    return {script: sorted(texts) for script, texts in scripts.items()}


def cases(r):
    scripts = surfaces()
    for script in sorted(scripts):
        texts = scripts[script]
        for _ in range(3 if script else 300):
            words = [r.choice(texts) for _ in range(r.randint(1, 15))]
            yield r.choice(["", " ", " ", ", ", "\n"]).join(words)
    for _ in range(300):
        some = [r.choice(scripts[r.choice(sorted(scripts))])
                for _ in range(r.randint(1, 12))]
        yield "".join(w + r.choice(["", " ", " ", "  ", "-", "\n  "])
                      for w in some)
    for _ in range(1500):
        yield "".join(r.choice(HARD) for _ in range(
            r.choice([1, 2, 3, 4, 6, 9, 15, 30])))
    for c in " \n\t=-_*#.0aA漢²\u3000":
        for n in (1, 2, 3, 5, 17, 33, 64, 65, 127, 128, 129, 130, 260, 999):
            yield c * n
            yield "x" + c * n + "y"
    for n in range(140):
        yield "text" + "\n" * n


def number(n):
    return struct.pack("<H", n)


def write_cases(out):
    seen = set()
    for text in cases(random.Random(33)):
        raw = text.encode()
        if raw in seen or not raw:
            continue
        seen.add(raw)
        out.write(number(len(raw)) + raw)
        for version, frame in FAMILIES:
            out.write(number(token_count(text, version) - frame))
    out.write(number(0))


def write_blocks(out):
    for block in BLOCKS:
        out.write(number(block))
        for version, frame in FAMILIES:
            total = 0x811c9dc5
            for cp in range(block * 256, block * 256 + 256):
                for context in CONTEXTS:
                    text = context.replace("%s", chr(cp))
                    n = token_count(text, version) - frame
                    total = (total ^ (n & 255)) * 0x1000193 % 2**32
            out.write(struct.pack("<I", total))


if __name__ == "__main__":
    write_cases(sys.stdout.buffer)
    write_blocks(sys.stdout.buffer)
