/** Bundler itself. It runs the Gemfile, which is code of the repository: only where that is allowed. */
import { readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Credential } from "../../registries/contract.js";
import type { FileTexts, LockOutcome, ProjectSources, RepositoryPath, Tools } from "../contract.js";
import { inScratch } from "../lock/scratch.js";
import { lastErrorLine, runTool } from "../lock/tool.js";
import { insideOf } from "../paths.js";

export interface Bundling {
  readonly sources: ProjectSources;
  readonly gemfile: RepositoryPath;
  readonly lock: RepositoryPath;
  /** Manifests as they are to be. */
  readonly edited: FileTexts;
  /** Manifests that allow the wanted versions only. */
  readonly pinned: FileTexts;
  readonly names: readonly string[];
  readonly tools: Tools;
}

/** Files of Ruby that a gemspec reads its version from. */
const MOST_FILES = 500;

/** How Bundler ends where versions do not go together, and where there is no such gem. */
const UNSOLVED: readonly number[] = [6, 7];

/** Undefined where Bundler is not installed or the source code cannot be read. @throws UpdatesError `does_not_resolve`, `lock_failed` */
export async function lockedByBundler(
  bundling: Bundling,
): Promise<{ readonly files: FileTexts; readonly lock: LockOutcome } | undefined> {
  const { sources, gemfile, lock, edited, pinned, names, tools } = bundling;
  if (!tools.read) return undefined;
  const root = insideOf(sources.directory);
  const code = sources.tree
    .filter(
      ({ path, kind }) =>
        kind === "file" &&
        isInside(path, root) &&
        /\.(rb|gemspec)$|^VERSION$/.test(posix.basename(path)),
    )
    .map(({ path }) => path)
    .slice(0, MOST_FILES);
  const files = new Map([...(await tools.read(code)), ...sources.files, ...edited, ...pinned]);
  return inScratch(tools.sandboxDirectory ?? tools.scratch, files, async (scratch) => {
    const directory = join(scratch, root);
    const env = {
      BUNDLE_GEMFILE: join(scratch, gemfile),
      BUNDLE_APP_CONFIG: join(scratch, ".bundle-none"),
      BUNDLE_USER_HOME: join(scratch, ".bundle-home"),
      BUNDLE_FROZEN: "false",
      BUNDLE_DISABLE_VERSION_CHECK: "true",
      BUNDLE_SILENCE_ROOT_WARNING: "true",
      ...credentialsFor(tools.credentials),
    };
    const run = async (...argv: string[]) => {
      const result = await runTool({ argv: ["bundle", ...argv], directory, env, tools });
      if (result.exitCode !== 0)
        throw new UpdatesError(
          UNSOLVED.includes(result.exitCode) ? "does_not_resolve" : "lock_failed",
          `\`bundle ${argv[0]}\` failed: ${lastErrorLine(result)}`,
        );
      return result.stdout.trim();
    };
    try {
      await run("lock", "--conservative", "--update", ...names);
      // Again with what is asked for: the versions stay, and the lock says what the Gemfile does.
      await rewrite(scratch, edited);
      await run("lock");
      const version = (await run("--version")).replace(/^Bundler version /, "bundler ");
      return {
        files: new Map([[lock, await readFile(join(scratch, lock), "utf8")]]),
        lock: { kind: "refreshed", tier: "tool", by: version },
      };
    } catch (error) {
      if (error instanceof UpdatesError && error.code === "tool_missing") return undefined;
      throw error;
    }
  });
}

async function rewrite(scratch: string, files: FileTexts): Promise<void> {
  for (const [path, text] of files) await writeFile(join(scratch, path), text);
}

const isInside = (path: RepositoryPath, root: string): boolean =>
  root === "" || path.startsWith(`${root}/`);

/** `BUNDLE_GEMS__ACME__EXAMPLE=user:password`, as Bundler wants them. */
const credentialsFor = (credentials: readonly Credential[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    credentials.flatMap(({ url, authorization }) => {
      const [, basic] = /^Basic (.+)$/i.exec(authorization) ?? [];
      if (basic === undefined || !URL.canParse(url)) return [];
      const host = new URL(url).hostname.replaceAll("-", "___").replaceAll(".", "__");
      return [[`BUNDLE_${host.toUpperCase()}`, Buffer.from(basic, "base64").toString()]];
    }),
  );
