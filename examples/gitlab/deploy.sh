# Deploys a successful pipeline: $1 is the environment, $2 the commit.
set -eu
echo "deploying $2 to $1"
