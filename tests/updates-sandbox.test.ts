/** Lock files refreshed by package managers inside a real sandbox: a daemon with both plugins, in a small Internet of its own. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import test, { type ExecutionContext } from "ava";
import { connect } from "../cli/control/client.js";
import type { ToldSandbox } from "../plugins/firewall/offline.js";
import { makeWorld, type World } from "../plugins/firewall/testing/world.js";
import { go, goProxy } from "../plugins/updates/testing/go-proxy.js";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";
import { publishTool } from "../plugins/updates/testing/package-tools.js";
import {
  byHand,
  KINDS,
  locked,
  OLD,
  publishNews,
} from "../plugins/updates/testing/tool-projects.js";

// Daemons, sandboxes and package managers: a small machine may take its time.
test.beforeEach((t) => t.timeout(180_000));

const bin = fileURLToPath(new URL("../cli/reeve.js", import.meta.url));
const sockets = mkdtempSync(join(tmpdir(), "reeve-sites-"));
const NPM = { url: "http://93.184.216.40", socket: join(sockets, "npm") };
const GO = { url: "http://93.184.216.41", socket: join(sockets, "go") };

let world: World;
test.before(async () => {
  world = await makeWorld({}, { "93.184.216.40": NPM.socket, "93.184.216.41": GO.socket });
});
test.after.always(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(sockets, { recursive: true, force: true });
});

async function git(directory: string, ...words: readonly string[]): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.test" },
    ...{ GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.test" },
  };
  return (await promisify(execFile)("git", ["-C", directory, ...words], { env })).stdout;
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

interface Scene {
  /** The first pull request, as soon as it is that far. */
  pull(state: string): Promise<Shown>;
  /** Of the first run, once it has ended. */
  outcomes(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** On `main`. */
  file(name: string): Promise<string>;
  sandbox(): Promise<ToldSandbox>;
}

let scenes = 0;

/** A daemon, and a repository `acme/site` with these files whose config makes its first run. */
async function scene(
  t: ExecutionContext,
  manager: string,
  files: Readonly<Record<string, string>>,
  allow: string,
): Promise<Scene> {
  scenes += 1;
  const directory = join(world.scratch, `updates-${scenes}`);
  const [bare, work] = [join(directory, "repositories/acme/site.git"), join(directory, "work")];
  for (const each of [bare, work]) mkdirSync(each, { recursive: true });
  await git(bare, "init", "--quiet", "--bare", "--initial-branch=main");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  await git(work, "init", "--quiet", "--initial-branch=main");
  await git(work, "add", "--all");
  await git(work, "commit", "--quiet", "--message", "begin");
  await git(work, "push", "--quiet", bare, "main");
  writeFileSync(
    join(directory, "main.reeve"),
    `sandbox "tools" {
  allow = [${allow}]
  mount "${dirname(process.execPath)}" {
    source = "${dirname(process.execPath)}"
  }
}
updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  tools_run_in = sandbox.tools
  registry "npm_and_yarn" { url = "${NPM.url}" }
  registry "go_modules" { url = "${GO.url}" }
}
`,
  );
  const socket = join(directory, "c.sock");
  const words = ["up", directory, "--control", socket, "--state", join(directory, "state")];
  const { child, result } = world.start(process.execPath, [bin, ...words], { directory });
  t.teardown(async () => {
    child.kill("SIGTERM");
    await result;
  });
  const control = connect({ control: socket });
  const ready = async () => (await control.readiness().catch(() => undefined))?.ready === true;
  while (!(await ready())) {
    if (child.exitCode !== null) t.fail((await result).stderr);
    await sleep(50);
  }
  await control.post("/v1/updates/configs", {
    repo: "acme/site",
    "package-manager": manager,
    "update-schedule": "live",
    "automerge-rule-runtime-deps": "all",
  });
  const ask = <Answer>(path: string) => control.get<Answer>(`/v1/updates${path}`);
  const until = async <Found>(look: () => Promise<Found | undefined>): Promise<Found> => {
    for (;;) {
      const found = await look();
      if (found) return found;
      await sleep(50);
    }
  };
  return {
    pull: (state) =>
      until(async () => {
        const { pulls } = await ask<{ pulls: readonly Shown[] }>("/pulls");
        return pulls.find((each) => each.state === state);
      }),
    outcomes: () =>
      until(async () => {
        const { runs } = await ask<{ runs: readonly ShownRun[] }>("/runs");
        return runs.find((run) => run["finished-at"] !== null)?.outcomes;
      }),
    file: (name) => git(bare, "show", `main:${name}`),
    sandbox: async () => {
      const told = await control.get<{ sandboxes: readonly ToldSandbox[] }>(
        "/v1/firewall/sandboxes",
      );
      return told.sandboxes[0] as ToldSandbox;
    },
  };
}

