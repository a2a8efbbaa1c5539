# Writes records of Chat Completions messages as another dialect would:
#   jq -c --arg to DIALECT -f rewrite.jq
# A conversation becomes a record, or in the formats of agents some lines.
# What a message stands for is kept in its member x, which no reader knows.

def text:
    if type == "array" then map(.text? // .refusal? // "") | join(" ")
    else . // "" end;
def calls: [.tool_calls[]? | {id, name: (.function // .custom).name,
    args: {value: (.function.arguments? // .custom.input?)}}];
def canon: {role: (if .role == "developer" then "system" else .role end),
    text: (.content | text), calls: calls, id: .tool_call_id,
    thought: (.reasoning_content // .reasoning // null | text), x: [.]};

# Each assistant message with the results that answer it.
def with_results: reduce .[] as $m ([];
    if $m.role == "tool" then
        .[-1].results += [{id: $m.id, text: $m.text}] | .[-1].x += $m.x
    else . + [$m] end);
def result($id): [.results[]? | select(.id == $id) | .text] | first;

def lc_type: {system: "system", user: "human", assistant: "ai",
    tool: "tool"}[.role];
def lc_data: {content: .text, type: lc_type}
    + if .role == "tool" then {tool_call_id: .id, status: "success"}
      elif .role == "assistant" then
        {tool_calls: [.calls[] | {name, args, id, type: "tool_call"}],
         invalid_tool_calls: [],
         additional_kwargs: (if .thought == "" then {}
             else {reasoning_content: .thought} end)}
      else {additional_kwargs: {}, response_metadata: {}} end;
def lc_class: {system: "SystemMessage", user: "HumanMessage",
    assistant: "AIMessage", tool: "ToolMessage"}[.role];

def thought_parts: if .thought == "" then []
    else [{type: "reasoning", text: .thought}] end;
def text_parts: if .text == "" then [] else [{type: "text", text}] end;

def write:
    if $to == "langchain-dict" then {type: lc_type, data: lc_data}
    elif $to == "langchain-lc" then {lc: 1, type: "constructor",
        id: ["langchain", "schema", "messages", lc_class], kwargs: lc_data}
    elif $to == "langchain-dump" then lc_data
    elif $to == "vercel-model" then {role, content:
        (if .role == "assistant" then thought_parts + text_parts
             + [.calls[] | {type: "tool-call", toolCallId: .id,
                 toolName: .name, input: .args}]
         elif .role == "tool" then [{type: "tool-result",
             toolCallId: .id, toolName: "f",
             output: {type: "text", value: .text}}]
         else .text end)}
    elif $to == "vercel-ui" then . as $m | {id: "m", role, parts:
        ([{type: "step-start"}] + thought_parts + text_parts
         + [.calls[] | .id as $id | ($m | result($id)) as $out
             | {type: "tool-\(.name)", toolCallId: .id, input: .args}
             + if $out == null then {state: "input-available"}
               else {state: "output-available", output: $out} end])}
    elif $to == "opencode" then . as $m | {info: {id: "m", role}, parts:
        ([{type: "step-start"}] + thought_parts + text_parts
         + [.calls[] | .id as $id | ($m | result($id)) as $out
             | {type: "tool", tool: .name, callID: .id, state:
                 ({input: .args} + if $out == null then {status: "running"}
                  else {status: "completed", output: $out} end)}])}
    elif $to == "atif" then . as $m
        | {source: (if .role == "assistant" then "agent" else .role end),
           message: .text}
        + (if .thought == "" then {} else {reasoning_content: .thought} end)
        + (if .calls == [] then {} else {tool_calls: [.calls[]
            | {tool_call_id: .id, function_name: .name,
               arguments: .args}]} end)
        + (if .results then {observation: {results: [.results[]
            | {source_call_id: .id, content: .text}]}} else {} end)
    elif $to == "otel-genai" then {role, parts:
        ((if .thought == "" then []
            else [{type: "reasoning", content: .thought}] end)
         + (if .role == "tool" then [{type: "tool_call_response", id,
                response: .text}]
            elif .text == "" then []
            else [{type: "text", content: .text}] end)
         + [.calls[] | {type: "tool_call", id, name, arguments: .args}])}
    elif $to == "ollama" then {role, content: .text}
        + (if .thought == "" then {} else {thinking: .thought} end)
        + (if .calls == [] then {} else {tool_calls:
            [.calls[] | {function: {name, arguments: .args}}]} end)
    elif $to == "goose" then {created: 1793527200,
        role: (if .role == "assistant" then .role else "user" end),
        content: (if .role == "tool" then [{type: "toolResponse", id,
                toolResult: {status: "success", value:
                    {content: [{type: "text", text}]}}}]
            else (if .thought == "" then [] else
                    [{type: "thinking", thinking: .thought, signature: ""}]
                    end)
                + text_parts
                + [.calls[] | {type: "toolRequest", id, toolCall: {
                    status: "success",
                    value: {name, arguments: .args}}}] end)}
    elif $to == "sharegpt" then
        if .results then [{from: "gpt", x: .x[:1],
                value: "\(.text)<tool_call>\(.calls)</tool_call>"},
            {from: "tool", x: .x[1:], value: (.results | tojson)}]
        else {from: {user: "human", assistant: "gpt",
            system: "system"}[.role], value: .text} end
    else error("no dialect " + $to) end;

# ---- rows of llm: a turn each, or a step of one

def rows: reduce .[] as $m ({rows: [], asked: [], got: []};
    if $m.role == "assistant" then
        .rows += [(.asked + .got + [$m]) as $all | {id: "r", model: "gpt-4o",
            conversation_id: "c",
            prompt: ([.asked[] | select(.role == "user").text] | join("\n")),
            system: ([.asked[] | select(.role == "system").text] | first),
            tool_results: [.got[] | {name: "f", output: .text,
                tool_call_id: .id}],
            response: $m.text,
            tool_calls: [$m.calls[] | {name, arguments: .args,
                tool_call_id: .id}],
            x: [$all[].x[]]}
          + if $m.thought == "" then {} else {reasoning: $m.thought} end]
        | .asked = [] | .got = []
    elif $m.role == "tool" then .got += [$m]
    else .asked += [$m] end)
    | .rows + if .asked + .got == [] then [] else [{id: "r", model: "gpt-4o",
        conversation_id: "c", prompt: ([.asked[].text] | join("\n")),
        response: "", tool_results: [.got[] | {name: "f", output: .text,
            tool_call_id: .id}], x: [(.asked + .got)[].x[]]}] end;

# ---- lines of agents: what a message stands for is in its last line

# Messages of Anthropic, a line for each block of a response.
def claude_lines: to_entries | map((.key | "msg_\(.)") as $id | .value
    | if .role == "system" then empty
      elif .role == "assistant" then
        ((if .thought == "" then [] else
             [{type: "thinking", thinking: .thought, signature: "c2ln"}] end)
         + text_parts
         + [.calls[] | {type: "tool_use", id, name, input: .args}]) as $blocks
        | .x as $x | range($blocks | length) | . as $i
        | {type: "assistant", message: {id: $id, type: "message",
            role: "assistant", model: "claude-sonnet-5",
            content: [$blocks[$i]], usage: {input_tokens: 1}}}
          + if $i == ($blocks | length) - 1 then {x: $x} else {} end
      elif .role == "tool" then {type: "user", x, message: {role: "user",
          content: [{type: "tool_result", tool_use_id: .id, content: .text}]}}
      else {type: "user", x, message: {role, content: .text}} end);

# Adds attachments after lines.
def with_attachments: to_entries | map(.key as $i | .value,
    if $i % 4 > 1 then empty
    elif $i % 4 == 0 then {type: "attachment", attachment: {
        type: "total_tokens_reminder"}, rendered: [{content:
        "<system-reminder>\n\($i * 990) tokens left\n</system-reminder>"}]}
    elif $i % 3 == 0 then {type: "attachment", attachment: {
        type: "queued_command", commandMode: "prompt",
        prompt: "Also look at file\($i).c."}}
    else {type: "attachment", attachment: {type: "hook_success"}} end);
def chained(up; own): to_entries | map(.value
    + {(own): "u\(.key)", (up): (if .key == 0 then null
        else "u\(.key - 1)" end)});

def codex_lines: map(
    if .role == "assistant" then
        .x as $x
        | ((if .thought == "" then [] else [{type: "reasoning", summary:
                [{type: "summary_text", text: .thought}]}] end)
           + (if .text == "" then [] else [{type: "message", role,
                content: [{type: "output_text", text}]}] end)
           + [.calls[] | {type: "function_call", call_id: .id, name,
                arguments: (.args | tojson)}])
        | .[-1].x = $x | .[]
    elif .role == "tool" then
        {type: "function_call_output", call_id: .id, output: .text, x}
    else {type: "message",
        role: (if .role == "system" then "developer" else .role end),
        content: [{type: "input_text", text}], x} end
    | {timestamp: "t", type: "response_item", payload: del(.x)}
      + if .x then {x} else {} end)
    | map(., if .payload.role == "user" then {timestamp: "t",
        type: "event_msg", payload: {type: "user_message", message: "same"}}
        else empty end);

# Of a message of the model an earlier version comes first.
def gemini_lines: with_results | [{sessionId: "s", projectHash: "h"}]
    + (to_entries | map((.key | tostring) as $id | .value
    | if .role == "system" then empty
      elif .role == "assistant" then . as $m
        | {id: $id, timestamp: "t", type: "gemini", content: .text}
        | ., . + {x: $m.x, toolCalls: [$m.calls[] | .id as $call
            | ($m | result($call)) as $out
            | {id, name, args, result: (if $out == null then null else
                [{functionResponse: {id, name,
                    response: {output: $out}}}] end)}]}
          + if $m.thought == "" then {}
            else {thoughts: [{subject: "s", description: $m.thought}]} end
      else {id: $id, timestamp: "t", type: "user",
        content: [{text: "say \(.text)"}], x} end));

# A tool's start says again what was asked; a subagent has its own calls.
def copilot_lines: [{type: "session.start", data: {sessionId: "s",
        version: 1, producer: "copilot-agent"}}]
    + map(if .role == "user" then {type: "user.message", x,
            data: {content: .text, transformedContent: "say \(.text)"}}
      elif .role == "system" then
        {type: "system.message", x, data: {role, content: .text}}
      elif .role == "tool" then
        {type: "tool.execution_start", data: {toolCallId: .id,
            toolName: "f", arguments: {}}},
        {type: "tool.execution_complete", agentId: "a",
            data: {toolCallId: "of a subagent", success: true,
                result: {content: "same"}}},
        {type: "tool.execution_complete", x, data: {toolCallId: .id,
            success: true, result: {content: .text,
                detailedContent: .text}}}
      else {type: "assistant.message", x, data: ({messageId: "m",
            content: .text, toolRequests: [.calls[] | {toolCallId: .id,
                name, arguments: .args, type: "function"}]}
          + if .thought == "" then {} else {reasoningText: .thought} end)}
      end)
    | map(. + {timestamp: "2026-09-09T14:54:06.000Z"})
    | chained("parentId"; "id");

def pi_lines: [{type: "session", version: 3, id: "s", cwd: "/w"}]
    + (map(if .role == "system" then empty
      else {type: "message", x, message:
        (if .role == "assistant" then {role, content:
            ((if .thought == "" then [] else
                [{type: "thinking", thinking: .thought}] end)
             + text_parts
             + [.calls[] | {type: "toolCall", id, name, arguments: .args}])}
         elif .role == "tool" then {role: "toolResult", toolCallId: .id,
            toolName: "f", content: [{type: "text", text}]}
         else {role, content: .text} end)} end)
    | chained("parentId"; "id"));

def lines:
    if $to == "claude-code" then claude_lines | with_attachments | chained("parentUuid"; "uuid")
    elif $to == "claude-stream" then claude_lines | map(. + {session_id: "s"})
    elif $to == "codex" then codex_lines
    elif $to == "gemini-cli" then gemini_lines
    elif $to == "copilot-cli" then copilot_lines
    elif $to == "pi" then pi_lines
    else null end;

# ---- records

def convert: map(canon)
    | if $to | IN("vercel-ui", "opencode", "sharegpt", "atif") then with_results else . end
    | map(.x as $x | write
        | if type == "array" then .[] else . + {x: $x} end)
    | if $to == "atif" then to_entries
        | map({step_id: (.key + 1)} + .value) else . end;

(.messages // .body.messages) as $messages
| ($messages | map(canon)) as $canon
| if $to == "llm-logs" then $canon | rows
  elif $canon | lines then $canon | lines[]
  else (if $to == "atif" then {schema_version: "ATIF-v1.7",
            agent: {name: "a", version: "1"}} else {} end)
    + {({sharegpt: "conversations", goose: "conversation", atif: "steps",
         "otel-genai": "gen_ai.input.messages"}[$to]
        // "messages"): ($messages | convert)} end
