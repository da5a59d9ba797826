/** The package as strangers get it: packed, installed, built upon, and run. */
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import type { Isolation } from "reeve/plugin";
import { npmPackage } from "./image/build.js";
import { child, outputOf, run } from "./support/child.js";
import { isLong } from "./support/runs.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const env = {
  ...process.env,
  // The children run with the node that runs this, and with the tools of the root.
  PATH: [dirname(process.execPath), join(root, "node_modules/.bin"), process.env.PATH].join(
    delimiter,
  ),
};

const folder = realpathSync(mkdtempSync(join(tmpdir(), "reeve-stranger-")));
const author = join(folder, "author");
const host = join(folder, "host");
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

/** @throws with everything the command printed */
function command(cwd: string, ...argv: readonly [string, ...string[]]): Promise<string> {
  const [program, ...rest] = argv;
  return outputOf(program, rest, { cwd, env });
}

/** The path of the packed package. */
async function pack(cwd: string): Promise<string> {
  const argv = ["pack", "--ignore-scripts", "--pack-destination", folder];
  const output = await command(cwd, "npm", ...argv);
  return join(folder, output.trim().split("\n").at(-1) ?? "");
}

/** The compiler and the types of Node, in the versions of this project. */
function linkTools(cwd: string): void {
  const { devDependencies } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
  mkdirSync(join(cwd, "node_modules/@types"));
  for (const name of Object.keys(devDependencies))
    symlinkSync(join(root, "node_modules", name), join(cwd, "node_modules", name));
}

test.before(async (t) => {
  t.timeout(300_000);
  const { installed } = await npmPackage();
  await command(folder, "cp", "-al", installed, host);
  cpSync(join(root, "examples/third-party-plugin"), author, {
    recursive: true,
    filter: (path) => !/(node_modules|dist)$/.test(path.slice(root.length)),
  });
  await command(folder, "cp", "-al", join(installed, "node_modules"), author);
  linkTools(author);
  await command(author, "npm", "run", "build");
  const plugin = await pack(author);
  await command(host, "npm", "install", "--offline", "--no-audit", "--no-fund", plugin);
});

test("a third-party plugin passes its own tests, including the conformance suite", async (t) => {
  t.timeout(180_000);
  // What every plugin does in a worker is seen elsewhere.
  const skipped = isLong ? {} : { NODE_OPTIONS: "--test-skip-pattern=^worker:" };
  const output = await outputOf("npm", ["test"], { cwd: author, env: { ...env, ...skipped } });
  t.regex(output, /it does the same in every isolation/);
  t.regex(output, /fail 0/);
});

test("the configuration of the example is valid where its plugin is installed", async (t) => {
  cpSync(join(author, "main.reeve"), join(host, "main.reeve"));
  await t.notThrowsAsync(command(host, "node_modules/.bin/reeve", "check", "."));
  const listed = await command(
    host,
    "node_modules/.bin/reeve",
    "explain",
    "uptime.site.shop.url",
    ".",
  );
  t.regex(listed, /https:\/\/shop\.example\/health/);
});

