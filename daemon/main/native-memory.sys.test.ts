import { fileURLToPath } from "node:url";
import test from "ava";
import { outputOf } from "../../tests/support/child.js";
import { nativeMemory } from "./native-memory.js";

test("what has been freed outside of the heap is returned to the machine", async (t) => {
  const freed = fileURLToPath(new URL("./testing/freed.js", import.meta.url));
  const { before, after, kept } = JSON.parse(await outputOf(process.execPath, [freed]));
  t.is(kept, 32);
  t.true(after < before - 50, `${after} of ${before} MiB`);
});

test("without a way to the C library nothing happens, and it is looked for once", async (t) => {
  let opened = 0;
  const memory = nativeMemory(() => {
    opened += 1;
    return Promise.reject(new Error("there is no such module"));
  });
  await memory.release();
  await memory.release();
  t.is(opened, 1);
});
