import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../tests/support/eventually.js";
import type { JsonDiagnostic } from "./http/control/api.js";
import { ask } from "./http/testing/client.js";
import { watch } from "./http/testing/lines.js";
import { launch, type RunningDaemon, run, site } from "./main/testing/daemon.js";
import { systemd } from "./systemd/testing/systemd.js";

const hooks = (body: string, rest = ""): string => `${rest}
hook_server "main" { listen = "127.0.0.1:0" }
hook "a" {
  run = ["/bin/sh", "-c", ${JSON.stringify(body)}]
  response { include_output = true }
}
`;

// Each starts processes of its own; on a busy machine that takes its time.
test.beforeEach((t) => t.timeout(120_000));

function addressOf({ said }: RunningDaemon): string {
  const [first] = said.listeners as ReadonlyArray<{ address: string }>;
  return first?.address ?? "";
}

test("a daemon starts, answers, and ends quietly when it is asked to", async (t) => {
  const project = await site(t, hooks("echo hello"));
  const daemon = await run(t, project);
  t.like(daemon.said, { control: project.control, generation: 1, refused: false });
  t.is((await daemon.get("/readyz")).status, 200);
  t.like(JSON.parse((await daemon.get("/v1/status")).body), {
    version: "0.0.0-test",
    pid: daemon.child.pid,
    state: "running",
    root: project.root,
    generation: { number: 1 },
  });
  const answer = await ask(addressOf(daemon), "/hooks/a", { method: "POST" });
  t.is(answer.status, 200, answer.body);
  daemon.child.kill("SIGTERM");
  t.is(await daemon.exited, 0);
  t.false((await readdir(project.directory)).includes("control.sock"));
});

test("an edit is taken over, a faulty one is not and says why", async (t) => {
  const project = await site(t, hooks("echo one"));
  const daemon = await run(t, project);
  await project.write(hooks("echo two"));
  t.is((await daemon.post("/v1/reload")).status, 200);
  const answer = await ask(addressOf(daemon), "/hooks/a", { method: "POST" });
  t.regex(answer.body, /two/);

  await project.write(hooks("echo three").replace("run =", "rum ="));
  const refused = await daemon.post("/v1/reload");
  t.is(refused.status, 409);
  const { diagnostics, sources } = JSON.parse(refused.body);
  const locations = diagnostics.map(
    ({ file, range }: JsonDiagnostic) => `${file}:${range?.start.line}`,
  );
  t.true(locations.includes("main.reeve:4"), locations.join());
  t.regex(sources["main.reeve"], /rum =/);
  t.like(JSON.parse((await daemon.get("/v1/status")).body), { state: "degraded" });
  t.is((await daemon.get("/readyz")).status, 200);
});

test("SIGHUP reloads", async (t) => {
  const project = await site(t, "");
  const daemon = await run(t, project);
  const { next } = await watch(t, project.control);
  await next();
  await project.write("daemon { settle = 60s }\n");
  daemon.child.kill("SIGHUP");
  let line = await next();
  while (line?.line !== "event" || line.type !== "config.reloaded") line = await next();
  t.like(JSON.parse((await daemon.get("/v1/generations")).body), {
    generations: [{ number: 2 }, { number: 1 }],
  });
});

/** How a connection is turned away once the door is closed; before that it is let in. */
function closing(address: string): Promise<string> {
  const port = Number(address.slice(address.lastIndexOf(":") + 1));
  return eventually("a refusal", async () => {
    const socket = connect(port, "127.0.0.1");
    const refused = await once(socket, "connect").then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    socket.destroy();
    return refused === "ECONNRESET" ? undefined : refused;
  });
}

test("what is being answered is answered before the end, and nothing new begins", async (t) => {
  const project = await site(t, hooks("until [ -e go ]; do sleep 0.05; done; echo finished"));
  const daemon = await run(t, project);
  const address = addressOf(daemon);
  const { next } = await watch(t, project.control);
  await next();
  const response = ask(address, "/hooks/a", { method: "POST" });
  response.catch(() => undefined);
  let line = await next();
  while (line?.line !== "event" || line.type !== "hook.triggered") line = await next();
  daemon.child.kill("SIGTERM");
  while (line?.line !== "event" || line.type !== "daemon.stopping") line = await next();
  t.is((await daemon.get("/readyz")).status, 503);
  t.is(await closing(address), "ECONNREFUSED");
  writeFileSync(join(project.directory, "go"), "");
  t.regex((await response).body, /finished/);
  t.is(await daemon.exited, 0);
});

test("asked twice, a daemon does not wait", async (t) => {
  const project = await site(t, hooks("sleep 600"));
  const daemon = await run(t, project);
  const { next } = await watch(t, project.control);
  await next();
  const response = ask(addressOf(daemon), "/hooks/a", { method: "POST" });
  response.catch(() => undefined);
  let line = await next();
  while (line?.line !== "event" || line.type !== "hook.triggered") line = await next();
  daemon.child.kill("SIGTERM");
  while (line?.line !== "event" || line.type !== "daemon.stopping") line = await next();
  daemon.child.kill("SIGTERM");
  t.is(await daemon.exited, 143);
  await response.catch(() => undefined);
});

