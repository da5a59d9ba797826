/** A plugin that sends more than the daemon can use: the daemon goes on, and ends code that ignores the limits. */
import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { startDaemon, type TestDaemon, waitFor } from "../testing/daemon.js";

const WAYS = {
  "log lines": 'ctx.log.info("x".repeat(500))',
  events: 'ctx.events.emit("noisy.happened", { text: "x".repeat(500) })',
  measurements: "histogram.observe(1)",
} as const;

/** A plugin that runs `statement` many times every 10 ms. */
const noisy = (statement: string, times: number) => `
  import { c, definePlugin } from "reeve/plugin";
  import { parentPort, workerData } from "node:worker_threads";
  let sent = 0;
  const send = (message) => { sent += 1; if (sent <= 20_000) pass(message); };
  const pass = (message) => workerData ? workerData.postMessage(message) : process.send(message);
  export default definePlugin({
    id: "noisy", title: "Noisy", api: 1,
    blocks: { noise: c.block({ label: c.name(), attrs: {} }) },
    async setup(ctx) {
      const histogram = ctx.metrics.histogram("took_seconds", "Took.");
      return {
        prepare: async () => ({
          commit() {
            setInterval(() => { for (let i = 0; i < ${times}; i += 1) { ${statement}; } }, 10);
          },
        }),
      };
    },
  });
`;

async function start(
  t: Parameters<typeof startDaemon>[0],
  isolation: string,
  statement: string,
  times = 2_000,
): Promise<TestDaemon> {
  const daemon = await startDaemon(t, { files: { "noisy.js": noisy(statement, times) } });
  const { reason } = await daemon.apply(
    `plugin "noisy" { source = "./noisy.js"; isolation = "${isolation}" }\nnoisy.noise "x" {}\n`,
  );
  if (reason !== undefined) throw new Error(reason);
  return daemon;
}

/** Until `holds`, while the timers of this thread run: the flood goes on, and a fast machine is soon there. */
async function untilBeside(what: string, holds: () => Promise<boolean>): Promise<void> {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  try {
    await eventually(what, holds);
    await eventually("ten turns of the daemon's timers", () => ticks >= 10, { within: 5_000 });
  } finally {
    clearInterval(timer);
  }
}

const dropped = async (daemon: TestDaemon): Promise<number> => {
  const line = /reeve_plugin_dropped_total\{[^}]*\} (\d+)/g;
  const found = (await daemon.kit.metrics.text()).matchAll(line);
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
};

for (const isolation of ["worker", "process"] as const) {
  for (const [what, statement] of Object.entries(WAYS)) {
    test.serial(`too many ${what} of a plugin in a ${isolation} are dropped`, async (t) => {
      const daemon = await start(t, isolation, statement);
      await untilBeside("what is dropped", async () => (await dropped(daemon)) > 100_000);
      t.is(daemon.log.match(/logs, emits or measures too much/g)?.length, 1);
      t.is(daemon.status("noisy")?.failure, undefined);
      await daemon.close();
      t.is(daemon.status("noisy")?.state, "stopped");
    });
  }

  test.serial(`a plugin in a ${isolation} that prints too much waits`, async (t) => {
    const daemon = await start(t, isolation, 'process.stdout.write("line\\n")', 10_000);
    const lines = () => daemon.log.split('"line"').length - 1;
    await untilBeside("400 lines", async () => lines() >= 400);
    await daemon.close();
    t.is(daemon.status("noisy")?.state, "stopped");
  });

  test.serial(`log lines of a megabyte of a plugin in a ${isolation} are cut`, async (t) => {
    const daemon = await start(
      t,
      isolation,
      'ctx.log.info("y".repeat(1_000_000), { more: "z".repeat(1_000_000) })',
      2,
    );
    await untilBeside("60 lines", async () => daemon.log.split('"yyy').length > 60);
    t.true(Math.max(...daemon.log.split("\n").map(({ length }) => length)) < 50_000);
    t.is(daemon.status("noisy")?.failure, undefined);
    await daemon.close();
  });

  test.serial(`a plugin in a ${isolation} that holds too many buffers is ended`, async (t) => {
    const daemon = await start(
      t,
      isolation,
      "(globalThis.kept ??= []).length < 60 && kept.push(Buffer.alloc(10_000_000, 1))",
      1,
    );
    await eventually("its end", async () => {
      await daemon.host.health();
      return daemon.status("noisy")?.failure !== undefined;
    });
    t.is(
      daemon.status("noisy")?.failure?.reason,
      "It ran out of memory (512 MiB outside its heap).",
    );
  });

  for (const [what, statement, reason] of [
    [
      "lines of 30 MB without credit",
      // A process that goes on making them has no time to write them into its pipe.
      'if (sent < 12) send({ do: "tell", name: "log", argument: { level: "info", message: "x".repeat(30_000_000), fields: {} } })',
      "sent more bytes than it may",
    ],
    [
      "answers nobody asked for",
      'send({ do: "answer", id: 1, value: 1 })',
      "sent more messages than it may",
    ],
    [
      "log lines without credit",
      'send({ do: "tell", name: "log", argument: {} })',
      "sent more messages than it may",
    ],
    ["nothing", "send(null)", "sent a malformed message"],
  ] as const) {
    test.serial(`a plugin in a ${isolation} that sends ${what} is ended`, async (t) => {
      const daemon = await start(t, isolation, statement);
      await waitFor(() => daemon.status("noisy")?.failure !== undefined, "the failure");
      t.regex(daemon.status("noisy")?.failure?.reason ?? "", new RegExp(`^It ${reason}\\.?$`));
    });
  }
}

test.serial("calls beyond the credit wait, and all are answered", async (t) => {
  const daemon = await start(
    t,
    "worker",
    'if (i === 0) Promise.all(Array.from({ length: 5_000 }, () => ctx.clock.sleep(0))).then(() => ctx.log.info("all answered"))',
    1,
  );
  await waitFor(() => daemon.log.includes("all answered"), "the answers");
  t.is(daemon.status("noisy")?.failure, undefined);
});

test.serial("a worker cannot reach the daemon beside its port", async (t) => {
  const daemon = await start(t, "worker", "parentPort.postMessage(null)");
  await daemon.host.health();
  t.is(daemon.status("noisy")?.failure, undefined);
  t.is(daemon.status("noisy")?.state, "running");
});
