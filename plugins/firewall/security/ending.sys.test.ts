/** However a run ends, it leaves nothing, and the exit code tells how. */
import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { child } from "../../../tests/support/child.js";
import { runs } from "../../../tests/support/runs.js";
import { awf, nothingLeft, outputOf, uniqueWord } from "../testing/security/attempts.js";
import {
  createTestInternet,
  type StartedProgram,
  type TestInternet,
} from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({});
});
test.after.always(() => world[Symbol.asyncDispose]());

function start(command: string): StartedProgram {
  return world.start(process.execPath, [awf, ...quiet, "--", command]);
}

/** Milliseconds after the start; some of them in commits. */
const moments = (all: readonly number[]): readonly number[] =>
  all.filter((_, index) => index % runs(2, 1) === 0);

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

for (const [signal, code] of signals) {
  test(`${signal} to a running command is forwarded and ends awf with ${code}`, async (t) => {
    const word = uniqueWord();
    const started = start(
      `: ${word}; trap 'echo got it; exit 0' ${signal.slice(3)}; echo up; while :; do sleep 0.05; done`,
    );
    await outputOf(started, "up");
    started.child.kill(signal);
    const result = await started.result;
    t.deepEqual([result.code, result.stdout], [code, "up\ngot it\n"]);
    await nothingLeft(word);
  });

  test(`${signal} at any moment of the start ends awf with ${code} and leaves nothing`, async (t) => {
    for (const delay of moments([40, 80, 120, 180, 260])) {
      const word = uniqueWord();
      const started = start(`: ${word}; echo up; sleep 600`);
      await sleep(delay);
      started.child.kill(signal);
      const { code: ended, signal: by } = await started.result;
      // Before awf listens, a signal ends it like any program.
      t.true(ended === code || by === signal, `${ended} ${by} after ${delay} ms`);
      await nothingLeft(word);
    }
  });
}

test("SIGKILL at any moment leaves no process, and the next run removes the files", async (t) => {
  await using own = await createTestInternet({});
  const temporary = join(own.scratch, "tmp");
  for (const delay of moments([60, 120, 200, 300, 500])) {
    const word = uniqueWord();
    const started = own.start(process.execPath, [
      awf,
      ...quiet,
      "--",
      `: ${word}; sleep 600 & sleep 600`,
    ]);
    await sleep(delay);
    started.child.kill("SIGKILL");
    await started.result;
    await nothingLeft(word);
  }
  await own.awf([...quiet, "--", "true"]);
  t.deepEqual(readdirSync(temporary), []);
});

test.serial(
  "a run removes what a run left that was killed before it had its directory",
  async (t) => {
    const temporary = join(world.scratch, "tmp");
    const before = child(t, "true");
    await before.ended;
    const { pid: ended } = before;
    const left = join(temporary, `awf-1700000000000.${ended}`);
    const starting = join(temporary, `awf-1700000000001.${process.pid}`);
    for (const directory of [left, starting]) mkdirSync(directory);
    try {
      t.is((await start("true").result).code, 0);
      t.deepEqual([existsSync(left), existsSync(starting)], [false, true]);
    } finally {
      rmdirSync(starting);
    }
  },
);

test("a command that ignores signals is killed", async (t) => {
  const word = uniqueWord();
  const started = start(`: ${word}; trap '' TERM INT; echo up; while :; do sleep 0.05; done`);
  await outputOf(started, "up");
  started.child.kill("SIGTERM");
  t.is((await started.result).code, 143);
  await nothingLeft(word);
});

test("a second signal kills at once", async (t) => {
  const started = start("trap 'echo interrupted' INT TERM; echo up; while :; do sleep 0.05; done");
  await outputOf(started, "up");
  started.child.kill("SIGINT");
  // Two signals that are pending at the same time arrive in any order.
  await outputOf(started, "interrupted");
  started.child.kill("SIGTERM");
  t.is((await started.result).code, 130);
});

test("background processes of the command end with it", async (t) => {
  const word = uniqueWord();
  const started = start(
    `(trap '' HUP TERM; setsid bash -c ': ${word}; while :; do sleep 0.05; done') >/dev/null 2>&1 & sleep 0.3; exit 7`,
  );
  t.is((await started.result).code, 7);
  await nothingLeft(word);
});

test("simultaneous runs end with their own exit codes", async (t) => {
  const codes = Array.from({ length: runs(4, 12) }, (_, index) => index + 20);
  const results = await Promise.all(codes.map((code) => start(`exit ${code}`).result));
  t.deepEqual(
    results.map(({ code }) => code),
    codes,
  );
});
