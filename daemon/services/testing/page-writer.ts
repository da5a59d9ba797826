/** Writes into a database without end, and moves its log all the time, to be killed: `page-writer.js <path>`. Says which row is committed. */
import { writeSync } from "node:fs";
import { openDatabase } from "../store/open.js";
import { silent } from "./silent-log.js";

const [, , path = ""] = process.argv;
const options = { path, log: silent, now: () => Date.now(), exclusive: true, frames: 16 };
const { database, checkpoints } = openDatabase(options);
database.exec("CREATE TABLE IF NOT EXISTS a (id INTEGER PRIMARY KEY, x TEXT)");
checkpoints.committed(true);
const last = database.prepare("SELECT max(id) AS last FROM a").get()?.last;
const insert = database.prepare("INSERT INTO a VALUES (?, ?)");
for (let id = Number(last ?? 0) + 1; ; id += 1) {
  insert.run(id, "x".repeat((id * 37) % 9000));
  if (id % 7 === 0) database.exec(`DELETE FROM a WHERE id = ${id - 5}`);
  checkpoints.committed(true);
  writeSync(1, `${id}\n`);
}
