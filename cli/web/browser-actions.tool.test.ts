/** Every action in a real browser: its question, its result, and the keyboard. */
import ava from "ava";
import type { Page } from "playwright-core";
import { needs, program } from "../../tests/support/needs.js";
import { status } from "../testing/samples.js";
import { type ActionCase, actionAnswers, actionCases, screens } from "./testing/actions.js";
import { barriers, browserOf, CHROMIUM, live } from "./testing/browser.js";
import { served } from "./testing/served.js";

const test = needs(ava, program(CHROMIUM, "Chromium"));
const browser = browserOf(test);

const keyOf = ({ screen, action }: ActionCase) =>
  screens.find(({ id }) => id === screen)?.keys?.find((key) => key.action === action);

async function goTo(page: Page, address: string, { screen, tab = 0 }: ActionCase): Promise<void> {
  const url = new URL(address);
  await page.goto(`${url.origin}/${screen}?tab=${tab}${url.hash}`);
  await live(page);
}

for (const own of actionCases) {
  const { screen, action, row, question, request, result, offer } = own;
  test.serial(`${screen}, ${action}: by mouse and by key, with its question`, async (t) => {
    const at = await served(t, actionAnswers(t), { screens });
    const { page, complaints } = await browser.open(t);
    await goTo(page, at.server.address(), own);
    const { does = "", hint = action, keys: [key] = [""] } = keyOf(own) ?? {};
    const done = () => at.daemon.requests.filter((each) => each.request === request).length;
    const dialog = page.getByRole("dialog");
    const seen = async () => {
      if (row === undefined) await page.getByRole("button", { name: hint, exact: true }).click();
      else {
        await page.locator(`[data-row="${row}"]`).getByRole("button").click();
        await dialog.getByRole("button", { name: does }).click();
      }
    };
    // The question is asked, and refused: nothing is done.
    if (question) {
      await seen();
      await dialog.getByText(question).waitFor();
      t.deepEqual(await barriers(page), []);
      await dialog.getByRole("button", { name: "No" }).click();
      await page.getByText("Nothing was done.").waitFor();
      t.is(done(), 0);
      // Again, by its key on the row.
      if (row !== undefined) await page.locator(`[data-row="${row}"]`).focus();
      await page.keyboard.press(key);
      await dialog.getByText(question).waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
    } else await seen();
    const said = offer || action === "plan" ? dialog : page.locator(".result");
    await said.filter({ hasText: result }).waitFor();
    if (request !== "POST /v1/plan") t.is(done(), request === undefined ? 0 : 1);
    if (offer) {
      await dialog.getByText(offer.question).waitFor();
      await dialog.getByRole("button", { name: "Yes" }).click();
      await page.locator(".result").filter({ hasText: offer.result }).waitFor();
    }
    t.deepEqual(complaints, []);
  });
}

test.serial("an opened run has its actions, at 320 pixels too", async (t) => {
  const at = await served(t, actionAnswers(t));
  const { page } = await browser.open(t, { viewport: { width: 320, height: 640 } });
  const url = new URL(at.server.address());
  await page.goto(`${url.origin}/hooks?tab=1&open=r-0001${url.hash}`);
  await live(page);
  t.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "replay" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Replay the request of run r-0001").waitFor();
  t.deepEqual(await barriers(page), []);
  t.is(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
  // Esc closes the question, not what is open.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  t.regex(page.url(), /open=r-0001/);
  await page.getByRole("button", { name: "cancel" }).click();
  await page.getByText("This run has finished.").waitFor();
});

test.serial("a row is copied to the clipboard", async (t) => {
  const at = await served(t, actionAnswers(t));
  const { page } = await browser.open(t);
  const { origin } = new URL(at.server.address());
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await page.goto(at.server.address().replace("/#", "/plugins#"));
  await live(page);
  await page.locator('[data-row="hooks"]').focus();
  await page.keyboard.press("y");
  await page.getByText("Copied 1 line to the clipboard.").waitFor();
  t.regex(String(await page.evaluate("navigator.clipboard.readText()")), /hooks.*1\.2\.0/);
});

test.serial("Pause holds everything still until it is pressed again", async (t) => {
  let reason = "before";
  const own = actionAnswers(t);
  const at = await served(t, {
    ...own,
    "GET /v1/status": () => ({
      ...status,
      plugins: status.plugins.map((each) => ({
        ...each,
        health: { state: "degraded" as const, reason },
      })),
    }),
  });
  const { page } = await browser.open(t);
  await page.goto(at.server.address().replace("/#", "/plugins#"));
  await page.getByText("before").first().waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  reason = "after";
  await page.waitForTimeout(1000);
  t.is(await page.getByText("after").count(), 0);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("after").first().waitFor();
});
