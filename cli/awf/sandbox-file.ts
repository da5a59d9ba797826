/** `awf --config FILE`: loads a `sandbox` block with the daemon's own loader. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { createCatalog } from "../../daemon/catalog/catalog.js";
import { load } from "../../daemon/config/load.js";
import type { ProgramBlock } from "../../daemon/config/program.js";
import { resolveSecrets } from "../../daemon/config/secrets.js";
import { render } from "../../grammar/render.js";
import type { SandboxFile } from "../../plugins/firewall/command/settings.js";
import { FirewallError } from "../../plugins/firewall/errors.js";
import type {
  CredentialAttributes,
  LimitAttributes,
  SandboxAttributes,
} from "../../plugins/firewall/sandbox/spec.js";
import { languageForm } from "./plain-file.js";

/**
 * `-` is the standard input.
 * @param edited texts that count instead of the files'
 * @throws {FirewallError} `no_config`, `invalid_config`, `no_such_sandbox`
 */
export async function readSandboxFile(
  path: string,
  name: string | undefined,
  edited: ReadonlyMap<string, string> = new Map(),
): Promise<SandboxFile> {
  const { blocks, files } = await sandboxesIn(path === "-" ? path : resolve(path), edited);
  const names = blocks.map(({ labels }) => labels[0]).join(", ");
  const found = blocks.filter(({ labels }) => name === undefined || labels[0] === name);
  const [block, another] = found;
  if (!block) {
    const what = name === undefined ? "no `sandbox` block" : `no \`sandbox "${name}"\``;
    const has = names === "" ? "" : `; it has: ${names}`;
    throw new FirewallError("no_such_sandbox", `${path} has ${what}${has}`);
  }
  if (another) {
    throw new FirewallError(
      "no_such_sandbox",
      `${path} has several sandboxes: ${names}. Name one with --sandbox`,
    );
  }
  return { name: block.labels[0] ?? "", attributes: shapeOf(path, block), files };
}

interface Sandboxes {
  readonly blocks: readonly ProgramBlock[];
  readonly files: readonly string[];
}

async function sandboxesIn(path: string, edited: ReadonlyMap<string, string>): Promise<Sandboxes> {
  const text = textOf(path);
  const isLanguage = /\.reeve(\.json)?$/.test(path);
  // A name in the same directory, so that relative paths resolve from there.
  const root = isLanguage ? path : `${resolve(path)}.reeve.json`;
  const own = isLanguage ? [] : [[root, languageForm(path, text)] as const];
  const overlay = new Map([...own, ...edited]);
  const catalog = createCatalog();
  try {
    const { program, diagnostics, sources, watch } = await load(root, { catalog, overlay });
    if (!program) throw new FirewallError("invalid_config", render(diagnostics, sources).trimEnd());
    const resolved = await resolveSecrets(program, secretFrom);
    if (!resolved.program) {
      throw new FirewallError("invalid_config", render(resolved.diagnostics, sources).trimEnd());
    }
    return {
      blocks: [...resolved.program.blocks.values()].filter(({ kind }) => kind === "sandbox"),
      files: [...new Set([path, ...watch])].filter(isFile),
    };
  } finally {
    await catalog.close();
  }
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function textOf(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "file not found" : `cannot be read (${code})`;
    throw new FirewallError("no_config", `--config ${path}: ${reason}`);
  }
}

/** Reads secrets from the environment and from files. Other kinds belong to plugins, which awf does not run. */
async function secretFrom(reference: string): Promise<string> {
  const colon = reference.indexOf(":");
  const [kind, rest] = [reference.slice(0, colon), reference.slice(colon + 1)];
  const found =
    kind === "env"
      ? process.env[rest]
      : kind === "file"
        ? readFileSync(rest, "utf8").replace(/\r?\n$/, "")
        : undefined;
  if (found === undefined) throw new Error("awf cannot read this kind of secret");
  return found;
}

interface Revealable {
  reveal(): string;
}

const revealed = (value: unknown): string =>
  typeof value === "string" ? value : (value as Revealable).reveal();

/** The values as the plugin gets them. */
function shapeOf(path: string, { values }: ProgramBlock): SandboxAttributes {
  const {
    env,
    upstream_proxy: upstream,
    mount,
    credential,
    limit,
    allow_write: writable,
    user,
    ...rest
  } = values as Omit<SandboxAttributes, "mount" | "credential" | "limit"> & {
    readonly user?: string;
    readonly mount: ReadonlyArray<{
      readonly labels: readonly string[];
      readonly values: { readonly source: string; readonly mode: "ro" | "rw" };
    }>;
    readonly credential: ReadonlyArray<{
      readonly labels: readonly string[];
      readonly values: Omit<CredentialAttributes, "name" | "value"> & { readonly value: unknown };
    }>;
    readonly limit: ReadonlyArray<{
      readonly labels: readonly string[];
      readonly values: Omit<LimitAttributes, "domain">;
    }>;
  };
  if (user !== undefined) {
    throw new FirewallError(
      "invalid_config",
      `${path}: \`user\` is for the daemon; awf runs commands as its own user`,
    );
  }
  return {
    ...rest,
    env: Object.fromEntries(
      Object.entries(env ?? {}).map(([key, value]) => [key, revealed(value)]),
    ),
    upstream_proxy: upstream === undefined ? undefined : revealed(upstream),
    allow_write: writable && writable.length > 0 ? writable : undefined,
    credential: credential.map(({ labels: [name = ""], values: { value, ...own } }) => {
      return { name, ...own, value: revealed(value) };
    }),
    limit: limit.map(({ labels: [domain = ""], values }) => ({ domain, ...values })),
    mount: mount.map(({ labels: [at = ""], values: { source, mode } }) => ({ at, source, mode })),
  };
}
