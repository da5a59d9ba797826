/** `dedupe { … }`: a repeated delivery runs once. */
import { c } from "reeve/plugin";
import { text } from "./request.js";

export const dedupe = c.block({
  doc: "Answers a delivery that came before with the run it had, instead of running the command again. One whose run did not succeed may come again.",
  max: 1,
  reload: "live",
  examples: ['dedupe {\n  key = header["X-GitHub-Delivery"]\n  within = 1h\n}'],
  attrs: {
    key: text.doc("What is the same for the same delivery.").example('header["X-GitHub-Delivery"]'),
    within: c
      .duration()
      .min(1000)
      .max(30 * 86_400_000)
      .default("1h")
      .doc("How long a delivery is remembered."),
  },
});
