/** What the user's links among settings lead to: as programs read it as settings, commands must not leave anything there. */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { entriesOf } from "../entries.js";
import { isWithin } from "../paths.js";

/** Directories of settings, whose links are read as well. */
const settings = [".config", ".local", ".local/share", ".local/bin"];
/** So many links in a chain, as the kernel follows. */
const longestChain = 40;

/** What the links among the hidden entries of a home lead to, each step of the way, by paths in the home. */
export function linkTargets(home: string): string[] {
  const hidden = entriesOf(home).filter(({ name }) => name.startsWith("."));
  const below = settings.flatMap((directory) =>
    entriesOf(join(home, directory)).map((entry) => ({
      path: `${directory}/${entry.name}`,
      entry,
    })),
  );
  const links = [...hidden.map((entry) => ({ path: entry.name, entry })), ...below]
    .filter(({ entry }) => entry.isSymbolicLink())
    .flatMap(({ path }) => stepsOfLink(join(home, path)));
  const targets = links.filter((path) => isWithin(path, home) && path !== home);
  return [...new Set(targets.map((path) => relative(home, path)))];
}

/** Every path that is read on the way, apart from the link itself; the last may be missing. */
function stepsOfLink(link: string): string[] {
  const steps: string[] = [];
  let path = link;
  for (let count = 0; count < longestChain; count += 1) {
    const step = nextLink(path);
    if (step === undefined) break;
    steps.push(step.target);
    path = step.rest === "" ? step.target : join(step.target, step.rest);
    if (step.rest !== "") steps.push(path);
  }
  return steps;
}

/** The first link on a path, what it leads to, and what of the path follows. */
function nextLink(path: string): { readonly target: string; readonly rest: string } | undefined {
  const words = path.split("/");
  for (let length = 2; length <= words.length; length += 1) {
    const at = words.slice(0, length).join("/");
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isSymbolicLink()) continue;
    const target = resolve(dirname(at), readlinkSync(at));
    return { target, rest: words.slice(length).join("/") };
  }
  return undefined;
}
