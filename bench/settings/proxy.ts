/** Requests to a server, straight and through the proxy. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { frameOf, RpcFrameReader } from "../../plugins/settings/proxy/frames.js";

const BIN = new URL("../../cli/reeve.js", import.meta.url).pathname;
const SERVER = new URL("../../plugins/settings/testing/server.js", import.meta.url).pathname;
const REQUESTS = 3_000;
const THROUGH = 50 * 1024 * 1024;

interface Peer {
  ask(params: unknown): Promise<unknown>;
  end(): Promise<void>;
}

async function peer(words: readonly string[]): Promise<Peer> {
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "ignore"] });
  const reader = new RpcFrameReader();
  let answered = (_result: unknown): void => undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    for (const { body } of reader.push(chunk)) {
      const text = body.toString();
      // The server's own words about what it hears are of no interest.
      if (text.includes('"method":"test/heard"')) continue;
      answered(JSON.parse(text).result);
    }
  });
  let id = 0;
  const ask = (params: unknown): Promise<unknown> => {
    id += 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answered = resolve;
    child.stdin.write(frameOf({ jsonrpc: "2.0", id, method: "test/echo", params }));
    return promise;
  };
  await ask({});
  return {
    ask,
    async end() {
      const closed = once(child, "close");
      child.stdin.end();
      await closed;
    },
  };
}

const proxied = [BIN, "settings", "proxy", "--name", "bench", "--", process.execPath, SERVER];
/** As long as the answer to a hover. */
const HOVER = { text: "const x: u32 = 1; ".repeat(20) };

/** Milliseconds that a request takes longer, one after the other with and without the proxy. */
export async function proxyOverhead(): Promise<readonly number[]> {
  const [straight, through] = [await peer([SERVER]), await peer(proxied)];
  const time = async ({ ask }: Peer): Promise<number> => {
    const begin = performance.now();
    await ask(HOVER);
    return performance.now() - begin;
  };
  const differences: number[] = [];
  for (let request = 0; request < REQUESTS; request += 1) {
    const without = await time(straight);
    differences.push((await time(through)) - without);
  }
  await Promise.all([straight.end(), through.end()]);
  return differences;
}

export async function throughProxy(): Promise<{
  readonly unchanged: boolean;
  readonly duration: number;
}> {
  const through = await peer(proxied);
  const text = "0123456789ä".repeat(THROUGH / 12);
  const begin = performance.now();
  const result = (await through.ask({ text })) as { readonly text: string };
  const duration = performance.now() - begin;
  await through.end();
  return { unchanged: result.text === text, duration };
}
