/** Three daemons share one database and one folder of repositories: whatever happens to one of them, no update is lost, half or twice. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import test, { type ExecutionContext } from "ava";
import { databaseFor } from "../daemon/services/cases/postgres.js";
import { Way } from "../daemon/services/cases/way.js";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";

const run = promisify(execFile);
const BIN = join(process.cwd(), "dist/cli/reeve.js");
const repositories = Array.from({ length: 24 }, (_, index) => `site-${index}`);

/** Requests by a socket of the file system. */
function asker(socket: string) {
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
  return (method: string, path: string, body?: unknown): Promise<any> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const sent = request({ socketPath: socket, method, path, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          if ((response.statusCode ?? 500) >= 300) reject(new Error(text));
          else resolve(text === "" ? undefined : JSON.parse(text));
        });
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

interface Daemon {
  readonly ask: ReturnType<typeof asker>;
  readonly child: ChildProcess;
  readonly log: () => string;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

interface Scene {
  readonly folder: string;
  /** Each has a state of its own, which it finds again under the same name. */
  daemon(name: string, address: string): Promise<Daemon>;
  git(repository: string, ...args: string[]): Promise<string>;
}

async function scene(t: ExecutionContext, registry: string): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-several-"));
  const shared = join(folder, "repositories");
  mkdirSync(shared);
  const ends: Array<() => Promise<unknown>> = [];
  t.teardown(async () => {
    await Promise.all(ends.map((end) => end()));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    folder,
    async daemon(name, address) {
      const own = join(folder, name);
      const socket = join(own, "c.sock");
      mkdirSync(own, { recursive: true });
      writeFileSync(
        join(own, "main.reeve"),
        `daemon {
  store = postgres(secret("env:DATABASE"))
  lease = 3s
}
hook_server "main" { listen = "unix:${join(own, "hooks.sock")}" }
hook "ping" {
  run = ["echo", "pong"]
  response { include_output = true }
}
updates "main" {
  listen = "127.0.0.1:0"
  repositories = "${shared}"
  registry "npm_and_yarn" { url = "${registry}" }
}
`,
      );
      const words = ["up", own, "--state", join(own, "state"), "--control", socket];
      const child = spawn(process.execPath, [BIN, ...words], {
        env: { PATH: process.env.PATH, HOME: own, DATABASE: address },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let log = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        log += text;
      });
      const ended = once(child, "close");
      const end = (signal: NodeJS.Signals): Promise<unknown> => {
        child.kill(signal);
        return ended;
      };
      ends.push(() => end("SIGKILL"));
      const ask = asker(socket);
      while (!(await ask("GET", "/v1/updates").catch(() => undefined))) {
        if (child.exitCode !== null) throw new Error(`the daemon ended: ${log}`);
        await sleep(20);
      }
      return { ask, child, end, log: () => log };
    },
    git: async (repository, ...args) => {
      const place = join(shared, "acme", `${repository}.git`);
      return (await run("git", ["-C", place, ...args])).stdout.trim();
    },
  };
}

async function fill({ folder, git }: Scene, { ask }: Daemon): Promise<void> {
  const work = join(folder, "work");
  mkdirSync(work);
  const manifest = { name: "site", version: "1.0.0", dependencies: { "left-foo": "2.0.0" } };
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const there = (...args: string[]) =>
    run("git", ["-C", work, "-c", "user.name=Ada", "-c", "user.email=a@b.c", ...args]);
  await there("init", "--quiet", "--initial-branch=main");
  await there("add", "--all");
  await there("commit", "--quiet", "--message", "begin");
  await ask("POST", "/v1/updates/accounts", { login: "acme" });
  for (const name of repositories) {
    await ask("POST", "/v1/updates/repos", { login: "acme", name });
    await there("push", "--quiet", await git(name, "rev-parse", "--absolute-git-dir"), "main");
    await ask("POST", "/v1/updates/configs", {
      repo: `acme/${name}`,
      "package-manager": "npm_and_yarn",
      "update-schedule": "live",
    });
  }
}

interface Pull {
  readonly number: number;
  readonly state: string;
  readonly repo: string;
  readonly title: string;
}

/** Open ones that move to `version`. */
async function open({ ask }: Daemon, version: string): Promise<readonly Pull[]> {
  const { pulls } = (await ask("GET", "/v1/updates/pulls?state=open&limit=500")) as {
    pulls: readonly Pull[];
  };
  return pulls.filter(({ title }) => title.includes(version));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

const settled = async ({ ask }: Daemon): Promise<boolean> => {
  const { waiting, running } = await ask("GET", "/v1/updates/work");
  return waiting + running === 0;
};

/** Of each repository: what can be seen of updates, as one line. */
async function seen({ git }: Scene, daemon: Daemon, version: string): Promise<readonly string[]> {
  const pulls = await open(daemon, version);
  return Promise.all(
    repositories.map(async (name) => {
      const own = pulls.filter((pull) => pull.repo.endsWith(`/${name}`));
      const refs = await git(name, "for-each-ref", "--format=%(refname)", "refs/heads");
      const branches = refs.split("\n").filter((ref) => ref !== "refs/heads/main");
      const heads = await Promise.all(
        own.map(({ number }) => git(name, "rev-parse", `refs/pull/${number}/head`)),
      );
      const tips = await Promise.all(branches.map((branch) => git(name, "rev-parse", branch)));
      const isWhole = heads.length === 1 && tips.length === 1 && heads[0] === tips[0];
      const manifest = await git(name, "show", `${branches[0]}:package.json`);
      return isWhole && manifest.includes(`"left-foo": "${version}"`)
        ? "one whole pull request"
        : `${own.length} open, branches ${refs}`;
    }),
  );
}

/** The body of an answer, over the socket of hooks. */
function ping(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socketPath = join(folder, "hooks.sock");
    const sent = request({ socketPath, path: "/hooks/ping", method: "POST" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text.trim()));
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("one is killed and one cut off in the middle; then each is restarted while a release comes in", async (t) => {
  t.timeout(300_000);
  const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const address = await databaseFor(t);
  const way = await Way.to(t, address);
  const at = await scene(t, registry.url);
  const one = await at.daemon("one", address);
  const [two, three] = await Promise.all([
    at.daemon("two", address),
    at.daemon("three", way.address),
  ]);
  await fill(at, one);
  await until(() => settled(one));
  const release = (daemon: Daemon, version: string): Promise<unknown> => {
    registry.publish("left-foo", version);
    const what = { name: "left-foo", version, "package-manager": "npm_and_yarn" };
    return daemon.ask("POST", "/v1/updates/notifications", what);
  };

  await release(two, "2.0.3");
  await until(async () => (await open(one, "2.0.3")).length >= 4);
  await two.end("SIGKILL");
  way.cut();
  t.is(await ping(join(at.folder, "three")), "pong", "hooks need no database");
  await until(async () => (await open(one, "2.0.3")).length === repositories.length);
  await until(() => settled(one));
  await until(async () => three.log().includes("The database cannot be reached"));
  way.mend();
  await until(async () => three.log().includes("The database is back."));
  t.deepEqual(
    await seen(at, one, "2.0.3"),
    repositories.map(() => "one whole pull request"),
  );
  const complaints = three.log().split("The database cannot be reached").length - 1;
  t.is(complaints, 1, "it says so once");
  const { runs } = await one.ask("GET", "/v1/updates/runs?limit=500");
  t.deepEqual(
    (runs as readonly { state: string }[]).filter(({ state }) => state === "running"),
    [],
  );

  const again = await at.daemon("two", address);
  await release(three, "2.0.4");
  t.deepEqual(await one.end("SIGTERM"), [0, null]);
  const next = await at.daemon("one", address);
  t.deepEqual(await again.end("SIGTERM"), [0, null]);
  await until(async () => (await open(next, "2.0.4")).length === repositories.length);
  await until(() => settled(next));
  t.deepEqual(
    await seen(at, next, "2.0.4"),
    repositories.map(() => "one whole pull request"),
  );
  t.deepEqual(await open(next, "2.0.3"), [], "the older ones are superseded");
});
