import test from "ava";
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
  deliver({ do: "grant", kind: "work", count: 400 });
  limited.send({ ...call, id: 1_501 });
  deliver({ do: "grant", kind: "work", count: 1_000 });
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
  deliver({ do: "grant", kind: "telemetry", count: 50 });
  t.is(sent.length, 256 + 50 + 1);
  t.deepEqual(sent.at(-1), { do: "tell", name: "dropped", argument: { log: 744, emit: 0 } });
});
