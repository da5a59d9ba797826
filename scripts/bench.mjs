// Runs the benchmarks, all or those named: `npm run bench -- language reload`. Each prints one table.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";

const all = globSync("dist/bench/*/main.js")
  .map((main) => basename(dirname(main)))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(", ")}; there are ${all.join(", ")}.\n`,
  );
  process.exit(64);
}
for (const name of wanted.length > 0 ? wanted : all) {
  process.stdout.write(`## ${name}\n\n`);
  const { status } = spawnSync("node", [`dist/bench/${name}/main.js`], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
