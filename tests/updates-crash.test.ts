/** kill -9 at every step of an update: what is left is nothing or a complete pull request, and the next start goes on. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import test, { type ExecutionContext } from "ava";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";

const run = promisify(execFile);
const BIN = join(process.cwd(), "dist/cli/reeve.js");

/** Wraps git: kills the parent process at the n-th use of a command, before or after executing it. */
const shim = (death: string, path: string): string => `#!/bin/bash
DEATH='${death}'
REAL_PATH='${path}'
for word in "$@"; do case "$word" in fast-import|update-ref) used=$word;; esac; done
if [ -n "$used" ] && [ -f "$DEATH" ]; then
  read -r command count moment < "$DEATH"
  if [ "$command" = "$used" ]; then
    if [ "$count" -gt 1 ]; then echo "$command $((count - 1)) $moment" > "$DEATH"
    else
      rm "$DEATH"
      [ "$moment" = before ] || PATH=$REAL_PATH git "$@"
      kill -9 $PPID
      exit 137
    fi
  fi
fi
PATH=$REAL_PATH exec git "$@"
`;

interface Daemon {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

interface Scene {
  readonly folder: string;
  readonly repositoryPath: string;
  /** Where the next death is written down. */
  readonly death: string;
  start(): Promise<Daemon>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
  ask(method: string, path: string, body?: unknown): Promise<any>;
  git(...args: string[]): Promise<string>;
}

async function scene(t: ExecutionContext, registry: string): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-crash-"));
  const bin = join(folder, "bin");
  const death = join(folder, "death");
  const socket = join(folder, "c.sock");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), shim(death, process.env.PATH ?? ""));
  chmodSync(join(bin, "git"), 0o755);
  writeFileSync(
    join(folder, "main.reeve"),
    `updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  registry "npm_and_yarn" { url = "${registry}" }
}
`,
  );
  const daemons: Daemon[] = [];
  t.teardown(async () => {
    for (const { child, ended } of daemons) {
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const real = process.env.PATH ?? "";
  const ask: Scene["ask"] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          socketPath: socket,
          method,
          path,
          headers: body === undefined ? {} : { "content-type": "application/json" },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () => {
            if ((response.statusCode ?? 500) >= 300) reject(new Error(text));
            else resolve(JSON.parse(text));
          });
        },
      );
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const repositoryPath = join(folder, "repositories/acme/site.git");
  return {
    folder,
    repositoryPath,
    death,
    ask,
    start: async () => {
      const child = spawn(
        process.execPath,
        [BIN, "up", folder, "--state", join(folder, "state"), "--control", socket],
        {
          env: { PATH: `${bin}:${real}`, HOME: folder },
          stdio: "ignore",
        },
      );
      const daemon = { child, ended: once(child, "close") };
      daemons.push(daemon);
      for (;;) {
        try {
          await ask("GET", "/v1/updates");
          return daemon;
        } catch {
          if (child.exitCode !== null) throw new Error("the daemon ended");
          await new Promise((done) => setTimeout(done, 20));
        }
      }
    },
    git: async (...args) => {
      const { stdout } = await run("git", ["-C", repositoryPath, ...args]);
      return stdout.trim();
    },
  };
}

async function push(at: Scene): Promise<void> {
  const work = join(at.folder, "work");
  mkdirSync(work);
  const manifest = { name: "site", version: "1.0.0", dependencies: { "left-foo": "2.0.0" } };
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const git = (...args: string[]) =>
    run("git", ["-C", work, "-c", "user.name=Ada", "-c", "user.email=a@b.c", ...args]);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "begin");
  await git("push", "--quiet", at.repositoryPath, "main");
}

/** The third change of refs is the merge; the one before it, the draft's end, is part of the second. */
const deaths = ["fast-import 1 before", "fast-import 1 after"].concat(
  [1, 2].flatMap((count) => [`update-ref ${count} before`, `update-ref ${count} after`]),
);

for (const death of deaths) {
  test(`${death} it happens`, async (t) => {
    t.timeout(240_000);
    const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
    t.teardown(() => registry[Symbol.asyncDispose]());
    const at = await scene(t, registry.url);
    const first = await at.start();
    await at.ask("POST", "/v1/updates/accounts", { login: "acme" });
    await at.ask("POST", "/v1/updates/repos", { login: "acme", name: "site" });
    await push(at);
    const base = await at.git("rev-parse", "main");
    await at.ask("POST", "/v1/updates/configs", {
      repo: "acme/site",
      "package-manager": "npm_and_yarn",
      "update-schedule": "live",
      "automerge-rule-runtime-deps": "semver:patch",
    });
    registry.publish("left-foo", "2.0.3");
    writeFileSync(at.death, `${death}\n`);
    await at.ask("POST", "/v1/updates/notifications", {
      name: "left-foo",
      version: "2.0.3",
      "package-manager": "npm_and_yarn",
    });
    await first.ended;
    t.false(existsSync(at.death), "it died where it was meant to");
    const branches = (await at.git("for-each-ref", "--format=%(refname)", "refs/heads")).split(
      "\n",
    );
    const isMerged = (await at.git("rev-parse", "main")) !== base;
    t.true(branches.length === 1 || !isMerged, "no branch is left of what is merged");

    await at.start();
    for (;;) {
      const { pulls } = await at.ask("GET", "/v1/updates/pulls");
      if (pulls[0]?.state === "merged") {
        t.is(pulls.length, 1);
        t.is(pulls[0].number, 1);
        break;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
    const manifest = JSON.parse(await at.git("show", "main:package.json"));
    t.deepEqual(manifest.dependencies, { "left-foo": "2.0.3" });
    t.is(await at.git("rev-list", "--count", `${base}..main`), "1");
    t.is(
      await at.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/reeve"),
      "refs/heads/main",
    );
    const sha = await at.git("rev-parse", "main");
    t.is(await at.git("rev-parse", "refs/pull/1/head"), sha);
  });
}
