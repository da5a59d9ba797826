// Runs every test and ends with the line "N passed, N failed". Arguments go to ava: `npm test -- dist/grammar/**`.
import { spawn } from "node:child_process";
import { ensureSystemPackages } from "./system-packages.mjs";

const missing = ensureSystemPackages();
if (missing.length > 0 && process.env.CI) {
  process.stderr.write(
    `In CI nothing may be skipped, and these are missing: ${missing.join(", ")}.\n`,
  );
  process.exit(1);
}

const child = spawn("ava", process.argv.slice(2), { stdio: ["inherit", "pipe", "inherit"] });
const tally = { passed: 0, failed: 0 };
let tail = "";
child.stdout.on("data", (chunk) => {
  process.stdout.write(chunk);
  tail = (tail + chunk.toString("utf8")).slice(-4096);
});
child.on("close", (status) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
  const text = tail.replace(/\u001b\[[0-9;]*m/g, "");
  for (const [, count, what] of text.matchAll(/^\s+(\d+) (.+)$/gm)) {
    if (/^tests? passed$/.test(what)) tally.passed += Number(count);
    else if (
      /^(tests? failed|hooks? failed|uncaught exceptions?|unhandled rejections?|tests? remained pending.*|tests? skipped|tests? todo|known failures?)$/.test(
        what,
      )
    ) {
      tally.failed += Number(count);
    }
  }
  if (status !== 0 && tally.failed === 0) tally.failed = 1;
  const ok = status === 0 && tally.failed === 0 && tally.passed > 0;
  process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`);
  process.exitCode = ok ? 0 : 1;
});
