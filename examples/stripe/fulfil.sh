# Delivers an order: $1 is the event, $2 the order, $3 the amount. Standard input is the customer, as JSON.
# Stripe may send an event twice: skip an event $1 that was processed before.
set -eu
echo "delivering $2, paid with $3, to $(cat)"
