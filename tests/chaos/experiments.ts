/** How daemons are struck. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { injure, kinds } from "../../daemon/services/testing/injuries.js";
import type { Machine } from "../accepted/machine.js";
import { output } from "../support/child.js";
import { eventually, remains } from "../support/eventually.js";
import { ext4, type OpenVolume, type StateVolume, small } from "./volumes.js";

interface Scene {
  readonly machine: Machine;
  readonly volume: StateVolume;
  readonly directory: string;
  readonly state: string;
  random(): number;
}

export interface Experiment {
  readonly name: string;
  readonly volume?: OpenVolume;
  /** For the daemon. @throws Error with the reason where this machine cannot */
  environment?(directory: string, state: string): Readonly<Record<string, string>>;
  readonly usesPlugin?: boolean;
  /** While deliveries arrive. Where the daemon does not survive, it has ended or is about to when this resolves. */
  strike(scene: Scene): Promise<void> | void;
  heal?(scene: Scene): Promise<void> | void;
  readonly survives: boolean;
  /** Whether the harm lasts until the daemon is stopped. */
  readonly stays?: boolean;
  /** Whether the records are gone with it. */
  readonly forgets?: boolean;
  /** Whether findings of damage are no fault. */
  readonly damages?: boolean;
  /** Whether the daemon has to say that it is not ready while it is struck. */
  readonly isUnready?: boolean;
}

const kill = ({ machine }: Scene): void => machine.signal("KILL");

const limits = ({ machine: { pid } }: Scene, ...words: readonly string[]): void =>
  void output("prlimit", ["--pid", String(pid), ...words]);

const statusOf = (pid: number, name: string): number =>
  Number(
    new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1],
  );

/** Power goes from the processor, too: a daemon that runs on would hear of files that they are on the disk of a volume that is cut. */
async function cut({ machine, volume }: Scene): Promise<void> {
  const { pid } = machine;
  machine.signal("STOP");
  await eventually("a daemon that is stopped", () =>
    readdirSync(`/proc/${pid}/task`).every((thread) =>
      /^State:\s+T/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")),
    ),
  );
  volume.cut();
  machine.signal("KILL");
}

/** The shim that refuses writes, compiled once. */
function refusing(directory: string, state: string): Readonly<Record<string, string>> {
  const library = join(tmpdir(), `reeve-refuse-${process.pid}.so`);
  if (!existsSync(library)) {
    const source = fileURLToPath(new URL("../../../tests/chaos/refuse.c", import.meta.url));
    output("cc", ["-shared", "-fPIC", "-O1", "-o", library, source]);
    process.once("exit", () => rmSync(library, { force: true }));
  }
  return { LD_PRELOAD: library, REEVE_STATE: state, REEVE_REFUSES: join(directory, "refuse") };
}

export const experiments: readonly Experiment[] = [
  { name: "`kill -9`", strike: kill, survives: false },
  {
    name: "power cut (ext4 without its log flushed)",
    ...{ volume: ext4, strike: cut, survives: false },
    heal: ({ volume }) => volume.remount(),
  },
  {
    name: "full disk, then `kill -9`",
    ...{ volume: small, survives: false },
    async strike(scene) {
      scene.volume.fill();
      await remains("a moment", () => true, 200);
      kill(scene);
    },
    heal: ({ volume }) => volume.free(),
  },
  {
    name: "full disk for a time",
    ...{ volume: small, survives: true, isUnready: true },
    strike: ({ volume }) => volume.fill(),
    heal: ({ volume }) => volume.free(),
  },
  {
    name: "writes and syncs fail with EIO for a time",
    ...{ environment: refusing, survives: true, isUnready: true },
    strike: ({ directory }) => writeFileSync(join(directory, "refuse"), ""),
    heal: ({ directory }) => rmSync(join(directory, "refuse")),
  },
  {
    name: "the state directory is removed",
    ...{ survives: true, stays: true, forgets: true, isUnready: true },
    strike: ({ state }) => rmSync(state, { recursive: true }),
  },
  {
    name: "four reads of a plugin hold the pool",
    ...{ usesPlugin: true, survives: true, stays: true },
    strike: ({ directory }) => void output("mkfifo", [join(directory, "fifo")]),
  },
  {
    name: "a plugin logs 6 MB every 5 ms",
    ...{ usesPlugin: true, survives: true },
    strike: ({ directory }) => writeFileSync(join(directory, "flood"), ""),
    heal: ({ directory }) => rmSync(join(directory, "flood")),
  },
  {
    name: "the clock is set back by two hours, and forth",
    survives: true,
    async strike({ machine }) {
      machine.moveClock(-7_200_000);
      await machine.clockIsMoved();
    },
    async heal({ machine }) {
      machine.moveClock(0);
      await machine.clockIsMoved();
    },
  },
  {
    name: "no free descriptor for a time (EMFILE)",
    survives: true,
    strike: (scene) =>
      limits(scene, `--nofile=${readdirSync(`/proc/${scene.machine.pid}/fd`).length}:`),
    heal: (scene) => limits(scene, "--nofile=4096:"),
  },
  {
    name: "no more memory (ENOMEM), then `kill -9`",
    survives: false,
    async strike(scene) {
      const { machine } = scene;
      limits(scene, `--as=${statusOf(machine.pid, "VmSize") * 1024}:`);
      await remains("a moment", () => true, 500);
      machine.signal("KILL");
    },
  },
  {
    name: "`kill -9`, then damage to a file of the state",
    ...{ survives: false, damages: true, strike: kill },
    heal({ state, random }) {
      injure(state, kinds[Math.floor(random() * kinds.length)] ?? "", random);
    },
  },
];
