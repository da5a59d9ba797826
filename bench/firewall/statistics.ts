/** `awf logs stats` over logs of one and of twenty million lines: processor time and peak memory of the whole process. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, type Row } from "../support/table.js";

const million = 1_000_000;
const piece = 10_000;

/** Most lines are tunnels, as in life. */
export function statistics(): Row[] {
  const directory = mkdtempSync(join(tmpdir(), "awf-bench-"));
  try {
    const file = join(directory, "access.log");
    for (let from = 0; from < million; from += piece) {
      appendFileSync(
        file,
        Array.from({ length: piece }, (_, index) => line(from + index)).join(""),
      );
    }
    const runs = [1, 2, 3].map(() => count(file));
    const large = join(directory, "large.log");
    // Not by this process: what it takes of memory would count as its child's.
    const copies = 'for copy in $(seq 20); do cat "$1"; done > "$2"';
    spawnSync("sh", ["-c", copies, "sh", file, large]);
    const twenty = count(large);
    return [
      row(
        "`logs stats`, 1,000,000 lines, processor time",
        `${median(runs.map(({ seconds }) => seconds)).toFixed(2)} s`,
        "≤ 0.7 s",
      ),
      row(
        "… peak memory",
        `${median(runs.map(({ memory }) => memory)).toFixed(0)} MiB`,
        "≤ 90 MiB",
      ),
      row(
        "`logs stats`, 20,000,000 lines, processor time",
        `${twenty.seconds.toFixed(1)} s`,
        "works",
      ),
      row("… peak memory", `${twenty.memory.toFixed(0)} MiB`, "≤ 90 MiB"),
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const row = (what: string, result: string, bar: string): Row => ({ what, result, bar });

const line = (index: number) =>
  `${1_700_000_000 + index / 10} 127.0.0.1:40000 host-${index % 500}.test:443 192.0.2.1:443 1.1 CONNECT 200 TCP_TUNNEL:HIER_DIRECT host-${index % 500}.test:443 "Mozilla/5.0 (X11; Linux x86_64)"\n`;

const command = new URL("../../plugins/firewall/command/main.js", import.meta.url).href;

function count(file: string): { readonly seconds: number; readonly memory: number } {
  const program = `process.argv.splice(1, 0, "awf"); const { main } = await import(${JSON.stringify(command)}); await main(["logs", "stats", "--format", "json", "--source", ${JSON.stringify(file)}], "0"); const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write(JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, memory: maxRSS / 1024 }));`;
  const words = ["--input-type=module", "-e", program];
  return JSON.parse(spawnSync(process.execPath, words, { encoding: "utf8" }).stderr);
}
