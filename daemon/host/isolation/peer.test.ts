import { MessageChannel, type MessagePort } from "node:worker_threads";
import test, { type ExecutionContext } from "ava";
import { ReeveError } from "../../errors.js";
import { Peer, type Port } from "./peer.js";

type Far = {
  double(value: number): number;
  fail(how: "plain" | "coded" | "text"): never;
  wait(forever: boolean): string;
  echo(value: unknown): unknown;
  hear(word: string): void;
};
type Near = Record<never, never>;

const portOf = (port: MessagePort): Port => ({
  send: (message) => port.postMessage(message),
  receive: (listener) => void port.on("message", listener),
});

function pair(t: ExecutionContext) {
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port1.close());
  const received: string[] = [];
  const far = new Peer<Near, Far>(portOf(port2), {
    double: (value) => value * 2,
    fail: (how) => {
      if (how === "coded") throw new ReeveError("broken", "It is broken.", { help: "Mend it." });
      throw how === "plain" ? new Error("It went wrong.") : "just text";
    },
    wait: (_forever, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    echo: () => () => "a function",
    hear: (word) => {
      received.push(word);
      if (word === "loud") throw new Error("too loud");
    },
  });
  return { near: new Peer<Far, Near>(portOf(port1), {}), far, received };
}

test("a call gives what the other side answers", async (t) => {
  const { near } = pair(t);
  t.deepEqual(await Promise.all([near.call("double", 2), near.call("double", 3)]), [4, 6]);
});

test("errors keep their sentence, code and help", async (t) => {
  const { near } = pair(t);
  await t.throwsAsync(near.call("fail", "plain"), { message: "It went wrong." });
  await t.throwsAsync(near.call("fail", "text"), { message: "just text" });
  const coded = await t.throwsAsync(near.call("fail", "coded"), { instanceOf: ReeveError });
  t.like(coded, { code: "broken", message: "It is broken.", help: "Mend it." });
});

test("a call is aborted on the other side, with the reason's sentence", async (t) => {
  const { near } = pair(t);
  const controller = new AbortController();
  const waiting = near.call("wait", true, controller.signal);
  controller.abort(new Error("changed my mind"));
  await t.throwsAsync(waiting, { message: "changed my mind" });
  await t.throwsAsync(near.call("double", 2, controller.signal), { message: "changed my mind" });
});

test("what cannot cross is refused on either side", async (t) => {
  const { near } = pair(t);
  await t.throwsAsync(
    near.call("echo", () => 1),
    { message: /^It cannot cross the border: / },
  );
  await t.throwsAsync(near.call("echo", 1), { message: /^The answer cannot cross the border: / });
});

test("a method that does not exist is refused, and telling it is ignored", async (t) => {
  const { near } = pair(t);
  await t.throwsAsync(near.call("constructor" as "double", 1), { message: /does not exist/ });
  near.notify("nothing" as "hear", "x");
  t.is(await near.call("double", 1), 2);
});

test("what is told arrives in order, and trouble with it is nobody's", async (t) => {
  const { near, received } = pair(t);
  for (const word of ["a", "loud", "b"]) near.notify("hear", word);
  await near.call("double", 1);
  t.deepEqual(received, ["a", "loud", "b"]);
});

test("when the other side is gone, whoever waits and whoever asks is told why", async (t) => {
  const { near, far } = pair(t);
  const waiting = near.call("wait", true);
  const why = new Error("The worker is gone.");
  near.close(why);
  t.is(await t.throwsAsync(waiting), why);
  t.is(await t.throwsAsync(near.call("double", 1)), why);
  near.notify("hear", "nobody");
  far.close(new Error("over"));
});
