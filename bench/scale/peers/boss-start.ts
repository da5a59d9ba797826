/** pg-boss on connections of ours. */
import type { Pool, PoolClient } from "pg";
import { type Db, PgBoss } from "pg-boss";
import { sharedFailure } from "../../../daemon/services/shared/failure.js";
import { makeNotes } from "./boss-notes.js";

/** Texts that are read and planned once a connection; not all of them, as those that differ in a number are many. */
const names = new Map<string, string>();
const mostNames = 300;

function statementOf(text: string, values: readonly unknown[] | undefined) {
  // More than one in a text cannot be prepared, and comes without values.
  if (values === undefined || values.length === 0) return { text };
  if (names.size < mostNames && !names.has(text)) names.set(text, `boss_${names.size}`);
  const name = names.get(text);
  return { text, values: [...values], ...(name === undefined ? {} : { name }) };
}

export const databaseOn = (client: Pool | PoolClient): Db => ({
  executeSql: (text, values) =>
    client.query(statementOf(text, values)).catch((thrown: unknown) => {
      throw sharedFailure(thrown);
    }),
});

/** Without what reeve has no use for, and looking after leases as often as it can. */
export async function startBoss(pool: Pool): Promise<PgBoss> {
  const boss = new PgBoss({
    ...{ db: databaseOn(pool), schedule: false, reindex: false },
    ...{ monitorVacuum: false, registerInstance: false },
    ...{ superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 },
  });
  boss.on("error", () => undefined);
  await boss.start();
  await makeNotes(pool);
  return boss;
}
