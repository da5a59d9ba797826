/** One HTTP request over a unix socket, and what can go wrong on the way, as sentences. */
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { errorMessage } from "../../daemon/errors.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { duration } from "../print/units.js";

export interface ControlRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Milliseconds until the head of the answer must have come; for the whole answer where it is read as one. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** Tries the sockets in turn, and stays with the first that accepts a connection. */
export class Transport {
  readonly #sockets: readonly string[];
  #found: string | undefined;

  constructor(sockets: readonly string[]) {
    this.#sockets = sockets;
  }

  /** The socket that answered, or else the first that is tried. */
  get socket(): string {
    return this.#found ?? this.#sockets[0] ?? "";
  }

  /**
   * The head of the answer. Its body must be read or destroyed.
   * @throws Failure when no daemon can be reached or it keeps silent
   */
  async open(exchange: ControlRequest): Promise<IncomingMessage> {
    const refusals: FailedSocket[] = [];
    for (const socket of this.#found === undefined ? this.#sockets : [this.#found]) {
      try {
        const response = await send(socket, exchange);
        this.#found = socket;
        return response;
      } catch (thrown) {
        if (!isAbsence(thrown)) throw failure(socket, exchange, thrown);
        refusals.push({ socket, code: thrown.code });
      }
    }
    this.#found = undefined;
    throw notRunning(refusals);
  }

  /** The whole answer, as text. */
  async ask(exchange: ControlRequest): Promise<{ readonly status: number; readonly text: string }> {
    const signal = AbortSignal.any([
      AbortSignal.timeout(exchange.deadline),
      ...(exchange.signal ? [exchange.signal] : []),
    ]);
    const response = await this.open({ ...exchange, signal });
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") };
    } catch (thrown) {
      throw failure(this.socket, exchange, signal.aborted ? signal.reason : thrown);
    }
  }
}

interface FailedSocket {
  readonly socket: string;
  readonly code: string;
}

function send(socketPath: string, exchange: ControlRequest): Promise<IncomingMessage> {
  const { method, path, body, deadline, signal } = exchange;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const patience = setTimeout(() => sent.destroy(new SilenceError()), deadline);
  const sent: ClientRequest = request({
    socketPath,
    method,
    path,
    agent: false,
    ...(signal && { signal }),
    headers: {
      host: "reeve",
      accept: "application/json, application/x-ndjson",
      ...(content !== undefined && { "content-type": "application/json" }),
    },
  });
  sent.once("response", resolve);
  sent.once("error", (error) => reject(signal?.aborted ? signal.reason : error));
  sent.end(content);
  return promise.finally(() => clearTimeout(patience));
}

class SilenceError extends Error {}

type Absence = NodeJS.ErrnoException & { readonly code: string };

/** Nothing listens there; the next socket may answer. */
function isAbsence(thrown: unknown): thrown is Absence {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? "";
  return ["ENOENT", "ECONNREFUSED", "ENOTDIR", "EACCES", "EPERM"].includes(code);
}

function notRunning(refusals: readonly FailedSocket[]): Failure {
  const denied = refusals.find(({ code }) => code === "EACCES" || code === "EPERM");
  if (denied) {
    return unavailable(
      `you may not use the daemon's control socket ${denied.socket}`,
      "Ask as the user the daemon runs as, as a member of its group, or with sudo.",
    );
  }
  const tried = refusals.map(({ socket, code }) => `${socket} (${ABSENT[code] ?? code})`);
  return unavailable(
    `the daemon is not running; looked for it at ${tried.join(" and ")}`,
    "Start it with `reeve up`, or name its socket with `--control PATH` or REEVE_CONTROL.",
  );
}

const ABSENT: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  ECONNREFUSED: "nothing listens",
};

/** A failure after the connection, or an unusable path. An abort by the caller's own signal is passed on. */
function failure(
  socket: string,
  { method, path, deadline }: ControlRequest,
  thrown: unknown,
): unknown {
  const name = (thrown as Error | undefined)?.name;
  if (name === "AbortError" || thrown instanceof Failure) return thrown;
  if (thrown instanceof SilenceError || name === "TimeoutError") {
    const [route] = path.split("?");
    return unavailable(
      `the daemon at ${socket} did not answer ${method} ${route} within ${duration(deadline)}`,
      "Look at its log; if it hangs, restart it.",
      thrown,
    );
  }
  const { code = "" } = thrown as NodeJS.ErrnoException;
  if (code === "EINVAL" || code === "ENAMETOOLONG") {
    return unavailable(
      `${socket} cannot be a socket: its path has ${Buffer.byteLength(socket)} bytes, and a socket's path has 107 at most`,
      "Use a shorter path, also where the daemon is started.",
      thrown,
    );
  }
  if (code.startsWith("HPE_")) {
    return unavailable(
      `what listens at ${socket} does not speak HTTP`,
      "Name the daemon's control socket with `--control PATH`.",
      thrown,
    );
  }
  return unavailable(
    `the connection to the daemon at ${socket} broke: ${errorMessage(thrown)}`,
    "Ask again; if it happens again, look at the daemon's log.",
    thrown,
  );
}

function unavailable(message: string, help: string, cause?: unknown): Failure {
  return new Failure(Exit.unavailable, message, { help, cause });
}
