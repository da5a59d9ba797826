/** Requests that come before the first configuration is committed wait for it. */
import test, { type ExecutionContext } from "ava";
import { remains } from "../../../tests/support/eventually.js";
import type { Listeners, RequestHandler } from "../contract.js";
import { ask } from "../testing/client.js";
import { KeptLog } from "../testing/kept-log.js";
import { createListeners } from "./listeners.js";

async function open(t: ExecutionContext): Promise<Listeners> {
  const listeners = await createListeners({ log: new KeptLog(), environment: {} });
  t.teardown(() => listeners.close(AbortSignal.abort()));
  return listeners;
}

const says =
  (text: string): RequestHandler =>
  (request, response) => {
    request.resume();
    response.end(`${text} ${request.url}`);
  };

async function waits(request: Promise<unknown>): Promise<void> {
  let isAnswered = false;
  const noted = request.then(() => {
    isAnswered = true;
  });
  noted.catch(() => undefined);
  await remains("a request without an answer", () => !isAnswered, 50);
}

test("a request waits for the activation of the first claim, and is answered from then on, with the whole URL", async (t) => {
  const listeners = await open(t);
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
  const listeners = await open(t);
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
