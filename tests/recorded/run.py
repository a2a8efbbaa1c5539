#!/usr/bin/env python3
"""Compares ctx-check with the verdicts of the providers themselves.

Public test suites hold recordings of requests to providers, each with the
status of the answer.  This script reads such recordings and runs ctx-check on
every request.  A finding on a request that got 200 is a false alarm.  A
request that got 400 because of its messages, and has no finding, is a miss.

    tests/recorded/run.py [options] DIRECTORY...

Each DIRECTORY is a checkout, or a bare git repository whose HEAD is read.
The recordings are not part of this project: clone the suites first.  These
repositories held 4,679 accepted requests in November 2026:

    pydantic/pydantic-ai, crewAIInc/crewAI, crmne/ruby_llm,
    traceloop/openllmetry, posit-dev/chatlas, tidyverse/ellmer,
    simonw/llm, simonw/llm-anthropic, simonw/llm-gemini,
    simonw/llm-openai-plugin, Arize-ai/openinference, DataDog/dd-trace-py,
    open-telemetry/opentelemetry-python-contrib, pydantic/logfire,
    braintrustdata/braintrust-sdk-python, activeagents/activeagent,
    elastic/elastic-otel-python-instrumentations, alexrudall/ruby-openai,
    charmbracelet/fantasy, langchain-ai/langchain-aws

Formats read: cassettes of VCR for Python (YAML or JSON), Ruby, R and Go, and the
JSON files of Datadog's test agent.  YAML needs PyYAML (Debian: python3-yaml).

Options:
    --ctx-check FILE   the program to run (default: ctx-check on PATH)
    --keep DIRECTORY   write the requests, one file per dialect and verdict,
                       and what ctx-check says of them
    --list             name every false alarm and every miss
    --repair           also count the accepted requests that --repair changes
    --limit PERCENT    exit with 1 above this share of false alarms (0.2)
"""
import argparse
import base64
import collections
import concurrent.futures
import gzip
import json
import os
import re
import subprocess
import sys
import zlib

try:
    import yaml
except ImportError:
    sys.exit("recorded: PyYAML is missing; install python3-yaml")

# Endpoint of a request, and the dialect of what is sent there.
ENDPOINTS = [
    (re.compile(r"/converse(-stream)?$"), "bedrock", "messages"),
    (re.compile(r":(generateContent|streamGenerateContent)$"), "gemini",
     "contents"),
    (re.compile(r"/v1/messages$|:(streamR|r)awPredict$"), "anthropic",
     "messages"),
    (re.compile(r"/responses$"), "openai-responses", "input"),
    (re.compile(r"/chat/completions$|/openai/deployments/[^/]+/chat"),
     "openai-chat", "messages"),
]
DIALECTS = [row[1] for row in reversed(ENDPOINTS)]

# A refusal that says one of these is about the messages.  Everything else is
# about the model, the tools, the parameters or the account.
STRUCTURE = re.compile(
    r"alternat|tool_use|tool_result|toolUse|toolResult|tool_call|"
    r"function.?(call|response)|call_id|tool output|reasoning|thinking|signature|"
    r"must (start|begin|end) with|first message|last message|final block|"
    r"conversation|non-empty|empty|blank|role|prefill|too short|"
    r"required field|content", re.I)

# Refusals about something else that mention a word of the messages.
OTHER = re.compile(
    r"n.t support|not support|unsupported|extraneous key|does not exist|not found|deprecated|"
    r"max_tokens|budget_tokens|api.?key|credit|content.?type|"
    r"response_format|json_schema|output_config|tool_choice|parallel|"
    r"Unknown parameter|Unrecognized request argument|temperature|"
    r"filtered|policy|mime|fetch|download|image|file|document|"
    r"Extra inputs|stream|schema|enabled|disabled|tools\.\d", re.I)


def named(path):
    """True if the file may hold a recording."""
    low = path.lower()
    if low.endswith(".gz"):
        low = low[:-3]
    return (low.endswith((".yaml", ".yml", ".json")) and
            re.search(r"cassette|vcr|record|fixture|snapshot|testdata", low))


