/** Chooses the repository's version of pnpm, Yarn or bun, and gets it from the instance's registry or this machine. */
import { join, posix } from "node:path";
import semver from "semver";
import { UpdatesError } from "../../../errors.js";
import { readJson } from "../../../text/json.js";
import type { ProjectSources, Tools, UpdateRequest } from "../../contract.js";
import type { FetchedTool } from "../../lock/contract.js";
import { runTool } from "../../lock/tool.js";
import { within } from "../../paths.js";
import { npmRegistries } from "../registry/registries.js";
import { berrySettings } from "./yarn-settings.js";

export interface WantedTool {
  readonly command: "pnpm" | "yarn" | "bun";
  /** A version, or the range of versions that write the lock file's format. */
  readonly range: string;
  /** The repository names the version itself. */
  readonly named: boolean;
  /** `sha512.4f1c…` */
  readonly digest?: string;
}

const PACKAGES = { pnpm: "pnpm", yarn: "@yarnpkg/cli-dist", bun: "bun" } as const;

/** Versions that write exactly a lock file format. The key is pnpm's first number, Yarn's only one, or that of bun. */
const FORMATS: Readonly<Record<WantedTool["command"], Readonly<Record<string, string>>>> = {
  pnpm: { "5": "^7", "6": "^8", "9": "^10" },
  yarn: { "4": "^2", "5": "~3.1", "6": "^3", "8": "4.0 - 4.13", "9": "^4", "10": "^4" },
  // Of 1.3, the later ones write the version of their settings too.
  bun: { "1": "~1.2", "1+": "~1.3.2", "2+": "^1.4" },
};

/** Undefined if the lock file's version is unknown. */
export function wantedTool(
  { directory, files }: ProjectSources,
  command: WantedTool["command"],
  format: string,
): WantedTool | undefined {
  const manifest = files.get(within(directory, "package.json"));
  if (manifest !== undefined) {
    const json = readJson("package.json", manifest);
    const [, name, version, digest] =
      /^(\w+)@([^+\s]+)(?:\+(sha\d+\.[0-9a-f]+))?$/i.exec(String(json.value("packageManager"))) ??
      [];
    if (name === command && version !== undefined && semver.valid(version) !== null)
      return { command, range: version, named: true, ...(digest === undefined ? {} : { digest }) };
    const range = json.value("devEngines", "packageManager", "version");
    if (json.value("devEngines", "packageManager", "name") === command && isRange(range))
      return { command, range, named: semver.valid(range) !== null };
  }
  const release = String(berrySettings({ directory, files }).yarnPath ?? "");
  const [, version] = /^yarn-(\d+\.\d+\.\d+.*)\.c?js$/.exec(posix.basename(release)) ?? [];
  if (command === "yarn" && version !== undefined) return { command, range: version, named: true };
  const range = FORMATS[command][format.split(".")[0] ?? ""];
  return range === undefined ? undefined : { command, range, named: false };
}

const isRange = (value: unknown): value is string =>
  typeof value === "string" && semver.validRange(value) !== null;

/**
 * Nothing of the repository says where the tool itself comes from: it would be code of the repository's choice.
 * @throws UpdatesError `tool_missing`
 */
export async function packageTool(
  { command, range, digest }: WantedTool,
  { settings, sources }: UpdateRequest,
  tools: Tools,
): Promise<FetchedTool> {
  const name = PACKAGES[command];
  const origin = npmRegistries({ ...sources, files: new Map() }, settings)(name);
  const folder = join(tools.cache ?? tools.scratch, "package-tools");
  try {
    return await tools.workers.fetchTool(
      {
        kind: "tool",
        name,
        range,
        command,
        registry: origin.kind === "registry" ? origin.url : "",
        credentials: tools.credentials,
        directory: folder,
        cache: join(folder, ".cache"),
        ...(digest === undefined ? {} : { digest }),
        ...(command === "yarn" ? { hashed: "bin/yarn.js" } : {}),
      },
      tools.signal,
    );
  } catch (thrown) {
    if (!(thrown instanceof UpdatesError) || digest !== undefined) throw thrown;
    const installed = await onThisMachine(command, range, tools);
    if (installed) return installed;
    throw thrown;
  }
}

async function onThisMachine(
  command: string,
  range: string,
  tools: Tools,
): Promise<FetchedTool | undefined> {
  try {
    const { exitCode, stdout } = await runTool({
      argv: [command, "--version"],
      directory: tools.scratch,
      env: { COREPACK_ENABLE_NETWORK: "0" },
      tools,
      timeout: 20_000,
    });
    const version = stdout.trim();
    return exitCode === 0 && semver.satisfies(version, range)
      ? { version, argv: [command] }
      : undefined;
  } catch {
    return undefined;
  }
}
