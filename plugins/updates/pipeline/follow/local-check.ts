/** The built-in check: runs the configured command in a checkout of the update. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../../git/git.js";
import type { Repository } from "../../git/repository.js";
import type { Config, Pull } from "../../store/tables.js";
import type { Ports } from "../ports.js";

export interface CheckResult {
  readonly passed: boolean;
  /** One sentence. */
  readonly why: string;
}

export async function localCheck(
  ports: Pick<Ports, "checks" | "settings">,
  repository: Repository,
  { config, pull }: { readonly config: Config; readonly pull: Pull },
  signal: AbortSignal,
): Promise<CheckResult> {
  const { check } = ports.settings;
  if (!check) return { passed: true, why: "There is no check." };
  const { directories, processes, runs } = ports.checks;
  const checkout = await mkdtemp(join(directories.temporary, "check-"));
  try {
    const tree = ["--work-tree", checkout];
    const environment = { GIT_DIR: repository.directory, GIT_INDEX_FILE: join(checkout, ".index") };
    await git(repository.directory, [...tree, "read-tree", pull.head_sha], { environment });
    await git(repository.directory, [...tree, "checkout-index", "--all", "--quiet"], {
      environment,
    });
    await rm(join(checkout, ".index"));
    const run = await runs.start({
      kind: "update-check",
      subject: `updates.${ports.settings.name}`,
      trigger: `pull request ${pull.number}: ${pull.title}`,
      detail: { pull: pull.id },
    });
    const result = await processes.run({
      argv: check.run,
      cwd: join(checkout, config.directory),
      timeout: check.timeout,
      signal,
      onOutput: (stream, data) => run.output(stream, data),
    });
    const passed = result.outcome === "exited" && result.exitCode === 0;
    const why = passed ? "The check passed." : failure(check.run, result);
    await run.finish({
      state: passed ? "succeeded" : result.outcome === "cancelled" ? "cancelled" : "failed",
      ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
      ...(passed ? {} : { reason: why }),
    });
    if (result.outcome === "cancelled") throw signal.reason;
    return { passed, why };
  } finally {
    await rm(checkout, { recursive: true, force: true });
  }
}

function failure(
  command: readonly string[],
  {
    outcome,
    exitCode,
    error,
    signal,
  }: {
    readonly outcome: string;
    readonly exitCode: number | undefined;
    readonly error: string | undefined;
    readonly signal: string | undefined;
  },
): string {
  const name = `The check ${command[0]}`;
  if (outcome === "timed_out") return `${name} took too long.`;
  if (outcome === "not_started") return `${name} could not be started: ${error}`;
  return `${name} failed: ${exitCode === undefined ? `signal ${signal}` : `exit code ${exitCode}`}.`;
}
