/** The fastest way this host has to start a command. Looked for at the first command, so that a daemon without any pays nothing. */
import { directSpawner } from "./direct/direct.js";
import { PlainSpawner } from "./plain-spawner.js";
import type { Launch, SpawnedProcess, Spawner } from "./spawner.js";

export class FastestSpawner implements Spawner {
  readonly #plain: PlainSpawner;

  /** `temporary` is a private directory that is emptied when the daemon starts. */
  constructor(temporary: string) {
    this.#plain = new PlainSpawner(temporary);
  }

  async start(launch: Launch): Promise<SpawnedProcess> {
    const direct = await directSpawner();
    return (direct ?? this.#plain).start(launch);
  }

  close(): Promise<void> {
    return this.#plain.close();
  }
}
