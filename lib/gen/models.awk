# models.awk - make the rows of the table in lib/cost/models.c from models.tsv
BEGIN { FS = "\t" }

function fail(what) {
	print "models.tsv:" FNR ": " what > "/dev/stderr"
	exit bad = 1
}

function number(s) { return s == "-" ? 0 : s }

# Returns a price in dollars as millionths of a dollar.
function price(s) { return sprintf("%.0f", number(s) * 1000000) }

function constant(prefix, s) {
	return prefix "_" (s == "-" ? "NONE" : toupper(s))
}

/^# Date: / { date = substr($0, 9) }
/^#/ { next }
NF != 23 { fail(NF " columns, not 23") }
seen[$1]++ { fail("a second " $1) }
$7 !~ /^(exact|reconstructed|like|near)$/ { fail("own is none of the four") }
$18 != "yes" && $18 != "-" { fail("binds is neither yes nor -") }
{
	printf "{\"%s\", \"%s\", %s, %s, %s, \"%s\", %s, %.0f, %s, %s, ",
	    $1, $2, $3, $4, $5, $6,
	    constant("CTX_BASIS", $7 ~ /^(like|near)$/ ? "estimated" : $7),
	    number($8) * 100, $23 == "-" ? "NULL" : "\"" $23 "\"",
	    $7 == "near" ? "true" : "false"
	printf "{%s, %s, %s, %s}, {%s, %s, %s}, ",
	    constant("CTX_IMAGE", $9), number($10), number($11), number($12),
	    constant("CTX_TOOLS", $13), number($14), number($15)
	printf "%s, %s, %s, %s, %s, %s, %s},\n",
	    constant("CTX_CACHE", $16), number($17),
	    $18 == "yes" ? "true" : "false",
	    price($19), price($20), price($21), price($22)
}
END {
	printf "#define MODELS_DATE \"%s\"\n", date
	exit bad
}