def files_of(directory):
    """Yields path and bytes of every file that may hold a recording."""
    if not os.path.exists(os.path.join(directory, "objects")):
        for top, _, names in os.walk(directory):
            for name in names:
                path = os.path.join(top, name)
                if named(path):
                    with open(path, "rb") as f:
                        yield path, f.read()
        return
    git = ["git", "--git-dir", directory]
    tree = subprocess.run(git + ["ls-tree", "-r", "-z", "HEAD"],
                          stdout=subprocess.PIPE, check=True).stdout
    rows = [row.split(b"\t", 1) for row in tree.split(b"\0") if row]
    rows = [(meta.split()[2], path.decode("utf-8", "replace"))
            for meta, path in rows if meta.split()[1] == b"blob"]
    rows = [row for row in rows if named(row[1])]
    with subprocess.Popen(git + ["cat-file", "--batch"],
                          stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as cat:
        for sha, path in rows:
            cat.stdin.write(sha + b"\n")
            cat.stdin.flush()
            head = cat.stdout.readline().split()
            if len(head) < 3:
                continue
            data = cat.stdout.read(int(head[2]))
            cat.stdout.read(1)
            yield path, data
        cat.stdin.close()


def load(path, data):
    """The parsed file, or None."""
    if path.endswith(".gz"):
        path, data = path[:-3], gzip.decompress(data)
    if not re.search(rb"chat/completions|/responses|/v1/messages|/converse|"
                     rb"enerateContent|rawPredict|streamRawPredict", data):
        return None
    try:
        if path.endswith(".json"):
            return json.loads(data)
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return yaml.load(data, Loader=loader)
    except (ValueError, yaml.YAMLError):
        return None


def body_of(side):
    """The parsed body of a request or an answer; its text if not JSON."""
    if not isinstance(side, dict):
        return None
    if isinstance(side.get("parsed_body"), (dict, list)):
        return side["parsed_body"]
    body = side.get("body")
    if isinstance(body, dict):
        for key in ("string", "raw", "text"):
            if body.get(key) is not None:
                body = body[key]
                break
        else:
            if body.get("base64_string") is not None:
                body = base64.b64decode(body["base64_string"])
            elif "encoding" in body:
                return None
            else:
                return body
    if isinstance(body, bytes):
        try:
            if body[:2] == b"\x1f\x8b":
                body = gzip.decompress(body)
        except (OSError, EOFError, zlib.error):
            return None
        body = body.decode("utf-8", "replace")
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except ValueError:
        return body


def was_edited(request):
    """True if the recorded length of a request is not that of its body.

    Length: the header Content-Length.  Its body is then not the one that was
    answered, because someone has changed the recording.
    """
    headers, body = request.get("headers"), request.get("body")
    length = [value for key, value in headers.items()
              if key.lower() == "content-length"] if isinstance(
                  headers, dict) else []
    length = length[0] if length else request.get("content_length")
    length = length[0] if isinstance(length, list) and length else length
    if not str(length).isdigit() or int(length) == 0:
        return False
    parsed = body_of(request)
    if isinstance(body, dict):
        body = next((body[key] for key in ("string", "raw", "text")
                     if body.get(key) is not None), None)
    forms = [json.dumps(parsed, ensure_ascii=ascii_only, separators=between)
             for ascii_only in (True, False)
             for between in ((",", ":"), (", ", ": "))]
    forms += [body] if isinstance(body, (str, bytes)) else []
    return int(length) not in {
        len(x if isinstance(x, bytes) else x.encode("utf-8", "surrogatepass"))
        for x in forms}


def status_of(answer):
    status = answer.get("status", answer.get("status_code"))
    if isinstance(status, dict):
        status = status.get("code")
    if isinstance(answer.get("code"), int):
        status = answer["code"]
    return status if isinstance(status, int) else 0


def exchanges(cassette, edited=True):
    """Yields URL, parsed request, status and parsed answer.

    edited: whether to yield requests that were edited after the recording.
    """
    if not isinstance(cassette, dict):
        return
    rows = cassette.get("interactions") or cassette.get("http_interactions")
    if rows is None and "request" in cassette:
        rows = [cassette]
    if rows is None and isinstance(cassette.get("requests"), list):
        rows = [{"request": request, "response": answer} for request, answer
                in zip(cassette["requests"], cassette.get("responses") or [])]
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict):
            continue
        request, answer = row.get("request"), row.get("response")
        if not isinstance(request, dict) or not isinstance(answer, dict):
            continue
        url = request.get("uri") or request.get("url")
        if isinstance(url, str) and (edited or not was_edited(request)):
            yield url, body_of(request), status_of(answer), body_of(answer)


def endpoint_of(url):
    path = url.split("?", 1)[0].rstrip("/")
    for pattern, dialect, member in ENDPOINTS:
        if pattern.search(path):
            return dialect, member
    return None, None


def failed(answer):
    """True if an answer of status 200 is an error all the same."""
    if isinstance(answer, dict):
        return bool(answer.get("error")) or answer.get("type") == "error"
    return (isinstance(answer, str) and
            re.search(r"^(event: error|data: \{\"error\")", answer, re.M))


def verdict_of(status, answer):
    """"taken", "refused" (for its messages), or None."""
    if status == 200:
        return None if failed(answer) else "taken"
    if status not in (400, 422):
        return None
    text = message_of(answer)
    if STRUCTURE.search(text) and not OTHER.search(text):
        return "refused"
    return None


