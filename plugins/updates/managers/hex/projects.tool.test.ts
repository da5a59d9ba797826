/** Files mix.exs as people write them: what is read without running them is what Elixir says when it runs them. */
import ava from "ava";
import { fetched, needs, program } from "../../../../tests/support/needs.js";
import { repository } from "../../testing/manager-fixture.js";
import { elixir } from "../../testing/real-mix.js";
import { hex } from "./manager.js";

const test = needs(ava, program("mix"), fetched("elixir-hex-*", "Hex"));

// Elixir takes its time to start on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const PROJECTS: Readonly<Record<string, string>> = {
  "a web application as its generator makes it": `
  def project do
    [
      app: :hello,
      version: "0.1.0",
      elixir: "~> 1.14",
      elixirc_paths: elixirc_paths(Mix.env()),
      start_permanent: Mix.env() == :prod,
      aliases: aliases(),
      deps: deps(),
      listeners: [Phoenix.CodeReloader]
    ]
  end

  def application, do: [mod: {Hello.Application, []}, extra_applications: [:logger, :runtime_tools]]

  defp elixirc_paths(:test), do: ["lib", "test/support"]
  defp elixirc_paths(_), do: ["lib"]

  # Type \`mix help deps\` for examples and options.
  defp deps do
    [
      {:phoenix, "~> 1.7.21"},
      {:phoenix_live_reload, "~> 1.2", only: :dev},
      {:floki, ">= 0.30.0", only: :test},
      {:esbuild, "~> 0.8", runtime: Mix.env() == :dev},
      {:heroicons,
       github: "tailwindlabs/heroicons",
       tag: "v2.1.1",
       sparse: "optimized",
       app: false,
       compile: false,
       depth: 1},
      {:dns_cluster, "~> 0.1.1"}
    ]
  end

  defp aliases do
    [
      setup: ["deps.get", "assets.setup", "assets.build"],
      "assets.deploy": ["tailwind hello --minify", "phx.digest"],
      test: ["ecto.create --quiet", {:run, "1.0.0"}, "test"] |> Enum.filter(&is_binary/1)
    ]
  end`,
  "requirements in attributes, sigils, lists in several functions": `
  @version "1.2.3"
  @family "~> 0.4" # of both
  @source_url "https://example.test/x"
  @dev_only [only: [:dev], runtime: false]

  def project do
    [app: :lib, version: @version, deps: deps(Mix.env()) ++ tools() ++ [{:last, ">= 1.0.0 and < 3.0.0"}], package: package()]
  end

  defp deps(_) do
    [
      {:one, @family},
      {:two, @family, only: ~w(dev test)a, runtime: false},
      {:three, "== 2.0.0-rc.1", [hex: :troix, only: :prod]}
    ]
  end

  defp tools, do: [{:credo, "~> 1.7", only: [:dev, :test], runtime: false}, {:opt, "~> 1.0 or ~> 2.0", optional: true}]

  defp package, do: [licenses: ["MIT"], links: %{"GitHub" => @source_url, "Docs" => "~> 1.0"}]`,
  "pipes, overrides, organizations and directories": `
  def project, do: [app: :x, version: "0.1.0", deps: deps(), dialyzer: [plt_add_apps: [:mix], flags: [:error_handling]]]

  defp deps() do
    Enum.concat([
      [{:private, "~> 0.1", organization: "acme"}, {:"quoted_one", "~> 1.0"}],
      [
        {:forced, "~> 2.0", override: true, manager: :rebar3},
        {:beside, path: "../beside"},
        {:from_git, "~> 1.0", git: "https://example.test/from_git.git", branch: "main"},
        {:any, ">= 0.0.0"}
      ]
    ])
    |> Enum.reject(fn {name, _} -> name == :nobody
      _ -> false
    end)
  end`,
  "tuples that are no dependencies": `
  def project do
    [
      app: :y,
      version: "2.0.0",
      deps: [{:only_one, "~> 3.0"}],
      releases: [y: [version: {:from_app, :y}, applications: [y: :permanent], strip_beams: [keep: ["Docs"]]]],
      docs: [extras: [{"README.md", title: "Read me"}], groups_for_modules: [Core: ["1.0"]]],
      test_coverage: [summary: [threshold: 80]]
    ]
  end

  def other do
    case Version.parse("1.0.0") do
      {:ok, version} -> {:found, version}
      :error -> {:error, "nothing at 1.0.0"}
    end
  end`,
};

const DUMP = `
text = fn value -> if is_list(value), do: Enum.map_join(value, "+", &to_string/1), else: to_string(value) end
line = fn
  {app, options} when is_list(options) -> {app, "", options}
  {app, requirement} -> {app, requirement, []}
  three -> three
end
for {app, requirement, options} <- Enum.map(module.project()[:deps], line) do
  only = options |> Keyword.get(:only, []) |> List.wrap()
  dev = only != [] and :prod not in only
  away = Enum.any?([:git, :github, :path], &Keyword.has_key?(options, &1))
  IO.puts(Enum.join([app, requirement, options[:hex] || app, dev, away, text.(options[:organization] || "")], "|"))
end
IO.puts("--")
`;

test("requirements of mix.exs files equal Elixir's", async (t) => {
  const entries = Object.entries(PROJECTS);
  const modules = entries.map(([, body], index) => `defmodule P${index} do\n${body}\nend`);
  const loop = `for module <- [${entries.map((_, index) => `P${index}`).join(", ")}] do\n${DUMP}\nend`;
  const said = (await elixir(`Mix.start()\n${modules.join("\n")}\n${loop}`)).trim().split("--");
  for (const [index, [name, body]] of entries.entries()) {
    const text = `defmodule P do\n  use Mix.Project\n${body}\nend\n`;
    const found = hex.parse(repository({ "mix.exs": text }), { registries: [] });
    const mine = found.dependencies.map(
      ({ id, name: package_, declarations, development, origin }) =>
        [
          ...[id, declarations[0]?.requirement, package_, development, origin.kind === "none"],
          origin.kind === "registry" ? (/\/repos\/(.+)$/.exec(origin.url)?.[1] ?? "") : "",
        ].join("|"),
    );
    t.deepEqual(mine.sort(), (said[index] ?? "").trim().split("\n").sort(), name);
    for (const { declarations } of found.dependencies)
      for (const { range, requirement } of declarations)
        t.is(text.slice(range.start, range.end), requirement);
  }
});
