# Writes records of Chat Completions messages as the frameworks would:
#   jq -c --arg to DIALECT -f frameworks.jq
# What a record stands for is kept in its member x, which no reader knows.

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

def convert: map(canon)
    | if $to == "vercel-ui" or $to == "opencode" or $to == "sharegpt"
      then with_results else . end
    | map(.x as $x | write
        | if type == "array" then .[] else . + {x: $x} end);

{({sharegpt: "conversations", goose: "conversation"}[$to] // "messages"):
    (.messages // .body.messages | convert)}
