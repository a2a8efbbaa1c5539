# models.awk - make the tables that lib/cost/models.c includes from prices.tsv,
# models.tsv and names.tsv, which must be given in this order
BEGIN { FS = "\t"; n_prices = n_models = n_aliases = 0 }

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
	gsub(/-/, "_", s)
	return prefix "_" (s == "_" ? "NONE" : toupper(s))
}

# Returns a C string for a member of struct model_row that has size bytes.  The
# string is empty if s is "-".
function text(s, size) {
	if (length(s) >= size)
		fail(s " is too long for its member of struct model_row")
	return s == "-" ? "\"\"" : "\"" s "\""
}

# Returns the seconds from 1970 to the beginning of a day (UTC), or 0 for "-".
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

# Returns a list of ranges such as "1-4,6-10" as a number in which the bits of
# all numbers in the ranges are set.  If ends is true, the number after a dash is
# not in the range.
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

# Returns in words for which requests a row of prices holds, or "-" for all.
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
	if (length(condition) >= 48)
		fail("the condition is longer than the member when")
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

FILENAME == ARGV[3] {
	if (!($2 in number_of))
		fail($2 " is no model")
	add_alias($1, number_of[$2])
	next
}

!printed++ {
	print "static const struct ctx_price prices[] = {"
	for (i = 0; i < n_prices; i++)
		print row[i]
	print "};\n\nstatic const struct model_row rows[] = {"
}
NF != 28 { fail(NF " columns, not 28") }
seen[$1]++ { fail("a second " $1) }
$7 !~ /^(exact|reconstructed|like|near)$/ { fail("own is none of the four") }
$28 == "" { fail("no source") }

# Returns a C boolean for "yes" or "-".
function boolean(s) {
	if (s != "yes" && s != "-")
		fail(s " is neither yes nor -")
	return s == "yes" ? "true" : "false"
}

# Returns the initializers of the members binds and drops_bound of a model.
function binding(s) {
	if (s !~ /^(-|refused|dropped|later)$/)
		fail(s " is no way to treat bound reasoning")
	return (s ~ /ed$/ ? "true" : "false") ", " \
	    (s ~ /^(dropped|later)$/ ? "true" : "false")
}

# Adds a name that stands for the model with the given number.
function add_alias(name, model) {
	if (alias[name]++)
		fail("a second alias " name)
	insert(alias_texts, alias_rows, n_aliases++, name, model)
}

# Returns the initializer of a struct model_row.
function model(s) {
	s = sprintf("{%s, %s, %s, %s, %s, %d, {NULL, NULL, %s, %s, %s, NULL, " \
	    "%s, %.0f, %s, NULL, %s, ", text($1, 40), text($2, 16), text($6, 16),
	    text($25, 64), text($26, 96), $1 in first ? first[$1] : -1, $3, $4, $5,
	    constant("CTX_BASIS", $7 ~ /^(like|near)$/ ? "estimated" : $7),
	    number($8) * 100, $8 ~ /\+$/ ? "true" : "false", $7 == "near" ? "true" : "false")
	s = s sprintf("{%s, %s, %s, %s}, {%s, %s, %s}, ",
	    constant("CTX_IMAGE", $9), number($10), number($11), number($12),
	    constant("CTX_TOOLS", $13), number($14), number($15))
	return s sprintf("%s, %s, %s, %s, %s, %s, %s, %s, %s, NULL, %d, NULL, \"%s\", " \
	    "false}},", constant("CTX_CACHE", $16), number($17), binding($18),
	    boolean($19), boolean($20), boolean($21), boolean($22), boolean($23),
	    boolean($24), many[$1], $27)
}

# Returns a name without the dashes between a letter and a digit.
function squeeze(name, s) {
	s = tolower(name)
	gsub(/[._:@]/, "-", s)
	while (match(s, /[a-z]-[0-9]/))
		s = substr(s, 1, RSTART) substr(s, RSTART + 2)
	return s
}

# Inserts the text "new" into the sorted list "texts" of n texts, and "row" at
# the same index into the list "rows".  Equal texts remain in the order in which
# they were added.
function insert(texts, rows, n, new, row, i) {
	for (i = n; i > 0 && texts[i - 1] "" > new ""; i--) {
		texts[i] = texts[i - 1]
		rows[i] = rows[i - 1]
	}
	texts[i] = new
	rows[i] = row
	if (length(new) > longest)
		longest = length(new)
}

# Prints a sorted list of texts as a C array.  Each element has the text, its
# row, and the index of the longest shorter text with which the text begins, or
# -1 if there is none.
function print_keys(name, texts, rows, n, i, k) {
	print "static const struct model_key " name "[] = {"
	for (i = 0; i < n; i++) {
		for (k = i - 1; k >= 0; k--)
			if (texts[k] != texts[i] &&
			    index(texts[i], texts[k]) == 1)
				break
		printf "{\"%s\", %d, %d},\n", texts[i], rows[i], k
	}
	print "};"
}

{
	seconds($27)
	n = split($26, names, ",")
	for (i = 1; $26 != "-" && i <= n; i++)
		add_alias(names[i], n_models)
	# People write sonnet-4.5 for claude-sonnet-4-5.
	if ($1 ~ /^claude-[a-z]+-[0-9]/)
		add_alias(substr($1, length("claude-") + 1), n_models)
	if ($1 == "claude")
		newest = n_models
	print model()
	insert(key_texts, key_rows, n_models, squeeze($1), n_models)
	number_of[$1] = n_models++
}
END {
	if (bad)
		exit 1
	for (name in first)
		if (!(name in seen))
			fail("prices of " name ", which is no model")
	if (newest == "")
		fail("no row claude")
	print "};\n"
	if (longest >= 56)
		fail("a name is longer than the text of struct model_key")
	print_keys("keys", key_texts, key_rows, n_models)
	print_keys("aliases", alias_texts, alias_rows, n_aliases)
	printf "#define MODELS_DATE \"%s\"\n", date
	printf "#define NEWEST_CLAUDE %d\n", newest
	exit bad
}
