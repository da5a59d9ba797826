/** Opens a block of the configuration in the user's editor, at its line. */
import { spawn } from "node:child_process";
import { basename, dirname, resolve } from "node:path";
import { linesOf } from "../../../grammar/rendering/lines.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { loadConfiguration } from "../../project/load.js";

export interface BlockLocation {
  /** Absolute. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/**
 * Where the block of this key begins. `root`: absolute path of the configuration's root file.
 * @throws Failure when the files on disk have no such block
 */
export async function blockPosition(root: string, key: string): Promise<BlockLocation> {
  const { program, sources } = await loadConfiguration(root);
  const header = program?.blocks.get(key)?.ranges.get("");
  // Ranges name files from the root file, sources from the working directory.
  const path = header && resolve(dirname(root), header.file);
  const [, source] = [...sources].find(([name]) => resolve(name) === path) ?? [];
  if (header && path !== undefined && source) {
    return { path, line: linesOf(source).position(header.start).line };
  }
  const why = program ? `has no block \`${key}\`` : "has mistakes, which `reeve check` shows";
  throw new Failure(Exit.findings, `the configuration on disk ${why}`, {
    help: `Edit \`${root}\` by hand.`,
  });
}

/** Editors that take a line in another form than `+LINE FILE`. */
const FORMS: Readonly<Record<string, (path: string, line: number) => readonly string[]>> = {
  hx: (path, line) => [`${path}:${line}`],
  helix: (path, line) => [`${path}:${line}`],
  zed: (path, line) => ["--wait", `${path}:${line}`],
  subl: (path, line) => ["--wait", `${path}:${line}`],
  code: (path, line) => ["--wait", "-g", `${path}:${line}`],
  codium: (path, line) => ["--wait", "-g", `${path}:${line}`],
};
/** Editors that are known to take `+LINE FILE`. */
const PLUS: ReadonlySet<string> = new Set(
  "vi vim nvim view nano emacs emacsclient micro kak joe jed mg ne mcedit".split(" "),
);

/** The words of the command: `$VISUAL`, else `$EDITOR`, else `vi`. An unknown editor gets the file alone. */
export function editorCommand(
  environment: Readonly<Record<string, string | undefined>>,
  { path, line }: BlockLocation,
): readonly [string, ...string[]] {
  const words = (environment.VISUAL || environment.EDITOR || "vi").trim().split(/\s+/);
  const [program = "vi", ...options] = words;
  const name = basename(program);
  const form = FORMS[name] ?? (PLUS.has(name) ? plus : (alone: string) => [alone]);
  return [program, ...options, ...form(path, line)];
}

const plus = (path: string, line: number): readonly string[] => [`+${line}`, path];

/**
 * Resolves when the editor has ended. It has the terminal until then.
 * @throws Failure when it cannot be started, or ends with an error
 */
export async function runEditor(position: BlockLocation): Promise<void> {
  const [program, ...words] = editorCommand(process.env, position);
  const child = spawn(program, words, { stdio: "inherit", cwd: dirname(position.path) });
  const status = await new Promise<number | string>((done, fail) => {
    child.once("error", ({ message }) => {
      fail(
        new Failure(Exit.unavailable, `the editor \`${program}\` cannot be started: ${message}`, {
          help: "Set VISUAL or EDITOR.",
        }),
      );
    });
    child.once("exit", (code, signal) => done(code ?? signal ?? 0));
  });
  if (status !== 0) {
    throw new Failure(Exit.unavailable, `the editor \`${program}\` ended with ${status}`, {
      help: "Nothing was reloaded by this; what it saved is applied as any edit is.",
    });
  }
}
