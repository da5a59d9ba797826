/** Checks of a plugin's attributes, wherever they are in a value. */
import test from "ava";
import { load } from "../config/load.js";

import { c } from "../plugin-api/block.js";
import { definePlugin } from "../plugin-api/plugin.js";
import { createCatalog } from "./catalog.js";
import { writeTree } from "./testing/tree.js";

const even = (value: number): string | undefined =>
  value % 2 === 0 ? undefined : `${value} is odd`;
const number = c.number().check(even);

const plugin = definePlugin({
  id: "even",
  title: "Even",
  api: 1,
  blocks: {
    numbers: c.block({
      label: c.name(),
      attrs: {
        one: number.optional(),
        list: c.list(number).optional(),
        map: c.map(number).optional(),
        object: c.object({ a: number, b: c.string() }).optional(),
        deep: c.list(c.map(c.list(number))).optional(),
        both: c
          .list(number)
          .check((list) => (list.length > 1 ? undefined : "one is not enough"))
          .optional(),
      },
    }),
  },
  setup: () => ({ prepare: () => ({ commit: () => undefined }) }),
});

const cases: ReadonlyArray<readonly [attribute: string, message?: string, at?: string]> = [
  ["one = 2"],
  ["one = 3", "3 is odd", "3"],
  ["list = [2, 4]"],
  ["list = [2, 5, 7]", "5 is odd", "5"],
  ["map = { x = 2, y = 7 }", "7 is odd", "7"],
  ['object = { a = 9, b = "b" }', "9 is odd", "9"],
  ["deep = [{ x = [2] }, { y = [4, 11] }]", "11 is odd", "11"],
  ["both = [1]", "1 is odd", "1"],
  ["both = [2]", "one is not enough", "[2]"],
  ["both = [2, 4]"],
];

for (const [attribute, message, at = ""] of cases) {
  test(`${attribute}: ${message ?? "valid"}`, async (t) => {
    const catalog = createCatalog({ builtins: [plugin] });
    t.teardown(() => catalog.close());
    const text = `numbers "x" {\n  ${attribute}\n}\n`;
    const root = writeTree(t, { "main.reeve": text }, "main.reeve");
    const { diagnostics } = await load(root, { catalog });
    t.deepEqual(
      diagnostics.map(({ message, location }) => [
        message,
        text.slice(location?.start, location?.end),
      ]),
      message === undefined ? [] : [[message, at]],
    );
  });
}

test("a check that could not run is refused where it is written", (t) => {
  const scope = c.scope("x", {});
  for (const wrong of [
    () => c.union(c.string(), number),
    () => c.expr({ scope, returns: number }),
    () => c.expr({ scope, returns: c.list(number) }),
  ]) {
    t.throws(wrong, { instanceOf: TypeError, message: /would never run: put it on the attribute/ });
  }
});
