/** Requests over TCP and unix sockets, as a client would make them. */
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
}

/** `address` as listeners write it: `127.0.0.1:9000` or `unix:/run/x.sock`. */
export function ask(address: string, path: string, options: Ask = {}): Promise<Answer> {
  const { body, agent = new Agent(), ...rest } = options;
  const to = address.startsWith("unix:")
    ? { socketPath: address.slice("unix:".length) }
    : { host: hostOf(address), port: Number(address.slice(address.lastIndexOf(":") + 1)) };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, path, agent, ...rest }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The response to what is sent byte by byte. */
export function sendRaw(address: string, bytes: string): Promise<string> {
  const socket = address.startsWith("unix:")
    ? connect(address.slice("unix:".length))
    : connect(Number(address.slice(address.lastIndexOf(":") + 1)), hostOf(address));
  socket.write(bytes);
  return text(socket);
}

function hostOf(address: string): string {
  const host = address.slice(0, address.lastIndexOf(":"));
  return host === "" ? "127.0.0.1" : host.replace(/^\[|\]$/g, "");
}
