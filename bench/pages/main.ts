/**
 * What it costs a start to compare a database of a given size with its sums, beside SQLite's own checks, which see no changed byte in a row. Interleaved.
 * Prints one table: node dist/bench/pages/main.js [--mebibytes 64] [--rounds 7]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { openDatabase } from "../../daemon/services/store/open.js";
import { inspect } from "../../daemon/services/store/pages/inspect.js";
import { silent } from "../../daemon/services/testing/silent-log.js";
import { median, print } from "../support/table.js";

const { values } = parseArgs({
  options: {
    mebibytes: { type: "string", default: "64" },
    rounds: { type: "string", default: "7" },
  },
});
const mebibytes = Number(values.mebibytes);

const directory = mkdtempSync(join(tmpdir(), "reeve-pages-"));
try {
  const path = join(directory, "a.db");
  fill(path);
  const sides = [
    { what: "sums of all pages", perform: () => inspect(path)?.sums.close() },
    { what: "`PRAGMA quick_check`", perform: () => checked(path, "quick_check") },
    { what: "`PRAGMA integrity_check`", perform: () => checked(path, "integrity_check") },
  ].map((side) => ({ ...side, took: [] as number[] }));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const { perform, took } of sides) {
      const before = performance.now();
      perform();
      took.push(performance.now() - before);
    }
  }
  print(
    sides.map(({ what, took }) => ({
      what: `${what}, ${mebibytes} MiB`,
      result: `${median(took).toFixed(0)} ms`,
      bar: "",
    })),
    "The file is in the page cache.",
  );
} finally {
  rmSync(directory, { recursive: true });
}

/** Rows like those of runs, with two indexes. */
function fill(path: string): void {
  const { database, checkpoints } = openDatabase({
    ...{ path, log: silent, now: () => Date.now(), exclusive: true, frames: 4000 },
  });
  database.exec(`CREATE TABLE runs (id TEXT PRIMARY KEY, state TEXT, at INTEGER, output TEXT);
    CREATE INDEX by_state ON runs (state, id); CREATE INDEX by_time ON runs (at)`);
  const add = database.prepare("INSERT INTO runs VALUES (?, ?, ?, ?)");
  const each = 3000;
  database.exec("BEGIN");
  for (let row = 0; row * each < mebibytes * 1024 * 1024; row += 1) {
    add.run(String(row).padStart(20, "0"), "succeeded", row, "x".repeat(each - 200));
  }
  database.exec("COMMIT");
  checkpoints.close();
}

function checked(path: string, pragma: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  database.prepare(`PRAGMA ${pragma}`).get();
  database.close();
}
