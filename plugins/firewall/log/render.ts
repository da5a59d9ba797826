/** Renders entries and statistics. */
import type { LogEntry } from "./parse.js";
import type { LogStatistics } from "./statistics.js";
import { unicodeEscape } from "./writer.js";

/** Would control the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controls = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** `[time] METHOD domain → status (ALLOWED) [agent] <PID:pid comm>` */
export function prettyLine(
  entry: LogEntry,
  options: { readonly colour: boolean; readonly pid: boolean },
): string {
  const time = new Date(entry.timestamp * 1000).toISOString().replace("T", " ").replace("Z", "");
  const agent = entry.userAgent === "-" ? "" : ` [${entry.userAgent}]`;
  const pid =
    options.pid && entry.pid !== undefined && entry.pid !== -1
      ? ` <PID:${entry.pid} ${entry.comm ?? "unknown"}>`
      : "";
  const line = `[${time}] ${entry.method} ${entry.domain}${shownPort(entry)} → ${entry.statusCode} (${entry.isAllowed ? "ALLOWED" : "DENIED"})${agent}${pid}`;
  const safe = line.replace(controls, unicodeEscape);
  return options.colour ? `\u001b[${entry.isAllowed ? 32 : 31}m${safe}\u001b[0m` : safe;
}

/** Without a default port. */
function shownPort({ isHttps, url, destPort }: LogEntry): string {
  const port = isHttps ? /:(\d+)$/.exec(url)?.[1] : destPort;
  const usual = isHttps ? ["443", undefined] : ["80", "443", "-", undefined];
  return usual.includes(port) ? "" : `:${port}`;
}

/** One JSON object with the documented fields in order. */
export function jsonEntry(entry: LogEntry, options: { readonly pid: boolean }): string {
  const { timestamp, clientIp, clientPort, host, destIp, destPort, protocol, method } = entry;
  const { statusCode, decision, url, userAgent, domain, isAllowed, isHttps } = entry;
  const { pid, cmdline, comm, inode } = entry;
  return JSON.stringify({
    ...{ timestamp, clientIp, clientPort, host, destIp, destPort, protocol, method },
    ...{ statusCode, decision, url, userAgent, domain, isAllowed, isHttps },
    ...(options.pid && pid !== undefined ? { pid, cmdline, comm, inode } : {}),
  });
}

/** The length of the rule below the title. */
const ruleWidth = 40;

export function prettyStatistics(statistics: LogStatistics): string {
  const { totalRequests, allowedRequests, deniedRequests, byDomain, timeRange } = statistics;
  const share = (count: number) =>
    `${count} (${(totalRequests === 0 ? 0 : (count * 100) / totalRequests).toFixed(1)}%)`;
  const lines = [
    "Firewall Statistics",
    "─".repeat(ruleWidth),
    "",
    `Total Requests:  ${totalRequests}`,
    `Allowed:         ${share(allowedRequests)}`,
    `Denied:          ${share(deniedRequests)}`,
    `Unique Domains:  ${byDomain.size}`,
  ];
  if (timeRange) {
    const [start, end] = [timeRange.start, timeRange.end].map((time) =>
      new Date(time * 1000).toISOString(),
    );
    lines.push("", `Time Range: ${start} - ${end}`);
  }
  const named = [...byDomain].filter(([domain]) => domain !== "-");
  if (named.length > 0) {
    const width = named.reduce((longest, [domain]) => Math.max(longest, domain.length), 0) + 2;
    lines.push("", "Domains:");
    for (const [domain, { allowed, denied }] of named) {
      lines.push(`  ${domain.padEnd(width)}${allowed} allowed, ${denied} denied`);
    }
  }
  return `${lines.join("\n")}\n\n`;
}

export function jsonStatistics(statistics: LogStatistics): string {
  const { totalRequests, allowedRequests, deniedRequests, byDomain, timeRange } = statistics;
  const domains = [...byDomain].map(([domain, { allowed, denied }]) => [
    domain,
    { allowed, denied, total: allowed + denied },
  ]);
  return `${JSON.stringify(
    {
      totalRequests,
      allowedRequests,
      deniedRequests,
      uniqueDomains: byDomain.size,
      timeRange,
      byDomain: Object.fromEntries(domains),
    },
    undefined,
    2,
  )}\n`;
}

/** For the step summary of a CI run. */
export function markdownStatistics(statistics: LogStatistics): string {
  const { totalRequests, allowedRequests, deniedRequests, byDomain } = statistics;
  const named = [...byDomain].filter(([domain]) => domain !== "-");
  const lines = ["<details>", "<summary>Firewall Activity</summary>", ""];
  const valid = named.length === byDomain.size ? "" : ` (${named.length} valid)`;
  lines.push(
    `▼ ${counted(totalRequests, "request")} | ${allowedRequests} allowed | ${deniedRequests} blocked | ${counted(byDomain.size, "unique domain")}${valid}`,
    "",
  );
  if (totalRequests === 0) lines.push("No firewall activity detected.");
  else if (named.length === 0) lines.push("No valid domain activity detected.");
  else {
    lines.push("| Domain | Allowed | Denied |", "|--------|---------|--------|");
    for (const [domain, { allowed, denied }] of named) {
      lines.push(`| ${escaped(domain)} | ${allowed} | ${denied} |`);
    }
  }
  return `${[...lines, "", "</details>"].join("\n")}\n`;
}

/** Without HTML, links or other marks. */
function escaped(domain: string): string {
  return domain.replace(/[^\w.:*-]/gu, (character) => `&#${character.codePointAt(0)};`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
