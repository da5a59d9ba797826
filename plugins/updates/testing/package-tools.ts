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
  packed(): Promise<Buffer>;
}

const { resolve } = createRequire(import.meta.url);

/** `folder`: where it is installed, if not under its own name. */
function installed(name: string, command: string, folder = name): InstalledTool {
  const place =
    (resolve.paths(folder) ?? []).map((each) => join(each, folder)).find(existsSync) ?? "";
  const { version, bin } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as {
    version: string;
    bin: Record<string, string>;
  };
  let packed: Promise<Buffer> | undefined;
  const pack = async (): Promise<Buffer> => {
    const folder = basename(place);
    const args = ["-czf", "-", "--transform", `s,^${folder},package,`, folder];
    const { stdout } = await promisify(execFile)("tar", args, {
      cwd: dirname(place),
      encoding: "buffer",
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
  return {
    name,
    version,
    argv: [process.execPath, join(place, bin[command] ?? "")],
    packed: () => {
      packed ??= pack();
      return packed;
    },
  };
}

export const pnpm = installed("pnpm", "pnpm");
export const pnpm11 = installed("pnpm", "pnpm", "pnpm-11");
export const yarn = installed("@yarnpkg/cli-dist", "yarn");
export const yarn3 = installed("@yarnpkg/cli-dist", "yarn", "yarn-3");

export async function publishTool(registry: NpmRegistry, tool: InstalledTool): Promise<Buffer> {
  const bytes = await tool.packed();
  registry.publishPacked(tool.name, tool.version, bytes);
  return bytes;
}
