import test from "ava";
import { parse } from "../index.js";
import { hasBlock, withEntry } from "./list-entry.js";

const named = (label: string) => ({ block: "sandbox", label });
const addition = { ...named("b"), attribute: "allow", entry: "x.org" };

const rows: ReadonlyArray<readonly [what: string, before: string, after: string]> = [
  ["an empty block", 'sandbox "b" {}\n', 'sandbox "b" {\n  allow = ["x.org"]\n}\n'],
  [
    "a block on one line",
    'sandbox "b" { memory = 2GiB }\n',
    'sandbox "b" {\n  allow = ["x.org"]\n  memory = 2GiB\n}\n',
  ],
  [
    "a block without a list",
    'sandbox "b" {\n  memory = 2GiB\n}\n',
    'sandbox "b" {\n  allow = ["x.org"]\n  memory = 2GiB\n}\n',
  ],
  ["an empty list", 'sandbox "b" {\n  allow = []\n}\n', 'sandbox "b" {\n  allow = ["x.org"]\n}\n'],
  [
    "a list on one line",
    'sandbox "b" {\n  allow = ["a.org"] # why\n}\n',
    'sandbox "b" {\n  allow = ["a.org", "x.org"] # why\n}\n',
  ],
  [
    "a list on many lines",
    'sandbox "b" {\n  allow = [\n    "a.org", # one\n    "b.org", # two\n  ]\n}\n',
    'sandbox "b" {\n  allow = [\n    "a.org", # one\n    "b.org",\n    "x.org", # two\n  ]\n}\n',
  ],
  [
    "a list without a last comma",
    'sandbox "b" {\n  allow = [\n    "a.org",\n    "b.org"\n  ]\n}\n',
    'sandbox "b" {\n  allow = [\n    "a.org",\n    "b.org",\n    "x.org"\n  ]\n}\n',
  ],
  [
    "only this block, among others",
    'sandbox "a" {}\nsandbox "b" {}\n',
    'sandbox "a" {}\nsandbox "b" {\n  allow = ["x.org"]\n}\n',
  ],
];
for (const [what, before, after] of rows) {
  test(`${what} gets one more entry`, (t) => {
    t.deepEqual(withEntry(before, addition), { text: after });
    t.deepEqual(parse({ path: "", text: after }).diagnostics, []);
  });
}

const refused: ReadonlyArray<readonly [what: string, text: string, why: RegExp]> = [
  ["a computed list", 'sandbox "b" { allow = concat(let.a, ["b.org"]) }', /computed/],
  ["an entry that is there", 'sandbox "b" { allow = ["x.org"] }', /already/],
  ["a block of a loop", 'for n in ["b"] {\n  sandbox "${n}" {}\n}\n', /not written as one block/],
  ["a block that is switched off", '/- sandbox "b" {}\n', /not written as one block/],
];
for (const [what, text, why] of refused) {
  test(`${what} is refused`, (t) => {
    const edited = withEntry(text, addition);
    t.regex("refused" in edited ? edited.refused : "", why);
  });
}

test("a text has a block or it has not", (t) => {
  t.true(hasBlock('sandbox "b" {}', named("b")));
  t.false(hasBlock('sandbox "c" {}\nhook "b" {}', named("b")));
});
