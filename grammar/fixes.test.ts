import test from "ava";
import { applyFixes } from "./fixes.js";
import { parse } from "./parse.js";
import { faultyTexts } from "./testing/texts.js";

const edit = (start: number, end: number, text: string) => ({ file: "x", start, end, text });

test("edits are applied wherever they are in the list", (t) => {
  t.is(applyFixes("abcdef", [[edit(4, 5, "E")], [edit(0, 1, "A")]]), "AbcdEf");
});

test("insertions at one place keep their order", (t) => {
  t.is(applyFixes("ab", [[edit(1, 1, "x")], [edit(1, 1, "y")]]), "axyb");
});

test("of two fixes that overlap the first is applied", (t) => {
  t.is(applyFixes("abcdef", [[edit(1, 4, "-")], [edit(3, 5, "+")]]), "a-ef");
});

test("a fix is applied whole or not at all", (t) => {
  const whole = [edit(0, 1, "A"), edit(3, 4, "D")];
  t.is(applyFixes("abcdef", [[edit(2, 5, "-")], whole]), "ab-f");
});

test("edits outside of the text are left out", (t) => {
  t.is(applyFixes("abc", [[edit(2, 9, "x")], [edit(-1, 1, "y")], [edit(2, 1, "z")]]), "abc");
});

for (const { name, text } of faultyTexts) {
  test(`every fix offered for ${name} removes what it is offered for`, (t) => {
    const { diagnostics } = parse({ path: "x", text });
    for (const { fix, code, location } of diagnostics) {
      if (fix === undefined || location === undefined) continue;
      const repaired = applyFixes(text, [fix.edits]);
      const line = (source: string, at: number) => source.slice(0, at).split("\n").length;
      const after = parse({ path: "x", text: repaired }).diagnostics;
      const still = after.filter(
        (other) =>
          other.code === code &&
          other.message === diagnostics.find((each) => each.fix === fix)?.message &&
          line(repaired, other.location?.start ?? 0) === line(text, location.start) &&
          other.location?.start === location.start,
      );
      t.deepEqual(still, [], `${code} "${fix.title}" on line ${line(text, location.start)}`);
      t.true(after.length <= diagnostics.length + 1, `${code} "${fix.title}"`);
    }
    t.pass();
  });
}
