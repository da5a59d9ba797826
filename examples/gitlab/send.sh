# Sends a payload as GitLab does, signed with the demo signing token. $1: the file, $2: the hook's URL.
set -eu
cd "$(dirname "$0")"
file=${1:-push.json}
id=9c4d2f6a-6f0e-4b6e-9d1f-2f9f3f1f7a10
time=$(date +%s)
# The key follows `whsec_`, in Base64.
key=$(sed 's/^whsec_//' demo-secret.txt | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
signature=$({ printf '%s.%s.' "$id" "$time"; cat "$file"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
curl -sS -i "${2:-http://127.0.0.1:9000/hooks/gitlab/push}" \
  -H 'Content-Type: application/json' \
  -H "webhook-id: $id" \
  -H "webhook-timestamp: $time" \
  -H "webhook-signature: v1,$signature" \
  --data-binary "@$file"
