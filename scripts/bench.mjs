// Runs the benchmarks, all or those named: `npm run bench -- language reload`. Each prints one table. Options are for them:
// `npm run bench -- suite --runs 3`.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";

const all = globSync("dist/bench/*/main.js")
  .map((main) => basename(dirname(main)))
  .sort();
const words = process.argv.slice(2);
const firstOption = words.findIndex((word) => word.startsWith("--"));
const wanted = firstOption < 0 ? words : words.slice(0, firstOption);
const options = firstOption < 0 ? [] : words.slice(firstOption);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(", ")}; there are ${all.join(", ")}.\n`,
  );
  process.exit(64);
}
for (const name of wanted.length > 0 ? wanted : all) {
  process.stdout.write(`## ${name}\n\n`);
  const { status } = spawnSync("node", [`dist/bench/${name}/main.js`, ...options], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
