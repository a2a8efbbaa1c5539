# What is wrong with a SARIF log, by sarif-schema-2.1.0.json of OASIS (errata
# 01), as far as ctx-check uses it: for each kind of object the members it
# may have, their types, and which it must have.  Prints nothing if all holds.

# A type is the name of one below, of a JSON type, or [TYPE] for an array.
def kinds: {
  log: {must: ["version", "runs"], may: {"$schema": "uri", version: "version",
    runs: ["run"]}},
  run: {must: ["tool"], may: {tool: "tool", results: ["result"],
    invocations: ["invocation"]}},
  tool: {must: ["driver"], may: {driver: "component"}},
  component: {must: ["name"], may: {name: "string", version: "string",
    rules: ["rule"], informationUri: "uri"}},
  rule: {must: ["id"], may: {id: "string", shortDescription: "words",
    help: "words"}},
  words: {must: ["text"], may: {text: "string", markdown: "string"}},
  result: {must: ["message"], may: {ruleId: "string", ruleIndex: "index",
    level: "level", message: "message", locations: ["location"]}},
  message: {must: ["text"], may: {text: "string"}},
  location: {must: [], may: {physicalLocation: "place"}},
  place: {must: ["artifactLocation"], may: {artifactLocation: "artifact",
    region: "region"}},
  artifact: {must: [], may: {uri: "reference"}},
  region: {must: [], may: {startLine: "line"}},
  invocation: {must: ["executionSuccessful"],
    may: {executionSuccessful: "boolean"}}
};

# Is the value one of a kind that JSON has no type for?
def is_kind($kind):
  if $kind == "uri" then type == "string" and test("^[a-z]+:[!-~]+$")
  elif $kind == "reference" then
    type == "string" and test("^([!#$&-;=?@A-Z_a-z~]|%[0-9A-F]{2})+$")
  elif $kind == "version" then . == "2.1.0"
  elif $kind == "level" then
    . == "none" or . == "note" or . == "warning" or . == "error"
  elif $kind == "index" then type == "number" and . == floor and . >= -1
  elif $kind == "line" then type == "number" and . == floor and . >= 1
  else type == $kind end;

def wrong($kind; $at):
  if ($kind | type) == "array" then
    if type != "array" then "\($at): no array"
    else to_entries[] | .key as $i | .value | wrong($kind[0]; "\($at)[\($i)]")
    end
  elif kinds[$kind] then
    kinds[$kind] as $k
    | if type != "object" then "\($at): no object"
      else
        (. as $o | $k.must[] | . as $key
          | if $o | has($key) then empty else "\($at): no \($key)" end),
        (to_entries[] | .key as $key | .value
          | if $k.may[$key] then wrong($k.may[$key]; "\($at).\($key)")
            else "\($at): what is \($key)?" end)
      end
  elif is_kind($kind) then empty
  else "\($at): no \($kind)" end;

wrong("log"; "")
