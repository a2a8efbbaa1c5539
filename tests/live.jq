# live.jq - the lines of a transcript that its agent would send to a model,
# as an array of line numbers.  Written from the agents' own readers and
# sharing nothing with ctx, to be held against it.
# usage: jq -s --arg dialect NAME -f live.jq FILE

def lines: to_entries | map(.value + {n: (.key + 1)});
def index_by(f): reduce .[] as $x ({}; .[$x | f] = $x);
def names: [.[] | select(.)] | reduce .[] as $x ({}; .[$x] = true);

def claude_code:
  [lines[] | select((.uuid | type) == "string"
    and (.type | IN("user", "assistant", "progress", "system", "attachment")))]
    as $all
  | ($all | index_by(.uuid)) as $by
  | ($all | map(.parentUuid) | names) as $parents
  | def up: if .parentUuid then $by[.parentUuid] // empty else empty end;
    def spoken: .type == "user" or .type == "assistant";
    def attached: .type == "attachment" and
      if .attachment.type == "queued_command" then .attachment | has("prompt")
      else (.rendered | type == "array" and length > 0) end;
    def side: (.isSidechain // false) or has("teamName");
    def thinks: .type == "assistant" and (.message.content
      | type == "array" and length > 0
        and all(.[]; .type | IN("thinking", "redacted_thinking")));
    [$all[] | select($parents[.uuid] | not) | . as $leaf
      | first(recurse(up) | select(spoken)) | . + {leaf: $leaf}] as $tips
  | [$tips[] | select((side or (.isMeta // false)) | not)] as $main
  | (if $main == [] then $tips else $main end | max_by(.n)) as $tip
  | [$tips[] | select(.n == $tip.n) | .leaf] as $leaves
  | [($leaves | max_by(.n)) // empty | recurse(up)] as $path
  | ([$path[] | select(.type == "assistant") | .message.id] | names) as $ids
  | [$all[] | select(.type == "assistant" and $ids[.message.id // ""])]
    as $siblings
  | ($siblings | map(.uuid) | names) as $callers
  | [$all[] | select(.type == "user" and $callers[.parentUuid // ""]
      and (.message.content | type) == "array"
      and any(.message.content[]; .type == "tool_result"))] as $results
  | ([$all[] | select(thinks | not) | .message.id?] | names) as $spoke
  | $path + $siblings + $results
  | map(select((spoken or attached)
      and ((thinks | not) or $spoke[.message.id])
      and ((side | not) or ($tip | side))
      and (.isApiErrorMessage | not)
      and ((.isVisibleInTranscriptOnly | not) or .isCompactSummary)) | .n)
  | unique;

def pi:
  [lines[] | select(.type != "session")] as $all
  | ($all | index_by(.id)) as $by
  | def up: if .parentId then $by[.parentId] // empty else empty end;
    [$all[-1] | recurse(up)] as $path
  | ($path | map(.type) | index("compaction")) as $at
  | (if $at == null then $path
     else ($path[$at].firstKeptEntryId) as $kept
       | $path[$at + 1:] as $before
       | ($before | map(.id) | index($kept)) as $from
       | $path[:$at + 1]
         + (if $from == null then []
            else $before[:$from + 1] | map(select(.type != "compaction")) end)
     end)
  | map(select(.type == "compaction" or .type == "custom_message"
      or .type == "branch_summary"
      or (.type == "message" and (.message.excludeFromContext | not)
        and (.message.stopReason | IN("error", "aborted") | not))) | .n)
  | sort;

def gemini_cli:
  reduce lines[] as $x ([];
    if $x["$rewindTo"] then
      (map(.id) | index($x["$rewindTo"])) as $at
      | .[:$at // 0]
    elif $x["$set"].messages then [$x]
    elif ($x.id | type) == "string" then
      (map(.id) | index($x.id)) as $at
      | if $at == null then . + [$x] else .[$at] = $x end
    else . end)
  | map(select(.type == null or .type == "gemini" or (.type == "user"
      and (.content[0].text | test("^\\s*([/?]|<session_context>)") | not)))
    | .n)
  | sort;

def codex:
  def text: .payload.content[0].text? // "";
  def written: .payload.role == "user"
    and (text | test("^(# AGENTS.md instructions|<environment_context>)") | not);
  def given: .payload.role == "developer"
    or (.payload.role == "user" and (written | not));
  # Removes the newest n turns, and the context that was given just before them.
  def back($n):
    (to_entries | map(select(.value | written) | .key)) as $turns
    | if $turns == [] or $n == 0 then .
      else . as $all
        | ($turns[[($turns | length) - $n, 0] | max]) as $cut
        | $turns[0] as $first
        | last($cut | recurse(if . > $first and ($all[. - 1] | given)
            then . - 1 else empty end)) as $to
        | $all[:$to]
      end;
  reduce lines[] as $x ([];
    if $x.type == "response_item" and $x.payload.type != "ghost_snapshot" then
      . + [$x]
    elif $x.type == "compacted" then
      if $x.payload.replacement_history then [$x]
      else map(select(written)) + [$x] end
    elif $x.payload.type == "thread_rolled_back" then
      back($x.payload.num_turns)
    else . end)
  | map(.n) | sort;

def copilot_cli:
  reduce lines[] as $x ([];
    if $x.agentId or $x.data.parentToolCallId or $x.data.isUserRequested
    then .
    elif $x.type == "session.compaction_complete" then
      if $x.data.summaryContent then [$x] else . end
    elif $x.type == "session.context_cleared" then []
    elif $x.type | IN("user.message", "assistant.message", "system.message",
      "system.notification", "tool.execution_complete") then . + [$x]
    else . end)
  | map(.n);

def claude_stream:
  lines
  | (map(.subtype) | rindex("compact_boundary")) as $at
  | .[($at // -1) + 1:]
  | map(select(.message and (.parent_tool_use_id | not)) | .n);

if $dialect == "claude-code" then claude_code
elif $dialect == "claude-stream" then claude_stream
elif $dialect == "codex" then codex
elif $dialect == "copilot-cli" then copilot_cli
elif $dialect == "gemini-cli" then gemini_cli
else pi end
