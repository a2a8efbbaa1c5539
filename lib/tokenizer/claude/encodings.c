/* encodings.c - the reconstructed encodings of Claude */
#include "tokenizer/claude/claude.h"

const struct ctx_claude ctx_claude_3 = {
    .folds_quotes = true,
    .least_caps = 4,
    .opens_word = true,
    .frame = 7,
};
const struct ctx_claude ctx_claude_4_7 = {
    .opens_word = true,
    .frame = 11,
};
const struct ctx_claude ctx_claude_4_8 = {
    .frame = 6,
};
