/** An account with thousands of repositories that have configs: folders made by hand, records through the interface. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { World } from "./world.js";

/** The account's id on the host. */
export async function filled(at: World, count: number): Promise<number> {
  const root = join(at.daemon.directory, "repositories/many");
  const template = join(at.daemon.directory, "empty.git");
  for (const folder of ["refs/heads", "objects"])
    mkdirSync(join(template, folder), { recursive: true });
  cpSync(join(at.place("first"), "HEAD"), join(template, "HEAD"));
  for (let index = 0; index < count; index += 1) {
    cpSync(template, join(root, `r-${index}.git`), { recursive: true });
  }
  const { accounts } = await at.control<{
    accounts: readonly { readonly id: number; readonly login: string }[];
  }>("GET", "/accounts");
  const { id = 0 } = accounts.find(({ login }) => login === "many") ?? {};
  const path = join(at.daemon.directory, ".state/plugins/updates/tables.sqlite");
  const database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec(`INSERT INTO update_configs
    (repo_id, package_manager, package_manager_spelling, directory, update_schedule, target_branch, lockfile_only,
     security_updates_only, automerge_runtime, automerge_development, extras, source, created_at, next_run_at)
    SELECT repos.id, 'npm_and_yarn', 'npm_and_yarn', '/', 'daily', '', 0, 0, 'never', 'never', '{}', 'api', 0, 9007199254740991
    FROM repos JOIN accounts ON accounts.id = repos.account_id WHERE accounts.login = 'many'`);
  database.close();
  return id;
}
