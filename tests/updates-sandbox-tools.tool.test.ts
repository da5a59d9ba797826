/** Cargo, PDM and Mix inside a real sandbox: what they may reach they use, and what they may not is said, with nothing merged. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ava from "ava";
import {
  createTestInternet,
  type TestInternet,
} from "../plugins/firewall/testing/test-internet.js";
import { type CargoRegistry, cargoRegistry } from "../plugins/updates/testing/cargo-registry.js";
import { hexRegistry } from "../plugins/updates/testing/hex-registry.js";
import { inPythonWith, pythonIndex } from "../plugins/updates/testing/python-index.js";
import { hexArchives, mixed } from "../plugins/updates/testing/real-mix.js";
import { sandboxed } from "./sandbox/updates-scene.js";
import { fetched, needs, program } from "./support/needs.js";
import { isLong } from "./support/runs.js";

const test = needs(
  ava,
  program("cargo"),
  program("/usr/bin/pdm", "PDM"),
  program("mix"),
  fetched("elixir-hex-*", "Hex"),
);

// Daemons, sandboxes and package managers: a small machine may take its time.
test.beforeEach((t) => t.timeout(180_000));

const sockets = mkdtempSync(join(tmpdir(), "reeve-sites-"));
const CRATES = { url: "http://93.184.216.42", socket: join(sockets, "crates") };
const INDEX = { url: "http://93.184.216.43", socket: join(sockets, "index") };
const HEX = { url: "http://93.184.216.44", socket: join(sockets, "hex") };

let world: TestInternet;
test.before(async () => {
  const sites = [CRATES, INDEX, HEX].map(({ url, socket }) => [new URL(url).host, socket] as const);
  world = await createTestInternet({}, Object.fromEntries(sites));
});
test.after.always(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(sockets, { recursive: true, force: true });
});

/** The same in the registry that the sandbox sees and in one outside. */
async function crates(both: readonly CargoRegistry[], ...names: readonly string[]): Promise<void> {
  for (const registry of both)
    for (const name of names) {
      const [crate = "", version = "", ...needs] = name.split(" ");
      await registry.publish(crate, version, {
        dependencies: Object.fromEntries(needs.map((each) => [each, "1"])),
      });
    }
}

/** In commits Cargo alone is denied its registry: the sentence about the sandbox is the same for every tool. */
const permissions = isLong ? [true, false] : [true];

const CARGO = {
  "Cargo.toml": `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nleft = "=1.0.0"\nright = "1"\n`,
  "src/lib.rs": "",
};

test.serial("Cargo refreshes its lock within the sandbox that allows the registry", async (t) => {
  await using outside = await cargoRegistry();
  await using registry = await cargoRegistry({ behind: CRATES });
  const both = [outside, registry];
  await crates(both, "left 1.0.0", "right 1.0.0");
  const before = await outside.cargo(CARGO, ["generate-lockfile"]);
  await crates(both, "fresh 1.0.0", "left 1.1.0 fresh");
  const at = await sandboxed(t, world, {
    ...{ manager: "cargo", files: before, registry: CRATES.url, allow: '"93.184.216.42"' },
  });
  const pull = await at.pull("merged");
  t.is(pull.title, "Bump left from 1.0.0 to 1.1.0");
  const theirs = await outside.cargo({ ...before, "Cargo.toml": await at.file("Cargo.toml") }, [
    "update",
    "--workspace",
  ]);
  t.is(await at.file("Cargo.lock"), theirs["Cargo.lock"] ?? "");
  const { commands, allowed, denied } = await at.sandbox();
  t.true(commands >= 2 && allowed > 0 && denied === 0);
});

test.serial("Cargo: what the sandbox does not allow is said, and nothing is merged", async (t) => {
  await using registry = await cargoRegistry({ behind: CRATES });
  await using outside = await cargoRegistry();
  await crates([outside, registry], "left 1.0.0", "right 1.0.0");
  const before = await outside.cargo(CARGO, ["generate-lockfile"]);
  await crates([registry], "fresh 1.0.0", "left 1.1.0 fresh");
  const at = await sandboxed(t, world, {
    ...{ manager: "cargo", files: before, registry: CRATES.url, allow: '"other.test"' },
  });
  const pull = await at.pull("open");
  t.regex(pull.body, /Cargo\.lock is not refreshed: left 1\.1\.0 needs fresh 1;/);
  t.regex(pull.body, /`sandbox "tools"` does not let the tool reach 93\.184\.216\.42/);
  t.is(await at.file("Cargo.lock"), before["Cargo.lock"] ?? "");
});

const project = (url: string, version: string): string =>
  `[project]\nname = "app"\nversion = "0.1.0"\nrequires-python = ">=3.8"\ndependencies = ["left==${version}", "right"]\n\n[[tool.pdm.source]]\nname = "pypi"\nurl = "${url}"\nverify_ssl = false\n`;

