/** Starts a small internet for a test, and programs inside. Uses a user namespace without root. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sites, WorldReport, Zone } from "./world-process.js";

export interface Result {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** `open`: the test writes and ends it. @default nothing */
  readonly stdin?: string | Buffer | "open";
  readonly directory?: string;
  /** Without any privilege, even if the caller is root. */
  readonly ordinary?: boolean;
}

export interface StartedProgram {
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

const awfScript = fileURLToPath(new URL("../../../cli/awf.js", import.meta.url));
const worldScript = fileURLToPath(new URL("./world-process.js", import.meta.url));
const everythingIsLocal =
  'printf "link set lo up\\nroute add local 0.0.0.0/0 dev lo\\nroute add local ::/0 dev lo\\n" | ip -batch - && exec "$@"';
const isRoot = process.getuid?.() === 0;

export async function createTestInternet(zone: Zone, sites: Sites = {}): Promise<TestInternet> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "awf-test-")));
  const [home, workspace, temporary] = ["home", "workspace", "tmp"].map((name) =>
    join(scratch, name),
  ) as [string, string, string];
  for (const directory of [home, workspace, temporary]) mkdirSync(directory);
  const world = spawn(
    "unshare",
    [
      ...(isRoot ? [] : ["--user", "--map-root-user"]),
      ...[
        "--net",
        "--",
        "sh",
        "-c",
        everythingIsLocal,
        "sh",
        process.execPath,
        worldScript,
        JSON.stringify(zone),
        JSON.stringify(sites),
      ],
    ],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
  const seen: WorldReport[] = [];
  const authority = await new Promise<string>((resolve, reject) => {
    world.once("exit", (code) => reject(new Error(`the world ended with ${code}`)));
    world.on("message", (report: WorldReport) => {
      if (report.kind === "ready") resolve(report.authority);
      else seen.push(report);
    });
  });
  const start = (
    file: string,
    args: readonly string[],
    options: StartOptions = {},
  ): StartedProgram => {
    const enter = [
      "--target",
      String(world.pid),
      ...(isRoot ? [] : ["--user", "--preserve-credentials"]),
      "--net",
      "--",
    ];
    const userCommand = options.ordinary
      ? ["/usr/bin/unshare", "--user", "--map-user=1234", "--map-group=1234", "--"]
      : [];
    const child = spawn("/usr/bin/nsenter", [...enter, ...userCommand, file, ...args], {
      cwd: options.directory ?? workspace,
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        HOME: home,
        TMPDIR: temporary,
        ...options.environment,
      },
    });
    child.stdin.on("error", () => {});
    if (options.stdin !== "open") child.stdin.end(options.stdin ?? "");
    return { child, result: resultOf(child) };
  };
  return {
    seen,
    authority,
    home,
    workspace,
    scratch,
    start,
    awf: (args, options) =>
      inTurn(() => start(process.execPath, [awfScript, ...args], options).result),
    async [Symbol.asyncDispose]() {
      const ended = once(world, "exit");
      world.kill("SIGKILL");
      await ended;
      rmSync(scratch, { recursive: true, force: true });
    },
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

async function resultOf(child: ChildProcess): Promise<Result> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, ...output };
}
