/**
 * What the page of `reeve web` costs in Chromium: its first contentful paint, the time from an event to the screen, memory and
 * processor under events. Prints one table: node dist/bench/web/main.js [--minutes 10] [--only starts|sparse|busy]
 */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { type LaunchedBrowser, launchBrowser } from "../../cli/web/testing/browser.js";
import { startWeb } from "../../cli/web/testing/process.js";
import { startEventDaemon } from "../support/event-daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";

const STARTS = 7;
/** Seconds of measurement without `--minutes`. */
const WATCHED = 20;
const DIST = fileURLToPath(new URL("../../cli/reeve.js", import.meta.url));
const BUNDLE = fileURLToPath(new URL("../../bundle/reeve.js", import.meta.url));
const PROGRAM = existsSync(BUNDLE) ? BUNDLE : DIST;
/** Of the kernel, for `/proc`. */
const TICKS = 100;

const rows: Row[] = [];
const row = (what: string, result: string, bar: string): number => rows.push({ what, result, bar });

async function starts({ browser }: LaunchedBrowser): Promise<void> {
  const daemon = await startEventDaemon(0);
  const bare = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>bare</p>");
  }).listen(0, "127.0.0.1");
  await once(bare, "listening");
  const peers: number[] = [];
  const paints: number[] = [];
  const lists: number[] = [];
  // The first one fills caches of the disk.
  for (let start = 0; start <= STARTS; start += 1) {
    const web = await startWeb(daemon.socket, [], PROGRAM);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(WATCH_FIRST_VIEW);
    await page.goto(web.address);
    while (!(await page.evaluate("window.firstView"))) await delay(20);
    const paint = await paintOf(page);
    const list: number = await page.evaluate("window.firstView");
    await page.goto(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`);
    const peer = await paintOf(page);
    if (start > 0) {
      peers.push(peer);
      paints.push(paint);
      lists.push(list);
    }
    await context.close();
    await web.end();
  }
  row("first contentful paint, median", `${median(paints).toFixed(0)} ms`, "≤ 300 ms");
  row("the same of a page of one word, taken alternately", `${median(peers).toFixed(0)} ms`, "");
  row("first view of the daemon, median", `${median(lists).toFixed(0)} ms`, "");
  bare.close();
  bare.closeAllConnections();
  await daemon.close();
}

async function paintOf(page: Page): Promise<number> {
  const entry = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
  for (;;) {
    const paint = await page.evaluate<number | undefined>(entry);
    if (paint !== undefined) return paint;
    await delay(20);
  }
}

/** The moment after the frame that has the first panel. */
const WATCH_FIRST_VIEW = `
  const look = () => {
    if (document.querySelector("section")) requestAnimationFrame(() => { window.firstView = performance.now(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

/**
 * How old events are when they are first seen. Raw events say their moment, \`at=\`; each frame of the browser looks for a newer one.
 * All those between the newest of two frames count: the browser shows the newest of many.
 */
const WATCH_AGES = `
  window.ages = [];
  let newest = 0;
  const look = () => {
    const text = document.querySelector("table.list")?.textContent ?? "";
    const seen = Math.max(0, ...[...text.slice(0, 4000).matchAll(/at=(\\d{13})/g)].map(([, digits]) => Number(digits)));
    if (seen > newest) {
      const now = Date.now();
      const parts = newest === 0 ? 0 : window.every > 20 ? 1 : 20;
      for (let part = 0; part < parts; part += 1) window.ages.push(now - seen + ((seen - newest) * part) / parts);
      newest = seen;
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

/** Seconds of processor time. */
function used(pid: number): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = rest.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function stateOf(session: CDPSession) {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { bytes: of("JSHeapUsedSize"), nodes: of("Nodes") };
}

async function watched(
  { browser }: LaunchedBrowser,
  perSecond: number,
  seconds: number,
): Promise<void> {
  const daemon = await startEventDaemon(perSecond);
  const web = await startWeb(daemon.socket, [], PROGRAM);
  const context = await browser.newContext();
  const page: Page = await context.newPage();
  await page.goto(web.address.replace("/#", "/logs?raw=1#"));
  await page.locator("table.list").waitFor();
  await delay(3000);
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  await page.evaluate(`window.every = ${1000 / perSecond}; ${WATCH_AGES}`);
  const before = used(web.pid);
  await delay((seconds * 1000) / 2);
  const half = await stateOf(session);
  await delay((seconds * 1000) / 2);
  const after = await stateOf(session);
  const share = ((used(web.pid) - before) / seconds) * 100;
  const ages: readonly number[] = await page.evaluate("window.ages");
  const what = `${perSecond} events/s`;
  row(`${what}: from an event to the screen, p50`, `${quantile(ages, 0.5).toFixed(0)} ms`, "");
  row(
    `${what}: from an event to the screen, p95`,
    `${quantile(ages, 0.95).toFixed(0)} ms`,
    "≤ 300 ms",
  );
  if (perSecond > 100) {
    const mebibytes = ({ bytes }: { bytes: number }) => (bytes / 2 ** 20).toFixed(1);
    const minutes = (seconds / 60).toFixed(seconds < 60 ? 2 : 0);
    row(
      `${what}: JavaScript heap of the page half-way and after ${minutes} min`,
      `${mebibytes(half)} and ${mebibytes(after)} MiB`,
      "flat",
    );
    row(`${what}: nodes of the page`, `${half.nodes} and ${after.nodes}`, "flat");
    row(`${what}: processor of \`reeve web\``, `${share.toFixed(1)} % of a core`, "");
  }
  await context.close();
  await web.end();
  await daemon.close();
}

const { values: options } = parseArgs({
  options: { minutes: { type: "string" }, only: { type: "string" } },
});
const seconds = options.minutes === undefined ? WATCHED : Number(options.minutes) * 60;
const parts: Readonly<Record<string, (launched: LaunchedBrowser) => Promise<void>>> = {
  starts,
  // As many as a person can tell apart.
  sparse: (launched) => watched(launched, 3, WATCHED),
  busy: (launched) => watched(launched, 1000, seconds),
};
const launched = await launchBrowser();
try {
  for (const [name, part] of Object.entries(parts)) {
    if (options.only === undefined || options.only === name) await part(launched);
  }
} finally {
  await launched.close();
}
print(rows, `Chromium without a graphics card; ${seconds} s of 1000 events a second.`);
