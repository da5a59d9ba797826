/** The page of a real `reeve web` before a real daemon that goes and comes back. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ava from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { needs, program } from "../../tests/support/needs.js";
import { folder } from "../testing/reeve.js";
import { running } from "../testing/running.js";
import { browserOf, CHROMIUM, live } from "./testing/browser.js";
import { webProcess } from "./testing/process.js";
import { served } from "./testing/served.js";

const test = needs(ava, program(CHROMIUM, "Chromium"));
const browser = browserOf(test);

const hook = (name: string): string =>
  `hook_server "main" {\n  listen = "127.0.0.1:0"\n}\nhook "${name}" {\n  run = ["true"]\n}\n`;

test.serial("after a restart of the daemon the page goes on by itself", async (t) => {
  const at = folder(t, { "main.reeve": hook("first") });
  const before = await running(t, at);
  const { page, complaints } = await browser.open(t);
  await page.goto(await webProcess(t, before.socket));
  await live(page);
  await page.getByRole("link", { name: "Hooks", exact: true }).click();
  await page.getByRole("cell", { name: "first", exact: true }).waitFor();
  await before.end();
  await page.getByRole("status").filter({ hasText: "daemon lost" }).waitFor();
  // What was known stays.
  t.is(await page.getByRole("cell", { name: "first", exact: true }).count(), 1);
  writeFileSync(join(at, "main.reeve"), hook("second"));
  await running(t, at);
  await page.getByRole("cell", { name: "second", exact: true }).waitFor();
  await live(page);
  t.deepEqual(complaints, []);
});

const MARK = "window.link = document.querySelector('nav a')";
const IS_REPLACED = "!window.link.isConnected";

test.serial("a press counts although news arrive before its release", async (t) => {
  const daemon = await running(t, folder(t, { "main.reeve": hook("first") }));
  const { page } = await browser.open(t);
  const { page: other } = await browser.open(t);
  for (const each of [page, other]) {
    await each.goto((await webProcess(t, daemon.socket)).replace("/#", "/plugins#"));
    await live(each);
  }
  const news = async (): Promise<void> => {
    await page.evaluate(MARK);
    // The other page, which shows the same, has shown some twice.
    for (let times = 0; times < 2; times += 1) {
      await other.evaluate(MARK);
      await daemon.reeve("plugin", "restart", "hooks");
      await eventually("news on the other page", () => other.evaluate(IS_REPLACED));
    }
  };
  const isShown = () => eventually("the news", () => page.evaluate(IS_REPLACED));

  await page.getByRole("columnheader").first().getByRole("button").focus();
  await page.keyboard.down(" ");
  await news();
  t.false(await page.evaluate(IS_REPLACED));
  await page.keyboard.up(" ");
  await page.locator('th[aria-sort="ascending"], th[aria-sort="descending"]').waitFor();
  await isShown();

  await page.getByRole("link", { name: "Hooks", exact: true }).click({ button: "right" });
  await news();
  await isShown();

  await page.getByRole("link", { name: "Hooks", exact: true }).hover();
  await page.mouse.down();
  await news();
  t.false(await page.evaluate(IS_REPLACED));
  await page.mouse.up();
  await page.getByRole("cell", { name: "first", exact: true }).waitFor();
  await isShown();
});

test.serial("an action reaches a real daemon", async (t) => {
  const daemon = await running(t, folder(t, { "main.reeve": hook("first") }));
  const { page } = await browser.open(t);
  await page.goto((await webProcess(t, daemon.socket)).replace("/#", "/plugins#"));
  await live(page);
  await page.locator('[data-row="hooks"]').getByRole("button").click();
  await page.getByRole("button", { name: "start the chosen plugin afresh" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByText("hooks is running").waitFor();
  let starts = 0;
  await daemon.event(({ type, data }) => {
    if (type === "plugin.started" && data.plugin === "hooks") starts += 1;
    return starts === 2;
  });
  t.pass();
});

test.serial("without `reeve web` the page says that it is not live", async (t) => {
  const { server } = await served(t);
  const { page } = await browser.open(t);
  await page.goto(server.address());
  await live(page);
  await server.close();
  await page.getByRole("status").filter({ hasText: "connection lost, trying again" }).waitFor();
  t.true(await page.evaluate("document.body.classList.contains('lost')"));
});
