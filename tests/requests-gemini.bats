# What requests cost in the formats of Gemini

load helper

@test "gemini: a message and a system prompt cost a token each since 2.5" {
	of() { # model, [option...]
		for system in '' '"systemInstruction":{"parts":[{"text":"be"}]},'; do
			echo '{"model":"'"$1"'",'"$system"'"contents":[{"role":"user",
			    "parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"hi"}]}]}' |
			    jq -c . > in
			tokens "${@:2}" in
		done | paste -sd ' '
	}
	[ "$(of gemini-2.5-pro -e o200k_base)" = "4 6" ]
	[ "$(of gemini-2.5-pro)" = "4 6" ]
	[ "$(of gemini-3-pro)" = "4 6" ]
	[ "$(of gemini-2.0-flash -e o200k_base)" = "2 3" ]
	[ "$(of gemini-2.0-flash)" = "2 3" ]
}

@test "gemini: an empty system prompt costs nothing, and one part needs no array" {
	of() { # parts of the system prompt
		echo '{"model":"gemini-2.5-pro","systemInstruction":{"parts":'"$1"'},
		    "contents":[{"role":"user","parts":[{"text":"hi"}]}]}' | jq -c . > in
		tokens -e o200k_base in
	}
	[ "$(of '[{"text":"be"}]')" -eq 4 ]
	[ "$(of '{"text":"be"}')" -eq 4 ]
	[ "$(of '{"text":""}')" -eq 2 ]
}

# gemini_tokens MODEL TOOLS PARTS [OPTION...]: tokens of a request in Gemini's
# format; PARTS are those of the answer before the last message
gemini_tokens() {
	jq -nc --arg model "$1" --argjson tools "$2" --argjson parts "$3" '
	    {model: $model, tools: [{functionDeclarations: $tools}], contents: [
	    {role: "user", parts: [{text: "go"}]}, {role: "model", parts: $parts},
	    {role: "user", parts: [{text: "on"}]}]}' > in
	tokens "${@:4}" in
}

# text_tokens FILE: tokens of a text in which each quote, < and > is a token by
# itself, as in the prompt of Gemini 3
text_tokens() {
	local sum=0 piece marks
	marks=$(tr -cd '"<>' < "$1" | wc -c)
	while IFS= read -r piece || [ -n "$piece" ]; do
		printf '%s' "$piece" > piece
		sum=$((sum + $(tokens -e o200k_base --text piece)))
	done < <(tr '"<>' '\n' < "$1")
	echo $((sum + marks))
}

weather='[{"name":"get_weather","description":"Gets the weather.\nIn a city.",
 "parameters":{"type":"OBJECT","properties":{
  "city":{"type":"STRING","description":"City name"},
  "unit":{"type":"STRING","enum":["C","F"]},
  "days":{"type":"ARRAY","items":{"type":"INTEGER"}},
  "place":{"type":"OBJECT","properties":{"lat":{"type":"NUMBER"}},"required":["lat"]}},
 "required":["city","place"]}}]'

