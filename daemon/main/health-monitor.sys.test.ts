/** The state directory's disk: it must take what is written, keep it, and answer. */
import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { folder } from "../../tests/support/folder.js";
import { realClock } from "../services/clock.js";
import type { ConditionFinding, Records } from "../services/contract.js";
import { monitorHealth } from "./health-monitor.js";

async function monitored(
  t: import("ava").ExecutionContext,
  writeSample: (path: string) => Promise<void>,
  isPoolBlocked = () => false,
) {
  const stateDirectory = folder(t, { "reeve.db": "" });
  let found: readonly ConditionFinding[] = [];
  const conditions = {
    list: () => [],
    report: (_source: string, all: readonly ConditionFinding[]) => {
      found = all;
    },
  };
  const records = () => ({ set: async () => undefined }) as unknown as Records;
  const starting = monitorHealth({
    ...{ stateDirectory, writeSample, isPoolBlocked, interval: 10, patience: 50 },
    kit: { clock: realClock, conditions, records },
    control: { restore: async () => undefined },
  });
  t.teardown(async () => (await starting)());
  return { found: () => found, codes: () => found.map(({ code }) => code) };
}

for (const [code, condition] of [
  ["EIO", "state_unwritable"],
  ["ENOSPC", "state_full"],
  ["EMFILE", "no_descriptors"],
  ["ENFILE", "no_descriptors"],
] as const) {
  test(`a file that cannot be written and kept (${code}) is a condition until one can`, async (t) => {
    let refuses = true;
    const { codes } = await monitored(t, async () => {
      if (refuses) throw Object.assign(new Error(code), { code });
    });
    await eventually("the condition", () => codes().length > 0);
    t.deepEqual(codes(), [condition]);
    refuses = false;
    await eventually("its end", () => codes().length === 0);
  });
}

test("a disk that does not answer is a condition until it does", async (t) => {
  const answer = Promise.withResolvers<void>();
  const { codes, found } = await monitored(t, () => answer.promise);
  await eventually("the condition", () => codes().length > 0);
  t.deepEqual(codes(), ["state_unresponsive"]);
  t.regex(found()[0]?.reason ?? "", /does not respond/);
  answer.resolve();
  await eventually("its end", () => codes().length === 0);
});
