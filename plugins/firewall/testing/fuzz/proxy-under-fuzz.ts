/** Properties that the whole proxy must have for any client, on connections in memory. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { turns } from "../../../../tests/support/eventually.js";
import type { AccessRecord } from "../../log/entry.js";
import { parseLine } from "../../log/parse.js";
import { accessLine, jsonLine } from "../../log/writer.js";
import type { Protocol } from "../../policy/pattern-list.js";
import { Policy } from "../../policy/policy.js";
import type { Dialled, Dialler } from "../../proxy/dial.js";
import { serveProxy } from "../../proxy/serve.js";
import { complaint } from "./arrived.js";
import { cut } from "./damage.js";
import { httpInput, type Listener } from "./http-input.js";
import { MemorySocket } from "./memory-socket.js";
import { Random } from "./random.js";

const usualAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const answers = [
  usualAnswer,
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi",
  "HTTP/1.1 204 No Content\r\n\r\n",
  "HTTP/1.0 200\r\n\r\nok",
  "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok",
  "HTTP/1.1 200 OK\r\nContent-",
  "no HTTP at all",
  "",
];

/** Turns of the event loop after which connections in memory are idle. */
const turnsToAnswer = 3;
/** Turns until both ends are closed, with a wide margin. */
const turnsToClose = { memory: 2000, network: 200_000 };

interface Trial {
  readonly dialled: Array<{
    readonly protocol: "http" | "https";
    readonly host: string;
    readonly origin: MemorySocket;
    readonly received: Buffer[];
  }>;
  readonly complaints: string[];
}

export class ProxyUnderFuzz {
  readonly #listeners = { proxy: createServer(), web: createServer(), tls: createServer() };
  readonly #proxy: ReturnType<typeof serveProxy>;
  /** One trial at a time, so that effects belong to their input. */
  #trial: Trial = { dialled: [], complaints: [] };
  #random: Random | undefined;
  /** The statuses of all records, to check that inputs reach every part. */
  readonly statuses = new Map<number, number>();

  constructor() {
    const policy = Policy.parse({ allow: ["allowed.test", "203.0.113.7"], block: [] });
    const dialler: Dialler = {
      dial: async (host, port, protocol) => this.#dial(host, port, protocol),
    };
    this.#proxy = serveProxy(
      {
        ...this.#listeners,
        host: new Map(),
        ports: new Map(),
        dnsTcp: new Map(),
        dnsUdp: new Map(),
      },
      {
        policy: () => policy,
        dialler,
        record: (record) => this.#record(record),
        requester: () => undefined,
      },
      { servers: [], fallBack: [] },
    );
  }

  /** Switches to real connections. */
  async listen(): Promise<void> {
    for (const listener of Object.values(this.#listeners)) {
      await once(listener.listen(0, "127.0.0.1"), "listening");
    }
  }

  async close(): Promise<void> {
    await this.#proxy.close();
    for (const listener of Object.values(this.#listeners)) if (listener.listening) listener.close();
  }

  /** Sends one generated input. Returns the violated properties. */
  attempt(seed: number, index: number): Promise<readonly string[]> {
    const random = new Random(seed, index);
    const { listener, bytes } = httpInput(random);
    return this.send(listener, cut(bytes, random), random);
  }

  /** Sends the pieces. Without `random` every origin responds as usual. */
  async send(
    listener: Listener,
    pieces: readonly Buffer[],
    random?: Random,
  ): Promise<readonly string[]> {
    const trial: Trial = { dialled: [], complaints: [] };
    this.#trial = trial;
    this.#random = random;
    const [client, accepted] = await this.#connect(listener);
    for (const piece of pieces) {
      client.write(piece);
      if (random?.once(2)) await turns();
    }
    for (let count = 0; count < turnsToAnswer; count += 1) await turns();
    client.end();
    const open = () => [client, accepted, ...trial.dialled.map(({ origin }) => origin)];
    for (let count = 0; open().some((socket) => !socket.closed); count += 1) {
      if (count > turnsToClose[client instanceof MemorySocket ? "memory" : "network"]) {
        const whose = client.closed && accepted.closed ? "an origin" : "the client";
        trial.complaints.push(`the connection of ${whose} stays open after the client has ended`);
        break;
      }
      await turns();
    }
    for (const { protocol, host, received } of trial.dialled) {
      const problem = complaint(protocol, host, Buffer.concat(received));
      if (problem !== undefined) trial.complaints.push(`the origin got ${problem}`);
    }
    return trial.complaints;
  }

  async #connect(listener: Listener): Promise<readonly [client: Duplex, accepted: Duplex]> {
    const server = this.#listeners[listener];
    if (!server.listening) {
      const [client, accepted] = MemorySocket.pair("127.0.0.1");
      server.emit("connection", accepted.asSocket());
      return [prepared(client), accepted];
    }
    const { port } = server.address() as AddressInfo;
    const client = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    const [accepted] = (await once(server, "connection")) as [Socket];
    return [prepared(client), accepted];
  }

  #dial(host: string, port: number, written: Protocol): Dialled {
    const protocol = written === "http" ? "http" : "https";
    const { dialled, complaints } = this.#trial;
    const wanted = protocol === "http" ? 80 : 443;
    if (!/^(?:(?:[^.]+\.)*allowed\.test|203\.0\.113\.7)$/.test(host) || port !== wanted) {
      complaints.push(`a connection to ${host}:${port} was opened`);
    }
    if (this.#random?.once(16)) return { kind: "failed", reason: "connection refused" };
    const [origin, way] = MemorySocket.pair("203.0.113.7");
    const received: Buffer[] = [];
    const answer = this.#random?.pick(answers) ?? usualAnswer;
    dialled.push({ protocol, host, origin, received });
    origin.once("data", () => {
      if (answer !== "") origin.write(answer);
      if (answer === "" || answer.startsWith("HTTP/1.0")) origin.end();
    });
    origin.on("data", (bytes: Buffer) => received.push(bytes));
    origin.on("end", () => origin.end());
    return { kind: "connected", socket: way.asSocket() };
  }

  #record(record: AccessRecord): void {
    const { statusCode } = record;
    this.statuses.set(statusCode, (this.statuses.get(statusCode) ?? 0) + 1);
    const lines = [accessLine(record), jsonLine(record)];
    for (const line of lines) {
      const read = parseLine(line);
      if (line.includes("\n") || read?.statusCode !== statusCode || read.method !== record.method) {
        this.#trial.complaints.push(`the log has a line that reads differently: ${line}`);
      }
    }
  }
}

/** Reads everything and closes after the other side. */
function prepared<T extends Duplex>(client: T): T {
  client.on("error", () => client.destroy());
  client.on("end", () => client.end());
  client.resume();
  return client;
}
