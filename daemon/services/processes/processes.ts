/** Commands of one plugin: each in a process group of its own, none of which is left when `run` resolves. */
import type { Processes, ProcessRequest, ProcessResult } from "../../plugin-api/world.js";
import { Command, type CommandSettings } from "./command.js";

export class OwnedProcesses implements Processes {
  readonly #settings: CommandSettings;
  readonly #alive = new Set<Promise<unknown>>();

  constructor(settings: CommandSettings) {
    this.#settings = settings;
  }

  async run(request: ProcessRequest): Promise<ProcessResult> {
    const running = new Command(request, this.#settings).run();
    this.#alive.add(running);
    try {
      return await running;
    } finally {
      this.#alive.delete(running);
    }
  }

  /** Resolves when no command is left. */
  async settled(): Promise<void> {
    while (this.#alive.size > 0) await Promise.allSettled(this.#alive);
  }
}