@test "gemini 3: a tool is a declaration with quotes that are tokens" {
	# In recorded requests, weather with one argument cost 48 tokens and a
	# tool without arguments and description 13 and its name.
	printf '%s' '<declaration:get_weather{description:"Gets the weather.
In a city.",parameters:{type:"OBJECT",properties:{city:{type:"STRING",description:"City name"},unit:{type:"STRING",enum:["C","F"]},days:{type:"ARRAY",items:{type:"INTEGER"}},place:{type:"OBJECT",properties:{lat:{type:"NUMBER"}},required:["lat"]}},required:["city","place"]}}>' |
	    tr '\n' ' ' > shown
	local none text='[{"text":"t"}]'
	# The texts of text_tokens have no line breaks.
	weather=$(jq -c 'map(.description |= sub("\n"; " "))' <<< "$weather")
	none=$(gemini_tokens gemini-3-pro '[]' "$text" -e o200k_base)
	[ "$(gemini_tokens gemini-3-pro "$weather" "$text" -e o200k_base)" -eq \
	    $((none + $(text_tokens shown))) ]
	# A JSON schema is shown in the same way; what is empty is left out.
	json=$(jq -c 'map(.parametersJsonSchema = (.parameters |
	    walk(if type == "object" and (.type | type) == "string"
	        then .type |= ascii_downcase | .additionalProperties = false |
	            .description //= "" else . end)) | del(.parameters))' <<< "$weather")
	[ "$(gemini_tokens gemini-3-pro "$json" "$text" -e o200k_base)" -eq \
	    $((none + $(text_tokens shown))) ]
	printf '<declaration:f{}>' > shown
	[ "$(gemini_tokens gemini-3-pro '[{"name":"f"}]' "$text" -e o200k_base)" -eq \
	    $((none + $(text_tokens shown))) ]
}

@test "gemini 2.5: a tool is a function of Python, and an object a class" {
	cat > shown <<'X'
def get_weather(
    city: str,
    unit: Literal['C', 'F'] | None = None,
    days: list[int] | None = None,
    place: GetWeatherPlace,
) -> dict:
  """Gets the weather.
  In a city.

  Args:
    city: City name
    unit: 
    days: 
    place: 
  """
@dataclasses.dataclass(kw_only=True)
class GetWeatherPlace:
  """

  Attributes:
    lat: 
  """
  lat: float
X
	local none text='[{"text":"t"}]'
	none=$(gemini_tokens gemini-2.5-pro '[]' "$text" -e o200k_base)
	[ "$(gemini_tokens gemini-2.5-pro "$weather" "$text" -e o200k_base)" -eq \
	    $((none + $(tokens -e o200k_base --text shown))) ]
	# "null" in a type changes nothing; a schema may refer to another one.
	refers='[{"name":"get_weather","description":"Gets the weather.\nIn a city.",
	 "parametersJsonSchema":{"$defs":{"P":{"type":"object",
	   "properties":{"lat":{"type":"number"}},"required":["lat"]}},
	  "properties":{"city":{"type":"string","description":"City name"},
	   "unit":{"anyOf":[{"enum":["C","F"]},{"type":"null"}]},
	   "days":{"type":["null","array"],"items":{"type":"integer"}},
	   "place":{"$ref":"#/$defs/P"}},"required":["city","place"]}}]'
	[ "$(gemini_tokens gemini-2.5-pro "$refers" "$text" -e o200k_base)" -eq \
	    $((none + $(tokens -e o200k_base --text shown))) ]
	# A schema that refers to itself ends.
	self='[{"name":"f","parameters":{"$defs":{"T":{"type":"object","properties":
	    {"a":{"$ref":"#/$defs/T"},"b":{"items":{"$ref":"#/$defs/T"},"type":"array"}}}},
	    "properties":{"t":{"$ref":"#/$defs/T"}}}}]'
	[ "$(gemini_tokens gemini-2.5-pro "$self" "$text")" -lt 10000 ]
}

@test "gemini: up to 2.0 and on Vertex AI, a tool is its texts, and a JSON schema nothing" {
	local model none text='[{"text":"t"}]'
	for model in gemini-2.0-flash vertex_ai/gemini-2.5-pro \
	    google-vertex/gemini-3-pro \
	    projects/p/locations/l/publishers/google/models/gemini-3-pro; do
		none=$(gemini_tokens $model '[]' "$text" -e o200k_base)
		# f, OBJECT, a, STRING, a
		[ "$(gemini_tokens $model '[{"name":"f","parameters":{"type":"OBJECT",
		    "properties":{"a":{"type":"STRING"}},"required":["a"]}}]' \
		    "$text" -e o200k_base)" -eq $((none + 5 +
		    $(printf STRING > s; tokens -e o200k_base --text s) - 1)) ] || fail "$model"
		[ "$(gemini_tokens $model '[{"name":"f","parametersJsonSchema":{
		    "type":"object","properties":{"a":{"type":"string"}}}}]' \
		    "$text" -e o200k_base)" -eq $((none + 1)) ] || fail "$model"
	done
	# A message costs nothing there, but a token in the Gemini API.
	[ $(($(gemini_tokens gemini-2.5-pro '[]' "$text" -e o200k_base) -
	    $(gemini_tokens vertex_ai/gemini-2.5-pro '[]' "$text" -e o200k_base))) -eq 3 ]
	# Other models are counted alike at every provider.
	[ "$(gemini_tokens vertex_ai/claude-opus-4-5 "$weather" "$text")" -eq \
	    "$(gemini_tokens claude-opus-4-5 "$weather" "$text")" ]
}

