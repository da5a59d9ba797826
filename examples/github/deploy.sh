# Deploys a push: $1 is the repository, $2 the commit. Put your steps here.
set -eu
echo "$1 is at $2 now"
