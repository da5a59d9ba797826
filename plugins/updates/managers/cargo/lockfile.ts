/** Reads Cargo.lock into a graph and writes it as Cargo does. */

import semver from "semver";
import { parse } from "smol-toml";
import { compareText } from "../../text/text.js";

export interface LockedCrate {
  readonly name: string;
  readonly version: string;
  /** Undefined for local packages. */
  readonly source: string | undefined;
  readonly checksum: string | undefined;
  /** Keys of `CargoLock.crates`. */
  readonly dependencies: readonly string[];
}

export interface CargoLock {
  /** The text before the first package: Cargo's comment and the format. */
  readonly head: string;
  readonly crates: ReadonlyMap<string, LockedCrate>;
}

export const keyOf = ({
  name,
  version,
  source,
}: Pick<LockedCrate, "name" | "version" | "source">): string =>
  source === undefined ? `${name} ${version}` : `${name} ${version} (${source})`;

interface Entry {
  readonly name: string;
  readonly version: string;
  readonly source?: string;
  readonly checksum?: string;
  readonly dependencies?: readonly string[];
}

/** @throws Error for what is no lock file of Cargo's */
export function readCargoLock(text: string): CargoLock {
  const { package: packages = [] } = parse(text) as { package?: readonly Entry[] };
  const entries = packages.filter(
    ({ name, version }) => typeof name === "string" && typeof version === "string",
  );
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) byName.set(entry.name, [...(byName.get(entry.name) ?? []), entry]);
  const resolved = (written: string): string => {
    const [name = "", version, source] = written.split(" ");
    const found = (byName.get(name) ?? []).find(
      (entry) =>
        (version === undefined || entry.version === version) &&
        (source === undefined || `(${entry.source})` === source),
    );
    if (!found) throw new Error(`${written} is needed and not locked`);
    return keyOf({ source: undefined, ...found });
  };
  const crates = new Map(
    entries.map((entry): [string, LockedCrate] => {
      const { name, version, source, checksum, dependencies = [] } = entry;
      const crate = { name, version, source, checksum, dependencies: dependencies.map(resolved) };
      return [keyOf(crate), crate];
    }),
  );
  const start = text.search(/^\[\[package\]\]/m);
  return { head: start < 0 ? text : text.slice(0, start), crates };
}

/** Writes the lock as Cargo does, with line feeds. */
export function writeCargoLock({ head, crates }: CargoLock): string {
  const all = [...crates.values()].toSorted(
    (a, b) =>
      compareText(a.name, b.name) ||
      semver.compareBuild(a.version, b.version) ||
      compareText(a.source ?? "", b.source ?? ""),
  );
  const namesakes = new Map<string, LockedCrate[]>();
  for (const crate of all) namesakes.set(crate.name, [...(namesakes.get(crate.name) ?? []), crate]);
  const shortest = (key: string): string => {
    const crate = crates.get(key);
    if (!crate) throw new Error(`${key} is needed and not locked`);
    const alike = namesakes.get(crate.name) ?? [];
    if (alike.length === 1) return crate.name;
    const sameVersion = alike.filter(({ version }) => version === crate.version);
    return sameVersion.length === 1 ? `${crate.name} ${crate.version}` : key;
  };
  const blocks = all.map(({ name, version, source, checksum, dependencies }) => {
    const ordered = dependencies
      .map((key) => ({ key, crate: crates.get(key) }))
      .toSorted(
        (a, b) =>
          compareText(a.crate?.name ?? "", b.crate?.name ?? "") ||
          semver.compareBuild(a.crate?.version ?? "0.0.0", b.crate?.version ?? "0.0.0"),
      );
    return [
      "[[package]]",
      `name = "${name}"`,
      `version = "${version}"`,
      ...(source === undefined ? [] : [`source = "${source}"`]),
      ...(checksum === undefined ? [] : [`checksum = "${checksum}"`]),
      ...(ordered.length === 0
        ? []
        : ["dependencies = [", ...ordered.map(({ key }) => ` "${shortest(key)}",`), "]"]),
      "",
    ].join("\n");
  });
  return head + blocks.join("\n");
}
