# Sends event.json as Stripe does, signed now with the demo secret. $1: the hook's URL.
set -eu
cd "$(dirname "$0")"
time=$(date +%s)
signature=$({ printf '%s.' "$time"; cat event.json; } |
  openssl dgst -sha256 -hmac "$(cat demo-secret.txt)" -r | cut -d' ' -f1)
curl -sS -i "${1:-http://127.0.0.1:9000/hooks/stripe}" \
  -H 'Content-Type: application/json; charset=utf-8' \
  -H "Stripe-Signature: t=$time,v1=$signature" \
  --data-binary @event.json
