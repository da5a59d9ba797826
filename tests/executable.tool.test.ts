/** The single executable: alone in an empty directory, with an empty environment, it does what the packages do. */
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type ExecutionContext } from "ava";
import { buildFromPackage, executableTools, must } from "./image/build.js";
import { child, run } from "./support/child.js";
import { eventually, within } from "./support/eventually.js";
import { folder as newFolder } from "./support/folder.js";
import { needs, program } from "./support/needs.js";

const built = needs(test, ...executableTools);
const withSandbox = needs(test, ...executableTools, program("bwrap"), program("nft"));
const folder = newFolder({ teardown: (end) => test.after.always(() => void end()) });
const cache = join(folder, "cache");
// `awf` keeps its logs among the temporary files.
const temporary = join(folder, "temporary");
const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", XDG_CACHE_HOME: cache, TMPDIR: temporary };
const command = (name: string): string => join(folder, name);
const reeve = command("reeve");

test.before(async (t) => {
  t.timeout(300_000);
  mkdirSync(temporary);
  const to = await buildFromPackage("executable", folder, "first");
  const [name = ""] = globSync(`reeve-*-linux-${process.arch}`, { cwd: to });
  renameSync(join(to, name), reeve);
  for (const other of ["awf", "webhook", "reeve-webhook"]) symlinkSync("reeve", command(other));
});

built("the name under which it is called selects the command", async (t) => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const [name, usage] of [
    ["reeve", /reeve/],
    ["awf", /domains/],
    ["webhook", /-hooks/],
    ["reeve-webhook", /-hooks/],
  ] as const) {
    const said = await must(command(name), ["--version"], { env });
    t.true(said.stdout.includes(version), name);
    const help = await run(command(name), ["--help"], { env });
    t.regex(help.stdout + help.stderr, usage, name);
  }
});

built("the licenses of what is in it are among its files", async (t) => {
  await must(reeve, ["--version"], { env });
  const [copy = ""] = globSync("reeve/program-*/licenses", { cwd: cache });
  for (const name of ["LICENSE", "THIRD-PARTY-LICENSES.txt", "NODE-LICENSE"]) {
    t.true(readFileSync(join(cache, copy, name)).length > 1000, name);
  }
});

built("its files are written once, and not where others can write", async (t) => {
  const copies = globSync("reeve/program-*", { cwd: cache });
  await must(reeve, ["--version"], { env });
  await must(command("awf"), ["--version"], { env });
  t.deepEqual(globSync("reeve/program-*", { cwd: cache }).length, Math.max(1, copies.length));
  const open = join(folder, "open");
  mkdirSync(join(open, "reeve"), { recursive: true });
  chmodSync(join(open, "reeve"), 0o777);
  const { code, stderr } = await run(reeve, ["--version"], {
    env: { ...env, XDG_CACHE_HOME: open },
  });
  t.is(code, 73);
  t.regex(stderr, /only its owner, this user, can write: set XDG_CACHE_HOME/);
});

built("files of another version are removed, once no process uses them", async (t) => {
  t.timeout(120_000);
  const own = join(folder, "versions");
  const written = () => globSync("reeve/program-*", { cwd: own }).map((each) => basename(each));
  const other = { ...env, XDG_CACHE_HOME: own };
  await must(reeve, ["--version"], { env: other });
  const [present = ""] = written();
  rmSync(join(own, "reeve", present, "lock"));
  await must(reeve, ["--version"], { env: other });
  t.true(existsSync(join(own, "reeve", present, "lock")), "a lost lock is made again");

  const earlier = "program-0.0.1-0123456789abcdef";
  const foreign = "program-of-another-kind";
  cpSync(join(own, "reeve", present), join(own, "reeve", earlier), { recursive: true });
  mkdirSync(join(own, "reeve", foreign));
  writeFileSync(join(own, "main.reeve"), `hook_server "main" { listen = "127.0.0.1:0" }`);

  // As a process of that version has it.
  const held = new DatabaseSync(join(own, "reeve", earlier, "lock"), { readOnly: true });
  held.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  await must(reeve, ["--version"], { env: other });
  t.deepEqual(written().sort(), [earlier, foreign, present].sort(), "it is used");
  held.close();
  await must(reeve, ["--version"], { env: other });
  t.deepEqual(written().sort(), [foreign, present].sort());
  t.deepEqual(globSync("reeve/.program-*", { cwd: own }), []);

  // A process that runs holds its own files.
  const words = ["up", "--control", join(own, "c"), join(own, "main.reeve")];
  const sleeping = child(t, reeve, words, { env: other, cwd: own });
  const lock = join(own, "reeve", present, "lock");
  const isFree = (): boolean => {
    const database = new DatabaseSync(lock, { timeout: 0 });
    try {
      database.exec("BEGIN EXCLUSIVE");
      return true;
    } catch {
      return false;
    } finally {
      database.close();
    }
  };
  await eventually("the process to hold its files", () => !sleeping.isAlive || !isFree());
  t.true(sleeping.isAlive, sleeping.stderr);
  sleeping.kill("SIGTERM");
  await within("its end", sleeping.ended);
  t.true(isFree(), "the lock ends with the process");
});

