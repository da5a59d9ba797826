# Builds a push: $1 is the project, $2 the branch, $3 the commit.
set -eu
echo "building $1, $2 at $3"
