/** The named UNIX sockets that listen on the host. Read-only mounts do not prevent connections to them. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entriesOf } from "./home.js";

/** Reads `/proc/net/unix`: a listening socket has 0x10000 in its flags, the fourth column; the path is the eighth. */
export function listeningHostSockets(
  table: string = readFileSync("/proc/net/unix", "utf8"),
): string[] {
  const found = new Set<string>();
  for (const line of table.split("\n").slice(1)) {
    const [, , , flags = "0", , , , ...rest] = line.trim().split(/\s+/);
    const path = rest.join(" ");
    const listens = (Number.parseInt(flags, 16) & 0x10000) !== 0;
    // Datagram sockets, such as the system log's, never listen but accept data.
    if (path.startsWith("/") && (listens || Number.parseInt(flags, 16) === 0)) found.add(path);
  }
  return [...found];
}

/**
 * These sockets, and every other socket and pipe in their directories: the kernel keeps the name that a socket was
 * bound to, but servers rename it, as Reeve does.
 */
export function hostSockets(): string[] {
  const listed = listeningHostSockets();
  const directories = new Set(listed.map((path) => dirname(path)));
  const beside = [...directories].flatMap((directory) =>
    entriesOf(directory)
      .filter((entry) => entry.isSocket() || entry.isFIFO())
      .map(({ name }) => join(directory, name)),
  );
  return [...new Set([...listed, ...beside])];
}