for (const name of ["pnpm", "yarn"] as const) {
  const kind = KINDS[name];

  test.serial(
    `${name} refreshes its lock within the sandbox that allows the registry`,
    async (t) => {
      await using outside = await npmRegistry(OLD);
      await using registry = await npmRegistry(OLD, NPM);
      await publishTool(registry, kind.tool);
      const before = await locked(name, outside);
      for (const each of [outside, registry]) publishNews(each);
      const at = await scene(t, "npm_and_yarn", before, '"93.184.216.40"');
      const pull = await at.pull("merged");
      t.is(pull.title, "Bump foo from 1.0.0 to 1.1.0");
      const manifest = await at.file("package.json");
      const edited = new Map([...Object.entries(before), ["package.json", manifest] as const]);
      const theirs = await byHand(kind, edited, outside.url);
      t.is(await at.file(kind.lock), theirs.get(kind.lock) ?? "");
      const { commands, allowed, denied } = await at.sandbox();
      t.true(commands >= 2 && allowed > 0 && denied === 0);
    },
  );

  test.serial(
    `${name}: what the sandbox does not allow is said, and nothing is merged`,
    async (t) => {
      await using outside = await npmRegistry(OLD);
      await using registry = await npmRegistry(OLD, NPM);
      await publishTool(registry, kind.tool);
      const before = await locked(name, outside);
      publishNews(registry);
      const at = await scene(t, "npm_and_yarn", before, '"other.test"');
      const [outcome] = await at.outcomes();
      t.like(outcome, {
        name: "foo",
        kind: "failed",
        reason: "lock_failed",
        why: '`sandbox "tools"` does not let the tool reach 93.184.216.40: addresses are denied unless they are in the allowlist themselves.',
      });
      t.is(await at.file(kind.lock), before[kind.lock] ?? "");
    },
  );
}

test.serial("Go brings in a new module within the sandbox that allows the proxy", async (t) => {
  await using outside = await goProxy();
  await using proxy = await goProxy(GO);
  const code = (name: string, needs = "") => ({
    "code.go": `package ${name}\n\n${needs}var X = 1\n`,
  });
  const main = 'package main\n\nimport "example.test/right"\n\nvar _ = right.X\n\nfunc main() {}\n';
  const goMod = "module example.test/app\n\ngo 1.17\n\nrequire example.test/right v1.0.0\n";
  for (const each of [outside, proxy]) {
    each.publish("example.test/right", "v1.0.0", "", code("right"));
    each.publish("example.test/fresh", "v0.0.1", "", code("fresh"));
  }
  const before = await go({ "go.mod": goMod, "main.go": main }, outside.url, ["mod", "tidy"]);
  const news = code("right", 'import _ "example.test/fresh"\n\n');
  const requires = "\nrequire example.test/fresh v0.0.1\n";
  for (const each of [outside, proxy]) each.publish("example.test/right", "v1.1.0", requires, news);
  const at = await scene(t, "go_modules", before, '"93.184.216.41"');
  await at.pull("merged");
  const theirs = await go(
    before,
    outside.url,
    ["get", "-d", "example.test/right@v1.1.0"],
    ["mod", "tidy"],
  );
  for (const file of ["go.mod", "go.sum"]) t.is(await at.file(file), theirs[file] ?? "");
});
