/** Whoever is asked tells of the runs of all hosts, and no run waits for that. */
import test, { type ExecutionContext } from "ava";
import pg from "pg";
import { needs, postgres } from "../../../tests/support/needs.js";
import { ReeveError } from "../../errors.js";
import type { RunRecord } from "../../plugin-api/state.js";
import type { DaemonServices } from "../contract.js";
import { RunReplicator } from "../runs/run-replicator.js";
import { CuttableLink } from "../testing/cuttable-link.js";
import { databaseFor } from "../testing/postgres.js";
import { contextOf, kitFor, Lines, temporaryDirectory, until } from "../testing/services.js";
import { poolFor } from "./connection.js";
import { SCHEMA } from "./schema.js";
import { SharedRuns } from "./shared-runs.js";

const withPostgres = needs(test, postgres);

async function daemon(
  t: ExecutionContext,
  address: string,
  name: string,
  { directory = temporaryDirectory(t), logStream = new Lines() } = {},
): Promise<DaemonServices> {
  const kit = await kitFor(t, { logStream }, directory);
  await kit.share({ address, lease: 30_000, name }, new AbortController().signal);
  return kit;
}

/** What a run of `subject` said, as it ended. */
async function ran(kit: DaemonServices, subject: string, said = "done"): Promise<string> {
  const { runs } = (await contextOf(kit)).context;
  const run = await runs.start({ kind: "hook", subject, request: { body: "x" } });
  run.output("stdout", said);
  await run.finish({ state: "succeeded", exitCode: 0 });
  return run.id;
}

const shown = async (kit: DaemonServices, filter = {}): Promise<string> =>
  (await kit.runs.list(filter))
    .map(({ host, subject, state }) => `${host} ${subject} ${state}`)
    .join(", ");

withPostgres(
  "a list has the runs of all hosts, newest first; of one host where that is wanted",
  async (t) => {
    const address = await databaseFor(t);
    const [one, two] = await Promise.all([daemon(t, address, "one"), daemon(t, address, "two")]);
    await ran(one, "hook.a");
    await until(async () => (await two.runs.list()).length === 1);
    const id = await ran(two, "hook.b", "said by two");
    t.is(await shown(two), "two hook.b succeeded, one hook.a succeeded");
    await until(async () => (await one.runs.list()).length === 2);
    t.is(await shown(one), "two hook.b succeeded, one hook.a succeeded");
    t.is(await shown(one, { host: "two" }), "two hook.b succeeded");
    t.is(await shown(one, { host: "one" }), "one hook.a succeeded");
    t.is(await shown(one, { subject: "hook.b" }), "two hook.b succeeded");
    t.is(await shown(one, { before: id }), "one hook.a succeeded");
    t.is(await shown(one, { state: "failed" }), "");
    const there = await one.runs.get(id);
    t.like(there, { host: "two", exitCode: 0, output: { text: "said by two" } });
    t.false("request" in (there ?? {}), "what asked for it stays where it ran");
    t.deepEqual(
      (await (await contextOf(one)).context.runs.list()).length,
      1,
      "a plugin has its own",
    );
  },
);

withPostgres(
  "a run that goes on is seen so, then as it ended; one whose daemon stops is interrupted, at the latest when that is back",
  async (t) => {
    const address = await databaseFor(t);
    const directory = temporaryDirectory(t);
    const [one, two] = await Promise.all([
      daemon(t, address, "one", { directory }),
      daemon(t, address, "two"),
    ]);
    const { runs } = (await contextOf(one)).context;
    const first = await runs.start({ kind: "hook", subject: "hook.a" });
    await runs.start({ kind: "hook", subject: "hook.b" });
    const state = async (): Promise<string> => shown(two, { host: "one" });
    await until(async () => (await state()) === "one hook.b running, one hook.a running");
    await first.finish({ state: "failed", exitCode: 1, reason: "It failed." });
    await until(async () => (await state()) === "one hook.b running, one hook.a failed");
    await one.close();
    await until(async () => (await state()) === "one hook.b interrupted, one hook.a failed");
    // As if it had been killed, and had told nobody.
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    await client.query(
      "UPDATE reeve.runs SET state = 'running', record = replace(record, 'interrupted', 'running') WHERE subject = 'hook.b'",
    );
    await client.end();
    t.is(await state(), "one hook.b running, one hook.a failed");
    await daemon(t, address, "one", { directory });
    await until(async () => (await state()) === "one hook.b interrupted, one hook.a failed");
  },
);

