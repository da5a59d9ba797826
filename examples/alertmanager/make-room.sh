# Frees space: $1 lists the instances with full disks, standard input is the payload of Alertmanager.
set -eu
for instance in $1; do
  echo "making room on $instance"
done
echo "told with $(wc -c | tr -d ' ') bytes"
