# models.awk - make the tables in lib/cost/models.c from prices.tsv and
# models.tsv, which are read in this order
BEGIN { FS = "\t"; n_prices = 0 }

function fail(what) {
	print FILENAME ":" FNR ": " what > "/dev/stderr"
	exit bad = 1
}

function number(s) { return s == "-" ? 0 : s }

# Returns a price in dollars as millionths of a dollar.
function price(s) {
	return s == "-" ? "CTX_NO_PRICE" : sprintf("%.0f", s * 1000000)
}

function constant(prefix, s) {
	return prefix "_" (s == "-" ? "NONE" : toupper(s))
}

function text(s) { return s == "-" ? "NULL" : "\"" s "\"" }

# Returns the seconds from 1970 to the beginning of a day (UTC).
function seconds(date, part, y, m) {
	if (date == "-")
		return 0
	if (date !~ /^20[0-9][0-9]-[01][0-9]-[0-3][0-9]$/)
		fail(date " is no date")
	split(date, part, "-")
	y = part[1] - (part[2] <= 2)
	m = part[2] + (part[2] > 2 ? -3 : 9)
	return (365 * y + int(y / 4) - int(y / 100) + int(y / 400) + \
	    int((153 * m + 2) / 5) + part[3] - 719469) * 86400
}

# Returns numbers such as "1-4,6-10" as bits.  With ends, the number after a
# dash is the first one that does not belong to them.
function bits(list, ends, ranges, range, n, i, k, sum) {
	if (list == "-")
		return 0
	n = split(list, ranges, ",")
	for (i = 1; i <= n; i++) {
		split(ranges[i], range, "-")
		for (k = range[1]; k < range[2] + !ends; k++)
			sum += 2 ^ k
	}
	return sum
}

# Returns in words when a row of prices holds.
function when(since, above, days, hours, s) {
	if (since != "-")
		s = " from " since
	if (above != "-")
		s = s " above " above
	if (days != "-")
		s = s " days " days
	if (hours != "-")
		s = s " hours " hours " UTC"
	return s == "" ? "-" : substr(s, 2)
}

/^# Date: / { date = substr($0, 9) }
/^#/ { next }

FNR == NR {
	if (NF != 12)
		fail(NF " columns, not 12")
	condition = when($2, $3, $4, $5)
	if (!($1 in first)) {
		if (condition != "-" || $6 == "-")
			fail("the first price of " $1 " does not hold always")
		first[$1] = n_prices
	} else if (last != $1) {
		fail("the prices of " $1 " are not next to each other")
	}
	last = $1
	many[$1]++
	seconds($11)
	row[n_prices++] = sprintf("{%.0f, %s, %.0f, %.0f, %s, %s, %s, %s, " \
	    "%s, \"%s\", \"%s\"},", seconds($2), number($3), bits($4, 0),
	    bits($5, 1), price($6), price($7), price($8), price($9),
	    price($10), condition, $11)
	next
}

!printed++ {
	print "static const struct ctx_price prices[] = {"
	for (i = 0; i < n_prices; i++)
		print row[i]
	print "};\n\nstatic const struct ctx_model models[] = {"
}
NF != 22 { fail(NF " columns, not 22") }
seen[$1]++ { fail("a second " $1) }
$7 !~ /^(exact|reconstructed|like|near)$/ { fail("own is none of the four") }
$18 != "yes" && $18 != "-" { fail("binds is neither yes nor -") }
$22 == "" { fail("no source") }
{
	seconds($21)
	n = split($20, names, ",")
	for (i = 1; $20 != "-" && i <= n; i++)
		if (alias[names[i]]++)
			fail("a second alias " names[i])
	printf "{\"%s\", \"%s\", %s, %s, %s, \"%s\", %s, %.0f, %s, %s, ",
	    $1, $2, $3, $4, $5, $6,
	    constant("CTX_BASIS", $7 ~ /^(like|near)$/ ? "estimated" : $7),
	    number($8) * 100, text($19), $7 == "near" ? "true" : "false"
	printf "{%s, %s, %s, %s}, {%s, %s, %s}, ",
	    constant("CTX_IMAGE", $9), number($10), number($11), number($12),
	    constant("CTX_TOOLS", $13), number($14), number($15)
	printf "%s, %s, %s, %s, %d, %s, \"%s\"},\n",
	    constant("CTX_CACHE", $16), number($17),
	    $18 == "yes" ? "true" : "false",
	    $1 in first ? "&prices[" first[$1] "]" : "NULL", many[$1],
	    text($20), $21
}
END {
	if (bad)
		exit 1
	for (name in first)
		if (!(name in seen))
			fail("prices of " name ", which is no model")
	print "};\n"
	printf "#define MODELS_DATE \"%s\"\n", date
	printf "#define MODELS_SECONDS %.0f\n", seconds(date)
	exit bad
}
