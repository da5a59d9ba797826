# Sends push.json as GitHub does, signed with the demo secret. $1: the hook's URL.
set -eu
cd "$(dirname "$0")"
signature=$(openssl dgst -sha256 -hmac "$(cat demo-secret.txt)" -r push.json | cut -d' ' -f1)
curl -sS -i "${1:-http://127.0.0.1:9000/hooks/github}" \
  -H 'Content-Type: application/json' \
  -H "X-GitHub-Event: ${EVENT:-push}" \
  -H 'X-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958' \
  -H "X-Hub-Signature-256: sha256=$signature" \
  --data-binary @push.json
