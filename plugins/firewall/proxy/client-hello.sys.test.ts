import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { connect } from "node:tls";
import test from "ava";
import { readClientHello } from "./client-hello.js";

/** The first bytes of a real client. */
async function helloOf(servername: string | undefined, protocols: string[] = []): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client = connect({
    host: "127.0.0.1",
    port,
    ALPNProtocols: protocols,
    ...(servername === undefined ? {} : { servername }),
  });
  client.on("error", () => {});
  const [socket] = (await once(server, "connection")) as [Socket];
  const [bytes] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

test("a real client's server name and protocols are parsed", async (t) => {
  t.deepEqual(readClientHello(await helloOf("allowed.test", ["h2", "http/1.1"])), {
    kind: "hello",
    serverName: "allowed.test",
    protocols: ["h2", "http/1.1"],
  });
  t.deepEqual(readClientHello(await helloOf(undefined)), {
    kind: "hello",
    serverName: undefined,
    protocols: [],
  });
});

test("every prefix of a hello is partial", async (t) => {
  const whole = await helloOf("allowed.test");
  for (let length = 0; length < whole.length; length += 1) {
    t.is(readClientHello(whole.subarray(0, length)).kind, "partial", String(length));
  }
});

test("a hello in several records is the same hello", async (t) => {
  const whole = await helloOf("allowed.test");
  const body = whole.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < body.length; at += 50) {
    const part = body.subarray(at, at + 50);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  t.deepEqual(readClientHello(Buffer.concat(records)), readClientHello(whole));
});

test("two names, a name with odd bytes and other protocols are invalid", async (t) => {
  const whole = await helloOf("allowed.test");
  const at = whole.indexOf("allowed.test");
  const zero = Buffer.from(whole);
  zero[at + 3] = 0;
  t.is(readClientHello(zero).kind, "invalid");
  const list = Buffer.from(whole);
  list.writeUInt16BE(list.readUInt16BE(at - 5) - 1, at - 5);
  t.is(readClientHello(list).kind, "invalid");
  t.is(readClientHello(Buffer.from("GET / HTTP/1.1\r\n\r\n")).kind, "invalid");
  t.is(readClientHello(Buffer.from([22, 9])).kind, "invalid");
  t.is(readClientHello(Buffer.from([22, 3, 1, 0xff, 0xff])).kind, "invalid");
});

test("a million damaged hellos neither throw nor give a wrong name", async (t) => {
  const whole = await helloOf("allowed.test");
  let seed = 42;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed % below;
  };
  const copy = Buffer.from(whole);
  const kinds = new Set<string>();
  for (let round = 0; round < 1_000_000; round += 1) {
    const changed = [random(copy.length), random(copy.length)];
    for (const position of changed) copy[position] = random(256);
    const read = readClientHello(round % 3 === 0 ? copy.subarray(0, random(copy.length)) : copy);
    kinds.add(read.kind);
    if (
      read.kind === "hello" &&
      read.serverName !== undefined &&
      !/^[\x21-\x7e]+$/.test(read.serverName)
    ) {
      t.fail(JSON.stringify(read.serverName));
    }
    for (const position of changed) copy[position] = whole[position] ?? 0;
  }
  t.deepEqual([...kinds].sort(), ["hello", "invalid", "partial"]);
});
