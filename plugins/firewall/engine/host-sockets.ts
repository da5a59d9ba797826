/** The named UNIX sockets of the host. Read-only mounts do not prevent connections to them. */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { entriesOf } from "./home.js";

/**
 * The names that sockets were bound to, also relative ones. A listening socket has 0x10000 in its flags, the fourth
 * column; the name is the eighth.
 */
export function boundNames(table = readFileSync("/proc/net/unix", "utf8")): string[] {
  const found = new Set<string>();
  for (const line of table.split("\n").slice(1)) {
    const [, , , flags = "0", , , , ...rest] = line.trim().split(/\s+/);
    const name = rest.join(" ");
    const listens = (Number.parseInt(flags, 16) & 0x10000) !== 0;
    // Datagram sockets, such as the system log's, never listen but accept data.
    const accepts = listens || Number.parseInt(flags, 16) === 0;
    if (accepts && name !== "" && !name.startsWith("@")) found.add(name);
  }
  return [...found];
}

/**
 * Where the sockets of these names are. The kernel keeps the name that a socket was bound to: if its file has another
 * one by now, as servers rename it, every socket and pipe of the directory may be it. A relative name is looked for in
 * `directories`.
 */
export function socketsNamed(
  names: readonly string[],
  directories: () => readonly string[],
): { readonly exact: readonly string[]; readonly possible: readonly string[] } {
  const absolute = names.filter((name) => name.startsWith("/"));
  const parents = new Set(absolute.map((path) => dirname(path)));
  const relative = names.filter((name) => !name.startsWith("/")).map((name) => basename(name));
  const elsewhere = relative.length === 0 ? [] : directories();
  const possible = [
    ...[...parents].flatMap(socketsIn),
    ...elsewhere.flatMap(socketsIn).filter((path) => relative.includes(basename(path))),
  ];
  return { exact: absolute, possible: possible.filter((path) => !absolute.includes(path)) };
}

function socketsIn(directory: string): string[] {
  return entriesOf(directory)
    .filter((entry) => entry.isSocket() || entry.isFIFO())
    .map(({ name }) => join(directory, name));
}
