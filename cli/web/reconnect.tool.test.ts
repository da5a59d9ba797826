/** The page of a real `reeve web` before a real daemon that goes and comes back. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ava from "ava";
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
