"""trim.py BUDGET: trim_messages of langchain-core over lines of OpenAI Chat,
counted by tiktoken, as a program of its own; what is left goes to stdout."""
import json
import sys

import tiktoken
from langchain_core.messages import convert_to_messages, trim_messages

encoding = tiktoken.get_encoding("o200k_base")


def count(messages):
    return 3 + sum(3 + len(encoding.encode(str(m.content),
                                           disallowed_special=()))
                   for m in messages)


lines = sys.stdin.readlines()
kept = trim_messages(convert_to_messages([json.loads(x) for x in lines]),
                     max_tokens=int(sys.argv[1]), token_counter=count,
                     strategy="last", include_system=True, start_on="human")
for message in kept:
    print(json.dumps({"role": message.type, "content": message.content}))
