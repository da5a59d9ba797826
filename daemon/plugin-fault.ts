/** Where the code of a plugin failed. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { errorMessage, ReeveError } from "./errors.js";

/** Folders of the code of plugins, as far as this thread knows them. */
const folders = new Set<string>();

/** The package of a module below `node_modules`, otherwise the folder of the module. */
export function addPluginCode(module: string): void {
  const path = fileURLToPath(module);
  const [packageFolder = dirname(path)] =
    /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [];
  folders.add(`${packageFolder}/`);
}

/** One sentence about what a plugin threw, with the position in its code: "boom (at /etc/reeve/p.js:3:9 in setup)". */
export function faultMessage(thrown: unknown): string {
  const message = errorMessage(thrown);
  const position = positionOf(thrown);
  return position === undefined ? message : `${message.replace(/\.$/, "")} (${position})`;
}

/** "at FILE:LINE:COLUMN in FUNCTION": the first frame of the plugin's own code. Errors of Reeve's contract have none. */
export function positionOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (POSITION in thrown) return String(thrown[POSITION]);
  if (thrown instanceof ReeveError) return undefined;
  const stack = String(thrown.stack);
  return syntaxPosition(stack) ?? ownFrame(stack);
}

/** Keeps the position with an error that has come from another thread or process, or has none in its stack. */
export function withPosition<Thrown>(thrown: Thrown, position: string | undefined): Thrown {
  if (thrown instanceof Error && position !== undefined) {
    Object.defineProperty(thrown, POSITION, { value: position });
  }
  return thrown;
}

const POSITION = Symbol("position");

/** Node writes the file, lines of it and a caret before the message of an error in the syntax. */
export function syntaxPosition(stack: string): string | undefined {
  const [, file, line, caret] =
    /^(\/.+|file:\/\/.+):(\d+)\n(?:.*\n)*?(?:( *)\^+\n)?\s*SyntaxError/.exec(stack) ?? [];
  if (file === undefined) return undefined;
  const column = caret === undefined ? "" : `:${caret.length + 1}`;
  return `at ${pathOf(file)}:${line}${column}`;
}

function ownFrame(stack: string): string | undefined {
  for (const [, name, file = "", line, column] of stack.matchAll(FRAME)) {
    const path = pathOf(file);
    const folder = [...folders].find((each) => path.startsWith(each));
    if (folder === undefined || path.slice(folder.length).includes("node_modules/")) continue;
    const called = name?.replace(/^(async )?(Object\.)?/, "");
    const where = called === undefined || called === "<anonymous>" ? "" : ` in ${called}`;
    return `at ${path}:${line}:${column}${where}`;
  }
  return undefined;
}

const FRAME = /^ +at (?:(.*?) \()?(?:async )?((?:file:\/\/)?\/.*?):(\d+):(\d+)\)?$/gm;

/** A module that was loaded again has a query. */
function pathOf(file: string): string {
  return file.startsWith("file:") ? fileURLToPath(new URL(file)) : file;
}
