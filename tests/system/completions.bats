# The completions, driven in the real shells on a terminal of their own.

load helper

# A key that writes the line as it stands to the file "line" ends each try.
# Types $1 with <TAB> for the key in an interactive bash with bash-completion.
in_bash() {
	rm -f line
	cat > rc <<-'END'
	PS1='> '
	. /usr/share/bash-completion/bash_completion
	dump() { printf '%s' "$READLINE_LINE" > line; exit; }
	bind -x '"\C-g": dump'
	bind 'set bell-style none'
	END
	{ sleep 0.5; printf '%b' "${1//<TAB>/\\t}"; sleep 1.5; printf '\a'
	  sleep 1; } |
		XDG_DATA_DIRS=$PREFIX/share timeout 20 script -qfec \
		    "bash --noprofile --rcfile rc -i" /dev/null > screen 2>&1
}

in_zsh() {
	rm -f line
	cat > drive.zsh <<-'END'
	zmodload zsh/zpty
	zpty shell zsh -f -i
	zpty -w shell "fpath=($PREFIX/share/zsh/site-functions \$fpath)"
	zpty -w shell 'autoload -Uz compinit; compinit -u -D'
	zpty -w shell 'dump() { print -rn -- $BUFFER > line; exit }'
	zpty -w shell "zle -N dump; bindkey '^G' dump; print READY''NOW"
	zpty -r -m shell screen '*READYNOW*'
	zpty -w -n shell $1
	zpty -w -n shell $'\a'
	repeat 100; do [[ -s line ]] && break; sleep 0.1; done
	END
	timeout 30 zsh -f drive.zsh "$(printf '%b' "${1//<TAB>/\\t}")"
}

in_fish() {
	XDG_DATA_DIRS=$PREFIX/share fish --no-config -c \
		"set fish_complete_path $PREFIX/share/fish/vendor_completions.d
		complete -C $(printf '%q' "$1")" | cut -f 1
}

@test "bash completes options, choices, models, tools of the file, and files" {
	in_bash 'ctx-prune --strat<TAB>he<TAB>-m gpt-4.1-m<TAB>'
	[ "$(cat line)" = "ctx-prune --strategy heuristic -m gpt-4.1-mini " ]
	in_bash 'ctx-count --encoding=o200k_h<TAB>'
	[ "$(cat line)" = "ctx-count --encoding=o200k_harmony " ]
	cp "$agent" log.jsonl
	in_bash 'ctx-prune lo<TAB>--pin-tool re<TAB>'
	[ "$(cat line)" = "ctx-prune log.jsonl --pin-tool read_file " ]
	# With a model there is a window, whose columns are before the tool.
	CTX_MODEL=gpt-4o in_bash 'ctx-prune log.jsonl --pin-tool re<TAB>'
	[ "$(cat line)" = "ctx-prune log.jsonl --pin-tool read_file " ]
	mkdir spool-here
	in_bash 'ctx-age -S spool<TAB>'
	[ "$(cat line)" = "ctx-age -S spool-here/" ]
	in_bash 'ctx-check -d openai-r<TAB>'
	[ "$(cat line)" = "ctx-check -d openai-responses " ]
}

@test "zsh completes options, choices, models, tools of the file, and files" {
	in_zsh 'ctx-prune --strat<TAB>he<TAB>-m gpt-4.1-m<TAB>'
	[ "$(cat line)" = "ctx-prune --strategy=heuristic -m gpt-4.1-mini " ]
	in_zsh 'ctx-count --encoding=o200k_h<TAB>'
	[ "$(cat line)" = "ctx-count --encoding=o200k_harmony " ]
	cp "$agent" log.jsonl
	in_zsh 'ctx-prune lo<TAB>--pin-tool re<TAB>'
	[ "$(cat line)" = "ctx-prune log.jsonl --pin-tool read_file " ]
	mkdir spool-here
	in_zsh 'ctx-age -S spool<TAB>'
	[ "$(cat line)" = "ctx-age -S spool-here/" ]
}

@test "fish completes options, choices, models, tools of the file, and files" {
	run -0 in_fish 'ctx-prune --strat'
	[ "$output" = "--strategy" ]
	run -0 in_fish 'ctx-prune -s he'
	[ "$output" = heuristic ]
	run -0 in_fish 'ctx-prune -m gpt-4.1-m'
	[ "$output" = gpt-4.1-mini ]
	cp "$agent" log.jsonl
	run -0 in_fish 'ctx-prune log.jsonl --pin-tool re'
	[ "$output" = read_file ]
	run -0 in_fish 'ctx-prune lo'
	[ "$output" = log.jsonl ]
	mkdir spool-here
	run -0 in_fish 'ctx-age -S spool'
	[ "$output" = "spool-here/" ]
}

@test "each shell completes the commands of ctx and their options" {
	in_bash 'ctx pr<TAB>--strat<TAB>he<TAB>'
	[ "$(cat line)" = "ctx prune --strategy heuristic " ]
	in_bash 'ctx help trun<TAB>'
	[ "$(cat line)" = "ctx help truncate " ]
	in_zsh 'ctx pr<TAB>--strat<TAB>he<TAB>'
	[ "$(cat line)" = "ctx prune --strategy=heuristic " ]
	in_zsh 'ctx help trun<TAB>'
	[ "$(cat line)" = "ctx help truncate " ]
	run -0 in_fish 'ctx pr'
	[ "$output" = prune ]
	run -0 in_fish 'ctx prune --strat'
	[ "$output" = "--strategy" ]
	run -0 in_fish 'ctx prune -s he'
	[ "$output" = heuristic ]
	run -0 in_fish 'ctx help trun'
	[ "$output" = truncate ]
}

@test "each shell completes every option of every command" {
	local command
	for command in "$PREFIX"/bin/ctx-*; do
		command=${command##*/}
		"$command" --list-options | cut -f 2 | sort > options
		grep -qx help options
		in_fish "$command --" | grep '^--' | cut -c 3- | sort > fish
		diff options fish
		bash -c ". '$PREFIX/share/bash-completion/completions/$command'
		    compopt() { :; }; COMP_WORDS=($command --); COMP_CWORD=1
		    _ctx $command -- $command
		    printf '%s\n' \"\${COMPREPLY[@]}\"" |
			cut -c 3- | sort > bash
		diff options bash
		grep -q "^#compdef.* $command\( \|\$\)" \
		    "$PREFIX/share/zsh/site-functions/_ctx"
	done
}
