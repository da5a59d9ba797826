/**
 * A small internet in its own network namespace: every address is local, HTTP responds on port 80 and HTTPS on 443 of
 * every address, DNS on the usual servers. Reports to the test by IPC.
 */
import { createSocket } from "node:dgram";
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, isIPv4, type Server } from "node:net";
import { createSecureContext } from "node:tls";
import { Authority } from "../proxy/certificates.js";
import { readQuestion } from "../proxy/dns-message.js";

/** Name → addresses. A list of lists gives one list per question; the last one repeats. */
export type Zone = Readonly<Record<string, readonly string[] | ReadonlyArray<readonly string[]>>>;

/** Name or address → UNIX socket of a server outside that responds for it. */
export type Sites = Readonly<Record<string, string>>;

export type WorldReport =
  | { readonly kind: "ready"; readonly authority: string }
  | { readonly kind: "dns"; readonly name: string; readonly server: string }
  | {
      readonly kind: "request";
      readonly name: string;
      readonly url: string;
      readonly secure: boolean;
    };

const [zone, sites] = process.argv.slice(-2).map((text) => JSON.parse(text)) as [Zone, Sites];
const questions = new Map<string, number>();
const report = (message: WorldReport) => process.send?.(message);

function addressesOf(name: string): readonly string[] {
  const entry = zone[name] ?? [];
  if (typeof entry[0] === "string") return entry as readonly string[];
  const count = questions.get(name) ?? 0;
  questions.set(name, count + 1);
  return (entry[Math.min(Math.floor(count / 2), entry.length - 1)] as readonly string[]) ?? [];
}

function answer(query: Buffer, server: string): Buffer {
  const question = readQuestion(query);
  if (!question) return query;
  report({ kind: "dns", name: question.name, server });
  const known = zone[question.name] !== undefined;
  const addresses = addressesOf(question.name).filter(
    (address) => question.type === (isIPv4(address) ? 1 : 28),
  );
  const head = Buffer.from(query.subarray(0, question.end));
  head[2] = 0x81;
  head[3] = known ? 0x80 : 0x83;
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  // No caching for a name whose addresses change.
  const ttl = typeof zone[question.name]?.[0] === "string" ? 60 : 0;
  const records = addresses.map((address) => {
    const bytes = isIPv4(address)
      ? Buffer.from(address.split(".").map(Number))
      : ipv6Bytes(address);
    return Buffer.concat([
      Buffer.from([0xc0, 12, 0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, ttl, 0, bytes.length]),
      bytes,
    ]);
  });
  return Buffer.concat([head, ...records]);
}

function ipv6Bytes(address: string): Buffer {
  const [left = "", right] = address.split("::");
  const words = (text: string) =>
    text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
  const [head, tail] = [words(left), right === undefined ? [] : words(right)];
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]));
}

async function serveDns(server: string): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { address, port }) =>
    socket.send(answer(query, server), port, address),
  );
  await new Promise<void>((resolve) => socket.bind(53, server, resolve));
  await listen(
    createTcpServer((client) => {
      client.on("error", () => client.destroy());
      client.on("data", (bytes: Buffer) => {
        const reply = answer(bytes.subarray(2), server);
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        client.write(Buffer.concat([length, reply]));
      });
    }),
    53,
    server,
  );
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: 1024 }, resolve);
  });
}

const chunk = Buffer.alloc(64 * 1024, "x");

function respond(request: IncomingMessage, response: ServerResponse): void {
  const secure = "encrypted" in request.socket;
  const { url = "/" } = request;
  report({ kind: "request", name: request.headers.host ?? "-", url, secure });
  const site = sites[request.headers.host ?? ""];
  if (site !== undefined) {
    passOn(request, response, site);
    return;
  }
  const [, bytes] = /^\/bytes\/(\d+)$/.exec(url) ?? [];
  if (bytes !== undefined) {
    sendBytes(response, Number(bytes));
    return;
  }
  const [, location] = /^\/redirect\?to=(.*)$/.exec(url) ?? [];
  if (location !== undefined) response.writeHead(302, { location: decodeURIComponent(location) });
  let received = 0;
  let body = "";
  request.on("data", (part: Buffer) => {
    received += part.length;
    if (body.length < 1000) body += part.toString("latin1", 0, 1000);
  });
  request.on("end", () => {
    if (!response.headersSent) response.setHeader("content-type", "application/json");
    response.end(
      `${JSON.stringify({ host: request.headers.host, url, method: request.method, headers: request.headers, received, body, secure, address: request.socket.localAddress })}\n`,
    );
  });
}

function sendBytes(response: ServerResponse, total: number): void {
  let left = total;
  response.setHeader("content-length", total);
  const more = () => {
    while (left > 0) {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      if (!response.write(part)) return response.once("drain", more);
    }
    return response.end();
  };
  more();
}

function passOn(request: IncomingMessage, response: ServerResponse, socketPath: string): void {
  const { method, url: path, headers } = request;
  const onward = httpRequest({ socketPath, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}

function echoUpgrade(request: IncomingMessage, socket: import("node:stream").Duplex): void {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: ${request.headers.upgrade}\r\nconnection: upgrade\r\n\r\n`,
  );
  socket.on("error", () => socket.destroy());
  socket.pipe(socket);
}

const authority = await Authority.create("World CA");
const web = createHttpServer(respond).on("upgrade", echoUpgrade);
const fallback = await authority.issue("world.test");
const secureServer = () =>
  createHttpsServer(
    {
      ...fallback,
      SNICallback: (name, done) => {
        authority.issue(name).then((issued) => done(null, createSecureContext(issued)), done);
      },
    },
    respond,
  ).on("upgrade", echoUpgrade);
await Promise.all([
  listen(web, 80, "::"),
  listen(secureServer(), 443, "::"),
  // The same sites on other ports.
  listen(createHttpServer(respond), 8080, "::"),
  listen(secureServer(), 8443, "::"),
  // A service of the host, on its loopback only.
  listen(
    createHttpServer((_, response) => response.end("a service of the host\n")),
    7777,
    "127.0.0.1",
  ),
  // A service on a port that is not for the web.
  listen(
    createTcpServer((client) => client.end("SSH-2.0-world\r\n")),
    22,
    "::",
  ),
  ...["8.8.8.8", "8.8.4.4", "9.9.9.9", "127.0.0.53"].map(serveDns),
]);
report({ kind: "ready", authority: authority.certificate });
process.on("disconnect", () => process.exit(0));
