#!/usr/bin/env python3
"""Makes evaluation sets for measure.py from recorded sessions of agents.

sets.py OUT SET FORMAT FILE...

OUT/SET gets two halves, "choose" and "report"; the checksum of a session's
name says which half it is in.  A sample is a session that is cut at 30, 50, 70
or 85 % of its messages: NAME-CUT.jsonl has the messages before the cut, in
the format of Chat Completions, and NAME-CUT.needed the strings that the rest
of the session needs, one a line.

A needed string stands in the arguments of a tool call after the cut.  It is a
path, an identifier, an id or a number of at least 6 characters.  It was first
seen before the cut, in a tool result or a user's message, and stands in at most
3 messages there.  It is not shown again between the cut and its use, and does
not stand in what every strategy keeps: system messages, the last user message
and the newest 4 messages.

FORMAT is one of:
  claude     session files of Claude Code (~/.claude/projects/*/*.jsonl)
  codex      session files of Codex (~/.codex/sessions/**/*.jsonl)
  mini       runs of mini-swe-agent (*.traj.json)
  swe-agent  runs of SWE-agent (*.traj)
  tau        a list of runs of tau-bench (historical_trajectories/*.json)

Public repositories that have such files, read in November 2026:
  claude, codex  agurod42/torre-swipe (docs/conversations),
                 xiaomoziyi/session-logs (sessions)
  mini           gruckion/mini-swe-agent (swebench_results)
  swe-agent      multi-swe-bench/experiments (evaluation/java/verified)
  tau            sierra-research/tau-bench (historical_trajectories)

The figures in ctx-strategy(7) are those of the half "report", with --least
60000 for claude and codex ("coding"), 30000 for mini and swe-agent ("fixes";
every second file above 220 kB, and all above 350 kB), and 8000 for tau, of
which one file was available (gpt-4o-airline).
"""
import argparse
import json
import os
import re
import zlib

CUTS = (30, 50, 70, 85)
NEWEST = 4  # messages that every strategy keeps
SEEN = 3  # a needed string stands in at most so many messages
HALVES = ("choose", "report")
LEAST = 6  # characters of a needed string
WORDS = re.compile(r"(?:[\w.~@-]*/)+[\w.@-]+|[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+|"
                   r"[A-Za-z_]\w*(?:\.\w+)*|\d[\d.]*")
BASH = re.compile(r"```bash\n(.*?)\n```", re.S)


def names(text):
    """The paths, identifiers, ids and numbers of a text."""
    found = set()
    for word in WORDS.findall(text):
        word = word.strip(".-")
        if len(word) < LEAST or (word[0] == "/" and "/" not in word[1:]):
            continue
        if ("/" in word or "_" in word[1:] or re.search(r"\d", word)
                or "." in word or re.search(r"[a-z][A-Z]", word)):
            found.add(word)
    return found


# ---- formats: each gives lists of messages of Chat Completions ----


