/** Fake time does not overtake real work. */

import { pbkdf2 } from "node:crypto";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import test, { type ExecutionContext } from "ava";
import { child, run } from "../../tests/support/child.js";
import { FakeClock } from "./fake-clock.js";

/** A server of this process that answers after some work of its own, or never. */
async function server(t: ExecutionContext, answers: boolean): Promise<string> {
  const http = createServer((_request, response) => {
    if (answers) void readFile(import.meta.filename).then((text) => response.end(text));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  t.teardown(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}

/** A server in another process, which is in no hurry. */
async function slowServer(t: ExecutionContext): Promise<string> {
  const program =
    'require("http").createServer((q, r) => setTimeout(() => r.end("late"), 200)).listen(0, "127.0.0.1", function () { console.log(this.address().port) })';
  const [port] = await child(t, process.execPath, ["-e", program]).says(/\d+/);
  return `http://127.0.0.1:${port}/`;
}

const works: Readonly<Record<string, (t: ExecutionContext) => Promise<() => Promise<unknown>>>> = {
  "a chain of files": async () => async () => {
    for (let i = 0; i < 30; i += 1) await stat(import.meta.filename);
    await readFile(import.meta.filename);
  },
  "an operation of the thread pool": async () => () =>
    promisify(pbkdf2)("a", "b", 200_000, 32, "sha256"),
  "a command": async () => () => run("sh", ["-c", "sleep 0.2; echo done"]),
  "a request to a server of this process": async (t) => {
    const url = await server(t, true);
    return async () => (await fetch(url)).text();
  },
  "a request to another process": async (t) => {
    const url = await slowServer(t);
    return async () => (await fetch(url)).text();
  },
  "a request by node:http": async (t) => {
    const url = await slowServer(t);
    return async () => {
      const [response] = await once(get(url), "response");
      await once(response.resume(), "end");
    };
  },
};

for (const [name, prepare] of Object.entries(works))
  test.serial(`a deadline waits for ${name}`, async (t) => {
    const work = await prepare(t);
    const clock = new FakeClock();
    const first = Promise.race([work().then(() => "work"), clock.sleep(1).then(() => "deadline")]);
    await clock.advance(1);
    t.is(await first, "work");
  });

test.serial("what never ends does not hold time", async (t) => {
  const url = await server(t, false);
  const clock = new FakeClock();
  const stop = new AbortController();
  const waiting = fetch(url, { signal: stop.signal }).catch(() => "stopped");
  const first = Promise.race([waiting, clock.sleep(1000).then(() => "deadline")]);
  await clock.advance(1000);
  t.is(await first, "deadline");
  stop.abort();
  t.is(await waiting, "stopped");
});

test.serial("sleepers wake at their own moments, also those that sleep again", async (t) => {
  const clock = new FakeClock(0);
  const woken: number[] = [];
  void (async () => {
    for (let i = 0; i < 3; i += 1) {
      await clock.sleep(10);
      await stat(import.meta.filename);
      woken.push(clock.now());
    }
  })();
  await clock.advance(25);
  t.deepEqual(woken, [10, 20]);
  await clock.until(() => woken.length === 3, 1);
  t.deepEqual(woken, [10, 20, 30]);
});
