/**
 * As `run.js`, with a clock that a test moves: the file named by REEVE_CLOCK has its distance from the true time in milliseconds. It is
 * read at the start and on SIGWINCH; then a line on standard output says so. Timers follow the true time, as they do when a system's
 * clock is set.
 */
import { readFileSync } from "node:fs";

const { REEVE_CLOCK: file = "" } = process.env;
const trueNow = Date.now;
let distance = 0;
const read = (): void => {
  distance = Number(readFileSync(file, "utf8"));
};
read();
Date.now = () => trueNow() + distance;
process.on("SIGWINCH", () => {
  read();
  process.stdout.write(`clock ${distance}\n`);
});
await import("./run.js");
