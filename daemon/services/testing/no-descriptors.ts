/** Calls of start threads in a process that may open no more files: says what they give. */
import { openSync } from "node:fs";
import { StartThreads } from "../processes/direct/start-threads.js";

const threads = new StartThreads();
await threads.open();
try {
  for (;;) openSync("/dev/null", "r");
} catch {
  // There is no room for more.
}
const calls = Array.from({ length: 50 }, () => threads.call(0n));
const answers = await Promise.all(calls);
process.stdout.write(`${[...new Set(answers)].join()} ${answers.length}\n`);
process.exit();
