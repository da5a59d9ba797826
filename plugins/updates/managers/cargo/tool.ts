/** Runs Cargo where the change is not certain. Cargo resolves versions and builds nothing, so no code of the repository runs. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Credential } from "../../registries/contract.js";
import { credentialFor } from "../../registries/credentials.js";
import type { FileTexts, ProjectSources, RepositoryPath, Tools } from "../contract.js";
import type { RefreshedLock } from "../lock/contract.js";
import { inScratch } from "../lock/scratch.js";
import { lastErrorLine, runTool, type ToolResult } from "../lock/tool.js";
import { insideOf } from "../paths.js";
import { readCargoLock } from "./lockfile.js";
import { PUBLIC_INDEX, type Registries } from "./registry.js";
import type { CrateMove } from "./resolve.js";

export interface CargoRun {
  /** Relative to the root of the workspace. */
  readonly sources: ProjectSources;
  /** Manifests with the new requirements, and the lock file. */
  readonly files: FileTexts;
  readonly lock: RepositoryPath;
  readonly moves: readonly CrateMove[];
  readonly registries: Registries;
  readonly tools: Tools;
}

const HOME = ".reeve-home";

/** @throws UpdatesError `does_not_resolve`, `lock_failed`, `tool_missing` */
export async function lockedByCargo(by: CargoRun): Promise<RefreshedLock> {
  const { sources, files, lock, moves, registries, tools } = by;
  const root = insideOf(sources.directory);
  const manifests = [...files].filter(
    ([path]) => posix.basename(path) === "Cargo.toml" || path === lock,
  );
  // Cargo requires the target files to exist; their contents do not matter.
  const targets = sources.tree
    .filter(({ path, kind }) => kind === "file" && path.endsWith(".rs") && !path.startsWith(HOME))
    .map(({ path }) => [path, ""] as const);
  const bare = manifests
    .filter(([path]) => posix.basename(path) === "Cargo.toml")
    .map(([path]) => [posix.join(posix.dirname(path), "src/lib.rs"), ""] as const);
  const all = new Map([...(targets.length > 0 ? targets : bare), ...manifests]);
  return inScratch(tools, all, async (scratch, { read }) => {
    const directory = join(scratch, root);
    const home = join(scratch, HOME);
    await mkdir(home, { recursive: true });
    const { config, env } = cargoSettings(registries, tools.credentials);
    await writeFile(join(home, "config.toml"), config);
    const cargo = (...args: string[]): Promise<ToolResult> =>
      runTool({
        argv: ["cargo", ...args],
        directory,
        env: {
          ...env,
          HOME: home,
          CARGO_HOME: home,
          RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), ".rustup"),
          RUSTUP_AUTO_INSTALL: "0",
          CARGO_TERM_COLOR: "never",
          // Registries that require tokens read them from the environment.
          CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS: "cargo:token",
        },
        tools,
      });
    const version = await cargo("--version");
    assertDone(version);
    // First the new requirements with all else unchanged, then the wanted versions.
    assertDone(await cargo("update", "--workspace"));
    for (const { name, from: old, to } of moves) {
      const now = await versionsIn(join(scratch, lock), name);
      if (now.includes(to)) continue;
      // The new requirement may have added a version beside the old one, which others keep.
      const before = versionsOf(files.get(lock) ?? "", name);
      const from = now.find((each) => !before.includes(each)) ?? old;
      assertDone(await cargo("update", "-p", `${name}:${from}`, "--precise", to));
    }
    for (const { name, to } of moves)
      if (!(await versionsIn(join(scratch, lock), name)).includes(to))
        throw new UpdatesError("does_not_resolve", `Cargo does not take ${name} ${to}.`);
    return { text: await read(lock), by: version.stdout.trim().split(" ").slice(0, 2).join(" ") };
  });
}

const versionsIn = async (file: string, name: string): Promise<readonly string[]> =>
  versionsOf(await readFile(file, "utf8"), name);

function versionsOf(lock: string, name: string): readonly string[] {
  try {
    const { crates } = readCargoLock(lock);
    return [...crates.values()]
      .filter((crate) => crate.name === name)
      .map(({ version }) => version);
  } catch {
    return [];
  }
}

const CONFLICT = /failed to select a version|no matching package|does not match|versions conflict/;

function assertDone(result: ToolResult): void {
  if (result.exitCode === 0) return;
  if (/rustup could not choose|error: toolchain/.test(result.stderr))
    throw new UpdatesError("tool_missing", "cargo is not installed: rustup has no toolchain.");
  const [, why] = /^error: (.+)$/m.exec(result.stderr) ?? [];
  // The last cause says what to do.
  const cause = /Caused by:\n {2}(.+)(?![\s\S]*Caused by:)/.exec(result.stderr)?.[1];
  const said = [why ?? lastErrorLine(result), cause]
    .filter(Boolean)
    .join(": ")
    // The scratch directory's path is of no use.
    .replace(/ \(\/[^)]*\)/g, "");
  if (CONFLICT.test(result.stderr))
    throw new UpdatesError("does_not_resolve", `Cargo cannot resolve the versions: ${said}`);
  throw new UpdatesError("lock_failed", `Cargo failed: ${said}`);
}

/** Cargo's configuration with registries and tokens. */
function cargoSettings(
  registries: Registries,
  credentials: readonly Credential[],
): { readonly config: string; readonly env: Readonly<Record<string, string>> } {
  const indexes = new Map(registries.named);
  const usual = registries.originOf({ name: "any", registry: undefined, index: undefined });
  const config: string[] = [];
  if (usual.kind === "registry" && usual.url !== PUBLIC_INDEX) {
    config.push('[source.crates-io]\nreplace-with = "reeve-usual"');
    indexes.set("reeve-usual", `sparse+${usual.url}/`);
  }
  const env: Record<string, string> = {};
  for (const [name, index] of indexes) {
    if (!/^[\w-]+$/.test(name)) continue;
    config.push(`[registries.${name}]\nindex = ${JSON.stringify(index)}`);
    const token = credentialFor(index.replace(/^sparse\+/, ""), credentials)?.authorization;
    if (token !== undefined)
      env[`CARGO_REGISTRIES_${name.toUpperCase().replaceAll("-", "_")}_TOKEN`] = token;
  }
  return { config: `${config.join("\n\n")}\n`, env };
}