def text_of(content):
    """The text of a message's content: a string or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content)
    return "\n".join(block.get("text", "") for block in content
                     if isinstance(block, dict))


def call(ident, name, arguments):
    return {"id": ident, "type": "function",
            "function": {"name": name, "arguments": arguments}}


def say(messages, role, text, calls=()):
    """Appends a message; joins it to the one before if one answer of the model
    was written in several lines."""
    if not text.strip() and not calls:
        return
    last = messages[-1] if messages else {}
    if role == "assistant" and last.get("role") == role:
        last["content"] = (last["content"] + "\n" + text).strip()
        if calls:
            last.setdefault("tool_calls", []).extend(calls)
        return
    message = {"role": role, "content": text}
    if calls:
        message["tool_calls"] = list(calls)
    messages.append(message)


def records(path):
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def read_claude(path):
    """The longest part of a session between two compactions."""
    parts = [[]]
    for record in records(path):
        message = record.get("message")
        if record.get("isCompactSummary"):
            parts.append([])
        if (record.get("isSidechain") and "agent-" not in path
                or record.get("isMeta") or not isinstance(message, dict)):
            continue
        content = message.get("content")
        blocks = content if isinstance(content, list) else [
            {"type": "text", "text": content or ""}]
        calls = [call(b["id"], b["name"], json.dumps(b["input"]))
                 for b in blocks if b.get("type") == "tool_use"]
        for block in blocks:
            if block.get("type") == "tool_result":
                parts[-1].append({"role": "tool",
                                  "tool_call_id": block["tool_use_id"],
                                  "content": text_of(block.get("content"))})
        said = "\n".join(b["text"] for b in blocks if b.get("type") == "text")
        say(parts[-1], message["role"], said, calls)
    yield os.path.basename(path), max(parts, key=len)


def read_codex(path):
    messages = []
    for record in records(path):
        item = record.get("payload")
        if record.get("type") != "response_item" or not isinstance(item, dict):
            continue
        kind = item.get("type")
        if kind == "message":
            role = {"developer": "system"}.get(item["role"], item["role"])
            say(messages, role, text_of(item["content"]))
        elif kind in ("function_call", "custom_tool_call"):
            say(messages, "assistant", "", [call(
                item["call_id"], item["name"],
                item.get("arguments") or json.dumps(item.get("input")))])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            output = item["output"]
            messages.append({
                "role": "tool", "tool_call_id": item["call_id"],
                "content": output if isinstance(output, str)
                else json.dumps(output)})
    yield os.path.basename(path), messages


def read_mini(path):
    """The command stands in the text; here it becomes a tool call."""
    with open(path, encoding="utf-8") as stream:
        run = json.load(stream)
    messages = []
    for i, message in enumerate(run["messages"]):
        text = text_of(message["content"])
        if message["role"] == "assistant":
            command = BASH.search(text)
            say(messages, "assistant", BASH.sub("", text).strip(), [
                call("call_%d" % i, "bash",
                     json.dumps({"command": command.group(1)}))]
                if command else ())
        elif messages and messages[-1].get("tool_calls"):
            messages.append({"role": "tool", "content": text,
                             "tool_call_id":
                             messages[-1]["tool_calls"][0]["id"]})
        else:
            say(messages, message["role"], text)
    yield run["instance_id"], messages


def read_swe_agent(path):
    """The action of each answer becomes a tool call."""
    with open(path, encoding="utf-8") as stream:
        run = json.load(stream)
    messages = []
    for i, message in enumerate(run["history"]):
        text = text_of(message["content"])
        if message.get("is_demo"):
            continue
        if message["role"] == "assistant" and message.get("action"):
            say(messages, "assistant", message.get("thought") or "", [
                call("call_%d" % i, "run",
                     json.dumps({"command": message["action"]}))])
        elif (message["role"] == "user" and messages
              and messages[-1].get("tool_calls")):
            messages.append({"role": "tool", "content": text,
                             "tool_call_id":
                             messages[-1]["tool_calls"][-1]["id"]})
        else:
            say(messages, message["role"], text)
    yield os.path.basename(path), messages


def read_tau(path):
    with open(path, encoding="utf-8") as stream:
        runs = json.load(stream)
    for run in runs:
        messages = []
        for message in run["traj"]:
            kept = {k: message[k] for k in ("role", "content", "tool_calls",
                                            "tool_call_id") if message.get(k)}
            kept.setdefault("content", "")
            messages.append(kept)
        yield "task%d-%d" % (run["task_id"], run["trial"]), messages


FORMATS = {"claude": read_claude, "codex": read_codex, "mini": read_mini,
           "swe-agent": read_swe_agent, "tau": read_tau}


# ---- samples ----


def answered(messages):
    """Only calls that have a result right after them, as providers demand, and
    results that answer one."""
    good = []
    i = 0
    while i < len(messages):
        message = messages[i]
        i += 1
        if message["role"] == "tool":
            continue
        results = []
        while i < len(messages) and messages[i]["role"] == "tool":
            results.append(messages[i])
            i += 1
        if message.get("tool_calls"):
            have = {r["tool_call_id"] for r in results}
            calls = [c for c in message["tool_calls"] if c["id"] in have]
            message = dict(message, tool_calls=calls)
            if not calls:
                del message["tool_calls"]
        wanted = {c["id"] for c in message.get("tool_calls", ())}
        if message["content"].strip() or wanted:
            good.append(message)
        good += [r for r in results if r["tool_call_id"] in wanted]
    return good


def values(json_value):
    """The strings and numbers in a JSON value, without the names of members."""
    if isinstance(json_value, dict):
        json_value = list(json_value.values())
    if isinstance(json_value, list):
        return "\n".join(values(v) for v in json_value)
    return str(json_value)


def arguments_of(message):
    """The values of all arguments.  Escapes within them are undone, too, so
    that no name begins with the letter of one."""
    texts = []
    for each in message.get("tool_calls", ()):
        text = each["function"]["arguments"]
        try:
            text = values(json.loads(text))
        except ValueError:
            pass
        texts.append(re.sub(r"\\+[nrt\"]", "\n", text))
    return "\n".join(texts)


def whole_text(message):
    return message["content"] + "\n" + arguments_of(message)


def needed_after(messages, cut):
    """The strings that the messages from the cut on need from before it."""
    texts = [whole_text(m) for m in messages]
    last = max((i for i in range(cut) if messages[i]["role"] == "user"),
               default=0)
    always = "\n".join(
        texts[i] for i in range(cut) if i >= cut - NEWEST or i == last
        or messages[i]["role"] == "system")
    shown = ""
    needed = []
    decided = set()
    for i in range(cut, len(messages)):
        for name in sorted(names(arguments_of(messages[i])) - decided):
            decided.add(name)
            where = [k for k in range(cut) if name in texts[k]]
            if (where and len(where) <= SEEN
                    and messages[where[0]]["role"] in ("user", "tool")
                    and name not in always and name not in shown):
                needed.append(name)
        shown += texts[i] + "\n"
    return needed


def session_of(name):
    """The runs of one task of tau-bench, taskNUMBER-RUN, are one session."""
    return re.sub(r"^(task\d+)-\d+$", r"\1", name)


def cut_place(messages, percent):
    """The first place from this share of the messages on at which the model is
    asked."""
    cut = len(messages) * percent // 100
    while cut < len(messages) and messages[cut]["role"] != "assistant":
        cut += 1
    return cut


def write_samples(directory, name, messages, least):
    half = HALVES[zlib.crc32(session_of(name).encode()) & 1]
    os.makedirs(os.path.join(directory, half), exist_ok=True)
    written = 0
    for percent in CUTS:
        cut = cut_place(messages, percent)
        if cut >= len(messages):
            continue
        needed = needed_after(messages, cut)
        size = sum(len(whole_text(m)) for m in messages[:cut])
        if not needed or size < least:
            continue
        path = os.path.join(directory, half, "%s-%d" % (name, percent))
        with open(path + ".jsonl", "w", encoding="utf-8") as out:
            for message in messages[:cut]:
                out.write(json.dumps(message) + "\n")
        with open(path + ".needed", "w", encoding="utf-8") as out:
            out.write("\n".join(needed) + "\n")
        written += 1
    return written


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("set")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--least", type=int, default=20000,
                        help="characters before the cut (20000)")
    args = parser.parse_args()
    sessions = samples = 0
    for path in args.file:
        for name, messages in FORMATS[args.format](path):
            written = write_samples(os.path.join(args.out, args.set),
                                    name.split(".")[0],
                                    answered(messages), args.least)
            sessions += written > 0
            samples += written
    print("%s: %d sessions, %d samples" % (args.set, sessions, samples))


if __name__ == "__main__":
    main()
