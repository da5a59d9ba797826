/** The input of every refresh of a lock file of npm, pnpm or Yarn. */
import { posix } from "node:path";
import type { Declaration, FileTexts, RepositoryPath, Tools, UpdateRequest } from "../contract.js";
import { insideOf } from "../paths.js";

export interface NpmLockChange {
  readonly request: UpdateRequest;
  readonly tools: Tools;
  readonly file: RepositoryPath;
  /** The repository's files with the edited manifests. */
  readonly files: FileTexts;
  /** The same with exact versions in the place of the new requirements. */
  readonly pinned: FileTexts;
}

/** `npm:other@^1.2.0` where the declaration is an alias. */
export const declaredSpec = ({ extra }: Declaration, name: string, requirement: string): string =>
  extra?.declaredAs === undefined || extra.declaredAs === name
    ? requirement
    : `npm:${name}@${requirement}`;

/** Patches of dependencies, which are data and have their digests in lock files; by path from the configuration's directory. */
export async function patches({ request, tools }: NpmLockChange): Promise<FileTexts> {
  const { directory, tree } = request.sources;
  const inside = insideOf(directory);
  const found = tree
    .filter(({ path, kind }) => kind === "file" && path.endsWith(".patch"))
    .map(({ path }) => path)
    .filter((path) => inside === "" || path.startsWith(`${inside}/`));
  if (found.length === 0 || !tools.read) return new Map();
  const texts = await tools.read(found);
  return new Map([...texts].map(([path, text]) => [posix.relative(inside, path), text]));
}
