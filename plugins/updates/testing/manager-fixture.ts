/** The tools of a manager, all real: a lookup, lock workers, child processes, a temporary directory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import type { ProcessRequest, ProcessResult } from "reeve/plugin";
import { child } from "../../../tests/support/child.js";
import { within } from "../../../tests/support/eventually.js";
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

/** Milliseconds that a tool may take. */
const LIMIT = 100_000;

/** The servers of the tests. */
const LOCAL = new Egress({ allowed: ["127.0.0.0/8", "::1"] });

/** For all workshops of a process: each loads npm's library once. */
const workers = createLockWorkers({ size: 1 });
test.after.always("lock workers end", () => workers.close());

export function workshop({ kept, fenced, ...options }: WorkshopOptions = {}): Workshop {
  const scratch = mkdtempSync(join(tmpdir(), "reeve-updates-"));
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
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Runs a child process as the daemon does. */
async function run(request: ProcessRequest): Promise<ProcessResult> {
  const { argv, cwd, env = {}, inheritEnv = true, timeout } = request;
  const [program = "", ...args] = argv;
  const start = performance.now();
  const ends: Array<() => unknown> = [];
  const started = child({ teardown: (end) => ends.push(end) }, program, args, {
    ...(cwd !== undefined && { cwd }),
    env: {
      ...(inheritEnv ? process.env : {}),
      ...(env as Record<string, string>),
    },
    encoding: "latin1",
  });
  try {
    const ended = await within(program, started.ended, timeout ?? LIMIT).catch(() => "late");
    if (typeof ended !== "number") for (const end of ends) await end();
    return {
      outcome: outcomeOf(ended),
      exitCode: typeof ended === "number" ? ended : undefined,
      signal: typeof ended === "string" ? "SIGKILL" : undefined,
      error: ended === undefined ? started.stderr : undefined,
      stdout: Buffer.from(started.stdout, "latin1"),
      stderr: Buffer.from(started.stderr, "latin1"),
      omitted: 0,
      duration: performance.now() - start,
    };
  } finally {
    for (const end of ends) await end();
  }
}

function outcomeOf(ended: number | string | undefined): ProcessResult["outcome"] {
  if (ended === undefined) return "not_started";
  if (typeof ended === "number") return "exited";
  return ended === "late" ? "timed_out" : "killed";
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
