/** Requests that come before the first configuration is committed wait for it. */
import { connect } from "node:net";
import test from "ava";
import { eventually, remains } from "../../../tests/support/eventually.js";
import { ask } from "../testing/client.js";
import { openListeners, says } from "../testing/open-listeners.js";
import { LIMITS } from "./limits.js";

async function waits(request: Promise<unknown>): Promise<void> {
  let isAnswered = false;
  const noted = request.then(() => {
    isAnswered = true;
  });
  noted.catch(() => undefined);
  await remains("a request without an answer", () => !isAnswered, 50);
}

test("a request waits for the activation of the first claim, and is answered from then on, with the whole URL", async (t) => {
  const listeners = await openListeners(t);
  const options = { listen: "127.0.0.1:0", prefix: "/hooks", requestTimeout: 1000, owner: "hooks" };
  const route = await listeners.claim(options, says("hooks"));
  t.regex(route.address, /^127\.0\.0\.1:\d+$/);
  const early = ask(route.address, "/hooks/early");
  await waits(early);
  route.activate();
  t.is((await early).body, "hooks /hooks/early");
  t.is((await ask(route.address, "/hooks/x?y=1")).body, "hooks /hooks/x?y=1");
  t.deepEqual(listeners.list(), [{ address: route.address, prefixes: ["/hooks"] }]);
});

test("a request that waits for a claim which is given up is answered", async (t) => {
  const listeners = await openListeners(t);
  const options = { listen: "127.0.0.1:0", prefix: "/hooks", requestTimeout: 1000, owner: "hooks" };
  const one = await listeners.claim(options, says("one"));
  const other = await listeners.claim({ ...options, listen: one.address, prefix: "/b" }, says("b"));
  const early = ask(one.address, "/hooks/early");
  await waits(early);
  await other.release();
  await waits(early);
  await one.release();
  t.is((await early).status, 404);
});

test("more requests than connections are allowed do not wait", async (t) => {
  const listeners = await openListeners(t);
  const options = { listen: "127.0.0.1:0", prefix: "/hooks", requestTimeout: 1000, owner: "hooks" };
  const route = await listeners.claim(options, says("hooks"));
  const [host = "", port] = route.address.split(":");
  const socket = connect(Number(port), host);
  t.teardown(() => socket.destroy());
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  socket.write("GET /hooks HTTP/1.1\r\nHost: x\r\n\r\n".repeat(LIMITS.connections + 5));
  // Those that come before the others are read wait, too.
  let isRefused = false;
  const askAgain = (): boolean => {
    ask(route.address, "/hooks/late").then(
      ({ status }) => {
        isRefused ||= status === 503;
      },
      () => undefined,
    );
    return isRefused;
  };
  await eventually("a request too many is refused", askAgain, { every: 50 });
  t.is(text, "");
  route.activate();
  await eventually("what waited is answered", () => text.includes("hooks /hooks"));
});
