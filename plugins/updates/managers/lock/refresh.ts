/** Refreshes a lock file: in process, else by the package manager's own program, else not at all. */
import { UpdatesError } from "../../errors.js";
import type { LockOutcome, RepositoryPath, UpdateEdit, VersionChange } from "../contract.js";
import type { RefreshedLock } from "./contract.js";

/** The lock file cannot be refreshed this way. The message is the reason, one clause. */
export class LockFallback extends Error {}

/** A lock file that cannot be read cannot be refreshed. */
export function orFallback<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof UpdatesError ? new LockFallback(error.message) : error;
  }
}

export interface LockRefresh {
  readonly file: RepositoryPath;
  /** @throws LockFallback */
  readonly inProcess?: () => Promise<RefreshedLock>;
  /** Left out where the program may not run. @throws LockFallback, UpdatesError */
  readonly byTool?: (() => Promise<RefreshedLock>) | undefined;
  /** The command that refreshes the lock file by hand. */
  readonly advice: string;
  /** A program that fails fails the update; a missing one never does. */
  readonly strict?: boolean;
}

export type LockEdit = Pick<UpdateEdit, "files" | "lock">;

/** @throws UpdatesError `does_not_resolve`; where `strict`, as `byTool` */
export async function refreshLock(refresh: LockRefresh): Promise<LockEdit> {
  const { file, inProcess, byTool, advice, strict = false } = refresh;
  const reasons: string[] = [];
  for (const [tier, attempt] of [["in_process", inProcess] as const, ["tool", byTool] as const])
    try {
      if (!attempt) continue;
      const { text, by } = await attempt();
      return { files: new Map([[file, text]]), lock: { kind: "refreshed", tier, by } };
    } catch (error) {
      const isReason =
        error instanceof LockFallback ||
        (tier === "tool" &&
          error instanceof UpdatesError &&
          (strict ? error.code === "tool_missing" : error.code !== "does_not_resolve"));
      if (!isReason) throw error;
      reasons.push(error.message.replace(/\.$/, ""));
    }
  return { files: new Map(), lock: staleLock(file, reasons.join("; "), advice) };
}

/** `reason` is one clause; `advice` is a command. */
export const staleLock = (file: RepositoryPath, reason: string, advice: string): LockOutcome => ({
  kind: "stale",
  note: `${file} is not refreshed: ${reason.replace(/\.$/, "")}. Run \`${advice}\`.`,
});

/** The same change with `requirement(version, old)` in every declaration: programs resolve it to one version. */
export const exactChange =
  (requirement: (version: string, old: string) => string) =>
  (change: VersionChange): VersionChange => ({
    ...change,
    requirements: change.dependency.declarations.map((declaration) =>
      requirement(change.to.version, declaration.requirement),
    ),
  });
