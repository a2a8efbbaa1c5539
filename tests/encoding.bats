# -e FILE: tokenizers from files, and where they are kept

load helper

seeds() {
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/not/there
	mkdir not
	dir=$BATS_TEST_DIRNAME/fuzz/seeds/token_file
	cp "$dir/ranks" r50k_small.tiktoken
	cp "$dir/json" tokenizer.json
	cp "$dir/gguf" model.gguf
}

@test "vocabularies of three file formats count exactly" {
	seeds
	printf 'the thing ======' > text
	# the, " t", h, ing, " ", ====, ==
	[ "$(ctx-count --text -e r50k_small.tiktoken text | awk '{print $1}')" = 7 ]
	[ "$(ctx-count --text -e model.gguf text | awk '{print $1}')" = 7 ]
	# Its splitter leaves no space to the word after it.
	ctx-count --text -e tokenizer.json text > out
	[ "$(awk '{print $1}' out)" = 7 ]
}

@test "SentencePiece and tekken vocabularies count exactly, compiled and cached" {
	seeds
	printf 'the thing ======' > text
	for file in model:12 chars:12 metaspace:12 tekken:15; do
		cp "$dir/${file%:*}" ./vocabulary
		# By the libraries that the files are for; twice: from the cache.
		for _ in compiled cached; do
			[ "$(ctx-count --text -e ./vocabulary text |
			    awk '{print $1}')" = "${file#*:}" ] || fail "$file"
		done
	done
	[ "$(find not -name '*.vocab*' | wc -l)" -eq 4 ]
	head -c 100 "$dir/model" > ./vocabulary
	run -2 ctx-count --text -e ./vocabulary text
	[[ $output == *"./vocabulary: not a SentencePiece model: at byte "* ]]
}

@test "a vocabulary is compiled once, and again if the cached file is damaged" {
	seeds
	ctx-count -e tokenizer.json "$chat" > want
	[ "$(find not -name '*.vocab*' | wc -l)" -eq 1 ]
	kept=$(find not -name '*.vocab*')
	cp "$kept" good
	ctx-count -e tokenizer.json "$chat" | cmp - want
	cmp "$kept" good
	printf X | dd of="$kept" bs=1 seek=100000 conv=notrunc 2> dd.out
	run ! cmp -s "$kept" good
	ctx-count -e tokenizer.json "$chat" | cmp - want
	cmp "$kept" good
	: > "$kept"
	ctx-count -e tokenizer.json "$chat" | cmp - want
	cmp "$kept" good
}

@test "a FIFO or a truncated file in the cache does not block or break a command" {
	seeds
	ctx-count -e tokenizer.json "$chat" > want
	kept=$(find not -name '*.vocab*')
	rm "$kept"
	mkfifo "$kept"
	timeout 20 ctx-count -e tokenizer.json "$chat" | cmp - want
	rm "$kept"
	ctx-count -e tokenizer.json "$chat" | cmp - want
	# A file that is cut short while it is in use.
	mkfifo slow
	ctx-count -u --annotate -e tokenizer.json "$chat" > annotated
	ctx-count -u --annotate -e tokenizer.json slow > out &
	exec 9> slow
	head -n 1 "$chat" >&9
	for _ in $(seq 200); do
		[ ! -s out ] || break
		sleep 0.05
	done
	: > "$kept"
	tail -n +2 "$chat" >&9
	exec 9>&-
	wait $!
	cmp out annotated
	mkdir -p config/ctx
	mkfifo config/ctx/models.json
	XDG_CONFIG_HOME=$PWD/config run -2 timeout 20 ctx-count "$chat"
	[[ $output == *models.json* ]]
}

@test "without a cache directory the counts are equal" {
	seeds
	ctx-count -e model.gguf "$chat" > want
	XDG_CACHE_HOME=/dev/null ctx-count -e model.gguf "$chat" | cmp - want
	# A relative name is none: not any directory is to bring one.
	mkdir here
	XDG_CACHE_HOME=here HOME='' ctx-count -e model.gguf "$chat" | cmp - want
	[ -z "$(ls here)" ]
	mkdir -p here/ctx
	echo broken > here/ctx/models.json
	XDG_CONFIG_HOME=here HOME='' ctx-count -e model.gguf "$chat" | cmp - want
	chmod 500 not/there/ctx
	cp tokenizer.json other.json
	ctx-count -e other.json "$chat" > out
	ctx-count -e tokenizer.json "$chat" | sed 's/tokenizer/other/' |
	    cmp - out
	chmod 700 not/there/ctx
}

@test "a vocabulary that cannot be counted exactly is refused, and the message suggests bytes/4" {
	seeds
	jq '.normalizer = {type: "Lowercase"}' tokenizer.json > lower.json
	run -2 ctx-count -e lower.json "$chat"
	[[ $output == *"normalizer of type Lowercase"*"bytes/4"* ]]
	jq '.pre_tokenizer.pretokenizers[1].pattern.Regex = "(?<=a)b"' \
	    tokenizer.json > behind.json
	run -2 ctx-count -e behind.json "$chat"
	[[ $output == *"an unknown kind of group"*"(byte 2)"*"bytes/4"* ]]
	head -c 3000 model.gguf > short.gguf
	run -2 ctx-count -e short.gguf "$chat"
	[[ $output == *"is incomplete"* ]]
	run -2 ctx-count -e nosuch "$chat"
	[[ $output == *nosuch* ]]
}

@test "with an NFC normalizer, text counts as its normalized form" {
	seeds
	jq '.normalizer = {type: "NFC"}' tokenizer.json > nfc.json
	jq '.normalizer = {type: "Sequence", normalizers: [{type: "NFC"},
	    {type: "NFC"}]}' tokenizer.json > twice.json
	printf 'caf\303\251 \355\225\234\n%.0s' {1..9000} > composed
	printf 'cafe\314\201 \341\204\222\341\205\241\341\206\253\n%.0s' \
	    {1..9000} > apart
	for e in nfc twice; do
		ctx-count --json --text -e $e.json composed > want
		jq -e '.exact and .tokens > 50000' want
		# Read in parts that end anywhere.
		ctx-count --json --text -e $e.json apart > got
		(dd bs=1021 status=none; sleep 0.1; cat) < apart |
		    ctx-count --json --text -e $e.json > piped
		[ "$(jq .tokens want)" = "$(jq .tokens got)" ]
		[ "$(jq .tokens want)" = "$(jq .tokens piped)" ]
	done
	ctx-count --json --text -e tokenizer.json apart > plain
	[ "$(jq .tokens want)" != "$(jq .tokens plain)" ]
	# The same in strings of JSON, with escapes and without.
	for file in composed apart; do
		head -n 500 $file | jq -Rsc '{role: "user", content: .}' > $file.u
		head -n 500 $file | jq -aRsc '{role: "user", content: .}' > $file.a
		ctx-count --json -e nfc.json $file.u | jq .tokens
		ctx-count --json -j 2 -e nfc.json $file.a | jq .tokens
	done > counts
	[ "$(sort -u counts | wc -l)" -eq 1 ]
	ctx-count -e nfc.json "$chat" > out
	ctx-count -e tokenizer.json "$chat" | sed 's/tokenizer/nfc/' | cmp - out
}

