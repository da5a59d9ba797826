/** The order of versions and the meaning of requirements. Pure. */
import ava from "ava";
import fc from "fast-check";
import { fetched, needs } from "../../../../tests/support/needs.js";
import { askNuget } from "../../testing/dotnet.js";
import {
  compareNuget,
  isInRange,
  normalizedNuget,
  readNugetVersion,
  readRange,
  requested,
  shortened,
} from "./versions.js";

const test = needs(ava, fetched("dotnet-sdk-*", ".NET"));

const PROGRAM = `
using System;
using System.IO;
using System.Linq;
using NuGet.Versioning;

class Program {
  static string Of(string[] row) {
    switch (row[0]) {
      case "version":
        NuGetVersion version;
        return NuGetVersion.TryParse(row[1], out version)
          ? version.ToNormalizedString() + " " + version.IsPrerelease : "none";
      case "compare":
        return Math.Sign(NuGetVersion.Parse(row[1]).CompareTo(NuGetVersion.Parse(row[2]))).ToString();
      default:
        VersionRange range;
        if (!VersionRange.TryParse(row[1], out range)) return "none";
        var offered = row.Skip(2).Select(NuGetVersion.Parse).ToList();
        Func<NuGetVersion, bool> fits = one => range.IsFloating ? range.Float.Satisfies(one) && range.Satisfies(one) : range.Satisfies(one);
        return string.Join(" ",
          range.ToNormalizedString().Replace(" ", "_"), range.ToLegacyShortString().Replace(" ", "_"),
          string.Concat(offered.Select(one => fits(one) ? "y" : "n")));
    }
  }
  static void Main(string[] args) {
    foreach (var line in File.ReadAllLines(args[0])) Console.WriteLine(Of(line.Split('\\t')));
  }
}`;

const SEED = 1_207;
const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number): readonly T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: SEED });

const number = fc.oneof(fc.nat(3), fc.constantFrom("0", "00", "01", "10", 2 ** 31 - 1, 2 ** 31));
const numbers = fc.array(number, { minLength: 1, maxLength: 5 }).map((all) => all.join("."));
const label = fc.oneof(
  fc.constantFrom("a", "A", "beta", "rc1", "rc10", "0", "1", "10", "01", "-", "-5", "a-b"),
  fc.constantFrom("2147483648", "99999999999", "100000000000", "-2147483649", "x_y", ""),
);
const labels = fc.array(label, { minLength: 1, maxLength: 3 }).map((all) => `-${all.join(".")}`);
const some = (of: fc.Arbitrary<string>, weight = 1): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: of, weight }, { arbitrary: fc.constant(""), weight: 1 });
const version = fc
  .tuple(numbers, some(labels), some(fc.constantFrom("+build", "+1.a", "+", "+a_b")))
  .map((parts) => parts.join(""));

test("thousands of versions are read, written and ordered as NuGet does", async (t) => {
  t.timeout(120_000);
  const versions = [...new Set(sample(version, 3_000))];
  const valid = versions.filter((one) => readNugetVersion(one));
  const pairs = sample(fc.tuple(fc.constantFrom(...valid), fc.constantFrom(...valid)), 4_000);
  const answers = await askNuget(PROGRAM, [
    ...versions.map((one) => `version\t${one}`),
    ...pairs.map((pair) => ["compare", ...pair].join("\t")),
  ]);
  const ours = [
    ...versions.map((one) => {
      const read = readNugetVersion(one);
      return read ? `${normalizedNuget(one)} ${read.label === "" ? "False" : "True"}` : "none";
    }),
    ...pairs.map(([a, b]) => String(Math.sign(compareNuget(a, b)))),
  ];
  t.true(valid.length > 500 && valid.length < versions.length);
  t.deepEqual(differences([...versions, ...pairs.map(String)], ours, answers), []);
});

const simple = fc
  .tuple(fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), some(fc.constantFrom("-a", "-rc.1")))
  .map(([parts, end]) => parts.join(".") + end);
const floating = fc
  .tuple(
    fc.array(fc.nat(2), { maxLength: 4 }).map((parts) => parts.map((part) => `${part}.`).join("")),
    fc.constantFrom("*", "0-*", "1-a*", "0-rc.*", "1-a-*", "1-*-*", "", "*.1"),
  )
  .map((parts) => parts.join(""));
const bound = fc.oneof({ arbitrary: simple, weight: 4 }, floating);
const space = some(fc.constant(" "));
const range = fc.oneof(
  bound,
  fc.tuple(fc.constantFrom("[", "("), space, bound, space, fc.constantFrom("]", ")")),
  fc.tuple(
    ...[fc.constantFrom("[", "("), space, some(bound, 4), space, fc.constant(",")],
    ...[space, some(simple, 3), space, fc.constantFrom("]", ")", "", "],[2]")],
  ),
);

test("thousands of requirements mean the same as in NuGet, and are written alike", async (t) => {
  t.timeout(120_000);
  const rows = sample(fc.tuple(range, fc.array(simple, { minLength: 8, maxLength: 8 })), 4_000)
    .map(([one, offered]) => ({ text: [one].flat().join(""), offered }))
    // What later versions of NuGet read, and this one does not: bare numbers, `*`, no bounds, a space behind `*`.
    .filter(({ text }) => !/^ *(?:\*|\d+|[[(][ ,]*[\])]) *$|\* /.test(text));
  const answers = await askNuget(
    PROGRAM,
    rows.map(({ text, offered }) => ["range", text, ...offered].join("\t")),
  );
  const ours = rows.map(({ text, offered }) => {
    const read = readRange(text);
    if (!read) return "none";
    const fits = offered.map((one) => (isInRange(read, one) ? "y" : "n")).join("");
    return [requested(read)?.replaceAll(" ", "_"), shortened(read).replaceAll(" ", "_"), fits].join(
      " ",
    );
  });
  t.true(answers.filter((one) => one !== "none").length > 1_500);
  const texts = rows.map(({ text, offered }) => `${text} of ${offered.join(" ")}`);
  t.deepEqual(differences(texts, ours, answers), []);
});

const differences = (
  of: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): readonly string[] =>
  of.flatMap((what, index) =>
    ours[index] === theirs[index] ? [] : [`${what}: ${ours[index]}, not ${theirs[index]}`],
  );
