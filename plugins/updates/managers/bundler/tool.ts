/** Runs Bundler. It evaluates the Gemfile, which is code of the repository, so the instance must allow it. */
import { join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Credential } from "../../registries/contract.js";
import type { FileTexts, ProjectSources, RepositoryPath, Tools } from "../contract.js";
import type { RefreshedLock } from "../lock/contract.js";
import { inScratch, sourceCode } from "../lock/scratch.js";
import { lastErrorLine, runTool } from "../lock/tool.js";
import { insideOf } from "../paths.js";

export interface BundlerRun {
  readonly sources: ProjectSources;
  readonly gemfile: RepositoryPath;
  readonly lock: RepositoryPath;
  /** Manifests with the new requirements. */
  readonly edited: FileTexts;
  /** Manifests with exact versions. */
  readonly pinned: FileTexts;
  readonly names: readonly string[];
  readonly tools: Tools;
}

/** Bundler's exit codes for unresolvable versions and for a missing gem. */
const UNSOLVED: readonly number[] = [6, 7];

/** @throws UpdatesError `does_not_resolve`, `lock_failed`, `tool_missing` */
export async function lockedByBundler(bundling: BundlerRun): Promise<RefreshedLock> {
  const { sources, gemfile, lock, edited, pinned, names, tools } = bundling;
  const root = insideOf(sources.directory);
  const isRead = (path: string): boolean =>
    (root === "" || path.startsWith(`${root}/`)) &&
    /\.(rb|gemspec)$|^VERSION$/.test(posix.basename(path));
  const code = await sourceCode(sources, isRead, tools);
  const files = new Map([...code, ...sources.files, ...edited, ...pinned]);
  return inScratch(tools, files, async (scratch, { read, write }) => {
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
    await run("lock", "--conservative", "--update", ...names);
    // Again with the new requirements: the versions stay, and the lock agrees with the Gemfile.
    await write(edited);
    await run("lock");
    const by = (await run("--version")).replace(/^Bundler version /, "bundler ");
    return { text: await read(lock), by };
  });
}

/** `BUNDLE_GEMS__ACME__EXAMPLE=user:password`, Bundler's format. */
const credentialsFor = (credentials: readonly Credential[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    credentials.flatMap(({ url, authorization }) => {
      const [, basic] = /^Basic (.+)$/i.exec(authorization) ?? [];
      if (basic === undefined || !URL.canParse(url)) return [];
      const host = new URL(url).hostname.replaceAll("-", "___").replaceAll(".", "__");
      return [[`BUNDLE_${host.toUpperCase()}`, Buffer.from(basic, "base64").toString()]];
    }),
  );
