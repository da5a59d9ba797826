/** Runs one plugin's code in its own worker or process. The runner starts on demand and is replaced when it hangs. */
import type { PluginFindings, PluginReport, ValidationOptions } from "../../config/program.js";
import { ReeveError } from "../../errors.js";
import type { Carrier } from "../../host/isolation/carrier.js";
import { openCarrier } from "../../host/isolation/open.js";
import { Peer } from "../../host/isolation/peer.js";
import type { DescribeMethods, DescribeResult } from "./methods.js";

const ENTRY = new URL("./main.js", import.meta.url);

/** Milliseconds. */
export interface Deadlines {
  /** To start and import the plugin's module. */
  readonly load: number;
  /** To check blocks or carry out a function. */
  readonly answer: number;
}

export interface RunnerOptions {
  readonly name: string;
  readonly module: string;
  readonly code: readonly string[];
  readonly isolation: "worker" | "process";
  readonly deadlines: Deadlines;
}

interface Open {
  readonly carrier: Carrier;
  readonly peer: Peer<DescribeMethods, Record<never, never>>;
  readonly described: Promise<DescribeResult>;
}

export class PluginRunner {
  readonly #options: RunnerOptions;
  #open: Open | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  describe(): Promise<DescribeResult> {
    const open = this.#opened();
    return this.#within(this.#options.deadlines.load, open, () => open.described);
  }

  validate(blocks: readonly unknown[]): Promise<readonly PluginReport[]> {
    return this.#ask((peer) => peer.call("validate", blocks));
  }

  inspect(blocks: readonly unknown[], options: ValidationOptions): Promise<PluginFindings> {
    return this.#ask((peer) => peer.call("inspect", { blocks, options }));
  }

  call(name: string, args: readonly unknown[]): Promise<unknown> {
    return this.#ask((peer) => peer.call("call", { name, args }));
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.carrier.terminate();
  }

  async #ask<Result>(question: (peer: Open["peer"]) => Promise<Result>): Promise<Result> {
    await this.describe();
    const open = this.#opened();
    return this.#within(this.#options.deadlines.answer, open, () => question(open.peer));
  }

  #opened(): Open {
    this.#open ??= this.#start();
    return this.#open;
  }

  /** A runner that exceeds the deadline is stopped; the next call starts a new one. */
  async #within<Result>(deadline: number, open: Open, ask: () => Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      if (this.#open === open) this.#open = undefined;
      void open.carrier.terminate();
      reject(new ReeveError("plugin_hangs", `it did not answer within ${deadline / 1000} s`));
    }, deadline);
    try {
      return await Promise.race([ask(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #start(): Open {
    const { name, module, code, isolation } = this.#options;
    const carrier = openCarrier(isolation, {
      entry: ENTRY,
      name,
      code,
      permissions: {},
      own: [],
      print: () => undefined,
    });
    carrier.unref();
    const peer = new Peer<DescribeMethods, Record<never, never>>(carrier.port, {});
    const described = peer.call("describe", module);
    described.catch(() => undefined);
    const open = { carrier, peer, described };
    void carrier.gone.then((why) => {
      if (this.#open === open) this.#open = undefined;
      peer.close(new ReeveError("plugin_gone", `its code ${why}`));
    });
    return open;
  }
}
