import { once } from "node:events";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { type Child, child, run as runProgram } from "../../../tests/support/child.js";
import { AWF } from "../../../tests/support/commands.js";
import { folder } from "../../../tests/support/folder.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const allowed =
  '1700000000.123 127.0.0.1:40000 a.test:443 93.184.216.34:443 1.1 CONNECT 200 TCP_TUNNEL:HIER_DIRECT a.test:443 "curl/8.0"';
const denied =
  '1700000001.000 127.0.0.1:40001 b.test -:- 1.1 GET 403 TCP_DENIED:HIER_NONE http://b.test/ "-"';

/** A temporary directory without other runs' logs. */
function scratch(t: ExecutionContext): { directory: string; logs: string } {
  const directory = folder(t);
  const logs = join(directory, "squid-logs-1700000000000");
  mkdirSync(logs);
  writeFileSync(join(logs, "access.log"), `${allowed}\n${denied}\n`);
  return { directory, logs };
}

const environmentOf = (directory: string): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  TMPDIR: directory,
});

const start = (t: ExecutionContext, directory: string, args: readonly string[]): Child =>
  child(t, process.execPath, [AWF, "logs", ...args], { env: environmentOf(directory) });

async function run(
  directory: string,
  args: readonly string[],
  environment: Record<string, string> = {},
) {
  const env = { ...environmentOf(directory), ...environment };
  const { code, stdout, stderr } = await runProgram(process.execPath, [AWF, "logs", ...args], {
    env,
  });
  return { code, stdout, stderr };
}

test("the newest preserved log is used and named on stderr", async (t) => {
  const { directory, logs } = scratch(t);
  const { code, stdout, stderr } = await run(directory, []);
  t.is(code, 0);
  t.is(
    stdout,
    "[2023-11-14 22:13:20.123] CONNECT a.test → 200 (ALLOWED) [curl/8.0]\n[2023-11-14 22:13:21.000] GET b.test → 403 (DENIED)\n",
  );
  t.regex(
    stderr,
    new RegExp(
      `^\\[INFO\\] Using preserved logs from: ${logs}\\n\\[INFO\\] Log timestamp: 11/14/2023, .*\\n$`,
    ),
  );
});

test("a directory that the variable names comes before preserved ones", async (t) => {
  const { directory } = scratch(t);
  const other = join(directory, "other");
  mkdirSync(join(other, "squid-logs"), { recursive: true });
  writeFileSync(join(other, "squid-logs", "access.log"), `${denied}\n`);
  t.is((await run(directory, ["--format", "raw"], { AWF_LOGS_DIR: other })).stdout, `${denied}\n`);
  const listed = await run(directory, ["--list"], { AWF_LOGS_DIR: other });
  t.regex(
    listed.stdout,
    /^Available log sources:\n {2}\[AWF_LOGS_DIR\] .*\n {2}\[preserved\] .*\n$/,
  );
});

test("without any log the list gives advice, and everything else is an error", async (t) => {
  const directory = folder(t);
  const listed = await run(directory, ["--list"]);
  t.is(listed.code, 0);
  t.true(
    listed.stdout.startsWith(
      "No log sources found. Run awf with a command first to generate logs.\n\nTip: ",
    ),
  );
  for (const view of [[], ["stats"], ["summary"], ["audit"]]) {
    const { code, stderr } = await run(directory, view);
    t.deepEqual(
      [code, stderr],
      [1, "[ERROR] No log sources found. Run awf with a command first to generate logs.\n"],
    );
  }
});

test("--format and --source work after the view and before it", async (t) => {
  const { directory, logs } = scratch(t);
  for (const args of [
    ["stats", "--format", "json", "--source", logs],
    ["--format", "json", "--source", logs, "stats"],
  ]) {
    const { stdout, stderr } = await run(directory, args);
    t.is(JSON.parse(stdout).totalRequests, 2);
    t.is(stderr, "");
  }
  const summary = await run(directory, ["summary", "--source", logs]);
  t.true(summary.stdout.startsWith("<details>\n"));
  t.is(summary.stderr, "");
  t.true(
    (await run(directory, ["summary", "--source", logs, "--format", "pretty"])).stdout.startsWith(
      "Firewall Statistics\n",
    ),
  );
});

test("JSON output is always JSON Lines; other formats pass unknown lines unchanged", async (t) => {
  const { directory, logs } = scratch(t);
  appendFileSync(join(logs, "access.log"), 'torn "line\n');
  const { stdout } = await run(directory, ["--format", "json", "--source", logs]);
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  t.deepEqual(
    records.map(({ domain, unparsed }) => domain ?? unparsed),
    ["a.test", "b.test", 'torn "line'],
  );
  t.true((await run(directory, ["--source", logs])).stdout.endsWith('\ntorn "line\n'));
});

