#!/usr/bin/env python3
"""Shortens a conversation in ways that are known from elsewhere, so that
ctx-eval can compare them with the strategies of ctx-prune.

rivals.py WAY BUDGET   reads Chat Completions messages, a line each, on standard
                       input, and writes those that BUDGET tokens allow

WAY is one of:
  set-cover  keep the groups (a tool call with its results, or one message) with
             the most rare names per token; a name counts once
  bm25       keep the groups that match the last message of the user best (BM25);
             half of a group's score is added to those of its neighbours
  langchain  trim_messages of langchain-core: keep the newest messages
  sumbasic   keep the newest messages in half of the budget, and fill the rest
             with a summary of the others (SumBasic, by the package sumy)

All but langchain keep system messages, the last message of the user and the
newest group in any case.  RIVALS is the directory that tests/bench/rivals
filled.  Run it as a policy of ctx-eval, e.g.:

    ctx-eval -e o200k_base -p 'bm25=python3 rivals.py bm25 {budget}' FILE...
"""
import collections
import json
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from fed_back import names_of  # noqa: E402
from rival import texts  # noqa: E402

WORD = re.compile(r"\w+")
K, B = 1.2, 0.75  # the usual constants of BM25


def count_tokens(messages):
    """The tokens of each message, by ctx-count."""
    lines = "\n".join(map(json.dumps, messages))
    found = subprocess.run(
        ["ctx-count", "-e", "o200k_base", "--per", "message", "--tsv"],
        input=lines, text=True, stdout=subprocess.PIPE, check=True).stdout
    rows = [row.split("\t") for row in found.splitlines()]
    at = rows[0].index("tokens")
    return [int(row[at].lstrip("~")) for row in rows[1:]]


class Conversation:
    """Groups of messages, with their tokens and texts."""

    def __init__(self, messages):
        self.messages, self.groups = messages, []
        for at, message in enumerate(messages):
            if message["role"] != "tool" or not self.groups:
                self.groups.append([])
            self.groups[-1].append(at)
        cost = count_tokens(messages)
        self.tokens = [sum(cost[at] for at in g) for g in self.groups]
        self.texts = ["\n".join("\n".join(texts(messages[at])) for at in g)
                      for g in self.groups]
        roles = [messages[g[0]]["role"] for g in self.groups]
        users = [i for i, role in enumerate(roles) if role == "user"]
        self.question = self.texts[users[-1]] if users else ""
        self.kept = {i for i, role in enumerate(roles) if role == "system"}
        self.kept |= set(users[-1:]) | {len(roles) - 1}
        self.spent = 3 + sum(self.tokens[i] for i in self.kept)

    def take(self, order, budget):
        """Keeps each group of an order that still fits."""
        for i in order:
            if i not in self.kept and self.spent + self.tokens[i] <= budget:
                self.kept.add(i)
                self.spent += self.tokens[i]

    def write(self, summary=None):
        for i in sorted(self.kept):
            for at in self.groups[i]:
                message = self.messages[at]
                if summary and message["role"] != "system":
                    print(json.dumps({"role": "user", "content": summary}))
                    summary = None
                print(json.dumps(message))


def set_cover(talk, budget):
    names = [names_of(text) for text in talk.texts]
    seen = collections.Counter(name for some in names for name in some)
    covered = set().union(*(names[i] for i in talk.kept))
    left = set(range(len(names))) - talk.kept

    def score(i):
        rare = sum(math.log(len(names) / seen[n]) for n in names[i] - covered)
        return rare / math.sqrt(talk.tokens[i]) + 0.15 * i / len(names)

    while left:
        best = max(left, key=score)
        left.remove(best)
        if talk.spent + talk.tokens[best] <= budget:
            talk.take([best], budget)
            covered |= names[best]
    talk.write()


def bm25(talk, budget):
    words = [collections.Counter(WORD.findall(t.lower())) for t in talk.texts]
    sizes = [sum(some.values()) for some in words]
    mean = sum(sizes) / len(sizes) or 1
    scores = [0.0] * len(words)
    for word in set(WORD.findall(talk.question.lower())):
        n = sum(word in some for some in words)
        rarity = math.log(1 + (len(words) - n + 0.5) / (n + 0.5))
        for i, some in enumerate(words):
            often = some[word]
            scores[i] += rarity * often * (K + 1) / (
                often + K * (1 - B + B * sizes[i] / mean))
    shared = [scores[i] + sum(scores[max(i - 1, 0):i] + scores[i + 1:i + 2]) / 2
              for i in range(len(scores))]
    talk.take(sorted(range(len(shared)), key=lambda i: (-shared[i], -i)),
              budget)
    talk.write()


def sumbasic(talk, budget):
    from sumy.nlp.tokenizers import Tokenizer
    from sumy.parsers.plaintext import PlaintextParser
    from sumy.summarizers.sum_basic import SumBasicSummarizer

    class Lines(Tokenizer):
        """Splits at lines and ends of sentences; needs no downloaded data."""

        def __init__(self):
            pass

        def to_sentences(self, text):
            parts = re.split(r"\n+|(?<=[.!?])\s+", text)
            return tuple(part for part in parts if part.strip())

        def to_words(self, text):
            return tuple(WORD.findall(text))

    talk.take(range(len(talk.groups) - 1, -1, -1),
              talk.spent + (budget - talk.spent) // 2)
    gone = "\n".join(text for i, text in enumerate(talk.texts)
                     if i not in talk.kept)
    room, lines = budget - talk.spent - 10, []
    spent = sum(n for i, n in enumerate(talk.tokens) if i not in talk.kept)
    per_character = 1.1 * spent / max(1, len(gone))
    parser = PlaintextParser.from_string(gone, Lines())
    for sentence in SumBasicSummarizer()(parser.document, 200):
        tokens = len(str(sentence)) * per_character + 1
        if tokens <= room:
            lines.append(str(sentence))
            room -= tokens
    talk.write("\n".join(lines))


def langchain(talk, budget):
    from langchain_core.messages import convert_to_messages, trim_messages

    cost = {}
    messages = convert_to_messages(talk.messages)
    for group, tokens in zip(talk.groups, talk.tokens):
        for at in group:
            cost[id(messages[at])] = tokens if at == group[0] else 0
    kept = trim_messages(
        messages, max_tokens=budget, strategy="last", include_system=True,
        start_on=("human", "ai"),
        token_counter=lambda some: 3 + sum(cost[id(m)] for m in some))
    ids = {id(m) for m in kept}
    for given, message in zip(talk.messages, messages):
        if id(message) in ids:
            print(json.dumps(given))


if __name__ == "__main__":
    WAYS = {"set-cover": set_cover, "bm25": bm25, "langchain": langchain,
            "sumbasic": sumbasic}
    WAYS[sys.argv[1]](Conversation([json.loads(s) for s in sys.stdin]),
                      int(sys.argv[2]))
