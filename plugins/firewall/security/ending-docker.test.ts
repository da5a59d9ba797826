/** However a run in containers ends, it leaves nothing in the engine or on the machine, and the exit code tells how. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
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

/** An engine and a test internet for one test, which counts what is left. */
async function startScene(): Promise<
  AsyncDisposable & {
    readonly world: TestInternet;
    readonly docker: DockerEngineForTests;
    start(command: string): StartedProgram;
  }
> {
  const [world, docker] = await Promise.all([createTestInternet({}), startDocker()]);
  await docker.importImage("local.test/awf/agent:1");
  return {
    world,
    docker,
    start: (command) =>
      world.start(process.execPath, [awf, ...args, "--", command], {
        environment: docker.environment,
      }),
    async [Symbol.asyncDispose]() {
      await docker[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

async function nothingIn(t: ExecutionContext, docker: DockerEngineForTests): Promise<void> {
  t.deepEqual(await docker.api.ask("GET", "/containers/json?all=1"), []);
  const networks = await docker.api.ask<ReadonlyArray<{ Name: string }>>("GET", "/networks");
  t.deepEqual(networks.map(({ Name }) => Name).sort(), ["host", "none"]);
}

// Starting containers takes long on a small machine.
test.beforeEach((t) => t.timeout(150_000));

test("only root can use containers", async (t) => {
  await using world = await createTestInternet({});
  const { code } = await world.awf([...args, "--", "true"], { ordinary: true });
  t.is(code, 1);
});

if (isRoot) {
  test("a signal to a running command is forwarded and ends awf with its code", async (t) => {
    await using own = await startScene();
    const signals = [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const;
    for (const [signal, code] of signals) {
      const started = own.start(
        `trap 'echo got it; exit 0' ${signal.slice(3)}; echo up; while :; do sleep 0.05; done`,
      );
      await outputOf(started, "up");
      started.child.kill(signal);
      const result = await started.result;
      t.deepEqual([result.code, result.stdout], [code, "up\ngot it\n"]);
    }
    await nothingIn(t, own.docker);
  });

  test("a signal at any moment of the start ends awf with its code and leaves nothing", async (t) => {
    await using own = await startScene();
    for (const [index, delay] of [100, 250, 400, 600, 800, 1100, 1500].entries()) {
      const [signal, code] =
        index % 2 === 0 ? (["SIGINT", 130] as const) : (["SIGTERM", 143] as const);
      const word = uniqueWord();
      const started = own.start(`: ${word}; sleep 600`);
      await sleep(delay);
      started.child.kill(signal);
      const { code: ended, signal: by, stderr } = await started.result;
      // Before awf listens, a signal ends it like any program.
      t.true(ended === code || by === signal, `${ended} ${by} after ${delay} ms: ${stderr}`);
      await nothingLeft(word);
    }
    await nothingIn(t, own.docker);
  });

  test("SIGKILL at any moment ends the command at once, and the next run removes created containers", async (t) => {
    await using own = await startScene();
    for (const delay of [100, 300, 500, 700, 900, 1200, 2000]) {
      const word = uniqueWord();
      const started = own.start(`: ${word}; sleep 600 & sleep 600`);
      await sleep(delay);
      started.child.kill("SIGKILL");
      await started.result;
      await nothingLeft(word);
    }
    t.is((await own.start("true").result).code, 0);
    t.deepEqual(readdirSync(join(own.world.scratch, "tmp")), []);
    // The engine removes an ended container a moment later.
    const left = async () =>
      (await own.docker.api.ask<unknown[]>("GET", "/containers/json?all=1")).length;
    while ((await left()) > 0) await sleep(50);
    t.is((await own.start("exit 3").result).code, 3);
    await nothingIn(t, own.docker);
  });

  test("a signal while an image is pulled ends awf at once", async (t) => {
    await using own = await startScene();
    const registry = await own.docker.startRegistry("");
    const started = own.world.start(
      process.execPath,
      [awf, "--image-registry", "127.0.0.1:5000/slow", "--", "true"],
      { environment: own.docker.environment },
    );
    await once(registry, "message");
    started.child.kill("SIGTERM");
    t.is((await started.result).code, 143);
    await nothingIn(t, own.docker);
  });

  test("a command that ignores signals is killed with its background processes", async (t) => {
    await using own = await startScene();
    const word = uniqueWord();
    const started = own.start(
      `trap '' TERM INT; (setsid bash -c 'trap "" HUP TERM; : ${word}; while :; do sleep 0.05; done') & echo up; while :; do sleep 0.05; done`,
    );
    await outputOf(started, "up");
    started.child.kill("SIGTERM");
    t.is((await started.result).code, 143);
    await nothingLeft(word);
    await nothingIn(t, own.docker);
  });

  test("a closed output ends the command", async (t) => {
    await using own = await startScene();
    const started = own.start("while echo more; do :; done");
    await outputOf(started, "more");
    started.child.stdout?.destroy();
    t.is((await started.result).code, 141);
    await nothingIn(t, own.docker);
  });
}
