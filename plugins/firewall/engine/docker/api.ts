/** The Docker engine's HTTP API over its socket. */
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { FirewallError, systemCode } from "../../errors.js";

/** The engine refused a request. */
export class EngineRefusal extends FirewallError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("engine_refused", `The Docker engine refused: ${message}`);
    this.status = status;
  }
}

/**
 * Requests that create something run to their end: the engine completes them in any case, and an object that appears
 * later would stay. Check the signal between them instead.
 * @throws {FirewallError} `ended_early`
 */
export function refuseEnded(signal: AbortSignal): void {
  if (signal.aborted) throw endedEarly();
}

function endedEarly(): FirewallError {
  return new FirewallError("ended_early", "The run was ended");
}

export interface EngineCall {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cancels the request; for long work only. */
  readonly signal?: AbortSignal;
}

type Method = "GET" | "POST" | "DELETE";

export class EngineApi {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Sends a request and parses its response; undefined without a body. @throws {FirewallError} */
  async ask<T = unknown>(method: Method, path: string, call: EngineCall = {}): Promise<T> {
    const answer = await text(await this.#send(method, path, call));
    return (answer === "" ? undefined : JSON.parse(answer)) as T;
  }

  /**
   * Resolves once the engine watches for an event; `result` resolves with the event.
   * @throws {FirewallError}
   */
  async watch<T>(path: string): Promise<{ readonly result: Promise<T> }> {
    const answer = await this.#send("POST", path, {});
    const result = text(answer).then((body) => JSON.parse(body) as T);
    result.catch(() => {});
    return { result };
  }

  /** Like `ask`, but a missing or disappearing object counts as success. */
  async askGently(method: Method, path: string): Promise<void> {
    try {
      await this.ask(method, path);
    } catch (thrown) {
      if (thrown instanceof EngineRefusal && [304, 403, 404, 409].includes(thrown.status)) return;
      throw thrown;
    }
  }

  /** Long work that reports line by line. @throws {FirewallError} also for an error in a line */
  async follow(path: string, call: EngineCall): Promise<void> {
    const answer = await this.#send("POST", path, call);
    for await (const line of createInterface({ input: answer })) {
      if (line.trim() === "") continue;
      const { error } = JSON.parse(line) as { error?: string };
      if (error !== undefined) throw new EngineRefusal(200, error.trim());
    }
  }

  /** Turns the connection into a raw stream, which the end of the run does not cancel. @throws {FirewallError} */
  hijack(path: string): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        socketPath: this.#socketPath,
        method: "POST",
        path,
        headers: { host: "docker", connection: "Upgrade", upgrade: "tcp" },
      });
      outgoing.once("error", (error) => reject(this.#unreachable(error)));
      outgoing.once("response", (answer) => {
        refusal(answer).then(reject, reject);
      });
      outgoing.once("upgrade", (_answer, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket as Socket);
      });
      outgoing.end();
    });
  }

  #send(
    method: Method,
    path: string,
    { body, headers, signal }: EngineCall,
  ): Promise<IncomingMessage> {
    const bytes =
      body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          socketPath: this.#socketPath,
          method,
          path,
          headers: {
            host: "docker",
            ...(bytes
              ? { "content-type": "application/json", "content-length": bytes.length }
              : {}),
            ...headers,
          },
          ...(signal ? { signal } : {}),
        },
        (answer) => {
          if ((answer.statusCode ?? 500) < 300) resolve(answer);
          else refusal(answer).then(reject, reject);
        },
      );
      outgoing.once("error", (error) => reject(this.#unreachable(error)));
      outgoing.end(bytes);
    });
  }

  #unreachable(error: Error): Error {
    const code = systemCode(error);
    if (code === "ABORT_ERR") return endedEarly();
    const why = code === "EACCES" ? "may not be used by this user" : "does not answer";
    return new FirewallError(
      "engine_unreachable",
      `The Docker engine ${why} at unix://${this.#socketPath} (${code ?? error.message}). Start it, name another by DOCKER_HOST, or use --engine native`,
    );
  }
}

async function refusal(answer: IncomingMessage): Promise<EngineRefusal> {
  const body = await text(answer);
  let message = body.trim();
  try {
    message = (JSON.parse(body) as { message?: string }).message ?? message;
  } catch {
    // Not JSON: use the text as it is.
  }
  return new EngineRefusal(answer.statusCode ?? 500, message);
}
