import test from "ava";
import fc from "fast-check";
import { anyText } from "../../../tests/support/text.js";
import { engines } from "../testing/engines.js";
import { contextOf, kitFor } from "../testing/services.js";
import { endOf } from "./range.js";

for (const engine of engines) {
  engine.test(`${engine.name}: a map gives back what it was given`, async (t) => {
    const location = await engine.locationFor(t);
    const kit = await engine.kitFor(t, {}, location);
    const map = (await contextOf(kit)).context.store.map("m");
    t.is(await map.get("a"), undefined);
    for (const value of [1, "x", null, false, [1, { a: "ü" }], { __proto__: null, a: 1 }]) {
      await map.set("a", value);
      t.deepEqual(await map.get("a"), JSON.parse(JSON.stringify(value)));
    }
    await kit.close();
    const again = (await contextOf(await engine.kitFor(t, {}, location))).context.store.map("m");
    t.deepEqual(await again.get("a"), { a: 1 });
    t.true(await again.delete("a"));
    t.false(await again.delete("a"));
  });

  engine.test(`${engine.name}: maps of different names and plugins do not meet`, async (t) => {
    const kit = await engine.kitFor(t);
    const a = (await contextOf(kit, "a")).context.store;
    const b = (await contextOf(kit, "b")).context.store;
    await Promise.all([
      a.map("m").set("k", 1),
      a.map("n").set("k", 2),
      b.map("m").set("k", 3),
      kit.records("m").set("k", 4),
    ]);
    t.is(await a.map("m").get("k"), 1);
    t.is(await a.map("n").get("k"), 2);
    t.deepEqual(await b.map("m").entries(), [["k", 3]]);
    t.is(await kit.records("m").get("k"), 4);
  });

  engine.test(
    `${engine.name}: entries come in the order of their keys, by prefix and number`,
    async (t) => {
      const map = (await contextOf(await engine.kitFor(t))).context.store.map<number>("m");
      const keys = ["b", "a/2", "a/1", "a", "a0", "ü", "a_b", "a%b"];
      await Promise.all(keys.map((key, index) => map.set(key, index)));
      const found = async (options?: Parameters<typeof map.entries>[0]) =>
        (await map.entries(options)).map(([key]) => key).join(" ");
      t.is(await found(), "a a%b a/1 a/2 a0 a_b b ü");
      t.is(await found({ prefix: "a/" }), "a/1 a/2");
      t.is(await found({ prefix: "a_" }), "a_b");
      t.is(await found({ limit: 2 }), "a a%b");
    },
  );

  engine.test(
    `${engine.name}: a value that is too large, or no data, is refused in a sentence`,
    async (t) => {
      const map = (await contextOf(await engine.kitFor(t))).context.store.map("m");
      await t.throwsAsync(map.set("a", "x".repeat(1024 * 1024)), {
        message:
          'The value of "a" in the map "m" is 1048578 bytes of JSON; at most 1048576 are kept.',
      });
      for (const value of [undefined, () => 1, 1n]) {
        await t.throwsAsync(map.set("a", value), { code: "value_invalid" });
      }
    },
  );
}

test("a value is there as soon as it was set, even before that is acknowledged", async (t) => {
  const map = (await contextOf(await kitFor(t))).context.store.map("m");
  const setting = map.set("a", 1);
  t.is(await map.get("a"), 1);
  await setting;
});

test("records are listed both ways", async (t) => {
  const records = (await kitFor(t)).records("generations");
  for (const key of ["1", "2", "3"]) await records.set(key, { number: key });
  await records.set("2", { number: "two" });
  await records.delete("1");
  t.deepEqual(await records.list({ newest: true, limit: 1 }), [
    { key: "3", value: { number: "3" } },
  ]);
  t.deepEqual(await records.list({ prefix: "2" }), [{ key: "2", value: { number: "two" } }]);
  t.is(await records.get("1"), undefined);
});

test("a prefix ends before everything that does not begin with it", (t) => {
  const before = (a: string, b: string): boolean =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
  const text = anyText({ maxLength: 4 });
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const end = endOf(prefix);
      const inside = !before(other, prefix) && (end === undefined || before(other, end));
      t.is(inside, other.startsWith(prefix));
      t.true(end === undefined || before(prefix + other, end));
    }),
  );
});
