import test from "ava";
import { updatesFixture } from "../testing/fixture.js";
import { npmRegistry } from "../testing/npm-registry.js";

test("after a restart a registry is only asked whether there is anything new", async (t) => {
  await using registry = await npmRegistry({
    "left-foo": { "1.0.0": {} },
    "right-foo": { "1.0.0": {} },
  });
  const at = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }`,
  });
  const repo = await at.repo("site", {
    "package.json": `{ "name": "site", "dependencies": { "left-foo": "1.0.0", "right-foo": "1.0.0" } }`,
  });
  const { id } = (await at.config(repo)).json.data;
  const runs = async () =>
    ((await at.control("GET", "/runs")) as { runs: { state: string }[] }).runs;
  await at.plugin.until(async () => (await runs())[0]?.state === "succeeded", "the first run");
  registry.log.splice(0);
  await at.plugin.restart();
  registry.publish("right-foo", "1.0.1");
  await at.control("POST", `/configs/${id}/run`);
  await at.plugin.until(
    async () => (await runs()).filter(({ state }) => state === "succeeded").length === 2,
    "the second run",
  );
  const requests = registry.log.filter((line) => /^GET \/[\w-]+ /.test(line)).sort();
  t.deepEqual(requests, ["GET /left-foo 304", "GET /right-foo 200"]);
});
