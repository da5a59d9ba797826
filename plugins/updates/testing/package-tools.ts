/** pnpm and Yarn as registry packages, packed from the installed ones. */
import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { outputOf } from "../../../tests/support/child.js";
import type { NpmRegistry } from "./npm-registry.js";

export interface InstalledTool {
  readonly name: string;
  readonly version: string;
  /** Program and first argument. */
  readonly argv: readonly string[];
  /** The packages in a registry: the tool itself, and its native program if it is no script. */
  packed(): Promise<ReadonlyMap<string, Buffer>>;
}

const { resolve } = createRequire(import.meta.url);

/** The directory of a package. */
type LocatePackage = (name: string) => string | undefined;

const locateInstalled: LocatePackage = (name) =>
  (resolve.paths(name) ?? []).map((each) => join(each, name)).find(existsSync);

interface Package {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** `folder` is its directory name, if not its own name. */
const installed = (name: string, command: string, folder = name): InstalledTool =>
  toolAt(name, command, (wanted) => locateInstalled(wanted === name ? folder : wanted));

function toolAt(name: string, command: string, find: LocatePackage): InstalledTool {
  const directory = find(name) ?? "";
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Package;
  const { version, bin, optionalDependencies = {} } = manifest;
  const script = join(directory, bin[command] ?? "");
  const isScript = /\.[cm]?js$/.test(script);
  const native = isScript ? undefined : Object.keys(optionalDependencies).find(find);
  const program = native === undefined ? "" : (find(native) ?? "");
  let packed: Promise<ReadonlyMap<string, Buffer>> | undefined;
  const pack = async (): Promise<ReadonlyMap<string, Buffer>> =>
    new Map([
      [name, await keptPack(name, version, directory)],
      ...(native === undefined
        ? []
        : [[native, await keptPack(native, version, program)] as const]),
    ]);
  return {
    ...{ name, version },
    argv: isScript
      ? [process.execPath, script]
      : [[join(program, "bin", command)].find(existsSync) ?? join(program, command)],
    packed: () => {
      packed ??= pack();
      return packed;
    },
  };
}

/** A native program, installed by a script that prints where. */
function native(script: string, name: string): () => Promise<InstalledTool> {
  let tool: Promise<InstalledTool> | undefined;
  const find = async (): Promise<InstalledTool> => {
    const folder = await outputOf(process.execPath, [join("scripts", script)]);
    return toolAt(name, name, (wanted) => [join(folder, wanted)].find(existsSync));
  };
  return () => {
    tool ??= find();
    return tool;
  };
}

export const pnpm12 = native("pnpm-12.mjs", "pnpm");
export const bun = native("bun.mjs", "bun");

/** Packed once for all runs: some have a hundred megabytes. */
async function keptPack(name: string, version: string, directory: string): Promise<Buffer> {
  const folder = join("node_modules", ".cache", "reeve", "packed");
  const path = join(folder, `${name.replace("/", "+")}-${version}.tgz`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const fresh = `${path}.${randomUUID()}`;
    writeFileSync(fresh, await tarred(directory));
    renameSync(fresh, path);
  }
  return readFileSync(path);
}

async function tarred(directory: string): Promise<Buffer> {
  const folder = basename(directory);
  const archive = join(mkdtempSync(join(tmpdir(), "reeve-packed-")), "package.tgz");
  try {
    const args = ["-c", "-I", "gzip -1", "--transform", `s,^${folder},package,`, "-f", archive];
    await outputOf("tar", [...args, folder], { cwd: dirname(directory) });
    return readFileSync(archive);
  } finally {
    rmSync(dirname(archive), { recursive: true });
  }
}

export const pnpm = installed("pnpm", "pnpm");
export const pnpm11 = installed("pnpm", "pnpm", "pnpm-11");
export const yarn = installed("@yarnpkg/cli-dist", "yarn");
export const yarn3 = installed("@yarnpkg/cli-dist", "yarn", "yarn-3");

/** Returns the package itself. */
export async function publishTool(registry: NpmRegistry, tool: InstalledTool): Promise<Buffer> {
  const packed = await tool.packed();
  for (const [name, bytes] of packed) registry.publishPacked(name, tool.version, bytes);
  return packed.get(tool.name) ?? Buffer.alloc(0);
}
