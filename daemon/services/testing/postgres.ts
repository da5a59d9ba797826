/** A PostgreSQL of a test's own: a server a process, a database a test, gone with the process however that ends. */
import { spawn } from "node:child_process";
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecutionContext } from "ava";
import pg from "pg";

const user = "reeve";
const password = "pass:word/?#";

/** `nobody`: the server refuses to be root. */
const unprivileged = 65534;

/**
 * Waits until its input ends, which it does when whoever started it is gone; then ends the server and removes its files.
 * Arguments: the directory of programs, the directory for all files, and words to put before each command.
 */
const keeper = `
  bin="$1"; home="$2"; shift 2
  "$@" "$bin/initdb" -D "$home/data" -U ${user} --pwfile="$home/password" --auth=scram-sha-256 -E UTF8 \
    --locale=C.UTF-8 --no-sync --no-instructions >"$home/log" 2>&1
  "$@" "$bin/postgres" -D "$home/data" -c listen_addresses= -c unix_socket_directories="$home" -c fsync=off \
    -c full_page_writes=off -c shared_buffers=16MB -c max_connections=200 $PG_MORE >>"$home/log" 2>&1 &
  read -r _; kill -INT $!; wait; rm -rf "$home"`;

export class Server {
  /** Where its socket is. */
  readonly home: string;
  #databases = 0;

  private constructor(home: string) {
    this.home = home;
  }

  /** `settings` are more of the server's, as `name=value`. */
  static async start(...settings: readonly string[]): Promise<Server> {
    const [initdb] = globSync("/usr/lib/postgresql/*/bin/initdb").sort().reverse();
    if (initdb === undefined) throw new Error("Debian's package `postgresql` is not installed.");
    const home = mkdtempSync(join(tmpdir(), "reeve-pg-"));
    writeFileSync(join(home, "password"), `${password}\n`);
    const isRoot = process.getuid?.() === 0;
    if (isRoot)
      for (const path of [home, join(home, "password")])
        chownSync(path, unprivileged, unprivileged);
    const asUser = isRoot
      ? ["setpriv", `--reuid=${unprivileged}`, `--regid=${unprivileged}`, "--clear-groups"]
      : ["env"];
    const child = spawn("sh", ["-c", keeper, "sh", join(initdb, ".."), home, ...asUser], {
      stdio: ["pipe", "ignore", "ignore"],
      cwd: "/",
      env: { PATH: process.env.PATH, PG_MORE: settings.map((each) => `--${each}`).join(" ") },
      // A signal to the group of the tests is not for it: its input tells.
      detached: true,
    });
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    const server = new Server(home);
    while (!(await server.#answers())) {
      if (child.exitCode !== null) throw new Error("The server does not start.");
      await sleep(20);
    }
    return server;
  }

  /** Of the process that all others of the server come from. */
  get pid(): number {
    return Number.parseInt(readFileSync(join(this.home, "data/postmaster.pid"), "utf8"), 10);
  }

  /** A new, empty database. */
  async database(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.#as("postgres", (client) => client.query(`CREATE DATABASE ${name}`));
    return this.url(name);
  }

  url(database: string, secret = password): string {
    const query = `host=${encodeURIComponent(this.home)}`;
    return `postgres://${user}:${encodeURIComponent(secret)}@/${database}?${query}`;
  }

  async #answers(): Promise<boolean> {
    if (!existsSync(join(this.home, ".s.PGSQL.5432"))) return false;
    return this.#as("postgres", (client) => client.query("SELECT 1")).then(
      () => true,
      () => false,
    );
  }

  async #as<Result>(
    database: string,
    work: (client: pg.Client) => Promise<Result>,
  ): Promise<Result> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

let shared: Promise<Server> | undefined;

/** The address of a database of the test's own, on the one server of this process. */
export async function databaseFor(_t: ExecutionContext): Promise<string> {
  shared ??= Server.start();
  return (await shared).database();
}
