import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({
    "a.test": ["93.184.216.34"],
    "x.b.test": ["93.184.216.35"],
    "y.b.test": ["93.184.216.35"],
  });
});
test.after.always(() => world[Symbol.asyncDispose]());

const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
const allowing = [...quiet, "--allow-domains", "a.test,b.test,a.test:22"];
const status = "curl -sSk -m 20 -o /dev/null -w '%{http_code} '";

test("requests beyond the limit get 429 and say when to return", async (t) => {
  const logs = join(world.scratch, "rpm-logs");
  const lines = [
    `${status} http://a.test/1`,
    `${status} --noproxy '*' http://a.test/2`,
    `${status} http://a.test/3`,
    `${status} http://x.b.test/`,
    `${status} http://y.b.test/`,
    `${status} http://y.b.test/`,
    "curl -s -D - -m 20 http://a.test/4",
  ];
  const options = ["--rate-limit-rpm", "2", "--proxy-logs-dir", logs];
  const { stdout } = await world.awf([...allowing, ...options, "--", lines.join("; ")]);
  t.regex(stdout, /^200 200 429 200 200 429 HTTP\/1.1 429 Too Many Requests/);
  t.regex(stdout, /retry-after: \d+\r\n/);
  t.regex(stdout, /the limit of 2 requests a minute is reached; rule deny-requests-limit/);
  const records = readFileSync(join(logs, "access.jsonl"), "utf8");
  t.is(records.match(/"rule":"deny-requests-limit"/g)?.length, 3);
});

test("tunnels and connections on listed ports count as requests", async (t) => {
  const tunnel = "curl -sk -m 20 -o /dev/null -w '%{http_connect}/%{http_code} '";
  const ssh = "timeout 10 bash -c 'exec 3<>/dev/tcp/a.test/22 && head -c 3 <&3' 2>/dev/null; echo";
  const lines = [`${tunnel} https://a.test/`, ssh, ssh, `${tunnel} https://a.test/`];
  const transparent = `${status} --noproxy '*' https://x.b.test/`;
  const all = [...lines, transparent, transparent, `${transparent} 2>/dev/null`];
  const options = [...allowing, "--rate-limit-rpm", "2"];
  const { stdout } = await world.awf([...options, "--", `${all.join("; ")}; true`]);
  t.is(stdout, "200/200 SSH\n\n429/000 200 200 000 ");
});

const upload = (bytes: number, url: string) =>
  `head -c ${bytes} /dev/zero | ${status} -H 'Expect:' --data-binary @- ${url}`;

test("an upload beyond the bytes of a minute ends, and later requests get 429", async (t) => {
  const lines = [
    upload(1000, "http://a.test/"),
    upload(3_000_000, "http://a.test/"),
    `${status} http://a.test/`,
    upload(1000, "https://x.b.test/"),
    `${upload(3_000_000, "https://x.b.test/large")} 2>/dev/null`,
  ];
  const options = [...allowing, "--rate-limit-bytes-pm", "1000000"];
  const { stdout } = await world.awf([...options, "--", `${lines.join("; ")}; true`]);
  t.regex(stdout, /^200 (?:429|000) 429 200 000 $/);
});

test("decrypted requests count each by themselves", async (t) => {
  const line = `curl -sSk -m 20 -w '%{http_code} ' -o /dev/null https://a.test/1 -o /dev/null https://a.test/2 -o /dev/null https://a.test/3`;
  const ca = join(world.scratch, "world-ca.pem");
  writeFileSync(ca, world.authority);
  const options = [...allowing, "--ssl-bump", "--rate-limit-rph", "2"];
  const { stdout } = await world.awf([...options, "--", line], {
    environment: { NODE_EXTRA_CA_CERTS: ca },
  });
  t.is(stdout, "200 200 429 ");
});

test("services of this machine are limited as well, past the proxy variables too", async (t) => {
  const url = "http://host.docker.internal:7777/";
  const lines = [
    `${status} ${url}`,
    `${status} --noproxy '' ${url}`,
    `${status} ${url} 2>/dev/null`,
  ];
  const options = [...quiet, "--allow-domains", "localhost:7777", "--rate-limit-rpm", "2"];
  const { stdout } = await world.awf([...options, "--", `${lines.join("; ")}; true`]);
  t.is(stdout, "200 200 000 ");
});

test("a limit that is no number is refused", async (t) => {
  const { code, stderr } = await world.awf(["--rate-limit-rpm", "many", "--", "true"]);
  t.is(code, 1);
  t.regex(stderr, /Invalid value for --rate-limit-rpm: many. Must be a whole number from 1/);
});
