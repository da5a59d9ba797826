/** kill -9 at every step of an update: what is left is nothing or a complete pull request, and the next start goes on. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";
import { type Child, child, outputOf } from "./support/child.js";
import { REEVE } from "./support/commands.js";
import { eventually, within } from "./support/eventually.js";
import { folder as makeFolder } from "./support/folder.js";

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

interface Pull {
  readonly repo: string;
  readonly state: string;
  readonly number: number;
}

interface Scene {
  readonly folder: string;
  repositoryPath(name: string): string;
  /** Where the next death is written down. */
  readonly death: string;
  start(): Promise<Child>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
  ask(method: string, path: string, body?: unknown): Promise<any>;
  git(name: string, ...args: string[]): Promise<string>;
}

function scene(t: ExecutionContext, registry: string): Scene {
  const folder = makeFolder(t);
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
  const repositoryPath = (name: string) => join(folder, `repositories/acme/${name}.git`);
  return {
    folder,
    repositoryPath,
    death,
    ask,
    start: async () => {
      const words = [REEVE, "up", folder, "--state", join(folder, "state"), "--control", socket];
      const daemon = child(t, process.execPath, words, {
        env: { PATH: `${bin}:${real}`, HOME: folder },
        stdio: ["ignore", "ignore", "pipe"],
      });
      await eventually("the daemon answers", async () => {
        if (daemon.isAlive) await ask("GET", "/v1/updates");
        return true;
      });
      if (!daemon.isAlive) throw new Error(`the daemon ended: ${daemon.stderr}`);
      return daemon;
    },
    git: async (name, ...args) =>
      (await outputOf("git", ["-C", repositoryPath(name), ...args])).trim(),
  };
}

async function push(at: Scene, name: string, dependency: string): Promise<void> {
  const work = join(at.folder, "work", name);
  mkdirSync(work, { recursive: true });
  const manifest = { name, version: "1.0.0", dependencies: { [dependency]: "2.0.0" } };
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const git = (...args: string[]) =>
    outputOf("git", ["-C", work, "-c", "user.name=Ada", "-c", "user.email=a@b.c", ...args]);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "begin");
  await git("push", "--quiet", at.repositoryPath(name), "main");
}

/** The third change of refs is the merge; the one before it, the draft's end, is part of the second. */
const deaths = ["fast-import 1 before", "fast-import 1 after"].concat(
  [1, 2].flatMap((count) => [`update-ref ${count} before`, `update-ref ${count} after`]),
);

test("it dies at each step, and the next daemon goes on", async (t) => {
  t.timeout(240_000);
  const registry = await npmRegistry({});
  t.teardown(() => registry[Symbol.asyncDispose]());
  const at = scene(t, registry.url);
  let daemon = await at.start();
  await at.ask("POST", "/v1/updates/accounts", { login: "acme" });
  // Each daemon that goes on is the one that dies next, in another repository.
  for (const [index, death] of deaths.entries()) {
    const [name, dependency] = [`site-${index}`, `left-foo-${index}`];
    const git = (...args: string[]) => at.git(name, ...args);
    registry.publish(dependency, "2.0.0");
    await at.ask("POST", "/v1/updates/repos", { login: "acme", name });
    await push(at, name, dependency);
    const base = await git("rev-parse", "main");
    await at.ask("POST", "/v1/updates/configs", {
      repo: `acme/${name}`,
      "package-manager": "npm_and_yarn",
      "update-schedule": "live",
      "automerge-rule-runtime-deps": "semver:patch",
    });
    await eventually("the first run is over", async () => {
      const { waiting, running } = await at.ask("GET", "/v1/updates/work");
      return waiting + running === 0;
    });
    registry.publish(dependency, "2.0.3");
    writeFileSync(at.death, `${death}\n`);
    await at.ask("POST", "/v1/updates/notifications", {
      name: dependency,
      version: "2.0.3",
      "package-manager": "npm_and_yarn",
    });
    await within(`${death} it happens`, daemon.ended);
    t.false(existsSync(at.death), `${death} it died where it was meant to`);
    const refs = await git("for-each-ref", "--format=%(refname)", "refs/heads");
    const isMerged = (await git("rev-parse", "main")) !== base;
    t.true(refs.split("\n").length === 1 || !isMerged, `${death}: no branch is left of a merge`);

    daemon = await at.start();
    const pulls = await eventually(`${death}: merged`, async () => {
      const answer = await at.ask("GET", "/v1/updates/pulls");
      const own = (answer.pulls as readonly Pull[]).filter(({ repo }) => repo === `acme/${name}`);
      return own[0]?.state === "merged" ? own : undefined;
    });
    t.deepEqual([pulls.length, pulls[0]?.number], [1, 1], death);
    const manifest = JSON.parse(await git("show", "main:package.json"));
    t.deepEqual(manifest.dependencies, { [dependency]: "2.0.3" }, death);
    t.is(await git("rev-list", "--count", `${base}..main`), "1", death);
    t.is(
      await git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/reeve"),
      "refs/heads/main",
      death,
    );
    const sha = await git("rev-parse", "main");
    t.is(await git("rev-parse", "refs/pull/1/head"), sha, death);
  }
});
