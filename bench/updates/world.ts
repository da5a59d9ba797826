/** A daemon, a registry and repositories for the benchmark of updates, all on this machine. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import {
  type NpmRegistry,
  npmRegistry,
  type Packages,
} from "../../plugins/updates/testing/npm-registry.js";
import { type BenchDaemon, startDaemon } from "../support/daemon.js";

const run = promisify(execFile);

/** Packages in the lock file, the one that is released included. */
const LOCKED = 466;
const DIRECT = 30;
const BUNDLED = new URL("../../bundle/reeve.js", import.meta.url).pathname;

export interface World extends AsyncDisposable {
  readonly daemon: BenchDaemon;
  readonly registry: NpmRegistry;
  readonly url: string;
  readonly token: string;
  /** Absolute path of a bare repository. */
  repositoryPath(name: string): string;
  /** The repository that others are copies of, as it was before anybody updated it. */
  readonly pristine: string;
  control<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
}

/** A tree: each package behind the direct ones is wanted by one before it. */
function packages(): Packages {
  const made: Record<string, Record<string, { dependencies?: Record<string, string> }>> = {
    "left-foo": { "1.0.0": {} },
  };
  for (let index = 0; index < LOCKED - 1; index += 1) {
    const children = Array.from({ length: 2 }, (_, child) => DIRECT - 1 + index * 2 + child)
      .filter((child) => child >= DIRECT - 1 && child < LOCKED - 1 && child > index)
      .map((child) => [`p-${child}`, "^1.0.0"]);
    made[`p-${index}`] = { "1.0.0": { dependencies: Object.fromEntries(children) } };
  }
  return made;
}

/** `files`: of the daemon, beside that of the updates, which `main.reeve` must import. */
export async function world(
  files: Readonly<Record<string, string>> = { "main.reeve": 'import "./updates.reeve"\n' },
): Promise<World> {
  const registry = await npmRegistry(packages());
  const daemon = await startDaemon({
    ...(existsSync(BUNDLED) ? { bin: BUNDLED } : {}),
    files: {
      ...files,
      "updates.reeve": `updates "bench" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  registry "npm_and_yarn" { url = "${registry.url}" }
  account "acme" { limit_open_pull_requests = false; limit_initial_update_runs = false }
}
`,
    },
  });
  const socketPath = join(daemon.directory, "control.sock");
  const control = <Answer>(method: string, path: string, body?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const sent = request(
        { socketPath, method, path: `/v1/updates${path}`, headers, agent: false },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          answer.on("end", () => {
            if ((answer.statusCode ?? 500) < 300) resolve(JSON.parse(text) as Answer);
            else reject(new Error(text));
          });
        },
      );
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const { url } = await control<{ url: string }>("GET", "/");
  await control("POST", "/accounts", { login: "acme" });
  const { token } = await control<{ token: string }>("POST", "/tokens", { login: "acme" });
  return {
    daemon,
    registry,
    url,
    token,
    control,
    repositoryPath: (name) => join(daemon.directory, "repositories/acme", `${name}.git`),
    pristine: join(daemon.directory, "work/pristine.git"),
    send: (method, path, body) =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Personal ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    [Symbol.asyncDispose]: async () => {
      await daemon.stop();
      await registry[Symbol.asyncDispose]();
    },
  };
}

/** A bare repository with a manifest and the lock file npm makes of it. */
export async function seed(at: World, name: string): Promise<void> {
  const work = join(at.daemon.directory, "work", name);
  mkdirSync(work, { recursive: true });
  const direct = Array.from({ length: DIRECT - 1 }, (_, index) => [`p-${index}`, "^1.0.0"]);
  const dependencies = Object.fromEntries([...direct, ["left-foo", "1.0.0"]]);
  const manifest = { name, version: "1.0.0", private: true, dependencies };
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const npm = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", [...npm, "--registry", at.registry.url], { cwd: work });
  const git = (...args: string[]) =>
    run("git", ["-C", work, "-c", "user.name=B", "-c", "user.email=b@localhost", ...args]);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "begin");
  await run("git", ["clone", "--quiet", "--bare", work, at.pristine]);
  copies(at, [name]);
}

/** The same repository by other names. */
export function copies(at: World, names: readonly string[]): void {
  for (const each of names) cpSync(at.pristine, at.repositoryPath(each), { recursive: true });
}

export function configure(at: World, name: string): Promise<{ readonly id: string }> {
  return at.control("POST", "/configs", {
    repo: `acme/${name}`,
    "package-manager": "npm_and_yarn",
    "update-schedule": "live",
  });
}

/** Milliseconds after which a branch that is not there will not come. */
const patience = 300_000;

/** Milliseconds from the announcement until each repository has its branch. @throws when one has none in the end */
export async function release(
  at: World,
  version: string,
  names: readonly string[],
): Promise<readonly number[]> {
  at.registry.publish("left-foo", version);
  const waiting = new Set(names);
  const took: number[] = [];
  const started = performance.now();
  const answer = at.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo", version, "package-manager": "npm_and_yarn" },
  });
  const ref = `refs/heads/dependabot/npm_and_yarn/left-foo-${version}`;
  while (waiting.size > 0) {
    for (const name of waiting) {
      if (!existsSync(join(at.repositoryPath(name), ref))) continue;
      waiting.delete(name);
      took.push(performance.now() - started);
    }
    if (performance.now() - started > patience)
      throw new Error(`${waiting.size} of ${names.length} repositories have no update ${version}`);
    await sleep(names.length > 10 ? 10 : 1);
  }
  await answer;
  return took;
}

/** Resolves when nothing runs any more. */
export async function quiet(at: World): Promise<void> {
  for (;;) {
    const { waiting, running } = await at.control<{ waiting: number; running: number }>(
      "GET",
      "/work",
    );
    if (waiting + running === 0) return;
    await sleep(50);
  }
}
