# Tells people: $1 is `firing` or `resolved`, $2 the names of the alerts, $3 what they say, $SINCE when the first began.
set -eu
echo "$1: $2 ($3), since $SINCE"
