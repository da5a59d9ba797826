/** One round: a daemon takes deliveries until it is struck; its successor is asked for each acknowledged one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ask } from "../../daemon/http/testing/client.js";
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
  readonly child: ChildProcess;
  readonly address: string;
  readonly exited: Promise<unknown>;
}

async function start(directory: string, state: string): Promise<Daemon> {
  const child = spawn(
    process.execPath,
    [PROGRAM, join(directory, "main.reeve"), state, join(directory, "control.sock")],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const exited = once(child, "exit");
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const said = JSON.parse(value ?? "{}") as { listeners?: ReadonlyArray<{ address: string }> };
  const address = said.listeners?.[0]?.address;
  if (address === undefined) throw new Error(`The daemon does not start: ${value}`);
  return { child, address, exited };
}

export async function trial(
  volume: StateVolume,
  strike: "kill" | "cut" | "fill",
  random: () => number,
): Promise<Counts> {
  const directory = mkdtempSync(join(tmpdir(), "reeve-chaos-"));
  writeFileSync(join(directory, "main.reeve"), CONFIGURATION);
  const state = await volume.fresh();
  try {
    const first = await start(directory, state);
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
    while (LIMIT - left < at) await setTimeout(1);
    await setTimeout(random() * 20);
    if (strike === "cut") volume.cut();
    if (strike === "fill") {
      volume.fill();
      await Promise.all(clients);
    }
    first.child.kill("SIGKILL");
    await first.exited;
    await Promise.all(clients);
    await volume.heal();
    const second = await start(directory, state);
    const control = `unix:${join(directory, "control.sock")}`;
    let lost = 0;
    for (const id of acknowledged) {
      const { status } = await ask(control, `/v1/runs/${id}`);
      if (status !== 200) lost += 1;
    }
    const reported = damageIn(state);
    second.child.kill("SIGKILL");
    await second.exited;
    return { acknowledged: acknowledged.length, refused, lost, reported };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function damageIn(state: string): number {
  try {
    return readFileSync(join(state, "damage.jsonl"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}
