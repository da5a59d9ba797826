/**
 * Flow control of what a plugin's worker or process sends, by messages and by bytes. Calls wait for credit. Log lines and events
 * wait in a short queue; what exceeds it is dropped and counted. The daemon ends code that sends without credit.
 */
import { ReeveError } from "../../errors.js";
import { messageSize } from "./message-size.js";
import type { Dropped } from "./methods.js";
import type { PeerMessage, Port } from "./peer.js";

type Kind = "telemetry" | "work";

interface Amount {
  readonly messages: number;
  readonly bytes: number;
}

const MEBIBYTE = 1024 * 1024;

/** What may be sent before the daemon grants more. With credit for one byte a message of any size may be sent. */
const WINDOW: Readonly<Record<Kind, Amount>> = {
  telemetry: { messages: 256, bytes: MEBIBYTE },
  work: { messages: 1_024, bytes: 32 * MEBIBYTE },
};
/** The most that the daemon grants in an interval: 1,000 log lines and events of 5 MiB and 20,000 other messages of 640 MiB a second. */
const REFILL: Readonly<Record<Kind, Amount>> = {
  telemetry: { messages: 50, bytes: MEBIBYTE / 4 },
  work: { messages: 1_000, bytes: 32 * MEBIBYTE },
};
/** Milliseconds. */
const INTERVAL = 50;
/** Log lines and events that wait for credit. */
const QUEUE: Amount = { messages: 1_000, bytes: 8 * MEBIBYTE };
/** What ends the sender, beyond the credit: one of the largest messages does not. */
const EXCESS: Readonly<Record<Kind, Amount>> = {
  telemetry: { messages: 1_024, bytes: 8 * MEBIBYTE },
  work: { messages: 1_024, bytes: 96 * MEBIBYTE },
};
/** Bytes of a message. */
const LARGEST = 64 * MEBIBYTE;

interface Grant extends Amount {
  readonly do: "grant";
  readonly kind: Kind;
}

/** Counts messages and bytes. */
class Balance implements Amount {
  messages: number;
  bytes: number;

  constructor({ messages, bytes }: Amount = { messages: 0, bytes: 0 }) {
    this.messages = messages;
    this.bytes = bytes;
  }

  add({ messages, bytes }: Amount): void {
    this.messages += messages;
    this.bytes += bytes;
  }

  take({ messages, bytes }: Amount): void {
    this.messages -= messages;
    this.bytes -= bytes;
  }

  get isPositive(): boolean {
    return this.messages > 0 && this.bytes > 0;
  }
}

const isTelemetry = (
  message: PeerMessage,
): message is PeerMessage & { readonly name: "log" | "emit" } =>
  message.do === "tell" && (message.name === "log" || message.name === "emit");

/** The plugin's end. */
export class LimitedPort implements Port {
  readonly #port: Port;
  readonly #credit: Readonly<Record<Kind, Balance>> = {
    telemetry: new Balance(WINDOW.telemetry),
    work: new Balance(WINDOW.work),
  };
  readonly #queues: Readonly<Record<Kind, Queued[]>> = { telemetry: [], work: [] };
  /** In the queue of telemetry. */
  readonly #waiting = new Balance();
  #dropped = { log: 0, emit: 0 };

  constructor(port: Port) {
    this.#port = port;
  }

  /** @throws what the port throws for data that cannot cross, and ReeveError for a message that is too large */
  send(message: PeerMessage): void {
    const bytes = messageSize(message);
    if (bytes > LARGEST) throw tooLarge(bytes);
    // The daemon's own calls limit the answers; their bytes count.
    if (message.do === "answer" || message.do === "refuse") {
      this.#port.send(message);
      this.#credit.work.take({ messages: 0, bytes });
      return;
    }
    const kind = isTelemetry(message) ? "telemetry" : "work";
    const amount = { messages: 1, bytes };
    if (this.#credit[kind].isPositive && this.#queues[kind].length === 0) {
      this.#port.send(message);
      this.#credit[kind].take(amount);
    } else if (!isTelemetry(message))
      this.#queues.work.push({ message: structuredClone(message), amount });
    else if (this.#waiting.messages < QUEUE.messages && this.#waiting.bytes < QUEUE.bytes) {
      this.#waiting.add(amount);
      this.#queues.telemetry.push({ message, amount });
    } else this.#dropped[message.name] += 1;
  }

  receive(listener: (message: unknown) => void): void {
    this.#port.receive((message) => {
      const grant = message as Grant;
      if (grant.do === "grant") this.#granted(grant);
      else listener(message);
    });
  }

  #granted({ kind, ...amount }: Grant): void {
    const queue = this.#queues[kind];
    const credit = this.#credit[kind];
    credit.add(amount);
    let sent = 0;
    for (const { message, amount: own } of queue) {
      if (!credit.isPositive) break;
      this.#port.send(message);
      credit.take(own);
      if (kind === "telemetry") this.#waiting.take(own);
      sent += 1;
    }
    queue.splice(0, sent);
    const { log, emit } = this.#dropped;
    if (kind === "work" || log + emit === 0) return;
    this.#dropped = { log: 0, emit: 0 };
    this.send({ do: "tell", name: "dropped", argument: { log, emit } satisfies Dropped });
  }
}