test("the types of all entries resolve with Node's algorithm", async (t) => {
  t.timeout(120_000);
  writeFileSync(join(author, "test/user.ts"), USER);
  writeFileSync(join(author, "test/wrong.ts"), USER.replace("program.root", "program.rout"));
  const how = ["--module", "nodenext", "--target", "es2024", "--types", "node", "--strict"];
  const words = ["--ignoreConfig", "--noEmit", ...how, "test/user.ts", "test/wrong.ts"];
  const { code, stdout } = await run("tsc", words, { cwd: author, env });
  t.not(code, 0);
  const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
  t.is(errors.length, 1, stdout);
  t.regex(errors[0] ?? "", /^test\/wrong\.ts\(.*'rout' does not exist/);
});

const USER = `
import { createCatalog, format, load, plan, type Plan, parse, ReeveError, render, runDaemon } from "reeve";
import { c, definePlugin, type Duration, type Secret } from "reeve/plugin";
import { conformanceChecks, FakeClock, testPlugin } from "reeve/testing";

export const plugin = definePlugin({
  id: "x", title: "X", api: 1,
  blocks: { x: c.block({ attrs: { every: c.duration(), token: c.secret() } }) },
  setup: () => ({
    prepare({ blocks }) {
      const every: Duration | undefined = blocks.x[0]?.values.every;
      const token: Secret | undefined = blocks.x[0]?.values.token;
      return { commit: () => void [every, token] };
    },
  }),
});
const catalog = createCatalog({ builtins: [] });
const { program, diagnostics, sources } = await load("/x", { catalog });
if (program) {
  const changes: Plan = plan(undefined, program);
  console.log(changes.summary.added, program.root);
}
console.log(render(diagnostics, sources), ReeveError, runDaemon, parse, format);
const tested = await testPlugin(plugin, { config: "", clock: new FakeClock() });
const status: number = (await tested.inject({ url: "/" })).status;
const checks = conformanceChecks(plugin, { config: "", edited: "", observe: async () => status });
for (const { title, run } of checks) console.log(title, run);
`;

const DAEMON = `
import { runDaemon } from "reeve";
const [root, state] = process.argv.slice(2);
const ready = ({ listeners, generation }) => process.send({ listeners, generation: generation.number });
process.exit(await runDaemon({ root, state, control: state + "/control.sock", version: "0", logFormat: "json", ready }));
`;

interface Ready {
  readonly generation: number;
  readonly listeners: ReadonlyArray<{ readonly address: string }>;
}

const isolations: readonly Isolation[] = ["inline", "worker", "process"];

for (const isolation of isolations) {
  test(`a daemon runs a plugin that was installed beside its configuration: ${isolation}`, async (t) => {
    t.timeout(120_000);
    const here = join(host, isolation);
    mkdirSync(join(here, "state"), { recursive: true });
    writeFileSync(join(here, "daemon.mjs"), DAEMON);
    writeFileSync(
      join(here, "main.reeve"),
      `plugin "up" { source = "npm:reeve-plugin-uptime"; version = "^1.0"; isolation = "${isolation}" }
       up.page { listen = "127.0.0.1:0" }
       up.site "shop" { url = up.https("shop.invalid", "/health"); token = secret("env:TOKEN") }`,
    );
    const words = [join(here, "daemon.mjs"), join(here, "main.reeve"), join(here, "state")];
    const daemon = child(t, process.execPath, words, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...env, TOKEN: "correct horse" },
    });
    const message = once(daemon.process, "message");
    const first = await Promise.race([message, daemon.ended.then(() => undefined)]);
    if (first === undefined) throw new Error(daemon.stderr);
    const { generation, listeners } = first[0] as Ready;
    t.is(generation, 1);
    const answer = await fetch(`http://${listeners[0]?.address}/uptime/shop.svg`);
    t.is(answer.status, 200);
    t.regex(await answer.text(), /aria-label="shop: (down|unknown)/);
    daemon.kill("SIGTERM");
    t.is(await daemon.ended, 0, daemon.stderr);
    t.false(daemon.stderr.includes("correct horse"));
  });
}

test("its command and its dashboard screen are part of the installed program", async (t) => {
  t.timeout(120_000);
  const here = join(host, "cli");
  mkdirSync(here);
  writeFileSync(
    join(here, "main.reeve"),
    `plugin "net" { source = "npm:reeve-plugin-uptime" }
     net.page { listen = "127.0.0.1:0" }
     net.site "shop" { url = "http://127.0.0.1:9/" }`,
  );
  const bin = join(host, "node_modules/.bin/reeve");
  const reeve = (...words: readonly string[]) => command(here, bin, ...words);
  t.regex(await reeve("--help"), /Plugins:\n +net +inspect watched sites/);
  t.regex(await reeve("net", "--help"), /sites +list sites and their state/);
  t.regex(await reeve("net", "sites", "--help"), /reeve uptime sites +# lists the sites/);
  t.regex(await reeve("completion", "fish"), /list sites and their state/);
  const control = ["--control", join(here, "c.sock")] as const;
  const words = ["up", ...control, "--state", join(here, "state"), "--log-format", "text"];
  const daemon = child(t, bin, words, { cwd: here, env });
  await daemon.says(/Ctrl-C stops/);
  // `status` exits with 1 as soon as the watched site is down; its text counts.
  t.regex(await reeve("status", ...control).catch(String), /generation {5}1/);
  const body = JSON.parse(await reeve("net", "sites", "--json", ...control)) as {
    readonly sites: ReadonlyArray<{ readonly site: string }>;
  };
  t.is(body.sites[0]?.site, "shop");
  t.regex(await reeve("net", "sites", ...control), /^shop +(unknown|down)/m);
  t.regex(await reeve("top", "--once", ...control), /^== Uptime\n-- Sites \(1\)\n.*\nshop /m);
  daemon.kill("SIGTERM");
  t.is(await daemon.ended, 0, daemon.stderr);
});
