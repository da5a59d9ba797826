/** Whatever a client sends on an HTTP/2 connection, others are served, and handlers see no half request as whole. */
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import test from "ava";
import fc from "fast-check";
import { eventually } from "../support/eventually.js";
import { runs } from "../support/runs.js";
import { begin, send, serve } from "./http2-client.js";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** RFC 9113, 4.1. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Literal fields without indexing (RFC 7541, 6.2.2). */
const fields = (list: ReadonlyArray<readonly [string, string]>): Buffer =>
  Buffer.concat(
    list.flatMap(([name, value]) => [
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  );

const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));
const POST = fields([
  [":method", "POST"],
  [":scheme", "https"],
  [":path", "/"],
  [":authority", "a"],
]);
const [END_STREAM, END_HEADERS] = [1, 4];

const payloads = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.constant(new Uint8Array(POST)),
  fc.uint8Array({ minLength: 4, maxLength: 4 }),
  fc.uint8Array({ minLength: 8, maxLength: 8 }),
);
const frames = fc
  .tuple(fc.integer({ max: 12, min: 0 }), fc.integer({ max: 255, min: 0 }), fc.nat(9), payloads)
  .map((parts) => frame(...parts));
const sessions = fc.record({
  frames: fc.array(frames, { maxLength: 12 }),
  /** Bytes that are cut off at the end. */
  cut: fc.nat(12),
});

async function dial(address: string, ca: string): Promise<TLSSocket> {
  const [host = "", port] = address.split(":");
  const socket = connect({ host, port: Number(port), ca, ALPNProtocols: ["h2"] });
  socket.on("error", () => undefined).resume();
  await once(socket, "secureConnect");
  return socket;
}

test("random frames do no harm", async (t) => {
  t.timeout(120_000);
  const { address, ca, open } = await serve(t, (request, response) => {
    request.resume();
    response.end("here");
  });
  const friend = open();
  await fc.assert(
    fc.asyncProperty(sessions, async ({ frames: sent, cut }) => {
      const socket = await dial(address, ca.cert);
      const bytes = Buffer.concat([Buffer.from(PREFACE), SETTINGS, ...sent]);
      socket.write(bytes.subarray(0, bytes.length - cut));
      const { body } = await send(friend, "/");
      socket.destroy();
      return body === "here";
    }),
    { numRuns: runs(60, 1000) },
  );
  t.pass();
});

test("a stream that is reset is not a whole request", async (t) => {
  const outcomes: unknown[] = [];
  let started = 0;
  const { address, ca, open } = await serve(t, (request) => {
    started += 1;
    let length = 0;
    request.on("data", ({ length: more }: Buffer) => {
      length += more;
    });
    request.once("end", () => outcomes.push(length));
    request.once("error", () => outcomes.push("broken"));
  });
  const cancel = Buffer.from([0, 0, 0, 8]);
  const socket = await dial(address, ca.cert);
  t.teardown(() => socket.destroy());
  socket.write(Buffer.concat([Buffer.from(PREFACE), SETTINGS]));
  socket.write(frame(1, END_HEADERS, 1, POST));
  socket.write(frame(0, 0, 1, Buffer.from("12345")));
  await eventually("the first request", () => started >= 1);
  socket.write(frame(3, 0, 1, cancel));
  await eventually("its end", () => outcomes.length >= 1);
  socket.write(frame(1, END_HEADERS, 3, POST));
  socket.write(frame(0, END_STREAM, 3, Buffer.from("12345")));
  await eventually("the end of the second", () => outcomes.length >= 2);
  socket.destroy();
  // A later connection is served after whatever the end of this one brings.
  const session = open();
  const late = begin(session, { ":path": "/", ":method": "POST" });
  late.end("123");
  await eventually("the end of the third", () => outcomes.includes(3));
  t.deepEqual(outcomes, ["broken", 5, 3]);
});

test("streams that are opened and reset at once end the connection, not the server", async (t) => {
  let handled = 0;
  const { address, ca, open } = await serve(t, (_request, response) => {
    handled += 1;
    response.end("here");
  });
  const socket = await dial(address, ca.cert);
  const closed = once(socket, "close");
  socket.write(Buffer.concat([Buffer.from(PREFACE), SETTINGS]));
  for (let stream = 1; stream < 20_000 && !socket.destroyed; stream += 2) {
    socket.write(frame(1, END_HEADERS, stream, POST));
    socket.write(frame(3, 0, stream, Buffer.from([0, 0, 0, 8])));
  }
  await closed;
  t.true(handled < 10_000, String(handled));
  t.is((await send(open(), "/")).body, "here");
});