test("a daemon that was killed leaves nothing in the way of the next", async (t) => {
  const project = await site(t, hooks("echo one"));
  const first = await run(t, project);
  first.child.kill("SIGKILL");
  await first.exited;
  const second = await run(t, project);
  t.is((await second.get("/readyz")).status, 200);
});

test("a second daemon is told who is there, and harms nothing", async (t) => {
  const project = await site(t, "");
  const first = await run(t, project);
  const second = await run(t, project);
  t.like(second.said, {
    code: "already_running",
    message: `Reeve runs already: process ${first.child.pid} has \`${project.control}\`.`,
  });
  const elsewhere = await run(t, { ...project, control: `${project.directory}/other.sock` });
  t.like(elsewhere.said, {
    code: "already_running",
    message: `Reeve runs already: process ${first.child.pid} has \`${project.directory}/state\`.`,
  });
  t.is((await first.get("/readyz")).status, 200);
});

test("an invalid configuration does not start; after a good one, the good one does", async (t) => {
  const project = await site(t, "nonsense\n");
  const first = await run(t, project);
  t.like(first.said, { code: "configuration_invalid" });
  t.is(await first.exited, 78);
  t.false((await readdir(project.directory)).includes("control.sock"));

  await project.write("daemon { probation = 0s }\n");
  const second = await run(t, project);
  const { next } = await watch(t, project.control);
  await next();
  second.child.kill("SIGTERM");
  await second.exited;
  await project.write("nonsense\n");
  const third = await run(t, project);
  t.like(third.said, { refused: true });
  t.like(JSON.parse((await third.get("/v1/status")).body), { state: "degraded" });
});

test("an address that somebody else has is said at the start", async (t) => {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const project = await site(t, hooks("true").replace("127.0.0.1:0", `127.0.0.1:${port}`));
  const daemon = await run(t, project);
  t.like(daemon.said, { code: "configuration_invalid" });
  t.regex(
    String(daemon.said.errors),
    new RegExp(`127\\.0\\.0\\.1:${port}.*process ${process.pid}\\b`),
  );
});

test("patience ends with `drain_timeout`", async (t) => {
  const project = await site(t, hooks("sleep 600", "daemon { drain_timeout = 50ms }"));
  const daemon = await run(t, project);
  const { next } = await watch(t, project.control);
  await next();
  const response = ask(addressOf(daemon), "/hooks/a", { method: "POST" });
  response.catch(() => undefined);
  let line = await next();
  while (line?.line !== "event" || line.type !== "hook.triggered") line = await next();
  daemon.child.kill("SIGTERM");
  t.is(await daemon.exited, 0);
  await response.catch(() => undefined);
});

test("a forgotten promise is logged; an exception that nobody catches ends the daemon with 70", async (t) => {
  const daemon = await run(t, await site(t, ""));
  daemon.child.kill("SIGUSR2");
  await eventually("a line of the log", async () => {
    t.is((await daemon.get("/healthz")).status, 200);
    return daemon.log.some((line) => line.includes("a forgotten promise"));
  });
  daemon.child.kill("SIGUSR2");
  t.is(await daemon.exited, 70);
  t.true(daemon.log.some((line) => line.includes("a bug") && line.includes("Internal error")));
});

test("systemd hears of start, reload, edits and end, and commands do not inherit its socket", async (t) => {
  const { socket, next } = await systemd(t);
  const project = await site(t, hooks("echo socket=$NOTIFY_SOCKET."));
  const daemon = await run(t, project, { NOTIFY_SOCKET: socket });
  t.is(await next(), "READY=1;STATUS=generation 1 of main.reeve, 2 blocks");
  const { body } = await ask(addressOf(daemon), "/hooks/a", { method: "POST" });
  t.regex(body, /socket=\./);
  daemon.child.kill("SIGHUP");
  t.regex(await next(), /^RELOADING=1;MONOTONIC_USEC=\d+$/);
  t.regex(await next(), /^READY=1;STATUS=generation 1/);
  const text = hooks("echo socket=$NOTIFY_SOCKET.");
  await project.write(text.replace("run =", "rum ="));
  t.regex(await next(), /^STATUS=degraded: /);
  await project.write(text);
  t.regex(await next(), /^STATUS=generation 1 of main\.reeve, 2 blocks$/);
  daemon.child.kill("SIGTERM");
  t.regex(await next(), /^STOPPING=1;EXTEND_TIMEOUT_USEC=31000000;/);
  t.is(await daemon.exited, 0);
});

test("asked while it starts, a daemon ends as quietly", async (t) => {
  const many = Array.from({ length: 3000 }, (_, index) => `hook "h${index}" { run = ["true"] }\n`);
  const project = await site(t, many.join(""));
  const daemon = launch(t, project);
  await eventually("an answer", () => daemon.get("/healthz"), { every: 1 });
  daemon.child.kill("SIGTERM");
  t.is(await daemon.exited, 0);
  t.deepEqual(await readdir(project.directory), ["main.reeve", "state"]);
});
