/** The newest version that resolves is offered. */
import test from "ava";
import { elmSite } from "../testing/elm-site.js";
import { updatesFixture } from "../testing/fixture.js";
import { notify, rules } from "../testing/proof.js";

const RANGE = "1.0.0 <= v < 2.0.0";
const manifest = (ui: string): string =>
  `${JSON.stringify(
    {
      type: "application",
      "elm-version": "0.19.1",
      dependencies: { direct: { "acme/ui": ui, "elm/core": "1.0.0" }, indirect: {} },
      "test-dependencies": { direct: {}, indirect: {} },
    },
    undefined,
    4,
  )}\n`;

test("two versions that do not resolve give way to the next lower one, and another run changes nothing", async (t) => {
  await using site = await elmSite();
  site.publish("elm/core", "1.0.0");
  site.publish("acme/ui", "1.0.0", { "elm/core": RANGE });
  const at = await updatesFixture(t, { inside: `registry "elm" { url = "${site.url}" }` });
  const repo = await at.repo("app", { "elm.json": manifest("1.0.0") });
  await at.config(repo, rules("elm", "never"));

  site.publish("acme/ui", "1.1.0", { "elm/core": RANGE });
  site.publish("acme/ui", "1.2.0", { "elm/core": "5.0.0 <= v < 6.0.0" });
  site.publish("acme/ui", "1.3.0", { "elm/core": "5.0.0 <= v < 6.0.0" });
  await notify(at, "elm", "acme/ui", "1.3.0");
  const [pull] = await at.pulls(1, "state=open");
  t.is(pull?.attributes.title, "Bump acme/ui from 1.0.0 to 1.1.0");

  // The same again changes nothing: no second pull request, and the first one stands.
  site.publish("acme/ui", "1.4.0", { "elm/core": "5.0.0 <= v < 6.0.0" });
  await notify(at, "elm", "acme/ui", "1.4.0");
  await at.plugin.until(async () => {
    const { json } = await at.send("GET", "/runs");
    return (
      json.data.length >= 3 &&
      json.data.every(
        ({ attributes }: { attributes: { state: string } }) => attributes.state !== "running",
      )
    );
  }, "another run");
  const open = await at.pulls(1, "state=open");
  t.deepEqual(
    open.map(({ attributes }) => attributes.title),
    ["Bump acme/ui from 1.0.0 to 1.1.0"],
  );
});
