/** Where a plugin's code is: from `source` in the configuration to a module on the disk. Installs nothing. */
import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { errorMessage } from "../errors.js";

export interface LocatedModule {
  /** URL of the module with the definition as its default export. */
  readonly url: string;
  /** The package's directory, or the file alone where there is no package. */
  readonly code: string;
  /** From its package.json. */
  readonly version: string | undefined;
  /** Different when the code on the disk is. */
  readonly fingerprint: string;
  /** Files that say which code it is. */
  readonly watch: readonly string[];
}

export type Located =
  | { readonly kind: "found"; readonly module: LocatedModule }
  | { readonly kind: "not_installed"; readonly searched: readonly string[] }
  | { readonly kind: "unusable"; readonly why: string };

interface Manifest {
  readonly version?: unknown;
  readonly reeve?: unknown;
  readonly exports?: unknown;
  readonly main?: unknown;
}

/** `source` is `npm:NAME`, a bare package name, or a path to a package or a module, relative to `directory`. */
export async function locate(source: string, directory: string): Promise<Located> {
  if (/^\.{0,2}\//.test(source) || isAbsolute(source)) return atPath(resolve(directory, source));
  const name = source.replace(/^npm:/, "");
  const searched = [...parents(directory), ...parents(OWN)].map((parent) =>
    join(parent, "node_modules", name),
  );
  for (const folder of searched) {
    const manifest = join(folder, "package.json");
    if (await isFile(manifest)) return fromPackage(await realpath(folder));
  }
  return { kind: "not_installed", searched };
}

const OWN = dirname(fileURLToPath(import.meta.url));

function parents(directory: string): readonly string[] {
  const parent = dirname(directory);
  const rest = parent === directory ? [] : parents(parent);
  return basename(directory) === "node_modules" ? rest : [directory, ...rest];
}

async function atPath(path: string): Promise<Located> {
  if (await isFile(path)) {
    const file = await realpath(path);
    return found(file, file, undefined);
  }
  if (await isFile(join(path, "package.json"))) return fromPackage(await realpath(path));
  if (await isFile(join(path, "index.js"))) return found(join(path, "index.js"), path, undefined);
  return { kind: "not_installed", searched: [path] };
}

async function fromPackage(folder: string): Promise<Located> {
  const path = join(folder, "package.json");
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(path, "utf8")) as Manifest;
  } catch (thrown) {
    return { kind: "unusable", why: `${path} cannot be read: ${errorMessage(thrown)}` };
  }
  const entry = resolve(folder, entryOf(manifest));
  if (!(await isFile(entry))) return { kind: "unusable", why: `${entry} is not there` };
  const { version } = manifest;
  return found(entry, folder, typeof version === "string" ? version : undefined);
}

/** The `reeve` key of package.json, a string or `{ "plugin": … }`; otherwise the package's main module. */
function entryOf({ reeve, exports, main }: Manifest): string {
  const own = typeof reeve === "object" ? (reeve as { plugin?: unknown } | null)?.plugin : reeve;
  if (typeof own === "string") return own;
  const table = exports as Readonly<Record<string, unknown>> | undefined;
  const root = typeof table === "object" && table && "." in table ? table["."] : exports;
  return conditional(root) ?? (typeof main === "string" ? main : "index.js");
}

function conditional(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (Array.isArray(target)) return target.map(conditional).find((each) => each !== undefined);
  if (typeof target !== "object" || target === null) return undefined;
  const chosen = Object.entries(target).find(([condition]) =>
    ["node", "import", "default"].includes(condition),
  );
  return conditional(chosen?.[1]);
}

async function found(entry: string, code: string, version: string | undefined): Promise<Located> {
  const { size, mtimeMs } = await stat(entry);
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([entry, size, mtimeMs, version]))
    .digest("hex");
  const url = pathToFileURL(entry).href;
  const watch = code === entry ? [entry] : [entry, join(code, "package.json")];
  return { kind: "found", module: { url, code, version, fingerprint, watch } };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
