/** Registries that announce nothing: what live configs depend on is asked about again and again, each package once for all of them. */
import { createHash } from "node:crypto";
import { type Dependency, type Manager, managerOf, type PackageManager } from "../engine.js";
import { UpdatesError } from "../errors.js";
import { sentence } from "../problem.js";
import type { UpdatesService } from "../service.js";
import type { Config } from "../store/tables.js";

/** Milliseconds until it is looked whether watching has been asked for. */
const idle = 60_000;
const atOnce = 8;
/** Packages that stay as they are, are asked about less and less often: at most so many times the interval apart. */
const mostPatience = 12;

interface Watched {
  /** Of what the registry listed last. */
  readonly versions: string;
  /** Rounds between two questions, and those that are left. */
  readonly pause: number;
  readonly left: number;
}

interface Used {
  readonly packageManager: string;
  readonly name: string;
}

export class Watcher {
  readonly #service: UpdatesService;
  #known = new Map<string, Watched>();

  constructor(service: UpdatesService) {
    this.#service = service;
  }

  /** Until the end. */
  async begin(): Promise<void> {
    const { clock, signal, log } = this.#service.context;
    while (!signal.aborted) {
      const { watch } = this.#service.settings;
      await clock.sleep(watch || idle, signal).catch(() => undefined);
      if (signal.aborted || watch === 0) continue;
      await this.#round().catch((thrown: unknown) => {
        if (!signal.aborted) log.warn(`Registries could not be watched: ${sentence(thrown)}`);
      });
    }
  }

  async #round(): Promise<void> {
    const { signal } = this.#service.context;
    const known = new Map<string, Watched>();
    for await (const page of this.#service.store.configs.watched()) {
      for (let at = 0; at < page.length && !signal.aborted; at += atOnce)
        await Promise.all(page.slice(at, at + atOnce).map((each) => this.#look(each, known)));
    }
    // What nobody uses any more is forgotten.
    if (!signal.aborted) this.#known = known;
  }

  async #look({ packageManager, name }: Used, known: Map<string, Watched>): Promise<void> {
    const { store } = this.#service;
    const manager = managerOf(packageManager as PackageManager);
    const uses = await store.configs.uses(packageManager, name);
    const groups = new Map<string, { sample: Dependency; configs: number[] }>();
    for (const [config, samples] of uses) {
      for (const sample of samples) {
        if (sample.origin.kind === "none") continue;
        const key = `${packageManager} ${name} ${JSON.stringify(sample.origin)}`;
        const group = groups.get(key) ?? { sample, configs: [] };
        if (!group.configs.includes(config)) group.configs.push(config);
        groups.set(key, group);
      }
    }
    for (const [key, { sample, configs }] of groups) {
      const before = this.#known.get(key);
      if (before && before.left > 1) {
        known.set(key, { ...before, left: before.left - 1 });
        continue;
      }
      const versions = await this.#versions(manager, sample);
      if (versions === undefined) {
        if (before) known.set(key, before);
        continue;
      }
      const isNew = before !== undefined && before.versions !== versions;
      const pause = before && !isNew ? Math.min(before.pause * 2, mostPatience) : 1;
      known.set(key, { versions, pause, left: pause });
      if (isNew) await this.#start(configs, name);
    }
  }

  /** Undefined where the registry does not say: the next round asks again. */
  async #versions(manager: Manager, sample: Dependency): Promise<string | undefined> {
    try {
      const lookup = this.#service.engine.lookup.fresh();
      const { releases } = await manager.available(sample, lookup, { dates: false });
      const listed = releases.map(({ version, withdrawn, pin }) => [version, withdrawn, pin]);
      return createHash("sha256").update(JSON.stringify(listed)).digest("base64");
    } catch (thrown) {
      if (thrown instanceof UpdatesError) return undefined;
      throw thrown;
    }
  }

  async #start(ids: readonly number[], name: string): Promise<void> {
    const { store } = this.#service;
    const configs = await Promise.all(ids.map((id) => store.configs.byId(id)));
    const live = configs.filter((each): each is Config => each?.update_schedule === "live");
    await this.#service.enqueue(live, `release of ${name}`, name);
  }
}
