#!/usr/bin/env python3
"""Prints char_tokens.json: what sentencepiece and tokenizers encode.

Small vocabularies that merge characters and have byte fallback, trained on the
words below by the PyPI package sentencepiece (0.2.3): as model files, and as
tokenizer.json files that say in several ways what becomes of blanks.  For each
of them texts and their ids, of the models by sentencepiece itself, of the
others by the PyPI package tokenizers (0.23).  At the end, the same of Mistral's
models, which are built in.  A maintainer's tool, the tests only read the file:

    pip install sentencepiece tokenizers protobuf mistral-common
    python3 tests/corpus/char_tokens.py .../mistral_common/data \
        > tests/corpus/char_tokens.json
"""
import base64
import io
import json
import os
import random
import sys

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer

WORDS = ("the quick brown fox and then the other thing in this house on that "
         "road return value; int main(void) { return 0; } if (x == NULL) for "
         "(i = 0; i < n; i++) the café crème naïve über straße жизнь человек "
         "хороший παράδειγμα λόγος 中文 中国 日本語 日本 神社 한국어 대한민국 हिन्दी "
         "ภาษาไทย 123 2026 100 3.14 http://example.org/the/thing.html 😀😀 👍").split(" ")
BLANK = "\u2581"
NAMES = [  # content, normalized
    ("<t>", False), ("\n\n", False), ("x y", True), (BLANK * 2, False),
    ("ing", True), (" \t", False)]
PARTS = WORDS + list("aeintxyз中語ん한é0123 \n\t.,;(){}<>\0\x01\x1f\x7f") + [
    " ", " ", "  ", "   ", " " * 9, " " * 40, "\n\n", BLANK, BLANK * 2,
    BLANK + "the", "the" + BLANK, "<t>", "<ctl>", "<s>", "<unk>", "<0x0A>",
    "x y", "x" + BLANK + "y", " \t", "ing", "\u0416", "ℵ", "😎", "\U0010ffff",
    "\ufdd0", "\ufffe", "\ufffd", "\ufeff", "\u200d", "e\u0301", "\u3000",
    "the" * 30, "a1" * 40, "中文" * 25, "-" * 70, "QUJD" * 20, "\\ud800"]


def train(**options):
    model = io.BytesIO()
    settings = dict(
        model_type="bpe", vocab_size=560, byte_fallback=True,
        character_coverage=0.99, normalization_rule_name="identity",
        remove_extra_whitespaces=False, num_threads=1, minloglevel=2)
    settings.update(options)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=model, **settings)
    return model.getvalue()


def with_runs(model):
    """As in Llama 2, runs of blanks are pieces of one score."""
    proto = sentencepiece_model_pb2.ModelProto.FromString(model)
    for n in (2, 4, 8, 16, 3, 5, 6, 7, 12):
        proto.pieces.add(piece=BLANK * n, score=-1e9)
    return proto.SerializeToString()


def merges_of(pieces):
    """All pairs of pieces that make a piece, in the order of its score."""
    scores = {p.piece: p.score for p in pieces if p.type == 1}
    pairs = [(-scores[name], -len(name), i, [name[:i], name[i:]])
             for name in scores for i in range(1, len(name))
             if name[:i] in scores and name[i:] in scores]
    return [pair for *_, pair in sorted(pairs)]


def as_json(model, names, normalizer, pre_tokenizer):
    pieces = sentencepiece_model_pb2.ModelProto.FromString(model).pieces
    vocab = {p.piece: i for i, p in enumerate(pieces)}
    added = []
    for name, normalized in names:
        added.append({
            "id": vocab.get(name, len(vocab) + sum(
                a["content"] not in vocab for a in added)),
            "content": name, "normalized": normalized, "special": False,
            "single_word": False, "lstrip": False, "rstrip": False})
    return {"version": "1.0", "added_tokens": added, "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "model": {
                "type": "BPE", "unk_token": "<unk>", "fuse_unk": True,
                "byte_fallback": True, "vocab": vocab,
                "merges": merges_of(pieces)}}