@test "gemini: a call and its result are shown as the version shows them" {
	local call='[{"functionCall":{"name":"f","args":{"a":"x y","b":[1,"z"],"c":true}}}]'
	# of MODEL: what the call, and the text x in its result, cost
	of() {
		jq -nc --arg model "$1" --argjson call "$call" '{model: $model, contents: [
		    {role: "user", parts: [{text: "go"}]}, {role: "model", parts: $call},
		    {role: "user", parts: [{functionResponse: {name: "f",
		        response: {output: "x", n: 5}}}]}]}' > in
		jq -c '.contents |= .[:1]' in > none
		echo $(($(tokens -e o200k_base in) - $(tokens -e o200k_base none)))
	}
	# 8 tokens of the two, one for each message, and the two names
	printf '{a:"x y",b:[1,"z"],c:true}' > call
	printf '{output:"x",n:5}' > result
	[ "$(of gemini-3-pro)" -eq $((8 + 2 + 2 +
	    $(text_tokens call) + $(text_tokens result))) ]
	printf '(a = "x y", b = [1, "z"], c = true)' > call
	printf '{"output": "x", "n": 5}' > result
	[ "$(of gemini-2.5-pro)" -eq $((10 + 2 + 2 +
	    $(tokens -e o200k_base --text call) + $(tokens -e o200k_base --text result))) ]
	# f, a, x y, b, z, c; f, output, x, n
	[ "$(of gemini-2.0-flash)" -eq 11 ]
}

@test "gemini: an estimate has a token more for each definition and each call" {
	of() { # model, definitions, calls
		gemini_tokens "$1" "$(jq -nc --argjson n "$2" '[range($n) | {name: "f"}]')" \
		    "$(jq -nc --argjson n "$3" '[{text: "t"}] +
		        [range($n) | {functionCall: {name: "f", args: {}}}]')" "${@:4}"
	}
	local model exact
	# a token of Gemma is 1.03 tokens of o200k_base, so few texts are equal
	for model in gemini-2.5-pro gemini-3-pro; do
		exact=$(($(of $model 0 3 -e o200k_base) - $(of $model 0 1 -e o200k_base)))
		[ $(($(of $model 0 3) - $(of $model 0 1))) -eq $((exact + 2)) ] || fail $model
	done
	exact=$(($(of gemini-3-pro 2 0 -e o200k_base) - $(of gemini-3-pro 1 0 -e o200k_base)))
	[ $(($(of gemini-3-pro 2 0) - $(of gemini-3-pro 1 0))) -eq $((exact + 1)) ]
}

@test "openai, gemini: an empty system prompt outside the messages costs nothing" {
	of() { # system prompt
		echo '{"model":"gpt-4o","instructions":'"$1"',"input":[{"role":"user","content":"hi"}]}' > in
		tokens in
	}
	[ "$(of '""')" -eq "$(of null)" ]
	[ "$(of '"be"')" -gt "$(of null)" ]
}

