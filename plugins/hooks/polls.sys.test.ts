/** Senders that do not wait, and ask later what became of their run. */
import test from "ava";
import { type HooksFixture, startFixture } from "./testing/fixture.js";
import { hook, release, SERVER, UNTIL } from "./testing/pieces.js";

const POLL = "response { poll = true }";

type PollBody = Readonly<Record<string, unknown>>;

interface PollLocation {
  readonly path: string;
  readonly run: string;
}

async function called(at: HooksFixture, path: string, headers: Record<string, string> = {}) {
  const answer = await at.post(path, "", headers);
  await answer.arrayBuffer();
  const location = {
    path: answer.headers.get("location") ?? "",
    run: answer.headers.get("reeve-run") ?? "",
  };
  return { status: answer.status, location };
}

const ask = (at: HooksFixture, { path }: PollLocation, init?: RequestInit): Promise<Response> =>
  fetch(new URL(path, at.url), init);

/** What is told when it has ended. */
async function ended(at: HooksFixture, location: PollLocation): Promise<PollBody> {
  let result: PollBody = {};
  await at.plugin.until(async () => {
    const answer = await ask(at, location);
    result = (await answer.json()) as PollBody;
    return answer.status === 200 && !answer.headers.has("retry-after");
  }, "the end of a run");
  return result;
}

test("a sender can poll its run while the command runs and after its end", async (t) => {
  const at = await startFixture(t, SERVER + hook("team/x", `${UNTIL}\n${POLL}`));
  const { status, location } = await called(at, "team/x?until=a");
  t.is(status, 202);
  t.true(location.path.startsWith(`/hooks/team/x/runs/${location.run}.`), location.path);
  // The run is accepted before its command begins.
  await at.plugin.until(
    async () => ((await (await ask(at, location)).json()) as PollBody).state === "running",
    "the begin of the command",
  );
  const during = await ask(at, location);
  t.deepEqual([during.status, during.headers.get("retry-after")], [200, "1"]);
  t.is(during.headers.get("cache-control"), "no-store");
  const { startedAt, ...result } = (await during.json()) as PollBody;
  t.deepEqual(result, { hook: "team/x", run: location.run, state: "running" });
  t.false(Number.isNaN(Date.parse(String(startedAt))));
  await release(at, "a");
  const { finishedAt, ...end } = await ended(at, location);
  t.deepEqual(end, {
    ...{ hook: "team/x", run: location.run, state: "succeeded", exitCode: 0 },
    startedAt,
  });
  t.true(Date.parse(String(finishedAt)) >= Date.parse(String(startedAt)));
});

const SAYS = 'run = ["sh", "-c", "echo said; exit $0", query.code]';
const outputs: ReadonlyArray<readonly [response: string, code: string, output: unknown]> = [
  ["", "0", undefined],
  ["include_output = true", "0", "said\n"],
  ["include_output = true", "3", undefined],
  ["include_output_on_error = true", "3", "said\n"],
];

for (const [response, code, output] of outputs) {
  test(`a command that ends with ${code} and \`${response}\` tells ${output}`, async (t) => {
    const config = `${SAYS}\nresponse {\npoll = true\n${response}\n}`;
    const at = await startFixture(t, SERVER + hook("x", config));
    const { status, location } = await called(at, `x?code=${code}`);
    t.is(status, 202);
    const result = await ended(at, location);
    t.deepEqual([result.exitCode, result.output], [Number(code), output]);
  });
}

test("a hook without `poll` has no location", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", UNTIL) + hook("y", `${UNTIL}\n${POLL}`));
  await release(at, "a");
  const plain = await called(at, "x?until=a");
  t.is(plain.location.path, "");
  const { location } = await called(at, "y?until=a");
  await ended(at, location);
  t.deepEqual(await at.edit(SERVER + hook("x", UNTIL) + hook("y", UNTIL)), []);
  t.is((await ask(at, location)).status, 404);
});

test("an unknown ticket gets 404", async (t) => {
  const both = hook("x", `${UNTIL}\n${POLL}`) + hook("y", `${UNTIL}\n${POLL}`);
  const at = await startFixture(t, SERVER + both);
  await release(at, "a");
  const [{ location }, other] = [await called(at, "x?until=a"), await called(at, "y?until=a")];
  const ticket = location.path.slice(-22);
  const last = ticket.startsWith("A") ? "B" : "A";
  for (const path of [
    location.path.replace("/x/", "/y/"),
    location.path.replace(location.run, other.location.run),
    location.path.replace(ticket, `${last}${ticket.slice(1)}`),
    location.path.slice(0, -23),
    location.path.slice(0, -1),
    `${location.path}/`,
  ]) {
    t.is((await ask(at, { path, run: location.run })).status, 404, path);
  }
  t.is((await ask(at, location)).status, 200);
});

