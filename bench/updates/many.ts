/** An account with thousands of repositories that have configs and, for the sweep, dependencies: folders and records made by hand. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "./world.js";

/** The account's id on the host. */
export async function filled(at: World, count: number): Promise<number> {
  const root = join(at.daemon.directory, "repositories/many");
  const template = join(at.daemon.directory, "empty.git");
  for (const folder of ["refs/heads", "objects"])
    mkdirSync(join(template, folder), { recursive: true });
  cpSync(join(at.repositoryPath("first"), "HEAD"), join(template, "HEAD"));
  for (let index = 0; index < count; index += 1) {
    cpSync(template, join(root, `r-${index}.git`), { recursive: true });
  }
  const { accounts } = await at.control<{
    accounts: readonly { readonly id: number; readonly login: string }[];
  }>("GET", "/accounts");
  const { id = 0 } = accounts.find(({ login }) => login === "many") ?? {};
  const database = tables(at);
  database.exec(`INSERT INTO update_configs
    (repo_id, package_manager, package_manager_spelling, directory, update_schedule, target_branch, lockfile_only,
     security_updates_only, automerge_runtime, automerge_development, extras, source, created_at, next_run_at)
    SELECT repos.id, 'npm_and_yarn', 'npm_and_yarn', '/', 'daily', '', 0, 0, 'never', 'never', '{}', 'api', 0, 9007199254740991
    FROM repos JOIN accounts ON accounts.id = repos.account_id WHERE accounts.login = 'many'`);
  database.close();
  return id;
}

/** Packages that the repositories of the sweep depend on, all together. */
const DISTINCT = 2000;

/**
 * One look at everything, all of it due at once: every repository has `each` dependencies, of which none is new.
 * The repositories have no commit, so a run that reads one fails. Milliseconds.
 */
export async function swept(
  at: World,
  config: string,
  count: number,
  each: number,
): Promise<number> {
  const database = tables(at);
  const { data, package_manager } = database
    .prepare("SELECT data, package_manager FROM dependencies WHERE name = 'p-0'")
    .get() as { data: string; package_manager: string };
  const ids = database
    .prepare(
      `SELECT update_configs.id FROM update_configs JOIN repos ON repos.id = repo_id
       JOIN accounts ON accounts.id = account_id WHERE accounts.login = 'many' ORDER BY 1 LIMIT ?`,
    )
    .all(count) as unknown as readonly { readonly id: number }[];
  for (let index = 0; index < DISTINCT; index += 1) at.registry.publish(`s-${index}`, "1.0.0");
  const known = JSON.parse(data) as object;
  const add = database.prepare(
    "INSERT INTO dependencies (config_id, package_manager, name, data) VALUES (?, ?, ?, ?)",
  );
  database.exec(
    "BEGIN IMMEDIATE; DELETE FROM runs; DELETE FROM dependencies WHERE name LIKE 's-%'",
  );
  for (const [index, { id }] of ids.entries()) {
    for (let offset = 0; offset < each; offset += 1) {
      const name = `s-${(index * 7 + offset * 31) % DISTINCT}`;
      add.run(id, package_manager, name, JSON.stringify({ ...known, name }));
    }
  }
  const due = database.prepare(
    `UPDATE update_configs SET next_run_at = 0, indexed_at = 'unread', project = '{"runtime":{}}' WHERE id = ?`,
  );
  for (const { id } of ids) due.run(id);
  database.exec("COMMIT");
  const started = performance.now();
  const ended = database.prepare(
    "SELECT count(*) AS count FROM runs WHERE finished_at IS NOT NULL",
  );
  // The schedule looks again when a config changes.
  await at.send("PATCH", `/update_configs/${config}`, { "update-schedule": "weekly" });
  while ((ended.get() as { count: number }).count < ids.length) await sleep(100);
  const took = performance.now() - started;
  const failed = database.prepare("SELECT reason FROM runs WHERE state <> 'succeeded'").get();
  database.close();
  if (failed) throw new Error(`A run of the sweep failed: ${String(failed.reason)}`);
  return took;
}

function tables(at: World): DatabaseSync {
  const path = join(at.daemon.directory, ".state/plugins/updates/tables.sqlite");
  return new DatabaseSync(path, { timeout: 10_000 });
}