def make_text(rnd, parts=PARTS):
    few = [rnd.choice(parts) for _ in range(3)]
    return "".join(rnd.choice(few if rnd.random() < .3 else parts)
                   for _ in range(rnd.randrange(0, 14)))


RND = random.Random(11)
LINES = [" ".join(RND.choice(WORDS) for _ in range(12)) for _ in range(300)]
REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": BLANK}
PREPEND = {"type": "Prepend", "prepend": BLANK}
SPLIT = {"type": "Split", "pattern": {"String": " "},
         "behavior": "MergedWithPrevious", "invert": False}


def metaspace(scheme, split):
    return {"type": "Metaspace", "replacement": BLANK,
            "prepend_scheme": scheme, "split": split}


def models():
    plain = train()
    runs = with_runs(plain)
    yield "prefix", plain
    yield "no prefix", train(add_dummy_prefix=False, split_digits=True)
    yield "runs of blanks", runs
    yield "symbols", train(
        user_defined_symbols=["\n\n", "<t>", BLANK * 2, "ing", "x▁y"],
        control_symbols=["<ctl>"], add_dummy_prefix=False)
    yield "symbols and prefix", train(user_defined_symbols=["<t>", "ing"],
                                      split_by_whitespace=False)
    llama = {"type": "Sequence", "normalizers": [PREPEND, REPLACE]}
    raw = [name for name in NAMES if not name[1]]
    yield "Llama 2", as_json(runs, [], llama, None)
    yield "Llama 2 with names", as_json(runs, NAMES, llama, None)
    yield "Gemma", as_json(runs, [], REPLACE, SPLIT)
    yield "Gemma with names", as_json(runs, NAMES, REPLACE, SPLIT)
    yield "Mistral", as_json(runs, [], None, metaspace("first", False))
    yield "Mistral with names", as_json(runs, raw, None,
                                        metaspace("first", False))
    yield "words", as_json(runs, raw, None, metaspace("always", True))
    yield "no blank before", as_json(runs, raw, None,
                                     metaspace("never", False))


MISTRAL = {
    "mistral-v1": "tokenizer.model.v1",
    "mistral-v3": "mistral_instruct_tokenizer_240323.model.v3",
    "mistral-v7": "mistral_instruct_tokenizer_241114.model.v7"}
MISTRAL_PARTS = PARTS + LINES[:20] + [BLANK * n for n in range(2, 18)] + [
    "[INST]", "[/INST]", "[control_12]", "[REF]", "[/REF]", "[IMG_BREAK]",
    "[REFERENCE_DOC_0]", "[REFERENCE_DOC_19]", "[REFERENCE_DOC_20]"]


def mistral(directory):
    for encoding, file in MISTRAL.items():
        sp = sentencepiece.SentencePieceProcessor(
            model_file=os.path.join(directory, file))
        texts = [""] + [make_text(RND, MISTRAL_PARTS) for _ in range(40)]
        yield {"name": encoding, "encoding": encoding,
               "cases": [[t, sp.encode(t)] for t in texts]}


def main():
    lists = []
    for name, model in models():
        texts = [""] + [make_text(RND) for _ in range(40)]
        one = {"name": name}
        if isinstance(model, bytes):
            one["model"] = base64.b64encode(model).decode()
            sp = sentencepiece.SentencePieceProcessor(model_proto=model)
            one["cases"] = [[t, sp.encode(t)] for t in texts]
        else:
            one["tokenizer"] = model
            t = Tokenizer.from_str(json.dumps(model))
            one["cases"] = [[x, t.encode(x, add_special_tokens=False).ids]
                            for x in texts]
        lists.append(one)
    # Most tokenizers have the same tokens and merges: written once.
    first = next(x["tokenizer"]["model"] for x in lists if "tokenizer" in x)
    for one in lists:
        if "tokenizer" in one:
            assert one["tokenizer"].pop("model") == first
    lists.extend(mistral(sys.argv[1]))
    print(json.dumps({"lists": lists, "model": first},
                     separators=(",", ":")).replace(']],["', ']],\n["')
          .replace('],["', '],\n["').replace('{"name"', '\n{"name"'))


main()
