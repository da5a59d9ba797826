// Records the dashboard of `reeve demo` for the README: docs/dashboard.cast (asciinema v2) and docs/dashboard.svg, which moves
// without a script. The screen is that of a real daemon in a real terminal. Needs tmux and a build.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const WIDTH = 120;
const HEIGHT = 34;
const SECONDS = 20;
/** Milliseconds between two looks at the screen. */
const STEP = 250;
/** Seconds from the start, and the keys that are pressed then. */
const SCRIPT = [
  [3, ["2"]],
  [5, ["j"]],
  [6, ["t"]],
  [7, ["Enter"]],
  [10, ["Escape", "4"]],
  [12, ["/", "/"]],
  [12.5, ["d"]],
  [12.8, ["e"]],
  [13.1, ["p"]],
  [14.5, ["Enter"]],
  [16, ["3"]],
  [18, ["1"]],
];

/** Of the picture, and the colors of the theme `night`. */
const CELL = { width: 7.2, height: 15 };
const TEXT = "d9e1ec";
const GROUND = "10141b";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist/cli/reeve.js");
const directory = mkdtempSync(join(tmpdir(), "reeve-recording-"));
const environment = { ...process.env, LANG: "C.UTF-8", COLORTERM: "truecolor" };
const tmux = (...words) =>
  execFileSync("tmux", ["-S", join(directory, "s"), "-f", "/dev/null", ...words], {
    encoding: "utf8",
    env: environment,
  });

const demo = spawn(process.execPath, [program, "demo", "--headless"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const frames = await record(await socketOf(demo));
  writeFileSync(join(root, "docs/dashboard.cast"), castOf(frames));
  writeFileSync(join(root, "docs/dashboard.svg"), svgOf(frames));
  process.stdout.write(`${frames.length} frames in docs/dashboard.cast and docs/dashboard.svg\n`);
} finally {
  demo.kill("SIGTERM");
  try {
    tmux("kill-server");
  } catch {
    // It never started.
  }
  rmSync(directory, { recursive: true, force: true });
}

/** The line of the demonstration that says how to look at its daemon. */
async function socketOf(child) {
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    const found = /--control (\S+)\n/.exec(text);
    if (found) return found[1];
  }
  throw new Error("The demonstration ended.");
}

/** Frames that differ, with the seconds at which they were first seen. */
async function record(socket) {
  const words = [process.execPath, program, "top", "--theme", "night", "--control", socket];
  // There is something to see after a while.
  await delay(20_000);
  tmux("new-session", "-d", "-x", String(WIDTH), "-y", String(HEIGHT), ...words);
  while (!/Last events[^\n]* of \d/.test(tmux("capture-pane", "-p"))) await delay(100);
  const frames = [];
  const keys = [...SCRIPT];
  const start = performance.now();
  for (let at = 0; at < SECONDS; at = (performance.now() - start) / 1000) {
    while (keys.length > 0 && keys[0][0] <= at) tmux("send-keys", ...keys.shift()[1]);
    const screen = tmux("capture-pane", "-e", "-p").replace(/\n$/, "");
    if (screen !== frames.at(-1)?.screen) frames.push({ at, screen });
    await delay(STEP);
  }
  return frames;
}

function castOf(frames) {
  const header = { version: 2, width: WIDTH, height: HEIGHT, title: "reeve top" };
  const events = frames.map(({ at, screen }) => [
    Number(at.toFixed(3)),
    "o",
    `\u001b[H\u001b[0m${screen.replaceAll("\n", "\u001b[0m\r\n")}`,
  ]);
  return `${[header, ...events].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** One group a second, each shown in its turn by an animation of CSS. */
function svgOf(frames) {
  const shown = Array.from({ length: SECONDS }, (_, second) =>
    frames.findLast(({ at }) => at <= second + 0.9),
  );
  const width = Math.ceil(WIDTH * CELL.width);
  const height = Math.ceil(HEIGHT * CELL.height) + 6;
  const share = 100 / SECONDS;
  const groups = shown.map((frame, second) => {
    const lines = (frame ?? frames[0]).screen.split("\n").map(lineOf).join("");
    return `<g style="animation-delay:${second}s">${lines}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The dashboard reeve top: overview, hooks, a run, the firewall, the finder and updates">
<style>
text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
g { animation: show ${SECONDS}s step-end infinite; visibility: hidden; }
@keyframes show { 0% { visibility: visible; } ${share}% { visibility: hidden; } }
@media (prefers-reduced-motion: reduce) { g { animation: none; } g:first-of-type { visibility: visible; } }
</style>
<rect width="100%" height="100%" rx="6" fill="#${GROUND}"/>
${groups.join("\n")}
</svg>
`;
}

function lineOf(line, index) {
  const y = index * CELL.height + 3;
  let column = 0;
  let drawn = "";
  for (const { text, colour, ground, isBold } of runsOf(line)) {
    const x = (column * CELL.width).toFixed(1);
    const length = (text.length * CELL.width).toFixed(1);
    column += text.length;
    if (ground !== GROUND) {
      drawn += `<rect x="${x}" y="${y}" width="${length}" height="${CELL.height}" fill="#${ground}"/>`;
    }
    if (text.trim() === "") continue;
    const weight = isBold ? ' font-weight="bold"' : "";
    drawn += `<text x="${x}" y="${y + 11.5}" textLength="${length}" fill="#${colour}"${weight}>${escaped(text)}</text>`;
  }
  return drawn;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}

/** Parts of a line with one look. Only what the theme uses in all colors: bold, inverse, and 24-bit colors. */
function* runsOf(line) {
  let look = { colour: TEXT, ground: GROUND, isBold: false, isInverse: false };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of colors begin with one.
  for (const [, sequence, text] of line.matchAll(/(?:\u001b\[([\d;:]*)m)|([^\u001b]+)/g)) {
    if (text !== undefined) {
      const { colour, ground, isBold, isInverse } = look;
      yield isInverse
        ? { text, colour: ground, ground: colour, isBold }
        : { text, colour, ground, isBold };
    } else look = lookAfter(look, sequence.split(/[;:]/).map(Number));
  }
}

function lookAfter(before, codes) {
  let look = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    if (code === 0) look = { colour: TEXT, ground: GROUND, isBold: false, isInverse: false };
    else if (code === 1) look = { ...look, isBold: true };
    else if (code === 22) look = { ...look, isBold: false };
    else if (code === 7) look = { ...look, isInverse: true };
    else if (code === 27) look = { ...look, isInverse: false };
    else if (code === 39) look = { ...look, colour: TEXT };
    else if (code === 49) look = { ...look, ground: GROUND };
    else if ((code === 38 || code === 48) && codes[at + 1] === 2) {
      const hex = codes
        .slice(at + 2, at + 5)
        .map((part) => part.toString(16).padStart(2, "0"))
        .join("");
      look = code === 38 ? { ...look, colour: hex } : { ...look, ground: hex };
      at += 4;
    }
  }
  return look;
}
