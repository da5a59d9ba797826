/** Minimal version selection: the modules that must rise with an update, and the checksums that takes. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { ModuleSums } from "./lockfile.js";
import type { GoMod } from "./manifest.js";
import { moduleFile, moduleSum } from "./registry.js";
import { goVersioning } from "./versions.js";

interface ModuleResolution {
  /** New versions of the module's own requirements, the updated ones included. */
  readonly raised: ReadonlyMap<string, string>;
  readonly sums: ReadonlyMap<string, string>;
  /** Modules that were not needed before. Only the source code tells which of their packages are imported. */
  readonly added: readonly string[];
}

/**
 * `known` are the checksums of go.sum; undefined without a go.sum, which then gets none.
 * @throws UpdatesError `does_not_resolve` where a newer Go is needed; as `Lookup`
 */
export async function resolveModules(
  main: GoMod,
  versions: ReadonlyMap<string, string>,
  known: ModuleSums | undefined,
  proxyOf: (module: string) => string,
  lookup: Lookup,
): Promise<ModuleResolution> {
  const own = new Map(main.requirements.map(({ path, version }) => [path, version]));
  const raised = new Map(versions);
  const sums = new Map<string, string>();
  const added = new Set<string>();
  const seen = new Set<string>();
  const pruned = atLeast(main.go, "1.17");
  const queue = [...versions].map(([path, version]) => ({ path, version, selected: true }));

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
    // go.sum has no file checksums of modules that only the graph names.
    if (!versions.has(path) && !known?.has(`${path} ${old}`)) continue;
    sums.set(`${path} ${version}`, await moduleSum(proxyOf(path), path, version, lookup));
  }
  return { raised, sums, added: [...added] };
}

const isInGraph = (known: ModuleSums, path: string): boolean =>
  [...known.keys()].some((key) => key.startsWith(`${path} `));

/** From 1.21 on Go rejects modules that require a newer Go. */
function assertGo({ go }: GoMod, path: string, version: string, needed: string | undefined): void {
  if (go === undefined || needed === undefined || !atLeast(needed, "1.21") || atLeast(go, needed))
    return;
  throw new UpdatesError(
    "does_not_resolve",
    `${path} ${version} needs Go ${needed}, but go.mod says ${go}.`,
  );
}

function atLeast(go: string | undefined, version: string): boolean {
  const numbers = (text: string): readonly number[] => text.split(/[.a-z]+/).map(Number);
  const [own, least] = [numbers(go ?? "1.16"), numbers(version)];
  for (const [index, number] of least.entries())
    if ((own[index] ?? 0) !== number) return (own[index] ?? 0) > number;
  return true;
}
