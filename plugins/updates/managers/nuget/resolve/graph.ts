/**
 * Resolves packages by NuGet's rules: the nearest requirement wins, among equally near ones the highest, and a package gets its
 * lowest allowed version.
 */
import { LockFallback } from "../../lock/refresh.js";
import { compareNuget, isInRange, type NugetRange } from "../versions.js";

export interface Want {
  readonly name: string;
  /** Undefined for a project. */
  readonly range: NugetRange | undefined;
}

export interface GraphItem {
  readonly name: string;
  /** Empty for projects. */
  readonly version: string;
  readonly wants: readonly Want[];
}

/** Finds the package that satisfies a requirement. @throws LockFallback where there is none */
export type Find = (want: Want) => Promise<GraphItem>;

interface Node {
  readonly want: Want;
  readonly item: GraphItem;
  /** The key of the item. */
  readonly key: string;
  readonly outer: Node | undefined;
  readonly inner: Node[];
  state: "acceptable" | "accepted" | "rejected";
  /** A nearer requirement is lower: kept to detect a downgrade. */
  readonly downgraded: boolean;
}

/** A larger graph is cyclic or unrealistic. */
const MOST_NODES = 50_000;

const keyOf = ({ name }: { readonly name: string }): string => name.toLowerCase();

/** The resolved packages by lower-case name. @throws LockFallback where NuGet fails too */
export async function resolved(
  roots: readonly Want[],
  find: Find,
): Promise<ReadonlyMap<string, GraphItem>> {
  const cache = new Map<string, Promise<GraphItem>>();
  const once = (want: Want): Promise<GraphItem> => {
    const key = `${keyOf(want)} ${JSON.stringify(want.range)}`;
    const item = cache.get(key) ?? find(want);
    cache.set(key, item);
    return item;
  };
  const root: Node = node({ name: "", range: undefined }, { name: "", version: "", wants: roots });
  await grow(root, once);
  const all = walk(root);
  const accepted = decideVersions(root);
  for (const { want } of all.filter(({ outer }) => outer?.state === "accepted")) {
    const taken = accepted.get(keyOf(want))?.item;
    if (taken && want.range && taken.version !== "" && !isInRange(want.range, taken.version))
      throw new LockFallback(
        `${want.name} ${taken.version} is outside a range that another package requires`,
      );
  }
  accepted.delete("");
  return new Map([...accepted].map(([key, { item }]) => [key, item]));
}

function node(want: Want, item: GraphItem, outer?: Node, downgraded = false): Node {
  const key = keyOf(item);
  return { want, item, key, outer, inner: [], state: "acceptable", downgraded };
}

/** Level by level, since nearer requirements decide. */
async function grow(root: Node, find: Find): Promise<void> {
  let level: readonly Node[] = [root];
  let count = 0;
  while (level.length > 0) {
    const next = await Promise.all(
      level.map(async (each) => {
        const wants = each.item.wants.map((want) => [want, stateOf(each, want)] as const);
        const kept = wants.filter(([, stands]) => stands !== "eclipsed");
        const inner = await Promise.all(
          kept.map(async ([want, stands]) =>
            stands === "downgraded"
              ? node(want, { name: want.name, version: "", wants: [] }, each, true)
              : node(want, await find(want), each),
          ),
        );
        each.inner.push(...inner);
        return inner.filter(({ downgraded }) => !downgraded);
      }),
    );
    level = next.flat();
    count += level.length;
    if (count > MOST_NODES) throw new LockFallback("its packages need each other in too many ways");
  }
}

/** Does a node nearer to the root require the same package? */
function stateOf(from: Node, want: Want): "acceptable" | "eclipsed" | "downgraded" {
  const key = keyOf(want);
  const cycle = (): never => {
    throw new LockFallback(`${want.name} needs itself`);
  };
  if (from.key === key) cycle();
  for (let at = from.outer; at; at = at.outer) {
    if (at.key === key) cycle();
    const near = byName(at.item).get(key);
    if (near) return isAtLeast(near.range, want.range) ? "eclipsed" : "downgraded";
  }
  return "acceptable";
}

const named = new WeakMap<GraphItem, ReadonlyMap<string, Want>>();

function byName(item: GraphItem): ReadonlyMap<string, Want> {
  const wants = named.get(item) ?? new Map(item.wants.map((want) => [keyOf(want), want]));
  named.set(item, wants);
  return wants;
}

function isAtLeast(near: NugetRange | undefined, far: NugetRange | undefined): boolean {
  if (!near || !far || near.lower === undefined) return true;
  return far.lower !== undefined && compareNuget(near.lower, far.lower) >= 0;
}

function walk(root: Node): readonly Node[] {
  const all = [root];
  for (const each of all) all.push(...each.inner);
  return all;
}

/** Walks breadth first; the result of `visit` goes to the node's children. */
function pass<State>(root: Node, start: State, visit: (state: State, node: Node) => State): void {
  const queue: [Node, State][] = [[root, start]];
  for (const [at, state] of queue) {
    if (at.downgraded) continue;
    const next = visit(state, at);
    for (const each of at.inner) queue.push([each, next]);
  }
}

/** The nodes that are taken, by name. Rounds go on until nothing is open. */
function decideVersions(root: Node): Map<string, Node> {
  const accepted = new Map<string, Node>();
  for (let round = 0; round < 1_000; round += 1) {
    const { best, disputed } = contenders(root);
    const ambiguous = ambiguousBelow(root, disputed);
    let isOpen = false;
    pass(root, true, (goesOn, each) => {
      if (!goesOn || each.state === "rejected") return false;
      const { key } = each;
      if (ambiguous.has(key)) {
        isOpen ||= each.state === "acceptable";
        return false;
      }
      if (each.state === "acceptable") {
        const isBest = compareNuget(each.item.version, best.get(key) ?? "") >= 0;
        each.state = isBest ? "accepted" : "rejected";
        if (isBest) accepted.set(key, each);
      }
      return each.state === "accepted";
    });
    if (!isOpen) return accepted;
  }
  throw new LockFallback("its packages cannot agree");
}

/** Of the nodes that are not rejected: the newest of each name, and the names with several versions. */
function contenders(root: Node) {
  const best = new Map<string, string>();
  const disputed = new Set<string>();
  pass(root, true, (goesOn, each) => {
    if (!goesOn || each.state === "rejected") {
      each.state = "rejected";
      return false;
    }
    const { key } = each;
    const known = best.get(key);
    const order = known === undefined ? 1 : compareNuget(each.item.version, known);
    if (known !== undefined && order !== 0) disputed.add(key);
    if (order > 0) best.set(key, each.item.version);
    return true;
  });
  return { best, disputed };
}

/** The subtree of a contended package may disappear once it is resolved. */
function ambiguousBelow(root: Node, disputed: ReadonlySet<string>): ReadonlySet<string> {
  const ambiguous = new Set<string>();
  pass(root, "plain", (state: "plain" | "below" | "rejected", each) => {
    if (each.state === "rejected") return "rejected";
    const { key } = each;
    if (state === "plain" && disputed.has(key)) return "below";
    if (state === "below") ambiguous.add(key);
    return state;
  });
  return ambiguous;
}
