/**
 * `npm run fuzz -- [--what http|hello|http2] [--network] [--inputs N] [--seed N] [--from N]`: by default a million
 * inputs of HTTP and TLS.
 */
import { parseArgs } from "node:util";
import { fuzz } from "./fuzz.js";

const { values } = parseArgs({
  options: {
    what: { type: "string", multiple: true, default: ["hello", "http"] },
    inputs: { type: "string", default: "1000000" },
    network: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
  },
});

for (const what of values.what) {
  if (what !== "http" && what !== "hello" && what !== "http2") {
    process.stderr.write(
      `There is nothing to try called ${what}; there are http, hello and http2.\n`,
    );
    process.exit(64);
  }
  const startedAt = performance.now();
  const order = {
    what,
    seed: Number(values.seed),
    from: Number(values.from),
    inputs: Number(values.inputs),
    network: values.network,
  } as const;
  const { found, statuses } = await fuzz(order);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const answers = statuses
    .toSorted(([one], [other]) => one - other)
    .map(([status, times]) => `${times} × ${status}`);
  process.stdout.write(
    `${what}: ${order.inputs} inputs in ${seconds} s, ${found.length === 0 ? "nothing found" : `${found.length} found`}${answers.length > 0 ? `; recorded ${answers.join(", ")}` : ""}\n`,
  );
  for (const { input, what: fault } of found) {
    process.exitCode = 1;
    process.stdout.write(
      `  --what ${what} --seed ${order.seed} --from ${input} --inputs 1: ${fault}\n`,
    );
  }
}
