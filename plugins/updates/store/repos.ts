/** Repositories, as known by the code host. */

import type { HostRepo, HostRepoRef } from "../model.js";
import { TableAccess } from "./table-access.js";
import type { Account, Repo } from "./tables.js";

/** A repository with the login of its account. */
export type NamedRepo = Repo & { readonly login: string };

export type InstallationState = "active" | "inactive";

export class Repos extends TableAccess {
  /** The mark of the records' folder; stores `mark` if there is none. */
  async folder(mark: string): Promise<string> {
    await this.database
      .insertInto("folder")
      .values({ id: 1, mark })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const row = await this.database.selectFrom("folder").select("mark").executeTakeFirstOrThrow();
    return row.mark;
  }

  /** All existing repositories, or those of one account. */
  all(accountId?: number): Promise<readonly NamedRepo[]> {
    let query = this.#named().where("repos.gone", "=", 0);
    if (accountId !== undefined) query = query.where("account_id", "=", accountId);
    return query.orderBy("repos.name").orderBy("repos.id").execute();
  }

  byId(id: number): Promise<NamedRepo | undefined> {
    return this.#named().where("repos.id", "=", id).executeTakeFirst();
  }

  byHost(hostId: number): Promise<NamedRepo | undefined> {
    return this.#named()
      .where("repos.host_id", "=", hostId)
      .where("repos.gone", "=", 0)
      .executeTakeFirst();
  }

  byName(login: string, name: string): Promise<NamedRepo | undefined> {
    return this.#named()
      .where("login", "=", login)
      .where("repos.name", "=", name)
      .where("repos.gone", "=", 0)
      .executeTakeFirst();
  }

  /**
   * The repositories with or without a config, by name and id. `page` limits the list.
   */
  listed(
    accountId: number,
    state: InstallationState,
    page: { readonly offset: number; readonly limit: number } | undefined,
  ): Promise<readonly NamedRepo[]> {
    let query = this.#inState(accountId, state);
    if (page) query = query.limit(page.limit).offset(page.offset);
    return query.orderBy("repos.name").orderBy("repos.id").execute();
  }

  async count(accountId: number, state: InstallationState): Promise<number> {
    const { count } = await this.#inState(accountId, state)
      .clearSelect()
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  #inState(accountId: number, state: InstallationState) {
    return this.#named()
      .where("account_id", "=", accountId)
      .where("repos.gone", "=", 0)
      .where((eb) => {
        const configured = eb.exists(
          eb
            .selectFrom("update_configs")
            .select("update_configs.id")
            .whereRef("update_configs.repo_id", "=", "repos.id"),
        );
        const active = eb.or([configured, eb("repos.config_file", "is not", null)]);
        return state === "active" ? active : eb.not(active);
      });
  }

  /** Inserts or updates the record. Without a host id, the record id is used. */
  async keep(
    account: Account,
    repo: Omit<HostRepo, "hostId" | "account"> & { readonly hostId?: number },
  ): Promise<Repo> {
    const values = {
      account_id: account.id,
      name: repo.name,
      place: repo.location,
      url: repo.url,
      private: repo.private ? 1 : 0,
      fork: repo.fork ? 1 : 0,
      default_branch: repo.defaultBranch,
      gone: 0,
      ...(repo.language === undefined ? {} : { language: repo.language }),
      ...(repo.hostId === undefined ? {} : { host_id: repo.hostId }),
    };
    const known = repo.hostId === undefined ? undefined : await this.byHost(repo.hostId);
    if (known && (known.name !== repo.name || known.account_id !== account.id))
      return this.#rename(known, values);
    const row = await this.database
      .insertInto("repos")
      .values({ host_id: 0, language: null, config_file: null, ...values })
      .onConflict((conflict) => conflict.columns(["account_id", "name"]).doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow();
    if (row.host_id !== 0) return row;
    return this.change(row.id, { host_id: row.id });
  }

  /** The host's id stays. Another record with the new name is of a repository that lost it. */
  #rename(
    { id }: Repo,
    values: Partial<Omit<Repo, "id">> & Pick<Repo, "account_id" | "name">,
  ): Promise<Repo> {
    return this.database.transaction().execute(async (transaction) => {
      const other = await transaction
        .selectFrom("repos")
        .select(["id", "host_id"])
        .where("account_id", "=", values.account_id)
        .where("name", "=", values.name)
        .executeTakeFirst();
      if (other)
        await transaction
          .updateTable("repos")
          .set({ gone: 1, name: `${values.name} (${other.host_id})` })
          .where("id", "=", other.id)
          .execute();
      return transaction
        .updateTable("repos")
        .set(values)
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow();
    });
  }

  change(
    id: number,
    change: Partial<Pick<Repo, "host_id" | "language" | "config_file" | "seen_head" | "gone">>,
  ): Promise<Repo> {
    return this.database
      .updateTable("repos")
      .set(change)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  #named() {
    return this.database
      .selectFrom("repos")
      .innerJoin("accounts", "accounts.id", "repos.account_id")
      .selectAll("repos")
      .select("accounts.login");
  }
}

/** The repository's identity on the code host. */
export const hostRepoOf = (repo: NamedRepo): HostRepoRef => ({
  hostId: repo.host_id,
  login: repo.login,
  name: repo.name,
  location: repo.place,
});
