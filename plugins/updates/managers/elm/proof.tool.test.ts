/** From a release on an Elm package site to a clone that Elm compiles: notification, pull request, merge. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ava from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { elmSite } from "../../testing/elm-site.js";
import { elmTool } from "../../testing/elm-tool.js";
import { updatesFixture } from "../../testing/fixture.js";
import { cloned, notify, rules } from "../../testing/proof.js";

const test = needs(ava, program("/usr/bin/elm", "elm"));

const manifest = (ui: string, json: string): string =>
  `${JSON.stringify(
    {
      type: "application",
      "source-directories": ["src"],
      "elm-version": "0.19.1",
      dependencies: {
        direct: { "acme/ui": ui, "elm/core": "1.0.0" },
        indirect: { "elm/json": json },
      },
      "test-dependencies": { direct: {}, indirect: {} },
    },
    undefined,
    4,
  )}\n`;

test("a release is merged with its indirect dependencies; a conflicting one is not proposed", async (t) => {
  await using site = await elmSite();
  const core = { "elm/core": "1.0.0 <= v < 2.0.0" };
  site.publish("elm/core", "1.0.0");
  for (const version of ["1.0.0", "1.1.0"]) site.publish("elm/json", version, core);
  site.publish("acme/ui", "1.0.0", { ...core, "elm/json": "1.0.0 <= v < 2.0.0" });
  const at = await updatesFixture(t, { inside: `registry "elm" { url = "${site.url}" }` });
  const main = "module Main exposing (x)\n\nx : Int\nx = 1\n";
  const repo = await at.repo("app", {
    "elm.json": manifest("1.0.0", "1.0.0"),
    "src/Main.elm": main,
  });
  const { json } = await at.config(repo, rules("elm"));
  site.publish("acme/ui", "1.0.1", { ...core, "elm/json": "1.1.0 <= v < 2.0.0" });
  await notify(at, "elm", "acme/ui", "1.0.1");
  await at.pulls(1, "state=merged");
  const merged = await readFile(join(await cloned(t, at, repo), "elm.json"), "utf8");
  t.is(merged, manifest("1.0.1", "1.1.0"));
  await using tool = await elmTool(site);
  const files = { "elm.json": merged, "src/Main.elm": main };
  const made = await tool.run(files, "make", "src/Main.elm", "--output=/dev/null");
  t.true(made.ok, made.said);
  const again = await tool.run(files, "install", "acme/ui");
  t.regex(again.said, /already installed/);

  site.publish("acme/ui", "1.0.2", { ...core, "elm/json": "5.0.0 <= v < 6.0.0" });
  await notify(at, "elm", "acme/ui", "1.0.2");
  await at.plugin.until(async () => {
    const runs = await at.send("GET", `/runs?update-config-id=${json.data.id}`);
    return /These versions conflict/.test(runs.text);
  }, "a run that says why");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
