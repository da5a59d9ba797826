/** Finds logs: of running and finished runs, and in the directory of `AWF_LOGS_DIR`. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { FirewallError } from "../errors.js";
import { accessLogName, jsonLogName } from "./writer.js";

export interface LogSource {
  readonly kind: "running" | "AWF_LOGS_DIR" | "preserved" | "given";
  readonly directory: string;
  /** The file to read. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly date: number;
}

const noRunning = "Invalid log source: Container awf-squid is not running";

/** Every source in the order of preference: running, the variable's, preserved; newest first. */
export function discoverSources(environment: NodeJS.ProcessEnv = process.env): LogSource[] {
  const preserved = directoriesLike(/^squid-logs-(\d+)$/).map((directory) =>
    at("preserved", directory),
  );
  return [...runningSources(), ...fromVariable(environment.AWF_LOGS_DIR), ...preserved].filter(
    (source) => source !== undefined,
  );
}

/**
 * The source that `--source` names, or the first.
 * @throws {FirewallError} `no_log_source`, `invalid_log_source`
 */
export function findSource(
  source: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): LogSource {
  if (source === undefined) {
    const [first] = discoverSources(environment);
    if (first) return first;
    throw new FirewallError(
      "no_log_source",
      "No log sources found. Run awf with a command first to generate logs.",
    );
  }
  if (source === "running") {
    const [first] = runningSources();
    if (first) return first;
    throw new FirewallError("invalid_log_source", noRunning);
  }
  return sourceAt(source);
}

function sourceAt(source: string): LogSource {
  const path = resolve(source);
  const kind = statSync(path, { throwIfNoEntry: false });
  if (!kind)
    throw new FirewallError(
      "invalid_log_source",
      `Invalid log source: Log source not found: ${source}`,
    );
  if (kind.isFile() && /\.(log|jsonl)$/.test(path)) {
    return { kind: "given", directory: dirname(path), file: path, date: kind.mtimeMs };
  }
  const found = at("given", kind.isFile() ? dirname(path) : path);
  if (found) return found;
  throw new FirewallError(
    "invalid_log_source",
    `Invalid log source: Directory does not contain access.log: ${source}`,
  );
}

function runningSources(): LogSource[] {
  return directoriesLike(/^awf-(\d+)$/).flatMap((directory) => {
    try {
      const [pid = "", logs = ""] = readFileSync(join(directory, "pid"), "utf8").split("\n");
      process.kill(Number(pid), 0);
      const source = at("running", logs || join(directory, "squid-logs"));
      return source ? [{ ...source, directory }] : [];
    } catch {
      return [];
    }
  });
}

function fromVariable(directory: string | undefined): LogSource[] {
  if (!directory) return [];
  const source = at("AWF_LOGS_DIR", directory) ?? at("AWF_LOGS_DIR", join(directory, "squid-logs"));
  return source ? [source] : [];
}

/** Newest first, by the number in the name. */
function directoriesLike(pattern: RegExp): string[] {
  return readdirSync(tmpdir())
    .flatMap((name) => {
      const [, stamp] = pattern.exec(name) ?? [];
      return stamp === undefined ? [] : [{ path: join(tmpdir(), name), stamp: Number(stamp) }];
    })
    .sort((one, other) => other.stamp - one.stamp)
    .map(({ path }) => path);
}

function at(kind: LogSource["kind"], directory: string): LogSource | undefined {
  for (const name of [accessLogName, jsonLogName]) {
    const file = join(directory, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile()) return { kind, directory, file, date: dateOf(directory, found.mtimeMs) };
  }
  return undefined;
}

function dateOf(directory: string, modified: number): number {
  const [, stamp] = /squid-logs-(\d+)$/.exec(directory) ?? [];
  return stamp === undefined ? modified : Number(stamp);
}

/** The `access.jsonl` in the same directory, with processes and rules. */
export function jsonLogOf(source: LogSource): string | undefined {
  const file = join(dirname(source.file), jsonLogName);
  return existsSync(file) ? file : undefined;
}
