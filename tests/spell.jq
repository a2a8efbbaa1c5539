# Writes JSON with the strings that name something all in escapes.
def lit:
    "0123456789abcdef" as $d | "\"" + (explode | map(if . < 128
	then "\\u00" + $d[. / 16 | floor:][:1] + $d[. % 16:][:1]
	else [.] | implode end) | add // "") + "\"";
def names:
    test("^(type|role|id|uuid|name|model|status|state|from|format|timestamp)$|" +
	"[a-z](Id|_id|ID|Uuid|Name|_name|_type|Type)$");
def spell:
    if type == "object" then "{" + (to_entries | map((.key | tojson) + ":" +
	if (.value | type) == "string" and (.key | names)
	then .value | lit else .value | spell end) | join(",")) + "}"
    elif type == "array" then "[" + (map(spell) | join(",")) + "]"
    else tojson end;
spell
