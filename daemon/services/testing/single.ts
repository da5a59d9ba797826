/** One command in a process of its own: how it came out, and whether native code for it was there before and after. */
import { readFileSync } from "node:fs";
import { openServices } from "../services.js";
import { contextOf, optionsIn } from "./services.js";

const native = (): string =>
  readFileSync("/proc/self/maps", "utf8").includes("koffi") ? "yes" : "no";

const [, , directory = ""] = process.argv;
const kit = await openServices(optionsIn(directory));
const { context } = contextOf(kit, "sample", 1, directory);
process.stdout.write(`before: ${native()}\n`);
const { outcome, stdout } = await context.processes.run({ argv: ["/bin/echo", "hello"] });
process.stdout.write(`${outcome}: ${Buffer.from(stdout).toString()}`);
process.stdout.write(`after: ${native()}\n`);
await kit.close();
