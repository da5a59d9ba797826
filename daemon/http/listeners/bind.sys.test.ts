import { once } from "node:events";
import { readdir, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import type { Listeners } from "../contract.js";
import { ask } from "../testing/client.js";
import { KeptLog } from "../testing/kept-log.js";
import { temporaryDirectory } from "../testing/temporary.js";
import { tcpRefusal } from "./bind.js";
import { createListeners } from "./listeners.js";

async function open(t: ExecutionContext): Promise<Listeners> {
  const listeners = await createListeners({ log: new KeptLog(), environment: {} });
  t.teardown(() => listeners.close(AbortSignal.abort()));
  return listeners;
}

async function serve(listeners: Listeners, listen: string, text = "here") {
  const route = await listeners.claim(
    { listen, prefix: "/", requestTimeout: 1000, owner: "test" },
    (_request, response) => void response.end(text),
  );
  route.activate();
  return route;
}

/** A process of its own that listens and prints its address; gone after the test. */
async function otherProcess(t: ExecutionContext, listen: string) {
  const program = `const s = require("node:net").createServer().listen(${listen}, () => console.log(JSON.stringify(s.address())));`;
  const started = child(t, process.execPath, ["-e", program]);
  const [line] = await started.says(/^.+$/m);
  return { pid: started.pid, line, kill: () => started.end() };
}

test("a unix socket answers, is for owner and group, and goes away with its last claim", async (t) => {
  const directory = await temporaryDirectory(t);
  const listeners = await open(t);
  const address = `unix:${join(directory, "x.sock")}`;
  const route = await serve(listeners, address);
  t.is(route.address, address);
  t.is((await ask(address, "/")).body, "here");
  t.is((await stat(join(directory, "x.sock"))).mode & 0o777, 0o660);
  await route.release();
  t.deepEqual(await readdir(directory), []);
});

test("a unix socket that a dead process left is replaced", async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, "x.sock");
  const { kill } = await otherProcess(t, JSON.stringify(path));
  await kill();
  t.deepEqual(await readdir(directory), ["x.sock"]);
  const listeners = await open(t);
  const address = `unix:${path}`;
  await serve(listeners, address);
  t.is((await ask(address, "/")).body, "here");
  t.deepEqual(await readdir(directory), ["x.sock"]);
});

test("a living process keeps its unix socket, and is named", async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, "x.sock");
  const { pid } = await otherProcess(t, JSON.stringify(path));
  const listeners = await open(t);
  const error = await t.throwsAsync(serve(listeners, `unix:${path}`), { code: "address_in_use" });
  t.regex(
    error.message,
    new RegExp(`^Cannot listen on \`unix:${path}\`: \`.+\` \\(process ${pid}\\) has it\\.$`),
  );
});

test("a living process keeps its port, and is named", async (t) => {
  const { pid, line } = await otherProcess(t, '{ port: 0, host: "127.0.0.1" }');
  const { port } = JSON.parse(line);
  const listeners = await open(t);
  for (const listen of [`127.0.0.1:${port}`, `:${port}`]) {
    const error = await t.throwsAsync(serve(listeners, listen), { code: "address_in_use" });
    t.regex(
      error.message,
      new RegExp(`^Cannot listen on \`${listen}\`: \`.+\` \\(process ${pid}\\) has it\\.$`),
    );
    t.deepEqual(listeners.list(), []);
  }
});

test("two daemons cannot share a port", async (t) => {
  const { address } = await serve(await open(t), "127.0.0.1:0");
  const second = await open(t);
  await t.throwsAsync(serve(second, address), { code: "address_in_use" });
});

test("IPv6 addresses stand in brackets", async (t) => {
  const listeners = await open(t);
  const { address } = await serve(listeners, "[::1]:0");
  t.regex(address, /^\[::1\]:\d+$/);
  t.is((await ask(address, "/")).body, "here");
});

test("an address on every interface answers both families", async (t) => {
  const listeners = await open(t);
  const { address } = await serve(listeners, ":0");
  t.regex(address, /^:\d+$/);
  t.is((await ask(`127.0.0.1${address}`, "/")).body, "here");
  t.is((await ask(`[::1]${address}`, "/")).body, "here");
});

test("an address that the machine does not have", async (t) => {
  const listeners = await open(t);
  await t.throwsAsync(serve(listeners, "192.0.2.1:0"), {
    message: "Cannot listen on `192.0.2.1:0`: this machine does not have that address.",
  });
});

test("a file that is no socket is left alone", async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, "precious");
  await writeFile(path, "data");
  const listeners = await open(t);
  await t.throwsAsync(serve(listeners, `unix:${path}`), { message: /exists and is not a socket/ });
  t.true((await stat(path)).isFile());
});

test("a directory that does not exist", async (t) => {
  const directory = await temporaryDirectory(t);
  const listeners = await open(t);
  await t.throwsAsync(serve(listeners, `unix:${directory}/missing/x.sock`), {
    message: /the directory `.*\/missing` does not exist/,
  });
});

test("a failed claim can be made again", async (t) => {
  const blocker: Server = createServer().listen(0, "127.0.0.1");
  await once(blocker, "listening");
  const held = blocker.address();
  const port = typeof held === "object" && held !== null ? held.port : 0;
  const listeners = await open(t);
  await t.throwsAsync(serve(listeners, `127.0.0.1:${port}`), { code: "address_in_use" });
  await new Promise((resolve) => blocker.close(resolve));
  t.is((await ask((await serve(listeners, `127.0.0.1:${port}`)).address, "/")).body, "here");
});

const refusals: Readonly<Record<string, RegExp>> = {
  EACCES: /^Cannot listen on `127\.0\.0\.1:80`: ports below 1024 need a privilege/,
  EADDRNOTAVAIL: /this machine does not have that address/,
  EAFNOSUPPORT: /IPv6 is switched off/,
  EMFILE: /: too many open files\.$/,
};
for (const [code, sentence] of Object.entries(refusals)) {
  test(`${code} is said in a sentence`, async (t) => {
    const thrown = Object.assign(new Error("too many open files"), { code });
    const { message } = await tcpRefusal({ kind: "tcp", host: "127.0.0.1", port: 80 }, thrown);
    t.regex(message, sentence);
  });
}
