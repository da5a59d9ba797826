/** Pull requests created by Reeve. */
import type { Transaction } from "kysely";
import { UpdatesError } from "../errors.js";
import { TableAccess } from "./table-access.js";
import type { NewPull, Pull, PullDependency, Tables } from "./tables.js";

export type NewPullDependency = Omit<PullDependency, "pull_id">;

export interface PullFilter {
  readonly repoId?: number;
  readonly repoIds?: readonly number[];
  readonly configId?: number;
  readonly state?: Pull["state"];
  /** Only records older than this id. */
  readonly before?: number;
  readonly limit?: number;
}

export interface ClosedVersion {
  readonly name: string;
  readonly version: string;
}

export class Pulls extends TableAccess {
  /**
   * Adds a hidden record for an active run, with the repository's next number.
   * @throws UpdatesError `taken_over` if another daemon holds the repository
   */
  prepare(pull: NewPull, dependencies: readonly NewPullDependency[], run: number): Promise<Pull> {
    return this.database.transaction().execute(async (transaction) => {
      await stillGoesOn(transaction, run);
      const { highest } = await transaction
        .selectFrom("pull_requests")
        .select((eb) => eb.fn.max("number").as("highest"))
        .where("repo_id", "=", pull.repo_id)
        .executeTakeFirstOrThrow();
      const row = await transaction
        .insertInto("pull_requests")
        .values({ ...pull, number: Number(highest ?? 0) + 1 })
        .returningAll()
        .executeTakeFirstOrThrow();
      await addDependencies(transaction, row.id, dependencies);
      return row;
    });
  }

  /** Like `change`, and replaces the dependencies. @throws UpdatesError `taken_over` */
  replace(
    id: number,
    change: PullChange,
    dependencies: readonly NewPullDependency[],
    run: number,
  ): Promise<Pull> {
    return this.database.transaction().execute(async (transaction) => {
      await stillGoesOn(transaction, run);
      await transaction.deleteFrom("pull_dependencies").where("pull_id", "=", id).execute();
      await addDependencies(transaction, id, dependencies);
      return transaction
        .updateTable("pull_requests")
        .set(change)
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow();
    });
  }

