# Vocabularies of other projects: the recorded ids are those that the packages
# give today.

load helper

@test "the recorded ids of SentencePiece vocabularies are those of the packages" {
	python3 -m venv venv
	venv/bin/pip install --quiet sentencepiece==0.2.3 tokenizers==0.23.3 \
	    protobuf > pip.log 2>&1 || fail "$(cat pip.log)"
	venv/bin/python "$ROOT/tests/corpus/char_tokens.py" > now
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
	{
		venv/bin/pip install --quiet sentencepiece==0.2.3 &&
			venv/bin/pip download --quiet --no-deps \
			    mistral-common==1.13.1
	} > pip.log 2>&1 || fail "$(cat pip.log)"
	python3 -m zipfile -e mistral_common-*.whl mistral
	cp mistral/mistral_common/data/mistral_instruct_tokenizer_240323.model.v3 \
	    v3.model
	STRINGS=5000 venv/bin/python -B "$ROOT/tests/system/vocabularies.py" \
	    "$PREFIX/lib/libctx.so" v3.model
}
