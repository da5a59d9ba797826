/** Compares hundreds of random graphs with Hex's own solver, with the same packages unlocked. */
import ava from "ava";
import fc from "fast-check";
import { fetched, needs, program } from "../../../../tests/support/needs.js";
import { UpdatesError } from "../../errors.js";
import { elixir } from "../../testing/real-mix.js";
import { LockFallback } from "../lock/refresh.js";
import type { HexRelease } from "./registry.js";
import { resolveHex } from "./resolve.js";

const test = needs(ava, program("mix"), fetched("elixir-hex-*", "Hex"));

// Elixir takes its time to start on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const NAMES = ["a", "b", "c", "d", "e", "f"];
const VERSIONS = ["1.0.0", "1.1.0", "1.2.0-rc.1", "1.2.0", "2.0.0", "2.1.0"];
const REQUIREMENTS = [
  "~> 1.0",
  "~> 1.0",
  ">= 1.0.0",
  "~> 1.1",
  "~> 2.0",
  "1.1.0",
  "~> 1.0.0",
  ">= 1.1.0 and < 2.0.0",
];

interface Need {
  readonly name: string;
  readonly requirement: string;
  readonly optional: boolean;
}
/** By name and version, what each release needs. */
type Graph = Readonly<Record<string, Readonly<Record<string, readonly Need[]>>>>;

const requirement = fc.constantFrom(...REQUIREMENTS);
/** Only of those behind: Hex has no circles. */
const needsOf = (index: number) =>
  fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...NAMES.slice(index + 1), "f"),
      requirement,
      optional: fc.constantFrom(false, false, false, true),
    }),
    { maxLength: index >= 5 ? 0 : 2, selector: ({ name }) => name },
  );
const graph: fc.Arbitrary<Graph> = fc
  .tuple(...NAMES.map((_, index) => fc.array(needsOf(index), { minLength: 6, maxLength: 6 })))
  .map((all) =>
    Object.fromEntries(
      NAMES.map((name, index) => [
        name,
        Object.fromEntries(VERSIONS.map((version, at) => [version, all[index]?.[at] ?? []])),
      ]),
    ),
  );
const roots = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("b", "c", "d"),
    requirement: fc.constantFrom("~> 1.0", ">= 1.0.0"),
  }),
  { maxLength: 2, selector: ({ name }) => name },
);

interface Question {
  readonly graph: Graph;
  /** Releases that are there by now. */
  readonly count: number;
  readonly roots: readonly { readonly name: string; readonly requirement: string }[];
  readonly locked: Readonly<Record<string, string>>;
}

const SOLVER = `
defmodule Graph do
  def prefetch(_), do: :ok
  def versions(_, name) do
    case Process.get(:graph)[name] do
      nil -> :error
      all -> {:ok, all |> Enum.map(&Version.parse!(elem(&1, 0))) |> Enum.sort(&(Version.compare(&1, &2) != :gt))}
    end
  end
  def dependencies(_, name, version) do
    {_, needs} = List.keyfind(Process.get(:graph)[name], to_string(version), 0)
    {:ok, Enum.map(needs, fn {n, r, o} -> %{repo: nil, name: n, constraint: Hex.Solver.parse_constraint!(r), optional: o, label: n} end)}
  end
end
`;

const list = (items: readonly string[]): string => `[${items.join(", ")}]`;
const text = JSON.stringify;

/** What Hex would lock, `a 1.0.0 b 2.0.0`; a minus where it finds nothing. */
async function solved(questions: readonly Question[]): Promise<readonly string[]> {
  const terms = questions.map(({ graph: all, count, roots: question, locked }) => {
    const packages = Object.entries(all).map(([name, releases]) => {
      const some = Object.entries(releases).slice(0, count);
      const printed = some.map(
        ([version, needs]) =>
          `{${text(version)}, ${list(needs.map((need) => `{${text(need.name)}, ${text(need.requirement)}, ${need.optional}}`))}}`,
      );
      return `${text(name)} => ${list(printed)}`;
    });
    const pairs = (entries: readonly (readonly [string, string])[]): string =>
      list(entries.map(([name, value]) => `{${text(name)}, ${text(value)}}`));
    const wanted = question.map(({ name, requirement: said }) => [name, said] as const);
    return `{%{${packages.join(", ")}}, ${pairs(wanted)}, ${pairs(Object.entries(locked))}}`;
  });
  const code = `Logger.configure(level: :error)
${SOLVER}
for {graph, roots, locked} <- ${list(terms)} do
  Process.put(:graph, graph)
  roots = Enum.map(roots, fn {n, r} -> %{repo: nil, name: n, constraint: Hex.Solver.parse_constraint!(r), optional: false, label: n} end)
  locked = Enum.map(locked, fn {n, v} -> %{repo: nil, name: n, constraint: Hex.Solver.parse_constraint!(v), version: Hex.Solver.parse_constraint!(v), label: n} end)
  case Hex.Solver.run(Graph, roots, locked, []) do
    {:ok, found} -> IO.puts(found |> Enum.sort() |> Enum.map_join(" ", fn {n, {v, _}} -> "#{n} #{v}" end))
    {:error, _} -> IO.puts("-")
  end
end`;
  return (await elixir(code)).trimEnd().split("\n");
}

