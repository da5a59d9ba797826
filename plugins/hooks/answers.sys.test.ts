/** Answers that the command has a part in, and deliveries that come twice. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, release, SERVER } from "./testing/pieces.js";

const exits = (code: string) => `run = ["sh", "-c", "echo out; echo err >&2; exit ${code}"]`;

const rows: ReadonlyArray<
  readonly [
    title: string,
    body: string,
    status: number,
    answer: RegExp,
    headers?: Record<string, string>,
  ]
> = [
  [
    "an exit code's own status",
    `${exits("3")}\nresponse { exit_status = { "3" = 404 }; wait = true }`,
    404,
    /Command failed/,
  ],
  [
    "with the output",
    `${exits("3")}\nresponse { exit_status = { "3" = 404 }; include_output = true }`,
    404,
    /^out\nerr\n$/,
  ],
  [
    "an exit code that is no failure",
    `${exits("4")}\nresponse { exit_status = { "4" = 200 }; wait = true }`,
    200,
    /"exitCode":4/,
  ],
  [
    "another exit code",
    `${exits("5")}\nresponse { exit_status = { "3" = 404 }; wait = true }`,
    500,
    /Command failed/,
  ],
  [
    "status, headers and body from the command, without its complaints",
    `script = "echo Status: 418; echo X-Made: 'of tea'; echo; echo body; echo err >&2"\nresponse { from_command = true }`,
    418,
    /^body\n$/,
    { "x-made": "of tea", "content-type": "text/plain; charset=utf-8" },
  ],
  [
    "an answer that is none",
    `script = "echo hello"\nresponse { from_command = true }`,
    502,
    /no empty line after its headers/,
  ],
  [
    "a failure without an answer",
    `script = "exit 1"\nresponse { from_command = true }`,
    500,
    /command failed/i,
  ],
];

for (const [title, body, status, answer, headers = {}] of rows) {
  test(`an answer has ${title}`, async (t) => {
    const at = await startFixture(t, SERVER + hook("x", body));
    const response = await at.post("x");
    t.is(response.status, status);
    t.regex(await response.text(), answer);
    for (const [name, value] of Object.entries(headers)) t.is(response.headers.get(name), value);
  });
}

const SAYS =
  'run = ["sh", "-c", "echo one; until [ -e $0 ]; do sleep 0.02; done; echo two; exit $1", query.until, query.code ?? "0"]';

for (const isolation of ["inline", "worker", "process"] as const) {
  test(`output is sent while the command runs, with the hooks ${isolation}`, async (t) => {
    const at = await startFixture(
      t,
      SERVER + hook("x", `${SAYS}\nresponse { stream = "chunks" }`),
      {
        isolation,
      },
    );
    const response = await at.post("x?until=a");
    t.is(response.status, 200);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    t.is((await reader?.read())?.value, "one\n");
    await release(at, "a");
    t.is((await reader?.read())?.value, "two\n");
    t.true((await reader?.read())?.done);
  });
}

test("an answer of chunks breaks off when the command fails", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${SAYS}\nresponse { stream = "chunks" }`));
  const response = await at.post("x?until=a&code=1");
  await release(at, "a");
  await t.throwsAsync(response.text());
});

test("server-sent events tell of the run from its beginning to its end", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${SAYS}\nresponse { stream = "sse" }`));
  await release(at, "a");
  const response = await at.post("x?until=a&code=3");
  t.is(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const run = response.headers.get("reeve-run");
  const events = (await response.text()).trim().split("\n\n");
  t.is(events[0], `event: accepted\ndata: {"run":"${run}"}`);
  const said = events
    .filter((event) => event.startsWith("event: output\n"))
    .map((event) => JSON.parse(event.slice(event.indexOf("{"))).text)
    .join("");
  t.is(said, "one\ntwo\n");
  t.is(events.at(-1), `event: end\ndata: {"run":"${run}","state":"failed","exitCode":3}`);
});

test("a client that disconnects does not stop the command", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${SAYS}\nresponse { stream = "chunks" }`));
  const gone = new AbortController();
  const response = await fetch(`${at.url}/x?until=a`, { method: "POST", signal: gone.signal });
  await response.body?.getReader().read();
  gone.abort();
  await release(at, "a");
  t.is((await at.next("hook.finished")).state, "succeeded");
  t.is((await at.plugin.runs())[0]?.output.text, "one\ntwo\n");
});

test("a HEAD request gets its response at once", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `${SAYS}\nmethods = ["HEAD"]\nresponse { stream = "chunks" }`),
  );
  const response = await fetch(`${at.url}/x?until=a`, { method: "HEAD" });
  t.is(response.status, 200);
  await release(at, "a");
  t.is((await at.next("hook.finished")).state, "succeeded");
});

test("a waiting sender learns that a user cancelled its run, running or queued", async (t) => {
  const config = `${SAYS}\nconcurrency = 1\nresponse { wait = true }`;
  const at = await startFixture(t, SERVER + hook("x", config));
  const answers: Promise<Response>[] = [];
  const runs: unknown[] = [];
  for (let count = 0; count < 2; count += 1) {
    answers.push(at.post("x?until=never"));
    runs.push((await at.next("hook.triggered")).run);
  }
  for (const run of runs.toReversed()) {
    await at.plugin.control({ method: "POST", url: "/v1/hooks/cancel", payload: { run } });
  }
  for (const [index, answer] of (await Promise.all(answers)).entries()) {
    t.deepEqual([answer.status, answer.headers.get("retry-after")], [409, null]);
    t.like(await answer.json(), {
      title: "Cancelled",
      detail: `A user cancelled run ${runs[index]}.`,
    });
  }
});

const DEDUPE = 'dedupe { key = header["x-delivery"] }';
const COUNTS = 'run = ["sh", "-c", "echo x >>count; [ ! -e fail ]"]\nresponse { wait = true }';
const counted = async (directory: string) =>
  (await readFile(join(directory, "count"), "utf8")).length / 2;

test("a repeated delivery runs once, even across instances, and gets its run", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${COUNTS}\n${DEDUPE}`));
  const post = (id: string) => at.post("x", "", { "x-delivery": id });
  const [one, two] = await Promise.all([post("a"), post("a")]);
  await at.plugin.restart();
  const three = await post("a");
  const other = await post("b");
  const runs = [one, two, three, other].map(({ headers }) => headers.get("reeve-run"));
  t.deepEqual([one.status, two.status, three.status, other.status], [200, 200, 200, 200]);
  t.is(new Set(runs.slice(0, 3)).size, 1);
  t.not(runs[3], runs[0]);
  t.regex(await three.text(), /Already accepted/);
  t.is(await counted(at.directory), 2);
});

test("a delivery whose run failed may be repeated", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${COUNTS}\n${DEDUPE}`));
  await release(at, "fail");
  const headers = { "x-delivery": "a" };
  t.is((await at.post("x", "", headers)).status, 500);
  t.is((await at.post("x", "", headers)).status, 500);
  t.is(await counted(at.directory), 2);
});

test("a request without what makes a delivery is refused", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${COUNTS}\n${DEDUPE}`));
  t.is((await at.post("x")).status, 422);
});
