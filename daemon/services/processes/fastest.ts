/** The fastest way this host has to start a command. Looked for at the first command, so that a daemon without any pays nothing. */
import { directStarter } from "./direct/direct.js";
import { PlainStarter } from "./plain.js";
import type { Launch, Spawner, Started } from "./spawner.js";

export class FastestStarter implements Spawner {
  readonly #plain: PlainStarter;

  /** `temporary` is a private directory that is emptied when the daemon starts. */
  constructor(temporary: string) {
    this.#plain = new PlainStarter(temporary);
  }

  async start(launch: Launch): Promise<Started> {
    const direct = await directStarter();
    return (direct ?? this.#plain).start(launch);
  }

  close(): Promise<void> {
    return this.#plain.close();
  }
}
