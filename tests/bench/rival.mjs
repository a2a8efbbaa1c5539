// rival.mjs WHAT [BUDGET]: what packages for JavaScript do to OpenAI Chat
// messages, a line each, on standard input.  WHAT is gpt-tokenizer, tiktoken,
// js-tiktoken or @anthropic-ai/tokenizer, which count the tokens of all
// messages, @langchain/core, whose trimMessages cuts them to BUDGET tokens
// (counted by gpt-tokenizer), or ai, whose pruneMessages takes out reasoning and
// the tool calls before the last two messages, whatever they cost.  With BUDGET,
// ai takes out the tool calls before the last N messages, with the greatest N
// that the budget allows, and writes OpenAI Chat messages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(
  path.resolve(process.env.RIVALS, "node_modules", "x.js"));
const encoding = "o200k_base";
const [what, budget] = process.argv.slice(2);
const messages = readFileSync(0, "utf8").split("\n").filter(Boolean)
  .map((line) => JSON.parse(line));

function textsOf(message) {
  const texts = [message.role];
  if (message.name !== undefined) texts.push(message.name);
  for (const key of ["reasoning_content", "content", "refusal"]) {
    const value = message[key];
    if (typeof value === "string") texts.push(value);
    if (Array.isArray(value))
      for (const block of value)
        if (block.type === "text") texts.push(block.text);
  }
  for (const call of message.tool_calls ?? [])
    texts.push(call.function.name, call.function.arguments);
  return texts;
}

function counterOf(name) {
  if (name === "gpt-tokenizer") {
    const m = require("gpt-tokenizer/cjs/encoding/" + encoding);
    return (text) => m.countTokens(text, { disallowedSpecial: new Set() });
  }
  if (name === "@anthropic-ai/tokenizer") {
    // countTokens of the package makes its tables anew for each text.
    const tokenizer = require(name).getTokenizer();
    return (text) => tokenizer.encode(text.normalize("NFKC"), "all").length;
  }
  const m = require(name);
  const t = (m.getEncoding ?? m.get_encoding)(encoding);
  return (text) => t.encode(text, [], []).length;
}

const cost = (count) => (message) => 3 + (message.name !== undefined) +
  textsOf(message).reduce((sum, text) => sum + count(text), 0);

async function langchain() {
  const core = require("@langchain/core/messages");
  const one = cost(counterOf("gpt-tokenizer"));
  const costs = messages.map(() => undefined);
  const all = messages.map((m, at) => {
    const fields = { content: m.content ?? "", additional_kwargs: { at } };
    if (m.role === "system") return new core.SystemMessage(fields);
    if (m.role === "user") return new core.HumanMessage(fields);
    if (m.role === "tool")
      return new core.ToolMessage(
        { ...fields, tool_call_id: m.tool_call_id });
    return new core.AIMessage(fields);
  });
  const kept = await core.trimMessages(all, {
    maxTokens: Number(budget), strategy: "last", includeSystem: true,
    startOn: "human",
    tokenCounter: (list) => list.reduce((sum, m) => {
      const at = m.additional_kwargs.at;
      return sum + (costs[at] ??= one(messages[at]));
    }, 3),
  });
  for (const m of kept)
    console.log(JSON.stringify(messages[m.additional_kwargs.at]));
}

function prune() {
  const { pruneMessages } = require("ai");
  const list = messages.map((m) => {
    const content = [];
    if (m.role === "tool")
      return { role: "tool", content: [{ type: "tool-result",
        toolCallId: m.tool_call_id, toolName: "tool",
        output: { type: "text", value: m.content } }] };
    if (m.role !== "assistant")
      return { role: m.role, content: textsOf(m).at(-1) };
    if (m.reasoning_content)
      content.push({ type: "reasoning", text: m.reasoning_content });
    if (m.content) content.push({ type: "text", text: m.content });
    for (const call of m.tool_calls ?? [])
      content.push({ type: "tool-call", toolCallId: call.id,
        toolName: call.function.name, input: call.function.arguments });
    return { role: "assistant", content };
  });
  const pruneBefore = (n) => pruneMessages({ messages: list,
    reasoning: "all", emptyMessages: "remove",
    toolCalls: n === 0 ? "all" : `before-last-${n}-messages` });
  const kept = budget === undefined ? pruneBefore(2)
    : fitBudget((n) => pruneBefore(n).map(chatOf));
  for (const m of kept) console.log(JSON.stringify(m));
}

function chatOf(message) {
  const { role, content } = message;
  if (typeof content === "string") return message;
  if (role === "tool")
    return { role, tool_call_id: content[0].toolCallId,
      content: content[0].output.value };
  const calls = content.filter((part) => part.type === "tool-call");
  const text = content.find((part) => part.type === "text")?.text ?? null;
  return calls.length === 0 ? { role, content: text } : { role, content: text,
    tool_calls: calls.map((call) => ({ id: call.toolCallId, type: "function",
      function: { name: call.toolName, arguments: call.input } })) };
}

// Returns the messages that take(n) gives for the greatest n, up to the number
// of all messages, whose messages fit in the budget.
function fitBudget(take) {
  const one = cost(counterOf("gpt-tokenizer"));
  const fits = (list) => list.reduce((sum, m) => sum + one(m), 3) <= budget;
  let low = 0, high = messages.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(take(middle))) low = middle; else high = middle - 1;
  }
  return take(low);
}

if (what === "@langchain/core") {
  await langchain();
} else if (what === "ai") {
  prune();
} else {
  const one = cost(counterOf(what));
  console.log(messages.reduce((sum, m) => sum + one(m), 3));
}
