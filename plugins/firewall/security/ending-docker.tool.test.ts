/** However a run in containers ends, it leaves nothing in the engine or on the machine, and the exit code tells how. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { runs } from "../../../tests/support/runs.js";
import { type DockerEngineForTests, startDocker } from "../testing/docker.js";
import { awf, nothingLeft, outputOf, uniqueWord } from "../testing/security/attempts.js";
import {
  createTestInternet,
  type StartedProgram,
  type TestInternet,
} from "../testing/test-internet.js";

const isRoot = process.getuid?.() === 0;
const args = [
  ...["--image-registry", "local.test/awf", "--image-tag", "1", "--skip-pull"],
  ...["--log-level", "error", "--dns-servers", "8.8.8.8"],
];

let world: TestInternet;
let docker: DockerEngineForTests;
test.before(async (t) => {
  t.timeout(150_000);
  world = await createTestInternet({});
  if (!isRoot) return;
  docker = await startDocker();
  await docker.importImage("local.test/awf/agent:1");
});
test.after.always(async () => {
  await docker?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const start = (command: string): StartedProgram =>
  world.start(process.execPath, [awf, ...args, "--", command], {
    environment: docker.environment,
  });

/** Tests have the engine one after the other, and each leaves it empty. */
async function nothingIn(t: ExecutionContext): Promise<void> {
  t.deepEqual(await docker.api.ask("GET", "/containers/json?all=1"), []);
  const networks = await docker.api.ask<ReadonlyArray<{ Name: string }>>("GET", "/networks");
  t.deepEqual(networks.map(({ Name }) => Name).sort(), ["host", "none"]);
}

/** Milliseconds after the start; some of them in commits. */
const moments = (all: readonly number[]): readonly number[] =>
  all.filter((_, index) => index % runs(3, 1) === 0);

// Starting containers takes long on a small machine.
test.beforeEach((t) => t.timeout(150_000));

test.serial("only root can use containers", async (t) => {
  const { code } = await world.awf([...args, "--", "true"], { ordinary: true });
  t.is(code, 1);
});

if (isRoot) {
  test.serial(
    "a signal to a running command is forwarded and ends awf with its code",
    async (t) => {
      const signals = [
        ["SIGINT", 130],
        ["SIGTERM", 143],
      ] as const;
      for (const [signal, code] of signals) {
        const started = start(
          `trap 'echo got it; exit 0' ${signal.slice(3)}; echo up; while :; do sleep 0.05; done`,
        );
        await outputOf(started, "up");
        started.child.kill(signal);
        const result = await started.result;
        t.deepEqual([result.code, result.stdout], [code, "up\ngot it\n"]);
      }
      await nothingIn(t);
    },
  );

  test.serial(
    "a signal at any moment of the start ends awf with its code and leaves nothing",
    async (t) => {
      for (const [index, delay] of moments([100, 250, 400, 600, 800, 1100, 1500]).entries()) {
        const [signal, code] =
          index % 2 === 0 ? (["SIGINT", 130] as const) : (["SIGTERM", 143] as const);
        const word = uniqueWord();
        const started = start(`: ${word}; sleep 600`);
        await sleep(delay);
        started.child.kill(signal);
        const { code: ended, signal: by, stderr } = await started.result;
        // Before awf listens, a signal ends it like any program.
        t.true(ended === code || by === signal, `${ended} ${by} after ${delay} ms: ${stderr}`);
        await nothingLeft(word);
      }
      await nothingIn(t);
    },
  );

  test.serial(
    "SIGKILL at any moment ends the command at once, and the next run removes created containers",
    async (t) => {
      for (const delay of moments([100, 300, 500, 700, 900, 1200, 2000])) {
        const word = uniqueWord();
        const started = start(`: ${word}; sleep 600 & sleep 600`);
        await sleep(delay);
        started.child.kill("SIGKILL");
        await started.result;
        await nothingLeft(word);
      }
      t.is((await start("true").result).code, 0);
      t.deepEqual(readdirSync(join(world.scratch, "tmp")), []);
      // The engine removes an ended container a moment later.
      const left = async () =>
        (await docker.api.ask<unknown[]>("GET", "/containers/json?all=1")).length;
      await eventually("the engine to be empty", async () => (await left()) === 0);
      t.is((await start("exit 3").result).code, 3);
      await nothingIn(t);
    },
  );

  test.serial("a signal while an image is pulled ends awf at once", async (t) => {
    const registry = await docker.startRegistry("");
    const started = world.start(
      process.execPath,
      [awf, "--image-registry", "127.0.0.1:5000/slow", "--", "true"],
      { environment: docker.environment },
    );
    await once(registry, "message");
    started.child.kill("SIGTERM");
    t.is((await started.result).code, 143);
    await nothingIn(t);
  });

  test.serial(
    "a command that ignores signals is killed with its background processes",
    async (t) => {
      const word = uniqueWord();
      const started = start(
        `trap '' TERM INT; (setsid bash -c 'trap "" HUP TERM; : ${word}; while :; do sleep 0.05; done') & echo up; while :; do sleep 0.05; done`,
      );
      await outputOf(started, "up");
      started.child.kill("SIGTERM");
      t.is((await started.result).code, 143);
      await nothingLeft(word);
      await nothingIn(t);
    },
  );

  test.serial("a closed output ends the command", async (t) => {
    const started = start("while echo more; do :; done");
    await outputOf(started, "more");
    started.child.stdout?.destroy();
    t.is((await started.result).code, 141);
    await nothingIn(t);
  });
}