/** Where packages come from is not the same outside, and the hash of the project with it. */
const wherever = (lock: string, url: string): string =>
  lock.replaceAll(new URL(url).origin, "").replace(/content_hash = .*/, "");

for (const allowed of permissions)
  test.serial(
    allowed
      ? "PDM refreshes its lock within the sandbox that allows the index"
      : "PDM: what the sandbox does not allow is said, and nothing is merged",
    async (t) => {
      await using outside = await pythonIndex({ title: t.title });
      await using index = await pythonIndex({ behind: INDEX });
      const both = [outside, index];
      for (const each of both) for (const name of ["left", "right"]) each.publish(name, "1.0.0");
      const initial = { "pyproject.toml": project(outside.url, "1.0.0") };
      const { "pdm.lock": lock = "" } = await inPythonWith(outside, initial, ["pdm", "lock"]);
      for (const each of both) {
        each.publish("fresh", "1.0.0");
        each.publish("left", "1.1.0", { requires: ["fresh"] });
      }
      const at = await sandboxed(t, world, {
        manager: "pip",
        registry: index.url,
        files: {
          "pyproject.toml": project(index.url, "1.0.0"),
          "pdm.lock": lock.replaceAll(new URL(outside.url).origin, new URL(index.url).origin),
        },
        allow: allowed ? '"93.184.216.43"' : '"other.test"',
        more: '  unsafe_managers = ["pip"]\n',
      });
      if (!allowed) {
        const { body } = await at.pull("open");
        t.regex(body, /pdm\.lock is not refreshed: left 1\.1\.0 needs other packages than before;/);
        t.regex(body, /`sandbox "tools"` does not let the tool reach 93\.184\.216\.43/);
        return;
      }
      t.is((await at.pull("merged")).title, "Bump left from 1.0.0 to 1.1.0");
      const theirs = await inPythonWith(
        outside,
        { "pyproject.toml": project(outside.url, "1.1.0"), "pdm.lock": lock },
        ["pdm", "install", "--no-self", "--no-default", "--prod"],
      );
      t.is(
        wherever(await at.file("pdm.lock"), index.url),
        wherever(theirs["pdm.lock"] ?? "", outside.url),
      );
      const { commands, denied } = await at.sandbox();
      t.true(commands >= 3 && denied === 0);
    },
  );

/** Which `shared` is taken depends on which of the two is looked at first, so Hex itself is asked. */
const BOTH = ["one", "other"].map((name) => ({ name, requirement: "~> 1.0" }));
const MIX = `defmodule App.MixProject do\n  use Mix.Project\n  def project, do: [app: :app, version: "0.1.0", deps: [{:left, "~> 1.0"}]]\nend\n`;

for (const allowed of permissions)
  test.serial(
    allowed
      ? "Mix refreshes its lock within the sandbox that allows the registry"
      : "Mix: what the sandbox does not allow is said, and nothing is merged",
    async (t) => {
      await using outside = await hexRegistry();
      await using registry = await hexRegistry(HEX);
      for (const { publish } of [outside, registry]) publish("left", "1.0.0");
      const files = await mixed(outside, { "mix.exs": MIX }, ["deps.get"]);
      for (const { publish } of [outside, registry]) {
        for (const version of ["1.0.0", "2.0.0"]) publish("shared", version);
        publish("one", "1.0.0", [{ name: "shared", requirement: "~> 1.0" }]);
        publish("other", "1.0.0", [{ name: "shared", requirement: ">= 1.0.0" }]);
        publish("left", "1.1.0", BOTH);
      }
      const at = await sandboxed(t, world, {
        ...{ manager: "hex", files, registry: HEX.url },
        allow: allowed ? '"93.184.216.44"' : '"other.test"',
        more: '  unsafe_managers = ["hex"]\n',
        shown: { MIX_ARCHIVES: await hexArchives() },
      });
      if (!allowed) {
        const { body } = await at.pull("open");
        t.regex(body, /mix\.lock is not refreshed: several versions of shared fit/);
        t.regex(body, /`sandbox "tools"` does not let the tool reach 93\.184\.216\.44/);
        return;
      }
      t.is((await at.pull("merged")).title, "Bump left from 1.0.0 to 1.1.0");
      const after = { "mix.exs": await at.file("mix.exs"), "mix.lock": await at.file("mix.lock") };
      t.regex(after["mix.lock"], /"shared": \{:hex, :shared, "1\.0\.0"/);
      t.deepEqual(await mixed(outside, after, ["deps.get"]), after);
      const { commands, denied } = await at.sandbox();
      t.true(commands >= 3 && denied === 0);
    },
  );
