/** Which process of a sandbox owns a connection: asked when it arrives, since the process may be gone a moment later. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ConnectionOwner {
  readonly pid: number;
  readonly comm: string;
  readonly cmdline: string;
  readonly inode: string;
}

const longestCommandLine = 4096;

/** Finds owners among the processes below `root`, whose network namespace is the sandbox's. */
export class Attribution {
  readonly #root: number;

  constructor(root: number) {
    this.#root = root;
  }

  /** The owner of the socket with this local port, or undefined when nobody has it any more. */
  ownerOf(port: number, transport: "tcp" | "udp" = "tcp"): ConnectionOwner | undefined {
    const inode = this.#inodeOf(port, transport) ?? this.#inodeOf(port, `${transport}6`);
    if (inode === undefined) return undefined;
    const wanted = `socket:[${inode}]`;
    // The newest process is the likeliest: most commands make a connection and end.
    for (const pid of processesBelow(this.#root).reverse()) {
      if (holds(pid, wanted)) return { pid, inode, ...describe(pid) };
    }
    return undefined;
  }

  #inodeOf(port: number, table: "tcp" | "tcp6" | "udp" | "udp6"): string | undefined {
    const text = read(`/proc/${this.#root}/net/${table}`);
    const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
    for (let at = text.indexOf(suffix); at >= 0; at = text.indexOf(suffix, at + 1)) {
      const lineStart = text.lastIndexOf("\n", at) + 1;
      const [, local = "", , , , , , , , inode = "0"] = text
        .slice(lineStart, text.indexOf("\n", at))
        .trim()
        .split(/\s+/);
      if (`${local} `.endsWith(suffix) && inode !== "0") return inode;
    }
    return undefined;
  }
}

/** Parents before children. */
function processesBelow(root: number): number[] {
  const found = [root];
  for (const pid of found) {
    for (const task of list(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${task}/children`);
      for (const child of children.split(" ")) if (child !== "") found.push(Number(child));
    }
  }
  return found;
}

function holds(pid: number, wanted: string): boolean {
  const directory = `/proc/${pid}/fd`;
  for (const descriptor of list(directory)) {
    try {
      if (readlinkSync(`${directory}/${descriptor}`) === wanted) return true;
    } catch {
      // Closed in the meantime.
    }
  }
  return false;
}

function describe(pid: number): { comm: string; cmdline: string } {
  const cmdline = read(`/proc/${pid}/cmdline`).replace(/\0+$/, "").replaceAll("\0", " ");
  return { comm: read(`/proc/${pid}/comm`).trim(), cmdline: cmdline.slice(0, longestCommandLine) };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
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
