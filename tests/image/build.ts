/** Runs `scripts/package.mjs`, which makes what people install. */
import { join } from "node:path";
import { run } from "../support/child.js";
import { program } from "../support/needs.js";

/** What building needs. */
export const executableTools = [program("strip")];
export const imageTools = [
  ...executableTools,
  program("apt-get"),
  program("dpkg-deb"),
  program("flock"),
];

/** What the script made, in a folder of its own. */
export async function build(
  kind: "executable" | "image",
  folder: string,
  name: string,
): Promise<string> {
  const to = join(folder, name);
  await must(process.execPath, ["scripts/package.mjs", to, kind, "none"]);
  return to;
}

/** Runs a program to its end. @throws Error with its errors if it fails */
export async function must(...call: Parameters<typeof run>): ReturnType<typeof run> {
  const result = await run(...call);
  if (result.code === 0) return result;
  throw new Error(`${call[0]} ended with ${result.code ?? result.signal}: ${result.stderr}`);
}
