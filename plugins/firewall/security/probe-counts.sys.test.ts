/** How many probes there are. Each row of the tables is one, with its own result. */
import { readFileSync } from "node:fs";
import test from "ava";
import { groups } from "../testing/security/attempts.js";
import { homePaths, probeCounts, secrets } from "../testing/security/probe-counts.js";

test("every user gets at least 400 probes, and docs/firewall-security.md says how many", (t) => {
  const page = readFileSync("docs/firewall-security.md", "utf8");
  for (const [runner, count] of Object.entries(probeCounts)) {
    t.log(`${runner}: ${count}`);
    if (runner !== "containers") t.true(count >= 400, runner);
    t.true(page.includes(`| ${runner} | ${count.toLocaleString("en")} |`), `${runner}: ${count}`);
  }
});

test("no probe is there twice", (t) => {
  for (const list of [homePaths, secrets]) t.is(new Set(list).size, list.length);
  const names = Object.entries(groups).flatMap(([group, probes]) =>
    probes.map(({ name }) => `${group}: ${name}`),
  );
  t.is(new Set(names).size, names.length);
  const lines = Object.values(groups).flatMap((probes) => probes.map(({ line }) => line));
  t.is(new Set(lines).size, lines.length);
});
