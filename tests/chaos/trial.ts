/** One round of an experiment: a daemon takes deliveries, is struck, and it or its successor carries out what was acknowledged. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunRecord } from "../../daemon/plugin-api/state.js";
import { readDamage } from "../../daemon/services/store/state-damage.js";
import { Machine } from "../accepted/machine.js";
import type { Ending } from "../support/child.js";
import { eventually, remains } from "../support/eventually.js";
import { folder } from "../support/folder.js";
import type { Experiment } from "./experiments.js";
import { type Counts, type Delivery, judge } from "./judge.js";
import { PLUGIN } from "./plugin.js";
import { plain } from "./volumes.js";

const CONNECTIONS = 8;
/** Deliveries a round; more would leave the record of runs before they are looked for. */
const LIMIT = 150;
/** Milliseconds that a daemon which goes on is struck for, at least. */
const STRUCK = 300;

const configuration = (directory: string, usesPlugin: boolean): string => `daemon {
  drain_timeout = 300ms
}
hook_server "main" { listen = "unix:${join(directory, "hooks.sock")}" }
hook "x" {
  run = ["sh", "work.sh", payload.number, payload.text]
  concurrency = 2
  queue = 1000
}
${usesPlugin ? 'plugin "noisy" { source = "./noisy.js"; isolation = "worker" }\nnoisy.noise "x" {}\n' : ""}`;

const COMMAND = 'echo "$1 $2" >>done\n';

/** The result of a round. */
export interface Round {
  readonly counts: Counts;
  /** Whether the daemon said, while it was struck, that it is not ready. */
  readonly wasUnready: boolean;
  /** Of damage. */
  readonly findings: number;
  /** Milliseconds from SIGTERM to its end. */
  readonly ended: number;
}

export async function trial(experiment: Experiment, random: () => number): Promise<Round> {
  const ends: Array<() => unknown> = [];
  const t: Ending = { teardown: (end) => ends.unshift(end) };
  try {
    return await play(t, experiment, random);
  } finally {
    for (const end of ends) await end();
  }
}

async function play(t: Ending, experiment: Experiment, random: () => number): Promise<Round> {
  const directory = folder(t, { "work.sh": COMMAND, done: "", "noisy.js": PLUGIN });
  const state = join(directory, "state");
  mkdirSync(state, { mode: 0o700 });
  const { volume: open = plain, usesPlugin = false, survives, strike, heal } = experiment;
  writeFileSync(join(directory, "main.reeve"), configuration(directory, usesPlugin));
  const volume = await open(state);
  t.teardown(() => volume.close());
  const env = experiment.environment?.(directory, state) ?? {};
  const machine = new Machine(t, directory, { env });
  t.teardown(async () => {
    if (!machine.isAlive) return;
    machine.signal("KILL");
    await machine.ended();
  });
  await machine.launch();
  await served(machine);

  const load = new Load(machine, random);
  const at = Math.floor(random() * LIMIT);
  await eventually("the time of the strike", () => load.sent >= at, { every: 1 });
  await remains("a moment more", () => true, random() * 20);
  const scene = { machine, volume, directory, state, random };
  await strike(scene);
  let wasUnready = false;
  if (survives) {
    const since = performance.now();
    await eventually(
      "the end of the strike",
      async () => {
        wasUnready ||= !(await isReady(machine));
        return performance.now() - since > (wasUnready ? STRUCK : 4 * STRUCK);
      },
      { every: 20 },
    );
    await heal?.(scene);
    await load.over;
    if (!machine.isAlive) throw new Error("The daemon did not survive.");
    if (!experiment.stays) await eventually("a ready daemon", () => isReady(machine));
  } else {
    await machine.ended();
    await load.over;
    await heal?.(scene);
    await machine.launch();
    await served(machine);
  }
  const isOpen = ({ state: now }: RunRecord): boolean => now === "queued" || now === "running";
  await eventually("the end of all runs", async () => !(await listed(machine)).some(isOpen));
  const records = new Map<string, RunRecord>();
  for (const { id } of await listed(machine)) {
    const { body } = await machine.control(`/v1/runs/${id}`);
    records.set(id, JSON.parse(body) as RunRecord);
  }
  const began = performance.now();
  machine.signal("TERM");
  await machine.ended();
  const ended = performance.now() - began;
  const done = readFileSync(join(directory, "done"), "utf8").split("\n").filter(Boolean);
  const findings = readDamage(state).length;
  const { deliveries } = load;
  const isForgotten = experiment.forgets ?? false;
  const counts = judge({ deliveries, records, done, findings, isForgotten });
  return { counts, wasUnready, ended, findings };
}

async function served(machine: Machine): Promise<void> {
  if (!(await machine.ready())) throw new Error(`The daemon does not start:\n${machine.log}`);
}

async function isReady(machine: Machine): Promise<boolean> {
  const answer = await machine.control("/readyz").catch(() => undefined);
  return answer?.status === 200;
}

async function listed(machine: Machine): Promise<readonly RunRecord[]> {
  const { body } = await machine.control("/v1/runs?limit=1000&subject=hook.x");
  return (JSON.parse(body) as { runs: RunRecord[] }).runs;
}

/** Clients that send one delivery after another. */
class Load {
  readonly deliveries: Delivery[] = [];
  readonly over: Promise<unknown>;
  readonly #machine: Machine;

  constructor(machine: Machine, random: () => number) {
    this.#machine = machine;
    const text = (): string => "x".repeat(1 + random() * 2000) + Math.floor(random() * 1e9);
    this.over = Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (this.sent < LIMIT) await this.#send({ number: this.sent, text: text() });
      }),
    );
  }

  get sent(): number {
    return this.deliveries.length;
  }

  async #send(delivery: Delivery): Promise<void> {
    this.deliveries.push(delivery);
    const { text } = delivery;
    const number = String(delivery.number);
    const answer = await this.#machine.send("/hooks/x", { number, text }).catch(() => undefined);
    if (answer === undefined) return;
    delivery.status = answer.status;
    const run = answer.headers["reeve-run"];
    if (typeof run === "string") delivery.run = run;
  }
}
