/**
 * Runs uv, Poetry, PDM and Pipenv. All but uv may build packages to learn their requirements, which runs the packages' code, so
 * the instance must allow them.
 */
import { writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import semver from "semver";
import { UpdatesError } from "../../../errors.js";
import type { Credential } from "../../../registries/contract.js";
import type { FileTexts, ManagerSettings, RepositoryPath, Tools } from "../../contract.js";
import type { RefreshedLock } from "../../lock/contract.js";
import { inScratch } from "../../lock/scratch.js";
import { lastErrorLine, runTool, type ToolResult } from "../../lock/tool.js";
import { insideOf } from "../../paths.js";
import { readPythonLocks } from "../lockfile/read.js";
import type { PythonMove } from "../resolve.js";
import { frozen, steadied, withHashOf } from "./pipenv.js";

export interface PythonToolRun {
  readonly directory: string;
  readonly lock: RepositoryPath;
  readonly files: FileTexts;
  /** The same with exact versions in place of the new requirements. */
  readonly pinned: FileTexts;
  readonly moves: readonly PythonMove[];
  /** The direct dependencies among them. */
  readonly named: ReadonlySet<string>;
  readonly settings: ManagerSettings;
  readonly tools: Tools;
}

/** A program in a directory with the pinned manifests and the lock file. */
interface Work extends PythonToolRun {
  /** The program's version: `pdm, version 2.2.1`. */
  readonly version: string;
  run(...args: readonly string[]): Promise<ToolResult>;
  write(files: FileTexts): Promise<void>;
  /** @throws UpdatesError `lock_failed` where its format is an older one than before */
  read(): Promise<string>;
}

interface Program {
  readonly command: string;
  readonly runsCode: boolean;
  /** The new lock file, with what need not change as it was. */
  lock(work: Work): Promise<string>;
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  "uv.lock": {
    command: "uv",
    runsCode: false,
    lock: async ({ run, write, read, files, moves }) => {
      await write(files);
      const wanted = moves.flatMap(({ name, to }) => ["--upgrade-package", `${name}==${to}`]);
      await run("lock", "--no-build", "--no-python-downloads", ...wanted);
      return read();
    },
  },
  "poetry.lock": {
    command: "poetry",
    runsCode: true,
    lock: (work) => {
      const keeping = / [01]\./.test(work.version) ? ["--no-update"] : [];
      // Transitive dependencies have no manifest entry to pin.
      const indirect = work.moves.map(({ name }) => name).filter((name) => !work.named.has(name));
      const first = indirect.length > 0 ? ["update", "--lock"] : ["lock", ...keeping];
      const last = ["lock", ...keeping];
      return twice(
        work,
        [...first, "--no-interaction", ...indirect],
        [...last, "--no-interaction"],
      );
    },
  },
  "pdm.lock": {
    command: "pdm",
    runsCode: true,
    lock: async (work) => {
      const version = semver.coerce(work.version) ?? "0.0.0";
      // Before 2.12 only `install` keeps locked versions; here it installs nothing.
      const reuse = semver.gte(version, "2.12.0")
        ? ["lock", "--update-reuse"]
        : ["install", "--no-self", "--no-default", "--prod"];
      // Hooks are commands of the repository.
      return twice(work, [...reuse, "--skip", ":all"]);
    },
  },
  "Pipfile.lock": {
    command: "pipenv",
    runsCode: true,
    // `--keep-outdated` would keep the old version's sums beside the new number.
    lock: async ({ run, write, read, files, pinned, lock, moves, directory, tools }) => {
      const manifest = posix.join(insideOf(directory), "Pipfile");
      const [after = "", before = ""] = [files.get(manifest), pinned.get(lock)];
      const still = frozen(after, before, moves);
      await write(new Map([[manifest, still]]));
      await run("lock");
      const text = await steadied(await read(), before, moves, tools.lookup);
      return withHashOf(text, still, after);
    },
  },
};

/** Locks with exact versions first, then with the new requirements, which allow the locked versions. */
async function twice(
  { run, write, read, files, lock }: Work,
  first: readonly string[],
  then = first,
): Promise<string> {
  await run(...first);
  await read();
  await write(new Map([...files].filter(([path]) => path !== lock)));
  await run(...then);
  return read();
}

/** The command to run by hand. */
export const byHand = (lock: RepositoryPath): string => {
  const { command = "pip" } = PROGRAMS[posix.basename(lock)] ?? {};
  return `${command} lock`;
};

/** @throws UpdatesError `does_not_resolve`, `lock_failed`, `tool_missing` */
export async function lockedByTool(by: PythonToolRun): Promise<RefreshedLock> {
  const { lock, pinned, moves, settings, tools, directory } = by;
  const program = PROGRAMS[posix.basename(lock)];
  if (!program) throw new UpdatesError("tool_missing", `Nothing refreshes ${lock}.`);
  const { command, runsCode } = program;
  if (runsCode && !settings.unsafe?.includes("pip"))
    throw new UpdatesError(
      "tool_missing",
      `${command} may run code of packages, and unsafe_managers does not have pip.`,
    );
  return inScratch(tools, pinned, async (scratch, { read, write }) => {
    await writeFile(join(scratch, ".netrc"), netrc(tools.credentials), { mode: 0o600 });
    const run = async (...args: readonly string[]): Promise<ToolResult> => {
      const result = await runTool({
        argv: [command, ...args],
        directory: join(scratch, insideOf(directory)),
        env: {
          ...environmentFor(scratch),
          ...(tools.sandboxDirectory === undefined ? {} : { TMPDIR: scratch }),
        },
        tools,
      });
      assertDone(command, result);
      return result;
    };
    const version = (await run("--version")).stdout;
    const shown = version
      .trim()
      .replace(/[^\w. ]|version /g, "")
      .toLowerCase();
    const text = await program.lock({
      ...{ ...by, version, run, write },
      read: async () => {
        const after = await read(lock);
        assertNoOlderFormat(shown, pinned.get(lock) ?? "", after);
        return after;
      },
    });
    const [locked] = readPythonLocks({ directory, tree: [], files: new Map([[lock, text]]) }).locks;
    for (const { name, to } of moves) {
      const now = locked?.versions.get(name);
      if (now !== to)
        throw new UpdatesError(
          "does_not_resolve",
          `${command} takes ${name} ${now ?? "out"} where ${to} was wanted.`,
        );
    }
    return { text, by: shown };
  });
}

const environmentFor = (home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  XDG_CACHE_HOME: join(home, ".cache"),
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".data"),
  POETRY_VIRTUALENVS_CREATE: "false",
  POETRY_CACHE_DIR: join(home, ".cache"),
  PYTHON_KEYRING_BACKEND: "keyring.backends.null.Keyring",
  PDM_CHECK_UPDATE: "0",
  PDM_USE_VENV: "0",
  PDM_IGNORE_SAVED_PYTHON: "1",
  PIPENV_YES: "1",
  PIPENV_NOSPIN: "1",
  PIPENV_IGNORE_VIRTUALENVS: "1",
  NO_COLOR: "1",
});

