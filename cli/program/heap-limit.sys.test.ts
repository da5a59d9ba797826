import test from "ava";
import { output } from "../../tests/support/child.js";

const module = new URL("./heap-limit.js", import.meta.url).href;
const churn = `
  const { getHeapSpaceStatistics } = await import("node:v8");
  const kept = [];
  for (let turn = 0; turn < 400; turn += 1) {
    for (let made = 0; made < 20_000; made += 1) kept[made] = { turn, made };
    await new Promise((resolve) => setImmediate(resolve));
  }
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  process.stdout.write(String(young.space_size / 2 ** 20));`;

/** Mebibytes of the young part after much has come and gone in a process of its own. */
function youngAfter(prelude: string): number {
  const source = `${prelude};${churn}`;
  const size = Number(output(process.execPath, ["--input-type=module", "-e", source]));
  if (!(size > 0)) throw new Error(`no size: ${size}`);
  return size;
}

test("the young part of memory stops growing where it is large enough", (t) => {
  const small = youngAfter(`(await import(${JSON.stringify(module)})).limitHeap()`);
  t.true(small >= 4 && small <= 8, `${small} MiB`);
  t.true(youngAfter("") > small);
});
