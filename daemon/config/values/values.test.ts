import { inspect } from "node:util";
import test from "ava";
import fc from "fast-check";
import { runs } from "../../../tests/support/runs.js";
import { anyText } from "../../../tests/support/text.js";
import { evaluated } from "../testing/evaluate-text.js";
import { hostMatches, parseHostPattern } from "./host-pattern.js";
import { compilePattern, LinearPattern, PatternFault } from "./pattern.js";
import { parseDuration, parseSize, Quantity, renderDuration, renderSize } from "./quantity.js";
import { quoteString, renderValue } from "./render.js";

const renders = test.macro<[(amount: number) => string, number, string]>({
  exec: (t, render, amount, text) => t.is(render(amount), text),
  title: (_, render, amount, text) => `${render.name} writes ${amount} as ${text}`,
});
test(renders, renderDuration, 0, "0s");
test(renders, renderDuration, 5_400_000, "1h30m");
test(renders, renderDuration, 86_400_000 * 30, "30d");
test(renders, renderDuration, 61_001, "1m1s1ms");
test(renders, renderDuration, -30_000, "-30s");
test(renders, renderSize, 0, "0B");
test(renders, renderSize, 1023, "1023B");
test(renders, renderSize, 65_536, "64KiB");
test(renders, renderSize, 1_500_000, "1500kB");
test(renders, renderSize, 2 * 1024 ** 3, "2GiB");

test("a duration reads back as what it was written from", (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (milliseconds) => {
      t.is(parseDuration(renderDuration(milliseconds)), milliseconds);
      t.is((evaluated(renderDuration(milliseconds)) as Quantity).amount, milliseconds);
    }),
    { numRuns: runs(50, 200) },
  );
});

test("a size reads back as what it was written from", (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 46 }), (bytes) => {
      t.is(parseSize(renderSize(bytes)), bytes);
    }),
    { numRuns: runs(50, 200) },
  );
});

test("text that is no duration and no size is none", (t) => {
  for (const text of ["", "5", "1m30h", "30 s", "s", "1.5h", "-1s"])
    t.is(parseDuration(text), undefined);
  for (const text of ["", "5", "5K", "5 MiB", "MiB"]) t.is(parseSize(text), undefined);
});

test("a string reads back as what it was written from, whatever is in it", (t) => {
  fc.assert(
    fc.property(anyText(), (text) => t.is(evaluated(quoteString(text)), text)),
    { numRuns: runs(50, 500) },
  );
});

test("a rendered value is short, whatever its size", (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 200 }), (value, limit) => {
      t.true(renderValue(value, limit).length <= limit);
    }),
  );
  t.is(renderValue("x".repeat(1000), 10), '"xxxxxxxx…');
});

test("a value that is rendered whole reads back the same", (t) => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      scalar,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(value, (original) => {
      const back = evaluated(renderValue(original, 100_000));
      t.is(JSON.stringify(back), JSON.stringify(original));
    }),
  );
});

// Patterns

const pattern = (source: string, flags = "") => {
  const compiled = compilePattern(source, flags);
  if (compiled instanceof PatternFault) throw new Error(compiled.message);
  return compiled;
};

test("a pattern matches anywhere unless it is anchored", (t) => {
  t.true(pattern("b").test("abc"));
  t.false(pattern("^b$").test("abc"));
});

test("flags change what matches", (t) => {
  t.true(pattern("MAIN", "i").test("main"));
  t.true(pattern("^b$", "m").test("a\nb"));
  t.true(pattern("a.b", "s").test("a\nb"));
  t.false(pattern("a.b").test("a\nb"));
});

test("a match gives the whole and the groups, undefined where a group took no part", (t) => {
  t.deepEqual(pattern("(a)|(b)").match("xb"), ["b", undefined, "b"]);
  t.is(pattern("a").match("x"), undefined);
});

test("a pattern is compiled once", (t) => {
  t.is(pattern("^once$", "i"), pattern("^once$", "i"));
});

