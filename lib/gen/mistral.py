#!/usr/bin/env python3
"""mistral.py - make the vocabulary of Mistral's SentencePiece models from the
PyPI package mistral-common

A tool for maintainers; the build does not need it.  With sentencepiece installed,
and mistral-common 1.13.1 unpacked:

    python3 lib/gen/mistral.py mistral_common/data/tokenizer.model.v1 \\
        > lib/gen/data/mistral.ranks

lib/gen/data/README says what this file contains.
"""
import sys

import sentencepiece

FIRST = 259  # id of the first piece that is neither special nor a byte


def read_pieces(model):
    pieces = [b""] * FIRST
    for byte in range(256):
        assert model.id_to_piece(3 + byte) == "<0x%02X>" % byte
        pieces[3 + byte] = bytes([byte])
    least = 0
    for i in range(FIRST, model.get_piece_size()):
        assert not (model.is_control(i) or model.is_byte(i) or
                    model.is_unused(i) or model.is_unknown(i))
        piece = model.id_to_piece(i)
        assert " " not in piece
        # lib/gen/make_vocab.c takes the order of merges from the ids.
        if piece.strip("\u2581"):
            assert model.get_score(i) < least
            least = model.get_score(i)
        else:
            assert model.get_score(i) == -1e9
        pieces.append(piece.replace("\u2581", " ").encode())
    return pieces


def main():
    model = sentencepiece.SentencePieceProcessor(model_file=sys.argv[1])
    for piece in read_pieces(model):
        sys.stdout.buffer.write(bytes([len(piece)]) + piece)


if __name__ == "__main__":
    main()
