/** Run records as they lie in the database. */
import type { SQLInputValue } from "node:sqlite";
import type { RunFilter, RunRecord, RunState } from "../../plugin-api/state.js";
import type { Database, DatabaseRow } from "../store/database.js";
import type { End, NewRow, RunChange } from "./run-change.js";
import type { CapturedOutput } from "./run-output.js";

const defaultPage = 50;
const largestPage = 1000;

/** The page that is given where no other is wanted. */
export const pageOf = ({ limit = defaultPage }: RunFilter): number =>
  Math.min(Math.max(Math.trunc(limit), 0), largestPage);

/** Everything but the readers is called inside a transaction. */
export class RunTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whatever part of it is there already stays as it is: a daemon that was killed may have come this far. */
  apply(change: RunChange): void {
    const { id, reopened, moved, end, detail, resume } = change;
    if (reopened) this.#reopen(id, reopened.plugin, reopened.generation);
    if (change.row && this.#insert({ ...change, row: change.row })) return;
    if (moved) {
      this.#run(
        "UPDATE runs SET state = ?, started_at = ? WHERE id = ? AND finished_at IS NULL",
        ...[moved.state, moved.at ?? null, id],
      );
    }
    if (detail !== undefined) this.#run("UPDATE runs SET detail = ? WHERE id = ?", detail, id);
    if (resume === "forgotten") this.#run("DELETE FROM run_resumes WHERE id = ?", id);
    else if (resume) this.#keep(id, resume);
    if (end) this.#finish(id, end);
  }

  /** Whether it was not there yet. */
  #insert({ id, row, moved, end, detail, request, resume }: RunChange & { row: NewRow }): boolean {
    const { exitCode, signal, reason, state = moved?.state ?? "running" } = end?.result ?? {};
    const { text, bytes, omitted } = end?.output ?? { text: "", bytes: 0, omitted: 0 };
    const added = this.#run(
      `INSERT INTO runs (id, plugin, kind, subject, state, trigger, generation, queued_at, started_at, finished_at,
         exit_code, signal, reason, detail, bytes, omitted, output, size)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ...[id, row.plugin, row.kind, row.subject, state, row.trigger ?? null, row.generation],
      ...[row.queuedAt, moved?.at ?? null, end?.at ?? null],
      ...[exitCode ?? null, signal ?? null, reason ?? null, detail ?? null],
      ...[bytes, omitted, text, (request?.length ?? 0) + text.length * (end ? 1 : 0)],
    );
    if (added === 0) return false;
    if (request !== undefined) {
      this.#run(
        "INSERT INTO run_requests (id, request) VALUES (?, ?) ON CONFLICT DO NOTHING",
        ...[id, request],
      );
    }
    if (typeof resume === "object") this.#keep(id, resume);
    return true;
  }

  #keep(id: string, { plugin, data }: { readonly plugin: string; readonly data: string }): void {
    this.#run("REPLACE INTO run_resumes (id, plugin, data) VALUES (?, ?, ?)", id, plugin, data);
  }

  #finish(id: string, { result, at, output }: End): void {
    const { state, exitCode, signal, reason } = result;
    this.#run(
      `UPDATE runs SET state = ?, exit_code = ?, signal = ?, reason = ?, finished_at = ?, output = ?, bytes = ?, omitted = ?, size = size + ?
       WHERE id = ? AND finished_at IS NULL`,
      ...[state, exitCode ?? null, signal ?? null, reason ?? null, at],
      ...[output.text, output.bytes, output.omitted, output.text.length, id],
    );
  }

  output(id: string, { text, bytes, omitted }: CapturedOutput): void {
    this.#run(
      "UPDATE runs SET output = ?, bytes = ?, omitted = ? WHERE id = ?",
      ...[text, bytes, omitted, id],
    );
  }

  /** Whether its daemon died while holding it, with the data to resume it. */
  isLeft(id: string, plugin: string): boolean {
    const found = this.#database.row(`SELECT 1 FROM runs WHERE ${left}`, id, plugin);
    return found !== undefined;
  }

  #reopen(id: string, plugin: string, generation: number): void {
    this.#run(
      `UPDATE runs SET state = 'queued', generation = ?, started_at = NULL, finished_at = NULL,
         exit_code = NULL, signal = NULL, reason = NULL,
         size = coalesce((SELECT length(request) FROM run_requests WHERE run_requests.id = runs.id), 0)
       WHERE ${left}`,
      ...[generation, id, plugin],
    );
  }

  /** All resumable runs, including held ones. Oldest first. */
  resumable(plugin: string): ReadonlyArray<{ readonly id: string; readonly resume: unknown }> {
    return this.#database
      .rows("SELECT id, data FROM run_resumes WHERE plugin = ? ORDER BY id", plugin)
      .flatMap(({ id, data }) => {
        const resume = this.#database.decoded(data, "run_resumes", id);
        return resume === undefined ? [] : [{ id: id as string, resume }];
      });
  }

  /** With its request and what it takes to resume it. */
  remove(id: string): void {
    this.#run("DELETE FROM runs WHERE id = ?", id);
  }

  /** Records that a daemon left behind unfinished; what waits and can be carried out another time goes on waiting. Returns how many. */
  interrupt(at: number): number {
    return this.#run(
      `UPDATE runs SET state = 'interrupted', finished_at = ?, size = size + length(output),
         reason = CASE state WHEN 'queued' THEN 'The daemon stopped before it began.'
                             ELSE 'The daemon stopped while it was running.' END
       WHERE state = 'running' OR (state = 'queued' AND id NOT IN (SELECT id FROM run_resumes))`,
      at,
    );
  }

  /** Removes finished records beyond the newest `keep`, and those that finished before `oldest`. */
  prune(keep: number, oldest: number): void {
    this.#run("DELETE FROM runs WHERE finished_at < ?", oldest);
    this.#run(
      `DELETE FROM runs WHERE finished_at IS NOT NULL
         AND id <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?)`,
      keep,
    );
  }

  /** Removes the records that finished first, as far as all of them together have more than `total` characters of output and requests. */
  shrink(total: number): void {
    this.#run(
      `DELETE FROM runs WHERE finished_at <= (
         SELECT finished_at FROM (
           SELECT finished_at, sum(size) OVER (ORDER BY finished_at DESC) AS sum
           FROM runs WHERE finished_at IS NOT NULL
         ) WHERE sum > ? LIMIT 1)`,
      total,
    );
  }

  get(id: string, plugin: string | undefined): RunRecord | undefined {
    const row = this.#database.row("SELECT * FROM runs WHERE id = ?", id);
    if (!row || (plugin !== undefined && row.plugin !== plugin)) return undefined;
    const request = this.#database.row("SELECT request FROM run_requests WHERE id = ?", id);
    if (!request) return this.#recordOf(row);
    const decoded = this.#database.decoded(request.request, "run_requests", id);
    return { ...this.#recordOf(row), request: decoded };
  }

  /** Those of them that are kept, without their requests. */
  records(ids: readonly string[]): readonly RunRecord[] {
    return this.#database
      .rows("SELECT * FROM runs WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids))
      .map((row) => this.#recordOf(row));
  }

  /** Newest first. */
  list(filter: RunFilter, plugin: string | undefined): readonly RunRecord[] {
    const { kind, subject, state, before } = filter;
    const wanted: ReadonlyArray<readonly [condition: string, value: string | undefined]> = [
      ["plugin = ?", plugin],
      ["kind = ?", kind],
      ["subject = ?", subject],
      ["state = ?", state],
      ["id < ?", before],
    ];
    const request = wanted.filter(([, value]) => value !== undefined);
    const values: SQLInputValue[] = request.map(([, value]) => value ?? null);
    const where = request.map(([condition]) => condition).join(" AND ");
    return this.#database
      .rows(
        `SELECT * FROM runs ${where && `WHERE ${where}`} ORDER BY id DESC LIMIT ?`,
        ...values,
        pageOf(filter),
      )
      .map((row) => this.#recordOf(row));
  }

  /** How many records there are, by state. */
  counts(): Readonly<Record<RunState, number>> {
    const counts: Record<RunState, number> = {
      ...{ queued: 0, running: 0, succeeded: 0, failed: 0 },
      ...{ timed_out: 0, cancelled: 0, interrupted: 0 },
    };
    const rows = this.#database.rows("SELECT state, count(*) AS count FROM runs GROUP BY state");
    for (const { state, count } of rows) counts[state as RunState] = count as number;
    return counts;
  }

  /** The greatest id there is. */
  last(): string | undefined {
    const found = this.#database.row("SELECT max(id) AS last FROM runs");
    return (found?.last ?? undefined) as string | undefined;
  }

  #recordOf(row: DatabaseRow): RunRecord {
    const optional = <T>(value: unknown): T | undefined => (value ?? undefined) as T | undefined;
    return {
      id: row.id as string,
      kind: row.kind as string,
      subject: row.subject as string,
      state: row.state as RunState,
      trigger: optional(row.trigger),
      generation: row.generation as number,
      queuedAt: row.queued_at as number,
      startedAt: optional(row.started_at),
      finishedAt: optional(row.finished_at),
      exitCode: optional(row.exit_code),
      signal: optional(row.signal),
      reason: optional(row.reason),
      detail: this.#database.decoded(row.detail, "runs", row.id),
      output: {
        text: row.output as string,
        bytes: row.bytes as number,
        omitted: row.omitted as number,
      },
    };
  }

  #run(sql: string, ...parameters: SQLInputValue[]): number {
    return Number(this.#database.statement(sql).run(...parameters).changes);
  }
}

/** Of the run with an id, of a plugin. */
const left = `id = ? AND plugin = ? AND state IN ('queued', 'interrupted')
  AND EXISTS (SELECT 1 FROM run_resumes WHERE run_resumes.id = runs.id)`;
