/** Git repositories in the upper layer of a home directory: what git would run of a command's is moved aside before the host gets it. */
import { cpSync, type Dirent, lstatSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { systemCode } from "../../errors.js";
import { entriesOf, stepsTo } from "../entries.js";
import { cleanConfig, newCommands } from "../git-config.js";
import { isWithin } from "../paths.js";
import {
  configurations,
  isGitDirectory,
  type MovedAside,
  moveAside,
  protectedNames,
} from "../repositories.js";
import type { FileAttributes } from "./file-attributes.js";
import { KeptPaths } from "./keeping.js";
import type { HomeLayout } from "./layout.js";
import { layers, opaque } from "./overlay.js";

interface UpperReview {
  /** By paths of the host. */
  readonly moved: readonly MovedAside[];
  readonly problems: readonly string[];
}

/** Everything in the layer is the command's. */
export function reviewUpper(layout: HomeLayout, attributes: FileAttributes): UpperReview {
  const upper = join(layout.root, layers.upper);
  const moved: MovedAside[] = [];
  const problems: string[] = [];
  for (const path of new Set(gitDirectories(layout, upper, moved))) {
    try {
      moved.push(...review(layout, path, attributes));
    } catch (thrown) {
      problems.push(`${join(layout.home, path)} (${systemCode(thrown) ?? thrown})`);
    }
  }
  const onHost = (path: string) => join(layout.home, relative(upper, path));
  return { moved: moved.map(({ path, note }) => ({ path: onHost(path), note })), problems };
}

/** By paths in the home: those that the layer or the host has, and those that files name. Other pointers are moved aside. */
function* gitDirectories(
  layout: HomeLayout,
  upper: string,
  moved: MovedAside[],
): Generator<string> {
  const kept = new KeptPaths(layout);
  const queue = new Set([""]);
  for (const directory of queue) {
    const entries = entriesOf(join(upper, directory));
    const isGit = isGitIn(layout, directory, entries);
    if (isGit) yield directory;
    for (const entry of entries) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (kept.of(path) === "hold") continue;
      if (entry.isDirectory()) queue.add(path);
      else if (entry.name === ".git" && !entry.isCharacterDevice()) {
        const target = pointedTo(layout, path, entry);
        if (target !== undefined) yield target;
        else moved.push(moveAside(join(upper, path)));
      }
    }
  }
}

function isGitIn(
  { home, root }: HomeLayout,
  directory: string,
  entries: readonly Dirent[],
): boolean {
  const onHost = join(home, directory);
  if (isGitDirectory(join(root, layers.upper, directory), entries)) return true;
  return isGitDirectory(onHost, [...entries, ...entriesOf(onHost)]);
}

/** The git directory in the home that a `.git` file or link names, as git reads it. */
function pointedTo(layout: HomeLayout, path: string, entry: Dirent): string | undefined {
  const at = join(layout.root, layers.upper, path);
  const text = entry.isSymbolicLink() ? readlinkSync(at) : pointerIn(at);
  if (text === undefined) return undefined;
  const target = resolve(dirname(join(layout.home, path)), text);
  if (!isWithin(target, layout.home)) return undefined;
  const inside = relative(layout.home, target);
  const entries = entriesOf(join(layout.root, layers.upper, inside));
  return isGitIn(layout, inside, entries) ? inside : undefined;
}

function pointerIn(path: string): string | undefined {
  if (!lstatSync(path).isFile()) return undefined;
  return /^gitdir: ([^\r\n]+)\n*$/.exec(readFileSync(path, "utf8").slice(0, 4096))?.[1];
}

function* review(
  { home, root, allowed }: HomeLayout,
  directory: string,
  attributes: FileAttributes,
): Generator<MovedAside> {
  const upper = join(root, layers.upper);
  const isNew = (path: string) =>
    stepsTo(path).some((step) => attributes.get(join(upper, step), opaque) === "y");
  const isReplaced = isNew(directory);
  for (const name of protectedNames) {
    const [path, host] = [join(upper, directory, name), join(home, directory, name)];
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (allowed.some((each) => isWithin(join(directory, name), each))) continue;
    if (found?.isCharacterDevice()) rmSync(path);
    else if (name === "hooks" && found?.isDirectory()) {
      yield* reviewHooks(path);
      if (isNew(join(directory, name)))
        for (const { name: hook } of entriesOf(host)) restore(join(host, hook), join(path, hook));
    } else if (configurations.includes(name) && found?.isFile()) yield* reviewConfig(path, host);
    else if (found && !(name === "commondir" && isOfWorktree(directory, path)))
      yield moveAside(path);
    if (isReplaced) restore(host, path);
  }
}

/** What git would run of the host's stays, also in a directory that the command made again. */
function restore(host: string, path: string): void {
  const isMissing = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  if (isMissing && lstatSync(host, { throwIfNoEntry: false }))
    cpSync(host, path, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

function* reviewConfig(path: string, host: string): Generator<MovedAside> {
  if (lstatSync(host, { throwIfNoEntry: false })?.isFile()) {
    const commands = newCommands(path, host);
    if (commands.length === 0) return;
    const { note } = moveAside(path);
    yield { path, note: `${note}, with ${commands.join(", ")}` };
  } else {
    const removed = cleanConfig(path, `${path}.sandbox-${Date.now()}`);
    if (removed.length > 0) yield { path, note: `without ${removed.join(", ")}` };
  }
}

function* reviewHooks(directory: string): Generator<MovedAside> {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isCharacterDevice()) rmSync(path);
    else if (!/\.sample$|\.sandbox-\d+$/.test(entry.name)) yield moveAside(path);
  }
}

/** As git makes it for a linked worktree. Others could name a directory with hooks. */
function isOfWorktree(directory: string, path: string): boolean {
  if (basename(dirname(directory)) !== "worktrees" || !lstatSync(path).isFile()) return false;
  return readFileSync(path, "utf8") === "../..\n";
}
