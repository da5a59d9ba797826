/** An editor of a few lines: it starts a language server behind `reeve settings proxy`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ExecutionContext } from "ava";
import type { Running } from "../../../cli/testing/running.js";
import { frameOf, RpcFrameReader } from "../../../plugins/settings/proxy/frames.js";
import type { SentMessage } from "../../../plugins/settings/testing/talk.js";

const BIN = fileURLToPath(new URL("../../../cli/reeve.js", import.meta.url));
export interface Editor {
  request(method: string, params: unknown): Promise<SentMessage>;
  notify(method: string, params: unknown): void;
  /** The diagnostics of a document, once they fit. */
  diagnostics(
    uri: string,
    fit: (found: readonly SentMessage[]) => boolean,
  ): Promise<readonly SentMessage[]>;
}

/** An editor that starts the server behind `reeve settings proxy`. */
export function editor(
  t: ExecutionContext,
  daemon: Running,
  /** Of the block; left out: by the program's name. */
  name: string | undefined,
  server: readonly string[],
  answers: (section: string) => unknown = () => null,
): Editor {
  const words = ["settings", "proxy", "--control", daemon.socket];
  if (name !== undefined) words.push("--name", name, "--", process.execPath);
  else words.push("--");
  const child = spawn(process.execPath, [BIN, ...words, ...server], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.teardown(async () => {
    const closed = once(child, "close");
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await closed;
    clearTimeout(timer);
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The proxy has ended with ${code}.`);
  });
  ended.catch(() => undefined);
  const send = (message: object) => {
    child.stdin.write(frameOf({ jsonrpc: "2.0", ...message }));
  };
  const results = new Map<number, (message: SentMessage) => void>();
  const published = new Map<string, readonly SentMessage[]>();
  let wake = Promise.withResolvers<void>();
  const reader = new RpcFrameReader();
  child.stdout.on("data", (chunk: Buffer) => {
    for (const { body } of reader.push(chunk)) {
      const message: SentMessage = JSON.parse(body.toString());
      const { id, method, params } = message;
      if (method === undefined) results.get(id)?.(message);
      else if (method === "workspace/configuration") {
        send({ id, result: params.items.map(({ section }: SentMessage) => answers(section)) });
      } else if (id !== undefined) send({ id, result: null });
      if (method === "textDocument/publishDiagnostics") {
        published.set(params.uri, params.diagnostics);
        wake.resolve();
        wake = Promise.withResolvers();
      }
    }
  });
  let ids = 0;
  return {
    notify: (method, params) => send({ method, params }),
    request(method, params) {
      ids += 1;
      const { promise, resolve } = Promise.withResolvers<SentMessage>();
      results.set(ids, resolve);
      send({ id: ids, method, params });
      return Promise.race([promise, ended]);
    },
    async diagnostics(uri, fit) {
      for (;;) {
        const found = published.get(uri);
        if (found && fit(found)) return found;
        await Promise.race([wake.promise, ended]);
      }
    },
  };
}
