/** The named UNIX sockets that listen on the host. Read-only mounts do not prevent connections to them. */
import { readFileSync } from "node:fs";

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
