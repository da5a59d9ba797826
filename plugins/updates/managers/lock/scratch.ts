/** A directory of one's own with a few files of a repository in it, gone afterwards. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bytesOf } from "../../text/text.js";
import type { FileTexts } from "../contract.js";

export async function inScratch<Result>(
  scratch: string,
  files: FileTexts,
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(scratch, "lock-"));
  try {
    for (const [path, text] of files) {
      const place = join(directory, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytesOf(text));
    }
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
