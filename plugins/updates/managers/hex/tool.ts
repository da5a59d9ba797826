/** Runs Mix with Hex. It evaluates each mix.exs, which is code of the repository, so the instance must allow it. */
import { homedir } from "node:os";
import { join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import { credentialFor } from "../../registries/credentials.js";
import { replaced } from "../../text/text.js";
import type {
  FileTexts,
  ManagerSettings,
  ProjectSources,
  RepositoryPath,
  Tools,
} from "../contract.js";
import type { RefreshedLock } from "../lock/contract.js";
import { inScratch, sourceCode } from "../lock/scratch.js";
import { lastErrorLine, runTool, type ToolResult } from "../lock/tool.js";
import { readMixLock } from "./lockfile/read.js";
import { hexRegistryUrl } from "./manifest/parse.js";
import { PUBLIC } from "./registry.js";

export interface MixRun {
  readonly sources: ProjectSources;
  readonly settings: ManagerSettings;
  readonly lock: { readonly file: RepositoryPath; readonly text: string };
  /** Each mix.exs with the new requirements. */
  readonly edited: FileTexts;
  /** Each mix.exs with exact versions. */
  readonly pinned: FileTexts;
  readonly apps: readonly string[];
  readonly tools: Tools;
}

/** Files that a mix.exs may read: Elixir code, build settings, the version. */
const READ = /\.(exs?|eex|hrl|erl|config)$|^(VERSION|\.tool-versions)$/;

/** @throws UpdatesError `does_not_resolve`, `lock_failed`, `tool_missing` where Mix or Hex is not installed */
export async function lockedByMix(mixing: MixRun): Promise<RefreshedLock> {
  const { sources, settings, lock, edited, pinned, apps, tools } = mixing;
  const files = new Map([
    ...(await sourceCode(sources, (path) => READ.test(posix.basename(path)), tools)),
    ...[...sources.files, ...edited, ...pinned],
    [lock.file, withoutApps(lock, apps)],
    [".reeve-hex/hex.config", repositoriesOf(mixing)],
  ]);
  return inScratch(tools, files, async (scratch, { read, write }) => {
    const directory = join(scratch, sources.directory);
    const env = {
      LC_ALL: "C.UTF-8",
      HEX_HOME: join(scratch, ".reeve-hex"),
      // A configured registry may sign with its own key; archives are still checked against its answers.
      ...(hexRegistryUrl(undefined, settings) === PUBLIC ? {} : { HEX_UNSAFE_REGISTRY: "1" }),
      MIX_ARCHIVES:
        process.env.MIX_ARCHIVES ??
        join(process.env.MIX_HOME ?? join(homedir(), ".mix"), "archives"),
      ...(process.env.ERL_LIBS === undefined ? {} : { ERL_LIBS: process.env.ERL_LIBS }),
    };
    const mix = (...argv: string[]) => runTool({ argv: ["mix", ...argv], directory, env, tools });
    // All other packages keep their versions. Only where that is impossible, the packages that the change needs move too.
    const first = await mix("deps.get");
    if (isWithoutHex(first)) throw new UpdatesError("tool_missing", "Hex is not installed.");
    if (first.exitCode !== 0) {
      await write(new Map([[lock.file, lock.text]]));
      succeeded("deps.update", await mix("deps.update", ...apps));
    }
    // Again with the new requirements: the versions stay, or the lock does not fit them.
    await write(edited);
    succeeded("deps.get", await mix("deps.get"));
    const version = (await mix("hex.info")).stdout;
    const [, number = ""] = /^Hex: +(\S+)/m.exec(version) ?? [];
    return { text: await read(lock.file), by: `hex ${number}` };
  });
}

/** The lock without these entries. */
function withoutApps({ file, text }: MixRun["lock"], apps: readonly string[]): string {
  const { entries } = readMixLock(file, text);
  const edits = entries
    .filter(({ app }) => apps.includes(app))
    .map(({ start, range }) => {
      const [comma = ""] = /^\s*,[^\S\n]*\n?[^\S\n]*/.exec(text.slice(range.end)) ?? [];
      return { range: { start, end: range.end + comma.length }, text: "" };
    });
  return replaced(text, edits);
}

const isWithoutHex = ({ exitCode, stdout, stderr }: ToolResult): boolean =>
  exitCode !== 0 && /Could not find Hex|Could not start Hex/.test(`${stdout}${stderr}`);

const UNSOLVED = /Hex dependency resolution failed|No package with name|mismatch against lock/;

function succeeded(command: string, result: ToolResult): void {
  if (result.exitCode === 0) return;
  const output = `${result.stdout}\n${result.stderr}`;
  const said = /\*\* \((?:Mix|[\w.]+)\) (.+)/.exec(output)?.[1] ?? lastErrorLine(result);
  const code = UNSOLVED.test(output) ? "does_not_resolve" : "lock_failed";
  throw new UpdatesError(code, `\`mix ${command}\` failed: ${said.replace(/[.:\s]*$/, "")}.`);
}

/** Hex's configuration with registries and keys. */
function repositoriesOf({ settings, lock, tools }: MixRun): string {
  const { locked } = readMixLock(lock.file, lock.text);
  const organizations = new Set(locked.flatMap(({ repo }) => /^hexpm:(.+)$/.exec(repo)?.[1] ?? []));
  const entries = [undefined, ...organizations].map((organization) => {
    const url = hexRegistryUrl(organization, settings);
    const key = credentialFor(url, tools.credentials)?.authorization;
    const about = [
      `url => ${binary(url)}`,
      ...(key === undefined ? [] : [`auth_key => ${binary(key)}`]),
    ];
    const name = organization === undefined ? "hexpm" : `hexpm:${organization}`;
    return `${binary(name)} => #{${about.join(", ")}}`;
  });
  return `{'$repos', #{${entries.join(", ")}}}.\n`;
}

const binary = (text: string): string => `<<${JSON.stringify(text)}/utf8>>`;
