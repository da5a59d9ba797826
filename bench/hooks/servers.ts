/** The servers that are compared, each in a process of its own, gone when it is over. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processorTime, startDaemon } from "../support/daemon.js";
import { configuration, hooksFile, SECRET } from "./cases.js";

export interface Server {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** As users run it, where this build has it. */
const BUNDLED = new URL("../../bundle/reeve.js", import.meta.url).pathname;

/** With `others` more hooks that get no requests. */
export async function startReeve(others = 0): Promise<Server> {
  const daemon = await startDaemon({
    ...(existsSync(BUNDLED) ? { bin: BUNDLED } : {}),
    files: { "main.reeve": configuration(others) },
    env: { BENCH_SECRET: SECRET },
  });
  const { hooks } = await daemon.control<{ hooks: ReadonlyArray<{ url: string }> }>(
    "GET",
    "/v1/hooks",
  );
  const port = Number(new URL(hooks[0]?.url ?? "").port);
  return { port, pid: daemon.pid, stop: () => daemon.stop() };
}

/** `module` calls `serveBare` when it is given the argument `bare`. */
export async function startBare(module: string): Promise<Server> {
  const child = spawn(process.execPath, [module, "bare"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return serverOf(child, Number(line.toString()));
}

/** The first `webhook` on PATH. */
function installedWebhook(): readonly string[] | undefined {
  const program = (process.env.PATH ?? "")
    .split(":")
    .map((directory) => join(directory, "webhook"))
    .find((file) => existsSync(file));
  return program === undefined ? undefined : [program];
}

/** `command` with the benchmark's hooks file; `undefined` where it is not installed. */
export async function startWebhook(command = installedWebhook()): Promise<Server | undefined> {
  if (command === undefined) return undefined;
  const [program = "", ...words] = command;
  const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const hooks = join(directory, "hooks.json");
  writeFileSync(hooks, hooksFile);
  const port = await freePort();
  const child = spawn(
    program,
    [...words, "-hooks", hooks, "-ip", "127.0.0.1", "-port", String(port)],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const server = serverOf(child, port);
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended at once`);
    await sleep(5);
  }
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Until it has done what it has put off, so that the other one has the machine for itself. */
export async function rested({ pid }: Server): Promise<void> {
  let [quiet, used] = [0, processorTime(pid)];
  while (quiet < 5) {
    await sleep(100);
    const now = processorTime(pid);
    quiet = now === used ? quiet + 1 : 0;
    used = now;
  }
}

function serverOf(child: ChildProcess, port: number): Server {
  return {
    ...{ port, pid: child.pid as number },
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).then((answered) => {
    socket.destroy();
    return answered === true;
  });
}
