import test from "ava";
import { read } from "../testing/texts.js";
import { LIMITS } from "./limits.js";

const FAR = 10_000;

/** Something inside itself, so many times. */
const forms: Readonly<Record<string, (depth: number) => string>> = {
  lists: (depth) => `a = ${"[".repeat(depth)}${"]".repeat(depth)}`,
  parentheses: (depth) => `a = ${"(".repeat(depth)}1${")".repeat(depth)}`,
  calls: (depth) => `a = ${"f(".repeat(depth)}${")".repeat(depth)}`,
  indexes: (depth) => `a = ${"x[".repeat(depth)}0${"]".repeat(depth)}`,
  objects: (depth) => `a = ${"{ b = ".repeat(depth)}1${" }".repeat(depth)}`,
  blocks: (depth) => `${"a {\n".repeat(depth)}${"}\n".repeat(depth)}`,
  "blocks on one line": (depth) => `${"a { ".repeat(depth)}${"} ".repeat(depth)}`,
  "blocks in if": (depth) => `${"if a {\n".repeat(depth)}${"}\n".repeat(depth)}`,
  "holes of strings": (depth) => `a = ${'"${'.repeat(depth)}x${'}"'.repeat(depth)}`,
  "conditionals in the middle": (depth) => `a = ${"b ? ".repeat(depth)}c${" : d".repeat(depth)}`,
  "lists with for": (depth) => `a = ${"[for x in ".repeat(depth)}y${": x]".repeat(depth)}`,
};

for (const [name, nested] of Object.entries(forms)) {
  test(`${name} nest ${LIMITS.nesting} deep`, (t) => {
    t.deepEqual(read(nested(LIMITS.nesting)).codes, []);
  });

  test(`${name} one deeper are refused, and reading goes on`, (t) => {
    const { tree, codes } = read(`${nested(LIMITS.nesting + 1)}\nlast = 1`);
    t.deepEqual(codes, ["E041"]);
    t.like(tree.items.at(-1), { kind: "attribute", name: { text: "last" } });
  });

  test(`${name} far beyond the limit are refused`, (t) => {
    t.true(read(nested(FAR)).codes.includes("E041"));
  });

  test(`${name} that are never closed are refused`, (t) => {
    const open = nested(FAR).slice(0, nested(FAR).length / 2);
    t.true(read(open).codes.includes("E041"));
  });
}

/** Chains are read without recursion and make trees as high as they are long. */
const chains: Readonly<Record<string, (length: number) => string>> = {
  "??": (length) => `a = x${" ?? x".repeat(length)}`,
  "||": (length) => `a = x${" || x".repeat(length)}`,
  "+": (length) => `a = x${" + x".repeat(length)}`,
  "!": (length) => `a = ${"!".repeat(length)}x`,
  "-": (length) => `a = ${"-".repeat(length)}1`,
  "? :": (length) => `a = ${"x ? y : ".repeat(length)}z`,
  ".name": (length) => `a = x${".y".repeat(length)}`,
  "[index]": (length) => `a = x${"[0]".repeat(length)}`,
  "(call)": (length) => `a = x${"()".repeat(length)}`,
};

for (const [name, chained] of Object.entries(chains)) {
  test(`a chain of ${LIMITS.height - 1} ${name} is read`, (t) => {
    t.deepEqual(read(chained(LIMITS.height - 1)).codes, []);
  });

  test(`a chain of 10,000 ${name} is refused, and reading goes on`, (t) => {
    const { tree, codes } = read(`${chained(FAR)}\nlast = 1`);
    t.deepEqual(codes, ["E042"]);
    t.like(tree.items.at(-1), { kind: "attribute", name: { text: "last" } });
  });
}

test("height is counted through brackets: long chains inside each other add up", (t) => {
  const chain = (inside: string) => `(${inside}${" + 1".repeat(100)})`;
  t.deepEqual(read(`a = ${chain(chain("1"))}`).codes, []);
  t.deepEqual(read(`a = ${chain(chain(chain("1")))}`).codes, ["E042"]);
});

test("long lists are not high", (t) => {
  t.deepEqual(read(`a = [${"1 + 2 + 3, ".repeat(10_000)}]`).codes, []);
});

test("whatever is accepted can be walked by plain recursion", (t) => {
  const highest = Object.values(chains).map((chained) => chained(LIMITS.height - 1));
  const deepest = Object.values(forms).map((nested) => nested(LIMITS.nesting));
  for (const text of [...highest, ...deepest]) {
    t.notThrows(() => JSON.stringify(read(text).tree));
  }
});
