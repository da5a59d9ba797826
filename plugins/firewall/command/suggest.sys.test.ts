import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output, type Result, run } from "../../../tests/support/child.js";
import { AWF } from "../../../tests/support/commands.js";
import { folder } from "../../../tests/support/folder.js";
import type { AccessRecord } from "../log/entry.js";
import { AccessLogWriter } from "../log/writer.js";

test.beforeEach((t) => t.timeout(90_000));

function recordOf(host: string, comm: string, day: number, rule = "allow-learning"): AccessRecord {
  return {
    timestamp: Date.UTC(2026, 0, day) / 1000,
    ...{
      clientIp: "127.0.0.1",
      clientPort: "1",
      host: `${host}:443`,
      destIp: "-",
      destPort: "443",
    },
    ...{ protocol: "1.1", method: "CONNECT", statusCode: 200, url: `${host}:443`, userAgent: "-" },
    ...{ decision: "TCP_TUNNEL:HIER_DIRECT", rule, bytesSent: 0, bytesReceived: 0, durationMs: 1 },
    requester: { pid: 1, comm, cmdline: comm },
  };
}

/** A directory with the logs of two runs. */
function learned(t: ExecutionContext): string {
  const directory = folder(t);
  const runs: readonly AccessRecord[][] = [
    [recordOf("a.test", "curl", 3), recordOf("deep.b.test", "npm", 4)],
    [
      recordOf("a.test", "n\u001bode", 5),
      recordOf("b.test", "npm", 2),
      recordOf("listed.test", "npm", 6, "allow-both-plain"),
    ],
  ];
  for (const [index, records] of runs.entries()) {
    mkdirSync(join(directory, `run-${index}`));
    const log = new AccessLogWriter(join(directory, `run-${index}`));
    for (const record of records) log.write(record);
    log.close();
  }
  return directory;
}

const ended = (directory: string, ...argv: string[]): Promise<Result> =>
  run(process.execPath, [AWF, "suggest", "--source", "run-0", "--source", "run-1", ...argv], {
    cwd: directory,
  });

