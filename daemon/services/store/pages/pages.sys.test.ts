/** Sums of pages: each byte that changes is noticed, and nothing that SQLite or a stop at any moment does looks like damage. */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { child } from "../../../../tests/support/child.js";
import { folder } from "../../../../tests/support/folder.js";
import { type Random, seeded } from "../../runs/journal/testing/recorded-files.js";
import { silent } from "../../testing/silent-log.js";
import { openDatabase } from "../open.js";
import { type Inspection, inspect } from "./inspect.js";
import { sumsOf } from "./page-sums.js";
import { frameBytesAt, walOf } from "./wal.js";

const seed = Number(process.env.REEVE_SEED ?? 1);
const writer = fileURLToPath(new URL("../../testing/page-writer.js", import.meta.url));

const open = (path: string, frames = 30) =>
  openDatabase({ path, log: silent, now: () => 0, exclusive: false, frames });

/** What is found in copies of the files, as a kill leaves them. */
function looked(path: string, to: string): Omit<Inspection, "sums"> {
  for (const name of [(of: string) => of, walOf, sumsOf]) {
    if (existsSync(name(path))) copyFileSync(name(path), name(to));
    else writeFileSync(name(to), "");
  }
  const found = inspect(to);
  if (!found) throw new Error("nothing is known about the database");
  const { sums, ...rest } = found;
  sums.close();
  return rest;
}

type Database = ReturnType<typeof open>["database"];

/** Anything that a plugin may do with its tables. */
const steps: ReadonlyArray<(database: Database, random: Random) => void> = [
  (database, random) => {
    const add = database.prepare("INSERT INTO a (x, n) VALUES (?, ?)");
    for (let row = 0; row < 1 + random() * 20; row += 1) {
      add.run("y".repeat(random() * 9000), Math.floor(random() * 100));
    }
  },
  (database, random) => {
    database.exec(`UPDATE a SET x = x || 'z' WHERE n < ${Math.floor(random() * 100)}`);
  },
  (database, random) => {
    database.exec(`DELETE FROM a WHERE n < ${Math.floor(random() * 40)}`);
  },
  // More than the cache holds: frames are written, and then the transaction is undone.
  (database) => {
    database.exec("BEGIN; UPDATE a SET x = x || 'undone'; ROLLBACK");
  },
  (database, random) => {
    const name = `i${Math.floor(random() * 3)}`;
    database.exec(`DROP INDEX IF EXISTS ${name}; CREATE INDEX ${name} ON a (n)`);
  },
];

test("whatever is done to a database, its pages are as the sums and the log say, at any time", (t) => {
  const random = seeded(seed);
  for (let round = 0; round < 6; round += 1) {
    const directory = folder(t);
    const path = join(directory, "a.db");
    const copy = join(directory, "copy.db");
    let { database, checkpoints } = open(path);
    database.exec(
      "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, n INTEGER); PRAGMA cache_size = 5",
    );
    for (let step = 0; step < 60; step += 1) {
      steps[Math.floor(random() * steps.length)]?.(database, random);
      if (random() < 0.8) checkpoints.committed(true);
      const { isDamaged, isUnsure, bad, log } = looked(path, copy);
      t.deepEqual([isDamaged, isUnsure, [...bad], log.lost], [false, false, [], 0]);
      if (random() < 0.1) {
        checkpoints.close();
        t.false(existsSync(walOf(path)));
        ({ database, checkpoints } = open(path));
        database.exec("PRAGMA cache_size = 5");
      }
    }
    checkpoints.close();
  }
});

test("a daemon that is killed at any moment leaves nothing that looks like damage, and every commit", async (t) => {
  const path = join(folder(t), "a.db");
  const random = seeded(seed);
  let known = 0;
  for (let round = 0; round < 12; round += 1) {
    const running = child(t, process.execPath, [writer, path]);
    await running.says(new RegExp(`(\\d+\n){${1 + Math.floor(random() * 300)}}`));
    running.kill("SIGKILL");
    await running.ended;
    known = Number(/(\d+)\n[^\n]*$/.exec(running.stdout)?.[1]);
    const found = inspect(path);
    t.like(found, { isDamaged: false, isUnsure: false, bad: new Set(), log: { lost: 0 } });
    found?.sums.close();
    const { database, checkpoints } = open(path);
    t.true(Number(database.prepare("SELECT max(id) AS last FROM a").get()?.last) >= known);
    t.is(database.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
    checkpoints.close();
  }
});

/** A database whose pages are partly in its file and partly in the log; closed as by a kill. */
function killed(t: Parameters<typeof folder>[0]): string {
  const path = join(folder(t), "a.db");
  const { database, checkpoints } = open(path, 100);
  t.teardown(() => checkpoints.close());
  database.exec(
    "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, n INTEGER); CREATE INDEX i ON a (n)",
  );
  const add = database.prepare("INSERT INTO a (x, n) VALUES (?, ?)");
  for (let row = 0; row < 130; row += 1) {
    add.run(`${row}`.repeat(row * 20), row);
    checkpoints.committed(true);
  }
  const left = join(folder(t), "a.db");
  for (const name of [(of: string) => of, walOf, sumsOf]) copyFileSync(name(path), name(left));
  return left;
}

test("one changed byte in any page is found, in that page alone", (t) => {
  const path = killed(t);
  const copy = join(folder(t), "copy.db");
  const { log, size } = looked(path, copy);
  const random = seeded(seed);
  const bytes = readFileSync(path);
  let compared = 0;
  for (let page = 1; page <= size; page += 1) {
    const at = (page - 1) * 4096 + (page === 1 ? 100 : 0) + Math.floor(random() * 3900);
    if (at >= bytes.length) continue;
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 4, at);
    writeFileSync(path, changed);
    const { bad } = looked(path, copy);
    t.deepEqual([...bad], log.frames.has(page) ? [] : [page]);
    if (!log.frames.has(page)) compared += 1;
  }
  t.true(compared > 10 && compared < size);
});