test("time grows with the text, whatever the pattern", (t) => {
  t.false(pattern("^(a+)+$").test(`${"a".repeat(10_000)}!`));
  t.false(pattern("(x+x+)+y").test("x".repeat(10_000)));
});

const fault = test.macro({
  exec: (t, source: string, start: number, end: number, message: string) => {
    const found = compilePattern(source, "");
    t.true(found instanceof PatternFault);
    t.like(found, { start, end, message });
  },
  title: (_, source) => `the pattern ${source} is refused at the right place`,
});
test(fault, "a(?=b)", 1, 4, "look-around needs backtracking, which is not done here");
test(fault, "a(?<!b)", 1, 7, "look-around needs backtracking, which is not done here");
test(fault, "(a)\\1", 3, 5, "a back-reference needs backtracking, which is not done here");
test(fault, "a[z-b]", 2, 5, "invalid character class range");
test(fault, "ab(c", 0, 4, "missing closing )");
test(fault, "ab\\", 2, 3, "trailing backslash at end of expression");

test("a pattern that would take long to compile is refused", (t) => {
  t.like(compilePattern("(a|b)".repeat(2_000), ""), {
    message: "it is longer than 4096 characters",
  });
});

test("an unknown flag is refused", (t) => {
  t.true(compilePattern("a", "g") instanceof PatternFault);
});

test("a pattern shows itself as it is written", (t) => {
  const shown = pattern("^a$", "i");
  t.is(String(shown), 're"^a$"i');
  t.is(JSON.stringify({ shown }), '{"shown":"re\\"^a$\\"i"}');
  t.false(inspect(shown).includes("engine"));
  t.true(shown instanceof LinearPattern);
});

// Hosts

const normal = test.macro({
  exec: (t, text: string, expected: string | undefined) => {
    const parsed = parseHostPattern(text);
    t.is("pattern" in parsed ? parsed.pattern : undefined, expected);
  },
  title: (_, text, expected) => `the host pattern "${text}" is ${expected ?? "refused"}`,
});
test(normal, "Example.ORG.", "example.org");
test(normal, "*.example.org", "*.example.org");
test(normal, "api-*.example.org", "api-*.example.org");
test(normal, "b\u00fccher.example", "xn--bcher-kva.example");
test(normal, "192.0.2.1", "192.0.2.1");
test(normal, "2001:DB8::1", "2001:db8::1");
test(normal, "_dmarc.example.org", "_dmarc.example.org");
test(normal, "", undefined);
test(normal, "*", undefined);
test(normal, "*.*", undefined);
test(normal, ".", undefined);
test(normal, "a..b", undefined);
test(normal, "-a.example", undefined);
test(normal, "https://example.org", undefined);
test(normal, "example.org:443", undefined);
test(normal, "example.org/path", undefined);
test(normal, "a b.example", undefined);
test(normal, `${"a".repeat(64)}.example`, undefined);
test(normal, Array(64).fill("abc").join("."), undefined);

const covers = test.macro({
  exec: (t, pattern: string, host: string, expected: boolean) =>
    t.is(hostMatches(host, pattern), expected),
  title: (_, pattern, host, expected) =>
    `${pattern} ${expected ? "covers" : "does not cover"} ${host}`,
});
test(covers, "example.org", "EXAMPLE.org.", true);
test(covers, "example.org", "a.example.org", false);
test(covers, "*.example.org", "a.b.example.org", true);
test(covers, "*.example.org", "example.org", false);
test(covers, "*.example.org", "notexample.org", false);
test(covers, "*.example.org", "a.example.org.evil.test", false);
test(covers, "*.example.org", "a/.example.org", false);
test(covers, "api-*.example.org", "api-1.example.org", true);
test(covers, "*a*b*", "xaxbx", true);
test(covers, "*ab*ab*", "xab", false);
test(covers, "ab*ba", "aba", false);
test(covers, "b\u00fccher.example", "xn--bcher-kva.example", true);
