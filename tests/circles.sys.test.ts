/** No module needs itself: the import graph has no circle, type-only imports included. */
import test from "ava";
import { relativeImports, sourceFiles } from "./source-files.js";

const files = new Set(sourceFiles);
const graph = new Map(
  sourceFiles.map((file) => [
    file,
    relativeImports(file).flatMap((target) =>
      sourceOf(target)
        .filter((source) => files.has(source))
        .slice(0, 1),
    ),
  ]),
);

function sourceOf(target: string): readonly string[] {
  return [target.replace(/\.js$/, ".ts"), target.replace(/\.js$/, ".tsx"), target];
}

/** Strongly connected components of more than one module (Tarjan 1972). */
function circles(edges: ReadonlyMap<string, readonly string[]>): readonly string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node) as number);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next))
        low.set(node, Math.min(low.get(node) as number, low.get(next) as number));
    }
    if (low.get(node) !== order.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || edges.get(node)?.includes(node)) found.push(component.sort());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}

test("the search finds a circle", (t) => {
  const edges = { a: ["b"], b: ["c"], c: ["a"], d: ["a", "d"], e: ["d"] };
  t.deepEqual(circles(new Map(Object.entries(edges))), [["a", "b", "c"], ["d"]]);
});

test("the graph has the project's modules and imports", (t) => {
  t.true(graph.size > 1000);
  t.true([...graph.values()].flat().length > 3000);
});

test("no module imports itself, directly or through others", (t) => {
  t.deepEqual(circles(graph), []);
});
