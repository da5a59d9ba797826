/** mix.exs and mix.lock: what is read, what requirements mean beside Elixir itself, what the lock becomes beside Mix. */
import test from "ava";
import fc from "fast-check";
import { output } from "../../../../tests/support/child.js";
import { fetched, needs, program } from "../../../../tests/support/needs.js";
import { runs } from "../../../../tests/support/runs.js";
import { UpdatesError } from "../../errors.js";
import { hexRegistry, mixLock } from "../../testing/hex-registry.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { updatedBy } from "../../testing/propose-update.js";
import { mixed } from "../../testing/real-mix.js";
import type { ManagerSettings } from "../contract.js";
import { hex } from "./manager.js";
import { hexRequirement, hexVersioning } from "./versions.js";

const withHex = needs(test, program("mix"), fetched("elixir-hex-*", "Hex"));

const withElixir = needs(test, program("mix"));

// Elixir takes its time to start on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const versions =
  "0.0.1 0.1.0 1.0.0 1.0.1 1.2.3 1.10.0 2.0.0-rc.1 2.0.0-rc.10 2.0.0-beta 2.0.0 2.1.0-dev 3.0.0 1.2.3+build 1.2 1 v1.0.0 01.2.3".split(
    " ",
  );
const requirements = [
  ..."~> 1.0|~> 1.2.3|~> 2.0-rc|~> 2.0.0-rc.1|>= 1.0.0|> 1.0.0|< 2.0.0|<= 1.2.3|== 1.0.0|1.0.0|!= 1.0.0|!1.0.0".split(
    "|",
  ),
  ...[
    ">= 1.0.0 and < 2.0.0",
    "~> 1.0 or ~> 2.0",
    "~> 1.0 and != 1.2.3 or == 3.0.0",
    "~>1.2",
    ">=1.0.0",
  ],
  ...["~> 1", ">= 1.0", "1.0", "^1.0", "nonsense", "~> 1.0, ~> 2.0"],
];

withElixir("versions, their order and satisfaction equal Elixir's", (t) => {
  const quoted = (list: readonly string[]): string => JSON.stringify(list);
  const code = `
    versions = ${quoted(versions)}
    parsed = Enum.filter(versions, &(Version.parse(&1) != :error))
    IO.puts(Enum.join(parsed, " "))
    for a <- parsed, do: IO.puts(Enum.map_join(parsed, " ", fn b -> case Version.compare(a, b) do :lt -> -1; :eq -> 0; :gt -> 1 end end))
    for r <- ${quoted(requirements)}, do: IO.puts(case Version.parse_requirement(r) do :error -> "none"; {:ok, q} -> Enum.join(Enum.filter(parsed, &Version.match?(&1, q)), " ") end)`;
  const lines = output("elixir", ["-e", code]).split("\n");
  const line = (index: number): string => lines[index] ?? "";
  const real = versions.filter(hexVersioning.isVersion);
  t.is(real.join(" "), line(0));
  for (const [index, version] of real.entries()) {
    const mine = real.map((other) => Math.sign(hexVersioning.compare(version, other)));
    t.is(mine.join(" "), line(index + 1), version);
  }
  for (const [index, requirement] of requirements.entries()) {
    const theirs = line(index + 1 + real.length);
    const mine = real.filter((version) => hexVersioning.satisfies(version, requirement));
    t.is(mine.join(" "), theirs === "none" ? "" : theirs, requirement);
  }
});

const moves: ReadonlyArray<readonly [from: string, to: string, bumped: string, widened: string]> = [
  ["~> 1.2", "2.3.4", "~> 2.3", "~> 1.2 or ~> 2.3"],
  ["~> 1.2.3", "2.3.4", "~> 2.3.4", "~> 1.2.3 or ~> 2.3.4"],
  ["~> 1.2", "1.5.0", "~> 1.5", "~> 1.2"],
  ["1.2.3", "2.3.4", "2.3.4", "1.2.3 or ~> 2.3.4"],
  ["== 1.2.3", "2.3.4", "== 2.3.4", "== 1.2.3 or == 2.3.4"],
  [">= 1.0.0", "2.3.4", ">= 1.0.0", ">= 1.0.0"],
  [">= 1.0.0 and < 2.0.0", "2.3.4", ">= 1.0.0 and < 3.0.0", ">= 1.0.0 and < 3.0.0"],
  ["~> 1.0 or ~> 2.0", "3.1.0", "~> 3.1", "~> 1.0 or ~> 2.0 or ~> 3.1"],
  ["~> 1.0 or ~> 2.0", "2.1.0", "~> 1.0 or ~> 2.0", "~> 1.0 or ~> 2.0"],
  ["~> 1.0", "2.0.0-rc.1", "~> 2.0.0-rc.1", "~> 1.0 or ~> 2.0.0-rc.1"],
  ["", "2.0.0", "", ""],
];
for (const [from, to, bumped, widened] of moves)
  test(`"${from}" for ${to} becomes "${bumped}", or "${widened}" in a library`, (t) => {
    t.is(hexRequirement(from, to, "bump_versions"), bumped);
    t.is(hexRequirement(from, to, "widen_ranges"), widened);
    t.is(hexRequirement(from, to, "lockfile_only"), from);
    t.true(hexVersioning.satisfies(to, bumped) && hexVersioning.satisfies(to, widened));
  });

