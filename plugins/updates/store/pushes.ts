/**
 * Commits on their way to a code host elsewhere. Whoever pushes may be gone, or taken for it, before it is known what became of that: a branch with
 * such a commit is ours, and may be replaced.
 */
import type { Kysely } from "kysely";
import type { Tables } from "./tables.js";

export class Pushes {
  readonly #database: Kysely<Tables>;

  constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  /** Before anything is sent. */
  async begin(repoId: number, ref: string, sha: string): Promise<void> {
    await this.#database.insertInto("pushes").values({ repo_id: repoId, ref, sha }).execute();
  }

  async isOurs(repoId: number, ref: string, sha: string): Promise<boolean> {
    const found = await this.#database
      .selectFrom("pushes")
      .select("sha")
      .where("repo_id", "=", repoId)
      .where("ref", "=", ref)
      .where("sha", "=", sha)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** A record tells what is there; what else was on its way to this branch comes too late. */
  async over(repoId: number, ref: string): Promise<void> {
    await this.#database
      .deleteFrom("pushes")
      .where("repo_id", "=", repoId)
      .where("ref", "=", ref)
      .execute();
  }
}
