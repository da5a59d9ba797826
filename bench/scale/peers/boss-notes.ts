/** What pg-boss has no place for: progress, tries that count and tries that do not, and that a running job is cancelled. */
import type { Pool, PoolClient } from "pg";
import { uuidOf } from "./boss-ids.js";

const table = `CREATE SCHEMA IF NOT EXISTS reeve; CREATE TABLE IF NOT EXISTS reeve.notes (
  id uuid PRIMARY KEY, tries integer NOT NULL DEFAULT 0, spared integer NOT NULL DEFAULT 0, progress text,
  cancelled boolean NOT NULL DEFAULT false)`;

export interface Note {
  readonly id: string;
  /** That have failed by themselves. */
  readonly tries: number;
  /** That never began. */
  readonly spared: number;
  readonly progress: string | null;
  readonly cancelled: boolean;
}

export async function makeNotes(pool: Pool): Promise<void> {
  await pool.query(table).catch((thrown: { code?: string }) => {
    // Another process has just created it.
    if (thrown.code !== "23505" && thrown.code !== "42P07") throw thrown;
  });
}

/** By the uuid of the job. */
export async function notesOf(
  client: Pool | PoolClient,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, Note>> {
  if (uuids.length === 0) return new Map();
  const text = "SELECT * FROM reeve.notes WHERE id = ANY ($1)";
  const { rows } = await client.query<Note>(text, [uuids]);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function count(client: PoolClient, id: string, what: "tries" | "spared") {
  await client.query(
    `INSERT INTO reeve.notes (id, ${what}) VALUES ($1, 1)
     ON CONFLICT (id) DO UPDATE SET ${what} = notes.${what} + 1`,
    [uuidOf(id)],
  );
}

export async function keepProgress(client: PoolClient, id: string, progress: string) {
  await client.query(
    `INSERT INTO reeve.notes (id, progress) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET progress = $2`,
    [uuidOf(id), progress],
  );
}

export async function markCancelled(client: PoolClient, id: string) {
  await client.query(
    `INSERT INTO reeve.notes (id, cancelled) VALUES ($1, true)
     ON CONFLICT (id) DO UPDATE SET cancelled = true`,
    [uuidOf(id)],
  );
}

export async function cancelledOf(pool: Pool, uuids: readonly string[]): Promise<string[]> {
  const text = "SELECT id FROM reeve.notes WHERE cancelled AND id = ANY ($1)";
  const { rows } = await pool.query<{ id: string }>(text, [uuids]);
  return rows.map(({ id }) => id);
}
