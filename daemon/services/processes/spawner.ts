/** How a command is started. There are two ways, `direct/` and `plain.ts`; whoever runs a command cannot tell them apart. */
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
  /** Called when the process has ended. Resolves when all that was said has been told, or nobody who may say something is left. */
  end(): Promise<void> | undefined;
}

export interface SpawnedProcess {
  /** The process, and the group it leads. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly outputs: readonly ProcessOutput[];
  /** When the process itself has ended, whatever became of its children. */
  readonly ending: Promise<ProcessExit>;
  /** Whether nobody of its group is left, not even the process itself. */
  isGone(): boolean;
}

export interface Spawner {
  /** @throws an error of the operating system, with its `code`, when it cannot start. Nothing is left of the attempt. */
  start(launch: Launch): Promise<SpawnedProcess>;
  /** Called when nothing that was started is left. */
  close(): Promise<void>;
}
