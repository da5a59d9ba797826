/** Host ports that a sandbox may reach. */
import { FirewallError } from "../errors.js";

export const defaultHostPorts: readonly number[] = [80, 443];
/** Usual ports of development servers, opened by the keyword `localhost`. */
export const developmentPorts: readonly number[] = [
  3000, 3001, 4000, 4200, 5000, 5173, 8000, 8080, 8081, 8888, 9000, 9090,
];

/** Remote shells, mail, file shares and databases: never opened, not even within a range. */
const dangerousPorts = new Set([
  22, 23, 25, 110, 143, 445, 1433, 1521, 3306, 3389, 5432, 5984, 6379, 6984, 8086, 8088, 9200, 9300,
  27017, 27018, 28017,
]);

const hint = "Dangerous ports (SSH:22, MySQL:3306, PostgreSQL:5432, etc.) cannot be allowed";
/** Each port is a listening socket of its own. */
export const mostHostPorts = 4096;

/**
 * Parses `80,443,3000-3010`. Dangerous ports need a list of their own.
 * @throws {FirewallError} `invalid_host_port`, `dangerous_port`
 */
export function parseHostPorts(text: string, dangerousToo = false): number[] {
  const ports = new Set<number>();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [from, to] = entry.includes("-") ? range(entry) : [single(entry), single(entry)];
    for (let port = from; port <= to; port += 1) {
      if (!dangerousToo && dangerousPorts.has(port)) throw dangerous(entry, port);
      ports.add(port);
      if (ports.size > mostHostPorts) {
        throw tooManyHostPorts(text);
      }
    }
  }
  if (ports.size === 0)
    throw invalid(`Invalid port: ${text}. Must be a number between 1 and 65535`);
  return [...ports].sort((one, other) => one - other);
}

function single(entry: string): number {
  const port = Number(entry);
  if (!/^\d+$/.test(entry) || port < 1 || port > 65535) {
    throw invalid(`Invalid port: ${entry}. Must be a number between 1 and 65535`);
  }
  return port;
}

function range(entry: string): [number, number] {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(entry) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === undefined || !(first >= 1 && first <= last && last <= 65535)) {
    throw invalid(
      `Invalid port range: ${entry}. Must be in format START-END where 1 <= START <= END <= 65535`,
    );
  }
  return [first, last];
}

function dangerous(entry: string, port: number): FirewallError {
  const what = entry.includes("-")
    ? `Port range ${entry} includes dangerous port ${port} which is`
    : `Port ${port} is`;
  return new FirewallError("dangerous_port", `${what} blocked for security reasons. ${hint}`);
}

export const tooManyHostPorts = (text: string): FirewallError =>
  invalid(`Too many host ports: ${text}. At most ${mostHostPorts} can be allowed`);

function invalid(message: string): FirewallError {
  return new FirewallError("invalid_host_port", message);
}
