import test from "ava";
import { atMostOneEdit } from "./near-words.js";

const words: ReadonlyArray<readonly [one: string, other: string, near: boolean, what: string]> = [
  ["npm", "npm", true, "the same"],
  ["nmp", "npm", true, "two letters swapped"],
  ["pnm", "npm", true, "the first two swapped"],
  ["np", "npm", true, "the last letter missing"],
  ["pm", "npm", true, "the first letter missing"],
  ["nppm", "npm", true, "a letter doubled"],
  ["npx", "npm", true, "another letter"],
  ["", "n", true, "one letter"],
  ["n", "npm", false, "two letters missing"],
  ["nxx", "npm", false, "two other letters"],
  ["mpn", "npm", false, "two letters swapped across a third"],
  ["nmpp", "npm", false, "swapped and one more"],
  ["ab", "acab", false, "two letters put in"],
  ["aab", "baa", false, "a rotation"],
];
for (const [one, other, near, what] of words)
  test(`${what}: "${one}" and "${other}" are ${near ? "" : "not "}one edit apart`, (t) => {
    t.is(atMostOneEdit(one, other), near);
    t.is(atMostOneEdit(other, one), near);
  });
