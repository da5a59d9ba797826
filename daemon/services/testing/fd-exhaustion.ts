/** Two hundred commands at once in a process that may open few files: says how each came out. */
import { openServices } from "../services.js";
import { contextOf, optionsIn } from "./services.js";

const [, , directory = "", commands] = process.argv;
const kit = await openServices(
  optionsIn(directory, { commands: commands === "plain" ? "plain" : "fastest" }),
);
const { context } = contextOf(kit, "sample", 1, directory);
const enough = new AbortController();
const outcomes = await Promise.all(
  Array.from({ length: 200 }, async () => {
    const result = await context.processes.run({
      argv: ["/bin/sleep", "600"],
      signal: enough.signal,
    });
    enough.abort(); // None ends by itself: the first result is that there is no room.
    return result;
  }),
);
for (const { outcome, error } of outcomes) process.stdout.write(`${outcome} ${error ?? ""}\n`);
const { outcome } = await context.processes.run({ argv: ["/bin/true"] });
process.stdout.write(`then ${outcome}\n`);
await kit.close();
