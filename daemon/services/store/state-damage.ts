/**
 * What was acknowledged and is missing: a file in the state directory, one finding a line, which stays until a user accepts the loss. The daemon and
 * `reeve state repair` read the same file, so a stopped daemon can be repaired, too.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
} from "node:fs";
import { join } from "node:path";

export interface DamageFinding {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** One sentence. */
  readonly what: string;
  /** Acknowledged records that are missing, as far as they can be counted. */
  readonly missing: number;
  /** Runs among them that are known by name. */
  readonly runs?: readonly string[];
  /** Where the damaged file was moved. */
  readonly kept?: string;
}

const fileName = "damage.jsonl";

/** @throws an error of the operating system when the file cannot be read */
export function readDamage(directory: string): readonly DamageFinding[] {
  const path = join(directory, fileName);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as DamageFinding];
      } catch {
        return [{ at: 0, what: "A finding is damaged itself and cannot be read.", missing: 0 }];
      }
    });
}

/** A finding that is known already is not added again. @throws an error of the operating system when it cannot be written */
export function addDamage(directory: string, finding: DamageFinding): void {
  if (readDamage(directory).some(({ what }) => what === finding.what)) return;
  const path = join(directory, fileName);
  appendFileSync(path, `${JSON.stringify(finding)}\n`, { mode: 0o600 });
  for (const each of [path, directory]) syncPath(each);
}

/** A file, or the names in a directory. On the disk when it returns. @throws an error of the operating system */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Moves the findings out of the way. Returns where they are. */
export function acceptDamage(directory: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, "-");
  const kept = join(directory, `damage-accepted-${stamp}.jsonl`);
  renameSync(join(directory, fileName), kept);
  return kept;
}
