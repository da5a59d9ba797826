/** Requests as a client outside makes them: real sockets, a connection each. */
import { type IncomingHttpHeaders, request } from "node:http";

export interface TestRequest {
  /** @default "GET", or "POST" where there is a payload */
  readonly method?: string;
  /** The path and query: `/hooks/deploy?dry`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly payload?: unknown;
  /** One of `listeners`, where several serve the path. */
  readonly address?: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body, read as JSON. */
  json(): unknown;
}

/** `address` as listeners write it: `127.0.0.1:9000` or `unix:/run/x.sock`. */
export function sendRequest(address: string, test: TestRequest): Promise<TestAnswer> {
  const { payload, url } = test;
  const isRaw = typeof payload === "string" || payload instanceof Uint8Array;
  const body = payload === undefined || isRaw ? payload : JSON.stringify(payload);
  const headers = {
    ...(payload === undefined || isRaw ? {} : { "content-type": "application/json" }),
    ...test.headers,
  };
  const method = test.method ?? (payload === undefined ? "GET" : "POST");
  return new Promise((resolve, reject) => {
    const options = { ...target(address), path: url, method, headers, agent: false };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text,
          json: () => JSON.parse(text) as unknown,
        });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function target(address: string) {
  if (address.startsWith("unix:")) return { socketPath: address.slice("unix:".length) };
  const colon = address.lastIndexOf(":");
  const host = address
    .slice(0, colon)
    .replace(/^\[|\]$/g, "")
    .replace(/^(0\.0\.0\.0|::)?$/, "127.0.0.1");
  return { host, port: Number(address.slice(colon + 1)) };
}