test("it is asked with GET or HEAD", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\n${POLL}`));
  const { location } = await called(at, "x?until=a");
  const answer = await ask(at, location, { method: "POST" });
  t.deepEqual([answer.status, answer.headers.get("allow")], [405, "GET, HEAD"]);
  t.is((await ask(at, location, { method: "HEAD" })).headers.get("retry-after"), "1");
  await release(at, "a");
  await ended(at, location);
});

test("`allow_from` applies to polls, too", async (t) => {
  const server = (from: string) =>
    `hook_server "main" { listen = "127.0.0.1:0"; allow_from = ["${from}"] }\n`;
  const x = (from: string) => hook("x", `${UNTIL}\n${POLL}\nallow_from = ["${from}"]`);
  const at = await startFixture(t, server("127.0.0.0/8") + x("127.0.0.0/8"));
  await release(at, "a");
  const { location } = await called(at, "x?until=a");
  await ended(at, location);
  t.deepEqual(await at.edit(server("127.0.0.0/8") + x("192.0.2.0/24")), []);
  t.is((await ask(at, location)).status, 403);
  t.deepEqual(await at.edit(server("192.0.2.0/24") + x("127.0.0.0/8")), []);
  t.is((await ask(at, location)).status, 403);
});

test("a hook whose path looks like a poll is served", async (t) => {
  const config = `${hook("x", `${UNTIL}\n${POLL}`)}${hook("other", 'path = "/:a/runs/:b"\nmethods = ["GET"]\nrun = ["true"]')}`;
  const at = await startFixture(t, SERVER + config);
  await release(at, "a");
  const { location } = await called(at, "x?until=a");
  t.is((await ended(at, location)).hook, "x");
  t.is((await ask(at, { path: location.path.slice(0, -1), run: "" })).status, 202);
});

test("the location of a hook with parameters starts with the requested path", async (t) => {
  const config = hook("x", `path = "/deploy/:env"\nrun = ["echo", path.env]\n${POLL}`);
  const at = await startFixture(
    t,
    `hook_server "main" { listen = "127.0.0.1:0"; prefix = "" }\n${config}`,
  );
  const { location } = await called(at, "deploy/a%20b");
  t.true(location.path.startsWith("/deploy/a%20b/runs/"), location.path);
  t.is((await ended(at, location)).state, "succeeded");
});

test("a repeated delivery gets the location of its run", async (t) => {
  const config = hook("x", `${UNTIL}\n${POLL}\ndedupe { key = header["x-delivery"] }`);
  const at = await startFixture(t, SERVER + config);
  await release(at, "a");
  const first = await called(at, "x?until=a", { "x-delivery": "1" });
  const again = await called(at, "x?until=a", { "x-delivery": "1" });
  t.deepEqual([again.status, again.location], [200, first.location]);
  await ended(at, first.location);
});

test("a restart does not change the location of a run", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\nconcurrency = 1\n${POLL}`));
  const first = await called(at, "x?until=a");
  const waits = await called(at, "x?until=b");
  t.is(((await (await ask(at, waits.location)).json()) as PollBody).state, "queued");
  const restarted = at.plugin.restart();
  await Promise.all([release(at, "a"), release(at, "b")]);
  await restarted;
  for (const { location } of [first, waits]) t.is((await ended(at, location)).state, "succeeded");
  await at.plugin.restart();
  for (const { location } of [first, waits]) t.is((await ask(at, location)).status, 200);
});

test("a run between two attempts has not ended, even when its daemon dies", async (t) => {
  const command =
    'run = ["sh", "-c", "echo x >>tries; until [ -e a ]; do sleep 0.02; done; [ $(wc -l <tries) -ge 3 ]"]';
  const retry = 'retry { on = ["failure", "interruption"]; min = 10ms; attempts = 5 }';
  const at = await startFixture(t, SERVER + hook("x", `${command}\n${retry}\n${POLL}`), {
    isolation: "process",
  });
  const { location } = await called(at, "x");
  await at.plugin.crash();
  t.is((await ask(at, location)).headers.get("retry-after"), "1");
  await release(at, "a");
  t.is((await ended(at, location)).state, "succeeded");
  t.is((await at.plugin.runs()).length, 1);
});

test("a run replaced by a newer one is cancelled", async (t) => {
  const limits = 'concurrency = 1\nqueue = 1\noverflow = "drop_oldest"';
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\n${limits}\n${POLL}`));
  const runs = [
    await called(at, "x?until=a"),
    await called(at, "x?until=a"),
    await called(at, "x?until=a"),
  ];
  await release(at, "a");
  const states: unknown[] = [];
  for (const { location } of runs) states.push((await ended(at, location)).state);
  t.deepEqual(states, ["succeeded", "cancelled", "succeeded"]);
});

test("`poll` excludes waiting", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", UNTIL));
  for (const option of ["wait = true", "from_command = true", 'stream = "sse"']) {
    const text = hook("x", `${UNTIL}\nresponse {\npoll = true\n${option}\n}`);
    const [complaint] = await at.edit(SERVER + text);
    t.regex(complaint ?? "", /does not wait for the command/);
  }
});
