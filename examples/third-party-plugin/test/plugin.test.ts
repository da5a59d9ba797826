import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FakeClock, type PluginUnderTest, testPlugin } from "reeve/testing";
import plugin from "../src/plugin.js";
import { type Target, target } from "./target.js";

interface Badge {
  readonly state: string;
  readonly checks: number;
}

async function start(
  t: TestContext,
  config: (url: string) => string,
): Promise<{ plugin: PluginUnderTest; clock: FakeClock; site: Target }> {
  const site = await target();
  t.after(() => site.close());
  const clock = new FakeClock();
  const environment = { TOKEN: "correct horse" };
  const tested = await testPlugin(plugin, { config: config(site.url), clock, environment });
  t.after(() => tested.stop());
  return { plugin: tested, clock, site };
}

const badge = async (tested: PluginUnderTest, site: string): Promise<Badge> =>
  (await tested.inject({ url: `/uptime/${site}.json` })).json() as Badge;

const checked = (tested: PluginUnderTest, site: string, times: number): Promise<void> =>
  tested.until(
    async () => (await badge(tested, site)).checks >= times,
    `${times} checks of ${site}`,
  );

const PAGE = 'page { listen = "127.0.0.1:0" }';

test("a site is asked at once and then as often as is said", async (t) => {
  const config = (url: string) => `${PAGE}\nsite "shop" { url = "${url}/up"; every = 30s }`;
  const { plugin, clock, site } = await start(t, config);
  await checked(plugin, "shop", 1);
  await clock.advance(29_000);
  assert.equal(site.seen.length, 1);
  await clock.advance(1_000);
  await checked(plugin, "shop", 2);
  assert.equal((await badge(plugin, "shop")).state, "up");
});

test("a site that answers something else is down, and says so everywhere", async (t) => {
  const config = (url: string) => `${PAGE}\nsite "shop" { url = "${url}/down" }`;
  const { plugin } = await start(t, config);
  await checked(plugin, "shop", 1);
  const health = await plugin.health();
  assert.deepEqual(health, { state: "degraded", reason: "Down: shop (it answered 503)." });
  assert.match(await plugin.metrics(), /reeve_uptime_up\{site="shop"\} 0/);
  assert.match((await plugin.inject({ url: "/uptime/shop.svg" })).body, /down 0\.0%/);
  const [panel] = await plugin.panels();
  assert.equal(panel?.kind === "table" && panel.rows[0]?.reason, "it answered 503");
  const event = plugin.events.find(({ type }) => type === "uptime.went_down");
  assert.deepEqual(event?.data, { site: "shop", reason: "it answered 503" });
});

test("a token is sent", async (t) => {
  const config = (url: string) => `site "shop" { url = "${url}/up"; token = secret("env:TOKEN") }`;
  const { plugin, site } = await start(t, config);
  await plugin.until(() => site.seen.length > 0, "the site to be asked");
  assert.deepEqual(site.seen, [{ path: "/up", token: "Bearer correct horse" }]);
});

test("what is known of a site survives a restart, and other settings", async (t) => {
  const config = (url: string) => `${PAGE}\nsite "shop" { url = "${url}/up"; every = 1h }`;
  const { plugin, site } = await start(t, config);
  await checked(plugin, "shop", 1);
  await plugin.restart();
  await checked(plugin, "shop", 2);
  const edit = await plugin.reload(config(site.url).replace("1h", "2h"));
  assert.equal(edit.plan?.changes.find(({ key }) => key === "site.shop")?.action, "updated");
  await checked(plugin, "shop", 3);
});

test("another address is another site", async (t) => {
  const config = (url: string) => `${PAGE}\nsite "shop" { url = "${url}/up" }`;
  const { plugin, site } = await start(t, config);
  await checked(plugin, "shop", 1);
  await plugin.reload(config(site.url).replace("/up", "/down"));
  await checked(plugin, "shop", 1);
  assert.deepEqual((await badge(plugin, "shop")).state, "down");
  assert.equal((await badge(plugin, "shop")).checks, 1);
});

test("what cannot be is refused where it is written", async (t) => {
  const { plugin } = await start(t, () => PAGE);
  const file = await plugin.reload('site "shop" { url = "file:///etc/passwd" }');
  assert.match(file.text, /begins with http/);
  assert.match(file.text, /"file:\/\/\/etc\/passwd"\s.*\n.*\^/);
});

test("two names for one address are pointed out, and accepted", async (t) => {
  const sites = 'site "a" { url = "http://x.invalid" }\nsite "b" { url = "http://x.invalid" }';
  const { plugin } = await start(t, () => PAGE);
  const { committed, text } = await plugin.reload(sites);
  assert.equal(committed, true);
  assert.match(text, /warning\[uptime\.watched_twice\].*"a"[\s\S]*main\.reeve:2/);
});

test("the language has the plugin's function", async (t) => {
  const { plugin } = await start(t, () => `site "x" { url = uptime.https("shop.invalid", "/up") }`);
  await plugin.until(async () => (await plugin.health())?.state === "degraded", "an answer");
  const health = await plugin.health();
  assert.equal(health?.reason, "Down: x (it cannot be reached).");
});
