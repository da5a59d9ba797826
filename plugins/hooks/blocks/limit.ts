/** `limit { … }`: how many requests a hook accepts in a time. */
import { c } from "reeve/plugin";
import { text } from "./request.js";

const DAY = 86_400_000;

export const limit = c.block({
  doc: "Limits the rate of requests, for each client address or for each value of `key`. Requests beyond it get 429 with `Retry-After`.",
  max: 1,
  reload: "live",
  examples: ["limit {\n  rate = 10\n  per = 1m\n  burst = 5\n}"],
  attrs: {
    rate: c
      .integer()
      .min(1)
      .max(1_000_000)
      .doc("How many requests may come in `per`, on average.")
      .example("10"),
    per: c.duration().min(1000).max(DAY).default("1m").doc("The time that `rate` is about."),
    burst: c
      .integer()
      .min(1)
      .max(1_000_000)
      .optional()
      .doc("How many may come at once after a pause. @default `rate`")
      .example("5"),
    key: text
      .optional()
      .doc(
        "Counts verified requests that meet the condition, by this value. Without it, all requests count by client address (IPv6: by /64), before their bodies are read.",
      )
      .example("payload.repository.full_name"),
  },
});
