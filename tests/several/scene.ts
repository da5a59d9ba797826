/** Daemons in processes of their own that share a database and a folder of repositories, to be killed, stopped or cut off. */
import type { ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ending, run, child as start } from "../support/child.js";
import { REEVE } from "../support/commands.js";
import { eventually } from "../support/eventually.js";
import { folder as emptyFolder } from "../support/folder.js";
import { type Ask, asker } from "./asker.js";

export interface Daemon {
  readonly ask: Ask;
  readonly child: ChildProcess;
  /** Where its sockets and its state are. */
  readonly own: string;
  readonly log: () => string;
  /** Its exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined>;
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

export function scene(t: Ending, { lease, updates, environment, more }: SceneOptions): Scene {
  const folder = emptyFolder(t);
  const shared = join(folder, "repositories");
  mkdirSync(shared);
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
      const started = start(t, process.execPath, [REEVE, ...words], {
        env: { PATH: process.env.PATH, HOME: own, DATABASE: address, ...environment },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const end = (signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> => {
        started.kill(signal);
        return started.ended;
      };
      const ask = asker(socket);
      await eventually(
        `the daemon ${name}`,
        async () =>
          !started.isAlive || ((await ask("GET", "/v1/updates")) as unknown) !== undefined,
        { every: 20 },
      );
      if (!started.isAlive) throw new Error(`the daemon ended: ${started.stderr}`);
      return { ask, child: started.process, own, end, log: () => started.stderr };
    },
    git: async (repository, ...args) => {
      const repositoryPath = join(shared, "acme", `${repository}.git`);
      return (await git("-C", repositoryPath, ...args)).trim();
    },
  };
}

/** @throws Error with what it says if it fails */
async function git(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run("git", words);
  if (code !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout;
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
    git("-C", work, "-c", "user.name=Ada", "-c", "user.email=a@b.c", ...args);
  await there("init", "--quiet", "--initial-branch=main");
  await there("add", "--all");
  await there("commit", "--quiet", "--message", "begin");
  const template = join(folder, "template.git");
  await git("clone", "--quiet", "--bare", "--template=", work, template);
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
  const outcome = await eventually<true | Error>(
    String(holds),
    () =>
      holds().then(
        (is) => is as true,
        (thrown: Error) =>
          thrown.message.includes("store_away") ? Promise.reject(thrown) : thrown,
      ),
    { every: 100, within: 240_000 },
  );
  if (outcome !== true) throw outcome;
}

export const isIdle = async ({ ask }: Daemon): Promise<boolean> => {
  const { waiting, running } = await ask("GET", "/v1/updates/work");
  return waiting + running === 0;
};
