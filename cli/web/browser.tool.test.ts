/** The page in a real browser, as its user meets it. */
import ava from "ava";
import type { Page } from "playwright-core";
import { needs, program } from "../../tests/support/needs.js";
import { status } from "../testing/samples.js";
import { screens } from "../tui/testing/screens.js";
import { THEMES } from "../tui/view/themes.js";
import { barriers, browserOf, CHROMIUM, live } from "./testing/browser.js";
import { served } from "./testing/served.js";

const test = needs(ava, program(CHROMIUM, "Chromium"));
const browser = browserOf(test);

const NARROW = { width: 320, height: 640 };

/** Pixels of the page that a window of this width does not show. */
const hidden = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - innerWidth");

for (const { id, title } of screens) {
  test.serial(`${title}: no complaint, no barrier, no horizontal scrolling`, async (t) => {
    const { server } = await served(t);
    const { page, complaints } = await browser.open(t);
    await page.goto(server.address());
    await live(page);
    await page.getByRole("link", { name: title, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    t.is(new URL(page.url()).pathname, `/${id}`);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      t.deepEqual(await barriers(page), [], colorScheme);
    }
    await page.setViewportSize(NARROW);
    t.deepEqual(await barriers(page), [], "narrow");
    t.is(await hidden(page), 0);
    t.deepEqual(complaints, []);
  });
}

test.serial("what happens at the daemon appears without a reload", async (t) => {
  let queued = 0;
  const { server } = await served(t, {
    "GET /v1/status": () => ({ ...status, runs: { ...status.runs, queued } }),
  });
  const { page } = await browser.open(t);
  await page.goto(server.address());
  await live(page);
  t.is(await page.getByText("7 queued").count(), 0);
  queued = 7;
  await page.getByText("7 queued").first().waitFor();
  t.pass();
});

test.serial("the keyboard alone reaches screens, the filter, rows and the way back", async (t) => {
  const { server } = await served(t);
  const { page } = await browser.open(t);
  await page.goto(server.address());
  await live(page);
  const focused = () => page.evaluate("document.activeElement?.dataset.key");
  const tabTo = async (key: string) => {
    for (let presses = 0; (await focused()) !== key; presses += 1) {
      if (presses > 60) throw new Error(`Tab does not reach ${key}`);
      await page.keyboard.press("Tab");
    }
  };
  await tabTo("screen-plugins");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Plugins" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("hook");
  await page.waitForURL(/filter=hook/);
  await tabTo("hooks");
  const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  t.is(outline, "solid");
  await page.keyboard.press("Enter");
  await page.getByText("Permissions").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("columnheader", { name: "STATE" }).waitFor();
  await page.goBack();
  await page.getByText("Permissions").waitFor();
  t.pass();
});

const colours = test.macro<[Parameters<Page["emulateMedia"]>[0], string]>({
  async exec(t, media, theme) {
    const { server } = await served(t);
    const { page } = await browser.open(t);
    await page.emulateMedia(media);
    await page.goto(server.address());
    await live(page);
    const seen = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    const { background = "" } = THEMES.find(({ name }) => name === theme)?.colours ?? {};
    const [red, green, blue] = Buffer.from(background, "hex");
    t.is(seen, `rgb(${red}, ${green}, ${blue})`);
  },
  title: (about = "") => `the colors are ${about}`,
});
test.serial("night where dark is preferred", colours, { colorScheme: "dark" }, "night");
test.serial("day where light is preferred", colours, { colorScheme: "light" }, "day");
test.serial("contrast where more is preferred", colours, { contrast: "more" }, "contrast");

test.serial("the page prints without bars and buttons, on white", async (t) => {
  const { server } = await served(t);
  const { page } = await browser.open(t, { colorScheme: "dark" });
  await page.goto(server.address());
  await live(page);
  await page.emulateMedia({ media: "print" });
  t.false(await page.getByRole("navigation").isVisible());
  t.is(await page.locator("input:visible, button:visible:not(th button)").count(), 0);
  const seen = await page.evaluate("getComputedStyle(document.body).backgroundColor");
  t.is(seen, "rgb(255, 255, 255)");
});

test.serial("a barrier would be found", async (t) => {
  const { server } = await served(t);
  const { page } = await browser.open(t);
  await page.goto(server.address());
  await live(page);
  await page.evaluate("document.querySelector('h1').append(document.createElement('button'))");
  t.regex((await barriers(page)).join("\n"), /^button-name /);
});
