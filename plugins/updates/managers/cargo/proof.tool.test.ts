/** From a release in a registry of crates to a clone that Cargo takes as it is. */
import ava from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { cargoRegistry } from "../../testing/cargo-registry.js";
import { updatesFixture } from "../../testing/fixture.js";
import { clonedFiles, notify, rules } from "../../testing/proof.js";

const test = needs(ava, program("cargo"));

test("a patch is merged with its lock file, a yanked and a major one are not", async (t) => {
  await using registry = await cargoRegistry();
  await registry.publish("base", "1.4.0");
  await registry.publish("left", "1.0.0", { dependencies: { base: "1" } });
  const start = await registry.cargo(
    {
      "Cargo.toml": `[package]\nname = "app"\nversion = "0.1.0"\n\n[dependencies]\nleft = "=1.0.0"\n`,
      "src/lib.rs": "",
    },
    ["generate-lockfile"],
  );
  const at = await updatesFixture(t, { inside: `registry "cargo" { url = "${registry.url}" }` });
  const repo = await at.repo("app", start);
  const created = await at.config(repo, rules("cargo"));
  t.is(created.status, 201, created.text);

  await registry.publish("left", "1.0.2", { dependencies: { base: "1" }, yanked: true });
  await notify(at, "cargo", "left", "1.0.2");
  await registry.publish("left", "1.0.1", { dependencies: { base: "1.2" } });
  await notify(at, "cargo", "left", "1.0.1");
  const [merged] = await at.pulls(1, "state=merged");
  t.is(merged?.attributes.title, "Bump left from 1.0.0 to 1.0.1");
  const files = await clonedFiles(t, at, repo);
  t.regex(files["Cargo.toml"] ?? "", /left = "=1\.0\.1"/);
  t.is((await registry.cargo(files, ["fetch", "--locked"]))["Cargo.lock"], files["Cargo.lock"]);

  await registry.publish("left", "2.0.0");
  await notify(at, "cargo", "left", "2.0.0");
  const [open] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, "Bump left from 1.0.1 to 2.0.0");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
