/** As many requests as a few connections can carry, with as little work per request as possible. */
import { connect } from "node:net";

export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly latencies: readonly number[];
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** One request after the other on each connection, for `milliseconds`. */
export async function measure(
  port: number,
  request: Uint8Array,
  options: { readonly connections: number; readonly milliseconds: number },
): Promise<Measured> {
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const began = performance.now();
  const end = began + options.milliseconds;
  const answered = (status: string, took: number): boolean => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.push(took);
    return performance.now() < end;
  };
  await Promise.all(
    Array.from({ length: options.connections }, () => exchange(port, request, answered)),
  );
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: latencies.length / seconds, latencies, statuses };
}

/** Goes on as long as `answered` says so. */
function exchange(
  port: number,
  request: Uint8Array,
  answered: (status: string, took: number) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let [received, sent] = ["", 0];
    const send = (): void => {
      received = "";
      sent = performance.now();
      socket.write(request);
    };
    socket.setNoDelay().setEncoding("latin1");
    socket.on("connect", send);
    socket.on("data", (data: string) => {
      received += data;
      if (!isWhole(received)) return;
      if (answered(received.slice(9, 12), performance.now() - sent)) send();
      else socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
}

/** Whether the head and as much body as it announces are there. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const [, length = "0"] = /content-length: (\d+)/i.exec(text) ?? [];
  return text.length >= end + 4 + Number(length);
}

/** The bytes of a request. */
export function requestOf(
  method: string,
  path: string,
  body = "",
  headers: Readonly<Record<string, string>> = {},
): Uint8Array {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  if (body !== "") lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