withPostgres(
  "of a long output the first and the last part are told, and how much is kept where it ran",
  async (t) => {
    const address = await databaseFor(t);
    const [one, two] = await Promise.all([daemon(t, address, "one"), daemon(t, address, "two")]);
    const id = await ran(one, "hook.a", `begin ${"x".repeat(20_000)} end`);
    await until(async () => (await two.runs.get(id)) !== undefined);
    const { text = "", bytes, omitted } = (await two.runs.get(id))?.output ?? {};
    t.regex(text, /^begin x+\n… \(11818 bytes are kept where it ran\)\nx+ end$/);
    t.is(bytes, 20_010);
    t.is(omitted, 11_818);
  },
);

withPostgres(
  "while the database is away runs go on and are seen here; the others hear of them when it is back",
  async (t) => {
    const address = await databaseFor(t);
    const way = await CuttableLink.to(t, address);
    const logStream = new Lines();
    const [one, two] = await Promise.all([
      daemon(t, way.address, "one", { logStream }),
      daemon(t, address, "two"),
    ]);
    way.cut();
    await until(() => logStream.text.includes("cannot be reached"));
    await Promise.all(Array.from({ length: 300 }, (_, index) => ran(one, `hook.${index}`)));
    t.is((await one.runs.list({ limit: 1000 })).length, 300);
    t.regex(
      one.runs.unseen ?? "",
      /^Runs of other hosts cannot be seen: The database cannot be reached/,
    );
    t.is((await two.runs.list({ limit: 1000 })).length, 0);
    way.mend();
    await until(async () => (await two.runs.list({ limit: 1000 })).length === 300);
    await one.runs.list();
    t.is(one.runs.unseen, undefined);
  },
);

withPostgres(
  "what waits to be told is bounded: the oldest is left out, and how many is said",
  async (t) => {
    const address = await databaseFor(t);
    const two = await daemon(t, address, "two");
    const [pool, logStream] = [await poolFor({ address, most: 1, schema: SCHEMA }), new Lines()];
    t.teardown(() => pool.end());
    const { log } = await kitFor(t, { logStream });
    let isAway = true;
    const shared = new SharedRuns(() => {
      if (isAway) throw new ReeveError("store_away", "The database cannot be reached.");
      return pool;
    }, "one");
    const replicator = new RunReplicator({
      ...{ shared, log, most: 10 },
      limits: () => ({ keep: 100, oldest: 0 }),
      records: (ids) => ids.map((id) => ({ ...sample, id })),
    });
    replicator.changed(Array.from({ length: 25 }, (_, index) => `r-${10 + index}`));
    replicator.changed(["r-34"]);
    isAway = false;
    await replicator.close(60_000);
    const seen = (await two.runs.list({ host: "one" })).map(({ id }) => id);
    t.deepEqual(
      seen,
      Array.from({ length: 10 }, (_, index) => `r-${34 - index}`),
    );
    t.regex(logStream.text, /Other hosts do not hear of 15 runs/);
  },
);

const sample: RunRecord = {
  ...{ id: "", kind: "hook", subject: "hook.a", state: "succeeded", trigger: undefined },
  ...{ generation: 1, queuedAt: 1, startedAt: 1, finishedAt: 2, exitCode: 0, signal: undefined },
  ...{ reason: undefined, detail: undefined, output: { text: "", bytes: 0, omitted: 0 } },
};

test("without a shared store there are no hosts", async (t) => {
  const kit = await kitFor(t);
  await ran(kit, "hook.a");
  t.is(await shown(kit), "undefined hook.a succeeded");
  t.is(await shown(kit, { host: "elsewhere" }), "");
});
