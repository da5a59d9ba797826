/**
 * Finds the process that owns a connection, at its arrival, because the process may end a moment later.
 *
 * The kernel's connection tables name the owner, but reading one takes milliseconds. Reading the descriptors of a few
 * processes takes a tenth of one, and mostly only one socket can match.
 */
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";

export interface ConnectionOwner {
  readonly pid: number;
  readonly comm: string;
  readonly cmdline: string;
  readonly inode: string;
}

type Transport = "tcp" | "udp";

interface HeldSocket {
  readonly pid: number;
  readonly inode: string;
}

const longestCommandLine = 4096;
const mostRemembered = 20_000;

/** Finds owners among the processes of a sandbox. `root` is a process in its network namespace. */
export class Attribution {
  readonly #root: number;
  readonly #members: () => readonly number[];
  #last: { readonly birth: string; readonly members: readonly number[] } | undefined;
  /** Sockets that every process inside inherits from awf. */
  #inherited: ReadonlySet<string> | undefined;
  /** Sockets whose connection has been attributed: a new connection has another. */
  readonly #known = new Set<string>();
  /** The last descriptor of each process. */
  readonly #descriptors = new Map<number, string>();
  readonly #described = new Map<string, { readonly comm: string; readonly cmdline: string }>();

  /** @param members the processes that may own a connection, parents before children */
  constructor(
    root: number,
    // The namespace's init and bubblewrap's two processes open no connections.
    members: () => readonly number[] = () => processesBelow([root]).slice(3),
  ) {
    this.#root = root;
    this.#members = members;
  }

  /** The owner of the socket with this local port; undefined if it is gone. */
  ownerOf(port: number, transport: Transport = "tcp"): ConnectionOwner | undefined {
    const processes = this.#processes();
    const found = this.#only(processes) ?? this.#amongMany(processes, port, transport);
    if (!found) return undefined;
    if (this.#known.size > mostRemembered) this.#known.clear();
    this.#known.add(found.inode);
    return { ...found, ...this.#describe(found.pid) };
  }

  /** The processes stay the same while the machine starts none. */
  #processes(): readonly number[] {
    const birth = lastBirth();
    if (this.#last && birth !== undefined && this.#last.birth === birth) return this.#last.members;
    const members = this.#members();
    this.#last = birth === undefined ? undefined : { birth, members };
    return members;
  }

  /** The common case: exactly one socket can match. The newest process that has it is the owner. */
  #only(processes: readonly number[]): HeldSocket | undefined {
    let only: HeldSocket | undefined;
    for (const pid of processes) {
      const inode = this.#again(pid) ?? this.#unknownSockets(pid).next().value;
      if (inode === undefined) continue;
      if (only && only.inode !== inode) return undefined;
      only = { pid, inode };
    }
    return only;
  }

  /** A process that connects repeatedly mostly reuses a descriptor, which is faster to check than all. */
  #again(pid: number): string | undefined {
    const descriptor = this.#descriptors.get(pid);
    if (descriptor === undefined) return undefined;
    const inode = socketAt(`/proc/${pid}/fd/${descriptor}`);
    return inode !== undefined && this.#isUnknown(inode) ? inode : undefined;
  }

