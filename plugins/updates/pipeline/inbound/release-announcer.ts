/** Handles announced releases: waits until the registry shows the version, then runs every config that uses the package. */
import { errorMessage, UpdatesError } from "../../errors.js";
import type { Dependency, Manager } from "../../managers/contract.js";
import { managerOf } from "../../managers/index.js";
import type { Config } from "../../store/tables.js";
import type { Ports, ReleaseNotification } from "../ports.js";

/** Milliseconds to wait for a registry. */
const patience = 15 * 60 * 1000;
/** Milliseconds within which equal announcements count once. */
const coalesced = 250;

export class ReleaseAnnouncer {
  readonly #ports: Pick<
    Ports,
    "clock" | "configs" | "emit" | "enqueue" | "enqueueNotification" | "log" | "managers"
  >;
  readonly #recent = new Map<string, number>();
  /** The last announcement for each origin. */
  readonly #announced = new Map<string, number>();

  constructor(
    ports: Pick<
      Ports,
      "clock" | "configs" | "emit" | "enqueue" | "enqueueNotification" | "log" | "managers"
    >,
  ) {
    this.#ports = ports;
  }

  /** Returns the number of configs that use the package. Their runs are queued when it resolves. */
  async announce(notification: Omit<ReleaseNotification, "at" | "attempt">): Promise<number> {
    const users = await this.#users(notification);
    const now = this.#ports.clock.now();
    const key = JSON.stringify(notification);
    for (const [other, at] of this.#recent) if (now - at >= coalesced) this.#recent.delete(other);
    if (users.length > 0 && !this.#recent.has(key)) {
      this.#recent.set(key, now);
      await this.#ports.enqueueNotification({ ...notification, at: now, attempt: 0 });
    }
    this.#ports.emit("update.notified", {
      packageManager: notification.packageManager,
      name: notification.name,
      version: notification.version ?? null,
      configs: users.length,
    });
    return users.length;
  }

  /** The last announcement for the origin, in milliseconds since the epoch. */
  announcedAt(origin: string): number {
    return this.#announced.get(origin) ?? Number.NEGATIVE_INFINITY;
  }

  /** Queries each origin once and runs the configs whose origin has the release. */
  async spread(notification: ReleaseNotification): Promise<void> {
    const { packageManager, name, version, lagging } = notification;
    const manager = await managerOf(packageManager);
    const { configs: store } = this.#ports;
    const groups = await store.byOrigin(packageManager, name, await this.#users(notification));
    const now = this.#ports.clock.now();
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
    const at = this.#ports.clock.now();
    if (ready.length > 0) await this.#ports.enqueue(ready, `release of ${name}`, { name, at });
    if (late.length > 0) await this.#later(notification, late);
  }

  async #later(notification: ReleaseNotification, lagging: readonly string[]): Promise<void> {
    const { clock, log } = this.#ports;
    const { name, version, at, attempt } = notification;
    const wait = Math.min(1000 * 2 ** attempt, 60_000);
    if (clock.now() + wait - at <= patience) {
      await this.#ports.enqueueNotification(
        { ...notification, lagging, attempt: attempt + 1 },
        wait,
      );
      return;
    }
    log.warn("The registry does not show the announced release", { name, version });
    this.#ports.emit("update.unseen", { name, version: version ?? null });
  }

  async #shows(
    manager: Manager,
    sample: Dependency,
    version: string | undefined,
  ): Promise<boolean> {
    try {
      const lookup = this.#ports.managers.lookup.fresh();
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
      this.#ports.log.info("Cannot query the registry about a release", {
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
    return this.#ports.configs.users(packageManager, name, accounts);
  }
}
