/** What a daemon makes of a damaged database. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "ava";
import { contextOf, kitFor, Lines, temporaryDirectory, until } from "../testing/services.js";

const damages: ReadonlyArray<readonly [what: string, damage: (content: Buffer) => Buffer]> = [
  [
    "something else",
    () => Buffer.from("this is no database, whatever its name says. ".repeat(100)),
  ],
  ["overwritten inside", (content) => Buffer.from(content).fill(0x5a, 8192, 16_384)],
  ["cut", (content) => content.subarray(0, 6000)],
];
for (const [what, damage] of damages) {
  test(`a database that is ${what} is moved aside, and its readable rows are copied`, async (t) => {
    const directory = temporaryDirectory(t);
    const first = await kitFor(t, {}, directory);
    const { context } = await contextOf(first);
    for (let index = 0; index < 50; index++) {
      await context.store.map("m").set(String(index), "x".repeat(1000));
    }
    await first.close();
    const path = join(directory, "state", "reeve.db");
    writeFileSync(path, damage(readFileSync(path)));
    const lines = new Lines();
    const second = await kitFor(t, { logStream: lines }, directory);
    t.deepEqual(await second.runs.list(), []);
    await second.records("a").set("b", 1);
    t.true(second.damage().length >= 1);
    const kept = readdirSync(join(directory, "state")).filter((name) => name.includes("damaged"));
    t.true(kept.length >= 1);
    const errors = lines.all.filter(({ level }) => level === "error");
    t.regex(
      String(errors[0]?.message),
      /is damaged: it is kept as .*reeve\.db\.damaged-\S+, and \d+ rows of it were copied\. Missing: /,
    );
  });
}

test("a database whose first page is overwritten loses nothing: what it says about the tables lies in a second place", async (t) => {
  const directory = temporaryDirectory(t);
  const first = await kitFor(t, {}, directory);
  for (let index = 0; index < 50; index += 1) {
    await contextOf(first).context.store.map("m").set(String(index), "x".repeat(1000));
  }
  await first.close();
  const path = join(directory, "state", "reeve.db");
  writeFileSync(path, readFileSync(path).fill(0x5a, 0, 4096));
  const lines = new Lines();
  const second = await kitFor(t, { logStream: lines }, directory);
  t.is((await contextOf(second).context.store.map("m").entries()).length, 50);
  t.deepEqual(second.damage(), []);
  const warnings = lines.all.filter(({ level }) => level === "warn");
  t.regex(String(warnings[0]?.message), /reeve\.db is damaged: .* Nothing is missing\.$/);
});

for (const [where, from] of [
  ["among its values", 200_000],
  ["from its tables on", 8192],
] as const) {
  test(`damage in a large file without sums, ${where}, is found at the start, and the rest is copied`, async (t) => {
    const directory = temporaryDirectory(t);
    const first = await kitFor(t, {}, directory);
    const map = (await contextOf(first)).context.store.map("m");
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => map.set(String(index), "x".repeat(1_000_000))),
    );
    await first.close();
    const path = join(directory, "state", "reeve.db");
    const content = readFileSync(path);
    writeFileSync(path, content.fill(0x5a, from, content.length));
    // As after an update from a version without sums of pages.
    rmSync(`${path}-pages`);
    const last = await kitFor(t, {}, directory);
    const left = await (await contextOf(last)).context.store.map("m").entries();
    t.true(left.length < 10);
    t.true(left.every(([, value]) => value === "x".repeat(1_000_000)));
    t.regex(last.damage()[0]?.what ?? "", /is damaged: it is kept as /);
  });
}

test("a row that is damaged without any sign but itself is reported, and keeps no other from its use", async (t) => {
  const directory = temporaryDirectory(t);
  const first = await kitFor(t, {}, directory);
  const { context, dispose } = contextOf(first);
  for (const key of ["a", "b", "c"]) {
    await context.store.map("m").set(key, key);
    await first.records("r").set(key, { key });
    const run = { kind: "hook", subject: "hook.a", state: "queued" } as const;
    await context.runs.start({ ...run, resume: { key }, request: { key }, detail: { key } });
  }
  const queue = await context.jobs.queue<string>("q", { attempts: 1 }, async () => undefined);
  await queue.add("x", { runAt: Date.now() + 86_400_000 });
  await dispose();
  await first.close();
  const path = join(directory, "state", "reeve.db");
  const database = new DatabaseSync(path);
  const second = String(
    database.prepare("SELECT id FROM runs ORDER BY id LIMIT 1 OFFSET 1").get()?.id,
  );
  const columns = { maps: "value", records: "value", run_resumes: "data", run_requests: "request" };
  for (const [table, column] of Object.entries(columns)) {
    const key = table.startsWith("run") ? `id = '${second}'` : "key = 'b'";
    database.exec(`UPDATE ${table} SET ${column} = '{"key' WHERE ${key}`);
  }
  database.exec(`UPDATE runs SET detail = '{' WHERE id = '${second}'`);
  database.exec("UPDATE jobs SET payload = '\"', run_at = 0");
  database.close();
  rmSync(`${path}-pages`);

  const kit = await kitFor(t, {}, directory);
  const next = contextOf(kit);
  t.teardown(() => next.dispose());
  const { store, runs, jobs } = next.context;
  const keys = async (): Promise<readonly string[]> =>
    (await store.map("m").entries()).map(([key]) => key);
  t.deepEqual(await keys(), ["a", "c"]);
  t.is(await store.map("m").get("b"), undefined);
  t.deepEqual(await kit.records("r").list(), [
    { key: "a", value: { key: "a" } },
    { key: "c", value: { key: "c" } },
  ]);
  t.deepEqual(
    (await runs.left()).map(({ resume }) => resume),
    [{ key: "a" }, { key: "c" }],
  );
  t.like(await runs.get(second), { id: second, request: undefined, detail: undefined });
  t.is((await runs.list()).length, 3);
  const worked: unknown[] = [];
  const again = await jobs.queue(
    "q",
    { attempts: 1 },
    async ({ payload }) => void worked.push(payload),
  );
  await until(async () => (await again.size()).failed === 1, "the failure of the job");
  t.deepEqual(worked, []);
  const findings = kit
    .damage()
    .map(({ what }) => /the row `(.*)` of the table (\S+)\.$/.exec(what));
  t.deepEqual(
    findings.map((found) => `${found?.[2]} ${found?.[1]}`).sort(),
    [
      "maps sample/m/b",
      "records r/b",
      `run_requests ${second}`,
      `run_resumes ${second}`,
      `runs ${second}`,
    ].sort(),
  );
});
