/**
 * Refreshes the yarn.lock of Yarn 1 in process: its format has only patterns and their resolutions, without a layout. Reachable
 * entries stay, new ones resolve as in Yarn, unreachable ones leave.
 */
import { posix } from "node:path";
import semver from "semver";
import { UpdatesError } from "../../../errors.js";
import { readJson } from "../../../text/json.js";
import { restyle } from "../../../text/restyle.js";
import { readVersion } from "../../../versions/semver.js";
import type { RefreshedLock } from "../../lock/contract.js";
import { LockFallback } from "../../lock/refresh.js";
import {
  nameIn,
  readYarnClassic,
  writeYarnClassic,
  type YarnEntry,
} from "../lockfile/yarn-classic.js";
import { type RegistryDocument, registryDocument } from "../registry/packument.js";
import { npmRegistries } from "../registry/registries.js";
import { declaredSpec, type NpmLockChange } from "../tool/run.js";

const SECTIONS = ["dependencies", "devDependencies", "optionalDependencies"];

/** @throws UpdatesError `does_not_resolve`; as `Lookup` */
export async function refreshYarnClassic(change: NpmLockChange): Promise<RefreshedLock> {
  const { request, file, files } = change;
  const old = request.sources.files.get(file) ?? "";
  const entries = readYarnClassic(old);
  if (written(old, entries) !== old)
    throw new LockFallback("it is not written as Yarn 1 writes it");
  const manifests = [...files].filter(([path]) => posix.basename(path) === "package.json");
  const read = manifests.map(([path, text]) => readJson(path, text));
  if (read.some((json) => json.keys("resolutions").length > 0))
    throw new LockFallback("the project overrides versions with `resolutions`");

  const members = new Set(read.map((json) => json.value("name")));
  const roots = read.flatMap((json) =>
    SECTIONS.flatMap((section) =>
      json
        .texts(section)
        .filter(({ key }) => !members.has(key))
        .map(({ key, value }) => `${key}@${value}`),
    ),
  );
  const known = new Map(
    entries.flatMap((entry) => entry.patterns.map((pattern) => [pattern, entry] as const)),
  );
  const tree = new YarnTree(change, known);
  for (const { dependency, requirements, to } of request.changes) {
    for (const [index, declaration] of dependency.declarations.entries()) {
      const requirement = declaredSpec(
        declaration,
        dependency.name,
        requirements[index] ?? declaration.requirement,
      );
      await tree.move(
        `${declaration.extra?.declaredAs ?? dependency.name}@${requirement}`,
        to.version,
      );
    }
    if (dependency.declarations.length === 0) await tree.raise(dependency.name, to.version);
  }
  const reached = await tree.reach(roots);
  return { text: written(old, reached), by: "yarn.lock v1" };
}

const written = (old: string, entries: readonly YarnEntry[]): string =>
  restyle(old, writeYarnClassic(entries));

/** Patterns and their entries, which grow as new patterns occur. */
class YarnTree {
  readonly #change: NpmLockChange;
  readonly #entries: Map<string, YarnEntry>;
  readonly #registryOf: ReturnType<typeof npmRegistries>;

  constructor(change: NpmLockChange, entries: Map<string, YarnEntry>) {
    this.#change = change;
    this.#entries = entries;
    const { request, files } = change;
    this.#registryOf = npmRegistries({ ...request.sources, files }, request.settings);
  }

  /** The pattern gives this version from now on. */
  async move(pattern: string, version: string): Promise<void> {
    const name = nameIn(pattern);
    const same = [...this.#entries.values()].find(
      (entry) => entry.name === name && entry.version === version,
    );
    this.#entries.set(pattern, same ?? (await this.#entry(pattern, version)));
  }

  /** Transitive packages move as far as their ranges allow. */
  async raise(name: string, version: string): Promise<void> {
    for (const [pattern, entry] of [...this.#entries]) {
      if (entry.name !== name || !semver.lt(entry.version, version)) continue;
      if (!semver.satisfies(version, rangeIn(pattern)))
        throw new UpdatesError(
          "does_not_resolve",
          `What depends on ${name} wants ${rangeIn(pattern)}, not ${version}.`,
        );
      await this.move(pattern, version);
    }
  }

  /** All reachable packages, each once with all its patterns. */
  async reach(roots: readonly string[]): Promise<readonly YarnEntry[]> {
    const reached = new Map<
      string,
      { readonly entry: YarnEntry; readonly patterns: Set<string> }
    >();
    const queue = roots.filter((pattern) => this.#entries.has(pattern) || isRange(pattern));
    const seen = new Set(queue);
    for (const pattern of queue) {
      const entry = this.#entries.get(pattern) ?? (await this.#newest(pattern));
      this.#entries.set(pattern, entry);
      const key = entry.resolved ?? `${entry.name}@${entry.version}`;
      const group = reached.get(key) ?? { entry, patterns: new Set() };
      reached.set(key, group);
      group.patterns.add(pattern);
      for (const [name, range] of Object.entries({
        ...entry.dependencies,
        ...entry.optionalDependencies,
      })) {
        const next = `${name}@${range}`;
        if (seen.has(next)) continue;
        seen.add(next);
        queue.push(next);
      }
    }
    return [...reached.values()].map(({ entry, patterns }) => ({
      ...entry,
      patterns: [...patterns],
    }));
  }

  /** Chooses as Yarn does: `latest` if it satisfies, else the newest that does. */
  async #newest(pattern: string): Promise<YarnEntry> {
    const range = rangeIn(pattern);
    const document = await this.#document(pattern);
    const { latest, versions } = document;
    const best =
      latest !== undefined && semver.satisfies(latest, range)
        ? latest
        : semver.maxSatisfying(
            Object.keys(versions).filter((version) => readVersion(version)),
            range,
          );
    if (best === null)
      throw new UpdatesError(
        "does_not_resolve",
        `No version of ${nameIn(pattern)} satisfies ${range}.`,
      );
    return this.#entry(pattern, best);
  }

  async #entry(pattern: string, version: string): Promise<YarnEntry> {
    const name = nameIn(pattern);
    const found = (await this.#document(pattern)).versions[version];
    if (!found)
      throw new UpdatesError("does_not_resolve", `The registry has no ${name} ${version}.`);
    const optional = found.optionalDependencies;
    const dependencies = Object.fromEntries(
      Object.entries(found.dependencies).filter(([each]) => optional[each] === undefined),
    );
    return {
      patterns: [pattern],
      name,
      version,
      resolved: found.shasum === undefined ? found.tarball : `${found.tarball}#${found.shasum}`,
      ...(found.integrity === undefined ? {} : { integrity: found.integrity }),
      dependencies,
      optionalDependencies: optional,
    };
  }

  async #document(pattern: string): Promise<RegistryDocument> {
    const name = nameIn(pattern);
    const origin = this.#registryOf(name);
    if (origin.kind !== "registry" || !isRange(pattern))
      throw new UpdatesError(
        "lock_failed",
        `${pattern} has no registry, so yarn.lock cannot be refreshed.`,
      );
    return registryDocument(origin.url, name, this.#change.tools.lookup);
  }
}

/** `foo@^1.0.0` → `^1.0.0`; `old@npm:foo@^1` → `^1`. */
const rangeIn = (pattern: string): string => pattern.slice(pattern.lastIndexOf("@") + 1);

const isRange = (pattern: string): boolean => semver.validRange(rangeIn(pattern)) !== null;
