/** A release was announced: who uses the package, does the registry show it yet, and runs for all of them. */

import { errorMessage, UpdatesError } from "../../errors.js";
import type { Dependency, Manager } from "../../managers/contract.js";
import { managerOf, type PackageManager } from "../../managers/index.js";
import type { UpdatesRuntime } from "../../runtime.js";
import type { Config } from "../../store/tables.js";

/** Plain data: it waits as a job. */
export interface ReleaseNotification {
  readonly packageManager: PackageManager;
  /** As its manager compares names. */
  readonly name: string;
  /** A hint: the registry has the say. */
  readonly version: string | undefined;
  /** Our ids of the accounts whose repositories the caller may see. */
  readonly accounts: readonly number[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Which origins have not shown the version yet; absent: all are to be asked. */
  readonly lagging?: readonly string[];
  readonly attempt: number;
}

/** Milliseconds after which nobody waits for a registry any more. */
const patience = 15 * 60 * 1000;
/** Milliseconds within which the same announcement counts once. */
const coalesced = 250;

/** Where a dependency comes from, as a text. */
export const originKey = ({ origin }: Dependency): string => JSON.stringify(origin);

export class ReleaseAnnouncer {
  readonly #service: UpdatesRuntime;
  readonly #recent = new Map<string, number>();
  /** When a release of each origin was announced last. */
  readonly #announced = new Map<string, number>();

  constructor(service: UpdatesRuntime) {
    this.#service = service;
  }

  /** How many configs are concerned. Runs are on their way when it resolves. */
  async announce(notification: Omit<ReleaseNotification, "at" | "attempt">): Promise<number> {
    const { context } = this.#service;
    const users = await this.#users(notification);
    const now = context.clock.now();
    const key = JSON.stringify(notification);
    for (const [other, at] of this.#recent) if (now - at >= coalesced) this.#recent.delete(other);
    if (users.length > 0 && !this.#recent.has(key)) {
      this.#recent.set(key, now);
      await this.#service.queues.notify({ ...notification, at: now, attempt: 0 });
    }
    this.#service.events.emit("update.notified", {
      packageManager: notification.packageManager,
      name: notification.name,
      version: notification.version ?? null,
      configs: users.length,
    });
    return users.length;
  }

  /** Milliseconds since the epoch; long ago where nobody announces what is released there. */
  announcedAt(origin: string): number {
    return this.#announced.get(origin) ?? Number.NEGATIVE_INFINITY;
  }

  /** Asks each origin once, whoever uses it, and starts runs where it has something newer. */
  async spread(notification: ReleaseNotification): Promise<void> {
    const { packageManager, name, version, lagging } = notification;
    const manager = await managerOf(packageManager);
    const groups = await this.#byOrigin(notification);
    const now = this.#service.context.clock.now();
    for (const origin of groups.keys()) this.#announced.set(origin, now);
    const late: string[] = [];
    const ready: Config[] = [];
    await Promise.all(
      [...groups].map(async ([origin, { sample, configs }]) => {
        if (lagging && !lagging.includes(origin)) return;
        if (await this.#shows(manager, sample, version)) ready.push(...configs);
        else late.push(origin);
      }),
    );
    const at = this.#service.context.clock.now();
    if (ready.length > 0) await this.#service.enqueue(ready, `release of ${name}`, { name, at });
    if (late.length > 0) await this.#later(notification, late);
  }

  async #later(notification: ReleaseNotification, lagging: readonly string[]): Promise<void> {
    const { clock, log } = this.#service.context;
    const { name, version, at, attempt } = notification;
    const wait = Math.min(1000 * 2 ** attempt, 60_000);
    if (clock.now() + wait - at <= patience) {
      await this.#service.queues.notify({ ...notification, lagging, attempt: attempt + 1 }, wait);
      return;
    }
    log.warn("a registry never showed a release that was announced", { name, version });
    this.#service.events.emit("update.unseen", { name, version: version ?? null });
  }

  async #shows(
    manager: Manager,
    sample: Dependency,
    version: string | undefined,
  ): Promise<boolean> {
    try {
      const lookup = this.#service.managers.lookup.fresh();
      const { releases } = await manager.available(sample, lookup, { dates: false });
      if (version === undefined) return true;
      const { versioning } = manager;
      if (!versioning.isVersion(version)) return releases.length > 0;
      return releases.some(
        (each) =>
          versioning.isVersion(each.version) && versioning.compare(each.version, version) >= 0,
      );
    } catch (thrown) {
      if (!(thrown instanceof UpdatesError)) throw thrown;
      this.#service.context.log.info("a registry cannot be asked about a release", {
        name: sample.name,
        reason: errorMessage(thrown),
      });
      return false;
    }
  }

  #users({
    packageManager,
    name,
    accounts,
  }: Pick<ReleaseNotification, "packageManager" | "name" | "accounts">): Promise<
    readonly Config[]
  > {
    return this.#service.store.configs.users(packageManager, name, accounts);
  }

  async #byOrigin(
    notification: ReleaseNotification,
  ): Promise<ReadonlyMap<string, { readonly sample: Dependency; readonly configs: Config[] }>> {
    const [users, uses] = await Promise.all([
      this.#users(notification),
      this.#service.store.configs.uses(notification.packageManager, notification.name),
    ]);
    const groups = new Map<string, { sample: Dependency; configs: Config[] }>();
    for (const config of users) {
      for (const sample of uses.get(config.id) ?? []) {
        if (sample.origin.kind === "none") continue;
        const key = originKey(sample);
        const group = groups.get(key) ?? { sample, configs: [] };
        if (!group.configs.includes(config)) group.configs.push(config);
        groups.set(key, group);
      }
    }
    return groups;
  }
}
