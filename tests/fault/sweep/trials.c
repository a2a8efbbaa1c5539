/* trials.c - the command lines that are tried, all of them over small inputs
 *
 * in/ is made by the script: few (tool calls and long results), chat, aged
 * (few after ctx-age, its spool beside it), broken, requests of Anthropic's,
 * a vocabulary and one that normalises marks.
 */
#include "sweep.h"

const struct trial trials[] = {
    {"ctx-count ../in/few", 0},
    {"ctx-count <../in/few", 0},
    {"ctx-count --per role --json ../in/few", 0},
    {"ctx-count --top 3 --tsv ../in/few ../in/chat", 0},
    {"ctx-count --bar -m gpt-4o ../in/few", 0},
    {"ctx-count --svg picture.svg -m gpt-4o ../in/few", 0},
    {"ctx-count --annotate ../in/few", TRIAL_LINES},
    {"ctx-count --text ../in/few", 0},
    {"ctx-count --text <../in/few", 0},
    {"ctx-count -j 2 ../in/few ../in/chat ../in/few", 0},
    {"ctx-count --models", 0},
    {"ctx-count --help", 0},
    {"ctx-count -e ../in/tokenizer.json ../in/chat", 0},
    {"ctx-count -e ../in/nfc.json --text ../in/marks", 0},
    {"ctx-prune -b 4000 ../in/few", 0},
    {"ctx-prune -b 4000 --archive archive --explain explain ../in/few", 0},
    {"ctx-prune -n --json -b 4000 <../in/few", 0},
    {"ctx-prune -b 4000 --pin er+or --not-tool re.d ../in/few", 0},
    {"ctx-prune -b 3000 -s recall --query manifest ../in/few", 0},
    {"ctx-prune -b 3000 -s heuristic -l light ../in/few", 0},
    {"ctx-prune -b 3000 -s window --window-turns 1 ../in/few", 0},
    {"ctx-prune -b 4000 -s summarize --archive archive ../in/few",
	TRIAL_WHOLE},
    {"ctx-prune -b 4000 -s summarize --summarizer ../in/summary ../in/few",
	TRIAL_WHOLE | TRIAL_CHILD},
    {"ctx-prune -b 3000 -s recall --query x --embedder ../in/embed ../in/few",
	TRIAL_WHOLE | TRIAL_CHILD},
    {"ctx-truncate -l 300 ../in/few", TRIAL_LINES},
    {"ctx-truncate -u -l 300 --archive archive --explain explain <../in/few",
	TRIAL_LINES},
    {"ctx-truncate --unit tokens -l 100 --keep head ../in/few", TRIAL_LINES},
    {"ctx-age -S spool -k 2 -o 300 ../in/few", TRIAL_LINES},
    {"ctx-age -u -S spool -k 2 -o 300 --archive archive --explain explain"
     " <../in/few", TRIAL_LINES},
    {"ctx-age --mask -k 2 -o 300 --archive archive ../in/few", TRIAL_LINES},
    {"ctx-age -S ../in/spool -k 2 -o 300 ../in/few", TRIAL_LINES},
    {"ctx-restore -S ../in/spool ../in/aged", TRIAL_LINES},
    {"ctx-restore -S ../in/spool --archive archive --explain explain"
     " ../in/aged", TRIAL_LINES},
    {"ctx-restore -S ../in/spool --list ../in/aged", 0},
    {"ctx-restore -S ../in/spool --gc ../in/chat", 0},
    {"ctx-cache --provider anthropic ../in/requests", TRIAL_LINES},
    {"ctx-cache --provider anthropic --diff ../in/requests ../in/requests",
	0},
    {"ctx-check ../in/few", 0},
    {"ctx-check --json ../in/broken", 0},
    {"ctx-check --sarif ../in/broken", TRIAL_SARIF},
    {"ctx-check --repair --explain explain ../in/broken", 0},
    {0},
};