  #amongMany(
    processes: readonly number[],
    port: number,
    transport: Transport,
  ): HeldSocket | undefined {
    const held = processes.flatMap((pid) =>
      [...this.#unknownSockets(pid)].map((inode) => ({ pid, inode })),
    );
    const remote = this.#withoutLocal(held);
    return certain(remote) ?? this.#fromTable(remote, port, transport);
  }

  /** Inode numbers, newest descriptor first. */
  *#unknownSockets(pid: number): Generator<string, undefined> {
    for (const { descriptor, inode } of socketsIn(`/proc/${pid}/fd`)) {
      if (!this.#isUnknown(inode)) continue;
      if (this.#descriptors.size > mostRemembered) this.#descriptors.clear();
      this.#descriptors.set(pid, descriptor);
      yield inode;
    }
    return undefined;
  }

  #isUnknown(inode: string): boolean {
    this.#inherited ??= new Set([...socketsIn(`/proc/${this.#root}/fd`)].map((held) => held.inode));
    return !this.#known.has(inode) && !this.#inherited.has(inode);
  }

  /** Leaves out UNIX sockets. */
  #withoutLocal(held: readonly HeldSocket[]): HeldSocket[] {
    if (held.length === 0) return [];
    const lines = read(`/proc/${this.#root}/net/unix`).split("\n").slice(1);
    const local = new Set(lines.map((line) => line.trim().split(/\s+/)[6]));
    return held.filter(({ inode }) => !local.has(inode));
  }

  #fromTable(
    held: readonly HeldSocket[],
    port: number,
    transport: Transport,
  ): HeldSocket | undefined {
    if (held.length === 0) return undefined;
    const inode =
      inodeIn(read(`/proc/${this.#root}/net/${transport}`), port) ??
      inodeIn(read(`/proc/${this.#root}/net/${transport}6`), port);
    return held.findLast((socket) => socket.inode === inode);
  }

  #describe(pid: number): { readonly comm: string; readonly cmdline: string } {
    const key = `${pid} ${link(`/proc/${pid}/exe`)}`;
    const known = this.#described.get(key);
    if (known) return known;
    const cmdline = read(`/proc/${pid}/cmdline`).replace(/\0+$/, "").replaceAll("\0", " ");
    const comm = read(`/proc/${pid}/comm`).trim();
    const described = { comm, cmdline: cmdline.slice(0, longestCommandLine) };
    if (this.#described.size > mostRemembered) this.#described.clear();
    this.#described.set(key, described);
    return described;
  }
}

/** Stays open, because every connection reads it. */
let births: number | undefined;

/** The machine's last process or thread id; undefined if unknown. */
function lastBirth(): string | undefined {
  try {
    births ??= openSync("/proc/loadavg", "r");
    const text = buffer.toString("latin1", 0, readSync(births, buffer, 0, 256, 0));
    const last = text.slice(text.lastIndexOf(" ") + 1).trim();
    return Number(last) > 0 ? last : undefined;
  } catch {
    return undefined;
  }
}

/** The only candidate: one socket, even if shared (the newest process uses it), or one process. */
function certain(held: readonly HeldSocket[]): HeldSocket | undefined {
  const newest = held.at(-1);
  if (!newest) return undefined;
  const one =
    held.every(({ inode }) => inode === newest.inode) ||
    held.every(({ pid }) => pid === newest.pid);
  return one ? newest : undefined;
}

/** Columns of the table: number, local address, remote address, state, …, inode as the tenth. */
function inodeIn(table: string, port: number): string | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  for (let at = table.indexOf(suffix); at >= 0; at = table.indexOf(suffix, at + 1)) {
    const lineStart = table.lastIndexOf("\n", at) + 1;
    const columns = table.slice(lineStart, table.indexOf("\n", at)).trim().split(/\s+/);
    const [, local = "", , , , , , , , inode = "0"] = columns;
    if (`${local} `.endsWith(suffix) && inode !== "0") return inode;
  }
  return undefined;
}

/** The processes and all their descendants, parents before children. */
export function processesBelow(roots: readonly number[]): number[] {
  const found = [...roots];
  for (const pid of found) {
    for (const task of list(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${task}/children`);
      for (const child of children.split(" ")) if (child !== "") found.push(Number(child));
    }
  }
  return found;
}

/** Newest descriptor first; lazily, because the first is mostly enough. */
function* socketsIn(
  directory: string,
): Generator<{ readonly descriptor: string; readonly inode: string }> {
  for (const descriptor of list(directory).reverse()) {
    const inode = socketAt(`${directory}/${descriptor}`);
    if (inode !== undefined) yield { descriptor, inode };
  }
}

/** The inode of a socket descriptor; undefined for any other. */
function socketAt(path: string): string | undefined {
  const target = link(path);
  return target.startsWith("socket:[") ? target.slice(8, -1) : undefined;
}

let buffer = Buffer.allocUnsafe(64 * 1024);

/** Files of `/proc` have no size in advance. Empty if the process has ended. */
function read(path: string): string {
  try {
    const descriptor = openSync(path, "r");
    try {
      let length = 0;
      for (;;) {
        const got = readSync(descriptor, buffer, length, buffer.length - length, null);
        length += got;
        if (got === 0) return buffer.toString("latin1", 0, length);
        if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length)]);
      }
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
