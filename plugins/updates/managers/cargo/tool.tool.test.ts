/** Runs Cargo where the change is not certain. Cargo resolves versions and builds nothing, so no code of the repository runs. */
import ava, { type ExecutionContext } from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { type CargoRegistry, cargoRegistry } from "../../testing/cargo-registry.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { updatedBy } from "../../testing/propose-update.js";
import type { UpdateEdit } from "../contract.js";
import { cargo } from "./manager.js";

const test = needs(ava, program("cargo"));

test.beforeEach((t) => t.timeout(120_000));

type Code = Readonly<Record<string, string>>;

interface Scene {
  readonly registry: CargoRegistry;
  /** To the newest version that is not refused. */
  update(files: Code, name: string, refused?: readonly string[]): Promise<UpdateEdit>;
}

async function scene(t: ExecutionContext, token?: string): Promise<Scene> {
  const registry = await cargoRegistry(token === undefined ? {} : { token });
  const credentials = token === undefined ? [] : [{ url: registry.url, authorization: token }];
  const tools = workshop({ credentials });
  t.teardown(async () => {
    await tools[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });
  return {
    registry,
    update: (files, name, refused = []) =>
      updatedBy({
        ...{ manager: cargo, sources: repository(files), name, tools, policy: { refused } },
        settings: { registries: [{ manager: "cargo", url: registry.url }] },
      }),
  };
}

const after = (before: Code, edit: UpdateEdit): Code => ({
  ...before,
  ...Object.fromEntries(edit.files),
});

const manifest = (dependencies: string, more = ""): string =>
  `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n${dependencies}${more}`;

test("a registry with authentication: a version beside the old one that others keep", async (t) => {
  const { registry, update } = await scene(t, "Bearer s3cr3t");
  await registry.publish("left", "1.0.0");
  await registry.publish("user", "1.0.0", { dependencies: { left: "1" } });
  const before = await registry.cargo(
    { "Cargo.toml": manifest('left = "1"\nuser = "1"\n'), "src/lib.rs": "" },
    ["generate-lockfile"],
  );
  await registry.publish("fresh", "1.0.0");
  for (const version of ["2.0.0", "2.1.0"])
    await registry.publish("left", version, { dependencies: { fresh: "1" } });
  await registry.publish("user", "1.9.0", { dependencies: { left: "1" } });
  const edit = await update(before, "left", ["2.1.0"]);
  if (edit.lock.kind !== "refreshed") return t.fail(JSON.stringify(edit.lock));
  t.regex(edit.lock.by, /^cargo 1\.\d+\.\d+$/);
  const mine = after(before, edit);
  t.deepEqual(
    mine,
    await registry.cargo(
      { ...before, "Cargo.toml": mine["Cargo.toml"] ?? "" },
      ["update", "--workspace"],
      ["update", "-p", "left@2.1.0", "--precise", "2.0.0"],
    ),
  );
  t.regex(mine["Cargo.lock"] ?? "", /"user"\nversion = "1\.0\.0"/);
  t.notRegex(Object.values(mine).join(), /s3cr3t/);
});

test("crates beside the workspace, one in place of a published one, two names for one crate", async (t) => {
  const { registry, update } = await scene(t);
  for (const version of ["1.0.0", "2.0.0"]) await registry.publish("left", version);
  await registry.publish("right", "1.0.0");
  const crate = (name: string, version: string, more = ""): string =>
    `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n${more}`;
  const files = {
    "Cargo.toml": `[workspace]\nresolver = "2"\nmembers = ["crates/*"]\nexclude = ["outside"]\n\n[workspace.package]\nrust-version = "1.70"\n\n[workspace.dependencies]\nold-left = { package = "left", version = "1" }\nleft = "2"\n\n[patch.crates-io]\nright = { path = "stands/in" }\n`,
    "crates/a/Cargo.toml": `${crate("a", "0.1.0", "rust-version.workspace = true\n")}\n[dependencies]\nold-left.workspace = true\nright = "1"\noutside = { path = "../../outside", version = "0.1" }\n\n[target.'cfg(windows)'.dependencies]\nleft = { workspace = true }\n`,
    "crates/a/src/lib.rs": "",
    "outside/Cargo.toml": crate("outside", "0.1.0"),
    "outside/src/lib.rs": "",
    "stands/in/Cargo.toml": crate("right", "1.5.0"),
    "stands/in/src/lib.rs": "",
  };
  const before = await registry.cargo(files, ["generate-lockfile"]);
  await registry.publish("fresh", "1.0.0");
  await registry.publish("left", "1.1.0", { dependencies: { fresh: "1" } });
  await registry.publish("left", "2.1.0", { dependencies: { fresh: "1" }, rust: "1.80" });
  await registry.publish("right", "2.0.0");
  const found = cargo.parse(repository(before), { registries: [] });
  t.deepEqual(
    found.dependencies.map(({ id, current, origin }) => [id, current, origin.kind]),
    [
      ["left https://index.crates.io 1.0.0", "1.0.0", "registry"],
      ["left https://index.crates.io 2.0.0", "2.0.0", "registry"],
      ["right", undefined, "none"],
      ["outside", undefined, "none"],
    ],
  );
  t.deepEqual(found.dependencies[2]?.origin, {
    kind: "none",
    why: "right is replaced in [patch.crates-io].",
  });
  const edit = await update(before, "left", ["2.0.0", "2.1.0"]);
  t.like(edit.lock, { kind: "refreshed", tier: "tool" });
  const mine = after(before, edit);
  t.deepEqual(
    mine,
    await registry.cargo(before, ["update", "-p", "left@1.0.0", "--precise", "1.1.0"]),
  );
});

test("with vendored crates, Cargo.lock is stale", async (t) => {
  const { registry, update } = await scene(t);
  await registry.publish("left", "1.0.0");
  const files = { "Cargo.toml": manifest('left = "=1.0.0"\n'), "src/lib.rs": "" };
  const before = await registry.cargo(files, ["generate-lockfile"]);
  await registry.publish("left", "1.0.1");
  const config = `[source.crates-io]\nreplace-with = "vendored-sources"\n\n[source.vendored-sources]\ndirectory = "vendor"\n`;
  const edit = await update({ ...before, ".cargo/config.toml": config }, "left");
  t.deepEqual(edit.lock, {
    kind: "stale",
    note: "Cargo.lock is not refreshed: crates are taken from vendor. Run `cargo update` and `cargo vendor`.",
  });
  t.deepEqual([...edit.files.keys()], ["Cargo.toml"]);
});

test("a crate whose versions carry build metadata moves in process, to the byte as Cargo", async (t) => {
  const { registry, update } = await scene(t);
  await registry.publish("left-sys", "2.0.8+lib.1.5.4");
  const files = { "Cargo.toml": manifest('left-sys = "=2.0.8"\n'), "src/lib.rs": "" };
  const before = await registry.cargo(files, ["generate-lockfile"]);
  await registry.publish("left-sys", "2.0.9+lib.1.5.5");
  const edit = await update(before, "left-sys");
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  const mine = after(before, edit);
  t.regex(mine["Cargo.toml"] ?? "", /left-sys = "=2\.0\.9"/);
  t.is((await registry.cargo(mine, ["fetch", "--locked"]))["Cargo.lock"], mine["Cargo.lock"]);
});

test("a crate that Cargo cannot find is reported with its cause", async (t) => {
  const { registry, update } = await scene(t);
  await registry.publish("left", "1.0.0");
  const files = { "Cargo.toml": manifest('left = "1"\n'), "src/lib.rs": "" };
  const before = await registry.cargo(files, ["generate-lockfile"]);
  await registry.publish("left", "1.1.0", { dependencies: { nowhere: "1" } });
  await t.throwsAsync(update(before, "left"), {
    code: "does_not_resolve",
    message: /^Cargo cannot resolve the versions: no matching package named `nowhere` found/,
  });
});
