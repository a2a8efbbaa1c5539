#!/usr/bin/env python3
"""Prints nfc.json: what the PyPI package tokenizers (0.23) normalises.

A small byte-level vocabulary with NFC, made from composed words; for each of
some splitters and lists of added tokens, texts and their ids; and what NFC
makes of every code point between others, as one FNV-1a sum for each 4096 of
them.  A maintainer's tool, the tests only read the file:

    pip install tokenizers
    python3 tests/corpus/nfc.py > tests/corpus/nfc.json
"""
import json
import random

from tokenizers import (Tokenizer, models, normalizers, pre_tokenizers,
                        trainers)

WORDS = ("the quick brown fox and then the café crème naïve Ångström über "
         "Đặng Thị Hương Nguyễn Việt những được παράδειγμα ᾅδης Ώρα ёлка "
         "йод хороший 한국어 대한민국 각나다 がぎぐげご パピプペポ ড় য় বাংলা "
         "தமிழ் கொள்கை हिन्दी क़लम शांति בְּרֵאשִׁית مُؤَسَّسَة أؤإئ 中文 語 神社 ṩ ǖ ắ")
QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?"
         r"[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
# content, normalized
NAMES = [("<t>", False), ("e\u0301e", False), ("e\u0301a", True),
         ("\u00e9b", True), ("o\u0308", True), ("K;`", False), ("K;", True),
         ("a\u0301\u0327x", True), ("<tool>", True), ("\uac00\u11a8", False),
         ("\uac01z", True), (">\u0338", False), (" \u0301", True)]
MARKS = [chr(c) for c in (
    0x300, 0x301, 0x302, 0x303, 0x304, 0x308, 0x30a, 0x30c, 0x323, 0x327,
    0x328, 0x31b, 0x338, 0x345, 0x653, 0x654, 0x93c, 0x9be, 0xbbe, 0x1161,
    0x1162, 0x11a8, 0x3099, 0x309a, 0x344, 0x340, 0x334, 0x1d165, 0x64b,
    0xe48, 0x897, 0xf73, 0x5b4, 0x5bc)]
PARTS = list("aeiouAEKk;`<>=  \n12'.,x") + WORDS.split(" ") + [
    "<t>", "<tool>", "K;`", "K;", "\u212a", "\u037e", "\u1fef", "e\u0301e",
    "éa", "e\u0301a", "ééb", "cafe\u0301", "    ", "  \u0301",
    "\uac01z", "\uac00\u11a8", "क\u093cि", "\u0958", "\u1100\u1161\u11a8",
    "\u1100", "\u1161", "’s", "'s", "u\u031b\u0323", "\ufb1d", "ö\u0304",
    "😀", "\ufe0f", "ι\u0308\u0301", "\u1fbe", "\u2126\u0313\u0300\u0345",
    "\u0305", "\u212b", "a\u0327\u0301x", "á\u0327x", "\U0001d160",
    "\U00011935\U00011930", "\U0002f800", "\ufffd", "\u0344"]
AROUND = [("", ""), ("a", "\u0301\u0323"), ("q\u0345", "e\u0308")]


def make_text(rnd):
    few = [rnd.choice(PARTS) for _ in range(4)]
    mark = rnd.choice(MARKS)
    text = ""
    for _ in range(rnd.randrange(1, 40)):
        r = rnd.random()
        text += (rnd.choice(few) if r < .4 else rnd.choice(PARTS) if r < .7
                 else mark * rnd.choice([1, 1, 2, 9]) if r < .85
                 else rnd.choice(MARKS))
    return text


def make_tokenizer():
    t = Tokenizer(models.BPE())
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator([WORDS] * 5, trainers.BpeTrainer(
        vocab_size=620, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return json.loads(t.to_str())


def sum_of(texts):
    value = 0xcbf29ce484222325
    for byte in "\0".join(texts).encode():
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return f"{value:016x}"


def main():
    rnd = random.Random(9)
    tokenizer = make_tokenizer()
    byte_level = {"type": "ByteLevel", "add_prefix_space": False,
                  "trim_offsets": True, "use_regex": False}
    regex = {"type": "Split", "behavior": "Isolated", "invert": False}
    gpt2 = dict(byte_level, use_regex=True)
    splitters = [
        gpt2, [dict(regex, pattern={"Regex": QWEN2}), byte_level],
        [dict(regex, pattern={"Regex": "[^,;]+[,;]*|x"}), gpt2]]
    first = len(tokenizer["model"]["vocab"])
    names = [{"id": first + i, "content": c, "normalized": n, "special": False,
              "single_word": False, "lstrip": False, "rstrip": False}
             for i, (c, n) in enumerate(NAMES)]
    lists = []
    for splitter, added in zip(splitters + splitters[:1],
                               [[], names, names, names]):
        if isinstance(splitter, list):
            splitter = {"type": "Sequence", "pretokenizers": splitter}
        tokenizer["pre_tokenizer"] = splitter
        tokenizer["added_tokens"] = added
        t = Tokenizer.from_str(json.dumps(tokenizer))
        cases = [make_text(rnd) for _ in range(60)]
        lists.append({"pre_tokenizer": splitter, "added_tokens": added,
                      "cases": [[c, t.encode(c).ids] for c in cases]})
    nfc = normalizers.NFC()
    sums = [sum_of(nfc.normalize_str(before + chr(cp) + behind)
                   for cp in range(block, block + 4096)
                   if not 0xd800 <= cp < 0xe000 for before, behind in AROUND)
            for block in range(0, 0x110000, 4096)]
    del tokenizer["pre_tokenizer"], tokenizer["added_tokens"]
    print(json.dumps({"tokenizer": tokenizer, "lists": lists, "sums": sums},
                     separators=(",", ":")).replace(',[["', ',\n[["')
          .replace(']],["', ']],\n["').replace('],["', '],\n["'))


main()
