/** Records of one hole are one hole. */
import test from "ava";
import type { Advisory } from "./contract.js";
import { mergeAliases } from "./merge-aliases.js";

const record = (id: string, aliases: readonly string[] = [], more: Partial<Advisory> = {}) => ({
  ...{ id, aliases, summary: "", ...more },
  affected: { ecosystem: "PyPI", name: "left", versions: [], ranges: [] },
});

const rows: ReadonlyArray<
  readonly [what: string, records: readonly Advisory[], reported: readonly (readonly string[])[]]
> = [
  ["none", [], []],
  ["others", [record("A"), record("B")], [["A"], ["B"]]],
  ["one names the other", [record("GHSA-1", ["CVE-1"]), record("CVE-1")], [["GHSA-1", "CVE-1"]]],
  [
    "both name a third",
    [record("PYSEC-1", ["CVE-1"]), record("X"), record("GHSA-1", ["CVE-1"])],
    [["PYSEC-1", "CVE-1", "GHSA-1"], ["X"]],
  ],
  [
    "a late one joins two",
    [record("A", ["B"]), record("C", ["D"]), record("E", ["A", "C"])],
    [["A", "B", "E", "C", "D"]],
  ],
  [
    "the most detailed record wins",
    [record("A"), record("B", ["A"], { summary: "words", severity: "HIGH" })],
    [["B", "A"]],
  ],
];
for (const [what, records, expected] of rows)
  test(`${what}: ${expected.map((names) => names.join("=")).join(", ")}`, (t) => {
    t.deepEqual(
      mergeAliases(records).map(({ id, aliases }) => [id, ...aliases]),
      expected as string[][],
    );
  });
