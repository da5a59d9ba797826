# Notifies people: $1 is `firing` or `resolved`, $2 the alerts' names, $3 their summaries, $SINCE the start of the first.
set -eu
echo "$1: $2 ($3), since $SINCE"