const lockOf = (line: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...line.matchAll(/(\w) (\S+)/g)].map(([, name = "", version = ""]) => [name, version]),
  );

const releasesOf = (all: Graph, name: string): readonly HexRelease[] =>
  Object.entries(all[name] ?? {}).map(([version, needs]) => ({
    ...{ version, inner: "", outer: "" },
    needs: needs.map((need) => ({ ...need, app: need.name, repo: "hexpm" })),
  }));

test("resolved versions equal Hex's, and Hex refuses refused ones", async (t) => {
  const projects = fc
    .sample(fc.record({ graph, roots, to: fc.constantFrom("1.1.0", "1.2.0", "2.0.0", "2.1.0") }), {
      numRuns: 500,
      seed: 1,
    })
    .map((one) => ({ ...one, roots: [{ name: "a", requirement: "~> 1.0" }, ...one.roots] }));
  const before = await solved(projects.map((one) => ({ ...one, count: 2, locked: {} })));
  const results: { readonly question: Question; readonly mine: string; readonly index: number }[] =
    [];
  let fallbacks = 0;
  for (const [index, { graph: all, roots, to }] of projects.entries()) {
    const old = lockOf(before[index] ?? "-");
    if (old.a === undefined || old.a === to) continue;
    const pinned = roots.map((root) => (root.name === "a" ? { ...root, requirement: to } : root));
    const question = { graph: all, count: 6, roots: pinned };
    const without = (names: readonly string[]) =>
      Object.fromEntries(Object.entries(old).filter(([name]) => !names.includes(name)));
    try {
      const moved = await resolveHex({
        locked: Object.entries(old).map(([app, version]) => ({
          ...{
            app,
            name: app,
            version,
            repo: "hexpm",
            inner: "",
            start: 0,
            range: { start: 0, end: 0 },
          },
          needs: releasesOf(all, app).find((one) => one.version === version)?.needs,
        })),
        roots: pinned.map(({ name, requirement: said }) => ({
          app: name,
          requirement: said,
          override: false,
        })),
        wanted: new Map([["a", to]]),
        releasesOf: async ({ name }) => releasesOf(all, name),
      });
      const after = {
        ...old,
        ...Object.fromEntries([...moved].map(([app, { release }]) => [app, release.version])),
      };
      const mine = Object.entries(after).map(([name, version]) => `${name} ${version}`);
      results.push({
        question: { ...question, locked: without([...moved.keys()]) },
        mine: mine.sort().join(" "),
        index,
      });
    } catch (error) {
      if (error instanceof UpdatesError)
        results.push({ question: { ...question, locked: without(["a"]) }, mine: "-", index });
      else if (error instanceof LockFallback) fallbacks += 1;
      else throw error;
    }
  }
  const theirs = await solved(results.map(({ question }) => question));
  for (const [at, { mine, question, index }] of results.entries()) {
    const said = lockOf(theirs[at] ?? "");
    // A package that nothing requires any more stays in the lock, as with Mix.
    const old = lockOf(before[index] ?? "");
    const all =
      theirs[at] === "-"
        ? "-"
        : Object.entries({ ...old, ...said })
            .map(([name, version]) => `${name} ${version}`)
            .sort()
            .join(" ");
    t.is(mine, all, JSON.stringify(question));
  }
  const [done, refused] = [true, false].map(
    (one) => results.filter(({ mine }) => (mine !== "-") === one).length,
  );
  t.log(`${done} resolved, ${refused} refused, ${fallbacks} left to Mix`);
  t.true((done ?? 0) > 200 && (refused ?? 0) > 10 && fallbacks > 0);
});
