/** Starts commands. The two implementations, `direct/` and `plain-spawner.ts`, behave alike. */
import type { Writable } from "node:stream";
import type { Environment } from "./environment.js";

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** Whether it will be given something to read; /dev/null otherwise. */
  readonly stdin: boolean;
  /** `merged` is one pipe for both, named `stdout`. */
  readonly output: "merged" | "separate";
}

export interface ProcessExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** One of a command's outputs. */
export interface ProcessOutput {
  readonly name: "stdout" | "stderr";
  /** Tells every piece of it, as it comes. Called once. */
  listen(onData: (data: Buffer) => void): void;
  /** Called when the process has ended. Resolves when all output was delivered or no writer is left. */
  end(): Promise<void> | undefined;
}

export interface SpawnedProcess {
  /** The process, and the group it leads. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly outputs: readonly ProcessOutput[];
  /** When the process itself has ended, whatever became of its children. */
  readonly ending: Promise<ProcessExit>;
  /** Whether its process group is empty. */
  isGone(): boolean;
}

export interface Spawner {
  /** @throws an error of the operating system, with its `code`, when it cannot start. Nothing is left of the attempt. */
  start(launch: Launch): Promise<SpawnedProcess>;
  /** Called when nothing that was started is left. */
  close(): Promise<void>;
}
