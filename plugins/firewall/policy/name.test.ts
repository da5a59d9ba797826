import test from "ava";
import { canonicalHostName } from "./name.js";

const label = (length: number): string => "a".repeat(length);
/** 253 characters. */
const longest = [label(63), label(63), label(63), label(61)].join(".");

const names: ReadonlyArray<readonly [written: string, name: string | undefined]> = [
  ["Example.COM", "example.com"],
  ["example.com.", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["_dmarc.example", "_dmarc.example"],
  ["a", "a"],
  [`${label(63)}.example`, `${label(63)}.example`],
  [`${label(64)}.example`, undefined],
  [longest, longest],
  [`${longest}.`, longest],
  [`${longest}a`, undefined],
  [`${longest}aa`, undefined],
  ["", undefined],
  [".", undefined],
  ["example.com..", undefined],
  ["a..example", undefined],
  ["-a.example", undefined],
  ["a-.example", undefined],
  ["a/b.example", undefined],
  ["a b.example", undefined],
  ["a\u0000.example", undefined],
];
for (const [written, name] of names) {
  const shown = written.length > 80 ? `a name of ${written.length} characters` : written;
  test(`${JSON.stringify(shown)} is ${name === undefined ? "no name" : "a name"}`, (t) => {
    t.is(canonicalHostName(written), name);
  });
}
