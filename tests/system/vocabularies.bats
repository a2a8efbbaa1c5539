# Vocabularies of other projects: the recorded ids are those that the packages
# give today.

load helper

# Unpacks Mistral's tokenizers into mistral/mistral_common/data.
fetch_mistral() {
	venv/bin/pip download --quiet --no-deps mistral-common==1.13.1 \
	    > pip.log 2>&1 || fail "$(cat pip.log)"
	python3 -m zipfile -e mistral_common-*.whl mistral
}

@test "the recorded ids of SentencePiece vocabularies are those of the packages" {
	python3 -m venv venv
	venv/bin/pip install --quiet sentencepiece==0.2.3 tokenizers==0.23.3 \
	    protobuf > pip.log 2>&1 || fail "$(cat pip.log)"
	fetch_mistral
	venv/bin/python "$ROOT/tests/corpus/char_tokens.py" \
	    mistral/mistral_common/data > now
	cmp now "$ROOT/tests/corpus/char_tokens.json"
}

# Prints the path of a Python whose characters are those of Unicode 15.0: 3.12.
find_python() {
	local python
	for python in python3.12 python3 "$HOME"/.pyenv/versions/3.12*/bin/python3
	do
		if "$python" -c 'import unicodedata
assert unicodedata.unidata_version == "15.0.0"' 2> /dev/null; then
			echo "$python"
			return
		fi
	done
	return 1
}

@test "counts of Claude's encodings are those of the package ctok" {
	python=$(find_python) || skip "no Python 3.12"
	"$python" -m venv venv && venv/bin/pip install --quiet ctok==1.3.0 \
	    > pip.log 2>&1 || fail "$(cat pip.log)"
	STRINGS=1000 TEXTS=15 venv/bin/python -B "$ROOT/tests/system/claude.py"
}

@test "ids of Mistral's tokenizer are those of sentencepiece" {
	python3 -m venv venv
	venv/bin/pip install --quiet sentencepiece==0.2.3 > pip.log 2>&1 ||
	    fail "$(cat pip.log)"
	fetch_mistral
	cd mistral/mistral_common/data
	cp ./*.model.v3 v3.model
	STRINGS=5000 "$OLDPWD"/venv/bin/python -B \
	    "$ROOT/tests/system/vocabularies.py" "$PREFIX/lib/libctx.so" \
	    v3.model mistral-v1=tokenizer.model.v1 mistral-v3=v3.model \
	    mistral-v7="$(echo ./*.model.v7)"
}

@test "ids of Kimi's tokenizer are those of tiktoken" {
	python3 -m venv venv
	venv/bin/pip install --quiet splintr-rs==0.22.0 tiktoken==0.14.0 \
	    > pip.log 2>&1 || fail "$(cat pip.log)"
	# A rank file of the tokens that the package has.
	venv/bin/python - > tiktoken.model <<-'END'
		import base64
		import splintr
		tokens = splintr.Tokenizer.from_pretrained("kimi_k2")
		for i in range(163584):
		    token = bytes(tokens.decode_token_bytes(i))
		    print(base64.b64encode(token).decode(), i)
	END
	sha256sum tiktoken.model | grep -q ^b6c497a7469b33ced9c38afb1ad6e47f
	STRINGS=5000 venv/bin/python -B "$ROOT/tests/system/vocabularies.py" \
	    "$PREFIX/lib/libctx.so" tiktoken.model
}

@test "the built-in vocabulary of Mistral is made from its package" {
	python3 -m venv venv
	venv/bin/pip install --quiet sentencepiece==0.2.3 > pip.log 2>&1 ||
	    fail "$(cat pip.log)"
	fetch_mistral
	venv/bin/python "$ROOT/lib/gen/mistral.py" \
	    mistral/mistral_common/data/tokenizer.model.v1 > now
	cmp now "$ROOT/lib/gen/data/mistral.ranks"
}
