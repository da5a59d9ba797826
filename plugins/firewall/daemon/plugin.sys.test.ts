import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import test from "ava";
import { turns } from "../../../tests/support/eventually.js";
import { runIn, startFirewall } from "../testing/fixture.js";
import type { DecisionSummary, SandboxSummary } from "./api.js";

// Starting sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

test("a command runs in a sandbox with separate outputs and its exit code", async (t) => {
  const plugin = await startFirewall(
    t,
    'sandbox "a" {\n  env = { GREETING = secret("env:S") }\n}',
    {
      S: "hello",
    },
  );
  const { stdout, stderr, ended } = await runIn(plugin, "a", {
    argv: ["echo $GREETING; echo $OWN; echo trouble >&2; exit 3"],
    env: { OWN: "more" },
  });
  t.is(stdout, "hello\nmore\n");
  t.is(stderr, "trouble\n");
  t.like(ended, { outcome: "exited", exitCode: 3 });
  const [run] = await plugin.runs();
  t.like(run, { kind: "sandbox", subject: "sandbox.a", state: "failed", exitCode: 3 });
});

interface End {
  readonly title: string;
  readonly argv: readonly string[];
  readonly config?: string;
  readonly ended: object;
}

const ends: readonly End[] = [
  {
    title: "the first of several words is a program",
    argv: ["echo", "$HOME"],
    ended: { outcome: "exited", exitCode: 0 },
  },
  {
    title: "a program that does not exist",
    argv: ["no-such-program", "x"],
    ended: { outcome: "exited", exitCode: 127 },
  },
  { title: "a signal", argv: ["kill -KILL $$"], ended: { outcome: "killed", signal: "SIGKILL" } },
  {
    title: "the sandbox's time limit",
    argv: ["sleep 60"],
    config: "timeout = 1s",
    ended: { outcome: "timed_out" },
  },
];
for (const { title, argv, config = "", ended } of ends) {
  test(`how a command ends: ${title}`, async (t) => {
    const plugin = await startFirewall(t, `sandbox "a" {\n  ${config}\n}`);
    t.like((await runIn(plugin, "a", { argv })).ended, ended);
  });
}

test("a denied request is counted, emitted with its rule and process, logged, and shown", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {\n  allow = ["allowed.test"]\n}');
  const { stdout, ended } = await runIn(plugin, "a", {
    argv: ["curl -s -o /dev/null -w '%{http_code}' http://denied.test/"],
  });
  t.is(stdout, "403");
  t.like(ended, { allowed: 0, denied: 1 });
  const event = plugin.events.find(({ type }) => type === "sandbox.denied");
  t.like(event?.data, {
    sandbox: "a",
    domain: "denied.test",
    rule: "deny-default",
    program: "curl",
  });
  t.is(typeof event?.data.pid, "number");
  t.regex(await plugin.metrics(), /reeve_firewall_requests_total\{[^}]*outcome="denied"[^}]*\} 1/);
  const panels = await plugin.panels();
  const denied = panels.find(({ id }) => id === "denied");
  t.like(denied?.kind === "table" && denied.rows[0], { host: "denied.test", rule: "deny-default" });
  const log = await plugin.control({ url: "/v1/firewall/sandboxes/a/log" });
  t.like(JSON.parse(log.body), { host: "denied.test", rule: "deny-default", comm: "curl" });
  const stats = await plugin.control({ url: "/v1/firewall/sandboxes/a/stats" });
  t.like(stats.json(), { totalRequests: 1, deniedRequests: 1 });
});

test("a service of this machine is reachable if its port is listed", async (t) => {
  const server = createServer((_, response) => response.end("of this machine"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const plugin = await startFirewall(
    t,
    `sandbox "open" {\n  host_access = [${port}]\n}\nsandbox "shut" {}`,
  );
  const argv = [`curl -s http://host.docker.internal:${port}/`];
  t.is((await runIn(plugin, "open", { argv })).stdout, "of this machine");
  t.is((await runIn(plugin, "shut", { argv })).stdout.includes("of this machine"), false);
});

test("explain names the rule that decides", async (t) => {
  const plugin = await startFirewall(
    t,
    'sandbox "a" {\n  allow = ["*.example.org"]\n  block = ["ads.example.org"]\n}',
  );
  const explain = async (subject: string) => {
    const url = `/v1/firewall/sandboxes/a/explain?subject=${encodeURIComponent(subject)}`;
    const { decisions } = (await plugin.control({ url })).json() as {
      decisions: readonly DecisionSummary[];
    };
    return decisions.map(({ allowed, rule }) => `${allowed} ${rule}`);
  };
  t.deepEqual(await explain("a.example.org"), Array(2).fill("true allow-both-regex"));
  t.deepEqual(await explain("https://ads.example.org/x"), ["false deny-blocked-plain"]);
});

test("requests for missing sandboxes and runs get a problem response", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  for (const [request, status, code] of [
    [{ url: "/v1/firewall/sandboxes/b" }, 404, "firewall.unknown_sandbox"],
    [{ url: "/v1/firewall/sandboxes/a/explain?subject=ftp://x" }, 422, "firewall.invalid_subject"],
    [
      { url: "/v1/firewall/sandboxes/a/runs", payload: { argv: [] } },
      422,
      "firewall.invalid_order",
    ],
    [{ url: "/v1/firewall/runs/x/stdin", payload: {} }, 404, "firewall.unknown_run"],
  ] as const) {
    const answer = await plugin.control(request);
    t.is(answer.status, status);
    t.like(answer.json(), { code });
  }
});

test("commands can write to their directory and to allowed paths only", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {\n  allow_write = ["./cache"]\n}').catch(
    () => undefined,
  );
  t.is(plugin, undefined, "the path does not exist");
  const other = await startFirewall(t, 'sandbox "a" {}');
  const [work, cache] = ["work", "cache"].map((name) => join(other.folder, name)) as [
    string,
    string,
  ];
  for (const path of [work, cache]) mkdirSync(path);
  await other.reload('sandbox "a" {\n  allow_write = ["./cache"]\n}');
  const { stdout } = await runIn(other, "a", {
    argv: [
      `touch here && echo 1; touch ${cache}/there && echo 2; touch ${other.folder}/main.reeve 2>/dev/null || echo 3; touch ~/x 2>/dev/null || echo 4`,
    ],
    cwd: work,
  });
  t.is(stdout, "1\n2\n3\n4\n");
  const { stdout: atHome } = await runIn(other, "a", {
    argv: ["pwd; touch x 2>/dev/null || echo no"],
  });
  t.is(atHome, `${other.folder}\nno\n`);
});

