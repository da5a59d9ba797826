/**
 * Which process of a sandbox owns a connection: asked when it arrives, since the process may be gone a moment later.
 *
 * The kernel's tables of connections would say it outright, but reading one walks all of the machine's buckets and takes
 * milliseconds. The descriptors of a few processes are read in a tenth of one, and mostly only one of them can be meant.
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

/** Finds owners among the processes of a sandbox; `root` is one that has its network namespace. */
export class Attribution {
  readonly #root: number;
  readonly #members: () => readonly number[];
  #last: { readonly birth: string; readonly members: readonly number[] } | undefined;
  /** Sockets that awf itself was started with, which every process inside has, too. */
  #inherited: ReadonlySet<string> | undefined;
  /** Sockets that have had their connection: a new one must be another. */
  readonly #known = new Set<string>();
  /** Where a process had its last one. */
  readonly #descriptors = new Map<number, string>();
  readonly #described = new Map<string, { readonly comm: string; readonly cmdline: string }>();

  /** `members` says which processes may own a connection now, parents before children. */
  constructor(
    root: number,
    // The namespace's keeper and bubblewrap's two processes open no connections.
    members: () => readonly number[] = () => processesBelow([root]).slice(3),
  ) {
    this.#root = root;
    this.#members = members;
  }

  /** The owner of the socket with this local port, or undefined when nobody has it any more. */
  ownerOf(port: number, transport: Transport = "tcp"): ConnectionOwner | undefined {
    const processes = this.#processes();
    const found = this.#only(processes) ?? this.#amongMany(processes, port, transport);
    if (!found) return undefined;
    if (this.#known.size > mostRemembered) this.#known.clear();
    this.#known.add(found.inode);
    return { ...found, ...this.#describe(found.pid) };
  }

  /** As long as no process was born on the machine there are no others than before. */
  #processes(): readonly number[] {
    const birth = lastBirth();
    if (this.#last && birth !== undefined && this.#last.birth === birth) return this.#last.members;
    const members = this.#members();
    this.#last = birth === undefined ? undefined : { birth, members };
    return members;
  }

  /** The usual case: one process alone has a socket that can be meant; its newest is taken for the one. */
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

  /** Who connects again and again mostly gets the same descriptor, which is looked at sooner than all of them. */
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

  /** Processes talk to each other by sockets, too. */
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

/** Open once, for as long as this process lives: it is read with every connection. */
let births: number | undefined;

/** The number given last to a process or thread; undefined where the system does not tell. */
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

/** The only one it can be: one socket, whoever shares it (the newest process uses it), or one process. */
function certain(held: readonly HeldSocket[]): HeldSocket | undefined {
  const newest = held.at(-1);
  if (!newest) return undefined;
  const one =
    held.every(({ inode }) => inode === newest.inode) ||
    held.every(({ pid }) => pid === newest.pid);
  return one ? newest : undefined;
}

/** Lines of the table: number, local address, remote address, state, …, inode in the tenth column. */
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

/** These and all that they started, parents before children. */
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

/** Newest descriptor first; one at a time, since the first is mostly enough. */
function* socketsIn(
  directory: string,
): Generator<{ readonly descriptor: string; readonly inode: string }> {
  for (const descriptor of list(directory).reverse()) {
    const inode = socketAt(`${directory}/${descriptor}`);
    if (inode !== undefined) yield { descriptor, inode };
  }
}

/** The inode of the socket behind a descriptor; undefined where there is something else or nothing. */
function socketAt(path: string): string | undefined {
  const target = link(path);
  return target.startsWith("socket:[") ? target.slice(8, -1) : undefined;
}

let buffer = Buffer.allocUnsafe(64 * 1024);

/** Files of `/proc` have no size to ask for; empty when the process is gone. */
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
