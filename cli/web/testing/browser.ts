/** Debian's Chromium, driven from a test: one process for a file of tests, one profile in memory for each page. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionContext, TestFn } from "ava";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

export const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  // The sandbox of Chromium needs a user that is not root.
  "--no-sandbox",
  "--disable-gpu",
  // Names that an attacker owns, bound to this host.
  "--host-resolver-rules=MAP *.test 127.0.0.1",
  // Chromium's own protection of loopback, which not every browser has: ours is tested.
  "--disable-features=LocalNetworkAccessChecks",
];

interface Opened {
  readonly page: Page;
  /** Errors, warnings and violations of the policy, as the console has them. */
  readonly complaints: readonly string[];
}

export interface LaunchedBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Everything that it writes is in a directory of its own, which goes with it. */
export async function launchBrowser(): Promise<LaunchedBrowser> {
  const home = await mkdtemp(join(tmpdir(), "reeve-chromium-"));
  const { PATH = "" } = process.env;
  const browser = await chromium.launch({
    ...{ executablePath: CHROMIUM, args: FLAGS, timeout: 120_000 },
    env: { PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, TMPDIR: home },
  });
  return {
    browser,
    async close() {
      await browser.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface TestBrowser {
  /** A page with a profile of its own. It ends with the test. */
  open(t: ExecutionContext, options?: BrowserContextOptions): Promise<Opened>;
}

/** The browser of a file of tests: started before the first, ended after the last. */
export function browserOf(test: TestFn): TestBrowser {
  let launched: LaunchedBrowser | undefined;
  test.before(async (t) => {
    t.timeout(120_000);
    launched = await launchBrowser();
  });
  test.after.always(() => launched?.close());
  return {
    async open(t, options) {
      if (launched === undefined) throw new Error("the browser has not started");
      t.timeout(120_000);
      const context = await launched.browser.newContext(options);
      t.teardown(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      page.on("pageerror", (thrown) => complaints.push(String(thrown)));
      return { page, complaints };
    },
  };
}

/** A server of a page elsewhere, under `name`. It answers every path with `html`. */
export async function elsewhere(t: ExecutionContext, name: string, html: string): Promise<string> {
  const server: Server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(html);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${name}:${(server.address() as AddressInfo).port}/`;
}

/** Until the page shows what the server sends. */
export const live = (page: Page): Promise<void> =>
  page.getByRole("status").filter({ hasText: "live" }).waitFor();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RUN_AXE = `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(" "))))`;

/** What the accessibility rules of axe find. The debugger evaluates it, for the policy of the page lets no other script in. */
export async function barriers(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    ...{ expression: RUN_AXE, awaitPromise: true, returnByValue: true },
  });
  await session.detach();
  return result.value ?? [result.description ?? "axe did not run"];
}
