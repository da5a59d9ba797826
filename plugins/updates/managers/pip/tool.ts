/**
 * uv, Poetry, PDM and Pipenv themselves. All but uv may build packages to learn what they need, which runs code of whoever made
 * them: they are run only where the instance says so.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import { inScratch } from "../../locks/scratch.js";
import { lastWords, runTool, type ToolResult } from "../../locks/tool.js";
import type { Files, RepositoryPath, Settings, Tools } from "../contract.js";
import { insideOf } from "../paths.js";
import type { Move } from "./certain.js";
import { readLocks } from "./locks.js";

export interface ByTool {
  readonly directory: string;
  readonly lock: RepositoryPath;
  readonly files: Files;
  /** The same with exact versions in place of the new requirements. */
  readonly pinned: Files;
  readonly moves: readonly Move[];
  readonly settings: Settings;
  readonly tools: Tools;
}

interface Program {
  readonly command: string;
  readonly runsCode: boolean;
  /** Arguments that leave alone what need not change. */
  lock(version: string): readonly string[];
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  "uv.lock": {
    command: "uv",
    runsCode: false,
    lock: () => ["lock", "--no-build", "--no-python-downloads"],
  },
  "poetry.lock": {
    command: "poetry",
    runsCode: true,
    lock: (version) => [
      "lock",
      "--no-interaction",
      ...(/ [01]\./.test(version) ? ["--no-update"] : []),
    ],
  },
  "pdm.lock": { command: "pdm", runsCode: true, lock: () => ["lock", "--update-reuse"] },
  "Pipfile.lock": { command: "pipenv", runsCode: true, lock: () => ["lock", "--keep-outdated"] },
};

/** What to run by hand. */
export const byHand = (lock: RepositoryPath): string => {
  const { command = "pip" } = PROGRAMS[posix.basename(lock)] ?? {};
  return `${command} lock`;
};

/** @throws UpdatesError `does_not_resolve`, `lock_failed`, `tool_missing` */
export async function lockedByTool(
  by: ByTool,
): Promise<{ readonly text: string; readonly by: string }> {
  const { lock, files, pinned, moves, settings, tools, directory } = by;
  const program = PROGRAMS[posix.basename(lock)];
  if (!program) throw new UpdatesError("tool_missing", `Nothing refreshes ${lock}.`);
  const { command, runsCode } = program;
  if (runsCode && !settings.unsafe?.includes("pip"))
    throw new UpdatesError(
      "tool_missing",
      `${command} may run code of packages, and unsafe_managers does not have pip.`,
    );
  return inScratch(tools.fenced ?? tools.scratch, pinned, async (scratch) => {
    const root = join(scratch, insideOf(directory));
    const run = (...args: readonly string[]): Promise<ToolResult> =>
      runTool({
        argv: [command, ...args],
        directory: root,
        env: {
          ...environmentFor(scratch),
          ...(tools.fenced === undefined ? {} : { TMPDIR: scratch }),
        },
        tools,
      });
    const version = await run("--version");
    assertDone(command, version);
    const args = program.lock(version.stdout);
    assertDone(command, await run(...args));
    // Once more with what the manifests will say, which allows what is locked now.
    for (const [path, text] of files) if (path !== lock) await writeFile(join(scratch, path), text);
    assertDone(command, await run(...args));
    const text = await readFile(join(scratch, lock), "utf8");
    const [locked] = readLocks({ directory, tree: [], files: new Map([[lock, text]]) }).locks;
    for (const { name, to } of moves) {
      const now = locked?.versions.get(name);
      if (now !== to)
        throw new UpdatesError(
          "does_not_resolve",
          `${command} takes ${name} ${now ?? "out"} where ${to} was wanted.`,
        );
    }
    return {
      text,
      by: version.stdout
        .trim()
        .replace(/[^\w. ]|version /g, "")
        .toLowerCase(),
    };
  });
}

const environmentFor = (home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  XDG_CACHE_HOME: join(home, ".cache"),
  XDG_CONFIG_HOME: join(home, ".config"),
  POETRY_VIRTUALENVS_CREATE: "false",
  POETRY_CACHE_DIR: join(home, ".cache"),
  PYTHON_KEYRING_BACKEND: "keyring.backends.null.Keyring",
  PIPENV_YES: "1",
  NO_COLOR: "1",
});

const CONFLICT =
  /SolverProblem|version solving failed|No solution found|ResolutionImpossible|Could not find a (matching )?version|doesn't match any versions/i;

function assertDone(command: string, result: ToolResult): void {
  if (result.exitCode === 0) return;
  if (CONFLICT.test(result.stdout + result.stderr))
    throw new UpdatesError(
      "does_not_resolve",
      `${command} finds no set of versions: ${lastWords(result)}`,
    );
  throw new UpdatesError("lock_failed", `${command} failed: ${lastWords(result)}`);
}