const MIX = `defmodule App.MixProject do
  use Mix.Project

  @version "1.0.0"

  def project do
    [
      app: :app,
      version: @version,
      elixir: "~> 1.14",
      deps: deps(),
      aliases: [setup: ["deps.get", "cmd x"]],
      docs: [main: "readme", extras: ["README.md"]]
    ]
  end

  # {:no, "~> 1.0"}
  defp deps do
    [
      {:left, "~> 1.0"}, # {:neither, "~> 1.0"}
      {:renamed, ">= 1.0.0 and < 2.0.0", hex: :other, override: true},
      {:tests, "~> 1.2", only: [:dev, :test], runtime: false},
      {:also_prod, "~> 1.2", only: [:test, :prod]},
      {:inside, "~> 0.1", organization: "acme"},
      {:from_git, "~> 1.0", git: "https://example.test/x.git", tag: "v1"},
      {:from_path, path: "../x"},
      {:sibling, in_umbrella: true},
      {:any, ">= 0.0.0", [only: :dev]},
      {:computed, "~> #{@version}"},
      {:free, only: :dev},
      {:ok, "a text"},
      {:error, 1}
    ] ++ extra(~s({:sigil, "~> 1.0"}), """
    {:heredoc, "~> 1.0"}
    """)
  end
end
`;

test("a mix.exs: requirements, sections and sources", (t) => {
  const { dependencies, runtime, self } = hex.parse(repository({ "mix.exs": MIX }), {
    registries: [],
  });
  t.deepEqual(
    dependencies.map(({ id, name, origin, development, declarations }) => [
      ...[id, name, declarations[0]?.requirement],
      origin.kind === "registry" ? origin.url.replace("https://repo.hex.pm", "") : "none",
      ...(development ? ["dev"] : []),
    ]),
    [
      ["left", "left", "~> 1.0", ""],
      ["renamed", "other", ">= 1.0.0 and < 2.0.0", ""],
      ["tests", "tests", "~> 1.2", "", "dev"],
      ["also_prod", "also_prod", "~> 1.2", ""],
      ["inside", "inside", "~> 0.1", "/repos/acme"],
      ["from_git", "from_git", "~> 1.0", "none"],
      ["from_path", "from_path", "", "none"],
      ["sibling", "sibling", "", "none"],
      ["any", "any", ">= 0.0.0", "", "dev"],
      ["free", "free", "", "", "dev"],
    ],
  );
  t.deepEqual(runtime, { elixir: "~> 1.14" });
  t.is(self, undefined);
  for (const { declarations } of dependencies)
    for (const { range, requirement } of declarations)
      t.is(MIX.slice(range.start, range.end), requirement);
});

test("an umbrella's projects are read with it, and locked at its root", (t) => {
  const member = 'defmodule A do\n  def project, do: [app: :a, deps: [{:left, "~> 1.1"}]]\nend\n';
  const sources = repository({
    "mix.exs":
      'defmodule U do\n  def project, do: [apps_path: "apps", deps: [{:left, "~> 1.0"}]]\nend\n',
    "mix.lock": mixLock({ "left 1.1.0": [], "deep 0.1.0": [] }),
    "apps/a/mix.exs": member,
    "apps/a/deps/left/mix.exs": member,
  });
  t.deepEqual([...hex.filesToRead(sources)].sort(), ["apps/a/mix.exs", "mix.exs", "mix.lock"]);
  const { dependencies } = hex.parse(sources, { registries: [] });
  t.deepEqual(
    dependencies.map(({ name, current, declarations }) => [
      name,
      current,
      declarations.map(({ file }) => file),
    ]),
    [
      ["left", "1.1.0", ["mix.exs", "apps/a/mix.exs"]],
      ["deep", "0.1.0", []],
    ],
  );
});

