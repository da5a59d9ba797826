// Runs every test and ends with the line "N passed, N failed", and ", N skipped" where tools are missing. Arguments go to ava:
// `npm test -- dist/grammar/**`.
import { spawn } from "node:child_process";
import { bun } from "./bun.mjs";
import { dotnetSdk } from "./dotnet-sdk.mjs";
import { elixirHex } from "./elixir-hex.mjs";
import { pnpm12 } from "./pnpm-12.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";
import { testPrograms } from "./test-programs.mjs";

// The npm registry comes first: system packages may change the machine's trusted certificates.
const fromRegistry = [pnpm12, bun, dotnetSdk, testPrograms];
for (const bring of fromRegistry)
  try {
    bring();
  } catch {
    // A compiler may be missing; retried below.
  }

const missing = ensureSystemPackages();
if (missing.length > 0 && process.env.CI) {
  process.stderr.write(
    `In CI nothing may be skipped, and these are missing: ${missing.join(", ")}.\n`,
  );
  process.exit(1);
}

// Before any test waits for them; a test that needs one reports its absence again.
for (const bring of [...fromRegistry, elixirHex])
  try {
    bring();
  } catch (thrown) {
    process.stderr.write(`${thrown.message}\n`);
    if (process.env.CI) process.exit(1);
  }

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, "");

const child = spawn("ava", process.argv.slice(2), { stdio: ["inherit", "pipe", "inherit"] });
const tally = { passed: 0, failed: 0, skipped: 0 };
/** Ava prints the number of passed tests only if none failed, so count the lines. */
let counted = 0;
let line = "";
let tail = "";
child.stdout.setEncoding("utf8").on("data", (chunk) => {
  process.stdout.write(chunk);
  tail = (tail + chunk).slice(-4096);
  const lines = (line + chunk).split("\n");
  line = lines.pop();
  counted += lines.filter((each) => plain(each).trimStart().startsWith("✔")).length;
});
child.on("close", (status) => {
  const text = plain(tail);
  for (const [, count, what] of text.matchAll(/^\s+(\d+) (.+)$/gm)) {
    if (/^tests? passed$/.test(what)) tally.passed += Number(count);
    else if (/^tests? skipped$/.test(what)) tally.skipped += Number(count);
    else if (
      /^(tests? failed|hooks? failed|uncaught exceptions?|unhandled rejections?|tests? remained pending.*|tests? todo|known failures?)$/.test(
        what,
      )
    ) {
      tally.failed += Number(count);
    }
  }
  tally.passed ||= counted;
  // CI has every tool and is root.
  if (process.env.CI) tally.failed += tally.skipped;
  if (status !== 0 && tally.failed === 0) tally.failed = 1;
  const ok = status === 0 && tally.failed === 0 && tally.passed > 0;
  const skipped = tally.skipped > 0 && !process.env.CI ? `, ${tally.skipped} skipped` : "";
  process.stdout.write(`${tally.passed} passed, ${tally.failed} failed${skipped}\n`);
  process.exitCode = ok ? 0 : 1;
});
