/** The files of a configuration as they were in a commit. What is not in the repository is read as it is now. */
import { execFile } from "node:child_process";
import { dirname, matchesGlob, posix, relative } from "node:path";
import { promisify } from "node:util";
import { type ConfigurationDisk, realDisk } from "../../daemon/config/disk.js";
import { Exit, Failure } from "../plugin-api/exit.js";

const run = promisify(execFile);

/**
 * The disk as it was at `revision`, for the configuration whose root file is at the absolute path `root`.
 * @throws Failure when there is no git, no repository or no such commit.
 */
export async function gitDisk(
  root: string,
  revision: string,
): Promise<Pick<ConfigurationDisk, "readFile" | "glob" | "realPath">> {
  const directory = dirname(root);
  const git = (...words: readonly string[]) => gitIn(directory, words);
  /** Where the configuration's directory is in the repository: `""` or `hosts/web/`. */
  const prefix = (await git("rev-parse", "--show-prefix")).replace(/\n$/, "");
  const commit = await git(
    ...["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`],
  ).catch((thrown: unknown) => {
    throw new Failure(Exit.noInput, `git knows no commit \`${revision}\``, { cause: thrown });
  });
  const tree = new Tree(await git("ls-tree", "-r", "-z", "--full-tree", commit.trim()));

  const inside = (path: string): string | undefined => {
    const way = posix.join(prefix, relative(directory, path));
    return way === ".." || way.startsWith("../") ? undefined : way;
  };
  const outside = (way: string): string =>
    posix.join(directory, posix.relative(prefix === "" ? "." : prefix, way));
  const readBlob = (object: string) => gitBytes(directory, ["cat-file", "blob", object]);
  const target = async (object: string) => (await readBlob(object)).toString("utf8");

  return {
    async readFile(path) {
      const way = inside(path);
      if (way === undefined) return realDisk.readFile(path);
      return readBlob((await tree.find(way, target)).object);
    },
    async realPath(path) {
      const way = inside(path);
      if (way === undefined) return realDisk.realPath(path);
      return outside((await tree.find(way, target)).path);
    },
    async glob(pattern) {
      return tree.paths.map(outside).filter((path) => matchesGlob(path, pattern));
    },
  };
}

interface Entry {
  readonly object: string;
  readonly isLink: boolean;
}

const LINKS = 40;

/** The files of a commit by their path. */
class Tree {
  readonly #entries = new Map<string, Entry>();
  readonly #directories = new Set<string>([""]);

  /** `listing` is what `git ls-tree -r -z` prints. */
  constructor(listing: string) {
    for (const line of listing.split("\0")) {
      const [, mode, object, path] = /^(\d+) blob (\w+)\t(.+)$/s.exec(line) ?? [];
      if (object === undefined || path === undefined) continue;
      this.#entries.set(path, { object, isLink: mode === "120000" });
      for (let up = path; up !== ""; ) {
        up = up.slice(0, Math.max(0, up.lastIndexOf("/")));
        this.#directories.add(up);
      }
    }
  }

  get paths(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Follows symbolic links to a file. Rejects as `node:fs` does. */
  async find(
    path: string,
    target: (object: string) => Promise<string>,
  ): Promise<Entry & { readonly path: string }> {
    let found: string[] = [];
    let rest = path.split("/");
    for (let links = 0; rest.length > 0; ) {
      const [step = "", ...after] = rest;
      rest = after;
      if (step === "" || step === ".") continue;
      if (step === "..") {
        found = found.slice(0, -1);
        continue;
      }
      const here = [...found, step];
      const entry = this.#entries.get(here.join("/"));
      if (!entry?.isLink) {
        found = here;
        continue;
      }
      links += 1;
      const to = await target(entry.object);
      if (links > LINKS) throw refusal("ELOOP");
      if (to.startsWith("/")) throw refusal("ENOENT");
      rest = [...to.split("/"), ...rest];
    }
    const way = found.join("/");
    const entry = this.#entries.get(way);
    if (entry) return { ...entry, path: way };
    throw refusal(this.#directories.has(way) ? "EISDIR" : "ENOENT");
  }
}

const refusal = (code: string): Error => Object.assign(new Error(code), { code });

/** Bytes: more than any list of files of a repository. */
const LARGEST = 512 * 1024 * 1024;

const gitIn = async (directory: string, words: readonly string[]): Promise<string> =>
  (await gitBytes(directory, words)).toString("utf8");

async function gitBytes(directory: string, words: readonly string[]): Promise<Buffer> {
  try {
    const { stdout } = await run("git", ["-C", directory, ...words], {
      encoding: "buffer",
      maxBuffer: LARGEST,
    });
    return stdout;
  } catch (thrown) {
    const { code, stderr } = thrown as { readonly code?: unknown; readonly stderr?: Buffer };
    if (code === "ENOENT") {
      throw new Failure(Exit.unavailable, "git is not installed, or not on PATH", {
        cause: thrown,
      });
    }
    const lines = stderr?.toString("utf8").trim().split("\n") ?? [];
    // Advice may follow the reason.
    const said = lines.find((line) => line.startsWith("fatal: ")) ?? lines.at(-1) ?? String(code);
    throw new Failure(Exit.noInput, `git cannot do it: ${said.replace(/^fatal: /, "")}`, {
      cause: thrown,
    });
  }
}
