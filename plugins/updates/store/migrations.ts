/** The schema, migration by migration. */
import type { Kysely } from "kysely";
import type { Migration } from "reeve/plugin";

const first: Migration = async (database) => {
  await accounts(database);
  await configs(database);
  await pulls(database);
};

async function accounts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("accounts")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("host_id", "integer", (column) => column.notNull())
    .addColumn("login", "text", (column) => column.notNull().unique())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("gone", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema
    .createTable("tokens")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("digest", "text", (column) => column.notNull().unique())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("account_id", "integer")
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("created_at", "integer", (column) => column.notNull())
    .execute();
  await database.schema
    .createTable("repos")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("account_id", "integer", (column) => column.notNull())
    .addColumn("host_id", "integer", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("place", "text", (column) => column.notNull())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("private", "integer", (column) => column.notNull())
    .addColumn("fork", "integer", (column) => column.notNull())
    .addColumn("language", "text")
    .addColumn("default_branch", "text", (column) => column.notNull())
    .addColumn("config_file", "text")
    .addColumn("seen_head", "text")
    .addColumn("gone", "integer", (column) => column.notNull().defaultTo(0))
    .addUniqueConstraint("repos_name", ["account_id", "name"])
    .execute();
  await index(database, "repos", ["host_id"]);
}

async function configs(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("update_configs")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("repo_id", "integer", (column) => column.notNull())
    .addColumn("package_manager", "text", (column) => column.notNull())
    .addColumn("package_manager_spelling", "text", (column) => column.notNull())
    .addColumn("directory", "text", (column) => column.notNull())
    .addColumn("update_schedule", "text", (column) => column.notNull())
    .addColumn("target_branch", "text", (column) => column.notNull())
    .addColumn("lockfile_only", "integer", (column) => column.notNull())
    .addColumn("security_updates_only", "integer", (column) => column.notNull())
    .addColumn("automerge_runtime", "text", (column) => column.notNull())
    .addColumn("automerge_development", "text", (column) => column.notNull())
    .addColumn("extras", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("created_at", "integer", (column) => column.notNull())
    .addColumn("next_run_at", "integer", (column) => column.notNull())
    .addColumn("last_run_at", "integer")
    .addColumn("indexed_at", "text")
    .addColumn("trouble", "text")
    .addColumn("project", "text")
    .addUniqueConstraint("update_configs_place", [
      "repo_id",
      "package_manager",
      "directory",
      "target_branch",
    ])
    .execute();
  await index(database, "update_configs", ["next_run_at"]);
  await database.schema
    .createTable("dependencies")
    .addColumn("config_id", "integer", (column) => column.notNull())
    .addColumn("package_manager", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .execute();
  await index(database, "dependencies", ["package_manager", "name", "config_id"]);
  await index(database, "dependencies", ["config_id"]);
  await database.schema
    .createTable("pending")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("config_id", "integer", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("trigger", "text", (column) => column.notNull())
    .execute();
  await index(database, "pending", ["config_id"]);
  await database.schema
    .createTable("ignores")
    .addColumn("config_id", "integer", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addUniqueConstraint("ignores_once", ["config_id", "name", "version"])
    .execute();
}

async function pulls(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("runs")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("config_id", "integer", (column) => column.notNull())
    .addColumn("repo_id", "integer", (column) => column.notNull())
    .addColumn("trigger", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("started_at", "integer", (column) => column.notNull())
    .addColumn("finished_at", "integer")
    .addColumn("reason", "text")
    .addColumn("outcomes", "text", (column) => column.notNull())
    .execute();
  await index(database, "runs", ["config_id", "id"]);
  await index(database, "runs", ["repo_id", "id"]);
  await database.schema
    .createTable("pull_requests")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("repo_id", "integer", (column) => column.notNull())
    .addColumn("config_id", "integer", (column) => column.notNull())
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("base", "text", (column) => column.notNull())
    .addColumn("base_sha", "text", (column) => column.notNull())
    .addColumn("head_ref", "text", (column) => column.notNull())
    .addColumn("head_sha", "text", (column) => column.notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("superseded_by", "integer")
    .addColumn("security", "integer", (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("checks", "text", (column) => column.notNull())
    .addColumn("automerge", "text", (column) => column.notNull())
    .addColumn("automerge_reason", "text")
    .addColumn("labels", "text", (column) => column.notNull())
    .addColumn("created_at", "integer", (column) => column.notNull())
    .addColumn("updated_at", "integer", (column) => column.notNull())
    .addColumn("merged_sha", "text")
    .addUniqueConstraint("pull_requests_number", ["repo_id", "number"])
    .execute();
  await index(database, "pull_requests", ["config_id", "state"]);
  await database.schema
    .createTable("pull_dependencies")
    .addColumn("pull_id", "integer", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("from_version", "text")
    .addColumn("to_version", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("requirement", "text")
    .addColumn("update_type", "text", (column) => column.notNull())
    .addColumn("in_range", "integer", (column) => column.notNull())
    .addColumn("security", "integer", (column) => column.notNull())
    .execute();
  await index(database, "pull_dependencies", ["pull_id"]);
}

const index = (database: Kysely<unknown>, table: string, columns: readonly string[]) =>
  database.schema
    .createIndex(`${table}_by_${columns.join("_")}`)
    .on(table)
    .columns([...columns])
    .execute();

/** One row, written to flush the disk. */
const settled: Migration = async (database) => {
  await database.schema
    .createTable("settled")
    .addColumn("at", "integer", (column) => column.notNull())
    .execute();
  await (database as Kysely<{ settled: { at: number } }>)
    .insertInto("settled")
    .values({ at: 0 })
    .execute();
};

const answers: Migration = async (database) => {
  await database.schema
    .createTable("answers")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("etag", "text")
    .addColumn("last_modified", "text")
    .addColumn("digest", "text", (column) => column.notNull())
    .addColumn("kept_at", "integer", (column) => column.notNull())
    .execute();
};

const announced: Migration = async (database) => {
  await database.schema.alterTable("pending").addColumn("announced_at", "integer").execute();
};

const pushes: Migration = async (database) => {
  await database.schema
    .createTable("pushes")
    .addColumn("repo_id", "integer", (column) => column.notNull())
    .addColumn("ref", "text", (column) => column.notNull())
    .addColumn("sha", "text", (column) => column.notNull())
    .execute();
  await index(database, "pushes", ["repo_id"]);
};

const events: Migration = async (database) => {
  await database.schema
    .createTable("events")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("at", "integer", (column) => column.notNull())
    .addColumn("daemon", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .execute();
};

const folder: Migration = async (database) => {
  await database.schema
    .createTable("folder")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("mark", "text", (column) => column.notNull())
    .execute();
};

export const migrations: Readonly<Record<string, Migration>> = {
  "001-first": first,
  "002-settled": settled,
  "003-answers": answers,
  "004-announced": announced,
  "005-pushes": pushes,
  "006-events": events,
  "007-folder": folder,
};
