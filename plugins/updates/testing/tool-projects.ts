/** Projects of pnpm and Yarn, updated by Reeve and by the tool itself. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { answer } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import type { UpdatePolicy } from "../decide/contract.js";
import { propose } from "../decide/propose.js";
import type { ManagerSettings, ProjectSources, Tools, UpdateEdit } from "../managers/contract.js";
import { npmAndYarn } from "../managers/npm/manager.js";
import type { NpmRegistry, Packages } from "./npm-registry.js";
import { type InstalledTool, pnpm, yarn } from "./package-tools.js";

export const POLICY: UpdatePolicy = { lockfileOnly: false, securityOnly: false, ignore: [] };

export interface Kind {
  readonly tool: InstalledTool;
  readonly lock: string;
  /** Settings of the tool outside the repository. */
  readonly args: readonly string[];
  readonly settings: (url: string) => Readonly<Record<string, string>>;
}
export const KINDS = {
  pnpm: {
    tool: pnpm,
    lock: "pnpm-lock.yaml",
    args: ["install", "--lockfile-only", "--no-frozen-lockfile"],
    settings: (url) => ({ ".npmrc": `registry=${url}/\n` }),
  },
  yarn: {
    tool: yarn,
    lock: "yarn.lock",
    args: ["install", "--mode=update-lockfile"],
    settings: (url) => ({
      ".yarnrc.yml": `npmRegistryServer: ${url}\nunsafeHttpWhitelist: [127.0.0.1]\nnpmMinimalAgeGate: 0\n`,
    }),
  },
} satisfies Record<string, Kind>;

type Files = ReadonlyMap<string, string>;

/** The files after the tool itself ran. */
export async function byHand(kind: Kind, files: Files, registry: NpmRegistry): Promise<Files> {
  const { url, published } = registry;
  const { name, version, argv } = kind.tool;
  const inputs = [process.version, name, version, argv, kind.args, kind.settings(url)];
  const lock = await answer(
    [...inputs, [...files], published],
    () => lockedBy(kind, files, url),
    url,
  );
  return new Map([...files, [kind.lock, lock]]);
}

async function lockedBy(kind: Kind, files: Files, url: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-tool-"));
  try {
    const all = new Map([...files, ...Object.entries(kind.settings(url))]);
    if (!all.has(kind.lock) && kind.lock === "yarn.lock") all.set(kind.lock, "");
    for (const [name, text] of all) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const [program = "", ...args] = [...kind.tool.argv, ...kind.args];
    const env = {
      PATH: process.env.PATH,
      HOME: join(directory, ".home"),
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
      YARN_ENABLE_TELEMETRY: "0",
      YARN_GLOBAL_FOLDER: join(directory, ".home"),
    };
    await outputOf(program, args, { cwd: directory, env });
    return await readFile(join(directory, kind.lock), "utf8");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export const settingsFor = (url: string, more: Partial<ManagerSettings> = {}): ManagerSettings => ({
  registries: [{ manager: "npm_and_yarn", url }],
  ...more,
});

export async function updated(
  sources: ProjectSources,
  name: string,
  settings: ManagerSettings,
  tools: Tools,
  policy: UpdatePolicy = POLICY,
): Promise<UpdateEdit> {
  const found = npmAndYarn.parse(sources, settings);
  const dependency = found.dependencies.find((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  const decision = await propose({
    manager: npmAndYarn,
    dependency,
    runtime: found.runtime,
    library: false,
    advisories: [],
    policy,
    lookup: tools.lookup,
    now: Date.now(),
  });
  if (decision.kind === "none") throw new Error(decision.why);
  return npmAndYarn.update({ sources, settings, changes: [decision.change] }, tools);
}

export const OLD: Packages = {
  foo: { "1.0.0": { dependencies: { inner: "^1.0.0" } } },
  "@acme/bar": { "1.0.0": { dependencies: { inner: "~1.0.0", foo: "^1.0.0" } } },
  inner: { "1.0.0": {}, "1.2.0": {} },
};
export const publishNews = (registry: NpmRegistry): void => {
  registry.publish("inner", "1.3.0");
  registry.publish("fresh", "2.0.0");
  registry.publish("foo", "1.1.0", { dependencies: { inner: "^1.0.0", fresh: "*" } });
};

export const manifest = (about: object): string => `${JSON.stringify(about, null, 2)}\n`;
export const dependencies = { foo: "^1.0.0", "@acme/bar": "^1.0.0" };
export const files = (more: object = {}) => ({
  "package.json": manifest({ name: "app", dependencies, ...more }),
});

/** The project with the lock file that the tool writes, by path. */
export const locked = async (
  kind: keyof typeof KINDS,
  registry: NpmRegistry,
  more: object = {},
): Promise<Record<string, string>> =>
  Object.fromEntries(await byHand(KINDS[kind], new Map(Object.entries(files(more))), registry));
