#!/usr/bin/env python3
"""Compares the token ids of libctx with those of the libraries that tokenizer
files are for.

    vocabularies.py LIBCTX [ENCODING=]FILE...

LIBCTX is libctx.so.  FILE is a tokenizer.json, of the PyPI package tokenizers, a
model of the package sentencepiece, or the tiktoken.model of Kimi; libctx encodes with FILE, or with its
built-in ENCODING.  STRINGS is the number of random strings
(20,000); kinds.py has the other texts.  Prints a line for each kind of text,
and exits with 1 if ids differ.
"""
import ctypes
import os
import random
import sys

import kinds


class Error(ctypes.Structure):
    """More bytes than struct ctx_error has."""
    _fields_ = [("bytes", ctypes.c_char * 4096)]


class Ids(ctypes.Structure):
    _fields_ = [("ids", ctypes.POINTER(ctypes.c_uint32)),
                ("n", ctypes.c_size_t)]


def ours(library, path):
    """Returns a function that encodes a text with libctx."""
    encoding, error = ctypes.c_void_p(), Error()
    if library.ctx_encoding_open(ctypes.byref(encoding), path.encode(), None,
                                 ctypes.byref(error)):
        sys.exit("%s: libctx refuses the file" % path)

    def encode(text):
        data, ids = text.encode(), Ids()
        if library.ctx_encoding_encode(
                encoding, data, ctypes.c_size_t(len(data)), ctypes.byref(ids),
                ctypes.byref(error)):
            sys.exit("%s: cannot encode %r" % (path, text))
        found = ids.ids[:ids.n]
        library.ctx_free(ids.ids)
        return found
    return encode


def kimi(path):
    """Returns a function that encodes a text with tiktoken and the pattern of
    Kimi, as the package splintr-rs has it."""
    import base64

    import splintr
    import tiktoken
    with open(path, "rb") as file:
        lines = [line.split() for line in file]
    return tiktoken.Encoding(
        "kimi", pat_str=splintr.KIMI_PATTERN, special_tokens={},
        mergeable_ranks={base64.b64decode(token): int(rank)
                         for token, rank in lines}).encode_ordinary


def theirs(path):
    if os.path.basename(path) == "tiktoken.model":
        return kimi(path)
    if not path.endswith(".json"):
        import sentencepiece
        return sentencepiece.SentencePieceProcessor(model_file=path).encode
    import tokenizers
    tokenizer = tokenizers.Tokenizer.from_file(path)
    tokenizer.encode_special_tokens = True  # names in a text are text
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def compare(encoders, kind, texts):
    number = bad = 0
    for text in texts:
        # These libraries refuse lone surrogates.
        text = text.encode("utf-8", "replace").decode()
        found, want = (encode(text) for encode in encoders)
        number += 1
        bad += found != want
        if found != want and bad < 5:
            print("    %r: libctx %s, library %s" % (text[:60], found[:9],
                                                    want[:9]))
    print("%-20s %8d texts, %d differ" % (kind, number, bad), flush=True)
    return bad


def main():
    library = ctypes.CDLL(sys.argv[1])
    strings = int(os.environ.get("STRINGS") or 20000)
    bad = 0
    for argument in sys.argv[2:]:
        print(argument)
        encoding, _, path = argument.rpartition("=")
        encoders = ours(library, encoding or path), theirs(path)
        r = random.Random(int(os.environ.get("SEED", "1")))
        for kind, texts in kinds.kinds(r):
            bad += compare(encoders, kind, texts)
        bad += compare(encoders, "random strings", kinds.strings(r, strings))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
