/**
 * Damage to the state directory of a daemon that was killed or has closed: what was acknowledged is there as it was, or its loss is named, and the daemon
 * starts. `REEVE_INJURIES` sets the number of rounds, `REEVE_SEED` which they are.
 */
import { cpSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import { type Random, seeded } from "../runs/journal/testing/recorded-files.js";
import { injure, kinds } from "../testing/injuries.js";
import { contextOf, kitFor, temporaryDirectory } from "../testing/services.js";
import { isNamed, type StateRows, stateRows } from "../testing/state-rows.js";

const rounds = Number(process.env.REEVE_INJURIES ?? 60);
const seed = Number(process.env.REEVE_SEED ?? 1);
const filler = fileURLToPath(new URL("../testing/filled-state.js", import.meta.url));

/** A state directory, and the rows that a daemon finds in it. */
async function filled(
  t: ExecutionContext,
  end: string,
  { rows, scale }: { readonly rows: number; readonly scale: number },
): Promise<{ readonly directory: string; readonly expected: StateRows }> {
  const directory = temporaryDirectory(t);
  const fill = async (count: number, size: number, how: string): Promise<void> => {
    const args = [filler, directory, String(count), String(size), how];
    const daemon = child(t, process.execPath, args);
    await daemon.says(/filled/);
    if (how === "killed") daemon.kill("SIGKILL");
    await daemon.ended;
  };
  // The newest runs are in the journal alone.
  if (scale > 1) await fill(rows, scale, "closed");
  await fill(60, 1, end);
  const copy = temporaryDirectory(t);
  cpSync(directory, copy, { recursive: true });
  await started(t, copy);
  return { directory, expected: stateRows(join(copy, "state")) };
}

/** A daemon's start and stop. Returns what it says is missing. */
async function started(t: ExecutionContext, directory: string): Promise<readonly string[]> {
  const kit = await kitFor(t, {}, directory);
  await contextOf(kit).context.store.database({ "1": async () => undefined });
  const found = kit.damage().map(({ what, runs = [] }) => [what, ...runs].join(" "));
  await kit.close();
  return found;
}

async function strike(
  t: ExecutionContext,
  { directory, expected }: Awaited<ReturnType<typeof filled>>,
  kind: string,
  { first, count }: { readonly first: number; readonly count: number },
  random: Random,
): Promise<void> {
  const copy = temporaryDirectory(t);
  let reported = 0;
  let missing = 0;
  for (let round = first; round < first + count; round += 1) {
    rmSync(copy, { recursive: true });
    cpSync(directory, copy, { recursive: true });
    const where = `${kind}, ${injure(join(copy, "state"), kind, random)}, round ${round}`;
    const findings = await started(t, copy).catch((thrown: Error) => {
      t.fail(`${where}: it does not start: ${thrown.message}`);
      return [];
    });
    if (findings.length > 0) reported += 1;
    const found = stateRows(join(copy, "state"));
    for (const [table, rows] of expected) {
      for (const [key, row] of rows) {
        const left = found.get(table)?.get(key);
        if (left === row) continue;
        missing += 1;
        const keys = [...rows.keys()];
        if (isNamed(findings, { table, key, keys, isChanged: left !== undefined })) continue;
        const all = [left, row, ...findings].map((text) => text?.slice(-300)).join("\n");
        t.fail(`${where}: ${table} ${key} is not as it was:\n${all}`);
        break;
      }
    }
  }
  t.log(`${count} rounds, ${reported} with findings, which name ${missing} rows`);
}

/** Rounds of a test: the runner ends a file that makes no progress for long. */
const together = 25;
const each = Math.ceil(rounds / kinds.length / 2);
for (const end of ["killed", "closed"]) {
  for (const kind of kinds) {
    for (let first = 0; first < each; first += together) {
      const part = first === 0 ? "" : `, from round ${first}`;
      test.serial(
        `${kind} in the state of a daemon that was ${end}: nothing is lost in silence or changed${part}`,
        async (t) => {
          t.timeout(100_000);
          const state = await filled(t, end, { rows: 60, scale: 1 });
          const count = Math.min(together, each - first);
          await strike(t, state, kind, { first, count }, seeded(seed * 10_000 + first));
          t.pass();
        },
      );
    }
  }

  for (let first = 0; first < rounds; first += 100) {
    test.serial(
      `more than 64 MiB of a daemon that was ${end}, from round ${first}: nothing is lost in silence or changed`,
      async (t) => {
        t.timeout(100_000);
        const state = await filled(t, end, { rows: 600, scale: 12 });
        const { size } = statSync(join(state.directory, "state", "reeve.db"));
        t.true(size > 64 * 1024 * 1024);
        const random = seeded(seed * 20_000 + first);
        for (let round = first; round < first + 2; round += 1) {
          const kind = kinds[Math.floor(random() * kinds.length)];
          if (kind) await strike(t, state, kind, { first: round, count: 1 }, random);
        }
      },
    );
  }
}
