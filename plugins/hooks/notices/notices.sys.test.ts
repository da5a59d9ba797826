/** `notify` and `ping` blocks, with a real server for the messages. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import test, { type ExecutionContext } from "ava";
import { FakeClock, type PluginUnderTest, testPlugin } from "reeve/testing";

const MODULE = new URL("../plugin.js", import.meta.url);

interface Message {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** `status`: of the responses, in their order; the last one stays. */
async function receiver(t: ExecutionContext, status: readonly number[] = [200]) {
  const messages: Message[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const code = status[Math.min(messages.length, status.length - 1)] ?? 200;
    messages.push({ url: request.url ?? "", headers: request.headers, body });
    response.writeHead(code, code === 302 ? { location: "/elsewhere" } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { messages, url: `http://127.0.0.1:${port}/x?key=1` };
}

async function started(t: ExecutionContext, config: string, environment = {}) {
  const clock = new FakeClock();
  const plugin = await testPlugin(MODULE, { config, clock, environment });
  t.teardown(() => plugin.stop());
  const run = async (task: string, parameters = {}): Promise<string> => {
    const answer = await plugin.control({
      url: "/v1/hooks/task/run",
      payload: { task, parameters },
    });
    return (answer.json() as { run: string }).run;
  };
  return { plugin, clock, run };
}

/** Lets time pass until it holds: pauses between messages and tries end. */
const passing = (clock: FakeClock, holds: () => boolean | Promise<boolean>): Promise<void> =>
  clock.until(holds, 1000);

const isOver = async (plugin: PluginUnderTest, run: string): Promise<boolean> =>
  (await plugin.run(run))?.finishedAt !== undefined;

const build =
  'task "build" {\n  param "code" { default = "0" }\n  script = "exit $1"\n  args = [param.code]\n}\n';

test("a failure and the recovery are messages, a success is none", async (t) => {
  const { messages, url } = await receiver(t);
  const at = await started(
    t,
    `${build}notify "ops" {
  url = secret("env:URL")
  at_most = 0s
  headers = { Title = "Reeve", "X-Token" = secret("env:TOKEN") }
}
`,
    { URL: url, TOKEN: "sesame-sesame" },
  );
  for (const code of ["0", "3", "0", "0"]) {
    const run = await at.run("build", { code });
    await passing(at.clock, () => isOver(at.plugin, run));
    if (code === "3") await passing(at.clock, () => messages.length === 1);
  }
  await passing(at.clock, () => messages.length === 2);
  const [failure, recovery] = messages;
  t.regex(failure?.body ?? "", /^task build failed on \S+: The command ended with status 3\.$/);
  t.is(failure?.url, "/x?key=1");
  t.like(failure?.headers, { title: "Reeve", "x-token": "sesame-sesame" });
  t.regex(recovery?.body ?? "", /^task build succeeded again on \S+\.$/);
  t.false(JSON.stringify(at.plugin.log).includes("sesame"));
});

test("what happens soon after a message is in the next one", async (t) => {
  const { messages, url } = await receiver(t);
  const at = await started(
    t,
    `${build}notify "ops" {
  url = "${url}"
  at_most = 5m
  body = { text = text, count = count, first = notices[0].name }
}
`,
  );
  await at.run("build", { code: "1" });
  await passing(at.clock, () => messages.length === 1);
  const since = at.clock.now();
  for (const code of ["1", "2", "3"]) await at.run("build", { code });
  await passing(at.clock, () => messages.length === 2);
  t.true(at.clock.now() - since >= 295_000);
  t.like(JSON.parse(messages[1]?.body ?? ""), { count: 3, first: "build" });
  t.is(messages[1]?.headers["content-type"], "application/json");
});

test("five tries, and no redirect is followed", async (t) => {
  const { messages, url } = await receiver(t, [500, 302, 503]);
  const at = await started(t, `${build}notify "ops" { url = "${url}" }\n`);
  await at.run("build", { code: "1" });
  const counted = /notify_failed_total\{block="notify\.ops"\} 1\b/;
  await passing(at.clock, async () => counted.test(await at.plugin.metrics()));
  t.deepEqual(
    messages.map((message) => message.url),
    Array.from({ length: 5 }, () => "/x?key=1"),
  );
  t.true(at.plugin.log.some(({ message }) => message === "A notification was not accepted"));
});

test("missed times of schedules are messages, of the blocks that are listed", async (t) => {
  const { messages, url } = await receiver(t);
  const schedules = ["a", "b"].map(
    (name) => `schedule "${name}" {\n  cron = "0 * * * *"\n  run = ["true"]\n}\n`,
  );
  const config = `${schedules.join("")}notify "ops" {\n  url = "${url}"\n  of = [schedule.b]\n}\n`;
  const at = await started(t, config);
  await at.plugin.until(
    async () =>
      (await at.plugin.metrics()).match(/schedule_next_seconds\{[^}]*\} [1-9]/g)?.length === 2,
    "the schedules to know their next times",
  );
  const now = at.clock.now();
  at.clock.now = () => now + 19_800_000;
  await at.plugin.reload(config.replaceAll('["true"]', '["true", "x"]'));
  await at.plugin.until(() => messages.length > 0, "the message");
  t.regex(messages[0]?.body ?? "", /^schedule b missed its time on \S+: 5 runs were missed/);
});

test("a monitor hears of the start and the exit code of each run", async (t) => {
  const { messages, url } = await receiver(t);
  const at = await started(t, `${build}ping "build" {\n  url = "${url}"\n}\n`);
  for (const code of ["0", "7"]) {
    const count = messages.length;
    await at.run("build", { code });
    await passing(at.clock, () => messages.length === count + 2);
  }
  const [first, second, third, fourth] = messages.map(
    (message) => new URL(message.url, "http://x"),
  );
  t.deepEqual(
    [first, second, third, fourth].map((each) => each?.pathname),
    ["/x/start", "/x/0", "/x/start", "/x/7"],
  );
  const rid = first?.searchParams.get("rid");
  t.regex(rid ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.is(second?.searchParams.get("rid"), rid);
  t.not(third?.searchParams.get("rid"), rid);
  t.is(first?.searchParams.get("key"), "1");
});
