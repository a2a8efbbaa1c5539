"""kinds.py - texts of ten kinds, and random strings, for comparisons with other
tokenizers

TEXTS is the number of texts of most kinds (50).  Most are the beginnings of files
of this machine.
"""
import base64
import functools
import glob
import gzip
import os
import subprocess
import unicodedata

FILES = int(os.environ.get("TEXTS") or 50)  # of each kind
CODE = ["c", "py", "pl", "sh", "js", "rb", "java", "go", "rs", "cpp", "tcl"]
SCRIPTS = [
    "LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW", "ARABIC", "SYRIAC",
    "THAANA", "NKO", "SAMARITAN", "MANDAIC", "DEVANAGARI", "BENGALI",
    "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA",
    "MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "GEORGIAN",
    "HANGUL", "ETHIOPIC", "CHEROKEE", "CANADIAN", "OGHAM", "RUNIC", "TAGALOG",
    "KHMER", "MONGOLIAN", "LIMBU", "BALINESE", "SUNDANESE", "HIRAGANA",
    "KATAKANA", "BOPOMOFO", "CJK", "YI", "VAI", "JAVANESE", "TIFINAGH",
    "COPTIC", "GOTHIC", "ADLAM", "CUNEIFORM"]
HARD = list(
    "aAbBzZé'’‘“” \n\t\r.,;=-_(){}[]<>\"`~|/\\#*0123456789²½٣۴१०漢字가각ᄀかガゞー々〆。、"
    "）（：？ıİßẞΣςσǅǆⅠⅷⒶⓐϴθϓℂℳ—»«•°„–−£§€…√→№†└│·─═█〄〒") + [
    chr(c) for c in (
        0, 1, 8, 0xb, 0xc, 0x1f, 0x7f, 0x80, 0x85, 0x9f, 0xa0, 0xad, 0x300,
        0x301, 0x308, 0x31b, 0x323, 0x327, 0x338, 0x345, 0x378, 0x3f4, 0x5b0,
        0x64b, 0x700, 0x711, 0x730, 0x73f, 0x7fd, 0x898, 0x93c, 0x93e, 0x94d,
        0x9be, 0xbcd, 0xcf3, 0xe32, 0xe33, 0xe4d, 0xeb2, 0xecd, 0x1161,
        0x11a8, 0x1680, 0x1abf, 0x1ac0, 0x1c89, 0x1c8a, 0x2000, 0x200b,
        0x200d, 0x2028, 0x2029, 0x202f, 0x205f, 0x2126, 0x212b, 0x2460,
        0x3000, 0x3007, 0x3031, 0x3099, 0x31f0, 0xa7cb, 0xd7a3, 0xe000,
        0xf8ff, 0xf900, 0xfb1d, 0xfdd0, 0xfdd1, 0xfdd2, 0xfdd3, 0xfdd4,
        0xfdef, 0xfe00, 0xfe0f, 0xfeff, 0xff0c, 0xff10, 0xffa1, 0xfffd,
        0xfffe, 0xffff, 0x10400, 0x11930, 0x11935, 0x1d160, 0x1d7ce, 0x1f468,
        0x1f642, 0x1f3fd, 0x20000, 0x2f800, 0xe0101, 0xf0000, 0x10ffff,
        0xd800, 0xdfff)] + [
    "'s", "'t", "'re", "'ll", "'ve", "'d", "'m", " the ", "The", "HTTP",
    "  ", "\n\n", "\r\n", "===", "```", "don't", "I'm", "WiFi", "ABCD"]


@functools.cache
def files_by_ending():
    """The files of this machine, by what follows the first dot."""
    found = {}
    for directory in ("/usr/share", "/usr/include", "/usr/lib"):
        for path, _, names in os.walk(directory):
            for name in names:
                ending = name.partition(".")[2]
                found.setdefault(ending, []).append(os.path.join(path, name))
    return found


def files(r, endings, size=4000):
    """Beginnings of files of this machine that are UTF-8."""
    names = []
    for ending in endings:
        some = sorted(files_by_ending().get(ending, []))
        names += r.sample(some, min(len(some), FILES))
    r.shuffle(names)
    found = []
    for name in names:
        try:
            opened = gzip.open if name.endswith(".gz") else open
            with opened(name, "rb") as f:
                text = f.read(size).decode("utf-8", "ignore")
        except OSError:
            continue
        if text:
            found.append(text)
        if len(found) == FILES:
            break
    return found


def script_texts(r):
    named = {}
    for cp in range(0x110000):
        name = unicodedata.name(chr(cp), "")
        for script in SCRIPTS:
            if name.startswith(script + " "):
                named.setdefault(script, []).append(chr(cp))
    for script in SCRIPTS:
        chars = named[script]
        yield "".join(r.choice(chars) if r.random() < .85
                      else r.choice([" ", " ", ", ", ". ", "\n", "1", "-"])
                      for _ in range(600))


def kinds(r):
    def noise(chars, n=1500):
        return ["".join(r.choice(chars) for _ in range(n))
                for _ in range(FILES)]
    yield "English", files(r, ["1.gz", "8.gz", "5.gz"])
    yield "code", files(r, CODE)
    yield "JSON, tool output", files(r, ["json", "txt", "list", "xml"])[:30] \
        + [subprocess.run(["ls", "-l", d], stdout=subprocess.PIPE,
                          check=False).stdout.decode("utf-8", "ignore")[:4000]
           for d in sorted(glob.glob("/usr/*/*/"))[:20]]
    yield "scripts", script_texts(r)
    yield "emoji", noise([chr(c) for c in range(0x1f300, 0x1fb00)] +
                         ["\u200d", "\ufe0f", "❤", "☺", " ", "\U0001f1e6"],
                         500)
    yield "base64", [base64.b64encode(r.randbytes(1500)).decode()
                     for _ in range(FILES)]
    yield "white space", noise([" ", " ", "\t", "\n", "\r\n", "\u00a0",
                                "\u2003", "\u3000", "\u2028", "x"])
    yield "control characters", noise([chr(c) for c in range(32)] +
                                      ["\x7f", "\x85", "\x9f", "a", " "])
    yield "noncharacters", noise([chr(c) for c in (
        *range(0xfdd0, 0xfdf0), 0xfffe, 0xffff, 0x1fffe, 0x10ffff, 0xe000,
        0xf8ff, 0xf0000, 0x378, 0x20, 0x61, 0x2c)], 300)
    yield "lone escapes", noise(["\ud800", "\udbff", "\udc00", "\udfff", "a",
                                 " ", ".", "é"], 300)


def strings(r, n):
    """n random strings of characters that tokenizers treat specially."""
    return ("".join(r.choice(HARD) for _ in range(r.choice(
        [1, 2, 3, 4, 5, 6, 8, 12, 20, 40]))) for _ in range(n))
