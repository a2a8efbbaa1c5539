#!/usr/bin/env python3
"""claude.py - make the data of Claude's encodings from the PyPI package ctok

A tool for maintainers; the build does not need it.  With Python 3.12, whose
Unicode data are of version 15.0, and ctok 1.3.0 installed:

    python3.12 lib/gen/claude.py DIRECTORY

writes claude-3.pieces, claude-4.7.pieces, claude_chars.tsv and nfc15.tsv into
DIRECTORY; lib/gen/data/README says what these files contain.
"""
import importlib
import os
import sys
import unicodedata

from ctok import constants, main

# "from ctok import normalize" would import a function of this name.
normalize = importlib.import_module("ctok.normalize")

# For each marker character of ctok: the byte that stands for it in a piece
# (token of the vocabulary).  These bytes never occur in UTF-8.
MARKERS = {constants.BOW_G: b"\xf8", constants.EOW_G: b"\xf9",
           constants.SHIFT_G: b"\xfa", constants.CAPS_G: b"\xfb"}
CLASSES = {normalize.WORDY: "W", normalize.DIGIT: "D", normalize.PUNCT: "P",
           normalize.SPACE: "S", normalize.HARD: "H"}


def write_pieces(directory, family, name):
    model = main._model(family)
    pieces = {b"".join(MARKERS.get(c) or c.encode() for c in piece)
              for piece in model.vocab}
    pieces |= {bytes.fromhex(token) for token in model.bytes.tokens}
    with open(os.path.join(directory, name + ".pieces"), "wb") as out:
        for piece in sorted(pieces):
            out.write(bytes([len(piece)]) + piece)


def composing():
    """Returns the characters that NFC composes with an earlier character, and
    the letters that NFC composes to Hangul syllables, which have the class
    H."""
    found = set(range(0x1100, 0x1113)) | set(range(0x1161, 0x1176)) | \
        set(range(0x11a8, 0x11c3))
    for cp in range(0x110000):
        parts = unicodedata.decomposition(chr(cp)).split()
        if len(parts) == 2 and parts[0][0] != "<":
            found.add(int(parts[1], 16))
    return found


COMPOSING = composing()


def properties(c):
    """Returns the letters that stand for the properties of a character in
    claude_chars.tsv."""
    category = unicodedata.category(c)
    is_mark = normalize._MARK.fullmatch(c) is not None
    cls = normalize.classify(c)
    letters = CLASSES[cls]
    if cls == normalize.WORDY and normalize._stray_mark(c):
        letters += "m"
    if normalize._marks_like_punct(c):
        letters += "b"
    if normalize._digit_border(c):
        letters += "n"
    if category in ("Nd", "No"):
        letters += "d" if category == "Nd" else "o"
    if normalize._is_selector(c):
        letters += "v"
    if normalize._is_upper(c):
        letters += "u"
    if normalize._is_lower(c):
        letters += "l"
    if c in normalize._NEW_CASED or category[0] in "LM":
        letters += "a"
    if cls == normalize.WORDY and not is_mark and \
            unicodedata.normalize("NFC", c) == c and \
            unicodedata.combining(c) == 0 and ord(c) not in COMPOSING:
        letters += "s"
    if constants.STRIP_CONTROL.match(c) or constants.STRIP_PRIVATE.match(c):
        letters += "x"
    if c == "\0" or constants.FUNNY_SPACE.match(c):
        letters += "f"
    return letters


def write_chars(directory):
    with open(os.path.join(directory, "claude_chars.tsv"), "w") as out:
        out.write("# How ctok 1.3.0 reads the characters below U+10000, with "
                  "Unicode 15.0: first,\n# last, letters "
                  "(lib/gen/make_claude_chars.c); or first, last, =, the "
                  "lower case\n# of the first.\n")
        first, last = 0, ""
        for cp in range(0x10001):
            now = "" if cp == 0x10000 else "x" if 0xd800 <= cp < 0xe000 \
                else properties(chr(cp))
            if now == last:
                continue
            if last not in ("", "H"):
                out.write("%04X\t%04X\t%s\n" % (first, cp - 1, last))
            first, last = cp, now
        begin = before = None
        for cp in range(0x10001):
            lower = None
            if cp < 0x10000 and not 0xd800 <= cp < 0xe000 and cp != 0x130:
                lower = normalize._lower(chr(cp))
                assert len(lower) == 1
                lower = None if lower == chr(cp) else ord(lower) - cp
            if lower == before:
                continue
            if before is not None:
                out.write("%04X\t%04X\t=\t%04X\n"
                          % (begin, cp - 1, begin + before))
            begin, before = cp, lower


def write_nfc(directory, old):
    """Writes nfc15.tsv: the characters whose combining class or decomposition is
    not in nfc9.tsv.  old: path of nfc9.tsv."""
    lines = set(open(old).read().splitlines())
    known, mapped = {}, set()
    for line in lines:
        fields = line.split("\t")
        if line.startswith("#"):
            continue
        if fields[1] == "=":
            mapped.add(int(fields[0], 16))
            continue
        for cp in range(int(fields[0], 16), int(fields[1], 16) + 1):
            known[cp] = int(fields[2])
    with open(os.path.join(directory, "nfc15.tsv"), "w") as out:
        out.write("# What NFC of Unicode 15.0 has and nfc9.tsv has not, in "
                  "its form\n")
        maps = []
        for cp in range(0x110000):
            c = chr(cp)
            if unicodedata.combining(c) != known.get(cp, 0):
                out.write("%04X\t%04X\t%d\n"
                          % (cp, cp, unicodedata.combining(c)))
            to = unicodedata.decomposition(c)
            if to and to[0] != "<" and cp not in mapped and \
                    not 0xac00 <= cp <= 0xd7a3:
                excluded = unicodedata.normalize("NFC", c) != c
                maps.append("%04X\t=\t%s%s\n"
                            % (cp, to, " X" if excluded else ""))
        out.write("".join(maps))


if __name__ == "__main__":
    to = sys.argv[1]
    write_pieces(to, "v3", "claude-3")
    write_pieces(to, "v4.7", "claude-4.7")
    write_chars(to)
    write_nfc(to, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                               "data", "nfc9.tsv"))
