/**
 * Polls registries for `live` configs: each package every few minutes, once for all configs that use it, by conditional requests
 * that rarely find anything new.
 */
import { errorMessage, UpdatesError } from "../errors.js";
import type { Dependency, Manager } from "../managers/contract.js";
import { managerOf, type PackageManager } from "../managers/index.js";
import type { Ports } from "../pipeline/ports.js";
import type { Lookup } from "../registries/contract.js";
import type { UsersByOrigin } from "../store/configs.js";
import { firstLook, nextCheck } from "./next-check.js";

const minute = 60_000;
/** Milliseconds between updates of the package list. */
const listedFor = 5 * minute;
/** Milliseconds without polling after a registry announced a release: it will announce the next one, too. */
const trusted = 24 * 60 * minute;
/** Packages polled at the same time. */
const atOnce = 4;

interface Watched {
  readonly manager: Manager;
  readonly name: string;
  at: number;
  changedAt: number;
}

export class RegistryPoller {
  readonly #ports: Pick<
    Ports,
    "accounts" | "announcedAt" | "clock" | "configs" | "enqueue" | "log" | "managers"
  >;
  readonly #stopping = new AbortController();
  #watched = new Map<string, Watched>();
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(
    ports: Pick<
      Ports,
      "accounts" | "announcedAt" | "clock" | "configs" | "enqueue" | "log" | "managers"
    >,
  ) {
    this.#ports = ports;
  }

  /** Runs until `stop`. */
  async begin(): Promise<void> {
    const { clock, log } = this.#ports;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#list();
        await this.#lookAtDue();
      } catch (thrown) {
        if (signal.aborted) return;
        log.warn(`Cannot poll registries: ${errorMessage(thrown)}`);
      }
      const next = Math.min(...[...this.#watched.values()].map(({ at }) => at));
      const wait = Math.min(Math.max(next - clock.now(), 1000), minute);
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #list(): Promise<void> {
    const now = this.#ports.clock.now();
    if (now - this.#listedAt < listedFor) return;
    const before = this.#watched;
    this.#watched = new Map();
    this.#listedAt = now;
    for (const { package_manager, name } of await this.#ports.configs.live()) {
      const key = `${package_manager} ${name}`;
      const manager = await managerOf(package_manager as PackageManager);
      const first = { manager, name, ...firstLook(key, now) };
      this.#watched.set(key, before.get(key) ?? first);
    }
  }

  async #lookAtDue(): Promise<void> {
    const now = this.#ports.clock.now();
    const due = [...this.#watched.entries()].filter(([, { at }]) => at <= now);
    const next = async (): Promise<void> => {
      for (let each = due.pop(); each && !this.#stopping.signal.aborted; each = due.pop()) {
        await this.#lookAt(...each);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  }

  async #lookAt(key: string, watched: Watched): Promise<void> {
    const { clock, log } = this.#ports;
    let retryAfter = 0;
    for (const [origin, { sample, configs }] of await this.#liveUsers(watched)) {
      if (clock.now() - this.#ports.announcedAt(origin) < trusted) continue;
      try {
        if (!(await this.#hasNews(watched.manager, sample))) continue;
        const release = { name: watched.name, at: clock.now() };
        watched.changedAt = release.at;
        await this.#ports.enqueue(configs, `release of ${watched.name}`, release);
      } catch (thrown) {
        if (!(thrown instanceof UpdatesError)) throw thrown;
        retryAfter = Math.max(retryAfter, thrown.retryAfter ?? 0);
        log.debug("Cannot poll a package", {
          package: watched.name,
          reason: errorMessage(thrown),
        });
      }
    }
    const now = clock.now();
    watched.at = Math.max(nextCheck(key, watched.changedAt, now), now + retryAfter);
  }

  /** Whether a version is new since the last poll; false on the first poll. */
  async #hasNews(manager: Manager, sample: Dependency): Promise<boolean> {
    const { lookup } = this.#ports.managers;
    const versions = async (using: Lookup): Promise<ReadonlySet<string>> => {
      const { releases } = await manager.available(sample, using, { dates: false });
      return new Set(releases.map(({ version, pin }) => `${version} ${pin ?? ""}`));
    };
    const before = await versions(lookup.known()).catch((thrown: unknown) => {
      if (thrown instanceof UpdatesError) return undefined;
      throw thrown;
    });
    const after = await versions(lookup.fresh());
    return before !== undefined && [...after].some((version) => !before.has(version));
  }

  /** The `live` configs that use the package, by the origin they use. */
  async #liveUsers({ manager, name }: Watched): Promise<UsersByOrigin> {
    const { accounts, configs } = this.#ports;
    const ids = (await accounts.all()).map(({ id }) => id);
    const users = await configs.users(manager.id, name, ids);
    const live = users.filter(({ update_schedule }) => update_schedule === "live");
    return configs.byOrigin(manager.id, name, live);
  }
}
