/** What pages elsewhere and thieves of an address cannot do, in a real browser. */
import ava from "ava";
import type { Page } from "playwright-core";
import { needs, program } from "../../tests/support/needs.js";
import { browserOf, CHROMIUM, elsewhere, live } from "./testing/browser.js";
import { served } from "./testing/served.js";

const test = needs(ava, program(CHROMIUM, "Chromium"));
const browser = browserOf(test);

const says = (page: Page, text: RegExp): Promise<void> =>
  page.getByRole("status").filter({ hasText: text }).waitFor();

test.serial(
  "the second use of an address is refused and ends the session of the first",
  async (t) => {
    const { server } = await served(t);
    const address = server.address();
    const [first, second] = [await browser.open(t), await browser.open(t)];
    await first.page.goto(address);
    await live(first.page);
    t.is(new URL(first.page.url()).hash, "");
    await second.page.goto(address);
    await says(second.page, /This address was used before/);
    await says(first.page, /The session has ended/);
    t.is(await second.page.locator("table").count(), 0);
  },
);

test.serial("an address that was not used within a minute opens nothing", async (t) => {
  const { server, clock } = await served(t);
  const address = server.address();
  clock.now = 60_001;
  const { page } = await browser.open(t);
  await page.goto(address);
  await says(page, /This address is expired/);
  t.is(await page.locator("table").count(), 0);
});

test.serial("a name of an attacker that is bound to this host gets nothing", async (t) => {
  const { server, token, redeem } = await served(t);
  const rebound = `http://rebound.test:${new URL(server.origin).port}`;
  const { page } = await browser.open(t);
  for (const path of ["/", "/page.js", "/-/stream"]) {
    t.is((await page.goto(`${rebound}${path}`).catch(() => null))?.status() ?? 421, 421, path);
  }
  // The attacker's own page came from the same name and port, before the name was bound to this host.
  await page.route(`${rebound}/`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>rebound</title>" }),
  );
  await page.goto(`${rebound}/`);
  const own = token();
  const answers = await page.evaluate(
    `Promise.all([
      fetch("/-/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: ${JSON.stringify(JSON.stringify({ token: own }))} }),
      fetch("/-/stream"),
      fetch("/page.js"),
    ]).then((all) => Promise.all(all.map(async (each) => [each.status, await each.text()])))`,
  );
  t.deepEqual(answers, [
    [421, ""],
    [421, ""],
    [421, ""],
  ]);
  t.is((await redeem(own)).status, 200);
});

interface Foreign {
  readonly origin: string;
  readonly token: string;
}

const RESTART = `'{"view":"x","action":"restart","id":"hooks"}'`;

