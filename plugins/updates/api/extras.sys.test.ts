/** Beyond the reference: the description, badges and events. */
import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { updatesFixture } from "../testing/fixture.js";
import { operations } from "./openapi.js";

test("the description covers every route, and every route responds", async (t) => {
  const at = await updatesFixture(t);
  const { json, status } = await at.send("GET", "/openapi.json");
  t.is(status, 200);
  t.is(json.openapi, "3.1.0");
  const described = Object.entries(json.paths as Record<string, Record<string, unknown>>).flatMap(
    ([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      ),
  );
  t.deepEqual(described.sort(), Object.keys(operations).sort());
  for (const key of described.filter((each) => each !== "GET /events")) {
    const [method = "", path = ""] = key.split(" ");
    const answer = await at.send(
      method,
      path.replace(":id", "1"),
      method === "GET" ? undefined : {},
    );
    t.false([405, 500].includes(answer.status), `${key} ${answer.status}`);
    if (answer.status === 404) t.notRegex(answer.text, /nothing at this address/, key);
  }
});

test("a badge shows a repository's state, and hides private repositories", async (t) => {
  const at = await updatesFixture(t);
  const repo = await at.repo("site", { "package.json": "{}" });
  const badge = async (headers: Record<string, string> = {}) =>
    (
      await at.send("GET", "/badges/status?host=local&repo=acme/site", undefined, {
        accept: "application/json",
        ...headers,
      })
    ).json;
  t.deepEqual(await badge(), { status: "off", colour: "lightgrey" });
  await at.config(repo);
  t.deepEqual(await badge(), { status: "up to date", colour: "brightgreen" });
  t.is((await badge({ authorization: "" })).status, "unknown");
  const image = await at.send("GET", "/badges/status?repo=acme/site");
  t.is(image.headers.get("content-type"), "image/svg+xml; charset=utf-8");
  t.regex(image.text, /^<svg .*up to date/);
});

test("listeners receive the events that concern them, until the daemon stops", async (t) => {
  const at = await updatesFixture(t);
  const answer = await fetch(`${at.url}/events`, {
    headers: { authorization: `Personal ${at.token}` },
  });
  t.is(answer.headers.get("content-type"), "text/event-stream");
  const repo = await at.repo("site", { "package.json": "{}" });
  await at.config(repo);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let received = "";
  while (!received.includes("event: update.run")) {
    const { value, done } = await reader.read();
    if (done) break;
    received += new TextDecoder().decode(value);
  }
  t.regex(received, /event: update\.run\ndata: \{"repo":"acme\/site"/);
  await at.plugin.stop();
  // What was sent before the end comes first.
  const isOver = () =>
    reader.read().then(
      ({ done }) => done,
      () => true,
    );
  await eventually("the end of the events", isOver);
  t.pass();
});

test("a reconnecting listener receives missed events", async (t) => {
  const at = await updatesFixture(t);
  const repo = await at.repo("site", { "package.json": "{}" });
  await at.config(repo);
  const received = async (last: string, until: string): Promise<string> => {
    const over = new AbortController();
    const answer = await fetch(`${at.url}/events`, {
      headers: { authorization: `Personal ${at.token}`, "last-event-id": last },
      signal: over.signal,
    });
    let text = "";
    for await (const part of answer.body as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(part);
      if (text.includes(until)) break;
    }
    over.abort();
    return text;
  };
  const all = await received("0", "event: update.run");
  const [, id = ""] = /^id: (\d+)\nevent: update\.run$/m.exec(all) ?? [];
  const rest = await received(String(Number(id) - 1), "event: update.run");
  t.is(/^id: (\d+)$/m.exec(rest)?.[1], id, "nothing that was heard before");
});
