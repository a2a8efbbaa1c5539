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
