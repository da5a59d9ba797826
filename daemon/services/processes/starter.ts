/** How a command is started. There are two ways, `direct/` and `plain.ts`; whoever runs a command cannot tell them apart. */
import type { Readable, Writable } from "node:stream";

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it will be given something to read; /dev/null otherwise. */
  readonly stdin: boolean;
  /** `merged` is one pipe for both, named `stdout`. */
  readonly output: "merged" | "separate";
}

export interface Ending {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

export interface Started {
  /** The process, and the group and session it leads. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly outputs: ReadonlyArray<readonly ["stdout" | "stderr", Readable]>;
  /** When the process itself has ended, whatever became of its children. */
  readonly ending: Promise<Ending>;
}

export interface Starter {
  /** @throws an error of the operating system, with its `code`, when it cannot start. Nothing is left of the attempt. */
  start(launch: Launch): Promise<Started>;
  /** Called when nothing that was started is left. */
  close(): Promise<void>;
}
