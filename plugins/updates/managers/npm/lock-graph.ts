/** The packages of a package-lock.json as a graph: who asks for what, and which entry answers. */

type Specs = Readonly<Record<string, string>>;

/** One package of the lock; fields that nobody here reads are kept, too. */
export interface NpmLockEntry {
  readonly version?: string;
  /** Only where it is not the last part of its path. */
  readonly name?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Specs;
  readonly devDependencies?: Specs;
  readonly optionalDependencies?: Specs;
  readonly peerDependencies?: Specs;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}

export type LockEntries = ReadonlyMap<string, NpmLockEntry>;

export interface LockEdge {
  readonly name: string;
  readonly spec: string;
  /** It need not be there. */
  readonly optional: boolean;
  /** It is wanted beside the package, not below it. */
  readonly peer: boolean;
}

const NODE_MODULES = "node_modules/";

/** A member of the workspace, or the root: not an installed package. */
export const isMember = (path: string): boolean => !path.includes(NODE_MODULES);

export function edgesOf(
  path: string,
  entry: NpmLockEntry,
  withPeers: boolean,
): readonly LockEdge[] {
  const edges = new Map<string, LockEdge>();
  const add = (specs: Specs | undefined, optional: boolean): void => {
    for (const [name, spec] of Object.entries(specs ?? {}))
      edges.set(name, { name, spec, optional, peer: false });
  };
  if (withPeers)
    for (const [name, spec] of Object.entries(entry.peerDependencies ?? {})) {
      const optional = entry.peerDependenciesMeta?.[name]?.optional === true;
      edges.set(name, { name, spec, optional, peer: true });
    }
  if (isMember(path)) add(entry.devDependencies, false);
  add(entry.dependencies, false);
  add(entry.optionalDependencies, true);
  return [...edges.values()];
}

/** The path of the entry that `name` means at `from`, found as Node finds it; links are followed. */
export function answering(entries: LockEntries, from: string, name: string): string | undefined {
  for (let at = from; ; at = above(at)) {
    const path = at === "" ? NODE_MODULES + name : `${at}/${NODE_MODULES}${name}`;
    const entry = entries.get(path);
    if (entry?.link) return entry.resolved;
    if (entry) return path;
    if (at === "") return undefined;
  }
}

/** `node_modules/a/node_modules/b` → `node_modules/a`; `packages/a` → `packages`. */
function above(path: string): string {
  const cut = path.lastIndexOf(NODE_MODULES);
  return path.slice(0, Math.max(cut === -1 ? path.lastIndexOf("/") : cut - 1, 0));
}
