/** Runs of configs: what was looked at, and what came of it. */
import type { Kysely } from "kysely";
import type { RunRow, Tables } from "./tables.js";

/** What a run says of one dependency. */
export interface Outcome {
  readonly name: string;
  readonly kind: "pull_request" | "none" | "failed" | "waiting";
  readonly from?: string;
  readonly to?: string;
  /** In snake case: `up_to_date`, `ignored`, `limit`. */
  readonly reason?: string;
  /** One sentence for people. */
  readonly why?: string;
  readonly pull?: number;
}

export interface RunFilter {
  readonly repoIds?: readonly number[];
  readonly configId?: number;
  readonly before?: number;
  readonly limit: number;
}

/** Runs that are kept, a config. */
const kept = 50;

export class UpdateRuns {
  readonly #database: Kysely<Tables>;

  constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  async start(
    config: { readonly id: number; readonly repo_id: number },
    trigger: string,
    now: number,
  ): Promise<number> {
    const { id } = await this.#database
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

  async finish(
    id: number,
    result: { state: RunRow["state"]; reason?: string; outcomes: readonly Outcome[] },
    now: number,
  ): Promise<void> {
    const { state, reason, outcomes } = result;
    const row = await this.#database
      .updateTable("runs")
      .set({ state, reason: reason ?? null, outcomes: JSON.stringify(outcomes), finished_at: now })
      .where("id", "=", id)
      .returning("config_id")
      .executeTakeFirst();
    if (row && id % 10 === 0) await this.#forget(row.config_id);
  }

  /** Those a dead daemon left: all of them, or those of a repository that nobody else works on. Whether there were any. */
  async interrupted(now: number, repoId?: number): Promise<boolean> {
    let query = this.#database
      .updateTable("runs")
      .set({ state: "interrupted", finished_at: now, reason: "The daemon stopped." })
      .where("state", "=", "running");
    if (repoId !== undefined) query = query.where("repo_id", "=", repoId);
    const { numUpdatedRows } = await query.executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  byId(id: number): Promise<RunRow | undefined> {
    return this.#database.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Newest first. */
  list({ repoIds, configId, before, limit }: RunFilter): Promise<readonly RunRow[]> {
    let query = this.#database.selectFrom("runs").selectAll();
    if (repoIds) query = query.where("repo_id", "in", repoIds);
    if (configId !== undefined) query = query.where("config_id", "=", configId);
    if (before !== undefined) query = query.where("id", "<", before);
    return query.orderBy("id", "desc").limit(limit).execute();
  }

  async #forget(configId: number): Promise<void> {
    const oldest = await this.#database
      .selectFrom("runs")
      .select("id")
      .where("config_id", "=", configId)
      .orderBy("id", "desc")
      .offset(kept)
      .limit(1)
      .executeTakeFirst();
    if (!oldest) return;
    await this.#database
      .deleteFrom("runs")
      .where("config_id", "=", configId)
      .where("id", "<=", oldest.id)
      .execute();
  }
}
