import test from "ava";
import { parseDomainPattern } from "./pattern.js";
import { unknownTopLevel } from "./public-suffix.js";

const topLevels: ReadonlyArray<readonly [entry: string, unknown: string | undefined]> = [
  ["github.con", "con"],
  ["*.github.con", "con"],
  ["https://api.example.ogr", "ogr"],
  ["github.com", undefined],
  ["a.example.co.uk", undefined],
  ["www.example.ck", undefined],
  ["пример.рф", undefined],
  ["registry", undefined],
  ["registry.internal", undefined],
  ["printer.local", undefined],
  ["203.0.113.7", undefined],
];
for (const [entry, unknown] of topLevels) {
  test(`${entry} ends in ${unknown ? `.${unknown}, which is not a public suffix` : "a known suffix"}`, (t) => {
    t.is(unknownTopLevel(parseDomainPattern(entry)), unknown);
  });
}

test("an entry of the block list with a star at its end has no top level", (t) => {
  t.is(unknownTopLevel(parseDomainPattern("ads.*", "block")), undefined);
});
