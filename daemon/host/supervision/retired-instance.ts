/** The last instance that died. Its addresses stay, and say that nobody is there, until somebody takes them over. */
import type { Instance } from "../instance/instance.js";
import type { SupervisorDependencies } from "./dependencies.js";
import { stopInstance } from "./stop-instance.js";

export class RetiredInstance {
  readonly #dependencies: SupervisorDependencies;
  readonly #id: string;
  #instance: Instance | undefined;

  constructor(dependencies: SupervisorDependencies, id: string) {
    this.#dependencies = dependencies;
    this.#id = id;
  }

  /** It has failed: it is ended, but for its addresses. */
  replace(instance: Instance): void {
    instance.suspend(`The plugin "${this.#id}" is being restarted.`);
    const older = this.take();
    this.#instance = instance;
    void stopInstance(this.#dependencies, this.#id, instance, "failed", undefined, {
      keepClaims: true,
    });
    if (older) void stopInstance(this.#dependencies, this.#id, older, "replaced");
  }

  say(why: string): void {
    this.#instance?.suspend(why);
  }

  /** Whoever takes it looks after the end of it. */
  take(): Instance | undefined {
    const instance = this.#instance;
    this.#instance = undefined;
    return instance;
  }
}
