#!/usr/bin/env python3
"""Compares ctx-count with the input tokens that providers have billed.

Public test suites hold recordings of requests to providers, each with the
answer, whose usage says how many input tokens the request had.  This script
reads such recordings, counts every request by ctx-count and prints how far
off the counts are, by provider, model and kind of request.

    tests/bench/billed.py [options] DIRECTORY...

Each DIRECTORY is a checkout, a bare git repository whose HEAD is read, or a
file that --keep has written.  The recordings are not part of this project: clone the suites first.  The head
of tests/recorded/run.py names them and the formats read; pydantic/pydantic-ai
has most of the requests with usage.

A request is left out if its answer does not bill it alone: the provider ran
tools of its own or ran the model several times, or the request refers to
something that is not in it (an earlier response, a cached text, an uploaded
file, a URL).  It is also left out if the recording does not show what a
provider bills today:

- The answer was written by hand, or the request was edited after the recording:
  its header Content-Length is not the length of its body.
- It was sent to the computer itself (localhost), where any program may answer.
- It was sent to OpenAI's Responses in March 2025, the first month of that API.
  Of 32 such requests, the 11 with texts only were billed 18 tokens or more for
  texts that they do not have; of 230 later ones one was billed a token less.

Kinds: plain (texts only), tools (definitions), calls (tool calls and results),
reasoning (of earlier turns, in the request), schema (of the answer), media.  A
request has the last of these that it contains; "counted" are answers of the
providers' own methods that count tokens.

Options:
    --ctx-count FILE   the program to run (default: ctx-count on PATH)
    --by WHAT          lines per: dialect, host, model, kind, basis; several
                       are separated by commas (dialect,host,kind)
    --only TEXT        only requests whose "dialect host model kind" has this
                       (a regular expression)
    --keep FILE        write a JSON object per request: the request, what was
                       counted and billed, and its parts
    --since DATE       only requests that were recorded on this day or later
                       (2025-04-01), or whose day the answer does not say
    --list             print each request that is not counted exactly
    --fit              least squares: the tokens that are missing in the counts
                       per request, message, function, call, and 16 characters
                       of signatures
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "recorded"))
import run as recorded  # noqa: E402 pylint: disable=wrong-import-position

COUNTING = [
    (re.compile(r"/v1/messages/count_tokens$"), "anthropic", "messages"),
    (re.compile(r":countTokens$"), "gemini", "contents"),
    (re.compile(r"/responses/input_tokens$"), "openai-responses", "input"),
]
KINDS = ["plain", "tools", "calls", "reasoning", "schema", "media"]
PARTS = ["one", "messages", "functions", "calls", "signed"]

# Members whose value refers to something outside the request.
OUTSIDE = {"previous_response_id", "conversation", "cachedContent", "file_id",
           "fileUri", "file_uri", "image_file", "file_url", "context_management",
           "container", "prompt", "item_reference", "mcp_servers", "plugins"}

# Types of tools that the provider runs itself.
SERVER_TOOLS = re.compile(r"web_search|web_fetch|code_(execution|interpreter)|"
                          r"file_search|image_generation|mcp|tool_search|"
                          r"computer|memory|local_shell|advisor")


# Ids of answers that were written by hand.
INVENTED = re.compile(r'"id": ?"(resp_test|resp_1234"|chatcmpl-123456789)')

# Hosts that are the computer on which the request was recorded.
LOCAL = re.compile(r"^https?://(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])([:/]|$)")

# The day from which OpenAI's Responses are billed as today.
RESPONSES_FROM = "2025-04-01"

# When the answer was made, in seconds.
CREATED = re.compile(r'"created(?:_at)?\\?": ?(1[5-9]\d{8})')


def walk(value):
    """Yields every object inside a JSON value."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def number(value):
    return value if isinstance(value, int) and value > 0 else 0


