/** Commands of one plugin: each in a process group of its own, none of which is left when `run` resolves. */
import type { Processes, ProcessRequest, ProcessResult } from "../../plugin-api/processes.js";
import { type CommandSettings, SpawnedCommand } from "./command.js";
import { Inheritance } from "./environment.js";

export interface OwnedSettings extends Omit<CommandSettings, "inheritance"> {
  /** Aborted when all commands must end. */
  readonly signal: AbortSignal;
  /** Resolves when nothing of an earlier daemon's commands is left: no command is there twice. */
  readonly orphansGone?: Promise<unknown> | undefined;
}

export class OwnedProcesses implements Processes {
  readonly #settings: OwnedSettings;
  readonly #alive = new Map<SpawnedCommand, Promise<unknown>>();
  /** Made once: each variable of the daemon is a call to the C library. */
  #with: CommandSettings | undefined;
  #orphansGone: Promise<unknown> | undefined;

  constructor(settings: OwnedSettings) {
    this.#settings = settings;
    this.#orphansGone = settings.orphansGone?.finally(() => {
      this.#orphansGone = undefined;
    });
    settings.signal.addEventListener("abort", () => {
      for (const command of this.#alive.keys()) command.cancel();
    });
  }

  async run(request: ProcessRequest): Promise<ProcessResult> {
    if (this.#orphansGone !== undefined) await this.#orphansGone;
    this.#with ??= {
      ...this.#settings,
      inheritance: new Inheritance({ ...process.env }, this.#settings.mask),
    };
    const command = new SpawnedCommand(request, this.#with);
    if (this.#settings.signal.aborted) command.cancel();
    const running = command.run();
    this.#alive.set(command, running);
    try {
      return await running;
    } finally {
      this.#alive.delete(command);
    }
  }

  /** Resolves when no command is left. */
  async idle(): Promise<void> {
    while (this.#alive.size > 0) await Promise.allSettled(this.#alive.values());
  }
}
