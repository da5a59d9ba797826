/** What a plugin does not declare: refused in a process, said in the log elsewhere. */
import test from "ava";
import { startDaemon, waitFor } from "../testing/daemon.js";

const PLUGIN = (permissions: string, prepare: string) => `
  import { c, definePlugin } from "reeve/plugin";
  import * as fs from "node:fs";
  import * as net from "node:net";
  import * as childProcess from "node:child_process";
  import { Worker } from "node:worker_threads";
  export default definePlugin({
    id: "curious", title: "Curious", api: 1, permissions: ${permissions},
    blocks: { look: c.block({ label: c.name(), attrs: {} }) },
    setup: (ctx) => ({ async prepare() { ${prepare}; return { commit() {} }; } }),
  });
`;

const RESTRICTED = /Access to this API has been restricted/;

type Case = readonly [
  what: string,
  permissions: string,
  prepare: string,
  refusal: RegExp | undefined,
];
const cases: readonly Case[] = [
  ["read a file", "{}", 'fs.readFileSync("/etc/hostname")', RESTRICTED],
  ["read a file it declares", '{ read: ["/etc"] }', 'fs.readFileSync("/etc/passwd")', undefined],
  ["read the configuration", "{}", "fs.readdirSync(ctx.directories.configuration)", RESTRICTED],
  ["write somewhere", "{ read: true }", 'fs.writeFileSync("/tmp/reeve-curious", "")', RESTRICTED],
  [
    "keep its own state",
    "{}",
    'fs.writeFileSync(ctx.directories.state + "/own", ""); fs.readFileSync(ctx.directories.state + "/own")',
    undefined,
  ],
  ["start a command itself", '{ exec: ["true"] }', 'childProcess.spawnSync("true")', RESTRICTED],
  ["start a worker", "{}", 'new Worker("1", { eval: true })', RESTRICTED],
  [
    "run a command",
    "{}",
    'await ctx.processes.run({ argv: ["true"] })',
    /does not declare that it may run true/,
  ],
  [
    "run a command it declares",
    '{ exec: ["true"] }',
    'await ctx.processes.run({ argv: ["true"] })',
    undefined,
  ],
  [
    "listen",
    "{}",
    'await ctx.http.serve({ listen: "127.0.0.1:0" }, () => {})',
    /does not declare that it may listen on 127.0.0.1:0/,
  ],
  [
    "watch files",
    "{}",
    'await ctx.files.watch(["/etc/x"], {}, () => {})',
    /does not declare that it may read \/etc\/x/,
  ],
  [
    "climb out of its own directory",
    "{}",
    'await ctx.files.watch([ctx.directories.state + "/../../x"], {}, () => {})',
    /does not declare/,
  ],
  [
    "see the daemon's environment",
    "{}",
    'if (process.env.REEVE_TEST_CURIOUS === undefined) throw new Error("not there")',
    /not there/,
  ],
  [
    "see what it declares of it",
    '{ env: ["REEVE_TEST_CURIOUS"] }',
    'if (process.env.REEVE_TEST_CURIOUS !== "x") throw new Error("not there")',
    undefined,
  ],
];

process.env.REEVE_TEST_CURIOUS = "x";

for (const [what, permissions, prepare, refusal] of cases) {
  test.serial(`a plugin in a process may${refusal ? " not" : ""} ${what}`, async (t) => {
    const daemon = await startDaemon(t, { files: { "curious.js": PLUGIN(permissions, prepare) } });
    const { reason } = await daemon.apply(
      'plugin "x" { source = "./curious.js"; isolation = "process" }\nx.look "a" {}',
    );
    if (refusal) t.regex(reason ?? "", refusal);
    else t.is(reason, undefined);
  });
}

test.serial(
  "network is out of reach of a plugin in a process that does not declare it",
  async (t) => {
    const connect =
      'await new Promise((resolve, reject) => net.connect(9, "127.0.0.1").on("error", (e) => e.code === "ECONNREFUSED" ? resolve() : reject(e)))';
    const daemon = await startDaemon(t, { files: { "curious.js": PLUGIN("{}", connect) } });
    const { reason } = await daemon.apply(
      'plugin "x" { source = "./curious.js"; isolation = "process" }\nx.look "a" {}',
    );
    const enforced = process.allowedNodeEnvironmentFlags.has("--allow-net");
    if (enforced) t.regex(reason ?? "", RESTRICTED);
    else t.is(reason, undefined);
  },
);

test.serial("a plugin in a worker is only told of in the log, once", async (t) => {
  const run =
    'await ctx.processes.run({ argv: ["true"] }); await ctx.processes.run({ argv: ["true"] })';
  const daemon = await startDaemon(t, { files: { "curious.js": PLUGIN("{}", run) } });
  const { reason } = await daemon.apply(
    'plugin "x" { source = "./curious.js"; isolation = "worker" }\nx.look "a" {}',
  );
  t.is(reason, undefined);
  await waitFor(() => daemon.log.includes("may run true"), "the line");
  t.is(daemon.log.split("may run true").length, 2);
});

for (const [permissions, seen] of [
  ["{}", "undefined"],
  ['{ env: ["REEVE_TEST_CURIOUS"] }', "x"],
] as const) {
  test.serial(`a plugin in a worker that declares ${permissions} sees ${seen}`, async (t) => {
    const script = "throw new Error(String(process.env.REEVE_TEST_CURIOUS))";
    const daemon = await startDaemon(t, { files: { "curious.js": PLUGIN(permissions, script) } });
    const { reason } = await daemon.apply(
      'plugin "x" { source = "./curious.js"; isolation = "worker" }\nx.look "a" {}',
    );
    t.is(reason, `The plugin curious cannot prepare: ${seen}.`);
  });
}
