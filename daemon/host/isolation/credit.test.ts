import test from "ava";
import fc from "fast-check";
import { eventually } from "../../../tests/support/eventually.js";
import { LimitedPort, MeteredPort } from "./credit.js";
import type { Port } from "./peer.js";

/** A port whose other end is the test. */
function port() {
  const sent: unknown[] = [];
  let receive: (message: unknown) => void = () => undefined;
  const own: Port = {
    send: (message) => void sent.push(message),
    receive: (listener) => {
      receive = listener;
    },
  };
  return { own, sent, deliver: (message: unknown) => receive(message) };
}

const call = { do: "call", id: 1, name: "ping", argument: undefined } as const;
const line = { do: "tell", name: "log", argument: {} } as const;
const answer = { do: "answer", id: 1, value: 1 } as const;

test("the daemon's end refuses more than the credit and its excess, and then reads nothing", (t) => {
  for (const [message, credit] of [
    [call, 1_024],
    [line, 256],
    [answer, 0],
  ] as const) {
    const { own, deliver } = port();
    const refusals: string[] = [];
    let read = 0;
    new MeteredPort(own, (what) => refusals.push(what)).receive(() => {
      read += 1;
    });
    for (let count = 0; count < 5_000; count += 1) deliver(message);
    t.deepEqual(refusals, ["sent more messages than it may"]);
    t.is(read, credit + 1_024);
  }
});

test("each call of the daemon allows one answer", (t) => {
  const { own, deliver } = port();
  const refusals: string[] = [];
  const metered = new MeteredPort(own, (what) => refusals.push(what));
  metered.receive(() => undefined);
  for (let count = 0; count < 5_000; count += 1) {
    metered.send(call);
    deliver(answer);
  }
  t.deepEqual(refusals, []);
});

test("what is no message, and what its listener cannot read, is refused", (t) => {
  for (const message of [null, undefined, 1, { do: "refuse", id: 1 }]) {
    const { own, deliver } = port();
    const refusals: string[] = [];
    new MeteredPort(own, (what) => refusals.push(what)).receive((received) => {
      String((received as { error: Error }).error.message);
    });
    deliver(message);
    t.deepEqual(refusals, ["sent a malformed message"]);
  }
});

test("the plugin's end sends calls in their order when it has credit again, and answers always", (t) => {
  const { own, sent, deliver } = port();
  const limited = new LimitedPort(own);
  limited.receive(() => undefined);
  for (let id = 1; id <= 1_500; id += 1) limited.send({ ...call, id });
  t.is(sent.length, 1_024);
  limited.send(answer);
  t.is(sent.length, 1_025);
  deliver({ do: "grant", kind: "work", messages: 400, bytes: 0 });
  limited.send({ ...call, id: 1_501 });
  deliver({ do: "grant", kind: "work", messages: 1_000, bytes: 0 });
  const ids = (sent as Array<typeof call | typeof answer>).flatMap((each) =>
    each.do === "call" ? each.id : [],
  );
  t.deepEqual(ids, Array.from({ length: 1_501 }, (_, index) => index + 1) as unknown as 1[]);
});

test("the plugin's end drops log lines beyond its queue, and reports how many", (t) => {
  const { own, sent, deliver } = port();
  const limited = new LimitedPort(own);
  limited.receive(() => undefined);
  for (let count = 0; count < 2_000; count += 1) limited.send(line);
  t.is(sent.length, 256);
  deliver({ do: "grant", kind: "telemetry", messages: 50, bytes: 0 });
  t.is(sent.length, 256 + 50 + 1);
  t.deepEqual(sent.at(-1), { do: "tell", name: "dropped", argument: { log: 744, emit: 0 } });
});

const MEBIBYTE = 1024 * 1024;
const large = (mebibytes: number, id = 1) =>
  ({ ...call, id, argument: "x".repeat(mebibytes * MEBIBYTE) }) as const;

test("bytes are credit, too: after 32 MiB calls wait, in their order", (t) => {
  const { own, sent, deliver } = port();
  const limited = new LimitedPort(own);
  limited.receive(() => undefined);
  for (let id = 1; id <= 6; id += 1) limited.send(large(10, id));
  t.is(sent.length, 4);
  limited.send({ ...call, id: 7 });
  t.is(sent.length, 4, "a small one does not overtake");
  deliver({ do: "grant", kind: "work", messages: 4, bytes: 32 * MEBIBYTE });
  t.deepEqual(
    sent.map((each) => (each as { readonly id: number }).id),
    [1, 2, 3, 4, 5, 6, 7],
  );
});

test("a message of more than 64 MiB is refused by the plugin's end", (t) => {
  const { own, sent } = port();
  const limited = new LimitedPort(own);
  t.throws(() => limited.send(large(65)), { message: /about 66 MiB; at most 64 MiB/ });
  t.deepEqual(sent, []);
});

test("the daemon's end refuses bytes beyond the credit and its excess", (t) => {
  const { own, deliver } = port();
  const refusals: string[] = [];
  let read = 0;
  new MeteredPort(own, (what) => refusals.push(what)).receive(() => {
    read += 1;
  });
  const line = { do: "tell", name: "log", argument: "x".repeat(30 * MEBIBYTE) } as const;
  for (let count = 0; count < 100; count += 1) deliver(line);
  t.deepEqual(refusals, ["sent more bytes than it may"]);
  t.is(read, 0);
});

test("a plugin's end that keeps to its credit is never refused, whatever it sends", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ mebibytes: fc.nat({ max: 20 }), telemetry: fc.boolean() }), {
        maxLength: 30,
      }),
      async (messages) => {
        let toDaemon: (message: unknown) => void = () => undefined;
        let toPlugin: (message: unknown) => void = () => undefined;
        const refusals: string[] = [];
        const limited = new LimitedPort({
          send: (message) => toDaemon(message),
          receive: (listener) => {
            toPlugin = listener;
          },
        });
        const metered = new MeteredPort(
          {
            send: (message) => toPlugin(message),
            receive: (listener) => {
              toDaemon = listener;
            },
          },
          (what) => refusals.push(what),
        );
        const read: number[] = [];
        limited.receive(() => undefined);
        metered.receive((message) => {
          const { do: kind, id } = message as { readonly do: string; readonly id: number };
          if (kind === "call") read.push(id);
        });
        const sent: number[] = [];
        for (const [id, { mebibytes, telemetry }] of messages.entries()) {
          const argument = "x".repeat(mebibytes * MEBIBYTE);
          if (telemetry) {
            limited.send({ do: "tell", name: "log", argument: argument.slice(0, MEBIBYTE) });
          } else {
            limited.send({ do: "call", id, name: "x", argument });
            sent.push(id);
          }
        }
        await eventually("all calls to arrive", () => read.length === sent.length);
        t.deepEqual(refusals, []);
        t.deepEqual(read, sent);
      },
    ),
    { numRuns: 15 },
  );
});
