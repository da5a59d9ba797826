/** Scans a folder for repositories: `<account>/<name>.git`, or `<account>/<name>` with a `.git` inside. */
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface FoundRepo {
  readonly name: string;
  /** The git directory. */
  readonly location: string;
  readonly defaultBranch: string;
  /** True unless it contains `git-daemon-export-ok`. */
  readonly private: boolean;
}

/** Letters, digits, `.`, `_` and `-`; the first is no dot or dash. */
export const isName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(name);

export async function accountsIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && isName(entry.name))
    .map(({ name }) => name)
    .filter((name) => !name.endsWith(".git"))
    .sort();
}

/** Reads only repositories that are not in `known`, so ten thousand are listed in milliseconds. */
export async function reposIn(
  root: string,
  login: string,
  known: ReadonlyMap<string, FoundRepo>,
): Promise<ReadonlyMap<string, FoundRepo>> {
  const folder = join(root, login);
  const entries = await readdir(folder).catch(() => [] as string[]);
  const found = await Promise.all(
    entries
      .filter(isName)
      .sort()
      .map(async (entry) => known.get(entry) ?? (await repoAt(join(folder, entry), entry))),
  );
  return new Map(
    entries
      .filter(isName)
      .sort()
      .flatMap((entry, index) => {
        const repo = found[index];
        return repo ? [[entry, repo] as const] : [];
      }),
  );
}

async function repoAt(directory: string, entry: string): Promise<FoundRepo | undefined> {
  const isBare = entry.endsWith(".git");
  const location = isBare ? directory : join(directory, ".git");
  const head = await readFile(join(location, "HEAD"), "utf8").catch(() => undefined);
  if (head === undefined) return undefined;
  const isPublic = await access(join(location, "git-daemon-export-ok")).then(
    () => true,
    () => false,
  );
  return {
    name: isBare ? entry.slice(0, -".git".length) : entry,
    location,
    defaultBranch: /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? "main",
    private: !isPublic,
  };
}
