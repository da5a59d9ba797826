/** Runs that are left behind with what it takes to carry them out another time. */
import test from "ava";
import { contextOf, kitFor } from "../testing/services.js";

const hook = { kind: "hook", subject: "hook.deploy" } as const;
const queued = { ...hook, state: "queued", resume: { argv: ["a"] } } as const;

test("a queued run is there for the next instance, with what it takes to carry it out", async (t) => {
  const kit = await kitFor(t);
  const first = await contextOf(kit);
  const run = await first.context.runs.start({ ...queued, request: { path: "/deploy" } });
  t.deepEqual(await first.context.runs.left(), [], "somebody holds it");
  t.is(await first.context.runs.resume(run.id), undefined);
  await first.dispose();
  t.is((await kit.runs.get(run.id))?.state, "queued");

  const { runs } = (await contextOf(kit)).context;
  const [left, ...others] = await runs.left();
  t.deepEqual(others, []);
  t.like(left, { record: { id: run.id, state: "queued" }, resume: { argv: ["a"] } });
  const again = await runs.resume(run.id);
  t.is(await runs.resume(run.id), undefined, "only once");
  t.deepEqual(await runs.left(), []);
  await again?.running();
  await again?.finish({ state: "succeeded" });
  t.like(await runs.get(run.id), { state: "succeeded", request: { path: "/deploy" } });
  t.deepEqual(await runs.left(), []);
});

test("whoever has let go of a run once has no part in what becomes of it", async (t) => {
  const kit = await kitFor(t);
  const first = await contextOf(kit);
  const { id } = await first.context.runs.start(queued);
  await first.dispose();
  const { runs } = (await contextOf(kit)).context;
  const again = await runs.resume(id);
  await first.dispose();
  await again?.running();
  await again?.finish({ state: "succeeded" });
  t.is((await runs.get(id))?.state, "succeeded");
});

test("once it is running, it is not carried out another time, unless that is wanted", async (t) => {
  const kit = await kitFor(t);
  const first = await contextOf(kit);
  const [once, twice] = [
    await first.context.runs.start(queued),
    await first.context.runs.start(queued),
  ];
  await once.running();
  await twice.running({ keep: true });
  twice.output("stdout", "half\n");
  await first.dispose();

  const { runs } = (await contextOf(kit)).context;
  const states = await Promise.all(
    [once, twice].map(async ({ id }) => (await runs.get(id))?.state),
  );
  t.deepEqual(states, ["interrupted", "interrupted"]);
  t.deepEqual(
    (await runs.left()).map(({ record }) => record.id),
    [twice.id],
  );
  const again = await runs.resume(twice.id);
  t.like(await runs.get(twice.id), { state: "queued", reason: undefined, finishedAt: undefined });
  await again?.running();
  again?.output("stdout", "whole\n");
  await again?.finish({ state: "succeeded" });
  t.is((await runs.get(twice.id))?.output.text, "half\nwhole\n");
});

test("a running run may wait again", async (t) => {
  const kit = await kitFor(t);
  const first = await contextOf(kit);
  const run = await first.context.runs.start(hook);
  await run.queued({ attempt: 2 });
  t.is((await kit.runs.get(run.id))?.state, "queued");
  await first.dispose();
  const { runs } = (await contextOf(kit)).context;
  t.like((await runs.left())[0], { resume: { attempt: 2 } });
});

test("who leaves a queued run leaves it to others; a run without a way to resume it stays theirs", async (t) => {
  const { runs } = (await contextOf(await kitFor(t))).context;
  const [kept, other] = [await runs.start(queued), await runs.start({ ...hook, state: "queued" })];
  await kept.leave();
  await other.leave();
  t.deepEqual(
    (await runs.left()).map(({ record }) => record.id),
    [kept.id],
  );
  await other.finish({ state: "succeeded" });
  t.is((await runs.get(other.id))?.state, "succeeded");
});

test("of other plugins nothing is seen or taken", async (t) => {
  const kit = await kitFor(t);
  const one = await contextOf(kit, "one");
  const run = await one.context.runs.start(queued);
  await one.dispose();
  const { runs } = (await contextOf(kit, "other")).context;
  t.deepEqual(await runs.left(), []);
  t.is(await runs.resume(run.id), undefined);
});

test("what has ended is forgotten", async (t) => {
  const kit = await kitFor(t);
  const first = await contextOf(kit);
  const run = await first.context.runs.start(queued);
  await run.finish({ state: "cancelled", reason: "It was not wanted any more." });
  await first.dispose();
  t.deepEqual(await (await contextOf(kit)).context.runs.left(), []);
});
