/** Writes the merged settings to one file, for servers that only read files. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces the file atomically. An unchanged text is not written. */
export async function materialise(
  path: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const text = `${JSON.stringify(values, undefined, 2)}\n`;
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (before === text) return;
  await mkdir(dirname(path), { recursive: true });
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFile(beside, text, { flag: "wx" });
    await rename(beside, path);
  } catch (thrown) {
    await rm(beside, { force: true });
    throw thrown;
  }
}
