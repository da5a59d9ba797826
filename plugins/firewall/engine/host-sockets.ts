/** The UNIX sockets with a path name that listen on the host: a read-only mount does not stop anyone from connecting to them. */
import { readFileSync } from "node:fs";

/** `/proc/net/unix`: flags in the fourth column have 0x10000 set on a listening socket, the path is the eighth. */
export function listeningHostSockets(
  table: string = readFileSync("/proc/net/unix", "utf8"),
): string[] {
  const found = new Set<string>();
  for (const line of table.split("\n").slice(1)) {
    const [, , , flags = "0", , , , ...rest] = line.trim().split(/\s+/);
    const path = rest.join(" ");
    const listens = (Number.parseInt(flags, 16) & 0x10000) !== 0;
    // Datagram sockets (the system log) never listen but can be written to all the same.
    if (path.startsWith("/") && (listens || Number.parseInt(flags, 16) === 0)) found.add(path);
  }
  return [...found];
}
