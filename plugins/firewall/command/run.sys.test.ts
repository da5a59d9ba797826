import { constants, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { AWF } from "../../../tests/support/commands.js";
import { allowing, cases, quiet, runner, zone } from "../testing/cases.js";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet(zone);
});
test.after.always(() => world[Symbol.asyncDispose]());

const outcomeOf = runner((args, command) => world.awf([...args, "--", command]));
for (const each of cases) {
  const { title, code = 0, stdout } = each;
  test(title, async (t) => {
    const result = await outcomeOf(each);
    t.is(result.code, code, result.stderr);
    if (stdout instanceof RegExp) t.regex(result.stdout, stdout);
    else if (stdout !== undefined) t.is(result.stdout, stdout);
  });
}

test("several words are a program and its arguments, untouched", async (t) => {
  const { stdout } = await world.awf([
    ...quiet,
    "--",
    "printf",
    "%s|",
    "a b",
    "$HOME",
    "*",
    "",
    "--help",
  ]);
  t.is(stdout, "a b|$HOME|*||--help|");
});

test("words have a shell's exit codes", async (t) => {
  const ends = [
    [["no-such-command", "x"], 127],
    [["/etc/hosts", "x"], 126],
    [["exit", "3"], 3],
    [["false", "x"], 1],
    [["exit 255"], 255],
    [["if then"], 2],
  ] as const;
  for (const [words, code] of ends) {
    t.is((await world.awf([...quiet, "--", ...words])).code, code, words.join(" "));
  }
});

test("a command can wait for its input, which stays blocking", async (t) => {
  const { child, result } = world.start(
    process.execPath,
    [AWF, ...quiet, "--", "grep flags /proc/self/fdinfo/0; echo ready; cat"],
    { stdin: "open" },
  );
  child.stdout?.once("data", () => child.stdin?.end("late"));
  const { stdout } = await result;
  const [, flags = ""] = /^flags:\s*(\d+)\nready\nlate$/.exec(stdout) ?? [];
  t.is(Number.parseInt(flags, 8) & constants.O_NONBLOCK, 0, stdout);
});

test("stdin and stdout belong to the command alone", async (t) => {
  const { stdout } = await world.awf(["--dns-servers", "8.8.8.8", "--", "cat"], {
    stdin: "in\nout",
  });
  t.is(stdout, "in\nout");
});

test("the response to a denied request names the rule and how to allow it", async (t) => {
  const { stdout } = await world.awf([...allowing, "--", "curl -s http://denied.test/"]);
  t.is(
    stdout,
    'Blocked by the firewall: denied.test (domain not in allowlist; rule deny-default).\nTo allow it: --allow-domains "denied.test"\n',
  );
});

test("a block wins over an allow", async (t) => {
  const args = [...allowing, "--block-domains", "sub.allowed.test"];
  const { stdout } = await world.awf([
    ...args,
    "--",
    "curl -s -o /dev/null -o /dev/null -w '%{http_code} ' http://sub.allowed.test/ http://allowed.test/",
  ]);
  t.is(stdout, "403 200 ");
});

test("the log has a line for each request, and access.jsonl its process", async (t) => {
  const logs = join(world.scratch, "logs");
  await world.awf([
    ...allowing,
    "--proxy-logs-dir",
    logs,
    "--",
    "curl -sk https://allowed.test/; curl -s http://denied.test/; true",
  ]);
  // A tunnel's line is written when it has closed.
  const byTarget = (one: string, other: string) =>
    one.indexOf("allowed") - other.indexOf("allowed");
  const linesOf = (name: string) =>
    readFileSync(join(logs, name), "utf8").trimEnd().split("\n").sort(byTarget).reverse();
  const lines = linesOf("access.log");
  t.is(lines.length, 2);
  t.regex(
    lines[0] ?? "",
    /^\d+\.\d{3} 127\.0\.0\.1:\d+ allowed\.test:443 93\.184\.216\.34:443 1\.1 CONNECT 200 TCP_TUNNEL:HIER_DIRECT allowed\.test:443 "curl\/[^"]*"$/,
  );
  t.regex(
    lines[1] ?? "",
    /^\d+\.\d{3} 127\.0\.0\.1:\d+ denied\.test -:- 1\.1 GET 403 TCP_DENIED:HIER_NONE http:\/\/denied\.test\/ "curl\/[^"]*"$/,
  );
  const records = linesOf("access.jsonl").map((line) => JSON.parse(line));
  t.deepEqual(
    records.map(({ rule, comm }) => [rule, comm]),
    [
      ["allow-both-plain", "curl"],
      ["deny-default", "curl"],
    ],
  );
  t.true(records[0].bytesReceived > 100);
});

test("a name that is not allowed is never looked up outside", async (t) => {
  await world.awf([
    ...allowing,
    "--",
    `getent hosts ${"secret".repeat(10)}.${"of".repeat(30)}.${"mine".repeat(15)}.tunnel.test; getent hosts allowed.test`,
  ]);
  const names = world.seen.flatMap((report) => (report.kind === "dns" ? [report.name] : []));
  t.true(names.includes("allowed.test"));
  t.false(names.some((name) => name.endsWith("tunnel.test")));
});

