/** A daemon with both plugins whose package managers run in a sandbox, in a small Internet of its own. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExecutionContext } from "ava";
import { connect } from "../../cli/control/client.js";
import type { SandboxSummary } from "../../plugins/firewall/offline.js";
import type { TestInternet } from "../../plugins/firewall/testing/test-internet.js";
import { run } from "../support/child.js";
import { REEVE } from "../support/commands.js";
import { eventually, within } from "../support/eventually.js";

async function git(directory: string, ...words: readonly string[]): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.test" },
    ...{ GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.test" },
  };
  const { code, stdout, stderr } = await run("git", ["-C", directory, ...words], { env });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

interface Shown {
  readonly title: string;
  readonly state: string;
  readonly "head-ref": string;
  readonly body: string;
}

interface ShownRun {
  readonly "finished-at": string | null;
  readonly outcomes: readonly Readonly<Record<string, unknown>>[];
}

export interface Scene {
  /** The first pull request, as soon as it is that far. */
  pull(state: string): Promise<Shown>;
  /** Of the first run, once it has ended. */
  outcomes(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** On `main`. */
  file(name: string): Promise<string>;
  sandbox(): Promise<SandboxSummary>;
}

interface Given {
  readonly manager: string;
  readonly files: Readonly<Record<string, string>>;
  /** Domains and addresses, in quotes. */
  readonly allow: string;
  /** Where the manager asks. */
  readonly registry: string;
  /** The rest of the block. */
  readonly more?: string;
  /** What tools find in the environment, and is shown to them: a directory. */
  readonly shown?: Readonly<Record<string, string>>;
}

/** A daemon, and a repository `acme/site` with these files whose config makes its first run. */
export async function sandboxed(
  t: ExecutionContext,
  world: TestInternet,
  { manager, files, allow, registry, more = "", shown = {} }: Given,
): Promise<Scene> {
  const directory = mkdtempSync(join(world.scratch, "updates-"));
  const [bare, work] = [join(directory, "repositories/acme/site.git"), join(directory, "work")];
  for (const each of [bare, work]) mkdirSync(each, { recursive: true });
  await git(bare, "init", "--quiet", "--bare", "--initial-branch=main");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  await git(work, "init", "--quiet", "--initial-branch=main");
  await git(work, "add", "--all");
  await git(work, "commit", "--quiet", "--message", "begin");
  await git(work, "push", "--quiet", bare, "main");
  writeFileSync(
    join(directory, "main.reeve"),
    `sandbox "tools" {
  allow = [${allow}]
${[dirname(process.execPath), ...Object.values(shown)].map((path) => `  mount "${path}" {\n    source = "${path}"\n  }\n`).join("")}}
updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  tools_run_in = sandbox.tools
  registry "${manager}" { url = "${registry}" }
${more}}
`,
  );
  const socket = join(directory, "c.sock");
  const words = ["up", directory, "--control", socket, "--state", join(directory, "state")];
  const { program, result } = world.start(process.execPath, [REEVE, ...words], {
    directory,
    environment: shown,
  });
  t.teardown(async () => {
    program.kill("SIGTERM");
    await within("the end of the daemon", result);
  });
  const control = connect({ control: socket });
  await eventually(
    "the daemon to be ready",
    async () => !program.isAlive || (await control.readiness()).ready,
  );
  if (!program.isAlive) throw new Error(program.stderr);
  await control.post("/v1/updates/configs", {
    repo: "acme/site",
    "package-manager": manager,
    "update-schedule": "live",
    "automerge-rule-runtime-deps": "all",
  });
  const ask = <Answer>(path: string) => control.get<Answer>(`/v1/updates${path}`);
  // Tools of managers start in a sandbox, several of them: minutes on a busy machine.
  const patience = { within: 5 * 60_000, every: 50 };
  return {
    pull: (state) =>
      eventually(
        `a pull request that is ${state}`,
        async () => {
          const { pulls } = await ask<{ pulls: readonly Shown[] }>("/pulls");
          return pulls.find((each) => each.state === state);
        },
        patience,
      ),
    outcomes: () =>
      eventually(
        "the run to end",
        async () => {
          const { runs } = await ask<{ runs: readonly ShownRun[] }>("/runs");
          return runs.find((run) => run["finished-at"] !== null)?.outcomes;
        },
        patience,
      ),
    file: (name) => git(bare, "show", `main:${name}`),
    sandbox: async () => {
      const summary = await control.get<{ sandboxes: readonly SandboxSummary[] }>(
        "/v1/firewall/sandboxes",
      );
      return summary.sandboxes[0] as SandboxSummary;
    },
  };
}
