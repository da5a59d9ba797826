/** A daemon in a directory of its own. Both are gone in the end, whatever the end is. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isSea } from "node:sea";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Control, connect } from "../../control/client.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { filesOf } from "./configuration.js";
import { openRegistry, type Registry } from "./releases.js";

/** Milliseconds for the daemon to start, until a second signal stops it without draining, and until it is killed. */
const PATIENCE = { start: 30_000, work: 100, end: 5000 } as const;

export interface DemoDaemon {
  readonly directory: string;
  readonly socket: string;
  readonly control: Control;
  readonly registry: Registry;
  /** Writes the files as they are after so many edits. */
  edit(edits: number): void;
  /** Ends the daemon and takes the directory away. Safe to call twice. */
  close(): Promise<void>;
}

/** @throws Failure when the daemon does not start */
export async function openStage(): Promise<DemoDaemon> {
  // Short, because the path of a socket must be.
  const directory = mkdtempSync(join(tmpdir(), "reeve-demo-"));
  const registry = await openRegistry();
  const edit = (edits: number) => {
    const files = filesOf({ directory, registry: registry.url }, edits);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(directory, name), text);
    }
  };
  edit(0);
  const socket = join(directory, "control.sock");
  const child = startDaemon(directory, socket);
  const lastResort = () => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  process.once("exit", lastResort);
  let isClosed = false;
  const stage: DemoDaemon = {
    directory,
    socket,
    registry,
    control: connect({ control: socket }),
    edit,
    async close() {
      await ended(child);
      process.off("exit", lastResort);
      if (!isClosed) await registry.close();
      isClosed = true;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await ready(stage.control, child);
    return stage;
  } catch (thrown) {
    await stage.close();
    throw thrown;
  }
}

/** In a session of its own: Ctrl-C is for the dashboard. */
function startDaemon(directory: string, socket: string): ChildProcess {
  const program = fileURLToPath(new URL("../../reeve.js", import.meta.url));
  const state = join(directory, "state");
  // Node adds a directory for its version to the one that it was given.
  const compiled = getCompileCacheDir();
  const words = ["up", directory, "--control", socket, "--state", state, "--log-level", "info"];
  return spawn(process.execPath, [program, ...words], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }),
      ...(isSea() && { REEVE_MODULE: "1" }),
    },
    stdio: "ignore",
    detached: true,
  });
}

async function ready(control: Control, child: ChildProcess): Promise<void> {
  const end = performance.now() + PATIENCE.start;
  while (performance.now() < end && child.exitCode === null) {
    const answer = await control.readiness().catch(() => undefined);
    if (answer?.ready) return;
    await delay(20);
  }
  throw new Failure(Exit.unavailable, "the demonstration's daemon did not start", {
    help: "`reeve doctor` says what this host lacks.",
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGTERM"), PATIENCE.work);
  const force = setTimeout(() => child.kill("SIGKILL"), PATIENCE.end);
  await over;
  clearTimeout(patience);
  clearTimeout(force);
}
