/* builtin_pieces.c - the vocabularies of Claude's encodings, as automatons in
 * read-only data */
#include "tokenizer/claude/claude.h"
#include "tokenizer/vocabulary/incbin.h"

CTX_INCBIN(ctx_pieces_claude_3, "claude-3.automaton");
CTX_INCBIN(ctx_pieces_claude_4_7, "claude-4.7.automaton");

const struct ctx_claude ctx_claude_3 = {
    .automaton = ctx_pieces_claude_3,
    .folds_quotes = true,
    .least_caps = 4,
    .opens_word = true,
    .frame = 7,
};
const struct ctx_claude ctx_claude_4_7 = {
    .automaton = ctx_pieces_claude_4_7,
    .opens_word = true,
    .frame = 11,
};
const struct ctx_claude ctx_claude_4_8 = {
    .automaton = ctx_pieces_claude_4_7,
    .frame = 6,
};
