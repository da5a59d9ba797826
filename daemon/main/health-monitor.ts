/** Examines what the daemon itself depends on, and reports what fails as conditions. Nothing has to be restarted afterwards. */
import { randomUUID } from "node:crypto";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../errors.js";
import type { ControlServer } from "../http/control/control.js";
import type { ConditionFinding, DaemonServices } from "../services/contract.js";

export interface HealthMonitorOptions {
  readonly kit: Pick<DaemonServices, "clock" | "conditions" | "records">;
  /** Absolute. */
  readonly stateDirectory: string;
  readonly control: Pick<ControlServer, "restore">;
  /** Milliseconds. @default 5000 */
  readonly interval?: number;
}

/** Written in one piece: more than a full disk has left. */
const SAMPLE = Buffer.alloc(64 * 1024);

/** Examines at once and then regularly. Returns the way to end it. */
export async function monitorHealth(options: HealthMonitorOptions): Promise<() => Promise<void>> {
  const { kit, interval = 5_000 } = options;
  const ended = new AbortController();
  const identity = await identityOf(options.stateDirectory);
  const examine = async (): Promise<void> =>
    kit.conditions.report("health", await ailments(options, identity));
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await kit.clock.sleep(interval, ended.signal).catch(() => undefined);
      if (!ended.signal.aborted) await examine();
    }
  };
  await examine();
  const watching = watch();
  return async () => {
    ended.abort();
    await watching;
  };
}

async function ailments(
  { kit, stateDirectory, control }: HealthMonitorOptions,
  identity: string | undefined,
): Promise<readonly ConditionFinding[]> {
  const [directory, socket] = await Promise.all([
    stateDirectoryFault(stateDirectory, identity),
    control.restore(),
  ]);
  const store = directory ? undefined : await storeFault(kit);
  return [directory, store, socket].filter((each) => each !== undefined);
}

async function stateDirectoryFault(
  directory: string,
  identity: string | undefined,
): Promise<ConditionFinding | undefined> {
  const now = await identityOf(directory);
  if (now === undefined || now !== identity) {
    const what = now === undefined ? "is not there" : "is another directory";
    const reason = `The state directory ${directory} ${what} since the start: nothing is stored. Put it back, or restart the daemon.`;
    return unready("state_missing", reason);
  }
  const path = join(directory, `.probe-${randomUUID()}`);
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(SAMPLE);
    } finally {
      await file.close();
    }
    return undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === "ENOSPC" || code === "EDQUOT"
      ? unready(
          "state_full",
          `The disk of the state directory ${directory} is full. Free some space.`,
        )
      : unready(
          "state_unwritable",
          `The state directory ${directory} cannot be written: ${errorMessage(thrown)}.`,
        );
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Device and inode of the directory and of the database in it. */
async function identityOf(directory: string): Promise<string | undefined> {
  try {
    const all = await Promise.all([stat(directory), stat(join(directory, "reeve.db"))]);
    return all.map(({ dev, ino }) => `${dev}:${ino}`).join(" ");
  } catch {
    return undefined;
  }
}

async function storeFault({
  records,
  clock,
}: HealthMonitorOptions["kit"]): Promise<ConditionFinding | undefined> {
  try {
    await records("health").set("probe", clock.now(), "daemon");
    return undefined;
  } catch (thrown) {
    return unready("store_unwritable", errorMessage(thrown));
  }
}

const unready = (code: string, reason: string): ConditionFinding => ({
  code,
  reason,
  isUnready: true,
});
