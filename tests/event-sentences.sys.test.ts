/** Every type of event that the source names has a sentence. */
import { readFileSync } from "node:fs";
import test from "ava";
import { eventSentence } from "../cli/print/sentences.js";
import { isShipped, sourceFiles } from "./source-files.js";

/** `emit("a.b"`, also with a condition before the type. */
const TYPES = /\bemit\(\s*(?:\w+ \? )?"([a-z_]+\.[a-z_]+)"(?: : "([a-z_]+\.[a-z_]+)")?/g;
/** Made of two parts. */
const COMPOSED = [
  ...["hook", "schedule", "watch", "task"].flatMap((kind) =>
    ["triggered", "resumed", "finished"].map((what) => `${kind}.${what}`),
  ),
  ...["condition.raised", "condition.cleared"],
];

test("no event of the daemon or a built-in plugin is without a sentence", (t) => {
  const emitted = sourceFiles
    .filter((file) => /^(daemon|plugins)\//.test(file) && isShipped(file))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(TYPES)])
    .flatMap(([, one, other]) => [one, other])
    .filter((type) => type !== undefined);
  t.true(emitted.length > 30, "the pattern finds them");
  const types = [...new Set([...emitted, ...COMPOSED])];
  t.deepEqual(
    types.filter((type) => eventSentence({ type, data: {} }) === undefined),
    [],
  );
});
