# What is done with a pipeline that succeeded: $1 is where to deploy, $2 the commit.
set -eu
echo "deploying $2 to $1"
