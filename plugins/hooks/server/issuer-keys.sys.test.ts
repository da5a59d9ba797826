/** How often the keys of an issuer are fetched, and how long they are used. Only the clock is a fake. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { IssuerKeys, KeysUnavailable } from "./issuer-keys.js";

const pair = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
const jwk = (kid: string, key = pair()) => ({
  ...key.export({ format: "jwk" }),
  kid,
  alg: "ES256",
});

interface Answer {
  status: number;
  body: string;
}

/** An issuer whose responses the test sets; `requests` lists the paths. */
async function issuer(t: ExecutionContext) {
  const requests: string[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const { status, body } = answers.get(path) ?? { status: 404, body: "" };
    const location = status === 302 ? { location: `${url}/keys` } : {};
    response.writeHead(status, location).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serve = (path: string, body: unknown, status = 200): void => {
    answers.set(path, { status, body: typeof body === "string" ? body : JSON.stringify(body) });
  };
  const metadata = "/.well-known/openid-configuration";
  serve(metadata, { issuer: url, jwks_uri: `${url}/keys` });
  return { url, requests, serve, metadata };
}

const header = (kid: string) => ({ alg: "ES256", kid });
const token = { payload: "", signature: "" };
const MINUTE = 60_000;

test("a flood of unknown keys is one fetch, and another 30 seconds later", async (t) => {
  const at = await issuer(t);
  at.serve("/keys", { keys: [jwk("a")] });
  let now = 0;
  const keys = new IssuerKeys(at.url, () => now);
  const flood = async (): Promise<void> => {
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) => keys.find(header(`x${index}`), token)),
    );
    t.true(results.every(({ status }) => status === "rejected"));
  };
  await flood();
  await flood();
  t.deepEqual(at.requests, [at.metadata, "/keys"]);
  now = 29_999;
  await flood();
  t.is(at.requests.length, 2);
  now = 30_000;
  at.serve("/keys", { keys: [jwk("a"), jwk("b")] });
  await flood();
  t.is(at.requests.length, 4);
  await t.notThrowsAsync(async () => keys.find(header("b"), token));
  t.is(at.requests.length, 4);
});

test("keys are used for ten minutes, an hour if the issuer is down, and not longer", async (t) => {
  const at = await issuer(t);
  at.serve("/keys", { keys: [jwk("a")] });
  let now = 0;
  const keys = new IssuerKeys(at.url, () => now);
  const find = async () => keys.find(header("a"), token);
  await find();
  now = 10 * MINUTE - 1;
  await find();
  t.is(at.requests.length, 2);
  at.serve("/keys", "", 500);
  now = 10 * MINUTE;
  await find();
  t.is(at.requests.length, 4);
  await find();
  t.is(at.requests.length, 4, "the next attempt waits for the cooldown");
  now = 60 * MINUTE - 1;
  await find();
  now = 60 * MINUTE;
  await t.throwsAsync(find, { instanceOf: KeysUnavailable, message: /\/keys has the status 500/ });
  at.serve("/keys", { keys: [jwk("a")] });
  now += MINUTE;
  await t.notThrowsAsync(find);
});

const broken: ReadonlyArray<
  readonly [title: string, (at: Awaited<ReturnType<typeof issuer>>) => void]
> = [
  [
    "metadata of another issuer",
    (at) => at.serve(at.metadata, { issuer: "https://x.example", jwks_uri: `${at.url}/keys` }),
  ],
  ["metadata without keys", (at) => at.serve(at.metadata, { issuer: at.url })],
  [
    "keys at an address that is not HTTP",
    (at) => at.serve(at.metadata, { issuer: at.url, jwks_uri: "file:///etc/passwd" }),
  ],
  [
    "keys at a private address without TLS",
    (at) => at.serve(at.metadata, { issuer: at.url, jwks_uri: "http://10.0.0.1/keys" }),
  ],
  ["metadata that is not JSON", (at) => at.serve(at.metadata, "<html>")],
  ["metadata that is a redirect", (at) => at.serve(at.metadata, "", 302)],
  ["keys that are a redirect", (at) => at.serve("/keys", "", 302)],
  ["keys that are not a set", (at) => at.serve("/keys", { keys: "all" })],
  ["a response without end", (at) => at.serve("/keys", " ".repeat(300 * 1024))],
];
for (const [title, spoil] of broken) {
  test(`${title}: no keys, and the next attempt after five seconds`, async (t) => {
    const at = await issuer(t);
    at.serve("/keys", { keys: [jwk("a")] });
    spoil(at);
    let now = 0;
    const keys = new IssuerKeys(at.url, () => now);
    const find = async () => keys.find(header("a"), token);
    await t.throwsAsync(find, { instanceOf: KeysUnavailable });
    at.serve(at.metadata, { issuer: at.url, jwks_uri: `${at.url}/keys` });
    at.serve("/keys", { keys: [jwk("a")] });
    now = 4_999;
    await t.throwsAsync(find, { instanceOf: KeysUnavailable });
    now = 5_000;
    await t.notThrowsAsync(find);
  });
}
