import test, { type ExecutionContext } from "ava";
import { KeptLog } from "../http/testing/kept-log.js";
import { createNotifier, type Notifier } from "./notify.js";
import { systemd } from "./testing/systemd.js";

function notifierFor(
  t: ExecutionContext,
  environment: NodeJS.ProcessEnv,
  log = new KeptLog(),
): Notifier {
  const made = createNotifier({ environment, log });
  t.teardown(() => made.close());
  return made;
}

test("systemd is told about start, reload and stop, in order", async (t) => {
  const { socket, next } = await systemd(t);
  const notifier = notifierFor(t, { NOTIFY_SOCKET: socket, PATH: process.env.PATH });
  const before = process.hrtime.bigint() / 1000n;
  void notifier.ready("generation 1,\n 3 blocks");
  void notifier.reloading();
  await notifier.stopping(30_000);
  t.is(await next(), "READY=1;STATUS=generation 1, 3 blocks");
  const [, time = "0"] = /^RELOADING=1;MONOTONIC_USEC=(\d+)$/.exec(await next()) ?? [];
  t.true(BigInt(time) >= before);
  t.is(await next(), "STOPPING=1;EXTEND_TIMEOUT_USEC=30000000;STATUS=stopping");
});

test("the status line follows changes; of many at once, the last is sent", async (t) => {
  const { socket, next } = await systemd(t);
  const notifier = notifierFor(t, { NOTIFY_SOCKET: socket, PATH: process.env.PATH });
  void notifier.ready("generation 1");
  for (const line of ["generation 1", "generation 2", "degraded: a.reeve", "generation 3"]) {
    notifier.status(line);
  }
  t.is(await next(), "READY=1;STATUS=generation 1");
  t.is(await next(), "STATUS=generation 3");
  notifier.status("generation 3");
  notifier.status("degraded: b.reeve");
  t.is(await next(), "STATUS=degraded: b.reeve");
});

test("the watchdog is told again and again that the event loop turns", async (t) => {
  const { socket, next } = await systemd(t);
  const environment = {
    NOTIFY_SOCKET: socket,
    WATCHDOG_USEC: "40000",
    WATCHDOG_PID: String(process.pid),
    PATH: process.env.PATH,
  };
  const notifier = notifierFor(t, environment);
  notifier.watch();
  t.is(await next(), "WATCHDOG=1");
  t.is(await next(), "WATCHDOG=1");
  t.deepEqual(Object.keys(environment), ["PATH"]);
});

test("a watchdog meant for another process is not fed", async (t) => {
  const { socket, next } = await systemd(t);
  const notifier = notifierFor(t, {
    NOTIFY_SOCKET: socket,
    WATCHDOG_USEC: "1000",
    WATCHDOG_PID: "1",
    PATH: process.env.PATH,
  });
  notifier.watch();
  await notifier.ready("up");
  t.is(await next(), "READY=1;STATUS=up");
});

test("without systemd nothing is started and nothing is said", async (t) => {
  const log = new KeptLog();
  const notifier = createNotifier({ environment: { PATH: "" }, log, program: "/does/not/exist" });
  notifier.watch();
  await notifier.ready("up");
  await notifier.reloading();
  await notifier.stopping(1);
  await notifier.close();
  t.deepEqual(log.lines, []);
});

test("a systemd that cannot be reached is complained about once, and harms nothing", async (t) => {
  const log = new KeptLog();
  const environment = { NOTIFY_SOCKET: "/does/not/exist" };
  const notifier = createNotifier({ environment, log, program: "/does/not/exist/either" });
  await notifier.ready("up");
  await notifier.ready("up");
  await notifier.close();
  t.deepEqual(
    log.lines.map(({ level }) => level),
    ["warn"],
  );
});
