/** Known vulnerabilities from local files, read again when the files change. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "reeve/plugin";
import type { PackageManager } from "../managers/index.js";
import type { Advisory } from "./contract.js";
import { type Advisories, readAdvisories } from "./osv.js";

export class AdvisoryIndex {
  readonly #log: Log;
  #known: Advisories | undefined;
  #signature = "";

  constructor(log: Log) {
    this.#log = log;
  }

  of(manager: PackageManager): (name: string) => readonly Advisory[] {
    return (name) => this.#known?.of(manager, name) ?? [];
  }

  /** Returns whether the advisories changed. Without a directory there are none. */
  async refresh(directory: string | undefined): Promise<boolean> {
    const signature = directory === undefined ? "" : await signatureOf(directory);
    if (signature === this.#signature) return false;
    this.#signature = signature;
    this.#known = directory === undefined ? undefined : await readAdvisories(directory);
    for (const fault of this.#known?.broken.slice(0, 20) ?? []) this.#log.warn(fault);
    return true;
  }
}

async function signatureOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true }).catch(() => []);
  const parts = await Promise.all(
    entries.sort().map(async (entry) => {
      const { size, mtimeMs } = (await stat(join(directory, entry)).catch(() => undefined)) ?? {};
      return `${entry} ${size} ${mtimeMs}`;
    }),
  );
  return `${directory}\n${parts.join("\n")}`;
}
