import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test from "ava";
import { runSync } from "../../tests/support/child.js";
import { program } from "../../tests/support/needs.js";

const path = fileURLToPath(new URL("../../../daemon/systemd/reeve.service", import.meta.url));
const lines = readFileSync(path, "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

test("the unit consists of sections and settings, none given twice", (t) => {
  t.deepEqual(
    lines.filter((line) => !/^(\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.*)$/.test(line)),
    [],
  );
  const names = lines.filter((line) => line.includes("=")).map((line) => line.split("=", 1)[0]);
  t.is(new Set(names).size, names.length);
});

test("it starts again, without end, unless only a person can help", (t) => {
  const value = (name: string) => lines.find((line) => line.startsWith(`${name}=`))?.split("=")[1];
  t.is(value("Restart"), "on-failure");
  t.is(value("StartLimitIntervalSec"), "0");
  t.deepEqual(value("RestartPreventExitStatus")?.split(" "), ["64", "78"]);
});

test("systemd, where it is installed, knows every setting of the unit", (t) => {
  if (!program("systemd-analyze").isPresent()) return t.pass();
  const { stderr } = runSync("systemd-analyze", ["verify", "--man=no", path], {
    env: { ...process.env, LC_ALL: "C" },
  });
  // Older systemds do not know this type; the unit says what to write there.
  const complaints = stderr
    .split("\n")
    .filter((line) => line.includes(path))
    .filter((line) => !line.includes("service type"));
  t.deepEqual(complaints, []);
});