@test "gemini: a signature counts by its form, which says where it is billed" {
	# of MODEL BYTES SIZE [LATER]: what a signature costs that begins with
	# BYTES and has SIZE bytes of data
	of() {
		local later=${4:-[]} s size
		for size in "$3" 0; do
			s=$({ printf '%b' "$2"; head -c "$size" /dev/zero; } | base64 -w 0)
			jq -nc --arg model "$1" --arg s "$s" --argjson later "$later" \
			    '{model: $model, contents: ([{role: "user", parts: [{text: "go"}]},
			    {role: "model", parts: [{functionCall: {name: "t", args: {}},
			        thoughtSignature: $s}]},
			    {role: "user", parts: [{functionResponse: {name: "t",
			        response: {output: "x"}}}]}] + $later)}' > "in$size"
		done
		echo $(($(tokens "in$3") - $(tokens in0)))
	}
	local later='[{"role": "user", "parts": [{"text": "on"}]}]' model
	# 1,500 bytes are 2,000 of base64.  The Gemini API of version 3: a field
	# 2 is billed, a field 1 is of Vertex AI, and other texts are no data.
	for model in gemini-3-flash gemini-3-pro gemini-3.6-flash; do
		[ "$(of $model '\x12\xd9\x0b' 1497)" -eq 389 ] || fail $model
		[ "$(of $model '\x0a\xd9\x0b' 1497)" -eq 0 ] || fail $model
		[ "$(of $model skip 1496)" -eq 0 ] || fail $model
	done
	# Up to 3.0, signatures before the last message of the user are not
	# billed.
	[ "$(of gemini-3-flash '\x12\xd9\x0b' 1497 "$later")" -eq 0 ]
	[ "$(of gemini-3.6-flash '\x12\xd9\x0b' 1497 "$later")" -eq 389 ]
	# 2.5: only those of streamed answers, which have several fields 1
	[ "$(of gemini-2.5-pro '\x0a\xd9\x0b' 1497)" -eq 0 ]
	[ "$(of gemini-2.5-pro '\x0a\x24' 1498)" -eq 254 ]
	# Vertex AI: 2.5 all, 3 only those of 2026
	[ "$(of vertex_ai/gemini-2.5-pro '\x0a\xd9\x0b' 1497)" -eq 388 ]
	[ "$(of vertex_ai/gemini-2.5-pro '\x0a\x24' 1498)" -eq 254 ]
	[ "$(of vertex_ai/gemini-3-pro '\x0a\xd9\x0b' 1497)" -eq 0 ]
	[ "$(of vertex_ai/gemini-3-pro '\x01\x8f' 1498)" -eq 359 ]
	# The parts add up, and the budget of ctx-prune agrees.
	of gemini-3.6-flash '\x12\xd9\x0b' 1497 "$later"
	[ "$(ctx-count --json --per role in1497 | jq -s 'map(.tokens) | add')" -eq \
	    "$(tokens in1497)" ]
	ctx-prune -b "$(tokens in1497)" in1497 | cmp - in1497
}

@test "gemini: thoughts of earlier turns count as texts, a signature alone does not" {
	of() { # parts
		jq -nc --argjson parts "$1" '{model: "gemini-3-flash", contents: [
		    {role: "user", parts: [{text: "go"}]}, {role: "model", parts: $parts},
		    {role: "user", parts: [{text: "on"}]}]}' > in
		tokens -e o200k_base in
	}
	local none
	none=$(of '[{"text":"t"}]')
	[ "$(of '[{"thought":true,"text":"x"},{"text":"t"}]')" -eq $((none + 1)) ]
	[ "$(of '[{"thought":true,"thoughtSignature":"Eg=="},{"text":"t"}]')" -eq "$none" ]
	[ "$(of '[{"thoughtSignature":"Eg=="},{"text":"t"}]')" -eq "$none" ]
}

@test "gemini: a video counts by the length that an MP4 file states" {
	# video UNITS LENGTH: an MP4 file, as base64
	video() {
		{ printf '\0\0\0\10ftyp\0\0\0\1mdat\0\0\0\0\0\0\0\30dataDATA'
		  printf '\0\0\0\44moov\0\0\0\34mvhd\0\0\0\0\0\0\0\0\0\0\0\0'
		  printf "$(printf '%08x%08x' "$1" "$2" | sed 's/../\\x&/g')"
		} | base64 -w 0
	}
	of() { # model, base64
		jq -nc --arg model "$1" --arg data "$2" '{model: $model, contents: [
		    {role: "user", parts: [{text: "go"},
		    {inlineData: {mimeType: "video/mp4", data: $data}}]}]}' > in
		jq -c 'del(.contents[0].parts[1])' in > none
		echo $(($(tokens in) - $(tokens none)))
	}
	local ten
	# 10.027 seconds, as in recorded requests, billed 2893 and 321 tokens by
	# 2.5, and 910 by 3
	ten=$(video 90000 902400)
	[ "$(of gemini-2.0-flash "$ten")" -eq $((11 * 258)) ]
	[ "$(of gemini-2.5-pro "$ten")" -eq $((2893 + 320)) ]
	[ "$(of gemini-3-pro "$ten")" -eq 910 ]
	[ "$(of gemini-3-pro "$(video 1000 1305)")" -eq $((66 + 32)) ]
	# of unknown length: a second
	[ "$(of gemini-2.5-pro "$(video 0 1000)")" -eq $((263 + 32)) ]
	[ "$(of gemini-2.5-pro AAAA)" -eq $((263 + 32)) ]
}

