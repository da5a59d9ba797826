/** Cargo.lock in process against Cargo itself, byte for byte; where that is not certain, Cargo does it or the update says so. */
import ava from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { propose } from "../../decide/propose.js";
import { type CargoRegistry, cargoRegistry, type Published } from "../../testing/cargo-registry.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import type { ManagerSettings, ProjectSources, UpdateEdit } from "../contract.js";
import { cargo } from "./manager.js";

const test = needs(ava, program("cargo"));

type Code = Readonly<Record<string, string>>;

const settingsFor = (url: string): ManagerSettings => ({ registries: [{ manager: "cargo", url }] });

/** What is found, decided and edited for one crate. */
async function updated(
  sources: ProjectSources,
  name: string,
  url: string,
  tools: Workshop,
  refused: readonly string[] = [],
): Promise<UpdateEdit> {
  const found = cargo.parse(sources, settingsFor(url));
  const dependency = found.dependencies.find((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  const decision = await propose({
    manager: cargo,
    dependency,
    runtime: found.runtime,
    library: false,
    advisories: [],
    policy: { lockfileOnly: false, securityOnly: false, ignore: [], refused },
    lookup: tools.lookup.fresh(),
    now: 0,
  });
  if (decision.kind === "none") throw new Error(decision.why);
  return cargo.update({ sources, settings: settingsFor(url), changes: [decision.change] }, tools);
}

const after = (before: Code, edit: UpdateEdit): Code => ({
  ...before,
  ...Object.fromEntries(edit.files),
});

/** Cargo is not on this machine. */
const without = (tools: Workshop): Workshop => ({
  ...tools,
  run: () => tools.run({ argv: ["sh", "-c", "exit 127"], cwd: tools.scratch }),
});

const manifest = (dependencies: string, more = ""): string =>
  `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2018"\n\n[dependencies]\n${dependencies}${more}`;

interface Case {
  readonly crates: ReadonlyArray<readonly [name: string, version: string, more?: Published]>;
  readonly manifest: string;
  /** Published after the lock was made. */
  readonly releases: ReadonlyArray<readonly [name: string, version: string, more?: Published]>;
  readonly name: string;
  readonly files?: Code;
  /** The arguments with which Cargo makes the same change. */
  readonly commands: readonly (readonly string[])[];
}

const cases: Readonly<Record<string, Case>> = {
  "a crate alone, in its range": {
    crates: [
      ["left", "1.0.0"],
      ["right", "0.3.1"],
    ],
    manifest: manifest('left = "1"\nright = "0.3"\n'),
    releases: [["left", "1.2.0"]],
    name: "left",
    commands: [["update", "-p", "left", "--precise", "1.2.0"]],
  },
  "a crate whose needs are locked already": {
    crates: [
      ["base", "1.4.0"],
      ["left", "1.0.0", { dependencies: { base: "1.0" } }],
    ],
    manifest: manifest('left = "1"\n'),
    releases: [
      ["left", "1.1.0", { dependencies: { base: "1.3" } }],
      ["base", "1.9.0"],
    ],
    name: "left",
    commands: [["update", "-p", "left", "--precise", "1.1.0"]],
  },
  "another major version": {
    crates: [["left", "1.0.0"]],
    manifest: manifest('left = "1.0"\n'),
    releases: [["left", "2.1.0"]],
    name: "left",
    commands: [["update", "--workspace"]],
  },
  "another major version beside the old one that others keep": {
    crates: [
      ["left", "1.0.0"],
      ["user", "1.0.0", { dependencies: { left: "1" } }],
    ],
    manifest: manifest('left = "1.0"\nuser = "1"\n'),
    releases: [["left", "2.1.0"]],
    name: "left",
    commands: [["update", "--workspace"]],
  },
  "a crate that nothing requires any more is removed": {
    crates: [
      ["deep", "1.0.0"],
      ["base", "1.4.0", { dependencies: { deep: "1" } }],
      ["left", "1.0.0", { dependencies: { base: "1.0" } }],
    ],
    manifest: manifest('left = "1"\n'),
    releases: [["left", "1.1.0"]],
    name: "left",
    commands: [["update", "-p", "left", "--precise", "1.1.0"]],
  },
  "optional dependencies stay as they are turned on": {
    crates: [
      ["inner", "1.0.0"],
      ["other", "1.0.0"],
      [
        "left",
        "1.0.0",
        {
          dependencies: {
            inner: { req: "1", optional: true },
            other: { req: "1", optional: true },
          },
          features: { more: ["inner"] },
        },
      ],
    ],
    manifest: manifest('left = { version = "1", features = ["more"] }\n'),
    releases: [
      [
        "left",
        "1.0.1",
        {
          dependencies: {
            inner: { req: "1", optional: true },
            other: { req: "1", optional: true },
          },
          features: { more: ["inner"] },
        },
      ],
    ],
    name: "left",
    commands: [["update", "-p", "left", "--precise", "1.0.1"]],
  },
  "a workspace that shares a requirement": {
    crates: [
      ["left", "1.0.0"],
      ["right", "1.0.0"],
    ],
    manifest: `[workspace]\nmembers = ["crates/*"]\n`,
    files: {
      "crates/a/Cargo.toml": `[package]\nname = "a"\nversion = "0.1.0"\n\n[dependencies]\nleft = "1.0.0"\nb = { path = "../b" }\n`,
      "crates/a/src/lib.rs": "",
      "crates/b/Cargo.toml": `[package]\nname = "b"\nversion = "0.1.0"\n\n[dev-dependencies]\nleft = "1"\nright = "1"\n`,
      "crates/b/src/lib.rs": "",
    },
    releases: [["left", "1.7.0"]],
    name: "left",
    commands: [["update", "-p", "left", "--precise", "1.7.0"]],
  },
};

async function startUpdate(
  registry: CargoRegistry,
  { crates, manifest: text, files = {} }: Pick<Case, "crates" | "manifest" | "files">,
): Promise<Code> {
  for (const [name, version, more] of crates) await registry.publish(name, version, more);
  const code = Object.keys(files).length > 0 ? files : { "src/lib.rs": "" };
  return registry.cargo({ "Cargo.toml": text, ...code }, ["generate-lockfile"]);
}

for (const [what, given] of Object.entries(cases))
  test(`${what}: to the byte as Cargo`, async (t) => {
    t.timeout(120_000);
    await using registry = await cargoRegistry();
    await using tools = workshop();
    const before = await startUpdate(registry, given);
    for (const [name, version, more] of given.releases) await registry.publish(name, version, more);
    const edit = await updated(repository(before), given.name, registry.url, without(tools));
    t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
    const mine = after(before, edit);
    const edited = { ...mine, "Cargo.lock": before["Cargo.lock"] ?? "" };
    const theirs = await registry.cargo(edited, ...given.commands);
    t.not(theirs["Cargo.lock"], before["Cargo.lock"]);
    t.is(mine["Cargo.lock"], theirs["Cargo.lock"]);
  });

const uncertain: Readonly<Record<string, Pick<Case, "crates" | "manifest" | "releases">>> = {
  "a new crate comes in": {
    crates: [
      ["left", "1.0.0"],
      ["fresh", "1.0.0"],
    ],
    manifest: manifest('left = "1"\n'),
    releases: [["left", "1.1.0", { dependencies: { fresh: "1" } }]],
  },
  "what it needs has to rise": {
    crates: [
      ["base", "1.0.0"],
      ["left", "1.0.0", { dependencies: { base: "1" } }],
    ],
    manifest: manifest('left = "1"\n'),
    releases: [
      ["base", "1.2.0"],
      ["left", "1.1.0", { dependencies: { base: "1.2" } }],
    ],
  },
  "its features changed": {
    crates: [
      ["inner", "1.0.0"],
      ["left", "1.0.0", { dependencies: { inner: { req: "1", optional: true } } }],
    ],
    manifest: manifest('left = "1"\ninner = "1"\n'),
    releases: [
      [
        "left",
        "1.1.0",
        {
          dependencies: { inner: { req: "1", optional: true } },
          features: { default: ["inner"] },
        },
      ],
    ],
  },
};
for (const [what, { crates, manifest: text, releases }] of Object.entries(uncertain))
  test(`${what}: nothing is guessed, and without Cargo the lock is stale`, async (t) => {
    t.timeout(120_000);
    await using registry = await cargoRegistry();
    await using tools = workshop();
    const before = await startUpdate(registry, { crates, manifest: text });
    for (const [name, version, more] of releases) await registry.publish(name, version, more);
    const edit = await updated(repository(before), "left", registry.url, without(tools));
    if (edit.lock.kind !== "stale") return t.fail(JSON.stringify(edit.lock));
    t.regex(edit.lock.note, /^Cargo\.lock is not refreshed: .*Run `cargo update -p left`\.$/);
    t.false(edit.files.has("Cargo.lock"));
  });

test("Cargo adds a crate from the repository's registry", async (t) => {
  t.timeout(120_000);
  await using registry = await cargoRegistry();
  await using tools = workshop();
  await registry.publish("left", "1.0.0");
  const files = {
    "Cargo.toml": manifest('left = { version = "1", registry = "acme" }\n'),
    "src/lib.rs": "",
    ".cargo/config.toml": `[registries.acme]\nindex = "sparse+${registry.url}/"\n`,
  };
  const before = await registry.cargo(files, ["generate-lockfile"]);
  await registry.publish("fresh", "1.0.0");
  await registry.publish("left", "2.0.0", { dependencies: { fresh: "1" } });
  await registry.publish("left", "2.1.0", { dependencies: { fresh: "1" } });
  const theirs = await registry.cargo(
    { ...before, "Cargo.toml": (before["Cargo.toml"] ?? "").replace('"1"', '"2"') },
    ["update", "--workspace"],
    ["update", "-p", "left", "--precise", "2.0.0"],
  );
  const settings: ManagerSettings = {
    registries: [{ manager: "cargo", url: registry.url, scope: "acme" }],
  };
  const sources = repository(before);
  const [dependency] = cargo.parse(sources, settings).dependencies;
  if (!dependency) return t.fail();
  t.deepEqual(dependency.origin, { kind: "registry", url: registry.url });
  const change = { dependency, to: { version: "2.0.0" }, requirements: ["2"] };
  const edit = await cargo.update({ sources, settings, changes: [change] }, tools);
  t.like(edit.lock, { kind: "refreshed", tier: "tool" });
  t.deepEqual(after(before, edit), theirs);
});

test("versions in conflict try another version", async (t) => {
  t.timeout(120_000);
  await using registry = await cargoRegistry();
  await using tools = workshop();
  const before = await startUpdate(registry, {
    crates: [
      ["left", "1.0.0"],
      ["user", "1.0.0", { dependencies: { left: "=1.0.0" } }],
    ],
    manifest: manifest('left = "1"\nuser = "1"\n'),
  });
  await registry.publish("left", "1.0.1");
  await t.throwsAsync(updated(repository(before), "left", registry.url, without(tools)), {
    code: "does_not_resolve",
    message: /user 1\.0\.0 requires =1\.0\.0 of left/,
  });
});
