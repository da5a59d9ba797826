/** The way that is there on every host: Node's own, which copies the daemon's page tables for each command. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { isGroupAlive } from "./group.js";
import { type MergedPipe, PipeMaker } from "./merged-pipe.js";
import type { Launch, ProcessExit, SpawnedProcess, Spawner } from "./spawner.js";
import { StreamOutput } from "./stream-output.js";

export class PlainSpawner implements Spawner {
  readonly #pipes: PipeMaker;

  /** `temporary` is a private directory that is emptied when the daemon starts. */
  constructor(temporary: string) {
    this.#pipes = new PipeMaker(temporary);
  }

  async start(launch: Launch): Promise<SpawnedProcess> {
    const pipe = launch.output === "merged" ? await this.#pipes.make() : undefined;
    try {
      const child = spawn(launch.program, launch.args, {
        cwd: launch.cwd,
        env: launch.env.all(),
        detached: true,
        stdio: stdio(launch, pipe),
      });
      const ending = endingOf(child);
      await once(child, "spawn");
      return {
        pid: child.pid as number,
        stdin: child.stdin ?? undefined,
        outputs: outputsOf(child, pipe),
        ending,
        isGone: () => !isGroupAlive(child.pid as number),
      };
    } catch (thrown) {
      pipe?.reader.destroy();
      throw thrown;
    } finally {
      pipe?.writer.destroy();
    }
  }

  close(): Promise<void> {
    return this.#pipes.close();
  }
}

function stdio(
  { stdin }: Launch,
  pipe: MergedPipe | undefined,
): NonNullable<SpawnOptions["stdio"]> {
  const input = stdin ? "pipe" : "ignore";
  return pipe ? [input, pipe.writer, pipe.writer] : [input, "pipe", "pipe"];
}

function endingOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) =>
      resolve({ exitCode: code ?? undefined, signal: signal ?? undefined }),
    );
  });
}

function outputsOf(child: ChildProcess, pipe: MergedPipe | undefined): SpawnedProcess["outputs"] {
  if (pipe) return [new StreamOutput("stdout", pipe.reader)];
  const { stdout, stderr } = child;
  return [
    ...(stdout ? [new StreamOutput("stdout", stdout)] : []),
    ...(stderr ? [new StreamOutput("stderr", stderr)] : []),
  ];
}
