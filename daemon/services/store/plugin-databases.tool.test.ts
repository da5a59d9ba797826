import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "ava";
import { type Generated, type Kysely, sql } from "kysely";
import type { Migration } from "../../plugin-api/state.js";
import { engines } from "../testing/engines.js";
import { contextOf, kitFor } from "../testing/services.js";

interface Tables {
  pets: { id: Generated<number>; name: string; tame: number };
}

const pets: Migration = async (database) => {
  await database.schema
    .createTable("pets")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .execute();
};
const tame: Migration = async (database) => {
  await database.schema
    .alterTable("pets")
    .addColumn("tame", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
};

for (const engine of engines) {
  engine.test(
    `${engine.name}: tables are made by migrations, each once, in the order of their names`,
    async (t) => {
      const location = await engine.locationFor(t);
      const first = await engine.kitFor(t, {}, location);
      const { store } = (await contextOf(first)).context;
      const order: string[] = [];
      const noting =
        (name: string, migration: Migration): Migration =>
        async (database) => {
          order.push(name);
          await migration(database);
        };
      const migrations = { "002": noting("002", tame), "001": noting("001", pets) };
      const database = await store.database<Tables>(migrations);
      const added = await database
        .insertInto("pets")
        .values({ name: "Rex", tame: true as unknown as number })
        .returning(["id", "tame"])
        .executeTakeFirst();
      t.deepEqual({ ...added }, { id: 1, tame: 1 });
      const { numUpdatedRows } = await database
        .updateTable("pets")
        .set({ name: "Max" })
        .executeTakeFirst();
      t.is(numUpdatedRows, 1n);
      await first.close();

      const again = await (
        await contextOf(await engine.kitFor(t, {}, location))
      ).context.store.database<Tables>(migrations);
      t.deepEqual(order, ["001", "002"]);
      const names = await again.selectFrom("pets").select("name").execute();
      t.deepEqual(
        names.map(({ name }) => name),
        ["Max"],
      );
    },
  );

  engine.test(
    `${engine.name}: a migration that fails leaves nothing behind and is tried again`,
    async (t) => {
      const { store } = (await contextOf(await engine.kitFor(t))).context;
      const half: Migration = async (database) => {
        await pets(database);
        throw new Error("in the middle");
      };
      await t.throwsAsync(store.database({ "001": half }), { message: "in the middle" });
      const database = await store.database<Tables>({ "001": pets });
      t.deepEqual(await database.selectFrom("pets").select("id").execute(), []);
    },
  );

  engine.test(
    `${engine.name}: transactions that overlap wait for each other and come to what they should`,
    async (t) => {
      const { store } = (await contextOf(await engine.kitFor(t))).context;
      const database = await store.database<Tables>({ "001": pets, "002": tame });
      await database.insertInto("pets").values({ name: "0", tame: 0 }).execute();
      const count = (): Promise<void> =>
        database.transaction().execute(async (transaction) => {
          const { name } = await transaction
            .selectFrom("pets")
            .select("name")
            .executeTakeFirstOrThrow();
          await new Promise((resolve) => setImmediate(resolve));
          await transaction
            .updateTable("pets")
            .set({ name: String(Number(name) + 1) })
            .execute();
        });
      await Promise.all(Array.from({ length: 20 }, count));
      t.is((await database.selectFrom("pets").select("name").executeTakeFirst())?.name, "20");
    },
  );

  engine.test(
    `${engine.name}: an older version of a plugin does not touch the tables of a newer one`,
    async (t) => {
      const { store } = (await contextOf(await engine.kitFor(t), "pets")).context;
      await store.database({ "001": pets, "002": tame });
      await t.throwsAsync(store.database({ "001": pets }), {
        code: "tables_too_new",
        message: "The tables of the plugin pets were changed by a newer version of it (002).",
      });
    },
  );
}

test("no query reaches another file", async (t) => {
  const kit = await kitFor(t);
  const a = (await contextOf(kit, "a")).context;
  const b = (await contextOf(kit, "b")).context;
  await a.store.database({ "001": pets });
  const other: Kysely<unknown> = await b.store.database({});
  const path = join(a.directories.state, "tables.sqlite");
  await t.throwsAsync(sql`ATTACH ${path} AS stolen`.execute(other));
  await t.throwsAsync(sql`SELECT * FROM pets`.execute(other), { message: /no such table/ });
});

test("no query changes how the log is kept: its pages would have no sums", async (t) => {
  const database = await (await contextOf(await kitFor(t))).context.store.database({});
  for (const statement of [
    "PRAGMA wal_checkpoint(FULL)",
    "pragma main.wal_autocheckpoint = 1",
    "PRAGMA journal_mode = DELETE",
  ]) {
    await t.throwsAsync(sql.raw(statement).execute(database), { message: /up to the daemon/ });
  }
});

test("a migration does not run again on tables that have it, where its row was damaged", async (t) => {
  const first = await kitFor(t);
  const { context, dispose } = await contextOf(first);
  await context.store.database<Tables>({ "001": pets, "002": tame });
  const path = join(context.directories.state, "tables.sqlite");
  await dispose();
  const damaged = new DatabaseSync(path);
  damaged.exec("DELETE FROM reeve_migrations");
  damaged.close();
  rmSync(`${path}-pages`);
  const { store } = (await contextOf(first)).context;
  const database = await store.database<Tables>({ "001": pets, "002": tame });
  await database.insertInto("pets").values({ name: "a", tame: 1 }).execute();
  t.is((await database.selectFrom("pets").select("id").execute()).length, 1);
});

test("a plugin's successor shares its tables until the old one is gone", async (t) => {
  const kit = await kitFor(t);
  const old = await contextOf(kit);
  const before = await old.context.store.database<Tables>({ "001": pets, "002": tame });
  const next = await contextOf(kit);
  const after = await next.context.store.database<Tables>({ "001": pets, "002": tame });
  await Promise.all([
    before.insertInto("pets").values({ name: "a", tame: 1 }).execute(),
    after.insertInto("pets").values({ name: "b", tame: 1 }).execute(),
  ]);
  await old.dispose();
  t.is((await after.selectFrom("pets").select("id").execute()).length, 2);
  await next.dispose();
  const path = join(next.context.directories.state, "tables.sqlite");
  const file = new DatabaseSync(path, { readOnly: true });
  t.is(file.prepare("SELECT count(*) AS n FROM pets").get()?.n, 2);
  file.close();
});
