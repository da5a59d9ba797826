/** Addresses as people write them. */
import { isIP } from "node:net";
import { isAbsolute, normalize } from "node:path";
import { ReeveError } from "../errors.js";

export type Address = TcpAddress | UnixAddress;

export interface TcpAddress {
  readonly kind: "tcp";
  /** An IP address without brackets; `""` is every address of the machine, of both families. */
  readonly host: string;
  readonly port: number;
}

export interface UnixAddress {
  readonly kind: "unix";
  /** Absolute. */
  readonly path: string;
}

/** What fits into the kernel's `sun_path`, with room for the name that a socket has while it is being made. */
const LONGEST_PATH = 107;

/** @throws ReeveError `bad_address` */
export function parseAddress(text: string): Address {
  if (text.startsWith("unix:")) return unixAddress(text, text.slice("unix:".length));
  const [, bracketed, bare, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  if (digits === undefined) throw refuse(text, hint(text));
  const port = Number(digits);
  if (port > 65_535) throw refuse(text, `a port is at most 65535, not ${digits}`);
  return { kind: "tcp", host: hostOf(text, bracketed, bare ?? ""), port };
}

/** The one spelling of an address; equal text means the same address. */
export function addressText(address: Address): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  const host = isIP(address.host) === 6 ? `[${address.host}]` : address.host;
  return `${host}:${address.port}`;
}

/** Whether the kernel lets no two sockets have both of them. */
export function overlap(one: Address, other: Address): boolean {
  if (one.kind === "unix" || other.kind === "unix") return addressText(one) === addressText(other);
  if (one.port !== other.port) return false;
  return one.host === other.host || isWildcard(one.host) || isWildcard(other.host);
}

const isWildcard = (host: string): boolean => host === "" || host === "::" || host === "0.0.0.0";

function hostOf(text: string, bracketed: string | undefined, bare: string): string {
  if (bracketed !== undefined) {
    if (isIP(bracketed) === 6) return bracketed.toLowerCase();
    throw refuse(text, `\`${bracketed}\` is not an IPv6 address`);
  }
  if (bare === "" || bare === "*") return "";
  if (bare === "localhost") return "127.0.0.1";
  if (isIP(bare) === 4) return bare;
  throw refuse(text, `\`${bare}\` is not an IP address; names are not looked up`);
}

function unixAddress(text: string, path: string): UnixAddress {
  if (!isAbsolute(path)) throw refuse(text, "the path of a unix socket starts with `/`");
  const clean = normalize(path);
  const length = Buffer.byteLength(clean);
  if (length > LONGEST_PATH) {
    throw refuse(text, `the path has ${length} bytes and the system allows ${LONGEST_PATH}`);
  }
  if (clean.endsWith("/") || clean.includes("\0")) throw refuse(text, "it names no file");
  return { kind: "unix", path: clean };
}

function hint(text: string): string {
  if (isIP(text) === 6) return "an IPv6 address stands in brackets, with a port behind it";
  if (/^\d+$/.test(text)) return `write \`:${text}\` for this port on every address`;
  if (isIP(text) === 4 || text === "localhost") return "the port is missing";
  if (text.includes("//")) return "write the address alone, without `http://` and without a path";
  return "it is not one";
}

function refuse(text: string, why: string): ReeveError {
  return new ReeveError("bad_address", `Cannot listen on \`${text}\`: ${why}.`, {
    help: "Write `127.0.0.1:9000`, `[::1]:9000`, `:9000` or `unix:/run/name.sock`.",
  });
}
