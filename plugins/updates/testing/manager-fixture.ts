/** The tools of a manager, all real: a lookup, lock workers, child processes, a temporary directory. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessRequest, ProcessResult } from "reeve/plugin";
import type {
  FileTexts,
  Manager,
  ProjectSources,
  SourceEntry,
  Tools,
} from "../managers/contract.js";
import { createLockWorkers } from "../managers/lock/pool.js";
import { Egress } from "../registries/egress.js";
import { lsRemote } from "../registries/git-references.js";
import { createLookup, type LookupOptions } from "../registries/lookup.js";

export interface Workshop extends Tools, AsyncDisposable {}

const realClock = {
  now: () => Date.now(),
  sleep: (milliseconds: number) => sleep(milliseconds),
};

export interface WorkshopOptions extends Partial<Omit<LookupOptions, "cache">> {
  /** Shared by several workshops. */
  readonly kept?: string;
  /** Tools run in this directory, as in a sandbox. */
  readonly fenced?: string;
}

/** The servers of the tests. */
const LOCAL = new Egress({ allowed: ["127.0.0.0/8", "::1"] });

export function workshop({ kept, fenced, ...options }: WorkshopOptions = {}): Workshop {
  const scratch = mkdtempSync(join(tmpdir(), "reeve-updates-"));
  const workers = createLockWorkers({ size: 1 });
  return {
    lookup: createLookup({
      clock: realClock,
      listReferences: lsRemote({ run, local: [tmpdir()], egress: LOCAL }),
      egress: LOCAL,
      ...options,
    }),
    run,
    workers,
    credentials: options.credentials ?? [],
    scratch,
    ...(kept === undefined ? {} : { cache: kept }),
    ...(fenced === undefined ? {} : { sandboxDirectory: fenced }),
    [Symbol.asyncDispose]: async () => {
      await workers.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Runs a child process as the daemon does. */
function run(request: ProcessRequest): Promise<ProcessResult> {
  const { argv, cwd, env = {}, inheritEnv = true, timeout } = request;
  const [program = "", ...args] = argv;
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(program, args, {
      cwd,
      env: { ...(inheritEnv ? process.env : {}), ...(env as Record<string, string>) },
      stdio: ["ignore", "pipe", "pipe"],
      ...(timeout === undefined ? {} : { timeout }),
    });
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on("data", (chunk: Buffer) => chunks.stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.stderr.push(chunk));
    const end = (result: Pick<ProcessResult, "outcome" | "exitCode" | "signal" | "error">): void =>
      resolve({
        ...result,
        stdout: Buffer.concat(chunks.stdout),
        stderr: Buffer.concat(chunks.stderr),
        omitted: 0,
        duration: performance.now() - started,
      });
    child.once("error", ({ message }) =>
      end({ outcome: "not_started", exitCode: undefined, signal: undefined, error: message }),
    );
    child.once("close", (code, signal) =>
      end({
        outcome: signal === null ? "exited" : "timed_out",
        exitCode: code ?? undefined,
        signal: signal ?? undefined,
        error: undefined,
      }),
    );
  });
}

/** A repository with these files and submodules. */
export function repository(
  files: Readonly<Record<string, string>>,
  more: Partial<ProjectSources> & { readonly submodules?: Readonly<Record<string, string>> } = {},
): ProjectSources {
  const { submodules = {}, ...rest } = more;
  const tree: SourceEntry[] = [
    ...Object.keys(files).map((path) => ({ path, kind: "file" as const, oid: "0".repeat(40) })),
    ...Object.entries(submodules).map(([path, oid]) => ({ path, kind: "submodule" as const, oid })),
  ];
  return { directory: "/", tree, files: new Map(Object.entries(files)) as FileTexts, ...rest };
}

/** Reads files until the manager requests no more. */
export function asWanted(
  { filesToRead: wanted }: Pick<Manager, "filesToRead">,
  whole: ProjectSources,
): ProjectSources {
  let known: ProjectSources = { ...whole, files: new Map() };
  for (;;) {
    const names = wanted(known);
    if (names.every((name) => known.files.has(name))) return known;
    known = { ...known, files: new Map(names.map((name) => [name, whole.files.get(name) ?? ""])) };
  }
}
