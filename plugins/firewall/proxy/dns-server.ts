/** DNS with the policy: forwards questions for allowed names; no other name exists. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, isIPv6, type Socket } from "node:net";
import type { Verdict } from "../policy/policy.js";
import type { AddressNames } from "./address-names.js";
import { accessRecord, decisions, type ProxyContext } from "./context.js";
import {
  addressResponse,
  type DnsQuestion,
  emptyResponse,
  readQuestion,
  recordType,
  responseCode,
} from "./dns-message.js";
import { addressesIn, isMetaType, rebuiltAnswer, rebuiltQuery } from "./dns-rebuild.js";
import { embeddedResolver } from "./embedded-resolver.js";

export interface DnsOptions {
  /** Servers for allowed questions. */
  readonly servers: readonly string[];
  /** Servers to try if the preferred one does not answer. */
  readonly fallBack: readonly string[];
}

export interface DnsClient {
  readonly address: string;
  readonly port: number;
}

/** Every address leads to the proxy, so one for documentation does; not the alias of the host. */
const unansweredAddress = "198.51.100.1";
const timeoutMs = 2000;
/** Records a repeated refusal once in this time: programs ask for A and AAAA and retry. */
const repeatMs = 10_000;
const mostForwarded = 256;
const largestMessage = 65_535;

export class DnsServer {
  readonly #context: ProxyContext;
  readonly #options: DnsOptions;
  readonly #names: AddressNames;
  readonly #recorded = new Map<string, number>();
  #forwarded = 0;
  #silent = new Set<string>();

  constructor(context: ProxyContext, options: DnsOptions, names: AddressNames) {
    this.#context = context;
    this.#options = options;
    this.#names = names;
  }

  /** The response to one message; undefined if there is none. Never rejects. */
  async answer(
    message: Buffer,
    server: string,
    client: DnsClient,
    tcp: boolean,
  ): Promise<Buffer | undefined> {
    const question = readQuestion(message);
    if (!question) {
      return message.length >= 12 ? malformed(message) : undefined;
    }
    const { hostAccess } = this.#context;
    if (hostAccess?.names.has(question.name)) {
      return addressResponse(message, question, hostAccess.address);
    }
    const verdict = this.#context.policy().decideLookup(question.name);
    // The connection asks; the proxy resolves the name itself once it is allowed.
    if (this.#context.questions?.asks(verdict, question.name)) {
      return addressResponse(message, question, unansweredAddress, 0);
    }
    if (!verdict.allowed) {
      this.#record(question, client, tcp, verdict);
      return emptyResponse(message, question, responseCode.noSuchName);
    }
    if (isMetaType(question.type) || message.readUInt16BE(question.end - 2) !== 1) {
      return emptyResponse(message, question, responseCode.refused);
    }
    // Service records could carry keys that encrypt the server name (ECH).
    if (question.type === recordType.HTTPS || question.type === recordType.SVCB) {
      return emptyResponse(message, question, responseCode.noError);
    }
    if (this.#forwarded >= mostForwarded) {
      return emptyResponse(message, question, responseCode.serverFailure);
    }
    this.#forwarded += 1;
    try {
      return (
        (await this.#forward(message, question, server, tcp)) ??
        emptyResponse(message, question, responseCode.serverFailure)
      );
    } finally {
      this.#forwarded -= 1;
    }
  }

  /** Serves a TCP client, whose messages have a length prefix. */
  serveTcp(client: Socket, server: string): void {
    const sender = { address: client.remoteAddress ?? "-", port: client.remotePort ?? 0 };
    let pending = Buffer.alloc(0);
    client.on("error", () => client.destroy());
    client.setTimeout(timeoutMs * 5, () => client.destroy());
    client.on("data", (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const message = pending.subarray(2, 2 + pending.readUInt16BE(0));
        pending = pending.subarray(2 + message.length);
        void this.answer(message, server, sender, true).then((answer) => {
          if (answer && client.writable) client.write(framed(answer));
        });
      }
    });
    client.on("end", () => client.end());
  }

  async #forward(
    message: Buffer,
    question: DnsQuestion,
    server: string,
    tcp: boolean,
  ): Promise<Buffer | undefined> {
    const { servers, fallBack } = this.#options;
    const preferred = server === embeddedResolver ? servers : [server];
    const order = [...preferred, ...fallBack];
    const live = order.filter((address) => !this.#silent.has(address));
    for (const address of live.length > 0 ? live : order) {
      // An id of its own, so that the command cannot pick the id that a forged answer needs.
      const query = rebuiltQuery(message, question, randomInt(0x10000));
      const answer = await (tcp ? askByTcp(query, address) : askByUdp(query, address));
      if (answer) {
        const rebuilt = rebuiltAnswer(answer, message, question, tcp);
        if (rebuilt && this.#context.policy().ports.size > 0) {
          for (const address of addressesIn(rebuilt, question))
            this.#names.add(address, question.name);
        }
        return rebuilt;
      }
      this.#silent.add(address);
    }
    this.#silent.clear();
    return undefined;
  }

  #record(question: DnsQuestion, client: DnsClient, tcp: boolean, verdict: Verdict): void {
    const now = performance.now();
    const last = this.#recorded.get(question.name);
    if (last !== undefined && now - last < repeatMs) return;
    if (this.#recorded.size > 1000) this.#recorded.clear();
    this.#recorded.set(question.name, now);
    const requester = this.#context.requester(client.port, tcp ? "tcp" : "udp");
    const arrival = {
      clientIp: client.address,
      clientPort: client.port,
      originalAddress: "-",
      requester,
      since: now,
    };
    const name = question.name.replace(/[^\x21-\x7e]/g, "?") || ".";
    this.#context.record(
      accessRecord(arrival, {
        host: name,
        httpVersion: "-",
        method: "DNS",
        status: 403,
        decision: decisions.denied,
        url: name,
        verdict,
      }),
    );
  }
}

function malformed(message: Buffer): Buffer {
  const head = Buffer.from(message.subarray(0, 12));
  head[2] = 0x80;
  head[3] = responseCode.formatError;
  head.fill(0, 4);
  return head;
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function askByUdp(query: Buffer, server: string): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(server) ? "udp6" : "udp4");
    const done = (answer: Buffer | undefined) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => done(undefined), timeoutMs);
    socket.once("error", () => done(undefined));
    socket.on("message", (answer) => {
      if (answer.length >= 12 && answer.readUInt16BE(0) === query.readUInt16BE(0)) done(answer);
    });
    socket.connect(53, server, () => socket.send(query));
  });
}

function askByTcp(query: Buffer, server: string): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: server, port: 53 });
    let received = Buffer.alloc(0);
    const done = (answer: Buffer | undefined) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => done(undefined));
    socket.once("error", () => done(undefined));
    socket.once("close", () => done(undefined));
    socket.once("connect", () => socket.write(framed(query)));
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.length > largestMessage + 2) return done(undefined);
      if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        done(received.subarray(2, 2 + received.readUInt16BE(0)));
      }
    });
  });
}
