/** What `denyRead` and `denyWrite` mean for a command's view of the file system. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import type { Volume } from "../engine/file-system-view.js";
import { isWithin } from "../engine/paths.js";
import { FirewallError } from "../errors.js";
import type { SandboxSpec } from "./spec.js";

export interface DeniedPaths {
  /** What stays writable. @see FileSystemView.allowWrite */
  readonly allowWrite?: readonly string[];
  readonly volumes: readonly Volume[];
  /** In a home directory: not committed, whatever is there. */
  readonly inHome: readonly string[];
  /** Mounted read-only where the host's files are writable. */
  readonly mounted: readonly string[];
  /** There as well: missing, or links. */
  readonly unheld: readonly string[];
}

/** @param shown what is writable beside the home directory, unless `allowWrite` is given. Denied entries win over writable ones. */
export function deniedPaths(
  { denyWrite, allowWrite, volumes }: SandboxSpec,
  shown: readonly string[],
  homes: readonly string[],
): DeniedPaths {
  const [home = "/"] = homes;
  const isDenied = (path: string) => denyWrite.some((denied) => isWithin(path, denied));
  const usual = allowWrite ?? [home, ...shown];
  const left = usual.some(isDenied) ? usual.filter((path) => !isDenied(path)) : allowWrite;
  const live = [
    ...(left ?? shown).filter((path) => !isWithin(home, path)),
    ...volumes.filter(({ mode }) => mode === "rw").map(({ host }) => host),
  ];
  const isLive = (path: string) => live.some((directory) => isWithin(path, directory));
  const inHome = (path: string) => homes.some((directory) => isWithin(path, directory));
  const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  const outside = (path: string) => isLive(path) || (!inHome(path) && isBelow(path, left ?? shown));
  return {
    ...(left && { allowWrite: left }),
    volumes: volumes.map((each) => (isDenied(each.host) ? { ...each, mode: "ro" } : each)),
    inHome: denyWrite.filter((path) => !outside(path)).filter(inHome),
    mounted: denyWrite.filter((path) => outside(path) && existsSync(path)),
    unheld: denyWrite.filter((path) => outside(path) && (!existsSync(path) || isLink(path))),
  };
}

const isBelow = (path: string, directories: readonly string[]): boolean =>
  directories.some((directory) => isWithin(path, directory));

/** @throws {FirewallError} `denied_path` if the command cannot start without the path */
export function refuseNeeded(denyRead: readonly string[], needed: readonly string[]): void {
  for (const path of denyRead) {
    const inside = needed.find((directory) => isWithin(directory, path));
    if (inside === undefined) continue;
    const reason = `The command cannot start without ${inside}, which is in the unreadable path ${path}`;
    throw new FirewallError("denied_path", reason);
  }
}

/** The path, and what it leads to. It may appear later. */
export function withTarget(path: string): string[] {
  try {
    return [...new Set([path, realpathSync(path)])];
  } catch {
    return [path];
  }
}