def message_of(answer):
    """The text of a refusal."""
    while isinstance(answer, (dict, list)):
        if isinstance(answer, list):
            answer = answer[0] if answer else ""
        else:
            answer = (answer.get("error") or answer.get("message") or
                      answer.get("detail") or json.dumps(answer))
    return answer if isinstance(answer, str) else ""


def read_directory(directory):
    """All requests of a directory: dialect, verdict, place, body, why."""
    found = []
    for path, data in files_of(directory):
        for url, body, status, answer in exchanges(load(path, data)):
            dialect, member = endpoint_of(url)
            if (dialect is None or not isinstance(body, dict) or
                    not isinstance(body.get(member), list)):
                continue
            verdict = verdict_of(status, answer)
            if verdict is not None or status in (400, 422):
                found.append((dialect, verdict or "other", path,
                              json.dumps(body), message_of(answer)
                              if verdict != "taken" else "", url))
    return found


def gather(directories):
    """The different requests of all directories, by dialect and verdict."""
    groups, seen = collections.defaultdict(list), set()
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for found in pool.map(read_directory, directories):
            for dialect, verdict, path, body, why, url in found:
                if (dialect, verdict, body) not in seen:
                    seen.add((dialect, verdict, body))
                    groups[dialect, verdict].append((path, body, why, url))
    return groups


def check(program, dialect, requests):
    """What ctx-check says of each request: a list of findings per line."""
    said = [[] for _ in requests]
    text = "".join(body + "\n" for _, body, _, _ in requests)
    run = subprocess.run([program, "--json", "-d", dialect],
                         input=text.encode(), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        sys.exit("recorded: %s: %s" % (dialect, run.stderr.decode()))
    for line in run.stdout.decode().splitlines():
        finding = json.loads(line)
        said[finding["line"] - 1].append(finding)
    return said


def repaired(program, dialect, requests):
    """The numbers of the requests that --repair changes."""
    text = [body + "\n" for _, body, _, _ in requests]
    run = subprocess.run([program, "--repair", "-d", dialect],
                         input="".join(text).encode(),
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=False)
    out = run.stdout.decode().splitlines(True)
    return [i for i, line in enumerate(text)
            if i >= len(out) or out[i] != line]


def keep(directory, name, requests, said):
    with open(os.path.join(directory, name + ".jsonl"), "w",
              encoding="utf-8") as f:
        f.writelines(body + "\n" for _, body, _, _ in requests)
    with open(os.path.join(directory, name + ".said"), "w",
              encoding="utf-8") as f:
        for i, (path, _, why, url) in enumerate(requests):
            f.write("%d\t%s\t%s\t%s\t%s\n" % (
                i + 1, path, url.split("?")[0], " ".join(why.split()),
                "; ".join(x["rule"] + ": " + x["what"] for x in said[i])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", nargs="+")
    parser.add_argument("--ctx-check", default="ctx-check")
    parser.add_argument("--keep")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--repair", action="store_true")
    parser.add_argument("--limit", type=float, default=0.2)
    options = parser.parse_args()
    groups = gather(options.directory)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    totals = collections.Counter()
    print("%-17s %8s %6s %8s %8s %6s" % ("dialect", "accepted", "false",
          "changed" if options.repair else "", "refused", "missed"))
    for dialect in DIALECTS:
        counts, named_rows = {}, []
        for verdict in ("taken", "refused", "other"):
            requests = groups[dialect, verdict]
            said = check(options.ctx_check, dialect, requests)
            if options.keep:
                keep(options.keep, "%s.%s" % (dialect, verdict), requests,
                     said)
            bad = [i for i in range(len(requests))
                   if bool(said[i]) == (verdict == "taken")]
            counts[verdict] = (len(requests), len(bad))
            if verdict != "other":
                named_rows += [(verdict, requests[i], said[i]) for i in bad]
        changed = (len(repaired(options.ctx_check, dialect,
                                groups[dialect, "taken"]))
                   if options.repair else "")
        row = counts["taken"] + (changed,) + counts["refused"]
        print("%-17s %8d %6d %8s %8d %6d" % ((dialect,) + row))
        totals.update({i: n for i, n in enumerate(row) if n != ""})
        for verdict, request, said in named_rows if options.list else []:
            print("  %s %s: %s" % (
                "false alarm" if verdict == "taken" else "miss", request[0],
                "; ".join(x["rule"] + ": " + x["what"] for x in said) or
                request[2]))
    print("%-17s %8d %6d %8s %8d %6d" % ("all", totals[0], totals[1],
          totals[2] if options.repair else "", totals[3], totals[4]))
    if not totals[0]:
        sys.exit("recorded: no requests found")
    share = 100.0 * totals[1] / totals[0]
    print("false alarms: %.2f %%" % share)
    return 1 if share > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
