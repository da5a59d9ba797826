/** Checks that daemons with a shared store see the same folder; otherwise each would take the other's repositories for deleted. */
import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Whether `root` is the folder of the records. The first daemon's folder is recorded: `first` stores the mark if there is none, and
 * returns the stored one.
 */
export async function isSameFolder(
  root: string,
  first: (mark: string) => Promise<string>,
): Promise<boolean> {
  const mark = await markOf(root);
  return (await first(mark)) === mark;
}

/** Daemons that start at the same time read the same mark. */
async function markOf(root: string): Promise<string> {
  const path = join(root, ".reeve-folder");
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  await mkdir(root, { recursive: true, mode: 0o700 });
  const name = randomUUID();
  const draft = `${path}-${name}`;
  await writeFile(draft, name, { flag: "wx" });
  try {
    // Atomic; the first daemon wins.
    await link(draft, path);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "EEXIST") throw thrown;
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, "utf8");
}
