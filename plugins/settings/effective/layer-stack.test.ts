import test from "ava";
import fc from "fast-check";
import type { Layer } from "./layer.js";
import { LayerStack } from "./layer-stack.js";

const value = fc.constantFrom<unknown>(null, 1, { a: 1 }, { b: 2 });
const values = fc.dictionary(fc.constantFrom("x", "y"), value, { maxKeys: 2 });
const edit = fc.record({ at: fc.nat(400), values, how: fc.constantFrom("put", "add", "remove") });

test("after any edits the cached layers equal freshly computed ones", (t) => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 20 }), (edits) => {
      const layers = Array.from({ length: 300 }, (_, index) => layer(index, { x: { [index]: 1 } }));
      const layerStack = new LayerStack();
      layerStack.said(layers);
      for (const { at, values: set, how } of edits) {
        layers.splice(at, how === "add" ? 0 : 1, ...(how === "remove" ? [] : [layer(at, set)]));
        t.deepEqual(layerStack.said(layers), new LayerStack().said(layers));
      }
    }),
    { numRuns: 50 },
  );
});

test("what is below a value that is no object is not told", (t) => {
  const layers = [
    layer(0, { x: { a: 1 } }),
    layer(1, { x: 2 }),
    ...Array.from({ length: 200 }, (_, index) => layer(index + 2, { y: 1 })),
    layer(300, { x: { b: 1 } }),
  ];
  t.deepEqual(new LayerStack().said(layers).get("x"), [
    { value: { b: 1 }, origin: "file", path: "/300" },
    { value: 2, origin: "file", path: "/1" },
  ]);
});

const layer = (index: number, set: Layer["values"]): Layer => ({
  origin: "file",
  path: `/${index}`,
  values: set,
});
