/**
 * A PostgreSQL for tests: a database a test, and one server for all processes of a run of the suite, which is the directory that
 * REEVE_TEST_RUN names. Without that variable a server a process. It is gone with the run or the process, however that ends.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import pg from "pg";
import type { Ending } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";

const user = "reeve";
const password = "pass:word/?#";

/** `nobody`: the server refuses to be root. */
const unprivileged = 65534;

/**
 * Waits for the end: that of its input, which comes when the process that started it is gone, or that of the directory of the run.
 * Then ends the server and removes its files. Arguments: the directory of programs, the directory for all files, and words to put
 * before each command.
 */
const keeper = `
  bin="$1"; home="$2"; shift 2
  "$@" "$bin/initdb" -D "$home/data" -U ${user} --pwfile="$home/password" --auth=scram-sha-256 -E UTF8 \
    --locale=C.UTF-8 --no-sync --no-instructions >"$home/log" 2>&1
  "$@" "$bin/postgres" -D "$home/data" -c listen_addresses= -c unix_socket_directories="$home" -c fsync=off \
    -c full_page_writes=off -c shared_buffers=16MB -c max_connections=200 $PG_MORE >>"$home/log" 2>&1 &
  if [ -n "$PG_RUN" ]; then while [ -d "$PG_RUN" ]; do sleep 1; done; else read -r _; fi
  kill -INT $!; wait; rm -rf "$home"`;

/** Of a server that does not exist yet. */
interface ServerOptions {
  readonly home: string;
  /** The directory whose end is that of the server. @default the end of this process is */
  readonly run?: string;
}

function own(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, unprivileged, unprivileged);
}

/** Starts what starts the server, and does not wait. */
function startKeeper({ home, run }: ServerOptions, settings: readonly string[]): void {
  const [initdb] = globSync("/usr/lib/postgresql/*/bin/initdb").sort().reverse();
  if (initdb === undefined) throw new Error("Debian's package `postgresql` is not installed.");
  writeFileSync(join(home, "password"), `${password}\n`);
  for (const path of [home, join(home, "password")]) own(path);
  const asUser =
    process.getuid?.() === 0
      ? ["setpriv", `--reuid=${unprivileged}`, `--regid=${unprivileged}`, "--clear-groups"]
      : ["env"];
  const child = spawn("sh", ["-c", keeper, "sh", join(initdb, ".."), home, ...asUser], {
    stdio: [run === undefined ? "pipe" : "ignore", "ignore", "ignore"],
    cwd: "/",
    env: {
      PATH: process.env.PATH,
      PG_MORE: settings.map((each) => `--${each}`).join(" "),
      // The runner finds by the second what ends with its run, and by the third that it is no leftover of a file.
      ...(run !== undefined && { PG_RUN: run, REEVE_TEST_RUN: run, REEVE_TEST_SHARED: "1" }),
    },
    // A signal to the group of the tests is not for it.
    detached: true,
  });
  child.unref();
  (child.stdin as (Writable & { unref(): void }) | null)?.unref();
}

export class Server {
  /** Where its socket is. */
  readonly home: string;

  private constructor(home: string) {
    this.home = home;
  }

  /** A server of this process. `settings` are more of the server's, as `name=value`. */
  static async start(...settings: readonly string[]): Promise<Server> {
    const home = mkdtempSync(join(tmpdir(), "reeve-pg-"));
    startKeeper({ home }, settings);
    return Server.#at(home);
  }

  /** The server of the run; the first process that needs it starts it. */
  static async ofRun(run: string): Promise<Server> {
    const home = join(run, "postgres");
    try {
      mkdirSync(home, { mode: 0o700 });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
      return Server.#at(home);
    }
    startKeeper({ home, run }, []);
    return Server.#at(home);
  }

  static async #at(home: string): Promise<Server> {
    const server = new Server(home);
    await eventually("PostgreSQL", () => server.#answer(), { every: 20 });
    return server;
  }

  /** Of the process that all others of the server come from. */
  get pid(): number {
    return Number.parseInt(readFileSync(join(this.home, "data/postmaster.pid"), "utf8"), 10);
  }

  /** A new, empty database. */
  async database(): Promise<string> {
    const name = `test_${randomBytes(6).toString("hex")}`;
    await this.#as("postgres", (client) => client.query(`CREATE DATABASE ${name}`));
    return this.url(name);
  }

  /** Removes a database and its connections. */
  async drop(address: string): Promise<void> {
    const { pathname } = new URL(address.replace("@/", "@localhost/"));
    await this.#as("postgres", (client) =>
      client.query(`DROP DATABASE ${pathname.slice(1)} WITH (FORCE)`),
    );
  }

  url(database: string, secret = password): string {
    const query = `host=${encodeURIComponent(this.home)}`;
    return `postgres://${user}:${encodeURIComponent(secret)}@/${database}?${query}`;
  }

  /** @throws Error with the server's log while it does not answer */
  async #answer(): Promise<boolean> {
    if (!existsSync(join(this.home, ".s.PGSQL.5432")))
      throw new Error(readFileSync(join(this.home, "log"), "utf8"));
    await this.#as("postgres", (client) => client.query("SELECT 1"));
    return true;
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

/** The address of a database of the test's own, which is gone when the test ends. */
export async function databaseFor(t: Ending): Promise<string> {
  const run = process.env.REEVE_TEST_RUN;
  shared ??= run === undefined ? Server.start() : Server.ofRun(run);
  const server = await shared;
  const address = await server.database();
  t.teardown(() => server.drop(address));
  return address;
}