test("a command sees nothing of the daemon's own state", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  const state = join(plugin.folder, "..", "state");
  t.true(existsSync(state));
  const { stdout } = await runIn(plugin, "a", { argv: [`ls -A ${state} | wc -l`] });
  t.is(stdout, "0\n");
});

const wrong: ReadonlyArray<readonly [config: string, complaint: RegExp]> = [
  ['allow = ["ok.example", "*.com"]', /covers a whole public suffix(.|\n)*\^{7}/],
  ['allow_urls = ["http://x.example/y"]', /URL patterns must start with https/],
  ['profiles = ["npm", "pipp"]', /Unknown profile "pipp"; did you mean "pip"\?(.|\n)*\^{6}/],
  ['dns = ["dns.example"]', /`dns\.example` is not an IP address/],
  ["host_access = [22]", /Port 22 is blocked/],
  ['user = "nobody-there"', /There is no user `nobody-there`/],
  ['mount "/data" { source = "./missing" }', /Host path does not exist/],
];
for (const [config, complaint] of wrong) {
  test(`refused: ${config}`, async (t) => {
    const thrown = await t.throwsAsync(startFirewall(t, `sandbox "a" {\n  ${config}\n}`));
    t.regex(thrown?.message ?? "", complaint);
  });
}

test("an edited policy applies to the next connection of a running command", async (t) => {
  const block = (allow: string) => `sandbox "a" {\n  allow = [${allow}]\n  host_access = true\n}`;
  const plugin = await startFirewall(t, block(""));
  const go = join(plugin.folder, "go");
  mkdirSync(go);
  const code = "curl -s -o /dev/null -w '%{http_code} ' http://late.test/";
  const wait = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
  const running = runIn(plugin, "a", {
    argv: [
      `${code}; touch first; ${wait("second")}; ${code}; touch third; ${wait("fourth")}; ${code}`,
    ],
    cwd: go,
  });
  const seen = (name: string) => plugin.until(() => existsSync(join(go, name)), name);
  await seen("first");
  t.true((await plugin.reload(block('"late.test"'))).committed);
  writeFileSync(join(go, "second"), "");
  await seen("third");
  t.true((await plugin.reload(block(""))).committed);
  writeFileSync(join(go, "fourth"), "");
  // 503: the name is allowed and does not resolve.
  t.is((await running).stdout, "403 503 403 ");
});

test("a removed sandbox lets its running commands finish", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}\nsandbox "b" {}');
  const go = join(plugin.folder, "go");
  mkdirSync(go);
  const running = runIn(plugin, "a", {
    argv: ["touch begun; until [ -e go ]; do sleep 0.02; done; echo done"],
    cwd: go,
  });
  await plugin.until(() => existsSync(join(go, "begun")), "its beginning");
  await plugin.reload('sandbox "b" {}');
  const { sandboxes } = (await plugin.control({ url: "/v1/firewall/sandboxes" })).json() as {
    sandboxes: readonly SandboxSummary[];
  };
  t.deepEqual(
    sandboxes.map(({ name }) => name),
    ["b"],
  );
  writeFileSync(join(go, "go"), "");
  t.is((await running).stdout, "done\n");
});

test("all commands end with the plugin, and nothing is left", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  const word = `reeve-left-${process.pid}`;
  const running = runIn(plugin, "a", { argv: [`sleep 100; : ${word}`] });
  await plugin.until(() => processesWith(word) > 0, "the command");
  await plugin.stop(AbortSignal.timeout(50));
  await running.catch(() => undefined);
  t.is(processesWith(word), 0);
  t.false(existsSync(plugin.folder));
});

test("a command whose sandbox is being made when the plugin stops runs to its end", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  const running = runIn(plugin, "a", { argv: ["echo done"] });
  // The run is recorded before its sandbox is made.
  await plugin.until(async () => (await plugin.runs()).length > 0, "the record of the run");
  await plugin.stop(new AbortController().signal);
  t.like(await running, { stdout: "done\n", ended: { outcome: "exited", exitCode: 0 } });
});

for (const count of [0, 2, 10, 50, 250]) {
  test(`a command that starts when the plugin is ended is cancelled, and nothing is left: ${count} turns later`, async (t) => {
    const plugin = await startFirewall(t, 'sandbox "a" {}');
    const word = `reeve-begun-${count}-${process.pid}`;
    const running = runIn(plugin, "a", { argv: [`sleep 100; : ${word}`] });
    await plugin.until(async () => (await plugin.runs()).length > 0, "the record of the run");
    await turns(count);
    await plugin.stop(AbortSignal.abort());
    t.is((await running).ended.outcome, "cancelled");
    t.is(processesWith(word), 0);
    t.false(existsSync(plugin.folder));
  });
}

function processesWith(word: string): number {
  return readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && commandLine(name).includes(word),
  ).length;
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
