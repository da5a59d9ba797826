/** What else must rise when a module does (minimal version selection), and which checksums that takes. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { GoMod } from "./gomod.js";
import { moduleFile, moduleSum } from "./proxy.js";
import type { Sums } from "./sums.js";
import { goVersioning } from "./versioning.js";

export interface Settled {
  /** Versions of the module's own requirements that rise, the wanted one included. */
  readonly raised: ReadonlyMap<string, string>;
  readonly sums: ReadonlyMap<string, string>;
  /** Modules that were not needed before. Which of their packages are, only the source code says. */
  readonly added: readonly string[];
}

export type ProxyOf = (module: string) => string;

/** @throws UpdatesError `does_not_resolve` where a newer Go is needed; as `Lookup` */
export async function settle(
  main: GoMod,
  wanted: ReadonlyMap<string, string>,
  /** What go.sum says; undefined where there is none: then no checksums are made. */
  known: Sums | undefined,
  proxyOf: ProxyOf,
  lookup: Lookup,
): Promise<Settled> {
  const own = new Map(main.requirements.map(({ path, version }) => [path, version]));
  const raised = new Map(wanted);
  const sums = new Map<string, string>();
  const added = new Set<string>();
  const seen = new Set<string>();
  const pruned = atLeast(main.go, "1.17");
  const queue = [...wanted].map(([path, version]) => ({ path, version, selected: true }));

  for (let next = queue.shift(); next; next = queue.shift()) {
    const { path, version, selected } = next;
    if (seen.has(`${path}@${version}`)) continue;
    seen.add(`${path}@${version}`);
    const file = await moduleFile(proxyOf(path), path, version, lookup);
    sums.set(`${path} ${version}/go.mod`, file.sum);
    if (selected) assertGo(main, path, version, file.go);
    for (const needed of file.requirements) {
      if (main.excluded.has(`${needed.path}@${needed.version}`) || main.replaced.has(needed.path))
        continue;
      if (needed.path === main.module) continue;
      const current = raised.get(needed.path) ?? own.get(needed.path);
      const rises = current !== undefined && goVersioning.compare(needed.version, current) > 0;
      if (rises) raised.set(needed.path, needed.version);
      if (current === undefined && !isInGraph(known ?? new Map(), needed.path))
        added.add(needed.path);
      const deeper = !pruned || !atLeast(file.go, "1.17");
      if (rises || deeper || selected)
        queue.push({ path: needed.path, version: needed.version, selected: rises });
    }
  }
  for (const [path, version] of known ? raised : []) {
    const old = own.get(path);
    // Of modules that only the graph names, Go keeps no checksum of the files.
    if (!wanted.has(path) && !known?.has(`${path} ${old}`)) continue;
    sums.set(`${path} ${version}`, await moduleSum(proxyOf(path), path, version, lookup));
  }
  return { raised, sums, added: [...added] };
}

const isInGraph = (known: Sums, path: string): boolean =>
  [...known.keys()].some((key) => key.startsWith(`${path} `));

/** From 1.21 on Go refuses modules that ask for a newer one. */
function assertGo({ go }: GoMod, path: string, version: string, asked: string | undefined): void {
  if (go === undefined || asked === undefined || !atLeast(asked, "1.21") || atLeast(go, asked))
    return;
  throw new UpdatesError(
    "does_not_resolve",
    `${path} ${version} needs Go ${asked}, and go.mod says ${go}.`,
  );
}

function atLeast(go: string | undefined, version: string): boolean {
  const numbers = (text: string): readonly number[] => text.split(/[.a-z]+/).map(Number);
  const [mine, theirs] = [numbers(go ?? "1.16"), numbers(version)];
  for (const [place, number] of theirs.entries())
    if ((mine[place] ?? 0) !== number) return (mine[place] ?? 0) > number;
  return true;
}
