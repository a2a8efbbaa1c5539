#!/usr/bin/env python3
"""Makes evaluation sets for ctx-eval from recorded sessions of agents.

sets.py OUT SET FORMAT FILE...

OUT/SET gets two halves, "choose" and "report"; the checksum of a session's
name says which half it is in.  NAME.jsonl has the messages of a session in the
format of Chat Completions.  Evaluate a half with:

    ctx-eval -e o200k_base --least 15k OUT/SET/report/*.jsonl

FORMAT is one of:
  claude     session files of Claude Code (~/.claude/projects/*/*.jsonl)
  codex      session files of Codex (~/.codex/sessions/**/*.jsonl)
  mini       runs of mini-swe-agent (*.traj.json)
  swe-agent  runs of SWE-agent (*.traj)
  tau        a list of runs of tau-bench (historical_trajectories/*.json)

Public repositories that have such files, read in November 2026:
  claude, codex  agurod42/torre-swipe (docs/conversations),
                 xiaomoziyi/session-logs (sessions)
  claude         entireio/cli ("coding2"); Beep206/CyberVPN, EntityProcess/agentv,
                 FSM1/cipher-box, PackmindHub/context-evaluator,
                 blackgirlbytes/entire-token-costs-benchmark-tests,
                 codyborders/pup-mcp, entireio/auth-go, entireio/external-agents,
                 ta93abe/me ("coding3"): files full.jsonl of the branch
                 entire/checkpoints/v1, whose metadata.json names the agent; of
                 files with the same session the longest
  codex          EntityProcess/agentv, entireio/external-agents, ta93abe/me: the
                 same branch
  claude, codex  Esdeveniments/esdeveniments-frontend, Nomos-N4s/nomos,
                 Soph/energy-import-export, Standard-Syntax/basic,
                 Wood-Q/MokioFactory, chikachow/cyspbot, rommeld/leeson,
                 samcat116/strato, savekirk/session-bridge,
                 theexperiencecompany/gaia ("coding4"): the same branch, or
                 branches of that name with a number each
  claude, codex  JanDeDobbeleer/oh-my-posh, Safecast/safecast-map-MCP,
                 blackgirlbytes/handwriter, entireio/skills,
                 nakamura-shuta/tij, stat-guy/imessage-mail ("coding5"): the
                 same branch
  mini           gruckion/mini-swe-agent (swebench_results)
  swe-agent      multi-swe-bench/experiments (evaluation/java/verified)
  tau            sierra-research/tau-bench (historical_trajectories)

The figures in ctx-strategy(7) were measured on both halves of "coding4", and on
the half "report" of the others, at split points with at least 60,000
characters before them (about 15,000 tokens) for claude and codex, 30,000 for
mini ("fixes"; of the files above 220 kB by name every second, from the second
on, and all above 350 kB), and 8,000 for tau, of which one file was
available (gpt-4o-airline).

Found later, and used only to measure ctx-replay and to read summaries:
  alessandrojcm/dhc-dashboard, codyborders/yinshi, dayhaysoos/nimbus,
  eitatech/gatomia-vscode, iyaki/reglint, mholtzscher/pi-herdr-subagents,
  raquezha/pi.dev, Ri5ha6h/tan-mapper-app, ShamsiievDmytro/entire-bmad,
  Soph/go-git-cli, aunshx/checkpoint-scout,
  blackgirlbytes/planetfall-seed-signalkit, dougnukem/orpheus,
  entireio/entire-graph, entireio/git-sync, entireio/herdr-trails, jdx/fnox,
  jdx/hk, jdx/mise, polecatspeaks/StarCar, punt-labs/langlearn-tts,
  shaheislam/dotfiles, ClusterCockpit/cc-backend, MandavkarPranjal/prsui,
  MandavkarPranjal/www, StefanJonssonInExchange/branch-pruner,
  computermode/test-repo, darthzen/lab-memory, darthzen/neuvector-mcp,
  darthzen/zoia-canvas, ebridges/wakil, f/awesome-chatgpt-prompts,
  gmeligio/flutter-docker-image, ivoba/dotfiles, jdx/communique,
  keparlak/NumWordify, orin-dx/agent-plugins, teslamint/entirecontext,
  tsutoringo/shui, ElixirTrials/medgemma-hackathon,
  MandavkarPranjal/environment, The-Best-Codes/bestcodes.dev,
  Viniciuscarvalho/FitToday, Zephyrxx0/DevBridge, adrianmg/test-repo,
  blackgirlbytes/pretext-handwriting-demo, codyborders/devtoolscrape,
  darthzen/float, darthzen/fossa-mcp, darthzen/lab-fleet, dspurkayastha/Apollo,
  jeanduplessis/jeanduplessis.me, jeevanpillay/dual,
  jfmoe/react-native-live-text-view, mholtzscher/nix-config,
  nivalis-studio/biome-config, obsessiondb/chkit, steadyfall/wwbm-webapp,
  tslateman/duet, vuon9/devtoolbox, yash-kumar-tiwari/test-entire,
  younocode/claude-code-tutorial, yutakobayashidev/dotnix,
  yutakobayashidev/repiq: the same branch, or branches of that name
"""
import argparse
import json
import os
import re
import zlib

HALVES = ("choose", "report")
BASH = re.compile(r"```bash\n(.*?)\n```", re.S)


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
        elif kind == "function_call":
            say(messages, "assistant", "", [call(
                item["call_id"], item["name"], item["arguments"])])
        elif kind == "custom_tool_call":
            say(messages, "assistant", "", [{
                "id": item["call_id"], "type": "custom",
                "custom": {"name": item["name"], "input": item["input"]}}])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            output = item["output"]
            messages.append({
                "role": "tool", "tool_call_id": item["call_id"],
                "content": text_of(output)})
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


# ---- sessions ----


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


def session_of(name):
    """The runs of one task of tau-bench, taskNUMBER-RUN, are one session."""
    return re.sub(r"^(task\d+)-\d+$", r"\1", name)


def write_session(directory, name, messages):
    half = HALVES[zlib.crc32(session_of(name).encode()) & 1]
    os.makedirs(os.path.join(directory, half), exist_ok=True)
    path = os.path.join(directory, half, name + ".jsonl")
    with open(path, "w", encoding="utf-8") as out:
        for message in messages:
            out.write(json.dumps(message) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("set")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("file", nargs="+")
    args = parser.parse_args()
    sessions = 0
    for path in args.file:
        for name, messages in FORMATS[args.format](path):
            messages = answered(messages)
            if messages:
                write_session(os.path.join(args.out, args.set),
                              name.split(".")[0], messages)
                sessions += 1
    print("%s: %d sessions" % (args.set, sessions))


if __name__ == "__main__":
    main()
