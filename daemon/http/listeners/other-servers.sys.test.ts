/** What strangers send: anything, at any pace. Nothing of it may reach anybody else. */
import { once } from "node:events";
import { connect } from "node:net";
import test from "ava";
import fc from "fast-check";
import { eventually } from "../../../tests/support/eventually.js";
import { runs } from "../../../tests/support/runs.js";
import { anyText } from "../../../tests/support/text.js";
import { ask } from "../testing/client.js";
import { KeptLog } from "../testing/kept-log.js";
import { createListeners } from "./listeners.js";

const piece = fc.oneof(
  fc.constantFrom(
    "GET / HTTP/1.1\r\n",
    "POST /x HTTP/1.1\r\n",
    "Host: x\r\n",
    "Host: y\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: -1\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Expect: 100-continue\r\n",
    "Upgrade: websocket\r\nConnection: upgrade\r\n",
    "\r\n",
    "\n",
    "5\r\nhello\r\n0\r\n\r\n",
    "ffffffffffffffff\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "CONNECT example.org:443 HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "GET http://example.org/x HTTP/1.1\r\n",
  ),
  anyText({ maxLength: 40 }),
);

test("whatever bytes arrive, the next request of somebody else is answered", async (t) => {
  const log = new KeptLog();
  const listeners = await createListeners({ log, environment: {} });
  t.teardown(() => listeners.close(AbortSignal.abort()));
  const route = await listeners.claim(
    { listen: "127.0.0.1:0", prefix: "/", requestTimeout: 1000, owner: "test" },
    (request, response) => {
      request.on("error", () => undefined).resume();
      response.end("fine");
    },
  );
  route.activate();
  const port = Number(route.address.split(":")[1]);
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      await once(socket, "connect");
      const closed = once(socket.resume(), "close");
      for (const each of pieces) socket.write(each);
      socket.end();
      const { status, body } = await ask(route.address, "/");
      socket.destroy();
      await closed;
      return status === 200 && body === "fine";
    }),
    { numRuns: runs(50, 200) },
  );
  t.deepEqual(log.lines, []);
  await eventually("the end of all requests", () => route.inFlight === 0);
  t.is(route.inFlight, 0);
});