@test "with an NFC normalizer, no cut is inside a composed character" {
	seeds
	jq '.normalizer = {type: "NFC"}' tokenizer.json > nfc.json
	printf 'e\314\201\314\243o\314\202\314\201%.0s' {1..400} |
	    jq -Rsc '{role: "tool", tool_call_id: "a", content: .}' > in
	for limit in 40 41 42 43 44 200; do
		ctx-truncate -e nfc.json --unit tokens -l $limit in > out
		jq -r .content out > kept
		head -c -1 kept > text
		[ "$(ctx-count --json --text -e nfc.json text | jq .tokens)" \
		    -le $limit ]
		# No combining mark follows the cut, or was removed before it.
		sed '/truncated/d' kept | LC_ALL=C sed -E \
		    's/e\xcc\x81\xcc\xa3//g; s/o\xcc\x82\xcc\x81//g' |
		    tr -d '\n' > left
		[ ! -s left ]
	done
}

@test "a vocabulary that is not JSON is reported with its line" {
	printf '{\n"model": nothing\n' > broken.json
	run -2 ctx-count -e broken.json "$chat"
	[[ $output == *" broken.json:2: "* ]]
}

@test "an interrupted compilation leaves no file in the cache" {
	seeds
	command -v strace > /dev/null || fail "no strace here"
	strace -o trace -e trace=writev -e inject=writev:signal=TERM:when=1 \
	    ctx-count -e tokenizer.json "$chat" > out 2> err || true
	[ -z "$(find not -type f)" ]
	# Nor where a file cannot get its name at the end: from the moment
	# that it has another, the signal waits.
	for at in 1 2; do
		run -143 strace -o trace -e trace=writev,linkat \
		    -e inject=linkat:error=EPERM \
		    -e inject=writev:signal=TERM:when=$at \
		    ctx-count -e tokenizer.json "$chat"
		[ -z "$(find not -name '*.vocab*.*')" ] || fail "write $at"
		find not -type f -delete
	done
	ctx-count -e tokenizer.json "$chat" > out
	[ "$(find not -type f | wc -l)" -eq 1 ]
}