/** What a page elsewhere can try. Each resolves with what it learned: nothing. */
const attempts: Readonly<Record<string, (target: Foreign) => string>> = {
  "reads the stream with fetch": ({ origin }) =>
    `fetch("${origin}/-/stream", { credentials: "include" }).then((r) => r.text(), () => "")`,
  "reads the stream with fetch and a made-up secret": ({ origin }) =>
    `fetch("${origin}/-/stream", { credentials: "include", headers: { "X-Reeve-Session": "x" } }).then((r) => r.text(), () => "")`,
  "reads the page with fetch": ({ origin }) =>
    `fetch("${origin}/", { credentials: "include" }).then((r) => r.text(), () => "")`,
  "reads without CORS": ({ origin }) =>
    `fetch("${origin}/-/stream", { mode: "no-cors", credentials: "include" }).then((r) => r.text(), () => "")`,
  "uses a token with fetch": ({ origin, token }) =>
    `fetch("${origin}/-/session", { method: "POST", credentials: "include", headers: { "Content-Type": "application/json" }, body: '{"token":"${token}"}' }).then((r) => r.text(), () => "")`,
  "uses a token without CORS": ({ origin, token }) =>
    `fetch("${origin}/-/session", { method: "POST", mode: "no-cors", credentials: "include", body: '{"token":"${token}"}' }).then((r) => r.text(), () => "")`,
  "uses a token with sendBeacon": ({ origin, token }) =>
    `navigator.sendBeacon("${origin}/-/session", '{"token":"${token}"}'), new Promise((r) => setTimeout(r, 300, ""))`,
  "posts a form into a frame": ({ origin, token }) => `new Promise((resolve) => {
      document.body.innerHTML = '<iframe name="f"></iframe><form method="post" enctype="text/plain" target="f" action="${origin}/-/session"><input name="x"></form>';
      document.querySelector("input").name = '{"token":"${token}","x":"';
      document.querySelector("iframe").onload = () => setTimeout(resolve, 100, "");
      document.querySelector("form").submit();
      setTimeout(resolve, 2000, "");
    })`,
  "chooses an action with fetch": ({ origin }) =>
    `fetch("${origin}/-/action", { method: "POST", credentials: "include", headers: { "Content-Type": "application/json" }, body: ${RESTART} }).then((r) => r.text(), () => "")`,
  "confirms an action without CORS": ({ origin }) =>
    `fetch("${origin}/-/confirm", { method: "POST", mode: "no-cors", credentials: "include", body: ${RESTART} }).then((r) => r.text(), () => "")`,
  "posts a form for an action": ({ origin }) => `new Promise((resolve) => {
      document.body.innerHTML = '<iframe name="f"></iframe><form method="post" target="f" action="${origin}/-/action"><input name="action" value="restart"></form>';
      document.querySelector("iframe").onload = () => setTimeout(resolve, 100, "");
      document.querySelector("form").submit();
      setTimeout(resolve, 2000, "");
    })`,
  "shows it as an image": ({ origin }) => `new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve("loaded");
      image.onerror = () => resolve("");
      image.src = "${origin}/-/stream";
    })`,
  "runs its script": ({ origin }) => `new Promise((resolve) => {
      const script = document.createElement("script");
      script.onload = () => resolve("loaded");
      script.onerror = () => resolve("");
      script.src = "${origin}/page.js";
      document.head.append(script);
    })`,
  "follows it with EventSource": ({ origin }) => `new Promise((resolve) => {
      const source = new EventSource("${origin}/-/stream", { withCredentials: true });
      source.onmessage = ({ data }) => resolve(data);
      source.onerror = () => { source.close(); resolve(""); };
    })`,
  "shows it in a frame": ({ origin }) => `new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.onload = () => { try { resolve(frame.contentDocument?.body.innerText ?? ""); } catch { resolve(""); } };
      frame.src = "${origin}/";
      document.body.append(frame);
    })`,
};

/** Three relations to the page: another site, another name of the same site's parent, the same name on another port. */
const relations: Readonly<Record<string, (origin: URL) => string>> = {
  "another site": () => "evil.test",
  "another name below localhost": () => "evil.localhost",
  "the same name on another port": ({ hostname }) => hostname,
};

for (const [relation, nameOf] of Object.entries(relations)) {
  test.serial(`a page of ${relation} learns and does nothing`, async (t) => {
    const { server, daemon, token, redeem } = await served(t);
    const { origin } = server;
    const { page } = await browser.open(t);
    await page.goto(server.address());
    await live(page);
    const evil = await page.context().newPage();
    const complaints: string[] = [];
    evil.on("console", (message) => complaints.push(message.text()));
    const refused: Array<readonly [string, number]> = [];
    evil.on("response", (response) => {
      const { pathname, origin: own } = new URL(response.url());
      if (own === origin && pathname.startsWith("/-/")) refused.push([pathname, response.status()]);
    });
    const address = await elsewhere(t, nameOf(new URL(origin)), "<title>elsewhere</title>");
    for (const [attempt, script] of Object.entries(attempts)) {
      await evil.goto(address);
      const own = token();
      t.is(await evil.evaluate(script({ origin, token: own })), "", attempt);
      t.is((await redeem(own)).status, 200, `${attempt}: the token is still unused`);
    }
    t.true(refused.length > 0);
    t.deepEqual(
      refused.filter(([, code]) => code !== 403),
      [],
    );
    t.deepEqual(
      daemon.requests.filter(({ request }) => !request.startsWith("GET ")),
      [],
    );
    t.true(complaints.some((text) => text.includes("frame-ancestors 'none'")));
    await live(page);
  });
}