/** Logins for indexes. All tools read this file, and none of them copies it. */
const netrc = (credentials: readonly Credential[]): string =>
  credentials
    .flatMap(({ url, authorization }) => {
      const [, encoded] = /^Basic (\S+)$/i.exec(authorization) ?? [];
      const said = Buffer.from(encoded ?? "", "base64").toString();
      const [, login, password] = /^([^:\s]+):(\S+)$/.exec(said) ?? [];
      if (login === undefined) return [];
      return [`machine ${new URL(url).hostname} login ${login} password ${password}\n`];
    })
    .join("");

/** Rejects an older lock format than the repository's. @throws UpdatesError `lock_failed` */
function assertNoOlderFormat(program: string, before: string, after: string): void {
  const [old, next] = [before, after].map((text) =>
    (/^lock[-_]version = "([\d.]+)"/m.exec(text)?.[1] ?? "").split(".").map(Number),
  );
  const [major = 0, minor = 0] = old ?? [];
  const [newMajor = 0, newMinor = 0] = next ?? [];
  if (newMajor < major || (newMajor === major && newMinor < minor))
    throw new UpdatesError(
      "lock_failed",
      `${program} writes lock files of an older format, ${newMajor}.${newMinor} instead of ${major}.${minor}.`,
    );
}

const CONFLICT =
  /SolverProblem|version solving failed|No solution found|ResolutionImpossible|Unable to find a resolution|Could not find a (matching )?version|doesn't match any versions/i;

function assertDone(command: string, result: ToolResult): void {
  if (result.exitCode === 0) return;
  if (CONFLICT.test(result.stdout + result.stderr))
    throw new UpdatesError(
      "does_not_resolve",
      `${command} cannot resolve the versions: ${lastErrorLine(result)}`,
    );
  throw new UpdatesError("lock_failed", `${command} failed: ${lastErrorLine(result)}`);
}
