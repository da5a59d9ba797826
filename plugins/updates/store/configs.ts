/** Update configs, and the index of their dependencies. */
import type { Dependency, ParsedProject } from "../managers/contract.js";
import type { ConfigExtras } from "./config-extras.js";
import { TableAccess } from "./table-access.js";
import type { Config, ConfigChange, NewConfig } from "./tables.js";

export type { ConfigExtras, ConfigGroup } from "./config-extras.js";

/** Parsed facts that decisions need beside the dependencies. */
export interface ProjectFacts {
  readonly self?: NonNullable<ParsedProject["self"]>;
  readonly runtime: ParsedProject["runtime"];
}

export type UsersByOrigin = ReadonlyMap<
  string,
  { readonly sample: Dependency; readonly configs: readonly Config[] }
>;

/** The columns of a config that is not planned, run or indexed yet. */
export const freshColumns = {
  ...{ lockfile_only: 0, security_updates_only: 0, next_run_at: Number.MAX_SAFE_INTEGER },
  ...{ last_run_at: null, indexed_at: null, trouble: null, project: null },
} as const;

export const extrasOf = (config: Config): ConfigExtras => JSON.parse(config.extras) as ConfigExtras;

export class Configs extends TableAccess {
  /** `undefined` if the same project is already configured. */
  add(config: NewConfig): Promise<Config | undefined> {
    return this.database
      .insertInto("update_configs")
      .values(config)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
  }

  byId(id: number): Promise<Config | undefined> {
    const query = this.database.selectFrom("update_configs").selectAll().where("id", "=", id);
    return query.executeTakeFirst();
  }

  all(): Promise<readonly Config[]> {
    return this.database.selectFrom("update_configs").selectAll().orderBy("id").execute();
  }

  /** The number of configs per repository. */
  async counts(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database
      .selectFrom("update_configs")
      .select((eb) => ["repo_id", eb.fn.countAll<number>().as("count")])
      .groupBy("repo_id")
      .execute();
    return new Map(rows.map(({ repo_id, count }) => [repo_id, Number(count)]));
  }

  ofRepo(repoId: number): Promise<readonly Config[]> {
    return this.database
      .selectFrom("update_configs")
      .selectAll()
      .where("repo_id", "=", repoId)
      .orderBy("id")
      .execute();
  }

  ofAccount(accountId: number): Promise<readonly Config[]> {
    return this.database
      .selectFrom("update_configs")
      .innerJoin("repos", "repos.id", "update_configs.repo_id")
      .selectAll("update_configs")
      .where("repos.account_id", "=", accountId)
      .where("repos.gone", "=", 0)
      .orderBy("update_configs.id")
      .execute();
  }

  /** `undefined` if the config does not exist. */
  change(id: number, change: ConfigChange): Promise<Config | undefined> {
    return this.database
      .updateTable("update_configs")
      .set(change)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
  }

