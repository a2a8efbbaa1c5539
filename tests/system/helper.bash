# helper.bash - what the tests of the installed system share
#
# They need packages beyond those of make check; tests/setup installs them.

bats_require_minimum_version 1.5.0

# Installs into a directory of this file's run; sets PREFIX and PATH.
setup_file() {
	export ROOT=${BATS_TEST_DIRNAME%/tests/system}
	export PREFIX=$BATS_FILE_TMPDIR/usr
	make -s -C "$ROOT" TREE="${B##*/}" PREFIX="$PREFIX" install \
		> "$BATS_FILE_TMPDIR/install.log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/install.log" >&2
		return 1
	}
	export PATH=$PREFIX/bin:$PATH
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	agent=$ROOT/tests/sample/agent.jsonl
	chat=$ROOT/tests/sample/chat.jsonl
	export agent chat
	unset CTX_DATA CTX_MODEL CTX_ENCODING
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
}

# Ends a test with a message.
fail() {
	echo "$*" >&2
	return 1
}
