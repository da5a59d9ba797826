import test from "ava";
import fc from "fast-check";
import { queryOf } from "./incoming.js";

test("a query is read as the URL standard says, and the first of several counts", (t) => {
  const written = fc.string({ unit: fc.constantFrom(..."ab=&?#/;é"), maxLength: 20 });
  const escaped = fc.string({
    unit: fc.constantFrom(..."a=&+?", "%41", "%", "%zz"),
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.oneof(written, escaped), (query) => {
      const expected = Object.create(null) as Record<string, string>;
      for (const [name, value] of new URLSearchParams(`?${query}`)) expected[name] ??= value;
      t.deepEqual(queryOf(query), expected, query);
    }),
    { numRuns: 500 },
  );
});
