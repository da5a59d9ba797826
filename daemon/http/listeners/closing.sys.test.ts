/** A graceful end: no request that was sent on an open connection is reset. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import test from "ava";
import { eventually, turns } from "../../../tests/support/eventually.js";
import { KeptLog } from "../testing/kept-log.js";
import { createListeners } from "./listeners.js";

async function server(t: { teardown(end: () => Promise<void>): void }) {
  const listeners = await createListeners({ log: new KeptLog(), environment: {} });
  t.teardown(() => listeners.close(AbortSignal.abort()));
  let answers = 0;
  const route = await listeners.claim(
    { listen: "127.0.0.1:0", prefix: "/", owner: "a", requestTimeout: 10_000 },
    (_request, response) => {
      answers += 1;
      response.end("here");
    },
  );
  route.activate();
  const port = Number(route.address.split(":")[1]);
  return { listeners, port, answers: () => answers };
}

/** Sends requests one after the other on one connection until a response closes it. */
class Client {
  readonly #socket: Socket;
  #text = "";
  /** `closed` after a last response, `reset` without one. */
  readonly end: Promise<"closed" | "reset">;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1").setEncoding("utf8");
    this.#socket.on("data", (text: string) => {
      this.#text += text;
    });
    this.#socket.on("error", () => undefined);
    this.end = once(this.#socket, "close").then(() =>
      /connection: close/i.test(this.#text) && this.#text.endsWith("here") ? "closed" : "reset",
    );
  }

  get connected(): Promise<unknown> {
    return once(this.#socket, "connect");
  }

  send(): void {
    this.#text = "";
    this.#socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  }

  async response(): Promise<string> {
    while (!this.#text.endsWith("here")) await once(this.#socket, "data");
    return this.#text;
  }

  async sendUntilClosed(): Promise<void> {
    for (;;) {
      this.send();
      if (/connection: close/i.test(await this.response())) return;
    }
  }
}

test("a kept connection gets one more response after the end began, and is then closed", async (t) => {
  const { listeners, port } = await server(t);
  const client = new Client(port);
  client.send();
  t.notRegex(await client.response(), /connection: close/i);
  const closed = listeners.close(new AbortController().signal);
  await turns();
  client.send();
  t.is(await client.end, "closed");
  await closed;
});

test("a connection that was accepted before the end began gets its response", async (t) => {
  const { listeners, port } = await server(t);
  const client = new Client(port);
  await client.connected;
  const closed = listeners.close(new AbortController().signal);
  client.send();
  t.is(await client.end, "closed");
  await closed;
});

test("a graceful end under load resets no request on 50 kept connections", async (t) => {
  const { listeners, port, answers } = await server(t);
  const clients = Array.from({ length: 50 }, () => new Client(port));
  const running = clients.map((client) => client.sendUntilClosed().catch(() => undefined));
  await eventually("2,000 answers", () => answers() >= 2_000);
  await listeners.close(new AbortController().signal);
  t.deepEqual(
    new Set(await Promise.all(clients.map(({ end }) => end))),
    new Set(["closed" as const]),
  );
  await Promise.all(running);
});