interface Queued {
  readonly message: PeerMessage;
  readonly amount: Amount;
}

const tooLarge = (bytes: number): ReeveError =>
  new ReeveError(
    "message_too_large",
    `It has about ${Math.ceil(bytes / MEBIBYTE)} MiB; at most ${LARGEST / MEBIBYTE} MiB pass between a plugin and the daemon at once.`,
  );

/** The daemon's end. `refused` is called once, with what the plugin's side did; nothing more of it is read. */
export class MeteredPort implements Port {
  readonly #port: Port;
  readonly #refused: (what: string) => void;
  readonly #left: Readonly<Record<Kind, Balance>> = {
    telemetry: new Balance(WINDOW.telemetry),
    work: new Balance(WINDOW.work),
  };
  readonly #read: Readonly<Record<Kind, Balance>> = {
    telemetry: new Balance(),
    work: new Balance(),
  };
  #answers = 0;
  readonly #refilling = new Set<Kind>();
  #closed = false;

  constructor(port: Port, refused: (what: string) => void) {
    this.#port = port;
    this.#refused = refused;
  }

  send(message: PeerMessage): void {
    this.#port.send(message);
    if (message.do === "call") this.#answers += 1;
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
    const kind = isTelemetry(message) ? "telemetry" : "work";
    const amount = { messages: isAnswer ? 0 : 1, bytes: messageSize(message) };
    if (isAnswer) this.#answers -= 1;
    const left = this.#left[kind];
    left.take(amount);
    const messages = Math.min(left.messages, this.#answers);
    const excess = EXCESS[kind];
    if (messages < -excess.messages || left.bytes < -excess.bytes) {
      const what = messages < -excess.messages ? "messages" : "bytes";
      this.#close(`sent more ${what} than it may`);
      return;
    }
    listener(message);
    this.#read[kind].add(amount);
    this.#refill(kind);
  }

  #close(what: string): void {
    this.#closed = true;
    this.#refused(what);
  }

  /** Little use costs no timer. */
  #refill(kind: Kind): void {
    const read = this.#read[kind];
    const { messages, bytes } = WINDOW[kind];
    if (this.#refilling.has(kind)) return;
    if (read.messages < messages / 4 && read.bytes < bytes / 4) return;
    this.#refilling.add(kind);
    const timer = setTimeout(() => {
      this.#refilling.delete(kind);
      if (this.#closed) return;
      const amount: Amount = {
        messages: Math.min(read.messages, REFILL[kind].messages),
        bytes: Math.min(read.bytes, REFILL[kind].bytes),
      };
      read.take(amount);
      this.#left[kind].add(amount);
      this.#port.send({ do: "grant", kind, ...amount } satisfies Grant);
      this.#refill(kind);
    }, INTERVAL);
    timer.unref();
  }
}
