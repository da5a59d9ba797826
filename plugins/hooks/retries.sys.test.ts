import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, release, SERVER, UNTIL, WAIT } from "./testing/pieces.js";

/** Succeeds at its third try. */
const THIRD =
  'run = ["sh", "-c", "echo x >>tries; echo try $(wc -l <tries); [ $(wc -l <tries) -ge 3 ]"]';
const tries = async (directory: string) =>
  (await readFile(join(directory, "tries"), "utf8")).split("\n").length - 1;

test("a command that fails is run again, as one run, and the sender gets the last answer", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${THIRD}\n${WAIT}\nretry { min = 1ms }`));
  const answer = await at.post("x");
  t.deepEqual([answer.status, await answer.text()], [200, "try 3\n"]);
  const [record, ...others] = await at.plugin.runs();
  t.deepEqual(others, []);
  t.like(record, { state: "succeeded", exitCode: 0 });
  const detail = record?.detail as { attempts: ReadonlyArray<{ exitCode: number }> } | undefined;
  t.deepEqual(
    detail?.attempts.map(({ exitCode }) => exitCode),
    [1, 1, 0],
  );
  t.is(
    record?.output.text,
    "try 1\n[try 1 of 3: The command ended with status 1.]\ntry 2\n[try 2 of 3: The command ended with status 1.]\ntry 3\n[try 3 of 3: succeeded]\n",
  );
});

test("after the last try it has failed", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `${THIRD}\n${WAIT}\nretry { attempts = 2; min = 1ms }`),
  );
  t.is((await at.post("x")).status, 500);
  t.is(await tries(at.directory), 2);
  t.is((await at.plugin.runs())[0]?.state, "failed");
});

test("an exit code that is not listed is not retried", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${THIRD}\n${WAIT}\nretry { on = [75] }`));
  t.is((await at.post("x")).status, 500);
  t.is(await tries(at.directory), 1);
});

test("a run is queued between attempts, and a new instance resumes it", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `${THIRD}\nretry { min = 300ms; backoff = "fixed" }`),
  );
  await at.post("x");
  await at.next("run.queued");
  await at.plugin.restart();
  await at.plugin.until(
    async () => (await at.plugin.runs())[0]?.state === "succeeded",
    "the third try",
  );
  t.is(await tries(at.directory), 3);
  t.is((await at.plugin.runs()).length, 1);
});

for (const isolation of ["inline", "worker", "process"] as const) {
  test(`the next instance executes waiting runs, with the hooks ${isolation}`, async (t) => {
    const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\nconcurrency = 1`), {
      isolation,
    });
    await at.post("x?until=a&say=one");
    await at.post("x?until=a&say=other");
    await at.post("x?until=a&say=third");
    await release(at, "a");
    await at.plugin.restart();
    const allSucceed = () =>
      at.plugin.until(
        async () => (await at.plugin.runs()).every(({ state }) => state === "succeeded"),
        "all to succeed",
      );
    await allSucceed();
    // Each of them has left its slot.
    await at.post("x?until=a&say=new");
    await allSucceed();
    const texts = (await at.plugin.runs()).map(({ output }) => output.text).toReversed();
    t.deepEqual(texts, ["one\n", "other\n", "third\n", "new\n"]);
  });
}
