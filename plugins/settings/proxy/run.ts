/** The proxy as a process sees it: an editor on two streams, a server that is started, and started again when it dies. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { NotAFrame, RpcFrameReader } from "./frames.js";
import type { Preference, SettingsPush } from "./layers.js";
import { Session } from "./session.js";

export interface ProxyOptions {
  /** The server's program and arguments. */
  readonly argv: readonly [string, ...string[]];
  readonly preference: Preference;
  /** From the editor. */
  readonly input: Readable;
  /** To the editor; only whole messages of the protocol are written to it. */
  readonly output: Writable;
  /** Words for people. */
  readonly say: (sentence: string) => void;
  /** Calls `deliver` at the start and for every change, until the signal is aborted. */
  readonly feed: (deliver: (delivery: SettingsPush) => void, signal: AbortSignal) => Promise<void>;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** A server that has died this often within `WITHIN` milliseconds is not started again. */
const DEATHS = 5;
const WITHIN = 180_000;
/** Milliseconds for a server to end after its input has, and after TERM. */
const GRACE = 5_000;

type Server = ChildProcessByStdio<Writable, Readable, null>;

/** Resolves with the server's exit code, or 128 and the number of what ended it. Rejects where it cannot be started. */
export function runProxy(options: ProxyOptions): Promise<number> {
  return new Between(options).run();
}

class Between {
  readonly #options: ProxyOptions;
  readonly #session: Session;
  readonly #over = new AbortController();
  readonly #deaths: number[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #server: Server | undefined;
  #ending = false;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#session = new Session(
      {
        toEditor: (bytes) => this.#write(options.output, bytes, this.#server?.stdout),
        toServer: (bytes) => {
          if (this.#server) this.#write(this.#server.stdin, bytes, options.input);
        },
        later: (what, milliseconds) => this.#later(what, milliseconds),
      },
      options.preference,
    );
  }

  async run(): Promise<number> {
    const { input, output, feed, signal, say } = this.#options;
    const stop = () => this.#end("SIGTERM");
    try {
      await this.#start();
      signal.addEventListener("abort", stop, { once: true });
      output.on("error", stop);
      const editor = reading((frame) => this.#session.fromEditor(frame), {
        raw: (bytes) => this.#server?.stdin.write(bytes),
        say: (what) => say(`What the editor sends is not the language server protocol: ${what}.`),
      });
      input.on("data", editor);
      input.on("end", () => this.#end());
      input.on("error", stop);
      void feed((delivery) => this.#session.deliver(delivery), this.#over.signal).catch(
        (thrown: unknown) => say(`Settings cannot be delivered: ${(thrown as Error).message}.`),
      );
      if (signal.aborted) stop();
      return await this.#watchOver();
    } finally {
      this.#over.abort();
      for (const timer of this.#timers) clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      input.destroy();
    }
  }

  /** Until the server has ended for good. */
  async #watchOver(): Promise<number> {
    for (;;) {
      const code = await this.#ended();
      if (this.#ending || this.#session.ending || !this.#mayStartAgain()) return code;
      this.#options.say(`The language server ended with ${code} and is started again.`);
      this.#session.serverGone();
      await this.#start();
      this.#session.serverBack();
    }
  }

  #mayStartAgain(): boolean {
    const now = performance.now();
    this.#deaths.push(now);
    return this.#deaths.filter((at) => now - at < WITHIN).length <= DEATHS;
  }

  async #start(): Promise<void> {
    const [program, ...args] = this.#options.argv;
    const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("spawn", resolve);
    server.once("error", reject);
    await promise;
    server.on("error", () => undefined);
    // A server that ends while it is written to is noticed by its end.
    server.stdin.on("error", () => undefined);
    const { output, say } = this.#options;
    server.stdout.on(
      "data",
      reading((frame) => this.#session.fromServer(frame), {
        raw: (bytes) => output.write(bytes),
        say: (what) => say(`What the server sends is not the language server protocol: ${what}.`),
      }),
    );
    this.#server = server;
  }

  #ended(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#server?.once("close", (code, signal) => {
      resolve(code ?? 128 + (signal === "SIGKILL" ? 9 : 15));
    });
    return promise;
  }

  /** The server is asked to end by the end of its input, or by a signal; then it is made to. */
  #end(signal?: NodeJS.Signals): void {
    this.#ending = true;
    const server = this.#server;
    if (!server) return;
    if (signal) server.kill(signal);
    else server.stdin.end();
    this.#later(() => {
      server.kill("SIGTERM");
      this.#later(() => server.kill("SIGKILL"), GRACE);
    }, GRACE);
  }

  #later(what: () => void, milliseconds: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      what();
    }, milliseconds);
    this.#timers.add(timer);
  }

  /** Backpressure: a fast writer waits for a slow reader. */
  #write(to: Writable, bytes: Buffer, from: Readable | undefined): void {
    if (to.write(bytes) || !from || from.isPaused()) return;
    from.pause();
    to.once("drain", () => from.resume());
  }
}

interface Otherwise {
  /** Takes what cannot be understood, as it came. */
  raw(bytes: Buffer): void;
  say(what: string): void;
}

/** Whole messages, one after the other. What is no message, and all that follows it, goes by untouched. */
function reading(
  take: (frame: { readonly bytes: Buffer; readonly body: Buffer }) => void,
  { raw, say }: Otherwise,
): (chunk: Buffer) => void {
  const reader = new RpcFrameReader();
  let understood = true;
  return (chunk) => {
    if (!understood) {
      raw(chunk);
      return;
    }
    try {
      for (const frame of reader.push(chunk)) take(frame);
    } catch (thrown) {
      if (!(thrown instanceof NotAFrame)) throw thrown;
      understood = false;
      say(thrown.message);
      raw(reader.rest);
    }
  };
}
