# JSONTestSuite (Nicolas Seriot, tests/json/suite): by themselves and within a
# message y_ passes byte for byte, n_ is refused, i_ is one or the other.

load helper

SUITE=$BATS_TEST_DIRNAME/json/suite

# Commands that have nothing to do.
passing() {
	echo "ctx-truncate -l 1M"
	echo "ctx-prune -b 9M"
	echo "ctx-age --mask -o 1M"
	echo "ctx-cache --strip"
	echo "ctx-check --repair"
}

wrap() { # FILE: a message that has the value in it
	printf '{"role":"user","content":"x","extra":'
	cat "$1"
	printf '}\n'
}

# Refused, with its place: the records before it, if there are any, are out.
refuses() { # COMMAND... with the file in
	local rc=0
	"$@" in > out 2> err || rc=$?
	[ "$rc" -eq 2 ] || fail "$name: $*: status $rc"
	[ "$(wc -l < err)" -eq 1 ] || fail "$name: $*: $(cat err)"
	grep -q '^ctx-[a-z]*: in:[0-9]*:[0-9]*: ' err ||
	    fail "$name: $*: $(cat err)"
	cmp -n "$(wc -c < out)" out in || fail "$name: $*: another output"
}

# Each of them on the file in, which leaves as it came.
each() { # passes|may-refuse
	local c n=0
	while read -r c; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # a command and its options
		if $c in > out 2> err; then
			cmp in out || fail "$name: $c"
		elif [ "$1" = may-refuse ]; then
			# shellcheck disable=SC2086
			refuses $c
		else
			fail "$name: $c: $(cat err)"
		fi
	done < <(passing)
	[ "$n" -eq 5 ]
}

@test "valid JSON of JSONTestSuite passes byte for byte" {
	local count=0
	for name in "$SUITE"/y_*.json; do
		wrap "$name" > in
		each passes
		ctx-truncate "$name" | cmp - "$name"
		count=$((count + 1))
	done
	[ "$count" -eq 95 ]
}

@test "invalid JSON of JSONTestSuite is refused with its place" {
	local count=0
	for name in "$SUITE"/n_*.json; do
		wrap "$name" > in
		refuses ctx-truncate -l 1M
		refuses ctx-prune -b 9M
		cp "$name" in
		case ${name##*/} in
		n_single_space.json | n_structure_no_data.json | n_structure_UTF8_BOM_no_data.json)
			# A stream of no records.
			ctx-truncate in > out
			tr -d ' \357\273\277' < out | cmp - /dev/null ;;
		*) refuses ctx-truncate -l 1M ;;
		esac
		count=$((count + 1))
	done
	[ "$count" -eq 188 ]
}

@test "JSON that the standard leaves open passes unchanged or is refused" {
	local count=0
	for name in "$SUITE"/i_*.json; do
		wrap "$name" > in
		each may-refuse
		count=$((count + 1))
	done
	[ "$count" -eq 35 ]
}
