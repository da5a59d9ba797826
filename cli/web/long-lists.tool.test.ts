/** Lists that are longer than what is sent at once, and the charts and print of long pages. */
import ava from "ava";
import type { RunSummary } from "../../daemon/http/control/api.js";
import { needs, program } from "../../tests/support/needs.js";
import type { Answers } from "../testing/daemon-double.js";
import { runSummary, snapshot } from "../testing/samples.js";
import type { PageData } from "./page/wire.js";
import { barriers, browserOf, CHROMIUM, live } from "./testing/browser.js";
import { served, viewOf } from "./testing/served.js";

const test = needs(ava, program(CHROMIUM, "Chromium"));
const browser = browserOf(test);

/** A daemon that keeps this many runs, newest first, and answers them in pages. */
function keeping(count: number): Answers {
  const runs: readonly RunSummary[] = Array.from({ length: count }, (_, index) => ({
    ...runSummary,
    id: `r-${String(count - index).padStart(5, "0")}`,
  }));
  return {
    "GET /v1/runs": ({ url: { searchParams } }) => {
      const before = searchParams.get("before");
      const from = before === null ? 0 : runs.findIndex(({ id }) => id === before) + 1;
      const page = runs.slice(from, from + Number(searchParams.get("limit") ?? 200));
      const next = page.at(-1)?.id;
      return { runs: page, ...(from + page.length < count && next && { next }) };
    },
    "GET /v1/events": async function* () {
      yield { ...snapshot, runs: runs.slice(0, 20) };
      await new Promise(() => undefined);
    },
  };
}

const pageOf = ava.macro<
  [count: number, page: string, expected: readonly [string, string, boolean]]
>({
  async exec(t, count, page, [first, last, more]) {
    const { enter, open } = await served(t, keeping(count));
    const headers = await enter();
    const stream = await open(`/-/stream?screen=hooks&tab=1&page=${page}`, { headers });
    const { table } = await viewOf<PageData>(
      stream,
      ({ table: { rows } }) => rows[0]?.id === first,
    );
    t.deepEqual([table.rows[0]?.id, table.rows.at(-1)?.id, table.more], [first, last, more]);
  },
  title: (_, count, page) => `page ${page} of ${count} runs`,
});
ava(pageOf, 3, "0", ["r-00003", "r-00001", false]);
ava(pageOf, 200, "0", ["r-00200", "r-00001", false]);
ava(pageOf, 1450, "0", ["r-01450", "r-01251", true]);
ava(pageOf, 1450, "1", ["r-01250", "r-01051", true]);
// Runs that the daemon is asked for only then.
ava(pageOf, 3450, "15", ["r-00450", "r-00251", true]);
ava(pageOf, 3450, "17", ["r-00050", "r-00001", false]);
// There is no such page: the last one.
ava(pageOf, 450, "99", ["r-00050", "r-00001", false]);
ava(pageOf, 450, "-1", ["r-00450", "r-00251", true]);

test.serial("from page to page, with the keyboard in a page", async (t) => {
  const { server } = await served(t, keeping(450));
  const { page, complaints } = await browser.open(t);
  await page.goto(server.address().replace("/#", "/hooks?tab=1#"));
  await page.getByText("1 to 200 of 450").waitFor();
  t.is(await page.locator("[data-row]").count(), 200);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("201 to 400 of 450").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("401 to 450 of 450").waitFor();
  t.true(await page.getByRole("button", { name: "Next" }).isDisabled());
  t.deepEqual(await barriers(page), []);
  await page.locator('[data-row="r-00050"]').focus();
  await page.keyboard.press("ArrowDown");
  t.is(await page.evaluate("document.activeElement.dataset.row"), "r-00049");
  await page.keyboard.press("ArrowUp");
  t.is(await page.evaluate("document.activeElement.dataset.row"), "r-00050");
  // A filter begins at its first page.
  await page.keyboard.press("/");
  await page.keyboard.type("r-0012");
  await page.locator('[data-row="r-00129"]').waitFor();
  t.notRegex(page.url(), /page=/);
  await page.goBack();
  t.deepEqual(complaints, []);
});

test.serial("a chart has a scale, times and a legend", async (t) => {
  const { server } = await served(t, {
    "GET /v1/panels": () => ({
      plugins: [
        {
          plugin: "weather",
          panels: [
            {
              ...{ kind: "series", id: "wind", title: "Wind", interval: 60_000 },
              series: [
                { name: "gusts", points: [10, 20, 40, 1800] },
                { name: "mean", points: [1, 1, 2, 2] },
              ],
            },
          ],
        },
      ],
    }),
  });
  const { page } = await browser.open(t);
  await page.goto(server.address());
  await live(page);
  const wind = page.locator("section").filter({ has: page.getByRole("heading", { name: "Wind" }) });
  t.deepEqual(await wind.locator(".scale span").allTextContents(), ["2k", "1k", "0"]);
  const times = await wind.locator(".times span").allTextContents();
  t.is(times.length, 3);
  for (const time of times) t.regex(time, /^\d\d:\d\d(:\d\d)?$/);
  t.regex((await wind.locator(".head").textContent()) ?? "", /▮ gusts {2}▮ mean/);
  t.is(await wind.locator("polyline").count(), 2);
});

test.serial("a long list is printed whole, over several pages", async (t) => {
  const { server } = await served(t, keeping(180));
  const { page } = await browser.open(t);
  await page.goto(server.address().replace("/#", "/hooks?tab=1#"));
  await page.locator('[data-row="r-00001"]').waitFor();
  const text = (await page.pdf({ format: "A4" })).toString("latin1");
  t.true((text.match(/\/Type \/Page\b/g) ?? []).length > 1);
  await page.emulateMedia({ media: "print" });
  t.is(await page.locator(".more:visible, .pages:visible").count(), 0);
  // The titles of columns stay, though they are buttons on the screen.
  t.true(await page.getByText("STATE", { exact: true }).isVisible());
});
