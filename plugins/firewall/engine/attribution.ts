/**
 * Finds the process that owns a connection, at its arrival, because the process may end a moment later.
 *
 * The kernel's connection tables name the owner, but reading one takes milliseconds. Reading the descriptors of a few
 * processes takes a tenth of one, and mostly only one socket can match.
 */
import { descriptorsOf, lastBirth, link, list, processesBelow, read } from "./processes.js";

export interface ConnectionOwner {
  readonly pid: number;
  readonly comm: string;
  readonly cmdline: string;
  /** Absent if only its process is certain. */
  readonly inode?: string;
}

type Transport = "tcp" | "udp";

interface HeldSocket {
  readonly pid: number;
  readonly inode: string;
}

/** Inode numbers by local port. */
type Inodes = ReadonlyMap<number, string>;

const longestCommandLine = 4096;
const mostRemembered = 20_000;
/** A process with more descriptors is not searched for each connection. */
const mostSearched = 200;
/** How many descriptors after its last one are looked at instead. */
const readOn = 4;
/** Milliseconds until the kernel's table is read again for such processes. */
const tableMs = 100;

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
  readonly #descriptors = new Map<number, number>();
  readonly #tables = new Map<Transport, { readonly at: number; readonly inodes: Inodes }>();
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
    const found: { readonly pid: number; readonly inode?: string } | undefined =
      this.#only(processes) ?? this.#amongMany(processes, port, transport);
    if (!found) return undefined;
    if (this.#known.size > mostRemembered) this.#known.clear();
    if (found.inode !== undefined) this.#known.add(found.inode);
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
      const crowded = isCrowded(pid);
      const inode =
        this.#near(pid, crowded ? readOn : 0) ??
        (crowded ? undefined : this.#unknownSockets(pid).next().value);
      if (inode === undefined && !crowded) continue;
      if (inode === undefined || (only && only.inode !== inode)) return undefined;
      only = { pid, inode };
    }
    return only;
  }

  /** A process that connects repeatedly mostly reuses a descriptor, or opens the next one. */
  #near(pid: number, further: number): string | undefined {
    const known = this.#descriptors.get(pid);
    if (known === undefined && further === 0) return undefined;
    // Descriptors mostly have no gaps.
    const last = known ?? Math.max(0, descriptorsOf(pid) - 1 - further);
    for (let descriptor = last; descriptor <= last + further; descriptor += 1) {
      const inode = socketAt(`/proc/${pid}/fd/${descriptor}`);
      if (inode === undefined || !this.#isUnknown(inode)) continue;
      this.#descriptors.set(pid, descriptor);
      return inode;
    }
    return undefined;
  }

  #amongMany(
    processes: readonly number[],
    port: number,
    transport: Transport,
  ): { readonly pid: number; readonly inode?: string } | undefined {
    const crowded = processes.filter(isCrowded);
    const held = processes.flatMap((pid) => {
      if (!crowded.includes(pid))
        return [...this.#unknownSockets(pid)].map((inode) => ({ pid, inode }));
      const inode = this.#near(pid, readOn);
      return inode === undefined ? [] : { pid, inode };
    });
    const remote = this.#withoutLocal(held);
    if (crowded.length === 0) return certain(remote) ?? this.#fromTable(remote, port, transport);
    const [only, another] = crowded;
    // One process alone has connections.
    if (remote.length === 0 && another === undefined && only !== undefined) return { pid: only };
    const inode = this.#recentInode(port, transport);
    return remote.findLast((socket) => socket.inode === inode) ?? certain(remote);
  }

  /** At a constant cost, so it may miss connections since the last reading. */
  #recentInode(port: number, transport: Transport): string | undefined {
    let table = this.#tables.get(transport);
    if (!table || performance.now() - table.at > tableMs) {
      const text = ["", "6"].map((family) => read(`/proc/${this.#root}/net/${transport}${family}`));
      table = { at: performance.now(), inodes: inodesIn(text.join("")) };
      this.#tables.set(transport, table);
    }
    return table.inodes.get(port);
  }

  /** Inode numbers, newest descriptor first. */
  *#unknownSockets(pid: number): Generator<string, undefined> {
    for (const { descriptor, inode } of socketsIn(`/proc/${pid}/fd`)) {
      if (!this.#isUnknown(inode)) continue;
      if (this.#descriptors.size > mostRemembered) this.#descriptors.clear();
      this.#descriptors.set(pid, Number(descriptor));
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

function inodesIn(tables: string): Inodes {
  const inodes = new Map<number, string>();
  for (const line of tables.split("\n")) {
    const [, local = "", , , , , , , , inode = "0"] = line.trim().split(/\s+/);
    if (inode !== "0") inodes.set(Number.parseInt(local.slice(-4), 16), inode);
  }
  return inodes;
}

const isCrowded = (pid: number): boolean => descriptorsOf(pid) > mostSearched;

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
