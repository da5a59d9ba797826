/** SOCKS 5 (RFC 1928) on the explicit proxy, without authentication. Its CONNECT is decided like that of HTTP. */
import type { Socket } from "node:net";
import { closeGracefully } from "./close-gracefully.js";
import type { Arrival } from "./context.js";
import type { OnConnect } from "./http-handler.js";

export const socksVersion = 5;

type NoMessage = { readonly kind: "partial" } | { readonly kind: "invalid" };

interface SocksGreeting {
  readonly kind: "greeting";
  /** Whether the client accepts a connection without authentication. */
  readonly isOpen: boolean;
  /** Bytes of the message. */
  readonly length: number;
}

interface SocksRequest {
  readonly kind: "connect" | "unsupported";
  /** `host:port` */
  readonly target: string;
  /** Bytes of the message. */
  readonly length: number;
}

const codes = { failure: 1, denied: 2, unreachable: 5, unsupported: 7 } as const;
/** The client needs no address of this side. */
const reply = (code: number) => Buffer.from([socksVersion, code, 0, 1, 0, 0, 0, 0, 0, 0]);

/** A client must complete each message within this time. */
const patienceMs = 30_000;

/** Parses the first message: versions of authentication. Never throws. */
export function readGreeting(bytes: Buffer): SocksGreeting | NoMessage {
  const [version, count] = bytes;
  if (version !== undefined && version !== socksVersion) return { kind: "invalid" };
  if (count === undefined || bytes.length < 2 + count) return { kind: "partial" };
  const length = 2 + count;
  return { kind: "greeting", isOpen: bytes.subarray(2, length).includes(0), length };
}

/** Parses the second message: what to connect to. Never throws. */
export function readRequest(bytes: Buffer): SocksRequest | NoMessage {
  const [version, command, , type, first = 0] = bytes;
  if (version !== undefined && version !== socksVersion) return { kind: "invalid" };
  if (bytes.length < 5) return { kind: "partial" };
  const size = type === 1 ? 4 : type === 4 ? 16 : type === 3 ? 1 + first : undefined;
  if (size === undefined) return { kind: "invalid" };
  const length = 4 + size + 2;
  if (bytes.length < length) return { kind: "partial" };
  const address = bytes.subarray(4, 4 + size);
  const host =
    type === 1
      ? address.join(".")
      : type === 3
        ? address.toString("latin1", 1)
        : `[${(address.toString("hex").match(/.{4}/g) ?? []).join(":")}]`;
  const target = `${host}:${bytes.readUInt16BE(4 + size)}`;
  return { kind: command === 1 ? "connect" : "unsupported", target, length };
}

/** Serves a client that has sent a first byte of SOCKS. */
export function serveSocks(
  client: Socket,
  first: Buffer,
  identify: () => Arrival,
  onConnect: OnConnect,
): void {
  let pending = first;
  let isGreeted = false;
  const close = (last: Buffer | string) => {
    stop();
    closeGracefully(client, last);
  };
  const closeLate = () => close("");
  const receive = (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    advance();
  };
  const stop = () => {
    client.off("data", receive).off("end", closeLate).off("timeout", closeLate).setTimeout(0);
  };
  const advance = (): void => {
    const message = isGreeted ? readRequest(pending) : readGreeting(pending);
    if (message.kind === "partial") return;
    if (message.kind === "invalid" || message.kind === "unsupported") {
      close(reply(message.kind === "invalid" ? codes.failure : codes.unsupported));
      return;
    }
    pending = pending.subarray(message.length);
    if (message.kind === "connect") {
      stop();
      client.pause();
      const request = { url: message.target, httpVersion: "-", headers: {}, reply: socksReply };
      onConnect(request, client, pending, identify());
    } else if (message.kind === "greeting" && message.isOpen) {
      client.write(Buffer.from([socksVersion, 0]));
      isGreeted = true;
      advance();
    } else close(Buffer.from([socksVersion, 0xff]));
  };
  client.on("data", receive).once("end", closeLate).setTimeout(patienceMs, closeLate);
  advance();
}

const socksReply = {
  established: reply(0),
  refused: (status: number): Buffer => {
    if (status === 503) return reply(codes.unreachable);
    return reply(status === 400 ? codes.failure : codes.denied);
  },
};
