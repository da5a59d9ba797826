/**
 * Flow control of what a plugin's worker or process sends. Calls wait for credit. Log lines and events wait in a short
 * queue; what exceeds it is dropped and counted. The daemon ends code that sends without credit.
 */
import type { Dropped } from "./methods.js";
import type { PeerMessage, Port } from "./peer.js";

type Kind = "telemetry" | "work";

/** Messages that may be sent before the daemon grants more. */
const WINDOW: Readonly<Record<Kind, number>> = { telemetry: 256, work: 1_024 };
/** The most that the daemon grants in an interval: 1,000 log lines and events and 20,000 other messages a second. */
const REFILL: Readonly<Record<Kind, number>> = { telemetry: 50, work: 1_000 };
/** Milliseconds. */
const INTERVAL = 50;
/** Log lines and events that wait for credit. */
const QUEUE = 1_000;
/** Messages beyond the credit that end the sender. */
const EXCESS = 1_024;

interface Grant {
  readonly do: "grant";
  readonly kind: Kind;
  readonly count: number;
}

const isTelemetry = (
  message: PeerMessage,
): message is PeerMessage & { readonly name: "log" | "emit" } =>
  message.do === "tell" && (message.name === "log" || message.name === "emit");

/** The plugin's end. */
export class LimitedPort implements Port {
  readonly #port: Port;
  readonly #credit = { ...WINDOW };
  readonly #queues: Readonly<Record<Kind, PeerMessage[]>> = { telemetry: [], work: [] };
  #dropped = { log: 0, emit: 0 };

  constructor(port: Port) {
    this.#port = port;
  }

  /** @throws what the port throws for data that cannot cross */
  send(message: PeerMessage): void {
    // The daemon's own calls limit the answers.
    if (message.do === "answer" || message.do === "refuse") {
      this.#port.send(message);
      return;
    }
    const kind = isTelemetry(message) ? "telemetry" : "work";
    if (this.#credit[kind] > 0 && this.#queues[kind].length === 0) {
      this.#port.send(message);
      this.#credit[kind] -= 1;
    } else if (!isTelemetry(message)) this.#queues.work.push(structuredClone(message));
    else if (this.#queues.telemetry.length < QUEUE) this.#queues.telemetry.push(message);
    else this.#dropped[message.name] += 1;
  }

  receive(listener: (message: unknown) => void): void {
    this.#port.receive((message) => {
      const grant = message as Grant;
      if (grant.do === "grant") this.#granted(grant);
      else listener(message);
    });
  }

  #granted({ kind, count }: Grant): void {
    const queue = this.#queues[kind];
    const ready = queue.splice(0, this.#credit[kind] + count);
    this.#credit[kind] += count - ready.length;
    for (const message of ready) this.#port.send(message);
    const { log, emit } = this.#dropped;
    if (kind === "work" || log + emit === 0) return;
    this.#dropped = { log: 0, emit: 0 };
    this.send({ do: "tell", name: "dropped", argument: { log, emit } satisfies Dropped });
  }
}

/** The daemon's end. `refused` is called once, with what the plugin's side did; nothing more of it is read. */
export class MeteredPort implements Port {
  readonly #port: Port;
  readonly #refused: (what: string) => void;
  readonly #left = { ...WINDOW, answer: 0 };
  readonly #read = { telemetry: 0, work: 0 };
  readonly #refilling = new Set<Kind>();
  #closed = false;

  constructor(port: Port, refused: (what: string) => void) {
    this.#port = port;
    this.#refused = refused;
  }

  send(message: PeerMessage): void {
    this.#port.send(message);
    if (message.do === "call") this.#left.answer += 1;
  }

  receive(listener: (message: unknown) => void): void {
    this.#port.receive((received) => {
      if (this.#closed) return;
      try {
        this.#take(received as PeerMessage, listener);
      } catch {
        this.#close("sent a malformed message");
      }
    });
  }

  #take(message: PeerMessage, listener: (message: unknown) => void): void {
    const isAnswer = message.do === "answer" || message.do === "refuse";
    const kind = isAnswer ? "answer" : isTelemetry(message) ? "telemetry" : "work";
    this.#left[kind] -= 1;
    if (this.#left[kind] < -EXCESS) {
      this.#close("sent more messages than it may");
      return;
    }
    listener(message);
    if (kind === "answer") return;
    this.#read[kind] += 1;
    this.#refill(kind);
  }

  #close(what: string): void {
    this.#closed = true;
    this.#refused(what);
  }

  /** Little use costs no timer. */
  #refill(kind: Kind): void {
    if (this.#refilling.has(kind) || this.#read[kind] < WINDOW[kind] / 4) return;
    this.#refilling.add(kind);
    const timer = setTimeout(() => {
      this.#refilling.delete(kind);
      if (this.#closed) return;
      const count = Math.min(this.#read[kind], REFILL[kind]);
      this.#read[kind] -= count;
      this.#left[kind] += count;
      this.#port.send({ do: "grant", kind, count } satisfies Grant);
      this.#refill(kind);
    }, INTERVAL);
    timer.unref();
  }
}
