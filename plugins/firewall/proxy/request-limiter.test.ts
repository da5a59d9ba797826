import test from "ava";
import { parseDomainPattern } from "../policy/pattern.js";
import { Policy } from "../policy/policy.js";
import { isRefusal, type RequestLimit, RequestLimiter } from "./request-limiter.js";

const policy = Policy.parse({ allow: ["a.test", "*.b.test", "c.test"], block: [] });

/** A limiter with a clock that the test sets. */
function limiterOf(...limits: readonly RequestLimit[]) {
  const clock = { now: 0 };
  const limiter = new RequestLimiter(limits, () => clock.now);
  const admit = (host: string): string => {
    const admitted = limiter.admit(host, policy);
    return isRefusal(admitted) ? `${admitted.rule} ${admitted.retryAfterSeconds}` : "admitted";
  };
  return { clock, limiter, admit };
}

test("requests beyond the limit of a minute are refused until the minute is over", (t) => {
  const { clock, admit } = limiterOf({ requestsPerMinute: 2 });
  t.deepEqual(["a.test", "a.test", "a.test"].map(admit), [
    "admitted",
    "admitted",
    "deny-requests-limit 60",
  ]);
  clock.now = 59_001;
  t.is(admit("a.test"), "deny-requests-limit 1");
  clock.now = 60_000;
  t.is(admit("a.test"), "admitted");
});

test("names that one entry of the list allows share a limit, and entries do not", (t) => {
  const { admit } = limiterOf({ requestsPerMinute: 1 });
  t.is(admit("x.b.test"), "admitted");
  t.regex(admit("y.b.test"), /deny/);
  t.is(admit("a.test"), "admitted");
  t.regex(admit("sub.a.test"), /deny/);
});

test("a limit for a domain replaces the one for all, and its names share it", (t) => {
  const named = { pattern: parseDomainPattern("b.test", "block"), requestsPerMinute: 2 };
  const { admit } = limiterOf({ requestsPerMinute: 1 }, named);
  t.deepEqual(["x.b.test", "y.b.test", "x.b.test"].map(admit).slice(0, 2), [
    "admitted",
    "admitted",
  ]);
  t.regex(admit("z.b.test"), /deny/);
});

test("without a limit for all, other domains have none", (t) => {
  const { admit } = limiterOf({ pattern: parseDomainPattern("b.test"), requestsPerMinute: 1 });
  t.deepEqual(["a.test", "a.test", "a.test"].map(admit), ["admitted", "admitted", "admitted"]);
});

test("a refused request does not count, and the hour counts across minutes", (t) => {
  const { clock, admit } = limiterOf({ requestsPerMinute: 1, requestsPerHour: 2 });
  t.is(admit("a.test"), "admitted");
  t.is(admit("a.test"), "deny-requests-limit 60");
  clock.now = 60_000;
  t.is(admit("a.test"), "admitted");
  clock.now = 120_000;
  t.is(admit("a.test"), "deny-requests-limit 3480");
  clock.now = 3_600_000;
  t.is(admit("a.test"), "admitted");
});

test("bytes beyond the limit are refused, in the request and in later ones", (t) => {
  const { clock, limiter, admit } = limiterOf({ bytesPerMinute: 100 });
  const meter = limiter.admit("a.test", policy);
  if (!meter || isRefusal(meter)) return t.fail();
  t.is(meter.add(100), undefined);
  t.like(meter.add(1), { rule: "deny-bytes-limit", retryAfterSeconds: 60 });
  t.is(admit("a.test"), "deny-bytes-limit 60");
  clock.now = 60_000;
  t.is(meter.add(100), undefined);
});

test("names beyond those that are counted share one counter", (t) => {
  const learning = new Policy([], [], [], { learning: true });
  const limiter = new RequestLimiter([{ requestsPerMinute: 1 }], () => 0);
  const refused = Array.from({ length: 10_003 }, (_, index) =>
    isRefusal(limiter.admit(`n${index}.test`, learning)),
  );
  t.deepEqual(refused.slice(-4), [false, false, true, true]);
});
