// A copy of the project in which one place at a time is changed and tests run. The project itself stays as it is.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Below node_modules: on the same file system, and never in git. */
export const CACHE = resolve("node_modules/.cache/reeve/mutate");
/** A test of a mutant may take this many times as long as without it, and `GRACE` milliseconds more. */
const SLOWER = 3;
const GRACE = 15_000;

/** Events of an ava worker. */
const FAILURES = new Set([
  "test-failed",
  "hook-failed",
  "uncaught-exception",
  "unhandled-rejection",
  "internal-error",
  "process-exit",
  "missing-ava-import",
  "worker-failed",
]);

export class ProjectCopy {
  path;
  /** Short: sockets of tests are below it. */
  #temporary = mkdtempSync(join(tmpdir(), "m-"));
  #ended = false;

  constructor() {
    // Databases of tests run as another user.
    chmodSync(this.#temporary, 0o755);
    mkdirSync(CACHE, { recursive: true });
    this.path = mkdtempSync(join(CACHE, "copy-"));
    const { stdout } = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" });
    const built = globSync("dist/**", { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => posix.relative(resolve("."), posix.join(entry.parentPath, entry.name)));
    for (const path of [...stdout.split("\0").filter(existsSync), ...built]) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      try {
        linkSync(path, join(this.path, path));
      } catch {
        cpSync(path, join(this.path, path), { recursive: true });
      }
    }
    symlinkSync(resolve("node_modules"), join(this.path, "node_modules"));
  }

  /** Runs `work` while the mutant is in place. */
  async with({ path, start, end, text }, work) {
    const target = join(this.path, path);
    const code = readFileSync(path, "utf8");
    // The copy shares its files with the project: replace, never write into.
    rmSync(target);
    writeFileSync(target, code.slice(0, start) + text + code.slice(end));
    try {
      return await work();
    } finally {
      if (!this.#ended) {
        rmSync(target);
        linkSync(path, target);
      }
    }
  }

  /**
   * A test file in a process of its own, as ava starts it, but without ava's command line: that costs more than most tests. Ends
   * at the first failure. `expected`: milliseconds that the test takes. Results: "passed", "failed", "timed out", and
   * "incomplete" for a process that ended before its tests did.
   */
  async run(test, expected, env = {}) {
    const { default: fork } = await import(pathToFileURL(resolve("node_modules/ava/lib/fork.js")));
    const worker = fork(
      join(this.path, test),
      {
        projectDir: this.path,
        snapshotDir: join(this.path, "tests/snapshots"),
        workerThreads: false,
        failFast: true,
        failWithoutAssertions: true,
        recordNewSnapshots: false,
        chalkOptions: { level: 0 },
        match: [],
        lineNumbers: [],
        environmentVariables: {
          TMPDIR: this.#temporary,
          NODE_COMPILE_CACHE: join(CACHE, "compiled"),
          // The bundles do not have what is changed.
          REEVE_TEST_UNBUNDLED: "1",
          ...env,
        },
      },
      [],
    );
    let awaited = 0;
    let passed = 0;
    const results = new Set();
    const end = (result) => {
      results.add(result);
      worker.exit();
      this.#endProcesses();
    };
    worker.onStateChange(({ type, skip, todo }) => {
      if (type === "selected-test" && !skip && !todo) awaited += 1;
      else if (type === "test-passed") passed += 1;
      else if (FAILURES.has(type)) end("failed");
    });
    const timer = setTimeout(() => end("timed out"), expected * SLOWER + GRACE);
    await worker.promise;
    clearTimeout(timer);
    this.#endProcesses();
    for (const name of readdirSync(this.#temporary))
      rmSync(join(this.#temporary, name), { recursive: true, force: true });
    const [result = passed > 0 && passed === awaited ? "passed" : "incomplete"] = results;
    return result;
  }

  /** What tests left: every process with this copy's directory for temporary files, or with a program of the copy. */
  #endProcesses() {
    for (const name of existsSync("/proc") ? readdirSync("/proc") : []) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
        if (environment.includes(`TMPDIR=${this.#temporary}`))
          process.kill(Number(name), "SIGKILL");
      } catch {
        // It ended, or belongs to another user.
      }
    }
  }

  remove() {
    this.#ended = true;
    this.#endProcesses();
    for (const path of [this.path, this.#temporary]) rmSync(path, { recursive: true, force: true });
  }
}