  async remove(id: number): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("dependencies").where("config_id", "=", id).execute();
      await transaction.deleteFrom("ignores").where("config_id", "=", id).execute();
      await transaction.deleteFrom("pending").where("config_id", "=", id).execute();
      const removed = await transaction
        .deleteFrom("update_configs")
        .where("id", "=", id)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    });
  }

  // ------------------------------------------------------------ index

  /** Replaces the indexed dependencies as of a commit. */
  async index(
    config: Config,
    commit: string,
    { dependencies, self, runtime }: ParsedProject,
    readError: string | undefined,
  ): Promise<void> {
    const project: ProjectFacts = { runtime, ...(self === undefined ? {} : { self }) };
    const rows = dependencies.map((dependency) => ({
      config_id: config.id,
      package_manager: config.package_manager,
      name: dependency.name,
      data: JSON.stringify(dependency),
    }));
    await this.database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("dependencies").where("config_id", "=", config.id).execute();
      for (let at = 0; at < rows.length; at += 200) {
        await transaction
          .insertInto("dependencies")
          .values(rows.slice(at, at + 200))
          .execute();
      }
      await transaction
        .updateTable("update_configs")
        .set({
          indexed_at: commit,
          trouble: readError ?? null,
          project: JSON.stringify(project),
        })
        .where("id", "=", config.id)
        .execute();
    });
  }

  async dependencies(configId: number): Promise<readonly Dependency[]> {
    const rows = await this.database
      .selectFrom("dependencies")
      .select("data")
      .where("config_id", "=", configId)
      .execute();
    return rows.map(({ data }) => JSON.parse(data) as Dependency);
  }

  /** The configs that use a package: one indexed query for any number of repositories. */
  users(
    packageManager: string,
    name: string,
    accounts: readonly number[],
  ): Promise<readonly Config[]> {
    if (accounts.length === 0) return Promise.resolve([]);
    return this.database
      .selectFrom("dependencies")
      .innerJoin("update_configs", "update_configs.id", "dependencies.config_id")
      .innerJoin("repos", "repos.id", "update_configs.repo_id")
      .where("repos.account_id", "in", accounts)
      .where("repos.gone", "=", 0)
      .selectAll("update_configs")
      .distinct()
      .where("dependencies.package_manager", "=", packageManager)
      .where("dependencies.name", "=", name)
      .orderBy("update_configs.id")
      .execute();
  }

  /** The dependency records of a package, by config. */
  async uses(packageManager: string, name: string): Promise<ReadonlyMap<number, Dependency[]>> {
    const rows = await this.database
      .selectFrom("dependencies")
      .select(["config_id", "data"])
      .where("package_manager", "=", packageManager)
      .where("name", "=", name)
      .execute();
    const found = new Map<number, Dependency[]>();
    for (const { config_id, data } of rows) {
      const list = found.get(config_id) ?? [];
      list.push(JSON.parse(data) as Dependency);
      found.set(config_id, list);
    }
    return found;
  }

  /** The configs among `users`, grouped by the origin from which they use the package. */
  async byOrigin(
    packageManager: string,
    name: string,
    users: readonly Config[],
  ): Promise<UsersByOrigin> {
    const uses = await this.uses(packageManager, name);
    const groups = new Map<string, { sample: Dependency; configs: Config[] }>();
    for (const config of users) {
      for (const sample of uses.get(config.id) ?? []) {
        if (sample.origin.kind === "none") continue;
        const key = JSON.stringify(sample.origin);
        const group = groups.get(key) ?? { sample, configs: [] };
        if (!group.configs.includes(config)) group.configs.push(config);
        groups.set(key, group);
      }
    }
    return groups;
  }

  /** Every package used by a `live` config. */
  live(): Promise<readonly { readonly package_manager: string; readonly name: string }[]> {
    return this.database
      .selectFrom("dependencies")
      .innerJoin("update_configs", "update_configs.id", "dependencies.config_id")
      .innerJoin("repos", "repos.id", "update_configs.repo_id")
      .where("update_configs.update_schedule", "=", "live")
      .where("repos.gone", "=", 0)
      .select(["dependencies.package_manager", "dependencies.name"])
      .distinct()
      .execute();
  }

  // ------------------------------------------------------------ schedule

  due(now: number, limit: number): Promise<readonly Config[]> {
    return this.database
      .selectFrom("update_configs")
      .selectAll()
      .where("next_run_at", "<=", now)
      .orderBy("next_run_at")
      .limit(limit)
      .execute();
  }

  /**
   * Claims scheduled run times and records a reason for each. Returns the configs that no other claim, here or on another daemon,
   * took first.
   */
  takeSlots(
    slots: ReadonlyArray<{ readonly id: number; readonly from: number; readonly to: number }>,
  ): Promise<ReadonlySet<number>> {
    return this.database.transaction().execute(async (transaction) => {
      const taken = new Set<number>();
      for (const { id, from, to } of slots) {
        const { numUpdatedRows } = await transaction
          .updateTable("update_configs")
          .set({ next_run_at: to })
          .where("id", "=", id)
          .where("next_run_at", "=", from)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) continue;
        taken.add(id);
        const reason = { config_id: id, name: "", trigger: "schedule" };
        await transaction.insertInto("pending").values(reason).execute();
      }
      return taken;
    });
  }

  async nextDue(): Promise<number | undefined> {
    const { at } = await this.database
      .selectFrom("update_configs")
      .select((eb) => eb.fn.min("next_run_at").as("at"))
      .executeTakeFirstOrThrow();
    return at === null ? undefined : Number(at);
  }

  // ------------------------------------------------------------ ignores

  async ignore(configId: number, name: string, version: string): Promise<void> {
    await this.database
      .insertInto("ignores")
      .values({ config_id: configId, name, version })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** Offers the versions again. */
  async unignore(configId: number, name: string): Promise<void> {
    await this.database
      .deleteFrom("ignores")
      .where("config_id", "=", configId)
      .where("name", "=", name)
      .execute();
  }

  ignores(configId: number): Promise<readonly { name: string; version: string }[]> {
    return this.database
      .selectFrom("ignores")
      .select(["name", "version"])
      .where("config_id", "=", configId)
      .execute();
  }
}
