/** `response { … }`: what the sender is told. */
import { c } from "reeve/plugin";
import { badHeader } from "../serve/header-names.js";
import { text } from "./request.js";

const status = () => c.integer().min(200).max(599);

export const response = c.block({
  doc: "What the sender of a request is told.",
  max: 1,
  reload: "live",
  examples: ["response {\n  wait = true\n  include_output = true\n}"],
  attrs: {
    wait: c
      .boolean()
      .default("false")
      .doc("Whether to answer when the command has ended, instead of when it is accepted."),
    include_output: c
      .boolean()
      .default("false")
      .doc("Whether the answer is what the command printed. Implies `wait`."),
    include_output_on_error: c
      .boolean()
      .default("false")
      .doc("Whether the answer to a failed command is what it printed. Implies `wait`."),
    status: status()
      .optional()
      .doc("The status of success. Left out: 200 after waiting, 202 without.")
      .example("204"),
    mismatch_status: status()
      .default("403")
      .doc("The status when `when` does not hold. 200 keeps senders content that count failures.")
      .example("200"),
    failure_status: status().default("500").doc("The status of a failed command, after waiting."),
    body: text
      .optional()
      .doc("The answer's text, unless the output is included.")
      .example('"thanks for ${payload.ref}"'),
    headers: c
      .map(text)
      .default("{}")
      .doc("Headers of the answer to a request that was accepted.")
      .example('{ "X-Host" = "build-1" }'),
  },
  check: ({ values }, report) => {
    for (const name of Object.keys(values.headers)) {
      const wrong = badHeader(name);
      if (wrong) report(["headers", name], wrong);
    }
  },
});
