/** One round: a daemon takes deliveries until it is struck; its successor is asked for each acknowledged one. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask } from "../../daemon/http/testing/client.js";
import { type Child, child, type Ending } from "../support/child.js";
import { eventually, remains } from "../support/eventually.js";
import { folder } from "../support/folder.js";
import type { StateVolume } from "./volumes.js";

export interface Counts {
  acknowledged: number;
  refused: number;
  lost: number;
  reported: number;
}

const PROGRAM = fileURLToPath(new URL("../../daemon/main/testing/run.js", import.meta.url));
const CONNECTIONS = 16;
/** Deliveries a round; more would leave the record of runs before they are looked for. */
const LIMIT = 150;
const CONFIGURATION = `hook_server "main" { listen = "127.0.0.1:0" }
hook "x" {
  run = ["true"]
  concurrency = 2
  queue = 1000
}
`;

interface Daemon {
  readonly address: string;
  /** From now on it does nothing. */
  stop(): Promise<void>;
  /** Kills it and waits until it and all that it started in its group are gone. */
  kill(): Promise<void>;
}

async function start(t: Ending, directory: string, state: string): Promise<Daemon> {
  const words = [join(directory, "main.reeve"), state, join(directory, "control.sock")];
  const started = child(t, process.execPath, [PROGRAM, ...words]);
  const [line] = await started.says(/^\{"(control|name)":.*$/m);
  const said = JSON.parse(line) as { listeners?: ReadonlyArray<{ address: string }> };
  const address = said.listeners?.[0]?.address;
  if (address === undefined) throw new Error(`The daemon does not start: ${line}`);
  return { address, stop: () => stopped(started), kill: () => killed(started) };
}

async function stopped(started: Child): Promise<void> {
  started.kill("SIGSTOP");
  await eventually("a daemon that is stopped", () =>
    readdirSync(`/proc/${started.pid}/task`).every((thread) =>
      /^State:\s+T/m.test(readFileSync(`/proc/${started.pid}/task/${thread}/status`, "utf8")),
    ),
  );
}

async function killed(started: Child): Promise<void> {
  const { pid } = started;
  await started.end();
  await eventually("the end of the daemon's process group", () => {
    try {
      process.kill(-pid, 0);
      return false;
    } catch {
      return true;
    }
  });
}

export async function trial(
  volume: StateVolume,
  strike: "kill" | "cut" | "fill",
  random: () => number,
): Promise<Counts> {
  const ends: Array<() => unknown> = [];
  const t: Ending = { teardown: (end) => ends.unshift(end) };
  try {
    const directory = folder(t, { "main.reeve": CONFIGURATION });
    const state = await volume.fresh();
    const first = await start(t, directory, state);
    const acknowledged: string[] = [];
    let refused = 0;
    let left = LIMIT;
    const at = Math.floor(random() * LIMIT);
    const clients = Array.from({ length: CONNECTIONS }, async () => {
      while (left > 0) {
        left -= 1;
        const answer = await ask(first.address, "/hooks/x", { method: "POST" }).catch(
          () => undefined,
        );
        const id = answer?.headers["reeve-run"];
        if (answer?.status === 202 && typeof id === "string") acknowledged.push(id);
        else refused += 1;
      }
    });
    await eventually("the time of the strike", () => LIMIT - left >= at, { every: 1 });
    await remains("a moment more", () => true, random() * 20);
    if (strike === "cut") {
      // Power goes from the processor, too. A daemon that runs on would hear of files that they are on the disk of a volume that is cut.
      await first.stop();
      volume.cut();
    }
    if (strike === "fill") {
      volume.fill();
      await Promise.all(clients);
    }
    await first.kill();
    await Promise.all(clients);
    await volume.heal();
    const second = await start(t, directory, state);
    const control = `unix:${join(directory, "control.sock")}`;
    let lost = 0;
    for (const id of acknowledged) {
      const { status } = await ask(control, `/v1/runs/${id}`);
      if (status !== 200) lost += 1;
    }
    const reported = damageIn(state);
    await second.kill();
    return { acknowledged: acknowledged.length, refused, lost, reported };
  } finally {
    for (const end of ends) await end();
  }
}

function damageIn(state: string): number {
  try {
    return readFileSync(join(state, "damage.jsonl"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}
