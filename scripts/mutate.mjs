// Mutation testing: `npm run mutate -- [--areas reload,runs] [--count 300] [--seed 1]`. Changes one place of the compiled code at a
// time, in a copy of the project, and runs the tests that import the module, nearest first. A mutant that no test kills is printed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutantsOf } from "./mutate/operators.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** What is mutated, and the tests that use it through a child process. */
const AREAS = {
  reload: { files: "daemon/reload/*.js", further: "daemon/host/*.test.js" },
  runs: {
    files: "{daemon/services/runs,plugins/hooks/runs}/*.js",
    further: "plugins/hooks/{edits,retries,crowds}.test.js",
  },
  verify: { files: "plugins/hooks/decide/verify/*.js", further: "plugins/hooks/checks.test.js" },
  policy: {
    files: "plugins/firewall/policy/*.js",
    further: "plugins/firewall/command/run.test.js",
  },
  versions: {
    files: "plugins/updates/versions/*.js",
    further: "plugins/updates/decide/*.test.js",
  },
  shared: { files: "daemon/services/shared/shared-*.js", further: "tests/late-daemon.test.js" },
};
/** Test files per mutant: nearest first, so that most mutants die early. */
const MOST_TESTS = 8;
/** Milliseconds; a mutant may loop for ever. */
const PATIENCE = 240_000;

const { values } = parseArgs({
  options: {
    areas: { type: "string", default: Object.keys(AREAS).join(",") },
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
  },
});
const names = values.areas.split(",");
const unknown = names.filter((name) => !(name in AREAS));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no area ${unknown.join(", ")}; there are ${Object.keys(AREAS).join(", ")}.\n`,
  );
  process.exit(64);
}

process.chdir(root);
const equivalents = JSON.parse(readFileSync("tests/mutants/equivalent.json", "utf8"));
const importers = importersOf(globSync("dist/**/*.js", { exclude: ["dist/bundle/**"] }));
const sample = sampled(names.flatMap(candidatesOf), Number(values.count), values.seed);
const copy = copyOfProject();
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const passing = new Map();
const survivors = [];
let killed = 0;
let untested = 0;
for (const mutant of sample) {
  const tests = testsOf(mutant);
  if (!passesUnchanged(tests)) {
    untested += 1;
    continue;
  }
  if (survives(mutant, tests)) survivors.push(mutant);
  else killed += 1;
  process.stderr.write(`\r${killed} killed, ${survivors.length} survived of ${sample.length} `);
}
const share = killed / Math.max(1, killed + survivors.length);
process.stderr.write("\n");
process.stdout.write(
  `${killed} of ${killed + survivors.length} mutants killed, ${(100 * share).toFixed(1)} %; seed ${values.seed}\n`,
);
if (untested > 0) process.stdout.write(`${untested} skipped: their tests fail unchanged\n`);
for (const { file, line, before, operator } of survivors) {
  process.stdout.write(`- ${file}:${line}: ${operator}: ${before}\n`);
}
process.exitCode = share >= 0.9 ? 0 : 1;

/** The mutants of an area that are not listed as equivalent. */
function candidatesOf(area) {
  return globSync(`dist/${AREAS[area].files}`, { exclude: ["**/*.test.js"] }).flatMap((path) => {
    const code = readFileSync(path, "utf8");
    return mutantsOf(code)
      .map((mutant) => {
        const before = code.slice(code.lastIndexOf("\n", mutant.start) + 1).split("\n", 1)[0];
        const line = code.slice(0, mutant.start).split("\n").length;
        return { ...mutant, area, path, line, file: path.slice(5), before: before.trim() };
      })
      .filter((mutant) => !equivalents.some((known) => isSame(known, mutant)));
  });
}

function isSame(known, { file, operator, before }) {
  return known.file === file && known.operator === operator && known.before === before;
}

/** In an order that only the seed decides, and that one more candidate does not change for the others. */
function sampled(candidates, count, seed) {
  const rank = ({ file, start, operator, before }) =>
    createHash("sha256").update([seed, file, start, operator, before].join("\0")).digest("hex");
  return candidates
    .map((mutant) => [rank(mutant), mutant])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, count)
    .map(([, mutant]) => mutant);
}

/** Module → the modules that import it. */
function importersOf(paths) {
  const found = new Map();
  for (const path of paths) {
    const code = readFileSync(path, "utf8");
    for (const [, specifier] of code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const target = posix.join(posix.dirname(path), specifier);
      found.set(target, [...(found.get(target) ?? []), path]);
    }
  }
  return found;
}

/** By the number of imports between test and module; then those that use it through a child process. */
function testsOf({ path, area }) {
  const tests = [];
  const seen = new Set([path]);
  let ring = [path];
  while (ring.length > 0 && tests.length < MOST_TESTS) {
    ring = ring.flatMap((each) => importers.get(each) ?? []).filter((each) => !seen.has(each));
    for (const each of ring) seen.add(each);
    tests.push(...new Set(ring.filter((each) => each.endsWith(".test.js"))));
  }
  const further = globSync(`dist/${AREAS[area].further}`);
  return [...new Set([...tests.slice(0, MOST_TESTS), ...further])];
}

function passesUnchanged(tests) {
  const key = tests.join("\n");
  if (!passing.has(key)) passing.set(key, tests.length > 0 && run(tests));
  return passing.get(key);
}

function survives({ path, start, end, text }, tests) {
  const target = join(copy, path);
  const code = readFileSync(path, "utf8");
  // The copy shares its files with the project: replace, never write into.
  rmSync(target);
  writeFileSync(target, code.slice(0, start) + text + code.slice(end));
  try {
    return run(tests);
  } finally {
    rmSync(target);
    linkSync(path, target);
  }
}

function run(tests) {
  const { status } = spawnSync("ava", ["--fail-fast", "--timeout=60s", ...tests], {
    cwd: copy,
    stdio: "ignore",
    timeout: PATIENCE,
    killSignal: "SIGKILL",
  });
  return status === 0;
}

/** Hard links instead of copies; packages by one symbolic link. Below node_modules, so on the same file system and never in git. */
function copyOfProject() {
  const cache = join(root, "node_modules", ".cache", "reeve");
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, "mutate-"));
  const listed = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" }).stdout.split("\0");
  const built = globSync("dist/**", { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)));
  for (const path of [...listed.filter(existsSync), ...built]) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    try {
      linkSync(path, join(place, path));
    } catch {
      cpSync(path, join(place, path), { recursive: true });
    }
  }
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  return place;
}
