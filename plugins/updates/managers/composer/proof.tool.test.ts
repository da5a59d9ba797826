/** From a release in a repository of packages to a clone that Composer installs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ava from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import {
  composerProject,
  composerRepository,
  composer as run,
} from "../../testing/composer-repository.js";
import { updatesFixture } from "../../testing/fixture.js";
import { cloned, notify, rules } from "../../testing/proof.js";

const test = needs(ava, program("composer"));

test("a release is merged with its lock and installs; a major one, and one for a newer PHP, are not", async (t) => {
  await using at = await composerRepository();
  at.publish("acme/left", "1.0.0", { require: { php: ">=7.4" } });
  const start = { "composer.json": composerProject(at, { php: ">=7.4", "acme/left": "~1.0.0" }) };
  const before = await run(start, ["update", "--no-install", "--no-progress"]);
  const site = await updatesFixture(t);
  const repo = await site.repo("app", before);
  await site.config(repo, rules("composer"));

  at.publish("acme/left", "1.0.1", { require: { php: ">=7.4" } });
  await notify(site, "composer", "Acme/Left", "1.0.1");
  await site.pulls(1, "state=merged");
  const clone = await cloned(t, site, repo);
  const read = (name: string): Promise<string> => readFile(join(clone, name), "utf8");
  const after = {
    "composer.json": await read("composer.json"),
    "composer.lock": await read("composer.lock"),
  };
  t.regex(after["composer.lock"], /"version": "1\.0\.1"/);
  // The lock is for this composer.json, and what it names is what is installed.
  await t.notThrowsAsync(
    run(
      after,
      ["validate", "--no-check-publish", "--no-check-all"],
      ["install", "--no-progress"],
      [...["php", "-r", 'require "vendor/autoload.php"; exit(X === "1.0.1" ? 0 : 1);']],
    ),
  );

  at.publish("acme/left", "1.0.2", { require: { php: ">=99" } });
  at.publish("acme/left", "2.0.0", { require: { php: ">=7.4" } });
  await notify(site, "composer", "acme/left", "2.0.0");
  const [open] = await site.pulls(1, "state=open");
  t.is(open?.attributes.title, "Bump acme/left from 1.0.1 to 2.0.0");
  t.is((await site.pulls(1, "state=merged")).length, 1);
});
