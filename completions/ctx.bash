# ctx.bash - bash completion of the ctx commands
#
# Each command prints its own table of options (--list-options: letter, name,
# argument, help, choices), so nothing is listed here twice.

# The tools that the files on the command line name, one a line.
_ctx_tools() {
	local word
	for word in "${COMP_WORDS[@]:1}"; do
		[[ -f $word ]] && head -c 4000000 -- "$word"
	done | ctx-count --lenient --per tool --tsv 2>/dev/null |
		tail -n +2 | cut -f 8
}

# Completes the value of one option: its argument's name, its choices.
_ctx_value() {
	local option=$1 arg=$2 choices=$3 cur=$4
	compopt +o default
	mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
	case $option,$arg in
	*tool,*)
		mapfile -t COMPREPLY < <(compgen -W "$(_ctx_tools)" -- "$cur") ;;
	*,*FILE)
		compopt -o filenames
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
			compgen -f -- "$cur") ;;
	*,DIR)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	*,CMD)
		mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	esac
}

_ctx() {
	local command=$1 cur=$2 prev=$3 names="" letter name arg help choices
	# "--level=ba" comes as three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	# ctx runs the others: "ctx count" is ctx-count.
	if [[ ${command##*/} == ctx ]]; then
		if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then
			names=$("$command" 2>/dev/null |
				sed -n 's/^  \([a-z]*\) .*/\1/p')
			mapfile -t COMPREPLY < <(compgen -W "$names" -- "$cur")
			return
		fi
		command+=-${COMP_WORDS[1]}
	fi
	# A tab would run empty fields together.
	while IFS=$'\037' read -r letter name arg help choices; do
		if [[ -n $arg && $arg != \[* && ( $prev == "--$name" ||
			( -n $letter && $prev == "-$letter" ) ) ]]; then
			_ctx_value "$name" "$arg" "$choices" "$cur"
			return
		fi
		names+=" --$name"
	done < <("$command" --list-options 2>/dev/null | tr '\t' '\037')
	[[ $cur == -* ]] &&
		mapfile -t COMPREPLY < <(compgen -W "$names" -- "$cur")
}

complete -o default -F _ctx ctx ctx-count ctx-prune ctx-truncate ctx-age \
	ctx-restore ctx-cache ctx-check ctx-eval ctx-replay