@test "a tokenizer.json without a part that it refers to is refused, and the part is named" {
	json=$BATS_TEST_DIRNAME/fuzz/seeds/token_file/json
	ctx-count -e "$json" "$chat"
	refused() {
		jq -c "$1" "$json" > bad.json
		run -2 ctx-count -e ./bad.json "$chat"
		[[ $output == *"./bad.json: "*"$2"* ]] || fail "$1: $output"
	}
	# Nested as deep as its reader takes it, on a small stack.
	(ulimit -s 128 &&
		refused '.x = reduce range(2000) as $i (0; [.])' "are nested more than 64 deep")
	refused 'del(.model.vocab)' "a model without vocab or merges"
	refused '.model.type = "Unigram"' "a model of type Unigram"
	refused '.model.dropout = 0.1' "a model with dropout"
	refused '.model.merges += [["t"]]' "a merge that is not of two tokens"
	refused '.added_tokens[0].id = -1' "an added token without id or content"
	refused '.added_tokens[0].content = ""' "an added token without id or"
	refused '.added_tokens[1].lstrip = true' "the added token <t>"
	refused '.normalizer.normalizers = [{type: "NFC"}, {type: "NFKC"}]' \
	    "a normalizer of type NFKC"
	refused '.normalizer = {type: "Replace", pattern: {String: " "},
	    content: "_"}' "a normalizer of type Replace"
	refused '.normalizer = {type: "Prepend", prepend: " "}' \
	    "a normalizer of type Prepend"
	refused '.pre_tokenizer.pretokenizers[1].behavior = "Removed"' \
	    "not Isolated"
	refused 'del(.pre_tokenizer.pretokenizers[1].pattern)' \
	    "a Split rule without a pattern"
	refused '.pre_tokenizer.pretokenizers[0].type = "Punctuation"' \
	    "a pre_tokenizer of type Punctuation"
	refused '.pre_tokenizer.pretokenizers[2].add_prefix_space = true' \
	    "add_prefix_space"
}

