import { globSync, readFileSync } from "node:fs";
import test from "ava";
import { HOST_CODES } from "./codes.js";

test("every code that is used is in the catalogue, and every code in it is used", (t) => {
  const sources = globSync("daemon/host/**/*.ts").filter(
    (path) => !/\.test\.ts$|codes\.ts$/.test(path),
  );
  const used = new Set(
    sources.flatMap((path) => readFileSync(path, "utf8").match(/(?<=")[EW]\d{3}(?=")/g) ?? []),
  );
  t.deepEqual([...used].sort(), Object.keys(HOST_CODES).sort());
});
