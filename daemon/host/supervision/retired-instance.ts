/** The last instance that failed. Its addresses answer "not ready" until a new instance takes them over. */
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

  /** Stops the failed instance but keeps its addresses. */
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

  /** The caller must stop the instance. */
  take(): Instance | undefined {
    const instance = this.#instance;
    this.#instance = undefined;
    return instance;
  }
}
