// Programs that only tests start: tests/programs, installed once by its lock file without running scripts. Run as a program,
// this prints the directory with their packages.
import { createHash } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asProgram, fetchOnce, run } from "./fetched-tools.mjs";

const PROGRAMS = fileURLToPath(new URL("../tests/programs", import.meta.url));
const FILES = ["package.json", "package-lock.json"];

export function testPrograms() {
  const hash = createHash("sha256");
  for (const file of FILES) hash.update(readFileSync(join(PROGRAMS, file)));
  const place = fetchOnce(`test-programs-${hash.digest("hex").slice(0, 12)}`, (directory) => {
    for (const file of FILES) cpSync(join(PROGRAMS, file), join(directory, file));
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
    run("npm", ["ci", ...options], "The programs that tests need cannot be had", directory);
  });
  return join(place, "node_modules");
}

asProgram(import.meta.url, testPrograms);
