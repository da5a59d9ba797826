/** The quickstart is sound, and what its page says to send is what its hook accepts. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "ava";
import { createCatalog } from "../../daemon/catalog/catalog.js";
import { load } from "../../daemon/config/load.js";
import { render } from "../../grammar/render.js";
import { startFixture } from "../../plugins/hooks/testing/fixture.js";

const directory = new URL("../../../examples/quickstart/", import.meta.url).pathname;
const text = (name: string): string => readFileSync(`${directory}${name}`, "utf8");
const payload = text("payloads/github-push.json");
/** The first command of the page that has a signature. */
const line = /^curl .*x-hub-signature-256.*$/im.exec(text("README.md"))?.[0] ?? "";
const signature = /X-Hub-Signature-256: (\S+?)'/.exec(line)?.[1] ?? "";

test("the configuration has no faults, and its own tests hold", async (t) => {
  const catalog = createCatalog();
  const { diagnostics, sources, tests } = await load(`${directory}main.reeve`, { catalog });
  await catalog.close();
  t.is(diagnostics.length, 0, render(diagnostics, sources));
  t.true(tests.length > 0 && tests.every(({ failures }) => failures.length === 0));
});

test("the signature on the page is the payload's", (t) => {
  const hmac = createHmac("sha256", text("demo-secret.txt")).update(payload).digest("hex");
  t.is(signature, `sha256=${hmac}`);
});

test("the payload has what a push event has", (t) => {
  const push = JSON.parse(payload);
  t.is(push.after, push.head_commit.id);
  t.is(push.repository.full_name, `${push.repository.owner.login}/${push.repository.name}`);
  t.regex(push.before, /^[0-9a-f]{40}$/);
});

test("the request on the page runs the command; one byte less does not", async (t) => {
  const configuration = text("main.reeve").replaceAll("127.0.0.1:9000", "127.0.0.1:0");
  const files = { "demo-secret.txt": text("demo-secret.txt") };
  const at = await startFixture(t, configuration, { files });
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-hub-signature-256": signature,
  };
  for (const header of Object.keys(headers))
    t.regex(line.toLowerCase(), new RegExp(`'${header}: `));
  t.regex(line, /^curl -i http:\/\/127\.0\.0\.1:9000\/hooks\/github /);
  const response = await at.post("github", payload, headers);
  t.is(response.status, 200);
  t.is(
    await response.text(),
    "ada pushed Water the tomatoes in the morning to example/garden: this is where 4f2b8c1de07a95b3c6d1480f9ae25b7d3c90e6a1 would be deployed\n",
  );
  t.like((await at.plugin.runs()).at(-1), {
    subject: "hook.github",
    state: "succeeded",
    exitCode: 0,
  });
  t.is((await at.post("github", payload.slice(0, -1), headers)).status, 401);
});

test("its other hooks do what their comments say", async (t) => {
  const configuration = text("main.reeve").replaceAll("127.0.0.1:9000", "127.0.0.1:0");
  const files = { "demo-secret.txt": text("demo-secret.txt") };
  const at = await startFixture(t, configuration, { files });
  t.is(await (await fetch(`${at.url}/hello?name=Ada`)).text(), "Hello, Ada!\n");
  t.is(await (await at.post("hello")).text(), "Hello, world!\n");
  t.is((await at.post("nap")).status, 202);
  await at.stop(0);
});
