import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({
    "allowed.test": ["93.184.216.34"],
    "b.allowed.test": ["93.184.216.34"],
    "other.test": ["93.184.216.35"],
  });
  writeFileSync(join(world.scratch, "world-ca.pem"), world.authority);
});
test.after.always(() => world[Symbol.asyncDispose]());

const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
const allowing = [...quiet, "--allow-domains", "allowed.test"];
const trusting = () => ({
  environment: { NODE_EXTRA_CA_CERTS: join(world.scratch, "world-ca.pem") },
});

test("curl, python and node trust decrypted TLS, which is forwarded", async (t) => {
  const commands = [
    "curl -sS https://allowed.test/curl",
    "curl -sS --noproxy '*' https://allowed.test/transparent",
    `/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen("https://allowed.test/python").read().decode())'`,
    `node -e 'fetch("https://allowed.test/node").then(r => r.text()).then(console.log)'`,
  ];
  const { stdout, stderr } = await world.awf(
    [...allowing, "--ssl-bump", "--", commands.join("; ")],
    trusting(),
  );
  const urls = [...stdout.matchAll(/"url":"([^"]+)".*"secure":true/g)].map(([, url]) => url);
  t.deepEqual(urls, ["/curl", "/transparent", "/python", "/node"], stderr);
});

test("git trusts decrypted TLS", async (t) => {
  // The server is no git repository: git reports that only after it has verified the certificate.
  const command = ["--", "git ls-remote https://allowed.test/project 2>&1; true"];
  const seen = await world.awf([...allowing, "--ssl-bump", ...command], trusting());
  t.regex(seen.stdout, /is this a git repository/);
  const unseen = await world.awf([...allowing, ...command]);
  t.regex(unseen.stdout, /certificate/);
});

test("with URL patterns only matching URLs pass, and blocks win", async (t) => {
  const args = [
    ...allowing,
    "--ssl-bump",
    "--allow-urls",
    "https://allowed.test/ok/*,https://b.allowed.test/x/**",
    "--block-domains",
    "b.allowed.test",
  ];
  const urls = [
    "https://allowed.test/ok/1",
    "https://allowed.test/ok/1/2",
    "https://allowed.test/no",
    "http://allowed.test/ok/1",
    "https://b.allowed.test/x/1",
  ];
  const { stdout } = await world.awf(
    [...args, "--", urls.map((url) => `curl -s -o /dev/null -w '%{http_code} ' ${url}`).join("; ")],
    trusting(),
  );
  t.is(stdout, "200 403 403 403 000 ");
});

test("the certificate authority is valid for a day, and its key is not visible inside", async (t) => {
  const { stdout } = await world.awf([
    ...quiet,
    "--ssl-bump",
    "--",
    "openssl x509 -in /run/awf/ca.crt -noout -subject -startdate -enddate; find /tmp /run /host/tmp -name ca.key 2>/dev/null",
  ]);
  t.regex(stdout, /CN ?= ?AWF Session CA/);
  const [start = 0, end = 0] = [...stdout.matchAll(/not(?:Before|After)=(.*)/g)].map(
    ([, date = ""]) => Date.parse(date),
  );
  t.is(Math.round((end - start) / 3_600_000), 24);
  t.false(stdout.includes("ca.key"));
});

test("without --ssl-bump the command sees the origin's own certificate", async (t) => {
  const { stdout } = await world.awf([
    ...allowing,
    "--",
    "curl -svk https://allowed.test/ 2>&1 | grep issuer",
  ]);
  t.regex(stdout, /World CA/);
});

test("an untrusted origin is not forwarded", async (t) => {
  const { stdout } = await world.awf([
    ...allowing,
    "--ssl-bump",
    "--",
    "curl -s -o /dev/null -w '%{http_code}' https://allowed.test/",
  ]);
  t.is(stdout, "502");
});

test("learning allows all public names and ends with the smallest list as a flag and a block", async (t) => {
  const { stderr } = await world.awf([
    ...quiet,
    "--learn",
    "--",
    "curl -sk https://allowed.test/ https://b.allowed.test/ http://other.test/",
  ]);
  t.is(
    stderr,
    `To allow what the command reached: --allow-domains "https://allowed.test,http://other.test"

sandbox "learned" {
  allow = [
    "https://allowed.test",
    "http://other.test",
  ]
}
Process exiting with code: 0
`,
  );
});

test("as JSON the end of a run is one object", async (t) => {
  const { stderr } = await world.awf([
    ...allowing,
    "--json",
    "--",
    "curl -s http://allowed.test/ http://other.test/",
  ]);
  const { event, exitCode, allowed, denied } = JSON.parse(stderr);
  t.deepEqual([event, exitCode, allowed], ["finished", 0, ["allowed.test"]]);
  t.deepEqual(denied, [
    {
      host: "other.test",
      port: 80,
      rule: "deny-default",
      reason: "domain not in allowlist",
      count: 1,
    },
  ]);
});

test("explaining runs nothing and names the rule", async (t) => {
  const args = ["--allow-domains", "https://allowed.test", "--block-domains", "b.allowed.test"];
  const explained = async (subject: string) =>
    (await world.awf([...args, "--explain", subject])).stdout;
  t.is(
    await explained("x.allowed.test"),
    "x.allowed.test over https: allowed (entry 'https://allowed.test', rule allow-https-only-plain)\nx.allowed.test over http: denied, domain not in allowlist (rule deny-default)\n",
  );
  t.is(
    await explained("https://b.allowed.test/x"),
    "https://b.allowed.test/x: denied, blocked by 'b.allowed.test' (entry 'b.allowed.test', rule deny-blocked-plain)\n",
  );
  const { decisions } = JSON.parse(
    (await world.awf([...args, "--explain", "other.test", "--json"])).stdout,
  );
  t.deepEqual(
    decisions.map(({ rule }: { rule: string }) => rule),
    ["deny-default", "deny-default"],
  );
});

test("--tty gives the command a terminal and returns its exit code", async (t) => {
  const { stdout, code } = await world.awf([
    ...quiet,
    "--tty",
    "--",
    "test -t 0 && test -t 1 && echo terminal; exit 5",
  ]);
  t.deepEqual([stdout.trim(), code], ["terminal", 5]);
});

test("--timeout ends a command, even if it ignores SIGTERM", async (t) => {
  const result = await world.awf([
    ...quiet,
    "--timeout",
    "2s",
    "--",
    "trap 'echo asked; exit 0' TERM; while :; do sleep 0.05; done",
  ]);
  t.deepEqual([result.code, result.stdout], [124, "asked\n"]);
  const deaf = await world.awf([
    ...quiet,
    "--timeout",
    "2s",
    "--",
    "trap '' TERM; while :; do sleep 0.05; done",
  ]);
  t.is(deaf.code, 124);
});
