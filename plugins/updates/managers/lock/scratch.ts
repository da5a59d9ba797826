/** A temporary directory with some of a repository's files in it. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bytesOf } from "../../text/text.js";
import type { FileTexts, ProjectSources, RepositoryPath, Tools } from "../contract.js";

interface ScratchFiles {
  write(files: FileTexts): Promise<void>;
  read(path: RepositoryPath): Promise<string>;
}

/** Tools see the directory, also in a sandbox. It is removed afterwards. */
export async function inScratch<Result>(
  { scratch, sandboxDirectory }: Pick<Tools, "scratch" | "sandboxDirectory">,
  files: FileTexts,
  work: (directory: string, files: ScratchFiles) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(join(sandboxDirectory ?? scratch, "lock-"));
  const write = async (texts: FileTexts): Promise<void> => {
    for (const [path, text] of texts) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), bytesOf(text));
    }
  };
  try {
    await write(files);
    return await work(root, { write, read: (path) => readFile(join(root, path), "utf8") });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Files of source code that a tool evaluates. */
const MOST_FILES = 500;

/** Files that `isRead` accepts and that are not read yet, at most 500. */
export async function sourceCode(
  { tree, files }: ProjectSources,
  isRead: (path: RepositoryPath) => boolean,
  { read }: Pick<Tools, "read">,
): Promise<FileTexts> {
  const paths = tree
    .filter(({ path, kind }) => kind === "file" && !files.has(path) && isRead(path))
    .map(({ path }) => path)
    .slice(0, MOST_FILES);
  return (await read?.(paths)) ?? new Map();
}