def billed_in(usage):
    """The input tokens of one object of usage; 0 if it has none."""
    if "promptTokenCount" in usage:
        return number(usage["promptTokenCount"])
    if "totalTokens" in usage and "inputTokens" not in usage:
        return number(usage["totalTokens"])
    if "inputTokens" in usage:
        return sum(number(usage.get(key)) for key in (
            "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"))
    if "prompt_tokens" in usage:
        return number(usage["prompt_tokens"])
    if "input_tokens" in usage:
        return sum(number(usage.get(key)) for key in (
            "input_tokens", "cache_creation_input_tokens",
            "cache_read_input_tokens"))
    return 0


def events_of(answer):
    """The parsed events of a streamed answer."""
    for line in answer.splitlines():
        if line.startswith("data:"):
            line = line[5:].strip()
        try:
            event = json.loads(line.rstrip(","))
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def usage_of(answer):
    """The tokens that an answer bills for its request; 0 if it does not say."""
    if isinstance(answer, str):
        found = re.findall(r'"inputTokens":\s*(\d+)', answer)
        if found and not answer.lstrip().startswith(("data:", "event:")):
            return int(found[-1])
        answer = list(events_of(answer))
    best = 0
    for part in walk(answer):
        for key in ("usage", "usageMetadata", "x_groq"):
            if isinstance(part.get(key), dict):
                best = max(best, billed_in(part[key]))
        if set(part) & {"totalTokens", "input_tokens"} and len(part) < 5:
            best = max(best, billed_in(part))
    return best


def text_of(answer):
    return answer if isinstance(answer, str) else json.dumps(answer)


def day_of(answer):
    """The day of an answer, or an empty text."""
    found = CREATED.search(text_of(answer))
    return time.strftime("%Y-%m-%d", time.gmtime(int(found.group(1)))) \
        if found else ""


def is_alone(body, answer):
    """False if the answer does not bill this request alone."""
    for part in walk(body):
        if any(part.get(key) for key in OUTSIDE):
            return False
        if part.get("mode") == "pro":
            return False
        kind = part.get("type")
        if isinstance(kind, str) and (SERVER_TOOLS.search(kind) or
                                      kind == "item_reference"):
            return False
        for key in ("url", "image_url"):
            url = part.get(key)
            if isinstance(url, str) and not url.startswith("data:"):
                return False
    for tool in body.get("tools") or []:
        if isinstance(tool, dict) and not (
                set(tool) & {"function", "functionDeclarations",
                             "function_declarations", "input_schema",
                             "parameters", "toolSpec", "custom"} or
                tool.get("type") in ("function", "custom")):
            return False
    text = text_of(answer)
    return not INVENTED.search(text) and not re.search(r'server_tool_use"?, ?"|"server_tool_use", |'
                         r'"toolUsePromptTokenCount": ?[1-9]|'
                         r'"type": ?"(web_search_call|code_interpreter_call)|'
                         r'"iterations"', text)


def parts_of(body):
    """Numbers of messages, functions, calls, and of signature characters."""
    parts = dict.fromkeys(PARTS, 0)
    parts["one"] = 1
    for member in ("messages", "contents", "input"):
        if isinstance(body.get(member), list):
            parts["messages"] = len(body[member])
    tools = body.get("tools") or body.get("functions") or []
    tools = tools if isinstance(tools, list) else []
    tools = tools + ((body.get("toolConfig") or {}).get("tools") or [])
    for tool in tools:
        listed = (tool.get("functionDeclarations") or
                  tool.get("function_declarations"))
        parts["functions"] += len(listed) if listed else (
            1 if "functionDeclarations" not in tool else 0)
    for part in walk(body.get("messages") or body.get("contents") or
                     body.get("input")):
        if part.get("type") == "additional_tools":
            parts["functions"] += len(part.get("tools") or [])
        if (part.get("type") in ("tool_use", "function_call") or
                "functionCall" in part or "function_call" in part or
                "toolUse" in part):
            parts["calls"] += 1
        elif isinstance(part.get("tool_calls"), list):
            parts["calls"] += len(part["tool_calls"])
        for key in ("thoughtSignature", "thought_signature", "signature",
                    "encrypted_content"):
            if isinstance(part.get(key), str):
                parts["signed"] += len(part[key]) / 16
    return parts


