# Sends alerts.json as Alertmanager does, with the demo token. $1: the hook's URL.
set -eu
cd "$(dirname "$0")"
curl -sS -i "${1:-http://127.0.0.1:9000/hooks/alerts}" \
  -H 'Content-Type: application/json' \
  -H 'User-Agent: Alertmanager/0.28.0' \
  -H "Authorization: Bearer $(cat demo-secret.txt)" \
  --data-binary @alerts.json
