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

@test "files of three kinds count, exactly" {
	seeds
	printf 'the thing ======' > text
	# the, " t", h, ing, " ", ====, ==
	[ "$(ctx-count --text -e r50k_small.tiktoken text | awk '{print $1}')" = 7 ]
	[ "$(ctx-count --text -e model.gguf text | awk '{print $1}')" = 7 ]
	# Its splitter leaves no space to the word behind it.
	ctx-count --text -e tokenizer.json text > out
	[ "$(awk '{print $1}' out)" = 7 ]
}

@test "a vocabulary is compiled once, and again if the cache is damaged" {
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

@test "without a cache it works all the same" {
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

@test "what cannot be counted exactly is refused, with a way out" {
	seeds
	jq '.normalizer = {type: "Lowercase"}' tokenizer.json > lower.json
	run -2 ctx-count -e lower.json "$chat"
	[[ $output == *"normalizer of type Lowercase"*"bytes/4"* ]]
	jq '.pre_tokenizer.pretokenizers[1].pattern.Regex = "(?<=a)b"' \
	    tokenizer.json > behind.json
	run -2 ctx-count -e behind.json "$chat"
	[[ $output == *"a group of a kind"*"(byte 2)"*"bytes/4"* ]]
	head -c 3000 model.gguf > short.gguf
	run -2 ctx-count -e short.gguf "$chat"
	[[ $output == *"ends early"* ]]
	run -2 ctx-count -e nosuch "$chat"
	[[ $output == *nosuch* ]]
}

@test "NFC is not done, so such counts are estimates" {
	seeds
	jq '.normalizer = {type: "NFC"}' tokenizer.json > nfc.json
	ctx-count -e nfc.json "$chat" | grep '^ *~'
	ctx-count --json -e nfc.json "$chat" > nfc
	ctx-count --json -e tokenizer.json "$chat" > plain
	[ "$(jq .tokens nfc)" = "$(jq .tokens plain)" ]
	jq -e '.exact == false' nfc
	jq -e '.exact == true' plain
}

@test "a file that is no JSON is named, with the line" {
	printf '{\n"model": nothing\n' > broken.json
	run -2 ctx-count -e broken.json "$chat"
	[[ $output == *" broken.json:2: "* ]]
}

@test "nothing of a vocabulary is left if its compilation is ended" {
	seeds
	command -v strace > /dev/null || fail "no strace here"
	strace -o trace -e trace=write -e inject=write:signal=TERM:when=1 \
	    ctx-count -e tokenizer.json "$chat" > out 2> err || true
	[ -z "$(find not -type f)" ]
	ctx-count -e tokenizer.json "$chat" > out
	[ "$(find not -type f | wc -l)" -eq 1 ]
}

@test "a tokenizer.json that lacks what it names is refused by that" {
	json=$BATS_TEST_DIRNAME/fuzz/seeds/token_file/json
	ctx-count -e "$json" "$chat"
	refused() {
		jq -c "$1" "$json" > bad.json
		run -2 ctx-count -e ./bad.json "$chat"
		[[ $output == *"./bad.json: "*"$2"* ]] || fail "$1: $output"
	}
	refused 'del(.model.vocab)' "a model without vocab or merges"
	refused '.model.type = "Unigram"' "a model of type Unigram"
	refused '.model.dropout = 0.1' "a model with dropout"
	refused '.model.merges += [["t"]]' "a merge that is not of two tokens"
	refused '.added_tokens[0].id = -1' "an added token without id or content"
	refused '.added_tokens[0].content = ""' "an added token without id or"
	refused '.added_tokens[1].lstrip = true' "the added token <t>"
	refused '.normalizer.normalizers = [{type: "NFC"}, {type: "NFC"}]' \
	    "several normalizers"
	refused '.pre_tokenizer.pretokenizers[1].behavior = "Removed"' \
	    "not Isolated"
	refused 'del(.pre_tokenizer.pretokenizers[1].pattern)' \
	    "a splitter without a pattern"
	refused '.pre_tokenizer.pretokenizers[0].type = "Punctuation"' \
	    "a pre_tokenizer of type Punctuation"
	refused '.pre_tokenizer.pretokenizers[2].add_prefix_space = true' \
	    "add_prefix_space"
}

@test "a splitter may be a text, in which no character is special" {
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
