/** The proxy with a real server as its child. */
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { within } from "../../../tests/support/eventually.js";
import { delivery, notice, request, type SentMessage } from "../testing/talk.js";
import { frameOf, RpcFrameReader } from "./frames.js";
import type { SettingsPush } from "./layers.js";
import { runProxy } from "./run.js";

const SERVER = fileURLToPath(new URL("../testing/server.js", import.meta.url));

interface Between {
  send(message: unknown): void;
  /** The first message that fits and was not looked at before. */
  sent(fits: (message: SentMessage) => boolean): Promise<SentMessage>;
  deliver(delivery: SettingsPush): void;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly said: readonly string[];
  readonly code: Promise<number>;
}

function between(t: ExecutionContext, reads = true): Between {
  const input = new PassThrough();
  const output = new PassThrough();
  const over = new AbortController();
  const said: string[] = [];
  const fed = Promise.withResolvers<(delivery: SettingsPush) => void>();
  const code = runProxy({
    argv: [process.execPath, SERVER],
    preference: "editor",
    input,
    output,
    say: (sentence) => said.push(sentence),
    feed: async (deliver) => fed.resolve(deliver),
    signal: over.signal,
  });
  t.teardown(async () => {
    over.abort();
    await code;
  });
  const messages: SentMessage[] = [];
  let wake = () => {};
  const reader = new RpcFrameReader();
  if (reads) {
    output.on("data", (chunk: Buffer) => {
      for (const { body } of reader.push(chunk)) messages.push(JSON.parse(body.toString()));
      wake();
    });
  }
  return {
    send: (message) => void input.write(frameOf(message)),
    async sent(fits) {
      for (;;) {
        const index = messages.findIndex(fits);
        if (index >= 0) return messages.splice(0, index + 1).at(-1);
        const next = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await within(`a message that fits ${fits}`, next);
      }
    },
    deliver: (each) => void fed.promise.then((deliver) => deliver(each)),
    input,
    output,
    said,
    code,
  };
}

const saw =
  (method: string) =>
  (message: SentMessage): boolean =>
    message.method === "test/heard" && message.params.method === method;
const start = (at: Between) => {
  at.send(request(1, "initialize", { capabilities: {} }));
  at.send(notice("initialized"));
};

test("a change of a file is with the server at once", async (t) => {
  const at = between(t);
  start(at);
  at.deliver(delivery({ warn_style: true }));
  const { params } = await at.sent(saw("workspace/didChangeConfiguration"));
  t.like(params.params.settings.zls, { warn_style: true, semantic_tokens: "full" });
  at.deliver(delivery({ semantic_tokens: "none" }));
  const later = await at.sent(saw("workspace/didChangeConfiguration"));
  t.like(later.params.params.settings.zls, { warn_style: false, semantic_tokens: "none" });
});

test("a server that dies is started again and knows its documents and settings", async (t) => {
  const at = between(t);
  at.deliver(delivery({ warn_style: true }));
  start(at);
  const { result } = await at.sent(({ id }) => id === 1);
  const textDocument = { uri: "file:///a.zig", languageId: "zig", version: 1, text: "x" };
  at.send(notice("textDocument/didOpen", { textDocument }));
  at.send(notice("test/exit", { code: 3 }));
  const again = await at.sent(
    (message) => saw("initialize")(message) && message.params.pid !== result.pid,
  );
  const opened = await at.sent(saw("textDocument/didOpen"));
  t.deepEqual(opened.params.params, { textDocument });
  const settings = await at.sent(saw("workspace/didChangeConfiguration"));
  t.like(settings.params.params.settings.zls, { warn_style: true });
  t.is(settings.params.pid, again.params.pid);
  t.deepEqual(at.said, ["The language server ended with 3 and is started again."]);
});

test("a server that keeps dying is abandoned, with its exit code", async (t) => {
  const at = between(t);
  start(at);
  for (let death = 0; death < 6; death += 1) {
    await at.sent(saw("initialize"));
    at.send(notice("test/exit", { code: 3 }));
  }
  t.is(await at.code, 3);
  t.is(at.said.length, 5);
});

test("an editor that ends the server gets its exit code, and nothing is started again", async (t) => {
  const at = between(t);
  start(at);
  at.send(request(2, "shutdown"));
  await at.sent(({ id }) => id === 2);
  at.send(notice("exit"));
  t.is(await at.code, 0);
});

test("the end of the editor is the end of the server", async (t) => {
  const at = between(t);
  start(at);
  await at.sent(({ id }) => id === 1);
  at.input.end();
  t.is(await at.code, 7);
});

test("fifty megabytes pass unchanged, with backpressure", async (t) => {
  const at = between(t);
  start(at);
  const text = "ä😀\\".repeat(1_000_000);
  for (let round = 0; round < 3; round += 1) {
    at.send(request(`big ${round}`, "test/echo", { text }));
    const { result } = await at.sent(({ id }) => id === `big ${round}`);
    t.true(result.text === text);
  }
});

test("what is not the protocol goes by as it is", async (t) => {
  const at = between(t, false);
  const chunks: Buffer[] = [];
  const done = Promise.withResolvers<void>();
  at.output.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (Buffer.concat(chunks).includes("this is no message")) done.resolve();
  });
  at.send(notice("test/garbage"));
  at.send(notice("x".repeat(10_000)));
  await done.promise;
  t.pass();
});

test("a program that is not there is said to be not there", async (t) => {
  await t.throwsAsync(
    runProxy({
      argv: ["/no/such/server"],
      preference: "editor",
      input: new PassThrough(),
      output: new PassThrough(),
      say: () => undefined,
      feed: async () => undefined,
      signal: new AbortController().signal,
    }),
    { code: "ENOENT" },
  );
});