  change(id: number, change: PullChange): Promise<Pull> {
    return this.database
      .updateTable("pull_requests")
      .set(change)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /** Records the merge decision, unless the state changed since `pull` was read. */
  async decide(
    { id, automerge }: Pick<Pull, "id" | "automerge">,
    change: Pick<Pull, "automerge" | "automerge_reason">,
  ): Promise<void> {
    await this.database
      .updateTable("pull_requests")
      .set(change)
      .where("id", "=", id)
      .where("automerge", "=", automerge)
      .execute();
  }

  /** Ends a pull request in one of these states. `undefined` if another writer was first. */
  end(
    id: number,
    from: readonly Pull["state"][],
    change: PullChange & { readonly state: "merged" | "closed" },
  ): Promise<Pull | undefined> {
    return this.database
      .updateTable("pull_requests")
      .set(change)
      .where("id", "=", id)
      .where("state", "in", from)
      .returningAll()
      .executeTakeFirst();
  }

  /** Shows a prepared pull request. `undefined` if another writer was first. */
  reveal(id: number, number: number): Promise<Pull | undefined> {
    return this.database
      .updateTable("pull_requests")
      .set({ state: "open", number })
      .where("id", "=", id)
      .where("state", "=", "preparing")
      .returningAll()
      .executeTakeFirst();
  }

  /** Removes a pull request that is still prepared. */
  async discard(id: number): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      const pull = await transaction
        .selectFrom("pull_requests")
        .select("state")
        .where("id", "=", id)
        .executeTakeFirst();
      if (pull?.state !== "preparing") return;
      await transaction.deleteFrom("pull_dependencies").where("pull_id", "=", id).execute();
      await transaction.deleteFrom("pull_requests").where("id", "=", id).execute();
    });
  }

  byId(id: number): Promise<Pull | undefined> {
    const query = this.database.selectFrom("pull_requests").selectAll().where("id", "=", id);
    return query.executeTakeFirst();
  }

  /** Newest first; prepared ones only on request. */
  list({ repoId, repoIds, configId, state, before, limit }: PullFilter): Promise<readonly Pull[]> {
    let query = this.database.selectFrom("pull_requests").selectAll();
    query = state ? query.where("state", "=", state) : query.where("state", "!=", "preparing");
    if (repoId !== undefined) query = query.where("repo_id", "=", repoId);
    if (repoIds) query = query.where("repo_id", "in", repoIds);
    if (configId !== undefined) query = query.where("config_id", "=", configId);
    if (before !== undefined) query = query.where("id", "<", before);
    if (limit !== undefined) query = query.limit(limit);
    return query.orderBy("id", "desc").execute();
  }

  /** What a person closed, by pull request: the dependencies that would move together. */
  async closedByPerson(configId: number): Promise<readonly (readonly ClosedVersion[])[]> {
    const rows = await this.database
      .selectFrom("pull_requests")
      .innerJoin("pull_dependencies", "pull_dependencies.pull_id", "pull_requests.id")
      .select(["pull_id", "name", "to_version"])
      .where("config_id", "=", configId)
      .where("state", "=", "closed")
      .where("reason", "=", "by_user")
      .execute();
    return [...Map.groupBy(rows, ({ pull_id }) => pull_id).values()].map((closed) =>
      closed.map(({ name, to_version: version }) => ({ name, version })),
    );
  }

  /** Their closing has no effect any more: every closed pull request of the config that has one of these names. */
  async offerAgain(configId: number, names: readonly string[]): Promise<void> {
    await this.database
      .updateTable("pull_requests")
      .set({ reason: "offered_again" })
      .where("config_id", "=", configId)
      .where("state", "=", "closed")
      .where("reason", "=", "by_user")
      .where("id", "in", (eb) =>
        eb.selectFrom("pull_dependencies").select("pull_id").where("name", "in", names),
      )
      .execute();
  }

  /** Open pull requests of removed configs. */
  withoutConfig(repoId: number): Promise<readonly Pull[]> {
    return this.database
      .selectFrom("pull_requests")
      .selectAll()
      .where("repo_id", "=", repoId)
      .where("state", "=", "open")
      .where("config_id", "not in", (eb) => eb.selectFrom("update_configs").select("id"))
      .execute();
  }

  /** Gives open pull requests to a config. */
  async adopt(ids: readonly number[], configId: number): Promise<void> {
    if (ids.length === 0) return;
    await this.database
      .updateTable("pull_requests")
      .set({ config_id: configId })
      .where("id", "in", ids)
      .where("state", "=", "open")
      .execute();
  }

  /** The check results of the same update. */
  async checked(
    packageManager: string,
    name: string,
    from: string | undefined,
    to: string | undefined,
  ): Promise<{ readonly passed: number; readonly all: number }> {
    let query = this.database
      .selectFrom("pull_requests")
      .innerJoin("pull_dependencies", "pull_dependencies.pull_id", "pull_requests.id")
      .innerJoin("update_configs", "update_configs.id", "pull_requests.config_id")
      .select("pull_requests.checks")
      .where("update_configs.package_manager", "=", packageManager)
      .where("pull_dependencies.name", "=", name)
      .where("pull_requests.checks", "in", ["passed", "failed"]);
    if (from !== undefined) query = query.where("from_version", "=", from);
    if (to !== undefined) query = query.where("to_version", "=", to);
    const rows = await query.execute();
    return { passed: rows.filter(({ checks }) => checks === "passed").length, all: rows.length };
  }

  async dependenciesOf({ id }: Pick<Pull, "id">): Promise<readonly PullDependency[]> {
    return (await this.dependencies([id])).get(id) ?? [];
  }

  async dependencies(ids: readonly number[]): Promise<ReadonlyMap<number, PullDependency[]>> {
    const found = new Map<number, PullDependency[]>();
    for (let at = 0; at < ids.length; at += 500) {
      const rows = await this.database
        .selectFrom("pull_dependencies")
        .selectAll()
        .where("pull_id", "in", ids.slice(at, at + 500))
        .execute();
      for (const row of rows) found.set(row.pull_id, [...(found.get(row.pull_id) ?? []), row]);
    }
    return found;
  }
}

export type PullChange = Partial<Omit<Pull, "id" | "repo_id" | "config_id">>;

/** A takeover ends the previous run: either it waits for this transaction, or this finds the run ended. */
async function stillGoesOn(transaction: Transaction<Tables>, run: number): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable("runs")
    .set({ state: "running" })
    .where("id", "=", run)
    .where("state", "=", "running")
    .executeTakeFirst();
  if (numUpdatedRows === 0n)
    throw new UpdatesError("taken_over", "Another daemon has taken over the repository.");
}

async function addDependencies(
  transaction: Transaction<Tables>,
  id: number,
  dependencies: readonly NewPullDependency[],
): Promise<void> {
  const rows = dependencies.map((dependency) => ({ ...dependency, pull_id: id }));
  if (rows.length > 0) await transaction.insertInto("pull_dependencies").values(rows).execute();
}
