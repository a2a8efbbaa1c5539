# manual.awk - lib/ctx.h as libctx.3
#
# The header is the manual: its head is the description, each of its sections
# a subsection, each group of functions another, named after them, with the
# comment above it as the text.

# Text for mdoc: a line that is no macro, sentences on lines of their own.
function text(line) {
	gsub(/\\/, "\\e", line)
	gsub(/\.  /, ".\n", line)
	sub(/^[.']/, "\\\\\\&&", line)
	print line
}

# The comment so far, paragraph by paragraph.
function paragraphs(   i, n, lines, list) {
	n = split(comment, lines, "\n")
	for (i = 1; i < n; i++) {
		if (lines[i] == "") {
			if (!list)
				print ".Pp"
			continue
		}
		if (lines[i] ~ /^ *- /) {
			if (!list)
				print ".Bl -bullet"
			list = 1
			print ".It"
			sub(/^ *- /, "", lines[i])
		} else if (list && lines[i] !~ /^ /) {
			print ".El\n.Pp"
			list = 0
		}
		sub(/^ +/, "", lines[i])
		text(lines[i])
	}
	if (list)
		print ".El"
	comment = ""
}

# A declaration as it stands.
function literal(   i, n, lines) {
	print ".Bd -literal"
	n = split(group, lines, "\n")
	for (i = 1; i < n; i++) {
		gsub(/\\/, "\\e", lines[i])
		sub(/^[.']/, "\\\\\\&&", lines[i])
		print lines[i]
	}
	print ".Ed"
}

# Ends a comment with the declarations that follow it.
function flush() {
	if (names != "")
		print ".Ss " names
	else if (group == "" && comment != "")
		print ".Pp"
	if (group != "") {
		literal()
		if (comment != "")
			print ".Pp"
	}
	paragraphs()
	group = names = ""
}

BEGIN {
	print ".\\\" Made from lib/ctx.h by lib/gen/manual.awk"
	print ".Dd $Mdocdate$\n.Dt LIBCTX 3\n.Os"
	print ".Sh NAME\n.Nm libctx"
	print ".Nd count, prune and check streams of model conversations"
	print ".Sh LIBRARY\nlibctx (\\-lctx), found by pkg-config as libctx"
	print ".Sh SYNOPSIS\n.In ctx.h\n.Sh DESCRIPTION"
}

# The head of the header.
NR == 1, /\*\// {
	if (NR > 2 && !/\*\//) {
		sub(/^ \* ?/, "")
		comment = comment $0 "\n"
	} else if (/\*\//) {
		sub(/^[^\n]*\n/, "", comment)
		paragraphs()
	}
	next
}

/^\/\* ---- / {
	flush()
	sub(/^\/\* -+ /, "")
	sub(/ *-* \*\/$/, "")
	file = title = $0
	sub(/: .*/, "", file)
	sub(/^[^:]*: /, "", title)
	print ".Sh " toupper(title)
	print "(lib/" file ")"
	next
}

/^\/\*/ {
	flush()
	inside = 1
}

inside {
	last = /\*\/$/
	sub(/^ ?\/?\*+\/? ?/, "")
	sub(/ ?\*\/$/, "")
	if ($0 != "" || (comment != "" && !last))
		comment = comment $0 "\n"
	inside = !last
	next
}

/^$/ && !open {
	flush()
	next
}

# The guard, the includes and what only compilers read.
/^#(ifn?def|if|else|endif|include)/ || /^#define (CTX_H|CTX_FORMAT)/ ||
/^(extern|})/ && !open {
	next
}

{
	sub(/ CTX_FORMAT\([0-9, ]*\)/, "")
	group = group $0 "\n"
	if (!open && /^[a-z].*[ *]ctx_[a-z0-9_]*\(/) {
		name = $0
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		names = names (names == "" ? "" : ", ") name
	}
	if (/^(struct|enum) [^()]*{$/ || /^enum {$/)
		open = 1
	else if (/^};$/)
		open = 0
}

END {
	flush()
	print ".Sh SEE ALSO\n.Xr ctx-count 1 ,\n.Xr ctx-prune 1 ,"
	print ".Xr ctx-strategy 7"
}
