/** An editor of a few lines: it starts a language server behind `reeve settings proxy`. */
import type { ExecutionContext } from "ava";
import type { Running } from "../../../cli/testing/running.js";
import { frameOf, RpcFrameReader } from "../../../plugins/settings/proxy/frames.js";
import type { SentMessage } from "../../../plugins/settings/testing/talk.js";
import { child } from "../../support/child.js";
import { REEVE } from "../../support/commands.js";
import { within } from "../../support/eventually.js";
import { folder } from "../../support/folder.js";

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
  // Servers leave files in the temporary directory.
  const env = { ...process.env, TMPDIR: folder(t) };
  const proxy = child(t, process.execPath, [REEVE, ...words, ...server], {
    env,
    stdio: "pipe",
    encoding: "latin1",
  });
  const { stdin, stdout } = proxy.process;
  if (!(stdin && stdout)) throw new Error("The proxy has no streams.");
  // With its input the server ends, too, which leads a group of its own.
  t.teardown(async () => {
    stdin.end();
    await within("the end of the proxy", proxy.ended, 15_000).catch(() => undefined);
  });
  const ended = proxy.ended.then((code) => {
    throw new Error(`The proxy has ended with ${code}: ${proxy.stderr}`);
  });
  ended.catch(() => undefined);
  const send = (message: object) => {
    stdin.write(frameOf({ jsonrpc: "2.0", ...message }));
  };
  const results = new Map<number, (message: SentMessage) => void>();
  const published = new Map<string, readonly SentMessage[]>();
  let wake = Promise.withResolvers<void>();
  const reader = new RpcFrameReader();
  stdout.on("data", (chunk: string) => {
    for (const { body } of reader.push(Buffer.from(chunk, "latin1"))) {
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
      return within(`the answer to ${method}`, Promise.race([promise, ended]));
    },
    async diagnostics(uri, fit) {
      let found: readonly SentMessage[] | undefined;
      for (;;) {
        found = published.get(uri);
        if (found && fit(found)) return found;
        const next = Promise.race([wake.promise, ended]);
        await within(`diagnostics of ${uri} after ${JSON.stringify(found)}`, next);
      }
    },
  };
}
