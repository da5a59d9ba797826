// Runs the tests and ends with the line "N passed, N failed", and ", N skipped" where tools are missing. `--tier NAME` (several
// times) chooses other tiers than those of `npm test`; `--record` keeps the durations of files, and the answers of other programs
// (tests/support/answers.ts); other arguments go to ava: `npm test -- 'dist/grammar/**'`. It ends by itself whatever a test does:
// scripts/test/watch.mjs, scripts/test/janitor.mjs.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { environment } from "./test/environment.mjs";
import { namedAddresses, occupy } from "./test/occupy.mjs";
import { tierNames, usual } from "./test/tiers.mjs";
import { prepareTools } from "./test/tools.mjs";

/** Milliseconds. */
const SILENCE = 300_000;
const ENDING = 20_000;

/** Bytes of a machine that can hold the tests' files. */
const MEMORY = 12 * 1024 ** 3;

const { tiers, record, words } = commandLine(process.argv.slice(2));
const missing = tiers.some((tier) => tier !== "unit") ? prepareTools() : [];

// Sockets below it have paths of at most 107 bytes.
const run = mkdtempSync(join(tmpdir(), "rt-"));
// Where that is allowed, in memory: the tests write many gigabytes and wait for none of them to be on a disk.
if (totalmem() >= MEMORY) spawnSync("mount", ["-t", "tmpfs", "tests", run], { stdio: "ignore" });
// Some tests run commands as another user.
chmodSync(run, 0o711);
mkdirSync(join(run, "workers"));
const janitor = spawn(process.execPath, [script("test/janitor.mjs"), run, String(process.pid)], {
  detached: true,
  stdio: ["pipe", "pipe", "inherit"],
});
const cleaned = text(janitor.stdout);
const release = await occupy(namedAddresses(), join(run, "occupied"));
process.on("SIGINT", () => undefined);

// What no test asks any more is not kept.
if (record && tiers === usual && words.length === 0)
  rmSync("tests/answers", { recursive: true, force: true });
const code = await runAva();
release();
const result = read(join(run, "result.json"));
janitor.stdin.end();
const left = JSON.parse((await cleaned) || '{"left":["unknown, because its janitor ended early"]}');
report(code, result, left);

function commandLine(argv) {
  const { values, tokens } = parseArgs({
    args: argv,
    strict: false,
    tokens: true,
    options: { tier: { type: "string", multiple: true }, record: { type: "boolean" } },
  });
  const chosen = values.tier ?? usual;
  const unknown = chosen.find((name) => !tierNames.includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no tier ${unknown}: ${tierNames.join(", ")}.\n`);
    process.exit(64);
  }
  const own = new Set();
  for (const { kind, name, index, inlineValue } of tokens) {
    if (kind !== "option" || (name !== "tier" && name !== "record")) continue;
    own.add(index);
    if (name === "tier" && !inlineValue) own.add(index + 1);
  }
  return {
    tiers: chosen,
    record: values.record === true,
    words: argv.filter((_, index) => !own.has(index)),
  };
}

/** Resolves with ava's exit code. */
async function runAva() {
  const env = environment(run, tiers, record);
  // Some files wait more than they compute.
  const lanes = ["--concurrency", String(2 * availableParallelism())];
  const ava = spawn("ava", [...lanes, ...words], { stdio: ["inherit", "pipe", "inherit"], env });
  let heard = performance.now();
  let ended;
  const end = (why) => {
    process.stderr.write(`\n  ✘ [runner]: ${why}\n`);
    ava.kill("SIGKILL");
  };
  const timer = setInterval(() => {
    const now = performance.now();
    if (ended === undefined && read(join(run, "result.json"))) ended = now;
    if (ended !== undefined && now - ended > ENDING) end("ava did not end after the last file");
    else if (now - heard > SILENCE) end(`there was no output for ${SILENCE / 1000} s`);
  }, 1_000);
  ava.stdout.on("data", (chunk) => {
    heard = performance.now();
    process.stdout.write(chunk);
  });
  const status = await new Promise((resolve) => {
    ava.on("close", resolve);
    ava.on("error", (error) => {
      process.stderr.write(`ava cannot start: ${error.message}\n`);
      resolve(1);
    });
  });
  clearInterval(timer);
  return status;
}

function report(status, { stats, faults = [], byFile = [] } = {}, { left }) {
  const passed = (stats?.passedTests ?? 0) + (stats?.passedKnownFailingTests ?? 0);
  const skipped = stats?.skippedTests ?? 0;
  const counts = [
    ...["failedTests", "failedHooks", "failedWorkers", "remainingTests", "internalErrors"],
    ...["uncaughtExceptions", "unexpectedProcessExits", "unhandledRejections", "todoTests"],
  ];
  let failed = counts.reduce((sum, name) => sum + (stats?.[name] ?? 0), 0);
  failed += faults.length + left.length;
  // CI has every tool and is root.
  if (process.env.CI) failed += skipped;
  if (failed === 0 && (status !== 0 || stats === undefined)) failed = 1;
  if (stats === undefined) process.stderr.write("The run ended before its result was written.\n");
  for (const { file, reason, processes } of faults)
    process.stdout.write(`  ✘ ${file} ${reason} ${processes.join(" | ")}\n`);
  for (const each of left) process.stdout.write(`  ✘ left by the run: ${each}\n`);
  if (record) keepDurations(byFile);
  const spent = byFile.reduce((sum, { processor }) => sum + processor, 0);
  process.stdout.write(`${byFile.length} files, ${Math.round(spent)} s of processor time.\n`);
  if (skipped > 0 && !process.env.CI) process.stdout.write(advice());
  const shown = skipped > 0 && !process.env.CI ? `, ${skipped} skipped` : "";
  process.stdout.write(`${passed} passed, ${failed} failed${shown}\n`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

/** How to run what was skipped. */
function advice() {
  const tools = missing.length === 0 ? "" : `sudo apt-get install ${missing.join(" ")}\n  `;
  const user = process.getuid?.() === 0 ? "" : "sudo ";
  return `Skipped tests name what they need. All of them run after:\n  ${tools}${user}npm test\n`;
}

/** Seconds of files that take long, for the order of the next runs. */
function keepDurations(byFile) {
  const rows = byFile
    .filter(({ seconds }) => seconds >= 3)
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => [file.slice("dist/".length), Math.round(seconds)]);
  const text = `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
  writeFileSync(script("test/durations.json"), text);
  writeFileSync("node_modules/.cache/reeve/test-times.json", JSON.stringify(byFile));
}

function script(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
