/** The copied `curl` line sends what was received, and nothing in a request becomes a word of the shell or a file. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import ava from "ava";
import { run } from "../../../tests/support/child.js";
import { needs, program } from "../../../tests/support/needs.js";
import type { StoredRequest } from "../evidence/api.js";
import { curlCommand } from "./curl.js";

const test = needs(ava, program("curl"));

const stored = (request: Partial<StoredRequest>) => ({
  trigger: `${request.method ?? "POST"} /hooks/deploy from 192.0.2.7`,
  request: {
    request: { method: "POST", query: "", headers: [], body: { bytes: 0 }, ...request },
  },
});

const text = (value: string) => ({ bytes: Buffer.byteLength(value), text: value });

const requests: Readonly<Record<string, Partial<StoredRequest>>> = {
  "a JSON body": {
    headers: ["content-type", "application/json", "x-event", "push"],
    body: text('{"ref":"refs/heads/main","by":"O\'Neil"}\n'),
  },
  "a body that names a file": { body: text("@/etc/passwd") },
  "a body of shell words": { body: text("'; touch /tmp/x; echo $(id) `id` \\\n!") },
  "a header of shell words": { headers: ["x-a", "$(id)'\"`id`"], body: text("a") },
  "an empty header": { headers: ["x-empty", ""] },
  "bytes that are no text": { body: { bytes: 4, base64: "AP/+AA==" } },
  "a zero byte": { body: text("a\0b") },
  "a query with brackets": { query: "a[]=1&b={x,y}&c='" },
  "a GET without a body": { method: "GET" },
  "a method of its own": { method: "PURGE" },
};

for (const [name, request] of Object.entries(requests)) {
  test(`${name}: the same request arrives`, async (t) => {
    const received = Promise.withResolvers<unknown>();
    const server = createServer(async (incoming, response) => {
      const { method, url, headers } = incoming;
      received.resolve({ method, url, headers, body: (await buffer(incoming)).toString("base64") });
      response.end();
    });
    t.teardown(() => server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const command = curlCommand(stored(request), [{ address, prefixes: ["/hooks"] }]);
    const { code, stderr } = await run("sh", ["-c", `${command} -sS`]);
    t.is(code, 0, stderr);
    const { body, query = "", headers = [], method = "POST" } = request;
    const sent = body?.base64 ?? Buffer.from(body?.text ?? "").toString("base64");
    const given = Object.fromEntries(
      Array.from({ length: headers.length / 2 }, (_, at) => [headers[at * 2], headers[at * 2 + 1]]),
    );
    const url = `/hooks/deploy${query === "" ? "" : `?${query}`}`;
    const seen = await received.promise;
    t.like(seen, { method, url, body: sent });
    if (headers.length > 0) t.like(seen, { headers: given });
    t.is("content-type" in (seen as { headers: object }).headers, "content-type" in given);
  });
}

const lines: Readonly<Record<string, readonly [Partial<StoredRequest>, string, RegExp]>> = {
  "a socket": [
    {},
    "unix:/run/a b.sock",
    /--unix-socket '\/run\/a b\.sock' http:\/\/localhost\/hooks/,
  ],
  "a secret stays out": [
    { headers: ["x-hub-signature-256", "(secret)"] },
    "127.0.0.1:1",
    /-H 'x-hub-signature-256: \(secret\)'/,
  ],
  "what belongs to the connection": [
    { headers: ["Host", "a", "Content-Length", "3", "X-Kept", "1"] },
    "127.0.0.1:1",
    /^curl --globoff -X POST http:\/\/127\.0\.0\.1:1\/hooks\/deploy -H 'X-Kept: 1'$/,
  ],
  "a name that is none": [{ headers: ["@/etc/passwd", "a"] }, "[::1]:1", /hooks\/deploy'?$/],
  "a body that was cut": [
    { body: { bytes: 90_000, text: "ab", cut: true } },
    "127.0.0.1:1",
    /# only the beginning of 90000 bytes was stored$/,
  ],
};
for (const [name, [request, address, wanted]] of Object.entries(lines)) {
  test(name, (t) => {
    const other = { address: "127.0.0.1:2", prefixes: ["/"] };
    const command = curlCommand(stored(request), [other, { address, prefixes: ["/hooks"] }]);
    t.regex(command ?? "", wanted);
  });
}

test("a run without a request has none", (t) => {
  t.is(curlCommand({ trigger: "schedule nightly", request: undefined }, []), undefined);
});
