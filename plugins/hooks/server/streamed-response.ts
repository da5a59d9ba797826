/** A response that is sent while the command runs. */
import { Readable } from "node:stream";
import type { HookBlock } from "../blocks/blocks.js";
import type { SuccessReply } from "../decide/command.js";
import type { Finished } from "../runs/finished.js";
import type { HookResponse } from "./handler.js";

/** Bytes buffered for a slow client; more is omitted, so the command never waits. */
const MOST_WAITING = 1024 * 1024;

export class StreamedResponse {
  readonly #events: boolean;
  readonly #status: number;
  readonly #decoder = new TextDecoder();
  readonly #stream = new Readable({ read: () => undefined, highWaterMark: MOST_WAITING });
  #waiting: Uint8Array[] | undefined = [];
  #omitted = 0;

  constructor({ values: { response } }: HookBlock) {
    this.#events = response?.values.stream === "sse";
    this.#status = response?.values.status ?? 200;
    // The client has disconnected.
    this.#stream.on("error", () => undefined);
  }

  readonly listen = (data: Uint8Array): void => {
    if (this.#waiting) this.#waiting.push(data);
    else this.#output(data);
  };

  /** `isHead`: without a body. */
  respond(
    reply: SuccessReply,
    run: string,
    finished: Promise<Finished>,
    isHead: boolean,
  ): HookResponse {
    const type = this.#events ? "text/event-stream; charset=utf-8" : "text/plain; charset=utf-8";
    const headers = {
      ...{ "content-type": type, "cache-control": "no-store" },
      ...Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      "reeve-run": run,
    };
    if (isHead) {
      this.#stream.destroy();
      return { status: this.#status, headers, body: "" };
    }
    if (this.#events) this.#event("accepted", { run });
    for (const data of this.#waiting ?? []) this.#output(data);
    this.#waiting = undefined;
    void finished.then((end) => this.#end(run, end));
    return { status: this.#status, headers, body: this.#stream };
  }

  #output(data: Uint8Array): void {
    if (this.#stream.destroyed) return;
    if (this.#stream.readableLength + data.length > MOST_WAITING) {
      this.#omitted += data.length;
      return;
    }
    this.#reportOmitted();
    if (!this.#events) this.#push(Buffer.from(data));
    else {
      const text = this.#decoder.decode(data, { stream: true });
      if (text !== "") this.#event("output", { text });
    }
  }

  #reportOmitted(): void {
    const bytes = this.#omitted;
    this.#omitted = 0;
    if (bytes === 0) return;
    if (this.#events) this.#event("omitted", { bytes });
    else this.#push(`\n… ${bytes} bytes omitted …\n`);
  }

  /** A failure cuts the response off, since its status is already sent; as events it is reported. */
  #end(run: string, { state, exitCode }: Finished): void {
    if (this.#stream.destroyed) return;
    this.#reportOmitted();
    if (this.#events) this.#event("end", { run, state, exitCode });
    if (this.#events || state === "succeeded") this.#push(null);
    else this.#stream.destroy(new Error("The command did not succeed."));
  }

  #event(event: string, data: object): void {
    this.#push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #push(chunk: string | Buffer | null): void {
    if (!this.#stream.destroyed) this.#stream.push(chunk);
  }
}
