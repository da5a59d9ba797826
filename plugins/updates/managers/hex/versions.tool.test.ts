/** What a lock says that a package needs, beside what Hex's own solver makes of the same words. */
import ava from "ava";
import fc from "fast-check";
import { needs, program } from "../../../../tests/support/needs.js";
import { elixir } from "../../testing/real-mix.js";
import { asHexWrites, hexVersioning, isHexRequirement } from "./versions.js";

const test = needs(ava, program("mix"));

// Elixir takes its time to start on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const number = fc.constantFrom(..."0 0 1 1 1 2 2 2 3 3 10 01".split(" "));
const version = fc
  .tuple(
    number,
    number,
    fc.option(number, { freq: 9 }),
    fc.constantFrom("", "", "", "-rc.1", "-0", "-rc.01", "+b.1"),
  )
  .map(
    ([major, minor, patch, rest]) => `${major}.${minor}${patch === null ? "" : `.${patch}`}${rest}`,
  );
const clause = fc
  .tuple(
    fc.constantFrom("~>", "~>", ">=", "<=", ">", "<", "==", ""),
    fc.constantFrom(" ", " ", ""),
    version,
  )
  .map((parts) => parts.join(""));
const requirement = fc
  .array(fc.tuple(clause, fc.constantFrom(" and ", " or ")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map(([text, word], index) => (index === 0 ? text : word + text)).join(""));

const VERSIONS = [
  ...["0.0.0", "0.1.0", "1.0.0-0", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.2.3", "1.10.0"],
  ...["2.0.0-0", "2.0.0-rc.1", "2.0.0", "2.1.0", "2.1.2", "3.0.0", "10.0.0", "10.10.10"],
];

test("written requirements equal Hex's, and satisfaction equals Elixir's", async (t) => {
  const texts = [...new Set(fc.sample(requirement, { numRuns: 4000, seed: 1 }))];
  const code = `
    versions = ${JSON.stringify(VERSIONS)}
    for text <- ${JSON.stringify(texts)} do
      written = try do
        to_string(Hex.Solver.Requirement.to_constraint!(text))
      rescue
        _ -> "-"
      end
      allowed = case Version.parse_requirement(text) do
        :error -> "-"
        {:ok, it} -> Enum.map_join(versions, fn one -> if Version.match?(one, it), do: "1", else: "0" end)
      end
      IO.puts(written <> "|" <> allowed)
    end`;
  const lines = (await elixir(code)).trim().split("\n");
  t.is(lines.length, texts.length);
  let count = 0;
  for (const [index, text] of texts.entries()) {
    const [written, allowed] = (lines[index] ?? "").split("|");
    const mine = asHexWrites(text);
    if (mine !== undefined) count += 1;
    t.is(mine ?? "-", written ?? "", text);
    const bits = VERSIONS.map((one) => (hexVersioning.satisfies(one, text) ? "1" : "0")).join("");
    t.is(isHexRequirement(text) ? bits : "-", allowed ?? "", text);
  }
  t.true(count > 500, `${count}`);
});
