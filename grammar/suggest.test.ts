import test from "ava";
import fc from "fast-check";
import { suggest } from "./suggest.js";

const attributes = ["timeout", "concurrency", "run", "run_in", "when", "listen", "max_body_size"];

const cases: ReadonlyArray<readonly [word: string, meant: string | undefined]> = [
  ["timeuot", "timeout"],
  ["tiemout", "timeout"],
  ["time", undefined],
  ["Timeout", "timeout"],
  ["timeout_seconds", "timeout"],
  ["runin", "run_in"],
  ["runIn", "run_in"],
  ["run-in", "run_in"],
  ["rn", "run"],
  ["x", undefined],
  ["rum", "run"],
  ["concurency", "concurrency"],
  ["body_size", "max_body_size"],
  ["size", "max_body_size"],
  ["lsiten", "listen"],
  ["wehn", "when"],
  ["completely_other", undefined],
  ["", undefined],
];
for (const [word, meant] of cases) {
  test(`"${word}" suggests ${meant ?? "nothing"}`, (t) => {
    t.is(suggest(word, attributes), meant);
  });
}

test("the nearest candidate wins, the first among equals", (t) => {
  t.is(suggest("deploy-wep", ["deploy-api", "deploy-web", "deploy-wem"]), "deploy-web");
});

test("a word is never suggested for itself", (t) => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (word, words) => {
      return suggest(word, [...words, word]) !== word;
    }),
  );
  t.pass();
});

test("one swap of neighbours in a long word is always forgiven", (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{6,12}$/), fc.nat(), (word, location) => {
      const at = location % (word.length - 1);
      const swapped =
        word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
      return swapped === word || suggest(swapped, ["unrelated_thing", word]) === word;
    }),
  );
  t.pass();
});
