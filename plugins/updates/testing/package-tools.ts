/** pnpm and Yarn as registries have them: packed again from what is installed for the tests. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { NpmRegistry } from "./npm-registry.js";

export interface InstalledTool {
  readonly name: string;
  readonly version: string;
  /** Program and first argument. */
  readonly argv: readonly string[];
  /** All that a registry has of it: the package, and where it is no script the program for this machine. */
  packed(): Promise<ReadonlyMap<string, Buffer>>;
}

const { resolve } = createRequire(import.meta.url);

const placeOf = (folder: string): string | undefined =>
  (resolve.paths(folder) ?? []).map((each) => join(each, folder)).find(existsSync);

interface Package {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** `folder`: where it is installed, if not under its own name. */
function installed(name: string, command: string, folder = name): InstalledTool {
  const place = placeOf(folder) ?? "";
  const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Package;
  const { version, bin, optionalDependencies = {} } = manifest;
  const script = join(place, bin[command] ?? "");
  const isScript = /\.[cm]?js$/.test(script);
  const native = isScript ? undefined : Object.keys(optionalDependencies).find(placeOf);
  const program = native === undefined ? "" : (placeOf(native) ?? "");
  let packed: Promise<ReadonlyMap<string, Buffer>> | undefined;
  const pack = async (): Promise<ReadonlyMap<string, Buffer>> =>
    new Map([
      [name, await tarred(place)],
      ...(native === undefined ? [] : [[native, await tarred(program)] as const]),
    ]);
  return {
    ...{ name, version },
    argv: isScript ? [process.execPath, script] : [join(program, command)],
    packed: () => {
      packed ??= pack();
      return packed;
    },
  };
}

async function tarred(place: string): Promise<Buffer> {
  const folder = basename(place);
  const args = ["-c", "-I", "gzip -1", "--transform", `s,^${folder},package,`, folder];
  const { stdout } = await promisify(execFile)("tar", args, {
    cwd: dirname(place),
    encoding: "buffer",
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

export const pnpm = installed("pnpm", "pnpm");
export const pnpm11 = installed("pnpm", "pnpm", "pnpm-11");
export const pnpm12 = installed("pnpm", "pnpm", "pnpm-12");
export const yarn = installed("@yarnpkg/cli-dist", "yarn");
export const yarn3 = installed("@yarnpkg/cli-dist", "yarn", "yarn-3");

/** Returns the package itself. */
export async function publishTool(registry: NpmRegistry, tool: InstalledTool): Promise<Buffer> {
  const packed = await tool.packed();
  for (const [name, bytes] of packed) registry.publishPacked(name, tool.version, bytes);
  return packed.get(tool.name) ?? Buffer.alloc(0);
}
