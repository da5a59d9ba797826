/** `reeve settings check` over a directory full of files. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schema } from "../../plugins/settings/servers/zls/schema.js";

const BIN = new URL("../../cli/reeve.js", import.meta.url).pathname;
const FILES = 10_000;

/** Milliseconds. */
export async function checkMany(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const all = Object.entries(schema.properties ?? {}).map(([key, each]) => [key, each.default]);
  const text = JSON.stringify(Object.fromEntries(all), undefined, 2);
  for (let file = 0; file < FILES; file += 1) {
    mkdirSync(join(directory, String(file)));
    writeFileSync(join(directory, String(file), "zls.json"), text);
  }
  const begin = performance.now();
  const child = spawn(process.execPath, [BIN, "settings", "check", directory], { stdio: "ignore" });
  const [code] = await once(child, "close");
  const duration = performance.now() - begin;
  rmSync(directory, { recursive: true });
  if (code !== 0) throw new Error(`the check ended with ${code}`);
  return duration;
}
