/** Sandboxes in a daemon: how long a command waits for its start, and what each that runs costs. */

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunEvent, type RunFrame, RunFrameReader } from "../../plugins/firewall/offline.js";
import { type BenchDaemon, residentMemory, startDaemon } from "../support/daemon.js";
import { median, quantile, type Row } from "../support/table.js";

const rounds = 31;
const atOnce = 20;
const config = 'sandbox "a" {\n  allow = ["example.com"]\n  dns = ["8.8.8.8"]\n}\n';

export async function inDaemon(): Promise<Row[]> {
  const daemon = await startDaemon({ files: { "main.reeve": config } });
  try {
    // The ready ones are being made.
    await sleep(1000);
    return [await starts(daemon), await memory(daemon)];
  } finally {
    await daemon.stop();
  }
}

/** By the daemon's own clock, from the request until the command has begun. */
async function starts(daemon: BenchDaemon): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for await (const event of run(daemon, ["true"])) {
      if (event.event === "started") times.push(event.milliseconds);
    }
    await sleep(300);
  }
  return {
    what: "`reeve sandbox run NAME -- true`: request → command started",
    result: `${median(times).toFixed(0)} ms, p90 ${quantile(times, 0.9).toFixed(0)} ms`,
    bar: "≤ 25 ms",
  };
}

async function memory(daemon: BenchDaemon): Promise<Row> {
  const before = residentMemory(daemon.pid);
  const running = Array.from({ length: atOnce }, () => run(daemon, ["sleep", "1000"]));
  for (const each of running) {
    for (let next = await each.next(); !next.done; next = await each.next()) {
      if (next.value.event === "started") break;
    }
  }
  const each = (residentMemory(daemon.pid) - before) / atOnce;
  await Promise.all(running.map((one) => one.return(undefined)));
  return {
    what: `memory of the daemon for each of ${atOnce} sandboxes with a running command`,
    result: `${each.toFixed(1)} MiB`,
    bar: "≤ 3 MiB",
  };
}

/** The events of a run; leaving them ends it. */
async function* run(daemon: BenchDaemon, argv: readonly string[]): AsyncGenerator<RunEvent> {
  for await (const { kind, data } of framesOf(daemon, argv)) {
    if (kind === "event") yield JSON.parse(data.toString("utf8")) as RunEvent;
  }
}

/** The frames of a run in the sandbox `a`; leaving them ends it. */
export async function* framesOf(
  daemon: BenchDaemon,
  argv: readonly string[],
): AsyncGenerator<RunFrame> {
  const execRequest = request({
    socketPath: join(daemon.directory, "control.sock"),
    method: "POST",
    path: "/v1/firewall/sandboxes/a/runs",
    headers: { "content-type": "application/json" },
  });
  execRequest.end(JSON.stringify({ argv, cwd: daemon.directory }));
  const [answer] = (await once(execRequest, "response")) as [IncomingMessage];
  const frames = new RunFrameReader();
  try {
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      yield* frames.push(bytes);
    }
  } finally {
    execRequest.destroy();
  }
}
