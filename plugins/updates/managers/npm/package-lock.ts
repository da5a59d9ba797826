/** package-lock.json and npm-shrinkwrap.json, versions 1 to 3. */
import { posix } from "node:path";
import { withoutMark } from "../../text/text.js";
import type { LockedVersions } from "./locked.js";

interface Entry {
  readonly version?: string;
  readonly name?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly resolved?: string;
}
interface OldEntry extends Entry {
  readonly dependencies?: Readonly<Record<string, OldEntry>>;
}
interface PackageLock {
  readonly packages?: Readonly<Record<string, Entry>>;
  readonly dependencies?: Readonly<Record<string, OldEntry>>;
}

const NODE_MODULES = "node_modules/";

export function packageLockVersions(text: string): LockedVersions {
  const lock = JSON.parse(withoutMark(text).text) as PackageLock;
  const packages = new Map(Object.entries(lock.packages ?? flattened(lock.dependencies ?? {}, "")));
  return {
    version: (member, declared) => {
      for (let at = member; ; at = posix.dirname(at) === "." ? "" : posix.dirname(at)) {
        const entry = packages.get(posix.join(at, NODE_MODULES + declared));
        if (entry) return entry.link ? undefined : entry.version;
        if (at === "") return undefined;
      }
    },
    all: [...packages]
      .filter(([path, { link, version, resolved }]) => {
        const registry = resolved === undefined || /^https?:/.test(resolved);
        return path.includes(NODE_MODULES) && !link && version !== undefined && registry;
      })
      .map(([path, { name, version, dev }]) => ({
        name: name ?? path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length),
        version: version as string,
        development: dev === true,
      })),
  };
}

/** Version 1 nests what versions 2 and 3 write as paths. */
function flattened(
  dependencies: Readonly<Record<string, OldEntry>>,
  above: string,
): Readonly<Record<string, Entry>> {
  return Object.fromEntries(
    Object.entries(dependencies).flatMap(([declared, { dependencies: inner, ...entry }]) => {
      const path = `${above}${NODE_MODULES}${declared}`;
      return [[path, renamed(entry)], ...Object.entries(flattened(inner ?? {}, `${path}/`))];
    }),
  );
}

/** `npm:other@1.2.3` is how version 1 writes another name. */
function renamed(entry: OldEntry): Entry {
  const [, name, version] = /^npm:(.+)@([^@]+)$/.exec(entry.version ?? "") ?? [];
  return name === undefined || version === undefined ? entry : { ...entry, name, version };
}
