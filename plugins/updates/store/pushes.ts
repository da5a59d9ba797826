/**
 * Commits being pushed to a remote code host. A daemon may die before it knows the result of a push; a branch with a recorded commit is
 * Reeve's, and may be replaced.
 */
import { TableAccess } from "./table-access.js";

export class Pushes extends TableAccess {
  /** Call before the push. */
  async begin(repoId: number, ref: string, sha: string): Promise<void> {
    await this.database.insertInto("pushes").values({ repo_id: repoId, ref, sha }).execute();
  }

  async isOurs(repoId: number, ref: string, sha: string): Promise<boolean> {
    const found = await this.database
      .selectFrom("pushes")
      .select("sha")
      .where("repo_id", "=", repoId)
      .where("ref", "=", ref)
      .where("sha", "=", sha)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** The record now matches the branch; earlier pushes no longer matter. */
  async over(repoId: number, ref: string): Promise<void> {
    await this.database
      .deleteFrom("pushes")
      .where("repo_id", "=", repoId)
      .where("ref", "=", ref)
      .execute();
  }
}
