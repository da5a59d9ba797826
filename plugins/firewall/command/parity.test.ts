/** What was measured with the existing tool: each case is the same here, or docs/awf.md explains the difference. */
import { readFileSync } from "node:fs";
import test from "ava";
import { readCommandLine } from "./options.js";
import { readSettings } from "./settings.js";

/** The first line of awf's refusal; undefined if it accepts. */
function refusalOf(argv: readonly string[]): string | undefined {
  const read = readCommandLine([...argv, "--", "true"], "1.2.3");
  if ("exitCode" in read) return read.text.split("\n")[0];
  try {
    readSettings(read.options);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message.split("\n")[0];
  }
}

const wide = ["*.*", "*.*.*", "*.", ".*"];
const segments = ["*.*.com", "*.*.*.com"];
const domain = "Invalid domain or pattern: ";
const refused: ReadonlyArray<readonly [argv: readonly string[], message: string]> = [
  [["--bogus-option"], "error: unknown option '--bogus-option'"],
  [["--log-level", "loud"], "Invalid log level: loud"],
  ...["*", "http://*"].map((name): readonly [string[], string] => [
    ["--allow-domains", name],
    `${domain}Pattern '*' matches all domains and is not allowed`,
  ]),
  ...wide.map((name): readonly [string[], string] => [
    ["--allow-domains", name],
    `${domain}Pattern '${name}' is too broad and is not allowed`,
  ]),
  ...segments.map((name): readonly [string[], string] => [
    ["--allow-domains", name],
    `${domain}Pattern '${name}' has too many wildcard segments and is not allowed`,
  ]),
  [["--allow-domains", "a..b"], `${domain}Invalid domain 'a..b': contains double dots`],
  [["--allow-domains", "."], `${domain}Invalid domain: cannot be just a dot`],
  [["--allow-domains", "https://"], `${domain}Domain cannot be empty`],
  [["-v", "./rel:/x"], "Invalid volume mount: ./rel:/x"],
  [["-v", "/tmp:rel"], "Invalid volume mount: /tmp:rel"],
  [["-v", "/no/such/path:/x"], "Invalid volume mount: /no/such/path:/x"],
  [["--dns-servers", "1.2.3"], "Invalid DNS servers: Invalid DNS server IP address: 1.2.3"],
  [
    ["--ssl-bump", "--allow-urls", "a.test/x/*"],
    "URL patterns must start with https:// (got: a.test/x/*)",
  ],
  [
    ["--ssl-bump", "--allow-urls", "https://*.a.test"],
    'URL pattern "https://*.a.test" is too broad and would bypass security controls',
  ],
];
for (const [argv, message] of refused)
  test(`refused in the same words: ${argv.join(" ")}`, (t) => t.is(refusalOf(argv), message));

type Protocol = "http" | "https";
/** The list, and which names it allows. */
const names: ReadonlyArray<
  readonly [
    allow: string,
    name: string,
    allowed: boolean,
    options?: { readonly protocol?: Protocol; readonly port?: number; readonly block?: string },
  ]
> = [
  ["exact.test", "exact.test", true],
  ["exact.test", "a.exact.test", true],
  ["exact.test", "a.b.exact.test", true],
  ["exact.test", "EXACT.test", true],
  ["exact.test", "exact.test.", true],
  ["exact.test", "notexact.test", false],
  ["exact.test", "exact.test.evil.test", false],
  ["*.wild.test", "a.wild.test", true],
  ["*.wild.test", "a.b.wild.test", true],
  ["*.wild.test", "wild.test", false],
  ["*.wild.test", "xwild.test", false],
  ["api-*.pat.test", "api-1.pat.test", true],
  ["api-*.pat.test", "api-1.x.pat.test", true],
  ["api-*.pat.test", "xapi-1.pat.test", false],
  ["http://h.test", "h.test", true, { protocol: "http", port: 80 }],
  ["http://h.test", "a.h.test", true, { protocol: "http", port: 80 }],
  ["http://h.test", "h.test", false],
  ["https://s.test", "s.test", true],
  ["https://s.test", "a.s.test", true],
  ["https://s.test", "s.test", false, { protocol: "http", port: 80 }],
  ["exact.test", "dead.exact.test", false, { block: "dead.exact.test" }],
  ["exact.test", "a.dead.exact.test", false, { block: "dead.exact.test" }],
  ["exact.test", "live.exact.test", true, { block: "dead.exact.test" }],
  ...[22, 8080, 8443].map((port) => ["exact.test", "exact.test", false, { port }] as const),
  ["exact.test", "93.184.216.34", false],
];
for (const [allow, name, allowed, { protocol = "https", port = 443, block = "" } = {}] of names) {
  const but = block === "" ? "" : ` without ${block}`;
  test(`${allow}${but} ${allowed ? "allows" : "denies"} ${protocol}://${name}:${port}`, (t) => {
    const argv = ["--allow-domains", allow, "--block-domains", block, "--", "true"];
    const read = readCommandLine(argv, "1.2.3");
    if ("exitCode" in read) return t.fail(read.text);
    const { policy } = readSettings(read.options).spec;
    return t.is(policy.decide({ host: name, port, protocol }).allowed, allowed);
  });
}

/** Differences that were measured; other tests show what happens here. */
const explained = [
  "`api-*.example.com` matches `api-.example.com`",
  "the command's output is mixed with lines of the container",
  "a denied connection on another port hangs",
  "any name can be looked up at the configured DNS servers",
  "`--dns-servers` affects the command alone",
  "a TLS name or `Host` that differs from the CONNECT name passes",
  "CONNECT to port 80 is a tunnel for any protocol",
  "plain HTTP of a program without proxy support gets 400",
  "an allowed name may resolve to an internal address",
  "services of the host answer at its gateway addresses",
  "the proxy answers other machines",
  "the host's `/tmp` and `/dev/shm` are shared",
  "two runs at once end each other",
  "`awf logs stats --format json` and `--source` have no effect",
  "a log of 512 MiB cannot be read",
  "SIGINT ends with 143",
];
test("differences that were measured are explained", (t) => {
  const page = readFileSync("docs/awf.md", "utf8");
  t.log(`${refused.length + names.length} cases are the same, ${explained.length} are explained`);
  for (const text of explained) t.true(page.includes(`\n| ${text} | `), text);
});
