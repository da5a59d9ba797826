/** The named UNIX sockets of the host, and named pipes. Read-only mounts do not prevent their use. */
import { once } from "node:events";
import { lstatSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../errors.js";
import { entriesOf } from "./entries.js";

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

/** Differs between two files that have a name one after the other; undefined for other types of files. */
export function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isSocket() && !found?.isFIFO()) return undefined;
  return `${found.dev} ${found.ino} ${found.birthtimeMs}`;
}

/** The pipes, and the sockets that a process serves, in whatever network namespace. */
export async function inUse(paths: readonly string[]): Promise<string[]> {
  const used = await Promise.all(paths.map(isInUse));
  return paths.filter((_, index) => used[index]);
}

/** A socket's file stays after its process, and a later process makes another file. */
async function isInUse(path: string): Promise<boolean> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return true;
  const connection = createConnection(path);
  try {
    await once(connection, "connect");
    return true;
  } catch (thrown) {
    // Others mean that a process serves it: another type of socket, too many connections, no permission.
    return !["ECONNREFUSED", "ENOENT"].includes(systemCode(thrown) ?? "");
  } finally {
    connection.destroy();
  }
}

export function socketsIn(directory: string): string[] {
  return entriesOf(directory)
    .filter((entry) => entry.isSocket() || entry.isFIFO())
    .map(({ name }) => join(directory, name));
}
