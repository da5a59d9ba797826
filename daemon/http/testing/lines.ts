import { type ClientRequest, request } from "node:http";
import { createInterface } from "node:readline/promises";
import type { ExecutionContext } from "ava";
import type { EventLine } from "../control/api.js";

export interface Watcher {
  /** The next line; `undefined` when the stream has ended. */
  next(): Promise<EventLine | undefined>;
  readonly request: ClientRequest;
}

/** Reads the event stream of a control socket, one line at a time. */
export async function watch(t: ExecutionContext, path: string, query = ""): Promise<Watcher> {
  const stream = request({ socketPath: path, path: `/v1/events${query}` }).end();
  t.teardown(() => stream.destroy());
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    stream.on("response", resolve).on("error", reject);
  });
  response.on("error", () => undefined);
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  return {
    request: stream,
    async next() {
      const { value, done } = await lines.next();
      return done ? undefined : (JSON.parse(value) as EventLine);
    },
  };
}
