/** Daemons that share records have to see one folder of repositories: else they would take each other's for deleted. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoreMap } from "reeve/plugin";

const key = "folder";

/** Whether `root` is the folder that the records in `shared` are of; with the first daemon that asks, it becomes it. */
export async function isSameFolder(root: string, shared: StoreMap<string>): Promise<boolean> {
  const known = await shared.get(key);
  const mark = join(root, ".reeve-folder");
  const here = (): Promise<string> => readFile(mark, "utf8");
  if (known !== undefined) return (await here().catch(() => undefined)) === known;
  await mkdir(root, { recursive: true });
  // Whoever is sooner has the say.
  await writeFile(mark, randomUUID(), { flag: "wx" }).catch((thrown: { code?: unknown }) => {
    if (thrown.code !== "EEXIST") throw thrown;
  });
  await shared.set(key, await here());
  return true;
}
