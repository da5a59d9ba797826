/** From a gem that RubyGems built and indexed to a clone whose lock Bundler agrees with. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ava from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { updatesFixture } from "../../testing/fixture.js";
import { gemFolder } from "../../testing/gem-folder.js";
import { bundle, bundled, gemServer } from "../../testing/gem-server.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { cloned, notify, rules } from "../../testing/proof.js";
import { updatedBy } from "../../testing/propose-update.js";
import { bundler } from "./manager.js";

const test = needs(ava, program("bundle", "Bundler"));

test.serial(
  "a release is merged with its lock; one that others do not allow is not offered",
  async (t) => {
    await using registry = await gemFolder();
    await registry.publish([
      { name: "left", version: "1.0.0", needs: { inner: ">= 1, < 3" } },
      { name: "inner", version: "1.4.0", ruby: ">= 2.5" },
      { name: "strict", version: "1.0.0", needs: { left: "< 1.0.2" } },
    ]);
    const Gemfile = `source "${registry.url}"\n\ngem "left", "~> 1.0.0"\ngem "strict"\n`;
    const before = await bundle({ Gemfile }, ["lock"]);
    const at = await updatesFixture(t);
    const repo = await at.repo("app", before);
    await at.config(repo, rules("bundler"));

    await registry.publish([
      { name: "left", version: "1.0.1", needs: { inner: "~> 1.4", fresh: "~> 2.0" } },
      { name: "fresh", version: "2.1.0" },
    ]);
    await notify(at, "bundler", "left", "1.0.1");
    await at.pulls(1, "state=merged");
    const clone = await cloned(t, at, repo);
    const read = async (name: string): Promise<string> => readFile(join(clone, name), "utf8");
    const after = { Gemfile: await read("Gemfile"), "Gemfile.lock": await read("Gemfile.lock") };
    t.is(after.Gemfile, Gemfile.replace("~> 1.0.0", "~> 1.0.1"));
    t.regex(after["Gemfile.lock"], /^ {4}fresh \(2\.1\.0\)$/m);
    t.deepEqual(await bundle(after, ["lock"]), after);
    // What is locked can be had and installed.
    await t.notThrowsAsync(
      bundle(
        after,
        ["config", "set", "--local", "path", "vendor"],
        ["install", "--quiet"],
        [
          ...[
            "exec",
            "ruby",
            "-e",
            'require "code"; exit 1 unless Gem.loaded_specs["left"].version.to_s == "1.0.1"',
          ],
        ],
      ),
    );

    // `strict` is not to be had with it.
    await registry.publish([{ name: "left", version: "1.0.2" }]);
    await notify(at, "bundler", "left", "1.0.2");
    await at.plugin.until(async () => {
      const runs = await at.send("GET", "/runs");
      return /strict 1\.0\.0 needs left < 1\.0\.2, and 1\.0\.2 is used/.test(runs.text);
    }, "the reason why 1.0.2 is not offered");
    t.is((await at.pulls(1, "state=merged")).length, 1);
  },
);

const GEMSPEC = `require_relative "lib/mine/version"
Gem::Specification.new do |spec|
  spec.name = "mine"
  spec.version = Mine::VERSION
  spec.authors = ["A"]
  spec.summary = "S"
end
`;

test.serial(
  "Bundler locks what cannot be resolved in process, if the instance allows it",
  async (t) => {
    await using registry = await gemServer();
    await using tools = workshop();
    for (const version of ["1.0.0", "1.0.0-java"]) registry.publish("left", version);
    const Gemfile = `source "${registry.url}"\nruby ">= 2"\ngemspec\ngem "left", "~> 1.0"\n`;
    const code = { "lib/mine/version.rb": 'module Mine\n  VERSION = "0.1.0"\nend\n' };
    const files = { Gemfile, "mine.gemspec": GEMSPEC, ...code };
    const locked = await bundled(
      registry,
      files,
      ["lock"],
      ["lock", "--add-platform", "java", "ruby"],
    );
    // A variant is gone from the index, as after a yank.
    const project = {
      ...locked,
      "Gemfile.lock": (locked["Gemfile.lock"] ?? "").replace("    left (1.0.0-java)\n", ""),
    };
    t.not(project["Gemfile.lock"], locked["Gemfile.lock"]);
    for (const version of ["1.2.0", "1.2.0-java"]) registry.publish("left", version);
    const wanting = { manager: bundler, sources: repository(project), name: "left", tools };
    const edit = await updatedBy(wanting);
    t.is(edit.lock.kind, "stale");

    const allowed = { registries: [], unsafe: ["bundler" as const] };
    const byTool = await updatedBy({ ...wanting, settings: allowed });
    t.like(byTool.lock, { kind: "refreshed", tier: "tool" });
    t.regex(byTool.lock.kind === "refreshed" ? byTool.lock.by : "", /^bundler \d/);
    const mine = { ...project, ...Object.fromEntries(byTool.files) };
    t.regex(mine["Gemfile.lock"] ?? "", /left \(1\.2\.0-java\)[\s\S]*left \(~> 1\.2\)/);
    t.deepEqual(await bundled(registry, mine, ["lock"]), mine);

    // What the Gemfile does when it runs is no matter of versions.
    const broken = { ...project, Gemfile: `${Gemfile}raise "it will not"\n` };
    const failed = await updatedBy({
      ...{ ...wanting, sources: repository(broken) },
      settings: allowed,
    });
    t.regex(
      failed.lock.kind === "stale" ? failed.lock.note : "",
      /left is locked for other platforms than expected; `bundle lock` failed: .*\. Run `bundle lock`/,
    );
  },
);
