#!/bin/sh
# A bot in shell. A view comes in as a line of JSON, an answer goes out as one:
#   referee play "python -m tichu_bot.stdio -- sh sample_bots/stdio/bot.sh" random
# It plays the lowest it can, leaves its partner's tricks alone, and keeps Dragon and Phoenix for
# tricks that count. The keys of a view come in a fixed order, without spaces.

number() { rest=${view#*"\"$1\":"}; value=${rest%%[!0-9-]*}; }
list() { rest=${view#*"\"$1\":["}; value=${rest%%]*}; }

act() {
    list partners; partners=$value
    number owner; owner=$value
    number trick_points
    first=${view#*'"plays":[{"cards":"'}
    answer='{"index":0}'
    case $view in
    *'"plays":[]'*) answer='{"pass":true}' ;;
    *'"may_pass":false'*) answer='{"index":0,"wish":14}' ;; # the wish counts with the Mah Jong alone
    *) case ",$partners,$first" in
        *",$owner,"*) answer='{"pass":true}' ;;
        *,Dr\"* | *,Ph\"*) [ "$value" -ge 10 ] || answer='{"pass":true}' ;;
        esac ;;
    esac
}

exchange() {
    hand=${view#*'"hand":"'}; gifts='' rest=$view
    set -- ${hand%%\"*}
    while case $1 in Dg | Ph | Dr | Mj) ;; *) false ;; esac; do shift; done # they come first
    while [ "$rest" != "${rest#*to_seat}" ]; do
        rest=${rest#*'"count":'}; count=${rest%%,*} cards='' # the winner of Grand Seigneur gives three
        while [ "$count" -gt 0 ]; do cards="$cards $1"; shift; count=$((count - 1)); done
        gifts="$gifts,\"${cards# }\""
    done
    answer="{\"gifts\":[${gifts#,}]}"
}

while IFS= read -r view; do
    answer='{"default":true}'
    case $view in
    *'"ask":"act"'*) act ;;
    *'"ask":"bomb"'*) answer='{"decline":true}' ;;
    *'"forced":true'*) ;;
    *'"ask":"exchange"'*) exchange ;;
    *'"ask":"choose_seat"'*) list seats; answer="{\"seat\":${value%%,*}}" ;;
    *'"choices":["grand"'*) answer='{"choice":"no_grand"}' ;;
    esac
    echo "$answer"
done
