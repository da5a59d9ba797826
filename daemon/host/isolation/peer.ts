/**
 * Calls between the daemon and an isolated plugin over a port: requests with answers, abort signals, and messages
 * without an answer. Only plain data crosses; errors cross as message, code, help and position.
 */
import { errorMessage, ReeveError } from "../../errors.js";
import { positionOf, withPosition } from "../../plugin-fault.js";

/** One end of a pipe. Messages arrive in order and whole; what is sent after the other end is gone is lost. */
export interface Port {
  send(message: object): void;
  receive(listener: (message: unknown) => void): void;
}

/** Handlers of one side; each gets the caller's abort signal. */
export type Handlers<Own> = {
  readonly [Name in keyof Own]: Own[Name] extends (argument: infer Argument) => infer Result
    ? (argument: Argument, signal: AbortSignal) => Result | Promise<Awaited<Result>>
    : never;
};

export type PeerMessage =
  | { readonly do: "call"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly do: "tell"; readonly name: string; readonly argument: unknown }
  | { readonly do: "abort"; readonly id: number; readonly reason: string }
  | { readonly do: "answer"; readonly id: number; readonly value: unknown }
  | { readonly do: "refuse"; readonly id: number; readonly error: Failure };

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly help?: string;
  readonly position?: string | undefined;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

export class Peer<Theirs, Own> {
  readonly #port: Port;
  readonly #handlers: Handlers<Own>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #serving = new Map<number, AbortController>();
  #count = 0;
  #closed: Error | undefined;

  constructor(port: Port, handlers: Handlers<Own>) {
    this.#port = port;
    this.#handlers = handlers;
    port.receive((message) => this.#take(message as PeerMessage));
  }

  /** Rejects with what the other side threw, or with why it is gone. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    argument: Theirs[Name] extends (argument: infer Argument) => unknown ? Argument : never,
    signal?: AbortSignal,
  ): Promise<Theirs[Name] extends (argument: never) => infer Result ? Awaited<Result> : never> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#port.send({
          do: "abort",
          id,
          reason: errorMessage(signal?.reason),
        } satisfies PeerMessage);
      };
      const done = () => signal?.removeEventListener("abort", abort);
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(id, {
        resolve: (value) => {
          done();
          resolve(value as never);
        },
        reject: (reason) => {
          done();
          reject(reason);
        },
      });
      this.#send(id, { do: "call", id, name, argument });
    });
  }

  /** Says something and expects no answer. What cannot cross is dropped. */
  notify<Name extends keyof Theirs & string>(
    name: Name,
    argument: Theirs[Name] extends (argument: infer Argument) => unknown ? Argument : never,
  ): void {
    if (!this.#closed) this.#port.send({ do: "tell", name, argument } satisfies PeerMessage);
  }

  /** The other side is gone: rejects pending calls with the reason and aborts handlers that run for it. */
  close(reason: Error): void {
    if (this.#closed) return;
    this.#closed = reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    for (const controller of this.#serving.values()) controller.abort(reason);
    this.#waiting.clear();
    this.#serving.clear();
  }

  #send(id: number, message: PeerMessage): void {
    try {
      this.#port.send(message);
    } catch (thrown) {
      this.#takeWaiting(id)?.reject(
        new TypeError(`It cannot cross the border: ${errorMessage(thrown)}`),
      );
    }
  }

  #take(message: PeerMessage): void {
    if (this.#closed) return;
    if (message.do === "call") void this.#serve(message.id, message.name, message.argument);
    else if (message.do === "tell") void this.#hear(message.name, message.argument);
    else if (message.do === "abort") {
      this.#serving.get(message.id)?.abort(new ReeveError("aborted", message.reason));
    } else if (message.do === "answer") this.#takeWaiting(message.id)?.resolve(message.value);
    else this.#takeWaiting(message.id)?.reject(errorOf(message.error));
  }

  #takeWaiting(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #serve(id: number, name: string, argument: unknown): Promise<void> {
    const controller = new AbortController();
    this.#serving.set(id, controller);
    let message: PeerMessage;
    try {
      const value = await this.#handler(name)(argument, controller.signal);
      message = { do: "answer", id, value };
    } catch (thrown) {
      message = { do: "refuse", id, error: failureOf(thrown) };
    }
    this.#serving.delete(id);
    if (this.#closed) return;
    try {
      this.#port.send(message);
    } catch (thrown) {
      const error = { message: `The answer cannot cross the border: ${errorMessage(thrown)}` };
      this.#port.send({ do: "refuse", id, error } satisfies PeerMessage);
    }
  }

  /** Handlers of messages report their own errors, because no caller waits. */
  async #hear(name: string, argument: unknown): Promise<void> {
    try {
      await this.#handler(name)(argument, NEVER);
    } catch {}
  }

  #handler(name: string): (argument: unknown, signal: AbortSignal) => unknown {
    const handlers = this.#handlers as Record<string, (a: unknown, s: AbortSignal) => unknown>;
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (handler) return handler;
    throw new TypeError(`The other side asks for "${name}", which does not exist.`);
  }
}

const NEVER = new AbortController().signal;

function failureOf(thrown: unknown): Failure {
  const { code, help } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as Failure;
  return {
    message: errorMessage(thrown),
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof help === "string" ? { help } : {}),
    position: positionOf(thrown),
  };
}

function errorOf({ message, code, help, position }: Failure): Error {
  if (code === undefined) return withPosition(new Error(message), position);
  return withPosition(new ReeveError(code, message, help === undefined ? {} : { help }), position);
}
