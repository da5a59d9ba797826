/** Runs of configs and their results. */

import type { Kysely } from "kysely";
import { UpdatesError } from "../errors.js";
import { TableAccess } from "./table-access.js";
import type { RunRow, Tables } from "./tables.js";

/** The result for one dependency. */
export interface DependencyOutcome {
  readonly name: string;
  readonly kind: "pull_request" | "none" | "failed" | "waiting";
  readonly from?: string;
  readonly to?: string;
  /** In snake case: `up_to_date`, `ignored`, `limit`. */
  readonly reason?: string;
  /** One sentence. */
  readonly why?: string;
  /** The id of the pull request. */
  readonly pull?: number;
  /** Its number on the code host. */
  readonly number?: number;
}

export interface UpdateRunFilter {
  readonly repoIds?: readonly number[];
  readonly configId?: number;
  readonly before?: number;
  readonly limit: number;
}

export interface RunEnd {
  readonly state: RunRow["state"];
  readonly reason?: string;
  readonly outcomes: readonly DependencyOutcome[];
}

/** The reasons that a run handled. */
export interface HandledReasons {
  /** The last handled reason. */
  readonly last: number;
  /** Whether the run covered all dependencies. */
  readonly isWhole: boolean;
  /** The trigger of the next run, if one is needed. */
  readonly again?: string;
}

/** Kept runs per config. */
const kept = 50;

export class UpdateRuns extends TableAccess {
  async start(
    config: { readonly id: number; readonly repo_id: number },
    trigger: string,
    now: number,
  ): Promise<number> {
    const { id } = await this.database
      .insertInto("runs")
      .values({
        config_id: config.id,
        repo_id: config.repo_id,
        trigger,
        state: "running",
        started_at: now,
        finished_at: null,
        reason: null,
        outcomes: "[]",
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }

  /** Records a failed run, unless another daemon took over. */
  async fail(id: number, reason: string, now: number): Promise<void> {
    await endRun(this.database, id, { state: "failed", reason, outcomes: [] }, now);
  }

  /**
   * Records the result and removes the handled reasons in one transaction, so that no reason counts twice and none is lost.
   * @throws UpdatesError `taken_over` if another daemon holds the repository
   */
  async conclude(id: number, result: RunEnd, wanted: HandledReasons, now: number): Promise<void> {
    const config = await this.database.transaction().execute(async (transaction) => {
      const row = await endRun(transaction, id, result, now);
      if (!row)
        throw new UpdatesError("taken_over", "Another daemon has taken over the repository.");
      const { config_id } = row;
      await transaction
        .deleteFrom("pending")
        .where("config_id", "=", config_id)
        .where("id", "<=", wanted.last)
        .execute();
      if (wanted.again !== undefined) {
        const again = { config_id, name: "", trigger: wanted.again, announced_at: null };
        await transaction.insertInto("pending").values(again).execute();
      }
      if (wanted.isWhole) {
        await transaction
          .updateTable("update_configs")
          .set({ last_run_at: now })
          .where("id", "=", config_id)
          .execute();
      }
      return config_id;
    });
    if (id % 10 === 0) await this.#forget(config);
  }

  /** Marks runs of dead daemons as interrupted: all, or those of one repository. Returns whether there were any. */
  async interrupted(now: number, repoId?: number): Promise<boolean> {
    let query = this.database
      .updateTable("runs")
      .set({ state: "interrupted", finished_at: now, reason: "The daemon stopped." })
      .where("state", "=", "running");
    if (repoId !== undefined) query = query.where("repo_id", "=", repoId);
    const { numUpdatedRows } = await query.executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  byId(id: number): Promise<RunRow | undefined> {
    return this.database.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Newest first. */
  list({ repoIds, configId, before, limit }: UpdateRunFilter): Promise<readonly RunRow[]> {
    let query = this.database.selectFrom("runs").selectAll();
    if (repoIds) query = query.where("repo_id", "in", repoIds);
    if (configId !== undefined) query = query.where("config_id", "=", configId);
    if (before !== undefined) query = query.where("id", "<", before);
    return query.orderBy("id", "desc").limit(limit).execute();
  }

  async #forget(configId: number): Promise<void> {
    const oldest = await this.database
      .selectFrom("runs")
      .select("id")
      .where("config_id", "=", configId)
      .orderBy("id", "desc")
      .offset(kept)
      .limit(1)
      .executeTakeFirst();
    if (!oldest) return;
    await this.database
      .deleteFrom("runs")
      .where("config_id", "=", configId)
      .where("id", "<=", oldest.id)
      .execute();
  }
}

function endRun(
  database: Kysely<Tables>,
  id: number,
  { state, reason, outcomes }: RunEnd,
  now: number,
): Promise<{ readonly config_id: number } | undefined> {
  return database
    .updateTable("runs")
    .set({ state, reason: reason ?? null, outcomes: JSON.stringify(outcomes), finished_at: now })
    .where("id", "=", id)
    .where("state", "=", "running")
    .returning("config_id")
    .executeTakeFirst();
}
