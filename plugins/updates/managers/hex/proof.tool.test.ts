/** From a release in a Hex registry to a clone whose lock Hex takes: notification, pull request, merge. And Hex itself at work. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ava from "ava";
import { fetched, needs, program } from "../../../../tests/support/needs.js";
import { updatesFixture } from "../../testing/fixture.js";
import { hexRegistry } from "../../testing/hex-registry.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { cloned, notify, rules } from "../../testing/proof.js";
import { updatedBy } from "../../testing/propose-update.js";
import { hexArchives, mixed } from "../../testing/real-mix.js";
import type { ManagerSettings } from "../contract.js";
import { hex } from "./manager.js";

const test = needs(ava, program("mix"), fetched("elixir-hex-*", "Hex"));

// Elixir takes its time to start on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const mix = (...deps: readonly string[]): string =>
  `defmodule App.MixProject do\n  use Mix.Project\n\n  def project, do: [app: :app, version: "0.1.0", deps: deps()]\n\n  defp deps, do: [${deps.join(", ")}]\nend\n`;

test("a release is merged with its lock, and one that brings in more; where Hex has a choice the update waits for it", async (t) => {
  await using registry = await hexRegistry();
  registry.publish("left", "1.0.0");
  const begin = await mixed(registry, { "mix.exs": mix('{:left, "~> 1.0.0"}') }, ["deps.get"]);
  const at = await updatesFixture(t, { inside: `registry "hex" { url = "${registry.url}" }` });
  const repo = await at.repo("app", begin);
  await at.config(repo, rules("hex"));
  const merged = async () => {
    const clone = await cloned(t, at, repo);
    const read = (name: string) => readFile(join(clone, name), "utf8");
    return { "mix.exs": await read("mix.exs"), "mix.lock": await read("mix.lock") };
  };

  registry.publish("left", "1.0.1");
  await notify(at, "hex", "left", "1.0.1");
  await at.pulls(1, "state=merged");
  const first = await merged();
  t.is(first["mix.exs"], mix('{:left, "~> 1.0.1"}'));
  t.deepEqual(await mixed(registry, { ...begin, ...first }, ["deps.get"]), first);
  t.is(
    (await mixed(registry, { ...begin, "mix.exs": first["mix.exs"] }, ["deps.update", "left"]))[
      "mix.lock"
    ],
    first["mix.lock"],
  );

  registry.publish("deeper", "0.1.0");
  registry.publish("fresh", "1.0.0", [{ name: "deeper", requirement: "== 0.1.0" }], {
    tools: ["rebar3", "make"],
  });
  registry.publish("left", "1.0.2", [{ name: "fresh", requirement: ">=1.0.0 and <2.0.0" }]);
  await notify(at, "hex", "left", "1.0.2");
  await at.pulls(2, "state=merged");
  const second = await merged();
  t.regex(
    second["mix.lock"],
    /"deeper": [^\n]+\n {2}"fresh": [^\n]+\[:make, :rebar3\][^\n]+\n {2}"left"/,
  );
  t.deepEqual(await mixed(registry, second, ["deps.get"]), second);
  t.is(
    (await mixed(registry, { ...second, "mix.lock": first["mix.lock"] }, ["deps.get"]))["mix.lock"],
    second["mix.lock"],
  );

  crossroads(registry.publish);
  registry.publish("left", "1.0.3", BOTH);
  await notify(at, "hex", "left", "1.0.3");
  const [open] = await at.pulls(1, "state=open");
  t.regex(
    String(open?.attributes.note),
    /several versions of shared fit .*`mix deps\.update left`/,
  );
  t.is((await at.pulls(2, "state=merged")).length, 2);
});

const BOTH = ["one", "other"].map((name) => ({ name, requirement: "~> 1.0" }));

/** Which `shared` is taken depends on which of the two is looked at first. */
function crossroads(publish: (name: string, version: string, needs?: typeof BOTH) => void): void {
  for (const version of ["1.0.0", "2.0.0"]) publish("shared", version);
  publish("one", "1.0.0", [{ name: "shared", requirement: "~> 1.0" }]);
  publish("other", "1.0.0", [{ name: "shared", requirement: ">= 1.0.0" }]);
}

test.serial(
  "Mix locks what cannot be resolved in process, if the instance allows it",
  async (t) => {
    process.env.MIX_ARCHIVES = await hexArchives();
    await using registry = await hexRegistry();
    await using tools = workshop();
    registry.publish("left", "1.0.0");
    registry.publish("kept", "1.0.0");
    const version = { VERSION: "0.3.0\n" };
    const manifest = mix('{:left, "~> 1.0"}', "{:kept, kept()}").replace(
      "  defp deps",
      '  defp kept, do: File.read!("VERSION") && "~> 1.0"\n  defp deps',
    );
    const files = await mixed(registry, { "mix.exs": manifest, ...version }, ["deps.get"]);
    crossroads(registry.publish);
    registry.publish("kept", "1.9.0");
    registry.publish("left", "1.2.0", BOTH);
    const settings: ManagerSettings = { registries: [{ manager: "hex", url: registry.url }] };
    const wanting = { manager: hex, sources: repository(files), name: "left", tools };
    const edit = await updatedBy({ ...wanting, settings });
    t.is(edit.lock.kind, "stale");
    t.deepEqual([...edit.files.keys()], ["mix.exs"]);

    const unsafe = ["hex" as const];
    const byTool = await updatedBy({ ...wanting, settings: { ...settings, unsafe } });
    t.deepEqual(byTool.lock, { kind: "refreshed", tier: "tool", by: "hex 2.0.6" });
    const after = { ...files, ...Object.fromEntries(byTool.files) };
    t.is(after["mix.exs"], manifest.replace('left, "~> 1.0"', 'left, "~> 1.2"'));
    t.regex(
      after["mix.lock"] ?? "",
      /"kept": \{:hex, :kept, "1\.0\.0"[\s\S]*"shared": \{:hex, :shared, "1\.0\.0"/,
    );
    t.deepEqual(await mixed(registry, after, ["deps.get"]), after);

    // Without Hex in it Mix is no help.
    process.env.MIX_ARCHIVES = tools.scratch;
    const without = await updatedBy({ ...wanting, settings: { ...settings, unsafe } });
    t.is(without.lock.kind, "stale");
  },
);
