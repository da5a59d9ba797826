/** Reads branch heads from files, without starting git. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The commit of a branch; `undefined` if there is none. */
export async function headIn(directory: string, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const loose = await readFile(join(directory, ref), "utf8").catch(() => undefined);
  if (loose !== undefined) return sha(loose.trim());
  const packed = await readFile(join(directory, "packed-refs"), "utf8").catch(() => "");
  const line = packed.split("\n").find((each) => each.endsWith(` ${ref}`));
  return line === undefined ? undefined : sha(line.split(" ")[0] ?? "");
}

const sha = (text: string): string | undefined =>
  /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