test("a lock with merge conflicts is reported, and parsing continues", (t) => {
  const found = hex.parse(repository({ "mix.exs": MIX, "mix.lock": "%{\n<<<<<<< ours\n" }), {
    registries: [],
  });
  t.deepEqual(found.broken, [
    { file: "mix.lock", why: "mix.lock has conflicts of a merge in it." },
  ]);
  t.is(found.dependencies.length, 10);
});

test("for any text, parsing ends", (t) => {
  const word = fc.constantFrom(
    ...[
      "{:a, ",
      '"~> 1.0"',
      "}",
      "[",
      "]",
      "%{",
      "only: ",
      ":test",
      '"',
      "'",
      "#{",
      "~s(",
      '"""',
      "\n",
      ", ",
      "#",
      "do",
      "?",
      "\\",
      "é",
      '"a": ',
    ],
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      const { dependencies } = hex.parse(repository({ "mix.exs": text, "mix.lock": text }), {
        registries: [],
      });
      for (const { declarations } of dependencies)
        for (const { range, requirement } of declarations)
          t.is(text.slice(range.start, range.end), requirement);
    }),
    { numRuns: runs(50, 500) },
  );
});

const project = (deps: string): string =>
  `defmodule App do\n  use Mix.Project\n  def project, do: [app: :app, version: "0.1.0", deps: [${deps}]]\nend\n`;

async function world() {
  const registry = await hexRegistry();
  const inner = { name: "inner", requirement: "~> 1.0" };
  const optional = { name: "absent", requirement: "~> 9.0", optional: true };
  registry.publish("left", "1.0.0", [inner, optional]);
  registry.publish("inner", "1.0.0");
  registry.publish("absent", "9.0.0");
  registry.publish("strict", "1.0.0", [{ name: "left", requirement: "< 1.5.0", app: "left" }]);
  const files = {
    "mix.exs": project('{:left, "~> 1.0"}, {:strict, "1.0.0"}'),
    "mix.lock": mixLock({
      "inner 1.0.0": [],
      "left 1.0.0": [optional, inner],
      "strict 1.0.0": [{ name: "left", requirement: "< 1.5.0" }],
    }),
  };
  const settings: ManagerSettings = { registries: [{ manager: "hex", url: registry.url }] };
  return { registry, files, settings, inner, optional };
}

withHex("an entry of the lock equals Mix's, and newer dependencies move along", async (t) => {
  const { registry, files, settings, optional } = await world();
  await using _registry = registry;
  await using tools = workshop();
  const needs = [{ name: "inner", requirement: "~> 1.2" }, optional];
  registry.publish("left", "1.4.0", needs);
  registry.publish("left", "1.4.1");
  registry.retire("left", "1.4.1", "it eats files");
  for (const version of ["1.2.0", "1.3.0", "1.4.0-rc.1", "2.0.0"])
    registry.publish("inner", version);
  const edit = await updatedBy({
    manager: hex,
    sources: repository(files),
    name: "left",
    tools,
    settings,
  });
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  t.is(edit.files.get("mix.exs"), files["mix.exs"].replace("~> 1.0", "~> 1.4"));
  const lock = edit.files.get("mix.lock") ?? "";
  t.is(
    lock,
    mixLock({
      "inner 1.3.0": [],
      "left 1.4.0": [optional, needs[0] ?? optional],
      "strict 1.0.0": [{ name: "left", requirement: "< 1.5.0" }],
    }),
  );
  // Mix with Hex takes it as it is.
  const after = { ...files, ...Object.fromEntries(edit.files) };
  t.deepEqual(await mixed(registry, after, ["deps.get"]), after);
});

test("a version that others do not allow is refused", async (t) => {
  const { registry, files, settings } = await world();
  await using _registry = registry;
  await using tools = workshop();
  const input = { manager: hex, sources: repository(files), name: "left", tools, settings };
  registry.publish("left", "1.6.0");
  await t.throwsAsync(updatedBy(input), {
    instanceOf: UpdatesError,
    code: "does_not_resolve",
    message: "strict 1.0.0 needs left < 1.5.0, and 1.6.0 is used.",
  });
  registry.publish("left", "1.4.0", [{ name: "nowhere", requirement: "~> 1.0" }]);
  await t.throwsAsync(
    updatedBy({ ...input, policy: { ignore: [{ dependency: "left", versions: ["> 1.5.0"] }] } }),
    {
      code: "does_not_resolve",
      message: "No nowhere satisfies all that need it: ~> 1.0.",
    },
  );
});
