import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import fc from "fast-check";
import { anyText } from "../../../tests/support/text.js";
import type { AccessRecord } from "./entry.js";
import { readLines, readPieces } from "./lines.js";
import { domainOf, type LogEntry, parseLine } from "./parse.js";
import {
  jsonEntry,
  jsonStatistics,
  markdownStatistics,
  prettyLine,
  prettyStatistics,
} from "./render.js";
import { countLog } from "./statistics.js";
import { accessLine, jsonLine } from "./writer.js";

const tunnel =
  '1700000000.123 172.30.0.20:40000 api.github.com:443 140.82.112.6:443 1.1 CONNECT 200 TCP_TUNNEL:HIER_DIRECT api.github.com:443 "curl/8.0"';
const denied =
  '1700000001.000 172.30.0.20:40001 other.test -:- 1.1 GET 403 TCP_DENIED:HIER_NONE http://other.test/ "-"';
const malformed = '1700000002.000 172.30.0.20:40002 - -:- 1.1 GET 400 NONE_NONE:HIER_NONE / "-"';
const noise =
  '1600000000.000 127.0.0.1:40003 - -:- 0.0 - 0 NONE_NONE:HIER_NONE error:transaction-end-before-headers "-"';
const torn = "1700000003.000 172.30.0.20:40004 half a li";

const entry = (line: string): LogEntry => {
  const read = parseLine(line);
  if (!read) throw new Error(`unreadable: ${line}`);
  return read;
};
const counted = (...lines: string[]) => countLog([Buffer.from(`${lines.join("\n")}\n`)]);

const pretty: ReadonlyArray<readonly [line: string, shown: string]> = [
  [tunnel, "[2023-11-14 22:13:20.123] CONNECT api.github.com → 200 (ALLOWED) [curl/8.0]"],
  [denied, "[2023-11-14 22:13:21.000] GET other.test → 403 (DENIED)"],
  [
    tunnel.replaceAll(":443 ", ":8443 "),
    "[2023-11-14 22:13:20.123] CONNECT api.github.com:8443 → 200 (ALLOWED) [curl/8.0]",
  ],
  [malformed, "[2023-11-14 22:13:22.000] GET - → 400 (DENIED)"],
  [
    denied.replace("-:-", "192.0.2.1:8080"),
    "[2023-11-14 22:13:21.000] GET other.test:8080 → 403 (DENIED)",
  ],
  [
    tunnel.replace('"curl/8.0"', '"a \\"quoted\\" agent"'),
    '[2023-11-14 22:13:20.123] CONNECT api.github.com → 200 (ALLOWED) [a "quoted" agent]',
  ],
];
for (const [line, shown] of pretty) {
  test(`a record is shown as ${shown}`, (t) => {
    t.is(prettyLine(entry(line), { colour: false, pid: false }), shown);
  });
}

test("on a terminal an allowed line is green and a denied one red", (t) => {
  t.true(prettyLine(entry(tunnel), { colour: true, pid: false }).startsWith("\u001b[32m["));
  t.true(prettyLine(entry(denied), { colour: true, pid: false }).startsWith("\u001b[31m["));
});

test("a known process is shown on request", (t) => {
  const known = { ...entry(tunnel), pid: 42, comm: "curl", cmdline: "curl x", inode: "7" };
  t.true(prettyLine(known, { colour: false, pid: true }).endsWith("[curl/8.0] <PID:42 curl>"));
  t.false(prettyLine(known, { colour: false, pid: false }).includes("PID"));
  t.false(prettyLine({ ...known, pid: -1 }, { colour: false, pid: true }).includes("PID"));
  t.deepEqual(Object.keys(JSON.parse(jsonEntry(known, { pid: true }))).slice(-4), [
    "pid",
    "cmdline",
    "comm",
    "inode",
  ]);
});

test("a JSON record has the documented fields in their order", (t) => {
  t.is(
    jsonEntry(entry(tunnel), { pid: false }),
    '{"timestamp":1700000000.123,"clientIp":"172.30.0.20","clientPort":"40000","host":"api.github.com:443","destIp":"140.82.112.6","destPort":"443","protocol":"1.1","method":"CONNECT","statusCode":200,"decision":"TCP_TUNNEL:HIER_DIRECT","url":"api.github.com:443","userAgent":"curl/8.0","domain":"api.github.com","isAllowed":true,"isHttps":true}',
  );
});

const domains: ReadonlyArray<readonly [method: string, host: string, url: string, domain: string]> =
  [
    ["CONNECT", "a.test:443", "b.test:443", "b.test"],
    ["CONNECT", "-", "[2001:db8::1]:443", "2001:db8::1"],
    ["GET", "a.test:8080", "http://b.test/", "a.test"],
    ["GET", "-", "http://b.test:81/x", "b.test"],
    ["GET", "-", "/", "-"],
    ["-", "-", "error:invalid-request", "-"],
  ];
for (const [method, host, url, domain] of domains) {
  test(`${method} with host ${host} and URL ${url} is for ${domain}`, (t) => {
    t.is(domainOf(method, host, url), domain);
  });
}

