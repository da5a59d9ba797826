/** Accounts, and tokens of the embedded host. */
import { createHash, randomBytes } from "node:crypto";
import type { HostAccount } from "../model.js";
import { TableAccess } from "./table-access.js";
import type { AccessToken, Account } from "./tables.js";

export const tokenDigest = (token: string): string =>
  createHash("sha256").update(token).digest("hex");

export class Accounts extends TableAccess {
  /** By login. */
  all(): Promise<readonly Account[]> {
    return this.database
      .selectFrom("accounts")
      .selectAll()
      .where("gone", "=", 0)
      .orderBy("login")
      .execute();
  }

  byId(id: number): Promise<Account | undefined> {
    const query = this.database.selectFrom("accounts").selectAll().where("id", "=", id);
    return query.executeTakeFirst();
  }

  byHost(hostId: number, type: string): Promise<Account | undefined> {
    return this.database
      .selectFrom("accounts")
      .selectAll()
      .where("host_id", "=", hostId)
      .where("type", "=", type as "org")
      .where("gone", "=", 0)
      .executeTakeFirst();
  }

  byLogin(login: string): Promise<Account | undefined> {
    const query = this.database.selectFrom("accounts").selectAll().where("login", "=", login);
    return query.executeTakeFirst();
  }

  /** Inserts or updates the record. Without a host id, the record id is used. */
  async keep(account: Omit<HostAccount, "hostId"> & { hostId?: number }): Promise<Account> {
    const { hostId, login, type } = account;
    const row = await this.database
      .insertInto("accounts")
      .values({ host_id: hostId ?? 0, login, type })
      .onConflict((conflict) =>
        conflict.column("login").doUpdateSet({
          gone: 0,
          ...(hostId === undefined ? {} : { host_id: hostId, type }),
        }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    if (row.host_id !== 0) return row;
    return this.#change(row.id, { host_id: row.id });
  }

  setType(id: number, type: "org" | "user"): Promise<Account> {
    return this.#change(id, { type });
  }

  #change(id: number, change: Partial<Pick<Account, "host_id" | "type">>): Promise<Account> {
    return this.database
      .updateTable("accounts")
      .set(change)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  async markGone(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.database.updateTable("accounts").set({ gone: 1 }).where("id", "in", ids).execute();
  }

  // ------------------------------------------------------------ tokens

  /** The only place that returns the token itself. */
  async issue(
    name: string,
    accountId: number | undefined,
    scope: AccessToken["scope"],
    now: number,
  ): Promise<{ readonly token: string; readonly row: AccessToken }> {
    const token = `reeve_${randomBytes(24).toString("base64url")}`;
    const row = await this.database
      .insertInto("tokens")
      .values({
        digest: tokenDigest(token),
        name,
        account_id: accountId ?? null,
        scope,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { token, row };
  }

  token(token: string): Promise<AccessToken | undefined> {
    return this.database
      .selectFrom("tokens")
      .selectAll()
      .where("digest", "=", tokenDigest(token))
      .executeTakeFirst();
  }

  tokens(): Promise<readonly AccessToken[]> {
    return this.database.selectFrom("tokens").selectAll().orderBy("id").execute();
  }

  async revoke(id: number): Promise<boolean> {
    const { numDeletedRows } = await this.database
      .deleteFrom("tokens")
      .where("id", "=", id)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }
}

/** The account's identity on the code host. */
export const asHostAccount = ({ host_id: hostId, login, type }: Account): HostAccount => ({
  hostId,
  login,
  type,
});
