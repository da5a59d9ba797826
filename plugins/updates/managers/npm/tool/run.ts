/** Refreshes a lock file by its own program, in a directory with the manifests only, and verifies the result. */
import { cp, mkdir } from "node:fs/promises";
import { join, posix, relative } from "node:path";
import semver from "semver";
import { UpdatesError } from "../../../errors.js";
import type { Credential } from "../../../registries/contract.js";
import { plainText, restyle } from "../../../text/restyle.js";
import type {
  Declaration,
  FileTexts,
  RepositoryPath,
  Tools,
  UpdateRequest,
  VersionChange,
} from "../../contract.js";
import type { FetchedTool, RefreshedLock } from "../../lock/contract.js";
import { inScratch } from "../../lock/scratch.js";
import { runTool, type ToolResult } from "../../lock/tool.js";
import { insideOf, relativeTo } from "../../paths.js";
import type { LockedVersions } from "../lockfile/versions.js";

/** One command of the tool. */
export interface ToolStep {
  /** The manifests during this step: with new requirements, or with exact versions. */
  readonly manifests: "edited" | "pinned";
  readonly args: readonly string[];
  /** Changes the lock file before the run. */
  readonly rewrite?: (lock: string) => string;
}

interface NpmToolRun {
  readonly change: NpmLockChange;
  readonly tool: FetchedTool;
  /** `pnpm`, `yarn`. */
  readonly command: string;
  readonly steps: readonly ToolStep[];
  /** Further files, by path from the directory of the configuration. */
  readonly more: FileTexts;
  readonly env: (home: string) => Readonly<Record<string, string>>;
  /** The error in one sentence; `unresolvable` if another version may resolve. */
  readonly problemIn: (result: ToolResult) => {
    readonly why: string;
    readonly unresolvable: boolean;
  };
  readonly read: (text: string) => LockedVersions;
}

/** The tool's home directory, a name that no repository uses. */
const HOME = ".reeve-home";
const TOOL = ".reeve-tool";

/** @throws UpdatesError `does_not_resolve`, `lock_failed`, `tool_missing` */
export async function refreshedByTool(by: NpmToolRun): Promise<RefreshedLock> {
  const { change, tool, command, more } = by;
  const { request, tools, file, files, pinned } = change;
  const { directory } = request.sources;
  const before = files.get(file) ?? "";
  const own = (all: FileTexts): FileTexts =>
    new Map(
      [...all].flatMap(([path, text]) =>
        posix.basename(path) === "package.json" || path === beside(file, "pnpm-workspace.yaml")
          ? [[posix.relative(insideOf(directory), path), text] as const]
          : [],
      ),
    );
  const name = posix.basename(file);
  const first = new Map([...own(files), [name, plainText(before)], ...more]);
  return inScratch(tools, first, async (root, { read, write }) => {
    const home = join(root, HOME);
    await mkdir(home);
    const argv = await within(root, tool, tools);
    for (const { manifests, args, rewrite } of by.steps) {
      await write(own(manifests === "pinned" ? pinned : files));
      if (rewrite) await write(new Map([[name, rewrite(await read(name))]]));
      const result = await runTool({
        argv: [...argv, ...args],
        directory: root,
        env: { HOME: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, ...by.env(home) },
        tools,
      });
      if (result.exitCode !== 0) throw failed(by, result);
    }
    const after = await read(name);
    assertMoved(by, after);
    return { text: restyle(before, after), by: `${command} ${tool.version}` };
  });
}

/** The tool's command, with the tool copied into the sandbox directory if there is one. */
async function within(
  root: string,
  { argv, directory }: FetchedTool,
  { sandboxDirectory }: Tools,
): Promise<readonly string[]> {
  if (sandboxDirectory === undefined || directory === undefined) return argv;
  const copy = join(root, TOOL);
  await cp(directory, copy, { recursive: true });
  return argv.map((word) =>
    word.startsWith(`${directory}/`) ? join(copy, relative(directory, word)) : word,
  );
}

const beside = (file: string, name: string): string => posix.join(posix.dirname(file), name);

function failed({ problemIn, command, tool }: NpmToolRun, result: ToolResult): UpdatesError {
  const { why, unresolvable } = problemIn(result);
  return unresolvable
    ? new UpdatesError("does_not_resolve", `${command} cannot resolve the versions: ${why}`)
    : new UpdatesError("lock_failed", `${command} ${tool.version} failed: ${why}`);
}

function assertMoved({ change, read, command }: NpmToolRun, text: string): void {
  const { sources, changes } = change.request;
  const { version, all } = read(text);
  const has = (name: string, wanted: string): boolean =>
    all.some((each) => each.name === name && each.version === wanted);
  for (const { dependency, requirements, to } of changes) {
    const { name, declarations } = dependency;
    for (const [index, { file, extra, requirement }] of declarations.entries()) {
      const declared = extra?.declaredAs ?? name;
      const member =
        posix.basename(file) === "package.json" ? relativeTo(sources.directory, file) : "";
      const found = version(member, declared, name, requirements[index] ?? requirement);
      if (found === to.version || (found === undefined && has(name, to.version))) continue;
      throw new UpdatesError(
        "does_not_resolve",
        `${command} takes ${declared} ${found ?? "out"} where ${to.version} was wanted.`,
      );
    }
    if (declarations.length > 0) continue;
    const old = all.find((each) => each.name === name && semver.lt(each.version, to.version));
    if (old)
      throw new UpdatesError(
        "does_not_resolve",
        `What depends on ${name} does not allow ${to.version}: ${old.version} stays.`,
      );
  }
}

export const directChanges = (changes: readonly VersionChange[]): readonly VersionChange[] =>
  changes.filter(({ dependency }) => dependency.declarations.length > 0);
export const indirectChanges = (changes: readonly VersionChange[]): readonly VersionChange[] =>
  changes.filter(({ dependency }) => dependency.declarations.length === 0);

/** Credentials for these registries only. */
export const loginsFor = (
  registries: Readonly<Record<string, string>>,
  credentials: readonly Credential[],
): readonly Credential[] => {
  const origins = new Set(Object.values(registries).map((url) => new URL(url).origin));
  return credentials.filter(({ url }) => origins.has(new URL(url).origin));
};

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

/** Patch files of dependencies, whose digests are in lock files; by path from the configuration's directory. */
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
