/** The engine's HTTP interface over its socket. */
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { FirewallError, systemCode } from "../../errors.js";

/** The engine answered, and not as hoped. */
export class EngineRefusal extends FirewallError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("engine_refused", `The Docker engine refused: ${message}`);
    this.status = status;
  }
}

/**
 * What makes something in the engine is asked to its end, since the engine goes on whether anybody listens or not, and
 * what appears later is not cleaned up. So whether the run still goes on is asked in between.
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
  /** Gives up waiting: for long work only. */
  readonly signal?: AbortSignal;
}

type Method = "GET" | "POST" | "DELETE";

export class EngineApi {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** One question and its whole answer; undefined where there is no body. @throws {FirewallError} */
  async ask<T = unknown>(method: Method, path: string, call: EngineCall = {}): Promise<T> {
    const answer = await text(await this.#send(method, path, call));
    return (answer === "" ? undefined : JSON.parse(answer)) as T;
  }

  /**
   * For what the engine watches from now on and tells when it has happened: resolves once it watches.
   * @throws {FirewallError}
   */
  async watch<T>(path: string): Promise<{ readonly result: Promise<T> }> {
    const answer = await this.#send("POST", path, {});
    const result = text(answer).then((said) => JSON.parse(said) as T);
    result.catch(() => {});
    return { result };
  }

  /** As `ask`, where a thing that is not there, or is going already, is as good as done. */
  async askGently(method: Method, path: string): Promise<void> {
    try {
      await this.ask(method, path);
    } catch (thrown) {
      if (thrown instanceof EngineRefusal && [304, 403, 404, 409].includes(thrown.status)) return;
      throw thrown;
    }
  }

  /** Long work that reports line by line. @throws {FirewallError} also for an error among the lines */
  async follow(path: string, call: EngineCall): Promise<void> {
    const answer = await this.#send("POST", path, call);
    for await (const line of createInterface({ input: answer })) {
      if (line.trim() === "") continue;
      const { error } = JSON.parse(line) as { error?: string };
      if (error !== undefined) throw new EngineRefusal(200, error.trim());
    }
  }

  /** Turns the connection into a stream of bytes both ways, which outlives the run's being asked to end. @throws {FirewallError} */
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
  const said = await text(answer);
  let message = said.trim();
  try {
    message = (JSON.parse(said) as { message?: string }).message ?? message;
  } catch {
    // Not its usual form; said as it is.
  }
  return new EngineRefusal(answer.statusCode ?? 500, message);
}
