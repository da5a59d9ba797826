import test from "ava";
import fc from "fast-check";
import { RateLimit } from "./rate-limit.js";

test("a burst passes, then one request for each step", (t) => {
  const limit = new RateLimit();
  const rate = { rate: 10, per: 1000, burst: 3 };
  const take = (now: number) => limit.take(rate, "a", now);
  t.deepEqual([5, 5, 5].map(take), [0, 0, 0]);
  t.is(Math.round(take(5)), 100);
  t.is(Math.round(take(80)), 25);
  t.deepEqual([105, 205].map(take), [0, 0]);
  t.true(take(206) > 0);
  t.is(limit.take(rate, "b", 206), 0);
});

test("without `burst`, the whole rate may come at once", (t) => {
  const limit = new RateLimit();
  const waits = Array.from({ length: 5 }, () => limit.take({ rate: 4, per: 60_000 }, "a", 1));
  t.deepEqual(waits, [0, 0, 0, 0, 15_000]);
});

test("never more than burst + rate × time are accepted, and whoever waits as long as it says is", (t) => {
  const rates = fc.record({
    rate: fc.integer({ min: 1, max: 1000 }),
    per: fc.integer({ min: 1000, max: 86_400_000 }),
    burst: fc.integer({ min: 1, max: 1000 }),
  });
  const pauses = fc.array(fc.double({ min: 0, max: 100_000, noNaN: true }), { maxLength: 200 });
  fc.assert(
    fc.property(rates, pauses, (rate, times) => {
      const limit = new RateLimit();
      let now = 0;
      let accepted = 0;
      for (const pause of times) {
        now += pause;
        const wait = limit.take(rate, "a", now);
        if (wait === 0) accepted += 1;
        else {
          now += wait;
          if (limit.take(rate, "a", now) !== 0) return false;
          accepted += 1;
        }
        if (accepted > rate.burst + (rate.rate * now) / rate.per + 1e-6) return false;
      }
      return true;
    }),
  );
  t.pass();
});

test("ten thousand keys are kept, the most recently used ones", (t) => {
  const limit = new RateLimit();
  const rate = { rate: 1, per: 60_000, burst: 1 };
  for (let index = 0; index < 10_000; index += 1) limit.take(rate, `key ${index}`, 1);
  t.true(limit.take(rate, "key 0", 2) > 0);
  limit.take(rate, "another", 3);
  t.is(limit.size, 10_000);
  t.true(limit.take(rate, "key 0", 4) > 0);
  t.is(limit.take(rate, "key 1", 5), 0);
});

test("a request too many is refused with the seconds until one is accepted", (t) => {
  const limit = new RateLimit();
  t.is(limit.exceeded(undefined, "a"), undefined);
  const values = { rate: 1, per: 3_600_000 };
  t.is(limit.exceeded({ values }, "a"), undefined);
  const refusal = limit.exceeded({ values }, "a");
  t.is(refusal?.reason, "rate_limited");
  const seconds = Number(refusal?.headers?.["retry-after"]);
  t.true(seconds > 3597 && seconds <= 3600);
  t.is(limit.exceeded({ values }, "b"), undefined);
});
