/* encodings.c - the reconstructed encodings of Claude
 *
 * The number of tokens around a request with one message comes from ctok 1.3.0.
 * How many of these tokens belong to the message was found by fitting to
 * recorded requests (tests/bench/billed.py, November 2026), except for
 * claude-4.7, for which the number of OpenAI's messages is used. */
#include "tokenizer/claude/claude.h"

const struct ctx_claude ctx_claude_3 = {
    .folds_quotes = true,
    .least_caps = 4,
    .opens_word = true,
    .frame = 7,
    .frame_message = 3,
};
const struct ctx_claude ctx_claude_4_7 = {
    .opens_word = true,
    .frame = 11,
    .frame_message = 4,
};
const struct ctx_claude ctx_claude_4_8 = {
    .frame = 6,
    .frame_message = 2,
};
