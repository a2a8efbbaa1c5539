# plain.awk - what plain BM25 keeps, to compare with
#
#   ctx-count --per message --tsv FILE | awk -f plain.awk -v budget=N - FILE
#
# The question is the last line of FILE.  The scores of the others (k1 1.2, b
# 0.75, lower-cased words, no stemming, no stop words) are shared with two
# neighbours on each side; the best that fit the budget are kept.  Prints how
# many of them are marked as evidence.

FNR == NR {
	if (FNR > 1) {
		sub(/^~/, "")
		tokens[++counted] = $1
	}
	next
}
{
	lines++
	evidence[lines] = /"evidence":true/
	n = split(tolower($0), word, /[^a-z0-9]+/)
	for (i = 1; i <= n; i++) {
		if (word[i] == "")
			continue
		if (!(count[lines, word[i]]++))
			having[word[i]]++
		len[lines]++
	}
	total += len[lines]
}
END {
	for (i = 1; i <= n; i++)
		asked[word[i]] = 1
	for (w in asked) {
		rarity = log(1 + (lines - having[w] + 0.5) / (having[w] + 0.5))
		for (i = 1; i < lines; i++)
			if (c = count[i, w])
				score[i] += rarity * c * 2.2 / (c + 1.2 * \
				    (0.25 + 0.75 * len[i] * lines / total))
	}
	left = budget - tokens[lines]
	for (i = 1; i < lines; i++)
		near[i] = score[i] + 0.5 * (score[i - 1] + score[i + 1]) + \
		    0.2 * (score[i - 2] + score[i + 2])
	for (;;) {
		best = 0
		for (i = 1; i < lines; i++)
			if (!(i in gone) && (!best || near[i] > near[best]))
				best = i
		if (!best)
			break
		gone[best] = 1
		if (tokens[best] > left)
			continue
		left -= tokens[best]
		kept += evidence[best]
	}
	print kept + 0
}
