#!/usr/bin/env python3
"""Computes what sessions cost and keep if they continue from pruned output.

fed_back.py -b BUDGET -p COMMAND [-p COMMAND]... FILE...

FILE is a session in the format of Chat Completions, a message per line, as
sets.py writes it.  Before each answer of the assistant the prompt consists of
the previous prompt, the previous answer and the messages after it.  If the
prompt has more than BUDGET tokens, COMMAND reads it and writes the prompt that
is sent.  Unlike ctx-replay, this works with any COMMAND, also one that asks a
model for summaries.

A row for each COMMAND: uncached%, the tokens that are not in the provider's
cache, which has the beginning that the prompt shares with the prompt before it;
cost%, uncached% and a tenth of the cached tokens; both in percent of the tokens
without pruning; needed%, how many strings that later tool calls use (ctx-replay(1)) are in the
prompts, also in a summary; how often COMMAND was run; and the number of prompts
above BUDGET.
"""
import argparse
import json
import re
import subprocess

ENCODING = "o200k_base"
SEEN_MOST, NEWEST = 3, 4
# The words of lib/eval/find_names.c.
WORD = re.compile(r"(?:[\w.~@-]*/)+[\w.@-]+"
                  r"|[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+"
                  r"|[A-Za-z_]\w*(?:\.\w+)*"
                  r"|\d[\d.]*")
SPECIAL = re.compile(r"\d|\.|/|._|[a-z][A-Z]")


def names_of(text):
    """The names in a text."""
    words = (word.strip(".-") for word in WORD.findall(text))
    return {word for word in words
            if len(word) >= 6 and SPECIAL.search(word)
            and (word[0] != "/" or "/" in word[1:])}


def strings_of(value):
    """The strings in a JSON value."""
    if isinstance(value, str):
        yield value
    for child in (value.values() if isinstance(value, dict) else
                  value if isinstance(value, list) else ()):
        yield from strings_of(child)


def arguments_of(message):
    """The strings in the arguments of a message's tool calls."""
    for call in message.get("tool_calls") or ():
        arguments = call["function"]["arguments"]
        try:
            yield from strings_of(json.loads(arguments))
        except ValueError:
            yield arguments


def text_of(line):
    """All texts of a message, and the strings in its arguments."""
    message = json.loads(line)
    return "\n".join([*strings_of(message.get("content")),
                      *arguments_of(message)])


def needed_names(prompt, texts, answer):
    """The names that an answer needs from the older messages of its prompt."""
    roles = [json.loads(line)["role"] for line in prompt]
    users = [i for i, role in enumerate(roles) if role == "user"]
    names = set().union(*(names_of(text) for line in answer
                          for text in arguments_of(json.loads(line))))
    needed = []
    for name in names:
        seen = [i for i, text in enumerate(texts) if name in text]
        if (seen and len(seen) <= SEEN_MOST
                and roles[seen[0]] in ("user", "tool")
                and seen[-1] < len(prompt) - NEWEST
                and users[-1:] != [i for i in seen if i in users[-1:]]
                and not any(roles[i] == "system" for i in seen)):
            needed.append(name)
    return needed


class Counter:
    """Counts the tokens of messages, each only once."""

    def __init__(self):
        self.known = {}

    def count(self, lines):
        """The tokens of each message."""
        new = [line for line in dict.fromkeys(lines) if line not in self.known]
        if new:
            out = run(["ctx-count", "--annotate", "-e", ENCODING], new)
            for line, counted in zip(new, out, strict=True):
                self.known[line] = json.loads(counted)["ctx_tokens"]
        return [self.known[line] for line in lines]


def run(command, lines):
    """The lines that a command writes."""
    done = subprocess.run(command, input="\n".join(lines) + "\n",
                          capture_output=True, text=True, check=False,
                          shell=isinstance(command, str))
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: {done.stderr}")
    return [line for line in done.stdout.split("\n") if line]


def turns_of(lines):
    """For each answer of the assistant: the index of its first message, and
    the index after its last."""
    own = [json.loads(line)["role"] == "assistant" for line in lines]
    first = [i for i, mine in enumerate(own) if mine and not (i and own[i - 1])]
    for i in first:
        end = i
        while end < len(own) and own[end]:
            end += 1
        yield i, end


def requests_of(lines):
    """For each request of a session: the indices of its answer, and the names
    that the answer needs."""
    texts = [text_of(line) for line in lines]
    return [(i, end, needed_names(lines[:i], texts[:i], lines[i:end]))
            for i, end in turns_of(lines)]


def replay(lines, requests, command, options, counter):
    """Sends a session; adds up tokens and names."""
    total = dict.fromkeys("all uncached cached needed kept runs over".split(), 0)
    prompt, cached, taken = [], [], 0
    for i, end, needed in requests:
        prompt += lines[taken:i]
        taken = i
        if sum(counter.count(prompt)) > options.budget:
            prompt = run(command, prompt)
            total["runs"] += 1
        tokens = counter.count(prompt)
        same = 0
        while (same < min(len(prompt), len(cached))
               and prompt[same] == cached[same]):
            same += 1
        total["all"] += sum(counter.count(lines[:i]))
        total["cached"] += sum(tokens[:same])
        total["uncached"] += sum(tokens[same:])
        total["over"] += sum(tokens) > options.budget
        text = "\n".join(map(text_of, prompt)) if needed else ""
        total["needed"] += len(needed)
        total["kept"] += sum(name in text for name in needed)
        cached = prompt + lines[i:end]
    return total


def main():
    """Prints a row for each command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-b", "--budget", type=int, required=True)
    parser.add_argument("-p", "--policy", action="append", required=True)
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    counter, sessions = Counter(), []
    for name in options.files:
        with open(name, encoding="utf-8") as file:
            lines = file.read().splitlines()
        sessions.append((lines, requests_of(lines)))
    print("uncached%  cost%  needed%  runs  over  policy")
    for command in options.policy:
        rows = [replay(*session, command, options, counter)
                for session in sessions]
        total = {key: sum(row[key] for row in rows) for key in rows[0]}
        print("%9.1f %6.1f %8.1f %5d %5d  %s" % (
            100 * total["uncached"] / total["all"],
            (100 * total["uncached"] + 10 * total["cached"]) / total["all"],
            100 * total["kept"] / max(total["needed"], 1),
            total["runs"], total["over"], command), flush=True)


if __name__ == "__main__":
    main()
