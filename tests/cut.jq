# Cuts the conversation of each record, its outermost array of objects:
#   jq -c --arg how tail|head|slice -f cut.jq
# Where depends on the record's line.

([paths(type == "array" and length > 0 and all(.[]; type == "object")) |
    select(.[-1] != "tools")] | sort_by(length) | first) as $at |
getpath($at) as $all | ($all | length) as $n |
(input_line_number * 31 % $n) as $from |
($from + 1 + input_line_number * 17 % ($n - $from)) as $to |
setpath($at; if $how == "tail" then $all[$from:]
    elif $how == "head" then $all[:$from + 1]
    else $all[$from:$to] end)
