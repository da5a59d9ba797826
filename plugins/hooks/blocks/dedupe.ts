/** `dedupe { … }`: a repeated delivery runs once. */
import { c } from "reeve/plugin";
import { text } from "./request.js";

export const dedupe = c.block({
  doc: "Responds to a repeated delivery with its first run, instead of running the command again. A delivery whose run failed may be repeated.",
  max: 1,
  reload: "live",
  examples: ['dedupe {\n  key = header["X-GitHub-Delivery"]\n  within = 1h\n}'],
  attrs: {
    key: text.doc("The key of a delivery.").example('header["X-GitHub-Delivery"]'),
    within: c
      .duration()
      .min(1000)
      .max(30 * 86_400_000)
      .default("1h")
      .doc("How long a delivery counts as repeated."),
  },
});
