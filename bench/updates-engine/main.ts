/**
 * Dependency updates: look-ups beside npm-check-updates, lock files beside npm, manifests. Prints one table:
 * node dist/bench/updates-engine/main.js
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { print } from "../support/table.js";
import { lockRows } from "./locks.js";
import { lookupRows } from "./lookup.js";
import { manifestRows } from "./manifests.js";

const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
const registry = spawn(process.execPath, [new URL("./registry.js", import.meta.url).pathname], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [line] = (await once(registry.stdout, "data")) as [Buffer];
  const url = line.toString().trim();
  const rows = [
    ...(await lookupRows(directory, url)),
    ...(await lockRows(directory, url)),
    ...(await manifestRows()),
  ];
  print(rows, "Made-up packages with 40 versions each on a registry of this machine.");
} finally {
  registry.kill();
  rmSync(directory, { recursive: true, force: true });
}
