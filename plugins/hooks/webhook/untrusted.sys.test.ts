/** Requests that are none, and what `-strict` says to those that are not welcome. */
import { connect } from "node:net";
import test from "ava";
import { type Running, serving } from "./testing/running.js";

const no = { match: { type: "value", value: "x", parameter: { source: "query", name: "no" } } };
const hooks = [
  { id: "plain", "execute-command": "/bin/true" },
  { id: "post", "execute-command": "/bin/true", "http-methods": ["POST"] },
];

/** The status of what is sent byte by byte. */
function rawStatus({ port }: Running, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.setEncoding("latin1").on("data", (data: string) => {
      text += data;
      if (text.includes("\r\n\r\n")) socket.end();
    });
    socket.on("error", reject).on("close", () => resolve(text.split(" ")[1] ?? ""));
  });
}

test("a malformed request gets a response and runs nothing", async (t) => {
  const server = await serving(t, hooks);
  t.is(await rawStatus(server, "GET /hooks/plain HTTP/1.1\r\n\r\n"), "400", "no Host");
  const second = "GET /hooks/plain HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n";
  t.is(await rawStatus(server, second), "400", "two hosts");
  t.is(await rawStatus(server, "GET /hooks/plain HTTP/1.1\r\nHost: a b\r\n\r\n"), "400", "a b");
  t.is(await rawStatus(server, "Get /hooks/post HTTP/1.1\r\nHost: x\r\n\r\n"), "405", "Get");
  t.is(await rawStatus(server, "FOO /hooks/plain HTTP/1.1\r\nHost: x\r\n\r\n"), "405", "FOO");
  const long = `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(1_100_000)}\r\n\r\n`;
  t.is(await rawStatus(server, long), "431", "headers over 1 MiB");
  const huge = `POST /hooks/plain HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n`;
  t.is(await rawStatus(server, huge), "413", "a body over the limit");
  t.notRegex(server.log, /executing/);
});

test("defect 3: a body cut off half-way does not run the hook", async (t) => {
  const server = await serving(t, hooks);
  const socket = connect(server.port, "127.0.0.1", () => {
    socket.end("POST /hooks/plain HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{}");
  });
  socket.on("error", () => undefined).resume();
  await server.logged(/unexpected EOF/);
  t.notRegex(server.log, /triggered/);
});

test("-strict says 401 to bad signatures, 403 to mismatches and which methods are allowed", async (t) => {
  const signed = {
    match: {
      type: "payload-hmac-sha256",
      secret: "hunter22",
      parameter: { source: "header", name: "X-Sig" },
    },
  };
  const server = await serving(
    t,
    [
      { id: "signed", "execute-command": "/bin/true", "trigger-rule": signed },
      { id: "rules", "execute-command": "/bin/true", "trigger-rule": no },
    ],
    ["-verbose", "-strict"],
  );
  t.is((await server.ask("/hooks/signed", { headers: { "x-sig": "00" } })).status, 401);
  t.is((await server.ask("/hooks/rules")).status, 403);
  const head = await server.ask("/hooks/rules", { method: "HEAD" });
  t.is(head.status, 405);
  t.is(head.headers.allow, "GET, POST, PUT, PATCH, DELETE");
});
