/** Daemons in processes of their own that share a database and a folder of repositories, to be killed, stopped or cut off. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Ask, asker } from "./asker.js";

const run = promisify(execFile);
const BIN = join(process.cwd(), "dist/cli/reeve.js");

export interface Daemon {
  readonly ask: Ask;
  readonly child: ChildProcess;
  /** Where its sockets and its state are. */
  readonly own: string;
  readonly log: () => string;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

export interface Scene {
  readonly folder: string;
  /** Each has a state of its own, which it finds again under the same name. */
  daemon(name: string, address: string): Promise<Daemon>;
  git(repository: string, ...args: string[]): Promise<string>;
}

export interface SceneOptions {
  /** As the language writes it: `10s`. */
  readonly lease: string;
  /** The body of the `updates` block, where the folder of repositories is `shared`. */
  readonly updates: (shared: string) => string;
  readonly environment?: Readonly<Record<string, string>>;
  /** More blocks, and files beside them. */
  readonly more?: { readonly blocks: string; readonly files: Readonly<Record<string, string>> };
}

interface Ending {
  teardown(end: () => unknown): void;
}

/** `t` is a test, or whatever else has an end. */
export function scene(t: Ending, { lease, updates, environment, more }: SceneOptions): Scene {
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
  name = "${name}"
  store = postgres(secret("env:DATABASE"))
  lease = ${lease}
}
hook_server "main" { listen = "unix:${join(own, "hooks.sock")}" }
hook "ping" {
  run = ["echo", "pong"]
  response { include_output = true }
}
updates "main" {
  listen = "127.0.0.1:0"
${updates(shared)}
}
${more?.blocks ?? ""}
`,
      );
      for (const [file, text] of Object.entries(more?.files ?? {}))
        writeFileSync(join(own, file), text);
      const words = ["up", own, "--state", join(own, "state"), "--control", socket];
      const child = spawn(process.execPath, [BIN, ...words], {
        env: { PATH: process.env.PATH, HOME: own, DATABASE: address, ...environment },
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
      return { ask, child, own, end, log: () => log };
    },
    git: async (repository, ...args) => {
      const repositoryPath = join(shared, "acme", `${repository}.git`);
      return (await run("git", ["-C", repositoryPath, ...args])).stdout.trim();
    },
  };
}

/** Repositories of the account `acme` that depend on `left-foo` 2.0.0. What is merged by itself is for `rule` to say. */
export async function fill(
  { folder }: Scene,
  { ask }: Daemon,
  names: readonly string[],
  rule: (index: number) => "never" | "semver:patch",
): Promise<void> {
  const work = join(folder, "work");
  mkdirSync(work);
  const manifest = { name: "site", version: "1.0.0", dependencies: { "left-foo": "2.0.0" } };
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const there = (...args: string[]) =>
    run("git", ["-C", work, "-c", "user.name=Ada", "-c", "user.email=a@b.c", ...args]);
  await there("init", "--quiet", "--initial-branch=main");
  await there("add", "--all");
  await there("commit", "--quiet", "--message", "begin");
  const template = join(folder, "template.git");
  await run("git", ["clone", "--quiet", "--bare", "--template=", work, template]);
  await ask("POST", "/v1/updates/accounts", { login: "acme" });
  for (const name of names) {
    const repositoryPath = join(folder, "repositories/acme", `${name}.git`);
    cpSync(template, repositoryPath, { recursive: true });
  }
  await ask("GET", "/v1/updates/repos?account=acme");
  for (const [index, name] of names.entries()) {
    await ask("POST", "/v1/updates/configs", {
      repo: `acme/${name}`,
      "package-manager": "npm_and_yarn",
      "update-schedule": "live",
      "automerge-rule-runtime-deps": rule(index),
    });
  }
}

/** A request gets a retry response while a disconnected daemon still holds the transaction lock. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const comesBack = (thrown: Error): boolean => {
    if (thrown.message.includes("store_away")) return false;
    throw thrown;
  };
  while (!(await holds().catch(comesBack))) await sleep(100, undefined, { ref: false });
}

export const isIdle = async ({ ask }: Daemon): Promise<boolean> => {
  const { waiting, running } = await ask("GET", "/v1/updates/work");
  return waiting + running === 0;
};
