/** From a release on a package site of Elm to a clone: notification, pull request, merge. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { elmSite } from "../../testing/elm-site.js";
import { house } from "../../testing/house.js";
import { cloned, notify, rules } from "../../testing/proof.js";

const manifest = (ui: string, json: string): string =>
  `${JSON.stringify(
    {
      type: "application",
      "elm-version": "0.19.1",
      dependencies: { direct: { "acme/ui": ui }, indirect: { "elm/json": json } },
      "test-dependencies": { direct: {}, indirect: {} },
    },
    undefined,
    4,
  )}\n`;

test("a release is merged with what it brings along; one that fits nothing is not offered", async (t) => {
  await using site = await elmSite();
  for (const version of ["1.0.0", "1.1.0"]) site.publish("elm/json", version);
  site.publish("acme/ui", "1.0.0", { "elm/json": "1.0.0 <= v < 2.0.0" });
  const at = await house(t, { inside: `registry "elm" { url = "${site.url}" }` });
  const repo = await at.repo("app", { "elm.json": manifest("1.0.0", "1.0.0") });
  const { json } = await at.config(repo, rules("elm"));
  site.publish("acme/ui", "1.0.1", { "elm/json": "1.1.0 <= v < 2.0.0" });
  await notify(at, "elm", "acme/ui", "1.0.1");
  await at.pulls(1, "state=merged");
  const place = await cloned(t, at, repo);
  t.is(await readFile(join(place, "elm.json"), "utf8"), manifest("1.0.1", "1.1.0"));

  site.publish("acme/ui", "1.0.2", { "elm/json": "5.0.0 <= v < 6.0.0" });
  await notify(at, "elm", "acme/ui", "1.0.2");
  await at.plugin.until(async () => {
    const runs = await at.send("GET", `/runs?update-config-id=${json.data.id}`);
    return /do not go together|does not go together/.test(runs.text);
  }, "a run that says why");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
