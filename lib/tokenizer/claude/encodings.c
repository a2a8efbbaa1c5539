/* encodings.c - the reconstructed encodings of Claude
 *
 * The frame of a request with one message is that of ctok 1.3.0.  The share of
 * each message was fitted to recorded requests (tests/bench/billed.py, November
 * 2026), except for claude-4.7: there it is what OpenAI's messages have. */
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
