# header.awk - make the installed ctx.h: lib/ctx.h with the headers of the rooms
#
# Programs get one header.  Where lib/ctx.h includes the header of a room, the
# declarations of that header are printed.  Its head comment, its guard and its
# includes of other rooms are left out.

function room(file,   line, inside) {
	while ((getline line < file) > 0) {
		if (line ~ /^#define CTX_[A-Z_]*_H$/)
			inside = 1
		else if (inside && line !~ /^#include "/)
			kept[++n] = line
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
