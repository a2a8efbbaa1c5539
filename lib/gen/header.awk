# header.awk - make the installed ctx.h: lib/ctx.h with the headers of the rooms
#
# Programs get one header.  Where lib/ctx.h includes the header of a room, the
# declarations of that header are printed, with those of the headers of the same
# room that it includes.  Head comments, guards and includes of other rooms are
# left out.

function room(file,   line, inside, part) {
	while ((getline line < file) > 0) {
		if (line ~ /^#define CTX_[A-Z_]*_H$/)
			inside = 1
		else if (!inside)
			continue
		else if (line !~ /^#include "/)
			kept[++n] = line
		else {
			part = line
			gsub(/^#include "|"$/, "", part)
			if (("lib/" part) ~ ("^" substr(file, 1, match(file, /[^\/]*$/) - 1)))
				room("lib/" part)
		}
	}
	close(file)
	n-- # the #endif of the guard
}

/^#include "/ {
	name = $2
	gsub(/"/, "", name)
	room("lib/" name)
	next
}
{ kept[++n] = $0 }
END {
	for (i = 1; i <= n; i++)
		if (kept[i] != "" || kept[i - 1] != "")
			print kept[i]
}