async function suggest(directory: string, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await ended(directory, ...argv);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

test.serial("runs are merged into one list, with programs, counts and the last use", async (t) => {
  const directory = learned(t);
  t.is(
    await suggest(directory),
    'https://a.test  2 requests by curl, n?ode, last 2026-01-05\nhttps://b.test  2 requests by npm, last 2026-01-04\n\nTo allow them: --allow-domains "https://a.test,https://b.test"\n',
  );
  t.deepEqual(JSON.parse(await suggest(directory, "--json"))[1], {
    entry: "https://b.test",
    requests: 2,
    programs: ["npm"],
    last: "2026-01-04T00:00:00.000Z",
  });
});

const lines = {
  a: "https://a.test # 2 requests by curl, n?ode, last 2026-01-05\n",
  b: "https://b.test # 2 requests by npm, last 2026-01-04\n",
};
const files: ReadonlyArray<readonly [before: string | undefined, added: string]> = [
  [undefined, lines.a + lines.b],
  ["", lines.a + lines.b],
  ["# ours\nc.test\n", lines.a + lines.b],
  ["c.test", `\n${lines.a}${lines.b}`],
  ["b.test # any protocol\n", lines.a],
  ["test\n", ""],
  ["http://a.test,https://b.test\n", lines.a],
];
for (const [before, added] of files) {
  test.serial(`the diff of ${JSON.stringify(before)} adds what it lacks`, async (t) => {
    const directory = learned(t);
    const path = join(directory, "allow");
    if (before !== undefined) writeFileSync(path, before);
    const diff = await suggest(directory, "--allow-domains-file", "allow");
    if (added === "") return t.is(diff, "");
    output("git", ["apply", "--unidiff-zero", "-p0", "-"], { cwd: directory, input: diff });
    t.true(existsSync(path));
    t.is(readFileSync(path, "utf8"), `${before ?? ""}${added}`);
  });
}

const blocks: ReadonlyArray<
  readonly [what: string, options: string[], file: string, before: string, after: string]
> = [
  [
    "the only block of a file",
    [],
    "main.reeve",
    'let a = 1\n\nsandbox "x" {\n  memory = 1GiB\n}\n',
    'let a = 1\n\nsandbox "x" {\n  allow = ["https://a.test", "https://b.test"]\n  memory = 1GiB\n}\n',
  ],
  [
    "a block by its name, whose list has other entries and comments",
    ["--sandbox", "x"],
    "main.reeve",
    'sandbox "y" {}\nsandbox "x" {\n  allow = [\n    "c.test", # ours\n  ]\n}',
    'sandbox "y" {}\nsandbox "x" {\n  allow = [\n    "c.test",\n    "https://a.test",\n    "https://b.test", # ours\n  ]\n}',
  ],
  [
    "a block of an imported file",
    [],
    "more.reeve",
    'sandbox "x" {\n  allow = ["b.test"]\n}\n',
    'sandbox "x" {\n  allow = ["b.test", "https://a.test"]\n}\n',
  ],
  [
    "a block that has all",
    [],
    "main.reeve",
    'sandbox "x" {\n  allow = ["test"]\n}\n',
    'sandbox "x" {\n  allow = ["test"]\n}\n',
  ],
];
for (const [what, options, file, before, after] of blocks) {
  test.serial(`a sandbox block is edited by a diff or by --write: ${what}`, async (t) => {
    const directory = learned(t);
    const path = join(directory, file);
    writeFileSync(join(directory, "main.reeve"), 'import "./more.reeve"\n');
    writeFileSync(path, before);
    const call = (...more: string[]) =>
      suggest(directory, "--config", "main.reeve", ...options, ...more);
    const diff = await call();
    t.is(readFileSync(path, "utf8"), before);
    if (after !== before) {
      output("git", ["apply", "-p0", "-"], { cwd: directory, input: diff });
      t.regex(diff, /^# https:\/\/a\.test: 2 requests by curl, n\?ode, last 2026-01-05\n/);
    } else t.is(diff, "");
    t.is(readFileSync(path, "utf8"), after);
    writeFileSync(path, before);
    t.is(await call("--write"), diff);
    t.is(readFileSync(path, "utf8"), after);
    t.is(await call("--write"), "");
  });
}

const uneditable: ReadonlyArray<readonly [text: string, message: RegExp]> = [
  ['sandbox "x" {}\nsandbox "y" {}\n', /several sandboxes: x, y\. Name one with --sandbox/],
  [
    'let l = ["c.test"]\nsandbox "x" {\n  allow = let.l\n}\n',
    /in \S+main\.reeve, its `allow` is computed, not a list of literals\. Edit it by hand/,
  ],
  ['for n in ["x"] {\n  sandbox "${n}" {}\n}\n', /no \*\.reeve file has it as a block of its own/],
  ['sandbox "x" {\n', /main\.reeve/],
];
for (const [text, message] of uneditable) {
  test.serial(`not edited: ${JSON.stringify(text)}`, async (t) => {
    const directory = learned(t);
    writeFileSync(join(directory, "main.reeve"), text);
    const failed = await ended(directory, "--config", "main.reeve", "--write");
    t.is(failed.code, 1);
    t.regex(failed.stderr, message);
    t.is(readFileSync(join(directory, "main.reeve"), "utf8"), text);
  });
}

const wrong: ReadonlyArray<readonly [argv: string[], message: RegExp]> = [
  [["--what"], /^Usage: awf suggest/],
  [["--source", "/no/such"], /Log source not found: \/no\/such/],
  [["--write"], /^Usage: awf suggest/],
  [["--config", "a.reeve", "--json"], /^Usage: awf suggest/],
  [["--config", "/no/such.reeve"], /--config \/no\/such\.reeve: file not found/],
];
for (const [argv, message] of wrong) {
  test.serial(`refused: awf suggest ${argv.join(" ")}`, async (t) => {
    const failed = await run(process.execPath, [AWF, "suggest", ...argv]);
    t.is(failed.code, 1);
    t.regex(failed.stderr, message);
  });
}
