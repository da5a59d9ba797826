/** Runs Go where an update adds modules: only Go knows which of their packages are imported. It runs no code of the repository. */
import { mkdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { ProjectSources, RepositoryPath, Tools, UpdateEdit } from "../contract.js";
import { inScratch } from "../lock/scratch.js";
import { lastErrorLine, runTool } from "../lock/tool.js";
import { sumFile } from "./lockfile.js";

interface TidyRequest {
  readonly file: RepositoryPath;
  /** go.mod with the new versions. */
  readonly edited: string;
  readonly versions: ReadonlyMap<string, string>;
  readonly sources: ProjectSources;
  readonly tools: Tools;
  readonly proxies: readonly string[];
  /** All modules are public, so the checksum database knows them. */
  readonly isPublic: boolean;
}

/** Undefined where Go is not installed or the source code cannot be read. @throws UpdatesError `does_not_resolve` */
export async function tidyWithGo({
  file,
  edited,
  versions,
  sources,
  tools,
  proxies,
  isPublic,
}: TidyRequest): Promise<Pick<UpdateEdit, "files" | "lock"> | undefined> {
  if (!tools.read) return undefined;
  const root = posix.dirname(file);
  const code = sources.tree
    .filter(({ path, kind }) => kind === "file" && path.endsWith(".go") && isInside(path, root))
    .map(({ path }) => path);
  const files = new Map([...(await tools.read(code)), [file, edited]]);
  const sums = sources.files.get(sumFile(file));
  if (sums !== undefined) files.set(sumFile(file), sums);
  return inScratch(tools, files, async (scratch) => {
    const directory = join(scratch, root);
    // A sandbox can write only to this directory; Go ignores directories whose name starts with a dot.
    const cache =
      tools.sandboxDirectory === undefined ? join(tools.scratch, "go") : join(directory, ".go");
    await mkdir(cache, { recursive: true });
    const env = {
      GOPATH: cache,
      GOCACHE: join(cache, "build"),
      GOENV: "off",
      GOFLAGS: "-mod=mod -modcacherw",
      GOPROXY: proxies.join(","),
      GOTOOLCHAIN: "local",
      GOVCS: "*:off",
      GOWORK: "off",
      CGO_ENABLED: "0",
      GOMEMLIMIT: "1GiB",
      ...(isPublic ? {} : { GONOSUMDB: "*", GONOSUMCHECK: "1", GOSUMDB: "off" }),
    };
    const modules = [...versions].map(([path, version]) => `${path}@${version}`);
    try {
      for (const argv of [
        ["go", "get", "-d", ...modules],
        ["go", "mod", "tidy"],
      ]) {
        const result = await runTool({ argv, directory, env, tools });
        if (result.exitCode !== 0)
          throw new UpdatesError(
            "does_not_resolve",
            `\`${argv.slice(0, 3).join(" ")}\` failed: ${lastErrorLine(result)}`,
          );
      }
      const version = await runTool({ argv: ["go", "env", "GOVERSION"], directory, env, tools });
      const read = (path: string): Promise<string> => readFile(join(scratch, path), "utf8");
      return {
        files: new Map([
          [file, await read(file)],
          [sumFile(file), await read(sumFile(file))],
        ]),
        lock: { kind: "refreshed", tier: "tool", by: version.stdout.trim().replace(/^go/, "go ") },
      };
    } catch (error) {
      if (error instanceof UpdatesError && error.code === "tool_missing") return undefined;
      throw error;
    }
  });
}

const isInside = (path: RepositoryPath, root: string): boolean =>
  root === "." || path.startsWith(`${root}/`);
