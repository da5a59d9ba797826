/** `examples/updates/README.md`, command by command: a real registry, npm and git, the real daemon. */
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import ava, { type ExecutionContext } from "ava";
import { type Child, child, outputOf } from "./support/child.js";
import { eventually, within } from "./support/eventually.js";
import { folder as makeFolder } from "./support/folder.js";
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
  start(command: string, said: RegExp): Promise<Child>;
  /** Asks again until the answer fits. */
  until(command: string, fits: RegExp): Promise<string>;
}

async function stage(t: ExecutionContext): Promise<Stage> {
  t.timeout(300_000);
  const folder = makeFolder(t);
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

  const run: Stage["run"] = (command) =>
    outputOf("bash", ["-c", wrapped(command)], { cwd: folder, env });
  return {
    folder,
    page: blocks(readFileSync(join(folder, "README.md"), "utf8")),
    run,
    start: async (command, wanted) => {
      const words = ["-c", `. ${kept}; exec ${command}`];
      const started = child(t, "bash", words, { cwd: folder, env });
      await started.says(wanted);
      return started;
    },
    until: async (command, fits) => {
      let answer = "";
      const look = async () => {
        answer = await run(command);
        return fits.test(answer);
      };
      await eventually(`${command} says ${fits}`, look, { every: 400 }).catch((error: Error) => {
        throw new Error(`${error.message}\n${answer}`);
      });
      return answer;
    },
  };
}

test("the page leads from nothing to a merged update", async (t) => {
  const at = await stage(t);
  const [, daemon, make, registry, publish, push, config, patch, clone, major, dry] = at.page;
  const background = (text = "") => text.trim().replace(/ &$/, "");
  const later = (text = "") => text.replace(/^sleep.*\n[\s\S]*/m, "");

  const running = await at.start(background(daemon), /Ctrl-C stops|"control":/);
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
  // It may be at a check, whose process would outlive a killed daemon.
  running.kill();
  await within("the end of the daemon", running.ended);
});
