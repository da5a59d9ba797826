/** `examples/updates/README.md`, command by command: a real registry, npm and git, the real daemon. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ava, { type ExecutionContext } from "ava";
import { needs } from "./support/needs.js";
import { programPath, programs } from "./support/programs.js";

const test = needs(ava, programs);
const ROOT = process.cwd();

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return String(port);
}

/** The commands of the page, each block as one text. */
const blocks = (page: string): readonly string[] =>
  [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? "");

interface Stage {
  readonly folder: string;
  readonly page: readonly string[];
  /** Runs a command to its end. */
  run(command: string): Promise<string>;
  /** Starts a command that stays; resolves when it has said as much. */
  start(command: string, said: RegExp): Promise<void>;
  /** Asks again until the answer fits. */
  until(command: string, fits: RegExp): Promise<string>;
}

async function stage(t: ExecutionContext): Promise<Stage> {
  t.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), "reeve-updates-example-"));
  const children: ChildProcess[] = [];
  t.teardown(async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.pid === undefined) continue;
      const closed = once(child, "close");
      process.kill(-child.pid, "SIGTERM");
      await closed;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const ports = [
    ["9100", await freePort()],
    ["4873", await freePort()],
  ] as const;
  const moved = (text: string): string =>
    ports.reduce((all, [written, free]) => all.replaceAll(written, free), text);
  cpSync(join(ROOT, "examples/updates"), folder, { recursive: true });
  for (const name of [
    ...["README.md", "main.reeve", "registry.yaml", "site/.npmrc", "left-foo/.npmrc"],
  ]) {
    writeFileSync(join(folder, name), moved(readFileSync(join(folder, name), "utf8")));
  }
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(join(ROOT, "dist/bundle/reeve.js"), join(bin, "reeve"));
  symlinkSync(await programPath(".bin/verdaccio"), join(bin, "verdaccio"));
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    XDG_STATE_HOME: join(folder, "state"),
    REEVE_CONTROL: join(folder, "c.sock"),
    NO_UPDATE_NOTIFIER: "1",
    npm_config_update_notifier: "false",
    npm_config_cache: join(folder, "npm-cache"),
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
  /** What a command sets is there for the next one, as in a terminal. */
  const kept = join(folder, "shell");
  writeFileSync(kept, "");
  const wrapped = (command: string): string =>
    `. ${kept}; set -e; ${command}\nset > /dev/null; [ -z "$TOKEN" ] || echo "TOKEN=$TOKEN" > ${kept}`;

  const open = (command: string): ChildProcess => {
    const child = spawn("bash", ["-c", command], { cwd: folder, env, detached: true });
    children.push(child);
    return child;
  };
  const run: Stage["run"] = async (command) => {
    const child = open(wrapped(command));
    let said = "";
    let complained = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complained += text;
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`${command}\nended with ${code}:\n${said}${complained}`);
    return said;
  };
  return {
    folder,
    page: blocks(readFileSync(join(folder, "README.md"), "utf8")),
    run,
    start: async (command, wanted) => {
      const child = open(`. ${kept}; exec ${command}`);
      let said = "";
      const printed = Promise.withResolvers<void>();
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          said += text;
          if (wanted.test(said)) printed.resolve();
        });
      }
      void once(child, "close").then(() => printed.reject(new Error(`${command} ended:\n${said}`)));
      await printed.promise;
    },
    until: async (command, fits) => {
      let answer = "";
      for (let tries = 0; tries < 200; tries += 1) {
        answer = await run(command);
        if (fits.test(answer)) return answer;
        await new Promise((done) => setTimeout(done, 100));
      }
      throw new Error(`${command} never said ${fits}, only:\n${answer}`);
    },
  };
}

test("the page leads from nothing to a merged update", async (t) => {
  const at = await stage(t);
  const [, daemon, make, registry, publish, push, config, patch, clone, major, dry] = at.page;
  const background = (text = "") => text.trim().replace(/ &$/, "");
  const later = (text = "") => text.replace(/^sleep.*\n[\s\S]*/m, "");

  await at.start(background(daemon), /Ctrl-C stops|"control":/);
  await at.run(make ?? "");
  const [write = "", serve = ""] = (registry ?? "").trim().split("\n");
  await at.run(write);
  await at.start(background(serve), /http address/);
  await at.run(publish ?? "");
  await at.run(push ?? "");
  t.regex(await at.run(config ?? ""), /Created the update config 1/);

  await at.run(later(patch));
  const merged = await at.until("reeve updates prs --state merged", /#1/);
  t.regex(merged, /Bump left-foo from 2\.0\.0 to 2\.0\.1/);
  t.regex(await at.run(clone ?? ""), /left-foo@2\.0\.1/);

  await at.run(later(major));
  const open = await at.until("reeve updates prs --state open", /#2/);
  t.regex(open, /Bump left-foo from 2\.0\.1 to 3\.0\.0/);
  await at.until("reeve updates prs --state open", /a major update, and the rule/);
  t.regex(await at.run("reeve updates why acme/site"), /Pull request #2 is open/);

  await at.run("cd left-foo && npm version patch --no-git-tag-version && npm publish");
  t.regex(await at.until("reeve updates prs --state open", /#3/), /from 2\.0\.1 to 3\.0\.1/);
  t.regex(await at.run("reeve updates prs --state closed"), /#2/);
  t.regex(await at.run(dry ?? ""), /acme\/site.*major.*manually/);
});
