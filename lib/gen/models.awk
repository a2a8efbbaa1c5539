# models.awk - models.tsv to the rows of the table in lib/count/model.c
BEGIN { FS = "\t" }

function fail(what) {
	print "models.tsv:" FNR ": " what > "/dev/stderr"
	exit bad = 1
}

function number(s) { return s == "-" ? 0 : s }

# Millionths of a dollar.
function price(s) { return sprintf("%.0f", number(s) * 1000000) }

function constant(prefix, s) {
	return prefix "_" (s == "-" ? "NONE" : toupper(s))
}

/^#/ { next }
NF != 18 { fail(NF " columns, not 18") }
seen[$1]++ { fail("a second " $1) }
$7 != "exact" && $7 != "like" { fail("neither exact nor like") }
{
	printf "{\"%s\", \"%s\", %s, %s, %s, \"%s\", %s, %.0f, {%s, %s, %s, %s}, " \
	    "%s, %s, %s, %s, %s, %s},\n",
	    $1, $2, $3, $4, $5, $6, $7 == "exact" ? "true" : "false", $8 * 100,
	    constant("CTX_IMAGE", $9), number($10), number($11), number($12),
	    constant("CTX_CACHE", $13), number($14),
	    price($15), price($16), price($17), price($18)
}
END { exit bad }
