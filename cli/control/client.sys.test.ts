import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import type { ConfigurationProblem } from "../../daemon/http/control/api.js";
import { Failure } from "../plugin-api/exit.js";
import { type Answers, daemonDouble } from "../testing/daemon-double.js";
import { plugin, runSummary, snapshot, status } from "../testing/samples.js";
import { Control, connect } from "./client.js";
import { ControlError } from "./problem.js";
import { Transport } from "./transport.js";

async function talking(t: { teardown(fn: () => unknown): void }, answers: Answers) {
  const daemon = await daemonDouble(answers);
  t.teardown(daemon.close);
  return { daemon, control: connect({ control: daemon.socket }) };
}

async function emptyDirectory(t: { teardown(fn: () => unknown): void }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-control-"));
  t.teardown(() => rm(directory, { recursive: true }));
  return directory;
}

test("what was asked comes back", async (t) => {
  const { control, daemon } = await talking(t, {
    "GET /v1/status": () => status,
    "GET /v1/runs": () => ({ runs: [runSummary] }),
    "POST /v1/plugins/:id/restart": () => plugin,
  });
  t.deepEqual(await control.status(), JSON.parse(JSON.stringify(status)));
  t.is((await control.runs({ kind: "hook", limit: 3 })).runs[0]?.id, "r-0001");
  t.is((await control.restart("a/b")).id, "hooks");
  t.deepEqual(
    daemon.requests.map(({ request }) => request),
    ["GET /v1/status", "GET /v1/runs?kind=hook&limit=3", "POST /v1/plugins/a%2Fb/restart"],
  );
});

test("a roll-back says which generation, as JSON", async (t) => {
  const { control, daemon } = await talking(t, {});
  await t.throwsAsync(control.rollback(11));
  t.deepEqual(daemon.requests[0]?.body, { generation: 11 });
});

test("a daemon that is not there is said to be not running, with every place that was tried", async (t) => {
  const directory = await emptyDirectory(t);
  const [first, second] = ["own", "system"].map((name) => join(directory, name, "control.sock"));
  // The places themselves are those of sockets.test.ts: the host may have a daemon at one of them.
  const control = new Control(new Transport([first as string, second as string]));
  const failure = await t.throwsAsync(control.status(), { instanceOf: Failure });
  t.is(failure?.exit, 69);
  t.is(
    failure?.message,
    `the daemon is not running; looked for it at ${first} (no such file) and ${second} (no such file)`,
  );
  t.true(failure?.help?.includes("`reeve up`"));
});

test("a socket that a killed daemon left behind counts as not running", async (t) => {
  const directory = await emptyDirectory(t);
  const path = join(directory, "control.sock");
  await writeFile(path, "");
  const failure = await t.throwsAsync(connect({ control: path }).status(), { instanceOf: Failure });
  t.is(failure?.message, `the daemon is not running; looked for it at ${path} (nothing listens)`);
});

test("the next socket is tried when nothing listens at the first", async (t) => {
  const { daemon } = await talking(t, { "GET /v1/status": () => status });
  const control = new Control(new Transport([join(daemon.directory, "none"), daemon.socket]));
  t.is(control.socket, join(daemon.directory, "none"));
  t.is((await control.status()).pid, 4711);
  t.is(control.socket, daemon.socket);
});

const mayBeDenied = process.getuid?.() === 0 ? test.serial : test;
mayBeDenied("a socket one may not use is said to be that", async (t) => {
  const { daemon, control } = await talking(t, { "GET /v1/status": () => status });
  await chmod(daemon.directory, 0o000);
  t.teardown(() => chmod(daemon.directory, 0o700));
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65534);
  try {
    const failure = await t.throwsAsync(control.status(), { instanceOf: Failure });
    t.is(failure?.exit, 69);
    t.is(failure?.message, `you may not use the daemon's control socket ${daemon.socket}`);
    t.true(failure?.help?.includes("sudo"));
  } finally {
    if (root) process.seteuid?.(0);
    await chmod(daemon.directory, 0o700);
  }
});

test("a path that is too long for a socket is named with its length", async (t) => {
  const path = `/tmp/${"x".repeat(120)}/control.sock`;
  const failure = await t.throwsAsync(connect({ control: path }).status(), { instanceOf: Failure });
  t.is(failure?.exit, 69);
  t.regex(failure?.message ?? "", /cannot be a socket: its path has 138 bytes, and .* 107 at most/);
});

test("a daemon that keeps silent is given up", async (t) => {
  const { daemon } = await talking(t, {
    "GET /v1/status": () => new Promise(() => undefined),
  });
  const control = connect({ control: daemon.socket, deadline: 30 });
  const failure = await t.throwsAsync(control.status(), { instanceOf: Failure });
  t.is(failure?.exit, 69);
  t.is(
    failure?.message,
    `the daemon at ${daemon.socket} did not answer GET /v1/status within 30ms`,
  );
});

test("a connection that breaks before the answer is said to have broken", async (t) => {
  const { control, daemon } = await talking(t, {
    "GET /v1/status": () => {
      throw new Error("gone");
    },
  });
  const failure = await t.throwsAsync(control.status(), { instanceOf: Failure });
  t.is(failure?.exit, 69);
  t.true(failure?.message.startsWith(`the connection to the daemon at ${daemon.socket} broke: `));
});

test("something else that listens there is noticed", async (t) => {
  const directory = await emptyDirectory(t);
  const path = join(directory, "other.sock");
  const server = createServer((socket) => socket.end("220 mail.example\r\n"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => server.close());
  const failure = await t.throwsAsync(connect({ control: path }).status(), { instanceOf: Failure });
  t.is(failure?.message, `what listens at ${path} does not speak HTTP`);
});

test("a refusal keeps the daemon's own words", async (t) => {
  const { control } = await talking(t, {});
  const refusal = await t.throwsAsync(control.run("x"), { instanceOf: ControlError });
  t.is(refusal?.exit, 1);
  t.is(refusal?.message, "There is no GET /v1/runs/x");
});

test("a refused configuration ends with 78 and keeps what was found", async (t) => {
  const problem: ConfigurationProblem = {
    type: "urn:reeve:configuration_rejected",
    title: "The configuration was rejected",
    status: 409,
    code: "configuration_rejected",
    detail: "The configuration has 1 error.",
    diagnostics: [],
    sources: {},
  };
  const { control } = await talking(t, { "POST /v1/reload": () => problem });
  const refusal = await t.throwsAsync(control.reload(), { instanceOf: ControlError });
  t.is(refusal?.exit, 78);
  t.deepEqual(refusal?.problem, problem);
});

test("readiness is an answer also while it says no", async (t) => {
  const { control } = await talking(t, {
    "GET /readyz": () => ({ ready: false, reasons: ["The first configuration is not loaded."] }),
  });
  t.is((await control.readiness()).ready, false);
});

test("events come line by line, however the bytes are cut", async (t) => {
  const text = JSON.stringify({ ...snapshot, boot: "ü" });
  const { control, daemon } = await talking(t, {
    "GET /v1/events": async function* () {
      yield text.slice(0, 10);
      yield `${text.slice(10)}\n{"line":"heartbeat","sequence":7,"at":1}\n\n`;
    },
  });
  const lines = await Array.fromAsync(control.events({ since: 3 }));
  t.deepEqual(
    lines.map(({ line }) => line),
    ["snapshot", "heartbeat"],
  );
  t.is(daemon.requests[0]?.request, "GET /v1/events?since=3");
});
