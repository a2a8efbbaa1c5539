#!/usr/bin/env python3
"""Prints splitters.json: how the PyPI package tokenizers (0.23) splits.

For each list of patterns (a Sequence of Split, Isolated) and each text, the
pieces.  A maintainer's tool, the tests only read the file:

    pip install tokenizers
    python3 tests/corpus/splitters.py > tests/corpus/splitters.json
"""
import json
import random

from tokenizers import Regex, pre_tokenizers

GPT2 = (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|"
        r"\s+(?!\S)|\s+")
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
          r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = [
    r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"
    "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|"
    "\\s*[\r\n]+|\\s+(?!\\S)|\\s+"]
BLOOM = [r" ?[^(\s|[.,!?…。，、।۔،])]+"]
PATTERNS = [
    [GPT2], [LLAMA3], DEEPSEEK, BLOOM, [r"\p{N}", GPT2], [r"\p{N}+", LLAMA3],
    [r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|"
     r"\s*[\r\n]+|\s+(?!\S)|\s+"],
    [r"(?:(?i:'[sdmt]|'ll)|\p{Lu}?\p{Ll}{2,}|[[.]a-f0-9]{,3}x|\x{e9}|\u4e2d)"],
    [r"a+?b|(a|ab)(c|bcd)|\s{2,3}?\S|[^\s\d-]|\P{L}\p{^P}(?=x)"],
    [".+", r"[\d\-_]+|\D"], ["\n", " +"], ["é|ſ|(?i:k)"]]
PARTS = list("aZbQx  \n\r\t1234'sSdlLrRvVeEmMtTfikKcd/;!?-=(\"_{}[]|.,&^$")
PARTS += [
    "'s", "'LL", "ſ", "'ſ", "\u212a", "\u0085", "\u00a0", "\u3000", "中",
    "文", "の", "カ", "゠", "ー", "한", "é", "É", "ж", "Ж", "ǅ", "ʰ", "\u0301",
    "Ⅷ", "½", "٣", "–", "’", "，", "。", "😀", "\ufe0f", "\u200d", "\ufeff",
    "𝔸", "ำ", "€", "+", "\u2028", "\u0378", "\U000e0001", "\ue000", "ß", "ﬁ",
    "\x7f", "一", "龥", "龦", "۔", "…", "\U00011de0"]


def make_text(rnd):
    few = [rnd.choice(PARTS) for _ in range(rnd.randrange(2, 10))]
    text = ""
    for _ in range(rnd.randrange(1, 60)):
        part = rnd.choice(few if rnd.random() < 0.7 else PARTS)
        text += part * (rnd.randrange(1, 20) if rnd.random() < 0.05 else 1)
    return text


def main():
    rnd = random.Random(16)
    lines = []
    for patterns in PATTERNS:
        splitter = pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(p), "isolated") for p in patterns])
        cases = []
        for _ in range(30):
            text = make_text(rnd)
            cases.append([p for p, _ in splitter.pre_tokenize_str(text)])
        lines.append(json.dumps({"patterns": patterns, "pieces": cases}))
    print("[" + ",\n".join(lines) + "]")


main()
