import test from "ava";
import { turns as turn } from "../../../tests/support/eventually.js";
import type { Claims, LeaseToken } from "../jobs/queue-store.js";
import { ClaimBatcher, type ClaimRequest } from "./claim-batcher.js";

interface Sent {
  readonly ended: readonly string[];
  readonly claim: ClaimRequest | undefined;
  readonly resolve: (claims: Claims) => void;
  readonly reject: (reason: unknown) => void;
}

function recorded() {
  const sent: Sent[] = [];
  const batcher = new ClaimBatcher((ended, claim) => {
    const { promise, resolve, reject } = Promise.withResolvers<Claims>();
    sent.push({ ended: ended.map(({ id }) => id), claim, resolve, reject });
    return promise;
  });
  return { batcher, sent, last: () => sent.at(-1) };
}
const held = (id: string) => ({ id, token: `token ${id}` }) as LeaseToken;
const request = (): ClaimRequest => ({ room: () => 1, lease: 1000, isOver: () => false });
const none: Claims = { jobs: [], nextAt: undefined };
const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" });

test("what has ended goes together with one claim", async (t) => {
  const { batcher, sent, last } = recorded();
  const [one, other] = [request(), request()];
  const ends = [batcher.end(held("a")), batcher.end(held("b"))];
  const claims = [batcher.claim(one), batcher.claim(other)];
  t.is(sent.length, 0);
  await turn();
  t.is(sent.length, 1);
  t.deepEqual(last()?.ended, ["a", "b"]);
  t.is(last()?.claim, one);
  const found: Claims = { jobs: [], nextAt: 7 };
  last()?.resolve(found);
  await Promise.all(ends);
  t.is(await claims[0], found);
  await turn();
  t.deepEqual(last()?.ended, []);
  t.is(last()?.claim, other);
  last()?.resolve(none);
  t.is(await claims[1], none);
  await turn();
  t.is(sent.length, 2);
});

test("what comes meanwhile waits for the answer", async (t) => {
  const { batcher, sent, last } = recorded();
  const first = batcher.end(held("a"));
  await turn();
  const second = batcher.end(held("b"));
  await turn();
  t.is(sent.length, 1);
  t.is(last()?.claim, undefined);
  last()?.resolve(none);
  await first;
  await turn();
  t.deepEqual(last()?.ended, ["b"]);
  last()?.resolve(none);
  await second;
});

test("a claim that goes wrong does not keep what has ended: it is sent again alone", async (t) => {
  const { batcher, sent, last } = recorded();
  const end = batcher.end(held("a"));
  const claim = batcher.claim(request());
  await turn();
  last()?.reject(new Error("deadlock"));
  await t.throwsAsync(claim, { message: "deadlock" });
  t.is(sent.length, 2);
  t.deepEqual(last()?.ended, ["a"]);
  t.is(last()?.claim, undefined);
  last()?.resolve(none);
  await end;
});

test("where that fails too, the end is known not to be recorded", async (t) => {
  const { batcher, last } = recorded();
  const end = batcher.end(held("a"));
  const claim = batcher.claim(request());
  await turn();
  last()?.reject(new Error("deadlock"));
  await t.throwsAsync(claim);
  last()?.reject(new Error("still"));
  await t.throwsAsync(end, { message: "still" });
});

for (const [title, claims, thrown] of [
  ["a database that is away is not asked twice", true, away],
  ["an end alone is not sent twice", false, new Error("deadlock")],
] as const)
  test(title, async (t) => {
    const { batcher, sent, last } = recorded();
    const end = batcher.end(held("a"));
    const claim = claims ? batcher.claim(request()) : undefined;
    await turn();
    last()?.reject(thrown);
    await t.throwsAsync(end, { is: thrown });
    if (claim !== undefined) await t.throwsAsync(claim, { is: thrown });
    t.is(sent.length, 1);
    const next = batcher.end(held("b"));
    await turn();
    t.deepEqual(last()?.ended, ["b"]);
    last()?.resolve(none);
    await next;
  });
