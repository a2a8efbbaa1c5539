# manual.awk - make libctx.3 from ctx.h and the programs of its examples
#
# usage: awk -f manual.awk lib/ctx.h [PROGRAM...]
#
# The head comment of the header, without its first paragraph, becomes the
# description, and each "---- title ----" line starts a section.  Each function,
# struct, enum and typedef becomes a subsection, whose text is the comment above
# the declaration.  Functions without a blank line between them share one
# comment, which is printed for the first of them.  "Errors: ..." at the end of a
# comment is printed for each of these functions that has a parameter "error";
# for the others, "Never fails." is printed.  The programs are printed whole,
# in the section EXAMPLES.

# Prints a line of text in the language mdoc, in which a line of text must not
# look like a macro, and each sentence begins on a new line.  Does not print
# "Errors: ..." at the end of the line, but stores it in the variable errors.
function text(line) {
	if (match(line, /(Errors: .*|Never fails?\.)$/)) {
		errors = substr(line, RSTART)
		line = substr(line, 1, RSTART - 1)
		sub(/ +$/, "", line)
	}
	gsub(/\\/, "\\e", line)
	gsub(/\.  /, ".\n", line)
	sub(/^[.']/, "\\\\\\&&", line)
	if (line != "")
		print line
}

# Prints with which errors a declared function can fail.  The variable errors has
# the end of the function's comment.
function fails(declaration) {
	if (declaration !~ /[ *]ctx_[a-z0-9_]*\(/ || declaration ~ /^typedef/)
		return
	sub(/const struct ctx_error/, "", declaration)
	print ".Pp\n" (declaration ~ /struct ctx_error/ ? errors : "Never fails.")
}

# Prints a line of code, indented by two blanks per tab or four blanks, and
# divided after a comma if it would have more than 80 columns on the page.
function verbatim(line) {
	gsub(/\t|    /, "  ", line)
	while (length(line) > 75 && match(substr(line, 1, 75), /^.*, /)) {
		verbatim(substr(line, 1, RLENGTH - 1))
		line = "  " substr(line, RLENGTH + 1)
	}
	gsub(/\\/, "\\e", line)
	sub(/^[.']/, "\\\\\\&&", line)
	print line
}

# Prints the text of the variable comment, paragraph by paragraph.  Lines that
# begin with four blanks outside of a list are code.
function paragraphs(   i, n, lines, list, code) {
	n = split(comment, lines, "\n")
	for (i = 1; i < n; i++) {
		if (!list && lines[i] ~ /^    /) {
			if (!code)
				print ".Bd -literal -offset indent"
			code = 1
			verbatim(substr(lines[i], 5))
			continue
		}
		if (code && lines[i] == "" && lines[i + 1] ~ /^    /) {
			print ""
			continue
		}
		if (code)
			print ".Ed"
		if (lines[i] == "") {
			if (!list && lines[i + 1] !~ /^    /)
				print ".Pp"
			code = 0
			continue
		}
		if (code)
			print ".Pp"
		code = 0
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
	if (code)
		print ".Ed"
	if (list)
		print ".El"
	comment = ""
}

# Prints declarations unchanged.
function literal(declarations,   i, n, lines) {
	after_heading = 0
	print ".Bd -literal"
	n = split(declarations, lines, "\n")
	for (i = 1; i < n; i++)
		verbatim(lines[i])
	print ".Ed"
}

# Prints a comment and the n_parts declarations that follow the comment. parts[0]
# has the declarations without a name, such as constants.
function flush(   i) {
	if (parts[0] != "")
		literal(parts[0])
	if (n_parts > 0) {
		print ".Ss " names[1]
		literal(parts[1])
	}
	if (comment != "" && !after_heading)
		print ".Pp"
	errors = ""
	after_heading = after_heading && comment == ""
	paragraphs()
	fails(parts[1])
	for (i = 2; i <= n_parts; i++) {
		print ".Ss " names[i]
		literal(parts[i])
		print ".Pp\nSee\n.Sx " names[1] " ."
		fails(parts[i])
	}
	n_parts = 0
	split("", parts)
}

# Begins the subsection of a declaration.
function begin_part(name) {
	names[++n_parts] = name
}

# Returns the identifier before the first "(" of a line.
function function_name(line) {
	sub(/\(.*/, "", line)
	sub(/.*[ *]/, "", line)
	return line
}

# Prints a program of the examples.
function example(file,   line, name) {
	name = file
	sub(/.*\//, "", name)
	print ".Ss " name
	print ".Bd -literal"
	while ((getline line < file) > 0)
		verbatim(line)
	print ".Ed"
	close(file)
}

BEGIN {
	for (i = 2; i < ARGC; i++)
		programs[++n_programs] = ARGV[i]
	ARGC = 2
	print ".\\\" Made from lib/ctx.h by lib/gen/manual.awk"
	print ".Dd $Mdocdate$\n.Dt LIBCTX 3\n.Os"
	print ".Sh NAME\n.Nm libctx"
	print ".Nd count, prune and check conversations with language models"
	print ".Sh LIBRARY\nlibctx (\\-lctx), found by pkg-config as libctx"
	print ".Sh SYNOPSIS\n.In ctx.h\n.Sh DESCRIPTION"
}

# Prints the first comment of ctx.h, without its first paragraph.
NR == 1, /\*\// {
	if (/\*\//) {
		sub(/^([^\n]+\n)+\n/, "", comment)
		paragraphs()
	} else if (NR > 1) {
		sub(/^ \* ?/, "")
		comment = comment $0 "\n"
	}
	next
}

# Skips lines for the preprocessor, except the macros for constants and for
# initial values of structs.
/^#ifndef CTX_H$/ || /^#define CTX_H$/ || /^#include/ {
	next
}
/^#if/ {
	skipped++
}
/^#endif/ {
	skipped--
	next
}
skipped > 0 {
	next
}

/^\/\* ---- / {
	flush()
	sub(/^\/\* -+ /, "")
	sub(/ *-* \*\/$/, "")
	print ".Sh " toupper($0)
	after_heading = 1
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

{
	sub(/^CTX_API /, "")
	if (!open && /^[a-z].*[ *]ctx_[a-z0-9_]*\(/)
		begin_part(function_name($0))
	else if (!open && /^(struct|enum) /)
		begin_part($1 " " substr($2, 1, length($2) - /;$/))
	parts[n_parts] = parts[n_parts] $0 "\n"
	if (/^(struct|enum) [^()]*{$/ || /^enum {$/)
		open = 1
	else if (/^};$/)
		open = 0
}

END {
	flush()
	if (n_programs > 0)
		print ".Sh EXAMPLES"
	for (i = 1; i <= n_programs; i++)
		example(programs[i])
	print ".Sh SEE ALSO\n.Xr ctx-count 1 ,\n.Xr ctx-prune 1 ,"
	print ".Xr ctx-encoding 7 ,\n.Xr ctx-strategy 7"
}