test("two simultaneous runs do not affect each other", async (t) => {
  const results = await Promise.all(
    [1, 2, 3].map((n) => world.awf([...allowing, "--", `curl -s http://allowed.test/${n}`])),
  );
  t.deepEqual(
    results.map(({ stdout }) => JSON.parse(stdout).url),
    ["/1", "/2", "/3"],
  );
});

test("after a failed command awf lists blocked domains and the flag that allows them", async (t) => {
  const { stderr, code } = await world.awf([
    "--dns-servers",
    "8.8.8.8",
    "--allow-domains",
    "allowed.test",
    "--",
    "curl -sf http://denied.test/",
  ]);
  t.is(code, 22);
  t.deepEqual(withoutPaths(stderr), [
    "[INFO] Allowed domains: allowed.test",
    "[INFO] Executing agent command...",
    "[WARN] Command completed with exit code: 22",
    "[WARN] Firewall blocked domains:",
    "[WARN]   - Blocked: denied.test:80 (domain not in allowlist)",
    "[WARN] Allowed domains:",
    "[WARN]   - Allowed: allowed.test",
    '[WARN] To fix domain issues: --allow-domains "allowed.test,denied.test"',
    "[INFO] Squid logs preserved at: PATH",
    "Process exiting with code: 22",
  ]);
});

test("a successful command gets one line about what was blocked", async (t) => {
  const { stderr } = await world.awf([
    ...["--dns-servers", "8.8.8.8"],
    "--",
    "curl -s http://denied.test/",
  ]);
  t.true(
    withoutPaths(stderr).includes(
      "[WARN] Firewall blocked 1 request: denied.test (the command succeeded)",
    ),
  );
});

test("without a list the first line says so", async (t) => {
  const { stderr } = await world.awf(["--dns-servers", "8.8.8.8", "--log-level", "debug", "true"]);
  t.deepEqual(withoutPaths(stderr).slice(0, 2), [
    "[INFO] Allowed domains: none",
    "[DEBUG] No allowed domains specified - all network access will be blocked",
  ]);
});

test("without a command awf shows the usage", async (t) => {
  const { code, stdout, stderr } = await world.awf(["--allow-domains", "a.test"]);
  t.deepEqual(
    [code, stdout, stderr],
    [
      1,
      "",
      "Error: No command specified. Use -- to separate command from options.\nExample: awf --allow-domains github.com -- curl https://api.github.com\n",
    ],
  );
});

test("options that open more than listed names give a warning", async (t) => {
  const args = ["--env-all", "--allow-domains", "localhost", "--log-level", "warn"];
  const { stderr } = await world.awf(["--dns-servers", "8.8.8.8", ...args, "--", "true"]);
  t.deepEqual(withoutPaths(stderr), [
    "[WARN] ⚠️  Using --env-all: All host environment variables will be passed to container",
    "[WARN]    This may expose sensitive credentials if logs or configs are shared",
    "[WARN] ⚠️  Security warning: localhost keyword enables host access - agent can reach services on your machine",
    "Process exiting with code: 0",
  ]);
});

test("both lists are printed before the command starts", async (t) => {
  const lists = ["--allow-domains", "a.test, *.b.test", "--block-domains", "x.a.test"];
  const { stderr } = await world.awf(["--dns-servers", "8.8.8.8", ...lists, "--", "true"]);
  t.deepEqual(withoutPaths(stderr), [
    "[INFO] Allowed domains: a.test, *.b.test",
    "[INFO] Blocked domains: x.a.test",
    "[INFO] Executing agent command...",
    "[SUCCESS] Command completed successfully",
    "Process exiting with code: 0",
  ]);
});

test("an unknown top-level domain gives a warning only", async (t) => {
  const args = ["--dns-servers", "8.8.8.8", "--allow-domains", "github.con"];
  const { stderr, code } = await world.awf([...args, "--log-level", "warn", "--", "true"]);
  t.deepEqual(
    [code, withoutPaths(stderr)],
    [
      0,
      [
        "[WARN] github.con: .con is no public suffix; is it spelt right?",
        "Process exiting with code: 0",
      ],
    ],
  );
});

test("a mistyped command of awf exits with 127 and a suggestion", async (t) => {
  const { stderr, code } = await world.awf(["logz", "stats"]);
  t.is(code, 127);
  t.true(
    withoutPaths(stderr).includes("[WARN] logz is no command of awf's; did you mean: awf logs"),
    stderr,
  );
  const meant = await world.awf(["--", "logz", "stats"]);
  t.false(meant.stderr.includes("did you mean"));
});

test("a run leaves nothing but its logs", async (t) => {
  await using own = await createTestInternet(zone);
  await own.awf([...allowing, "--", "echo x > /tmp/y; sleep 100 & curl -s http://denied.test/"]);
  const left = readdirSync(join(own.scratch, "tmp"));
  t.is(left.length, 1);
  t.regex(left[0] ?? "", /^squid-logs-\d+$/);
});

function withoutPaths(stderr: string): string[] {
  return stderr
    .trimEnd()
    .replace(/(preserved at:) .*/g, "$1 PATH")
    .split("\n");
}