def kind_of(body, parts):
    kind = "plain"
    if parts["functions"]:
        kind = "tools"
    if parts["calls"]:
        kind = "calls"
    text = json.dumps(body)
    if parts["signed"] or re.search(r'"type": ?"(thinking|reasoning|'
                                    r'redacted_thinking)"|"thought": ?true|'
                                    r'"reasoning(_content|Content)?": ?["{]',
                                    json.dumps(body.get("messages") or
                                               body.get("contents") or
                                               body.get("input"))):
        kind = "reasoning"
    if re.search(r'"(json_schema|responseSchema|response_schema|'
                 r'responseJsonSchema|output_format|output_config)"', text):
        kind = "schema"
    if re.search(r'"(inlineData|inline_data|image_url|input_image|input_file|'
                 r'input_audio|image|document|source)": ?[{"]|"input_image"|'
                 r'"input_file"|"type": ?"file"', text):
        kind = "media"
    return kind


def model_of(url, body, answer):
    """The model of a request: of its URL, its body, else its answer."""
    match = re.search(r"/models/([^/:]+):|/model/([^/]+)/|"
                      r"/deployments/([^/]+)/", url)
    model = next((x for x in match.groups() if x), "") if match else ""
    if isinstance(body.get("model"), str):
        model = body["model"]
    if re.search(r"/deployments/", url) and isinstance(answer, dict):
        model = answer.get("model") or model
    return model.replace("%3A", ":").split("/")[-1]


def host_of(url):
    host = re.sub(r"^https?://|[:/].*$", "", url)
    for name in ("openai.azure.com", "bedrock", "aiplatform", "litellm"):
        if name in host:
            return name
    return ".".join(host.split(".")[-3:])


def endpoint_of(url):
    path = url.split("?", 1)[0].rstrip("/")
    for pattern, dialect, member in COUNTING:
        if pattern.search(path):
            return dialect, member, True
    return recorded.endpoint_of(url) + (False,)


def read_directory(directory):
    """The requests of a directory as objects."""
    found = []
    for path, data in recorded.files_of(directory):
        try:
            cassette = recorded.load(path, data)
        except (ValueError, RecursionError):
            continue
        for url, body, status, answer in recorded.exchanges(cassette, False):
            dialect, member, counting = endpoint_of(url)
            if (dialect is None or status != 200 or LOCAL.match(url) or
                    not isinstance(body, dict)):
                continue
            if (dialect == "openai-responses" and
                    "" < day_of(answer) < RESPONSES_FROM):
                continue
            if isinstance(body.get("generateContentRequest"), dict):
                body = body["generateContentRequest"]
            if isinstance(body.get(member), str):
                body = dict(body, **{member: [{"role": "user", "content":
                                               body[member]}]})
            if (not isinstance(body.get(member), list) or
                    not body[member]):
                continue
            billed = usage_of(answer)
            if not billed or not is_alone(body, answer):
                continue
            parts = parts_of(body)
            found.append({
                "dialect": dialect, "host": host_of(url),
                "model": model_of(url, body, answer),
                "kind": "counted" if counting else kind_of(body, parts),
                "path": path, "day": day_of(answer), "billed": billed,
                "parts": parts,
                "request": body})
    return found


def gather(directories):
    """The different requests of all directories."""
    rows, seen = [], set()
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for found in pool.map(read_directory, directories):
            for row in found:
                key = json.dumps([row["host"], row["model"], row["request"]],
                                 sort_keys=True)
                if key not in seen:
                    seen.add(key)
                    rows.append(row)
    return rows


