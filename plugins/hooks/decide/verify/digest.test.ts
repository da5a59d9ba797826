import { createHmac } from "node:crypto";
import test from "ava";
import { secretOf } from "../../testing/evidence.js";
import { CANDIDATES, decoded, isOneOf, isSignedBy, listed, signaturesIn } from "./digest.js";

const mac = (key: string) => createHmac("sha256", key).update("ab").digest();
const wrong = Buffer.alloc(32);

test("one key and one candidate have to fit, in any place", (t) => {
  const signed = (keys: readonly string[], candidates: readonly Buffer[]) =>
    isSignedBy(keys, "sha256", ["a", Buffer.from("b")], candidates);
  t.true(signed(["k"], [mac("k")]));
  t.true(signed(["k", "old"], [mac("k"), wrong]));
  t.true(signed(["old", "k"], [wrong, mac("k")]));
  t.false(signed(["k"], [wrong]));
  t.false(signed(["k"], [mac("k").subarray(0, 31)]));
  t.false(signed(["k"], []));
  t.false(signed([], [mac("k")]));
  t.false(signed(["k"], [mac("old")]));
});

test("of many candidates the first sixteen count", (t) => {
  const before = (count: number) => [...Array<Buffer>(count).fill(wrong), mac("k")];
  t.true(isSignedBy(["k"], "sha256", ["ab"], before(CANDIDATES - 1)));
  t.false(isSignedBy(["k"], "sha256", ["ab"], before(CANDIDATES)));
  const written = (count: number) => `${"x,".repeat(count)}${wrong.toString("hex")}`;
  t.is(signaturesIn(written(CANDIDATES - 1), ",", "", "hex").length, 1);
  t.is(signaturesIn(written(CANDIDATES), ",", "", "hex").length, 0);
});

test("a secret may be one, several or none", (t) => {
  const [one, other] = [secretOf("one"), secretOf("other")];
  t.deepEqual(listed(undefined), []);
  t.deepEqual(listed(one), [one]);
  t.deepEqual(listed([one, other]), [one, other]);
  t.true(isOneOf(one, "one"));
  t.true(isOneOf([one, other], "one"));
  t.true(isOneOf([one, other], "other"));
  t.false(isOneOf([one, other], "third"));
  t.false(isOneOf(undefined, "one"));
});

for (const [encoding, written, bytes] of [
  ["hex", "ab".repeat(20), 20],
  ["hex", "AB".repeat(64), 64],
  ["hex", "ab".repeat(19), undefined],
  ["hex", "ab".repeat(65), undefined],
  ["hex", `${"ab".repeat(20)}a`, undefined],
  ["hex", `${"ab".repeat(20)}zz`, undefined],
  ["base64", Buffer.alloc(32).toString("base64"), 32],
  ["base64", Buffer.alloc(20).toString("base64url"), 20],
  ["base64", "A".repeat(25), undefined],
  ["base64", "A".repeat(89), undefined],
  ["base64", `${"A".repeat(30)}-`, undefined],
  ["base64", `${"A".repeat(30)}===`, undefined],
] as const)
  test(`${encoding} of ${written.length} characters, ${written.slice(-3)} at its end: ${bytes ?? "refused"}`, (t) => {
    t.is(decoded(written, encoding)?.length, bytes);
  });

test("only what follows the prefix is a signature", (t) => {
  const hex = wrong.toString("hex");
  t.deepEqual(signaturesIn(` v1=${hex} , v0=${hex},v1=zz`, ",", "v1=", "hex"), [wrong]);
});