built("a user without a home has its files below the temporary directory", async (t) => {
  const homeless = { PATH: env.PATH, HOME: "/nonexistent", TMPDIR: temporary };
  const { stdout } = await must(reeve, ["--version"], { env: homeless });
  t.regex(stdout, /\d/);
  t.is(globSync(`reeve-${process.getuid?.()}/program-*`, { cwd: temporary }).length, 1);
});

built("its list of parts names Node", (t) => {
  const first = join(folder, "first");
  const [name = ""] = globSync("*-linux-*.cdx.json", { cwd: first });
  const { components } = JSON.parse(readFileSync(join(first, name), "utf8")) as {
    readonly components: ReadonlyArray<{ readonly name: string; readonly version: string }>;
  };
  t.is(components.find((each) => each.name === "node")?.version, process.versions.node);
  t.regex(readFileSync(join(first, "SHA256SUMS"), "utf8"), new RegExp(` {2}${name}$`, "m"));
});

for (const isolation of ["worker", "process"]) {
  built(`its daemon answers a hook and runs a plugin of others in a ${isolation}`, async (t) => {
    t.timeout(120_000);
    const here = join(folder, isolation);
    mkdirSync(here);
    writeFileSync(join(here, "greet.mjs"), PLUGIN);
    writeFileSync(
      join(here, "main.reeve"),
      `plugin "greet" { source = "./greet.mjs"; isolation = "${isolation}" }
       hook_server "default" { listen = "127.0.0.1:0" }
       hook "hello" { methods = ["GET"]; run = ["echo", "Hello"]; response { include_output = true } }
       greet.greeting "ada" { text = "Good day" }`,
    );
    const [hooks, greet] = await started(t, here);
    const answers = await Promise.all(
      [`http://${hooks}/hooks/hello`, `http://${greet}/greet/ada`].map(async (url) =>
        (await fetch(url)).text(),
      ),
    );
    t.is(answers[0]?.trim(), "Hello");
    t.is(answers[1], isolation === "worker" ? "Good day" : "Good day, confined");
  });
}

withSandbox("its sandbox runs a command and blocks a host that is not allowed", async (t) => {
  t.timeout(120_000);
  const script = "echo inside; curl -sS -m 5 http://example.com";
  const { stdout } = await must(command("awf"), ["--", "sh", "-c", script], { env, cwd: folder });
  t.regex(stdout, /^inside\nBlocked by the firewall: example\.com/);
});

withSandbox("its demo shows hooks, sandboxes and updates", async (t) => {
  t.timeout(120_000);
  const demo = child(t, reeve, ["demo", "--headless"], { env, cwd: folder });
  // It removes what it made when it is asked to end.
  t.teardown(async () => {
    demo.kill("SIGTERM");
    await within("the end of the demo", demo.ended);
  });
  const [, control = ""] = await demo.says(/reeve top --control (.*)\n/);
  const events = child(t, reeve, ["events", "--json", "--control", control], { env });
  for (const type of ["hook.finished", "sandbox.denied", "update.opened"]) {
    await t.notThrowsAsync(events.says(new RegExp(`"${type}"`)));
  }
});

built("a service runs the executable, not the files that it wrote", async (t) => {
  const words = ["service", "install", "--dry-run", join(folder, "main.reeve")];
  const { stdout } = await must(reeve, words, { env });
  t.true(stdout.includes(`ExecStart=${reeve} up `), stdout);
});

const PLUGIN = `
import { c, definePlugin } from "reeve/plugin";
export default definePlugin({
  id: "greet", title: "Greet", api: 1,
  blocks: { greeting: c.block({ doc: "A greeting.", label: c.name(), attrs: { text: c.string().doc("The text.") } }) },
  permissions: { listen: true },
  setup: (ctx) => ({
    async prepare({ blocks }) {
      const confined = process.permission?.has("fs.write", "/etc/passwd") === false ? ", confined" : "";
      const server = await ctx.http.serve({ listen: "127.0.0.1:0", prefix: "/greet" }, (app) => {
        app.get("/:name", () => blocks.greeting[0].values.text + confined);
      });
      return { commit: () => void server };
    },
  }),
});
`;

/** The addresses of a daemon's listeners, the hooks' first; it ends with the test. */
async function started(t: ExecutionContext, directory: string): Promise<readonly string[]> {
  const control = join(directory, "c.sock");
  const words = ["up", ".", "--control", control, "--state", "state", "--log-format", "text"];
  const daemon = child(t, reeve, words, { cwd: directory, env });
  await daemon.says(/Ctrl-C stops/);
  const { stdout } = await must(reeve, ["status", "--json", "--control", control], { env });
  const { listeners } = JSON.parse(stdout) as {
    readonly listeners: ReadonlyArray<{ readonly address: string; readonly plugin?: string }>;
  };
  if (listeners.length !== 2) throw new Error(stdout);
  return listeners
    .toSorted((one) => (JSON.stringify(one).includes("hook") ? -1 : 1))
    .map(({ address }) => address);
}