const refused: ReadonlyArray<readonly [args: string[], message: string]> = [
  [["--format", "xml"], "[ERROR] Invalid format: xml. Must be one of: raw, pretty, json\n"],
  [
    ["stats", "--format", "raw"],
    "[ERROR] Invalid format: raw. Must be one of: json, markdown, pretty\n",
  ],
  [["--source", "/no/such"], "[ERROR] Invalid log source: Log source not found: /no/such\n"],
  [
    ["stats", "--source", "/no/such"],
    "[ERROR] Invalid log source: Log source not found: /no/such\n",
  ],
  [
    ["--source", "/etc"],
    "[ERROR] Invalid log source: Directory does not contain access.log: /etc\n",
  ],
  [["--source", "running"], "[ERROR] Invalid log source: Container awf-squid is not running\n"],
  [["--with-pid"], "[ERROR] --with-pid only works with real-time streaming (-f)\n"],
  [["--nope"], "error: unknown option '--nope'\n"],
  [["nonsense"], "error: unknown command 'nonsense'; there are stats, summary and audit\n"],
];
for (const [args, message] of refused) {
  test(`awf logs ${args.join(" ")} is refused`, async (t) => {
    const { directory } = scratch(t);
    t.deepEqual(await run(directory, args), { code: 1, stdout: "", stderr: message });
  });
}

test("following shows old lines, then new ones, with processes from access.jsonl, until a signal", async (t) => {
  const { directory, logs } = scratch(t);
  const jsonLog = join(logs, "access.jsonl");
  const record = {
    timestamp: 1700000000,
    clientIp: "127.0.0.1",
    clientPort: "1",
    host: "a.test",
    destIp: "-",
    destPort: "-",
    protocol: "1.1",
    method: "GET",
    statusCode: 200,
    decision: "TCP_MISS:HIER_DIRECT",
    url: "http://a.test/",
    userAgent: "-",
    pid: 42,
    comm: "curl",
    cmdline: "curl a.test",
    inode: "7",
  };
  writeFileSync(jsonLog, `${JSON.stringify(record)}\n`);
  const following = start(t, directory, ["-f", "--with-pid", "--source", logs]);
  await following.says(/^.*GET a\.test → 200 \(ALLOWED\) <PID:42 curl>\n/);
  appendFileSync(jsonLog, `${JSON.stringify({ ...record, host: "c.test" })}\n`);
  await following.says(/^.*\n.*GET c\.test →.*\n/);
  following.kill("SIGINT");
  t.is(await following.ended, 0);
});

test("audit shows the rule of each request and can be filtered", async (t) => {
  const { directory, logs } = scratch(t);
  const fields = {
    clientIp: "127.0.0.1",
    clientPort: "1",
    destIp: "-",
    destPort: "-",
    protocol: "1.1",
    method: "GET",
    userAgent: "-",
  };
  const records = [
    {
      ...fields,
      timestamp: 1700000000,
      host: "a.test",
      statusCode: 200,
      decision: "TCP_MISS:HIER_DIRECT",
      url: "http://a.test/",
      rule: "allow-both-plain",
      pattern: "a.test",
    },
    {
      ...fields,
      timestamp: 1700000001,
      host: "x.b.test",
      statusCode: 403,
      decision: "TCP_DENIED:HIER_NONE",
      url: "http://x.b.test/",
      rule: "deny-default",
      reason: "domain not in allowlist",
    },
  ];
  writeFileSync(
    join(logs, "access.jsonl"),
    records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  );
  const shown = async (...args: string[]) =>
    (await run(directory, ["audit", "--source", logs, ...args])).stdout.trimEnd().split("\n");
  t.deepEqual(await shown(), [
    "[2023-11-14 22:13:20.000] GET a.test → 200 (ALLOWED) allow-both-plain: a.test",
    "[2023-11-14 22:13:21.000] GET x.b.test → 403 (DENIED) deny-default: domain not in allowlist",
  ]);
  t.is((await shown("--decision", "denied", "--domain", "b.test", "--format", "json")).length, 1);
  t.is((await shown("--rule", "allow-both-plain")).length, 1);
});

test("awf logs ends quietly when its reader leaves", async (t) => {
  const { directory, logs } = scratch(t);
  writeFileSync(join(logs, "access.log"), `${allowed}\n`.repeat(50_000));
  const shown = start(t, directory, ["--source", logs]);
  const { stdout } = shown.process;
  if (stdout) await once(stdout, "data");
  stdout?.destroy();
  t.is(await shown.ended, 0);
  t.is(shown.stderr, `[INFO] Using preserved logs from: ${logs}\n`);
});
