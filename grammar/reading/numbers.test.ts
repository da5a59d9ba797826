import test from "ava";
import fc from "fast-check";
import { readNumber } from "./numbers.js";

const good: ReadonlyArray<readonly [text: string, value: ReturnType<typeof readNumber>]> = [
  ["0", { kind: "number", value: 0 }],
  ["1_000", { kind: "number", value: 1000 }],
  ["3.5", { kind: "number", value: 3.5 }],
  ["0.5", { kind: "number", value: 0.5 }],
  ["1e3", { kind: "number", value: 1000 }],
  ["2.5e-3", { kind: "number", value: 0.0025 }],
  ["0xff", { kind: "number", value: 255 }],
  ["0o755", { kind: "number", value: 493 }],
  ["0b1010", { kind: "number", value: 10 }],
  ["9007199254740991", { kind: "number", value: Number.MAX_SAFE_INTEGER }],
  ["250ms", { kind: "duration", milliseconds: 250 }],
  ["1h30m", { kind: "duration", milliseconds: 5_400_000 }],
  ["1.5h", { kind: "duration", milliseconds: 5_400_000 }],
  ["7d", { kind: "duration", milliseconds: 604_800_000 }],
  ["0s", { kind: "duration", milliseconds: 0 }],
  ["64KiB", { kind: "size", bytes: 65_536 }],
  ["1kB", { kind: "size", bytes: 1000 }],
  ["1.5MiB", { kind: "size", bytes: 1_572_864 }],
  ["8191TiB", { kind: "size", bytes: 9_006_099_743_113_216 }],
  ["12.5%", { kind: "percent", ratio: 0.125 }],
];
for (const [text, value] of good) {
  test(`${text} is a ${value.kind}`, (t) => {
    t.deepEqual(readNumber(text), value);
  });
}

const bad: ReadonlyArray<readonly [text: string, code: string, replacement: string | undefined]> = [
  ["0755", "E026", "0o755"],
  ["09", "E026", "9"],
  ["05m", "E026", "5m"],
  ["2026x", "E026", undefined],
  ["1_", "E026", undefined],
  ["0xzz", "E026", undefined],
  ["9007199254740992", "E026", undefined],
  ["1e999", "E026", undefined],
  ["5min", "E027", "5m"],
  ["1h5secs", "E027", "1h5s"],
  ["30m1h", "E027", "1h30m"],
  ["1s2h3m", "E027", "2h3m1s"],
  ["1h1h", "E027", undefined],
  ["2w", "E027", "14d"],
  ["3months", "E027", undefined],
  ["10us", "E027", undefined],
  ["1.5ms", "E027", undefined],
  ["512M", "E028", undefined],
  ["10KB", "E028", "10kB"],
  ["64kib", "E028", "64KiB"],
  ["1.1B", "E028", undefined],
  ["8192TiB", "E028", undefined],
];
for (const [text, code, replacement] of bad) {
  test(`${text} is refused with ${code}, ${replacement ?? "nothing"} is suggested`, (t) => {
    const value = readNumber(text);
    if (value.kind !== "fault") return t.fail("it was read");
    t.like(value, { code });
    t.is(value.replacement, replacement);
    t.true(value.start >= 0 && value.start < value.end && value.end <= text.length);
  });
}

test("every suggestion is itself well formed", (t) => {
  const units = ["ms", "s", "m", "h", "d", "w", "min", "sec", "KB", "kb", "mib", "hours", "weeks"];
  const part = fc.tuple(fc.nat(500), fc.constantFrom(...units)).map(([n, unit]) => `${n}${unit}`);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      const value = readNumber(parts.join(""));
      if (value.kind !== "fault" || value.replacement === undefined) return true;
      const suggested = readNumber(value.replacement);
      return suggested.kind !== "fault" || suggested.replacement !== value.replacement;
    }),
  );
  t.pass();
});

test("a duration in parts is the sum of its parts", (t) => {
  fc.assert(
    fc.property(fc.nat(99), fc.nat(23), fc.nat(59), fc.nat(59), (d, h, m, s) => {
      const sum = (((d * 24 + h) * 60 + m) * 60 + s) * 1000;
      t.deepEqual(readNumber(`${d}d${h}h${m}m${s}s`), { kind: "duration", milliseconds: sum });
    }),
  );
});

test("any text gives a value or a fault within it", (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9][0-9A-Za-z_.]{0,30}%?$/), (text) => {
      const value = readNumber(text);
      return value.kind !== "fault" || (value.start < value.end && value.end <= text.length);
    }),
  );
  t.pass();
});

test("a very long number is refused without reckoning with it", (t) => {
  t.is(readNumber(`${"9".repeat(1_000_000)}KiB`).kind, "fault");
});
