/** Starts a small internet for a test, and programs inside. Uses a user namespace without root. */
import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, child, type Ending, type Result } from "../../../tests/support/child.js";
import { AWF } from "../../../tests/support/commands.js";
import { within } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import type { Sites, WorldReport, Zone } from "./world-process.js";

export type { Result };

export interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** `open`: the test writes and ends it. @default nothing */
  readonly stdin?: string | Buffer | "open";
  readonly directory?: string;
  /** Without any privilege, even if the caller is root. */
  readonly ordinary?: boolean;
}

export interface StartedProgram {
  /** It ends with the test internet at the latest. */
  readonly program: Child;
  readonly child: ChildProcess;
  readonly result: Promise<Result>;
}

export interface TestInternet extends AsyncDisposable {
  /** What the servers have received so far. */
  readonly seen: readonly WorldReport[];
  /** The authority of the sites, PEM. */
  readonly authority: string;
  /** A home directory and a workspace: empty at the start, removed at the end. */
  readonly home: string;
  readonly workspace: string;
  /** A private directory for the test. */
  readonly scratch: string;
  /** Starts a program inside. */
  start(file: string, args: readonly string[], options?: StartOptions): StartedProgram;
  /** Runs `awf` inside to its end. */
  awf(args: readonly string[], options?: StartOptions): Promise<Result>;
}

const worldScript = fileURLToPath(new URL("./world-process.js", import.meta.url));
const everythingIsLocal =
  'printf "link set lo up\\nroute add local 0.0.0.0/0 dev lo\\nroute add local ::/0 dev lo\\n" | ip -batch - && exec "$@"';
const isRoot = process.getuid?.() === 0;

export async function createTestInternet(zone: Zone, sites: Sites = {}): Promise<TestInternet> {
  const ends: Array<() => unknown> = [];
  const t: Ending = { teardown: (end) => void ends.unshift(end) };
  const dispose = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end();
  };
  try {
    return { ...(await startWorld(t, zone, sites)), [Symbol.asyncDispose]: dispose };
  } catch (thrown) {
    await dispose();
    throw thrown;
  }
}

/** The servers and their network namespace. */
interface Network {
  readonly pid: number;
  readonly authority: string;
  /** Each of them gets every report. */
  readonly audience: Set<WorldReport[]>;
}

async function startNetwork(t: Ending, zone: Zone, sites: Sites): Promise<Network> {
  const network = child(
    t,
    "unshare",
    [
      ...(isRoot ? [] : ["--user", "--map-root-user"]),
      ...["--net", "--", "sh", "-c", everythingIsLocal, "sh", process.execPath, worldScript],
      ...[JSON.stringify(zone), JSON.stringify(sites)],
    ],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
  const audience = new Set<WorldReport[]>();
  const ready = Promise.withResolvers<string>();
  void network.ended.then((code) => ready.reject(new Error(`the world ended with ${code}`)));
  network.process.on("message", (report: WorldReport) => {
    if (report.kind === "ready") ready.resolve(report.authority);
    else for (const seen of audience) seen.push(report);
  });
  const authority = await within("the test internet", ready.promise);
  return { pid: network.pid, authority, audience };
}

interface SharedNetwork {
  users: number;
  readonly ends: Array<() => unknown>;
  readonly network: Promise<Network>;
}

const shared = new Map<string, SharedNetwork>();

/** Tests of a file that run at the same time have one network, if its answers depend on no earlier questions. */
async function networkFor(t: Ending, zone: Zone, sites: Sites): Promise<Network> {
  const depends = Object.values(zone).some(([first]) => typeof first === "object");
  if (depends || Object.keys(sites).length > 0) return startNetwork(t, zone, sites);
  const key = JSON.stringify(zone);
  let own = shared.get(key);
  if (!own) {
    const ends: Array<() => unknown> = [];
    const network = startNetwork({ teardown: (end) => void ends.unshift(end) }, zone, sites);
    own = { users: 0, ends, network };
    shared.set(key, own);
  }
  const { ends, network } = own;
  own.users += 1;
  t.teardown(async () => {
    own.users -= 1;
    if (own.users > 0) return;
    if (shared.get(key) === own) shared.delete(key);
    for (const end of ends) await end();
  });
  return network;
}

async function startWorld(
  t: Ending,
  zone: Zone,
  sites: Sites,
): Promise<Omit<TestInternet, keyof AsyncDisposable>> {
  const scratch = folder(t);
  const [home, workspace, temporary] = ["home", "workspace", "tmp"].map((name) =>
    join(scratch, name),
  ) as [string, string, string];
  for (const directory of [home, workspace, temporary]) mkdirSync(directory);
  const { pid, authority, audience } = await networkFor(t, zone, sites);
  const seen: WorldReport[] = [];
  audience.add(seen);
  t.teardown(() => audience.delete(seen));
  const start = (
    file: string,
    args: readonly string[],
    options: StartOptions = {},
  ): StartedProgram => {
    const enter = [
      "--target",
      String(pid),
      ...(isRoot ? [] : ["--user", "--preserve-credentials"]),
      "--net",
      "--",
    ];
    const userCommand = options.ordinary
      ? ["/usr/bin/unshare", "--user", "--map-user=1234", "--map-group=1234", "--"]
      : [];
    const program = child(t, "/usr/bin/nsenter", [...enter, ...userCommand, file, ...args], {
      stdio: "pipe",
      cwd: options.directory ?? workspace,
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        HOME: home,
        TMPDIR: temporary,
        ...options.environment,
      },
    });
    program.process.stdin?.on("error", () => {});
    if (options.stdin !== "open") program.process.stdin?.end(options.stdin ?? "");
    return { program, child: program.process, result: resultOf(program) };
  };
  return {
    seen,
    authority,
    home,
    workspace,
    scratch,
    start,
    awf: (args, options) => inTurn(() => start(process.execPath, [AWF, ...args], options).result),
  };
}

/** How many runs of a file's parallel tests a small machine can serve at a time. */
const mostAtOnce = 3;
const waiting: Array<() => void> = [];
let running = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

async function resultOf(program: Child): Promise<Result> {
  const end = await program.ended;
  const { stdout, stderr } = program;
  if (end === undefined) throw new Error(`it could not start: ${stderr}`);
  return typeof end === "number"
    ? { code: end, signal: null, stdout, stderr }
    : { code: null, signal: end, stdout, stderr };
}