@test "gemini 3: a PDF in a tool result costs as much as an image, but not on Vertex AI" {
	of() { # model
		jq -nc --arg model "$1" --arg data "$(printf '%%PDF-1.4 /Type /Page ' | base64 -w 0)" '
		    {model: $model, contents: [{role: "user", parts: [{functionResponse:
		    {name: "t", response: {}, parts: [{inlineData:
		    {mimeType: "application/pdf", data: $data}}]}}]}]}' > in
		jq -c 'del(.contents[0].parts[0].functionResponse.parts)' in > none
		echo $(($(tokens in) - $(tokens none)))
	}
	[ "$(of vertex_ai/gemini-3-pro)" -lt 560 ]
	[ "$(of gemini-3-pro)" -gt 1000 ]
	[ "$(of gemini-2.5-pro)" -eq 258 ]
}

@test "gemini: the schema of an answer counts as texts, and since 2.5 not at all" {
	with() { # the model, and the schema if it is not empty
		printf '{"model":"%s","contents":[],"generationConfig":{%s}}' \
		    "$1" "${2:+\"responseSchema\":$2}" > in
		tokens -e o200k_base in
	}
	local model schema='{"type":"object","properties":{"city":{"type":"string","description":"name of a city"}},"required":["city"]}'
	# object, city, string, name of a city, city
	[ "$(with gemini-2.0-flash "$schema")" -eq $(($(with gemini-2.0-flash) + 8)) ]
	for model in gemini-2.5-flash gemini-3-pro; do
		[ "$(with $model "$schema")" -eq "$(with $model)" ]
	done
}

@test "gemini: nested schemas count to a fixed depth" {
	nested() { # levels, what a level begins with and ends with
		awk -v n="$1" -v opens="$2" -v closes="$3" 'BEGIN {
			printf "{\"model\":\"gemini-2.0-flash\",\"contents\":[]," \
			    "\"tools\":[{\"functionDeclarations\":[{\"name\":" \
			    "\"f\",\"parameters\":"
			for (i = 0; i < n; i++)
				printf "%s", opens
			printf "{\"type\":\"string\",\"description\":\"deep\"}"
			for (i = 0; i < n; i++)
				printf "%s", closes
			print "}]}]}"
		}' > request
		tokens request
	}
	local items='{"description":"a","items":' all='{"properties":{"a":'
	local flat
	flat=$(nested 0 "" "")
	# A description a level, or a name; and not those beyond the 17th.
	[ "$(nested 1 "$items" "}")" -eq $((flat + 1)) ]
	[ "$(nested 1 "$all" "}}")" -eq $((flat + 1)) ]
	[ "$(nested 16 "$items" "}")" -eq $((flat + 16)) ]
	# the innermost schema has its type in addition
	[ "$(nested 17 "$items" "}")" -eq $((flat + 15)) ]
	[ "$(nested 17 "$all" "}}")" -eq $((flat + 15)) ]
	[ "$(nested 100 "$all" "}}")" -eq $((flat + 15)) ]
	[ "$(ulimit -s 128 && nested 4000 "$items" "}")" -eq $((flat + 15)) ]
	# What stands after a schema within is counted, too.
	[ "$(nested 2 '{"properties":{"b":{"items":{"description":"a"}},"a":' \
	    '}}')" -eq $((flat + 6)) ]
}
