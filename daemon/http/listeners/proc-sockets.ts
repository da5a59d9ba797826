/** Processes and their listening addresses, from Linux's /proc. Empty on other systems or without access to /proc. */
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Address } from "../../config/address.js";

interface Holder {
  readonly pid: number;
  /** The program's name, as `ps` shows it. */
  readonly name: string;
}

const LISTENING = "0A";

/** The process that listens on an address, where it can be found out: one's own processes, or all of them as root. */
export async function holderOf(address: Address): Promise<Holder | undefined> {
  const inodes =
    address.kind === "unix"
      ? unixInodes(await text("/proc/net/unix"), address.path)
      : [
          ...tcpInodes(await text("/proc/net/tcp"), address.port),
          ...tcpInodes(await text("/proc/net/tcp6"), address.port),
        ];
  return inodes.length === 0 ? undefined : await holder(new Set(inodes));
}

/** The address that an inherited socket listens on. */
export async function addressOfDescriptor(descriptor: number): Promise<Address | undefined> {
  const inode = inodeOf(await readlink(`/proc/self/fd/${descriptor}`).catch(() => ""));
  if (inode === undefined) return undefined;
  const [tcp, tcp6, unix] = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6", "/proc/net/unix"].map(text),
  );
  for (const table of [tcp ?? "", tcp6 ?? ""]) {
    const row = rows(table).find((fields) => fields[9] === inode && fields[3] === LISTENING);
    if (row?.[1]) return tcpAddress(row[1]);
  }
  const path = rows(unix ?? "").find((fields) => fields[6] === inode)?.[7];
  return path?.startsWith("/") ? { kind: "unix", path } : undefined;
}

const rows = (table: string): string[][] =>
  table
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/));

function tcpInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return rows(table)
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === LISTENING)
    .flatMap((fields) => fields[9] ?? []);
}

function unixInodes(table: string, path: string): string[] {
  return rows(table)
    .filter((fields) => fields[7] === path)
    .flatMap((fields) => fields[6] ?? []);
}

async function holder(inodes: ReadonlySet<string>): Promise<Holder | undefined> {
  const own = String(process.pid);
  const found = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  // Several may share a port: report another process.
  const processes = [...found.filter((pid) => pid !== own), own];
  for (const pid of processes) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const descriptor of descriptors) {
      const inode = inodeOf(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ""));
      if (inode === undefined || !inodes.has(inode)) continue;
      return { pid: Number(pid), name: (await text(`/proc/${pid}/comm`)).trim() };
    }
  }
  return undefined;
}

const inodeOf = (link: string): string | undefined => /^socket:\[(\d+)\]$/.exec(link)?.[1];

/** `0100007F:2328` is 127.0.0.1:9000: words of four bytes, each in the machine's order. */
function tcpAddress(field: string): Address {
  const [words = "", port = ""] = field.split(":");
  const bytes = (words.match(/.{8}/g) ?? []).flatMap((word) => {
    const four = word.match(/../g) ?? [];
    return littleEndian ? four.reverse() : four;
  });
  return { kind: "tcp", host: hostText(bytes), port: Number.parseInt(port, 16) };
}

function hostText(bytes: readonly string[]): string {
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  const groups = bytes.flatMap((byte, index) =>
    index % 2 === 0 ? [`${byte}${bytes[index + 1]}`] : [],
  );
  const { hostname } = new URL(`http://[${groups.join(":")}]/`);
  return hostname.slice(1, -1);
}

const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

const text = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
