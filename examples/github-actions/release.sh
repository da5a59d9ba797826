# Releases a commit: $1 is the repository, $2 the commit.
set -eu
echo "releasing $1 at $2"
