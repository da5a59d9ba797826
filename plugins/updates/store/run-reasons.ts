/** The recorded reasons to run configs; a run removes the reasons that it handled. */
import { TableAccess } from "./table-access.js";

export interface RunReason {
  /** The last reason included. */
  readonly last: number;
  /** Only these dependencies; `undefined`: all of them. */
  readonly names: ReadonlySet<string> | undefined;
  readonly triggers: readonly string[];
  /** The latest announcement among the reasons. */
  readonly announcedAt: number | undefined;
  /** The latest request for the whole config; registries are queried again since then. */
  readonly requestedAt: number | undefined;
}

export class RunReasons extends TableAccess {
  async add(
    configIds: readonly number[],
    trigger: string,
    { name = "", at }: { readonly name?: string; readonly at?: number } = {},
  ): Promise<void> {
    const rows = configIds.map((config_id) => ({
      ...{ config_id, name, trigger, announced_at: at ?? null },
    }));
    await this.database.transaction().execute(async (transaction) => {
      for (let at = 0; at < rows.length; at += 300) {
        await transaction
          .insertInto("pending")
          .values(rows.slice(at, at + 300))
          .execute();
      }
    });
  }

  async of(configId: number): Promise<RunReason | undefined> {
    const rows = await this.database
      .selectFrom("pending")
      .selectAll()
      .where("config_id", "=", configId)
      .orderBy("id")
      .execute();
    const last = rows.at(-1)?.id;
    if (last === undefined) return undefined;
    const names = rows.every(({ name }) => name !== "")
      ? new Set(rows.map(({ name }) => name))
      : undefined;
    const triggers = [...new Set(rows.map(({ trigger }) => trigger))];
    const latest = (isOfRelease: boolean): number | undefined =>
      rows
        .filter(({ name }) => (name !== "") === isOfRelease)
        .flatMap(({ announced_at: at }) => at ?? [])
        .reduce<number | undefined>((a, b) => Math.max(a ?? 0, b), undefined);
    return {
      ...{ last, names, triggers },
      ...{ announcedAt: latest(true), requestedAt: latest(false) },
    };
  }

  /** The id of the last reason. */
  async newest(): Promise<number> {
    const { last } = await this.database
      .selectFrom("pending")
      .select((eb) => eb.fn.max("id").as("last"))
      .executeTakeFirstOrThrow();
    return Number(last ?? 0);
  }

  /** Configs with recorded reasons, and their repositories; only reasons up to the id `until`. */
  left(until?: number): Promise<readonly { id: number; repo_id: number }[]> {
    let query = this.database.selectFrom("pending");
    if (until !== undefined) query = query.where("pending.id", "<=", until);
    return query
      .innerJoin("update_configs", "update_configs.id", "pending.config_id")
      .select(["update_configs.id", "update_configs.repo_id"])
      .distinct()
      .execute();
  }
}
