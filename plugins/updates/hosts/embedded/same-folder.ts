/** Daemons that share records have to see one folder of repositories: else they would take each other's for deleted. */
import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Whether `root` is the folder that the records are of; with the first daemon that asks, it becomes it. `first` keeps the mark of a folder where the
 * records have none, and gives the one that they have then.
 */
export async function isSameFolder(
  root: string,
  first: (mark: string) => Promise<string>,
): Promise<boolean> {
  const mark = await markOf(root);
  return (await first(mark)) === mark;
}

/** Daemons that start at the same time find the same one. */
async function markOf(root: string): Promise<string> {
  const path = join(root, ".reeve-folder");
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  await mkdir(root, { recursive: true });
  const name = randomUUID();
  const draft = `${path}-${name}`;
  await writeFile(draft, name, { flag: "wx" });
  try {
    // Whole or not at all, and whoever is sooner has the say.
    await link(draft, path);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "EEXIST") throw thrown;
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, "utf8");
}
