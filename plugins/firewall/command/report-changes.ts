/** Says what became of a command's changes to files. */
import type { RunCommit } from "../engine/unfinished-runs.js";
import { daemonAt, type RunningDaemon } from "../sandbox/running-daemons.js";
import type { SandboxSpec } from "../sandbox/spec.js";
import type { Messages } from "./messages.js";

interface ReportedCommit extends RunCommit {
  readonly withoutOverlay?: string | undefined;
}

/** What the command wrote that the host does not have as it was written. */
export function reportCommit(
  messages: Messages,
  { held, heldIn, moved, problems, withoutOverlay }: ReportedCommit,
  isDenied: boolean,
): void {
  if (withoutOverlay !== undefined)
    messages.warn(
      `The home directory was read-only, since this system cannot mount an overlay on it (${printable(withoutOverlay)})`,
    );
  const option = isDenied ? " or --deny-write names it" : "";
  const apart = heldIn === undefined ? "" : `. What it wrote there is in ${heldIn} for a week`;
  if (held.length > 0)
    messages.warn(
      `Not kept, since programs run or trust it later${option}: ${listed(held)}. To keep a file, name it with --allow-write${apart}`,
    );
  if (moved.length > 0) {
    const shown = listed(moved.map(({ path, note }) => `${path} (${note})`));
    messages.warn(
      `Moved aside, since git would run it${option}: ${shown}. To use it, check it and rename it back; --allow-write PATH allows an existing path`,
    );
  }
  if (problems.length > 0) messages.warn(`Changes that need a look: ${listed(problems)}`);
}

export function listed(items: readonly string[]): string {
  const more = items.length > 8 ? ` and ${items.length - 8} more` : "";
  return `${items.slice(0, 8).map(printable).join(", ")}${more}`;
}

/** A name may contain anything. */
export const printable = (text: string): string => text.replace(/[^\x20-\x7e\xa1-\ud7ff]/g, "?");

/** To the minute. */
export const utc = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** What the user works on, or mounts, and a daemon runs. */
export function reportDaemons(
  daemons: readonly RunningDaemon[],
  { allowWrite, volumes }: SandboxSpec,
  messages: Messages,
): void {
  const mounted = volumes.filter(({ mode }) => mode === "rw").map(({ host }) => host);
  const named = allowWrite ? mounted : [process.cwd(), ...mounted];
  for (const path of new Set(named)) {
    const daemon = daemonAt(daemons, path, allowWrite);
    if (daemon)
      messages.warn(
        `${path} is read-only: a running daemon (process ${daemon.pid}) reads its configuration there. --allow-write ${path} lets the command change it`,
      );
  }
}
