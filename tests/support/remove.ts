/** Removes what tests made. The runner (scripts/test) uses it, too. */
import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const options = { recursive: true, force: true, maxRetries: 5 } as const;

/** Also directories without permission to write, as those of applied commits are. @throws if anything is left */
export function remove(path: string): void {
  try {
    rmSync(path, options);
  } catch {
    makeWritable(path);
    rmSync(path, options);
  }
}

function makeWritable(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(path, entry.name));
}