@test "a splitter may be a plain string without special characters" {
	json=$BATS_TEST_DIRNAME/fuzz/seeds/token_file/json
	for pair in '. \\.' '( \\(' 'the the'; do
		jq -c --arg p "${pair%% *}" '.pre_tokenizer.pretokenizers[1]
		    .pattern = {String: $p}' "$json" > text.json
		jq -c '.pre_tokenizer.pretokenizers[1]
		    .pattern = {Regex: "'"${pair#* }"'"}' "$json" > regex.json
		ctx-count -e ./text.json --text "$agent" > text
		ctx-count -e ./regex.json --text "$agent" > regex
		cmp text regex
	done
}

@test "a splitter that takes too many steps for a text is an error" {
	json=$BATS_TEST_DIRNAME/fuzz/seeds/token_file/json
	jq -c '.pre_tokenizer.pretokenizers[1].pattern.Regex = "(?:aa)+[cd]" |
	    del(.pre_tokenizer.pretokenizers[0])' "$json" > slow.json
	messages user:aaab "user:$(head -c 80000 /dev/zero | tr '\0' a)" > in
	run -2 timeout 60 ctx-count -e ./slow.json in
	[[ $output == "ctx-count: in:2: ./slow.json: a regular expression that \
splits texts takes too many steps for this text; to estimate its tokens, use -e bytes/4" ]]
}

@test "an encoding that is not a file is refused with the reason" {
	messages user:hi > in
	mkdir vocabularies
	run -2 ctx-count -e vocabularies in
	[ "$output" = "ctx-count: --encoding: vocabularies is a directory; name a file in it" ]
	ln -s loop loop
	run -2 ctx-count -e loop in
	[[ $output == "ctx-count: cannot open loop: "* ]]
	run -2 ctx-count -e nothing in
	[[ $output == "ctx-count: --encoding: 'nothing' is neither a file nor an encoding; "* ]]
}

@test "vocabularies made to collide in one hash bucket are refused" {
	# Of 16 bytes with one hash, which has no key; and of one beginning.
	cat > make.pl <<-'X'
		use MIME::Base64;
		my ($kind, $n, $order) = @ARGV;
		my $id = 0;
		sub add { print encode_base64($_[0], ""), " ", $id++, "\n" }
		add(chr $_) for 0 .. 255;
		srand 1;
		for (my $i = 0; $i < $n; ) {
			my $high = int(rand 2**32) << 32 | int(rand 2**32);
			my $turned = $high << 37 | $high >> 27;
			my $token = $kind eq "hash"
			    ? pack "Q$order Q$order",
				0x0123456789abcdef ^ $turned, $high
			    : " " . "q" x 16 . sprintf "%06d", $i;
			next if $token =~ /\xff/;
			add($token);
			$i++;
		}
	X
	refused=
	for kind in "hash <" "hash >" "beginning"; do
		# shellcheck disable=SC2086 # the order of bytes is a word more
		set -- $kind
		perl make.pl "$1" 1000 ${2+"$2"} > o200k_fine.tiktoken
		ctx-count -q -e o200k_fine.tiktoken "$chat"
		perl make.pl "$1" 9000 ${2+"$2"} > o200k_bad.tiktoken
		if ctx-count -e o200k_bad.tiktoken "$chat" > out 2> err; then
			continue
		fi
		[[ $(cat err) == *": more than 1024 tokens of the vocabulary have the same first bytes or the same hash" ]]
		refused+=" $1"
	done
	# Bytes stand as the machine has them: of the two hashes one is its own.
	[ "$refused" = " hash beginning" ]
	# Long ones with many merges are merged in n log n.
	perl -e 'use MIME::Base64; my $id = 0; srand 1;
	    sub add { print encode_base64($_[0], ""), " ", $id++, "\n" }
	    add(chr $_) for 0 .. 255;
	    for my $x ("a" .. "j") { add($x . $_) for "a" .. "j" }
	    add(join "", map { chr(97 + int rand 10) } 1 .. 1023) for 1 .. 200' \
	    > o200k_long.tiktoken
	run -0 ctx-count -e o200k_long.tiktoken "$chat"
	[[ $output == *" $chat" ]]
}

# Copies a command and, for a build that shares it, its library to a prefix.
move_prefix() {
	mkdir -p moved/bin moved/share/ctx
	cp "$B/ctx-count" moved/bin
	[ -z "$(find "$B" -maxdepth 1 -name 'libctx-commands-*.so')" ] ||
		cp "$B"/libctx-commands-*.so moved/bin
	cp "$B/share/ctx/encodings" moved/share/ctx
}

@test "the file with the built-in encodings is found after its prefix was moved" {
	move_prefix
	# A directory of this name without the file is passed over.
	mkdir -p moved/bin/share/ctx
	printf 'hello world' > text
	for encoding in o200k_base cl100k_base p50k_base r50k_base claude-4.8; do
		[ "$(moved/bin/ctx-count --text -e $encoding text)" = \
		    "$(ctx-count --text -e $encoding text)" ]
	done
}

# As if another user had written the directory above the commands, in /tmp.
@test "encodings above the code are used only if root or the code's owner owns them" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to change owners"
	[ -e "$B/share/ctx/encodings" ] || skip "the encodings are in the program"
	move_prefix
	chmod -R go+rX .
	printf 'no encodings' > moved/share/ctx/encodings
	printf 'hello world' > text
	run -2 moved/bin/ctx-count --text text
	[[ $output == *"/moved/share/ctx/encodings does not contain"* ]]
	chown -R 65534 moved/share
	run moved/bin/ctx-count --text text
	[[ $output != *"/moved/"* ]] || fail "the directory is used: $output"
	chown -R 65534 moved/bin
	run -2 moved/bin/ctx-count --text text
	[[ $output == *"/moved/share/ctx/encodings does not contain"* ]]
	# A link of another user to a directory of root, in which all may write.
	chown -R 0 moved/bin
	rm -r moved/share/ctx
	mkdir -m 1777 open
	printf 'no encodings' > open/encodings
	chown 65534 open/encodings
	ln -s "$PWD/open" moved/share/ctx
	run -2 moved/bin/ctx-count --text text
	[[ $output == *"/encodings belongs neither to root"* ]] || fail "$output"
}

@test "CTX_DATA names the directory of the file with the built-in encodings" {
	mkdir data
	cp "$B/share/ctx/encodings" data
	printf 'hello world' > text
	[ "$(CTX_DATA=data ctx-count --text text)" = "$(ctx-count --text text)" ]
	export CTX_DATA=$PWD/none
	run -2 ctx-count --text -e cl100k_base text
	[ "$output" = "ctx-count: cannot open $PWD/none/encodings: No such \
file or directory; install ctx again, or set CTX_DATA to the directory of this \
file (in a program, by ctx_set_data_directory)" ]
	# It is not needed if no token is counted by a table.
	ctx-count --text -e bytes/4 text
	ctx-check -d openai-chat "$chat"
	CTX_DATA=$(printf 'x%.0s' {1..5000}) run -2 ctx-count --text text
	[[ $output == "ctx-count: CTX_DATA: the path of the directory has more than 4095 bytes" ]]
}

# Runs a command with a changed file and compares its message.
refused() {
	local words=$1 command
	for command in "ctx-count" "ctx-prune -b 100" "ctx-truncate --unit tokens" \
	    "ctx-count -m claude-opus-4-8" "ctx-count --no-sandbox"; do
		# shellcheck disable=SC2086 # a command and its options
		run -2 $command "$chat"
		[ "${#lines[@]}" -eq 1 ] || fail "$command: $output"
		[[ $output == *"$PWD/data/encodings$words; install ctx again, or \
set CTX_DATA to the directory of this file (in a program, by \
ctx_set_data_directory)" ]] || fail "$command: $output"
	done
}

# Writes bytes, given as for printf, at an offset of the file.
patch_at() {
	# shellcheck disable=SC2059 # bytes as escapes
	printf "$2" | dd of=data/encodings bs=1 seek="$1" conv=notrunc 2> dd
}

@test "a file with encodings that is cut off, foreign or damaged is refused" {
	mkdir data
	export CTX_DATA=$PWD/data
	: > data/encodings
	refused " does not contain tokenizers of ctx"
	printf 'ctxtable' > data/encodings
	refused " does not contain tokenizers of ctx"
	cp "$B/share/ctx/encodings" data
	size=$(stat -c %s data/encodings)
	truncate -s -1 data/encodings
	refused " has $((size - 1)) bytes instead of $size"
	truncate -s 4096 data/encodings
	refused " has 4096 bytes instead of $size"
	truncate -s "$size" data/encodings
	cp "$B/share/ctx/encodings" data
	patch_at 0 'C'
	refused " does not contain tokenizers of ctx"
	cp "$B/share/ctx/encodings" data
	# The number of the byte order, with its bytes reversed.
	[ "$(od -A n -t x1 -j 8 -N 1 data/encodings)" = " 04" ] &&
		patch_at 8 '\1\2\3\4' || patch_at 8 '\4\3\2\1'
	refused " is for processors with another byte order"
	cp "$B/share/ctx/encodings" data
	patch_at 12 '\351\351\351\351'
	run -2 ctx-count "$chat"
	[[ $output == *"/encodings belongs to another version of ctx (format \
3924421097 instead of "*"); install ctx again"* ]]
	rm data/encodings
	mkfifo data/encodings
	refused " does not contain tokenizers of ctx"
	rm data/encodings
	mkdir data/encodings
	refused " does not contain tokenizers of ctx"
}

@test "tiktoken.model is split by Kimi's pattern, and refused if it is another's" {
	kimi_ranks 163584 > tiktoken.model
	for text in 中文:1 中a:2 a中:2 '  中:3' 々中:4 aA:2 ab:1 ⺀a:4 1234:4; do
		[ "$(printf %s "${text%:*}" |
		    ctx-count --text -e ./tiktoken.model | awk '{ print $1 }')" = \
		    "${text#*:}" ] || fail "$text"
	done
	kimi_ranks 163583 > tiktoken.model
	run -2 ctx-count --text -e ./tiktoken.model tiktoken.model
	[[ $output == *": the file has 163583 tokens instead of 163584, as Kimi's file of this name" ]]
}

@test "the versions of Mistral's tokenizer have different added tokens" {
	printf 'as [REF]said[/REF] in [REFERENCE_DOC_7], [INST]' > text
	for encoding in mistral-v1:24 mistral-v3:17 mistral-v7:13; do
		[ "$(ctx-count --text -e "${encoding%:*}" text |
		    awk '{ print $1 }')" = "${encoding#*:}" ] || fail "$encoding"
	done
}

@test "the tables of all built-in encodings have at most 16 MB" {
	[ -f "$B/share/ctx/encodings" ] || skip "the tables are in the program"
	[ "$(wc -c < "$B/share/ctx/encodings")" -le 16000000 ]
}

@test "r50k_base lacks the runs of blanks that p50k_base has as tokens" {
	printf '%40s' x > text
	for encoding in gpt2:39 r50k_base:39 p50k_base:3 p50k_edit:3; do
		[ "$(ctx-count --text -e "${encoding%:*}" text |
		    awk '{ print $1 }')" = "${encoding#*:}" ] || fail "$encoding"
	done
}