test("statistics count by domain, skip noise and truncated lines, and have the time range", (t) => {
  const statistics = counted(tunnel, tunnel, denied, malformed, noise, torn);
  t.deepEqual(JSON.parse(jsonStatistics(statistics)), {
    totalRequests: 4,
    allowedRequests: 2,
    deniedRequests: 2,
    uniqueDomains: 3,
    timeRange: { start: 1700000000.123, end: 1700000002 },
    byDomain: {
      "api.github.com": { allowed: 2, denied: 0, total: 2 },
      "-": { allowed: 0, denied: 1, total: 1 },
      "other.test": { allowed: 0, denied: 1, total: 1 },
    },
  });
  t.is(
    prettyStatistics(statistics),
    `Firewall Statistics
${"─".repeat(40)}

Total Requests:  4
Allowed:         2 (50.0%)
Denied:          2 (50.0%)
Unique Domains:  3

Time Range: 2023-11-14T22:13:20.123Z - 2023-11-14T22:13:22.000Z

Domains:
  api.github.com  2 allowed, 0 denied
  other.test      0 allowed, 1 denied

`,
  );
  t.is(
    markdownStatistics(statistics),
    `<details>
<summary>Firewall Activity</summary>

▼ 4 requests | 2 allowed | 2 blocked | 3 unique domains (2 valid)

| Domain | Allowed | Denied |
|--------|---------|--------|
| api.github.com | 2 | 0 |
| other.test | 0 | 1 |

</details>
`,
  );
});

test("an empty log gives zeros and a summary without activity", (t) => {
  const statistics = countLog([]);
  t.true(prettyStatistics(statistics).includes("Denied:          0 (0.0%)"));
  t.true(
    markdownStatistics(statistics).includes(
      "▼ 0 requests | 0 allowed | 0 blocked | 0 unique domains",
    ),
  );
  t.true(markdownStatistics(statistics).includes("No firewall activity detected."));
  t.true(markdownStatistics(counted(malformed)).includes("No valid domain activity detected."));
  t.true(
    markdownStatistics(counted(tunnel)).includes(
      "▼ 1 request | 1 allowed | 0 blocked | 1 unique domain\n",
    ),
  );
});

const record: AccessRecord = {
  timestamp: 1700000000.123,
  clientIp: "127.0.0.1",
  clientPort: "40000",
  host: "a.test",
  destIp: "93.184.216.34",
  destPort: "80",
  protocol: "1.1",
  method: "GET",
  statusCode: 200,
  decision: "TCP_MISS:HIER_DIRECT",
  url: "http://a.test/x",
  userAgent: "agent",
  rule: "allow-both-plain",
  pattern: "a.test",
  bytesSent: 1,
  bytesReceived: 2,
  durationMs: 3,
  requester: { pid: 42, comm: "curl", cmdline: "curl a.test", inode: "7" },
};

test("access.log and access.jsonl parse to the same request", (t) => {
  const { rule, pattern, pid, comm, cmdline, inode, ...common } = entry(jsonLine(record));
  t.deepEqual(common, entry(accessLine(record)));
  t.deepEqual(
    [rule, pattern, pid, comm, cmdline, inode],
    ["allow-both-plain", "a.test", 42, "curl", "curl a.test", "7"],
  );
});

test("the record of any request is one line that can be parsed", (t) => {
  fc.assert(
    fc.property(anyText(), anyText(), anyText(), (host, url, userAgent) => {
      const line = accessLine({ ...record, host, url, userAgent });
      const json = jsonLine({ ...record, host, url, userAgent });
      return (
        !/[\n\r]/.test(line) &&
        parseLine(line) !== undefined &&
        !/[\n\r]/.test(json) &&
        parseLine(json)?.url === url
      );
    }),
  );
  t.pass();
});

test("lines stay whole wherever a piece of the file ends", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "awf-log-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "access.log");
  const lines = Array.from({ length: 4000 }, (_, index) => `${index} ${"ä".repeat(index % 400)}`);
  writeFileSync(file, `${lines.join("\r\n")}\n\nlast without newline`);
  t.deepEqual([...readLines(file)], [...lines, "last without newline"]);
  writeFileSync(file, `${"x".repeat(3 * 1024 * 1024)}\nshort\n`);
  t.is([...readLines(file)].at(-1), "short");
  mkdirSync(join(directory, "empty"));
  writeFileSync(join(directory, "empty", "access.log"), "");
  t.deepEqual([...readPieces(join(directory, "empty", "access.log"))], []);
});

test("controls and marks of an attacker's names do not reach terminals, logs or summaries", (t) => {
  const evil = "a\u009b31m\u202e<b>|[x](y)";
  const statistics = { byDomain: new Map([[evil, { allowed: 1, denied: 0 }]]), totalRequests: 1 };
  const markdown = markdownStatistics({
    ...statistics,
    allowedRequests: 1,
    deniedRequests: 0,
    timeRange: null,
  });
  const [, row = ""] = /\n(\| a.*)\n/.exec(markdown) ?? [];
  t.is(row, "| a&#155;31m&#8238;&#60;b&#62;&#124;&#91;x&#93;&#40;y&#41; | 1 | 0 |");
});
