/** The same as `lookup-process.ts` by npm-check-updates. */
import { readFileSync } from "node:fs";
import { run } from "npm-check-updates";

const [, , manifest = "", url = ""] = process.argv;
const packageData = readFileSync(manifest, "utf8");
const started = performance.now();
const upgraded = await run({ packageData, registry: url, jsonUpgraded: true, silent: true });
const milliseconds = performance.now() - started;
const updates = Object.keys(upgraded ?? {}).length;
const whole = process.uptime() * 1000;
const memory = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ milliseconds, updates, whole, memory }));
