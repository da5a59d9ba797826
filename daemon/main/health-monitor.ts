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
  /** Whether the pool that every examination of files needs does not answer: nothing is known of the directory then. */
  readonly isPoolBlocked: () => boolean;
  /** Milliseconds. @default 5000 */
  readonly interval?: number;
  /** Milliseconds within which the disk is to answer. @default 10000 */
  readonly patience?: number;
  /** Writes to a new file and waits until that is on the disk. @throws an error of the operating system */
  readonly writeSample?: (path: string) => Promise<void>;
}

/** Written in one piece: more than a full disk has left. */
const SAMPLE = Buffer.alloc(64 * 1024);

/** Examines at once and then regularly. Returns the way to end it. */
export async function monitorHealth(options: HealthMonitorOptions): Promise<() => void> {
  const { kit, isPoolBlocked, interval = 5_000, patience = 10_000 } = options;
  const ended = new AbortController();
  const identity = await identityOf(options.stateDirectory);
  const report = (found: readonly ConditionFinding[]): void => {
    if (!ended.signal.aborted) kit.conditions.report("health", found);
  };
  const examine = async (): Promise<void> => {
    const over = new AbortController();
    void kit.clock.sleep(patience, over.signal).then(
      () => report(isPoolBlocked() ? [] : [unresponsive(options.stateDirectory, patience)]),
      () => undefined,
    );
    try {
      report(await ailments(options, identity));
    } finally {
      over.abort();
    }
  };
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await kit.clock.sleep(interval, ended.signal).catch(() => undefined);
      if (!ended.signal.aborted) await examine();
    }
  };
  await examine();
  void watch();
  // An examination may wait for a dead disk.
  return () => ended.abort();
}

async function ailments(
  { kit, stateDirectory, control, writeSample = writeSampleTo }: HealthMonitorOptions,
  identity: string | undefined,
): Promise<readonly ConditionFinding[]> {
  const [directory, socket] = await Promise.all([
    stateDirectoryFault(stateDirectory, identity, writeSample),
    control.restore(),
  ]);
  const store = directory ? undefined : await storeFault(kit);
  return [directory, store, socket].filter((each) => each !== undefined);
}

async function stateDirectoryFault(
  directory: string,
  identity: string | undefined,
  writeSample: (path: string) => Promise<void>,
): Promise<ConditionFinding | undefined> {
  const now = await identityOf(directory);
  if (now === undefined || now !== identity) {
    const what = now === undefined ? "is not there" : "is another directory";
    const reason = `The state directory ${directory} ${what} since the start: nothing is stored. Put it back, or restart the daemon.`;
    return unready("state_missing", reason);
  }
  const path = join(directory, `.probe-${randomUUID()}`);
  try {
    await writeSample(path);
    return undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") {
      const reason = `The disk of the state directory ${directory} is full. Free some space.`;
      return unready("state_full", reason);
    }
    if (code === "EMFILE" || code === "ENFILE")
      return unready("no_descriptors", noDescriptors(code));
    const reason = `The state directory ${directory} cannot be written: ${errorMessage(thrown)}.`;
    return unready("state_unwritable", reason);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** A disk may take what it cannot keep, and say so only when it is to be kept. */
async function writeSampleTo(path: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(SAMPLE);
    await file.datasync();
  } finally {
    await file.close();
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

const noDescriptors = (code: string): string =>
  `No file descriptor is free (${code}): no command can be started, and no connection accepted. Raise the limit of ${code === "EMFILE" ? "the daemon (`LimitNOFILE` in its unit)" : "the host (`fs.file-max`)"}.`;

const unresponsive = (directory: string, patience: number): ConditionFinding =>
  unready(
    "state_unresponsive",
    `The disk of the state directory ${directory} does not respond: what was written to it has not been kept for ${patience / 1000} s.`,
  );

const unready = (code: string, reason: string): ConditionFinding => ({
  code,
  reason,
  isUnready: true,
});