def count(program, rows):
    """Adds what ctx-count says to each row, and leaves out the rest."""
    groups = collections.defaultdict(list)
    for row in rows:
        row.pop("counted", None)
        model = row["model"]
        if model and row["host"] == "aiplatform":
            model = "vertex_ai/" + model
        groups[row["dialect"], model].append(row)
    for (dialect, model), group in groups.items():
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
            f.writelines(json.dumps(row["request"]) + "\n" for row in group)
            f.flush()
            args = [program, "--json", "--billed", "never", "-d", dialect]
            if model:
                args += ["-m", model]
            said = subprocess.run(args + [f.name], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
        for line in said.stdout.decode().splitlines():
            line = json.loads(line)
            row = group[line.get("line", 1) - 1]
            row["counted"], row["basis"] = line["tokens"], line["basis"]
    return [row for row in rows if "counted" in row]


def error_of(row):
    return (row["counted"] - row["billed"]) / row["billed"]


def print_table(rows, by):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in by)].append(row)
    print("%-62s %5s %6s %6s %8s %8s %7s" % (
        " ".join(by), "n", "equal", "<= 3%", "median", "bias", "under"))
    for key in sorted(groups) + [None]:
        group = rows if key is None else groups[key]
        errors = [error_of(row) for row in group]
        print("%-62s %5d %5.1f%% %5.1f%% %7.2f%% %+7.2f%% %6.1f%%" % (
            "all" if key is None else " ".join(key), len(group),
            100 * sum(e == 0 for e in errors) / len(group),
            100 * sum(abs(e) <= 0.03 for e in errors) / len(group),
            100 * statistics.median(abs(e) for e in errors),
            100 * statistics.median(errors),
            100 * sum(e < -0.03 for e in errors) / len(group)))


def solve(a, b):
    """The solution of linear equations, by elimination."""
    n = len(b)
    rows = [a[i] + [b[i]] for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if abs(rows[i][i]) < 1e-9:
            return None
        for k in range(n):
            if k != i:
                f = rows[k][i] / rows[i][i]
                rows[k] = [x - f * y for x, y in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def print_fit(rows):
    """Fits billed - counted to the parts of the requests."""
    names = [n for n in PARTS
             if n == "one" or len({r["parts"][n] for r in rows}) > 1]
    x = [[float(r["parts"][n]) for n in names] for r in rows]
    y = [float(r["billed"] - r["counted"]) for r in rows]
    a = [[sum(p[i] * p[k] for p in x) for k in range(len(names))]
         for i in range(len(names))]
    b = [sum(p[i] * q for p, q in zip(x, y)) for i in range(len(names))]
    fitted = solve(a, b) if len(rows) > len(names) else None
    if fitted is None:
        print("fit: too few different requests")
        return
    rest = [q - sum(f * v for f, v in zip(fitted, p)) for p, q in zip(x, y)]
    print("fit: " + ", ".join("%s %+.2f" % z for z in zip(names, fitted)) +
          "; rest %.1f tokens (root mean square)" % (
              sum(r * r for r in rest) / len(rest)) ** .5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", nargs="+")
    parser.add_argument("--ctx-count", default="ctx-count")
    parser.add_argument("--by", default="dialect,host,kind")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--since", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    rows = gather([d for d in options.directory if os.path.isdir(d)])
    for kept in options.directory:
        if not os.path.isdir(kept):
            with open(kept, encoding="utf-8") as f:
                rows += [json.loads(line) for line in f]
    rows = [row for row in rows if re.search(options.only, " ".join(
        row[key] for key in ("dialect", "host", "model", "kind")))]
    rows = [row for row in rows
            if not row.get("day") or row["day"] >= options.since]
    rows = count(options.ctx_count, rows)
    if not rows:
        sys.exit("billed: no requests found")
    if options.keep:
        with open(options.keep, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows)
    print_table(rows, options.by.split(","))
    for row in rows if options.list else []:
        if row["counted"] != row["billed"]:
            print("%d billed, %d counted (%+.1f %%): %s %s %s" % (
                row["billed"], row["counted"], 100 * error_of(row),
                row["model"], row["kind"], row["path"]))
    if options.fit:
        print_fit(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