test("one changed byte in any part of the log costs that page at most", (t) => {
  const path = killed(t);
  const log = readFileSync(walOf(path));
  const sound = rowsOf(t, path);
  const random = seeded(seed);
  const count = Math.floor((statSync(walOf(path)).size - 32) / (4096 + 24));
  for (let frame = 0; frame < count; frame += 3) {
    const body = frameBytesAt(frame, 4096);
    for (const at of [
      body - 24 + Math.floor(random() * 24),
      body,
      body + Math.floor(random() * 4096),
    ]) {
      const changed = Buffer.from(log);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
      const findings: string[] = [];
      const rows = rowsOf(t, path, changed, findings);
      for (const [id, row] of sound) {
        if (rows.get(id) !== row)
          t.regex(findings.join(), /Missing: /, `frame ${frame}, byte ${at}`);
      }
      for (const [id, row] of rows) t.is(row, sound.get(id) ?? "", `frame ${frame}, byte ${at}`);
      t.true(rows.size > 0);
    }
  }
});

test("a commit that need not survive a power cut is missed after a kill, and not after another boot", (t) => {
  const path = join(folder(t), "a.db");
  const { database, checkpoints } = open(path, 100);
  t.teardown(() => checkpoints.close());
  database.exec("CREATE TABLE a (x)");
  checkpoints.committed(true);
  database.exec("INSERT INTO a VALUES ('written')");
  checkpoints.committed(false);
  const copy = join(folder(t), "copy.db");
  t.is(looked(path, copy).log.lost, 0);
  truncateSync(walOf(copy), statSync(walOf(copy)).size - 1);
  const [sameBoot, otherBoot] = [inspect(copy), inspect(copy, "another")];
  t.is(sameBoot?.log.lost, 1);
  t.is(otherBoot?.log.lost, 0);
  for (const found of [sameBoot, otherBoot]) found?.sums.close();
});

test("a stop while a damaged database is restored leaves the damaged one or the restored one", (t) => {
  const path = killed(t);
  const bytes = readFileSync(path);
  const { log } = looked(path, join(folder(t), "copy.db"));
  // Of the table's first rows, which are in the log no more.
  const page = [...Array(bytes.length / 4096).keys()].find(
    (index) => !log.frames.has(index + 1) && bytes.readUInt8(index * 4096) === 13,
  );
  writeFileSync(path, bytes.fill(0, (page ?? 0) * 4096, ((page ?? 0) + 1) * 4096));
  const kept = [readFileSync(path), readFileSync(walOf(path)), readFileSync(sumsOf(path))];
  const found: string[] = [];
  const attempt = (damaged: (what: string) => void): ReadonlyMap<unknown, string> => {
    const { database, checkpoints } = openDatabase({
      ...{ path, log: silent, now: () => 0, exclusive: false, frames: 100, damaged },
    });
    const rows = database.prepare("SELECT * FROM a").all();
    checkpoints.close();
    return new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
  };
  const stop = (): never => {
    throw new Error("a full disk");
  };
  // Before the new one is decided on.
  t.throws(() => attempt(stop), { message: "a full disk" });
  t.deepEqual(
    [path, walOf(path), sumsOf(path)].map((name) => readFileSync(name)),
    kept,
  );
  const restored = attempt((what) => found.push(what));
  t.regex(found.join(), /Missing: rows of the table a /);
  t.true(restored.size > 50);
  // After it, and before it has its name.
  renameSync(path, `${path}.restored`);
  for (const [index, name] of [path, walOf(path), sumsOf(path)].entries()) {
    writeFileSync(name, kept[index] ?? "");
  }
  t.deepEqual(attempt(stop), restored);
});

/** The rows that a daemon finds, and what it reports. */
function rowsOf(
  t: Parameters<typeof folder>[0],
  from: string,
  log = readFileSync(walOf(from)),
  findings: string[] = [],
): ReadonlyMap<unknown, string> {
  const path = join(folder(t), "a.db");
  copyFileSync(from, path);
  copyFileSync(sumsOf(from), sumsOf(path));
  writeFileSync(walOf(path), log);
  const damaged = (what: string): void => void findings.push(what);
  const { database, checkpoints } = openDatabase({
    ...{ path, log: silent, now: () => 0, exclusive: false, frames: 100, damaged },
  });
  const rows = database.prepare("SELECT * FROM a").all();
  checkpoints.close();
  return new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
}
