/** A part of a pattern matches what Node says it matches. */
import { matchesGlob } from "node:path";
import test from "ava";
import fc from "fast-check";
import { matcherOf } from "./segment.js";

const characters = fc.constantFrom(
  "a",
  "b",
  ".",
  "-",
  "*",
  "?",
  "[",
  "]",
  "{",
  "}",
  ",",
  "!",
  "ä",
  "😀",
);
const segments = fc.array(characters, { minLength: 1, maxLength: 6 }).map((all) => all.join(""));
const names = fc
  .array(fc.constantFrom("a", "b", ".", "-", ",", "\n", "ä", "😀", "["), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) => all.join(""))
  .filter((name) => name !== "." && name !== "..");

test("as Node's own", (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        segments,
        names,
        (segment, name) => matcherOf(segment)(name) === matchesGlob(name, segment),
      ),
      { numRuns: 20_000 },
    ),
  );
});
