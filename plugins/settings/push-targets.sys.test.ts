import test from "ava";
import { child } from "../../tests/support/child.js";
import { PushTargets } from "./push-targets.js";

test("proxies are known while they run, each with what it was given last", async (t) => {
  const attached = new PushTargets();
  const proxy = child(t, "sleep", ["600"]);
  const other = { pid: proxy.pid, server: "zls", version: 1, at: 10 };
  const own = { pid: process.pid, server: "gopls", version: 1, at: 11 };
  attached.note("a", other);
  attached.note("a", own);
  t.deepEqual(attached.of("a"), [other, own]);
  t.deepEqual(attached.of("b"), []);
  attached.note("a", { ...other, version: 2, at: 12 });
  t.deepEqual(attached.of("a"), [own, { ...other, version: 2, at: 12 }]);
  await proxy.end();
  t.deepEqual(attached.of("a"), [own]);
});

test("no more are remembered than anybody looks at", (t) => {
  const attached = new PushTargets();
  for (let count = 0; count < 1000; count += 1) {
    attached.note("a", { pid: 2 ** 30 + count, server: "x", version: 1, at: count });
  }
  attached.note("a", { pid: process.pid, server: "x", version: 1, at: 1 });
  t.is(attached.of("a").length, 1);
});
