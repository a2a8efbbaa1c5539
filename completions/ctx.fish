# ctx.fish - fish completion of the ctx commands
#
# Each command prints its own table of options (--list-options: letter, name,
# argument, help, choices), so nothing is listed here twice.

# The tools that the files on the command line name, one a line.
function __ctx_tools
    for word in (commandline -opc)[2..]
        test -f $word; and head -c 4000000 -- $word
    end | ctx-count --lenient --per tool --tsv 2>/dev/null |
        tail -n +2 | cut -f 8
end

# ctx runs the others: "ctx count" is ctx-count.
if type -q ctx
    complete -c ctx -e
    complete -c ctx -f -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' \
        -a "(ctx | string replace -rf '^  ([a-z]+) +(.*)' '\$1\t\$2')"
end

for command in ctx-count ctx-prune ctx-truncate ctx-age ctx-restore ctx-cache \
        ctx-check ctx-eval ctx-replay
    type -q $command; or continue
    complete -c $command -e
    for line in ($command --list-options)
        set -l field (string split \t -- $line)
        set -l rule -l $field[2] -d $field[4]
        test -n "$field[1]"; and set -a rule -s $field[1]
        switch $field[2],$field[3]
            case '*,' '*,[=*'
            case '*tool,*'
                set -a rule -x -a '(__ctx_tools)'
            case '*,NAME|FILE'
                set -a rule -r -F -a $field[5]
            case '*,FILE'
                set -a rule -r -F
            case '*,DIR'
                set -a rule -x -a '(__fish_complete_directories)'
            case '*,CMD'
                set -a rule -x -a '(__fish_complete_command)'
            case '*'
                set -a rule -x
                test -n "$field[5]"; and set -a rule -a $field[5]
        end
        complete -c $command $rule
        type -q ctx; and complete -c ctx $rule \
            -n "__fish_seen_subcommand_from "(string replace ctx- '' $command)
    end
end
