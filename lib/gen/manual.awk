# manual.awk - make libctx.3 from the installed ctx.h
#
# The head comment of the header becomes the description, and each
# "---- file: title ----" line starts a section.  Each group of declarations
# becomes a subsection, named after its functions; its text is the comment above
# the group.

# Prints a line of text for mdoc, where a line must not look like a macro and
# each sentence begins a line.
function text(line) {
	gsub(/\\/, "\\e", line)
	gsub(/\.  /, ".\n", line)
	sub(/^[.']/, "\\\\\\&&", line)
	print line
}

# Prints the comment collected in comment, paragraph by paragraph.
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

# Prints the declarations collected in group unchanged.
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

# Prints a comment and the declarations that follow it.
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

# The head comment of the header.
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

# Skip the guard, the includes and lines that only compilers need.
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
