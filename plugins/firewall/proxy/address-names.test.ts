import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { AddressNames } from "./address-names.js";

function namesWith(t: ExecutionContext, hosts = ""): AddressNames {
  const directory = mkdtempSync(join(tmpdir(), "address-names-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "hosts"), hosts);
  return new AddressNames(join(directory, "hosts"));
}

test("the name that was resolved last comes first, then names of the hosts file", (t) => {
  const names = namesWith(t, "203.0.113.7 listed.test other.test\n203.0.113.8 third.test\n");
  for (const name of ["a.test", "b.test", "a.test"]) names.add("203.0.113.7", name);
  t.deepEqual(names.namesOf("203.0.113.7"), ["a.test", "b.test", "listed.test", "other.test"]);
  t.deepEqual(names.namesOf("203.0.113.8"), ["third.test"]);
  t.deepEqual(names.namesOf("203.0.113.9"), []);
});

test("an address has at most 16 names, and memory is bounded", (t) => {
  const names = namesWith(t);
  for (let index = 0; index < 20; index += 1) names.add("203.0.113.7", `n${index}.test`);
  const known = names.namesOf("203.0.113.7");
  t.deepEqual([known.length, known[0], known.at(-1)], [16, "n19.test", "n4.test"]);
  for (let index = 0; index < 5000; index += 1) names.add(`2001:db8::${index}`, "n.test");
  t.deepEqual(names.namesOf("203.0.113.7"), []);
  t.deepEqual(names.namesOf("2001:db8::4999"), ["n.test"]);
});
