/**
 * A whole daemon over a damaged state directory: it starts, what waited is carried out with the words that were accepted or its loss is named.
 * `REEVE_INJURIES` sets the number of rounds, `REEVE_SEED` which they are.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { type RunningDaemon, run, type Site, site } from "../daemon/main/testing/daemon.js";
import type { RunRecord } from "../daemon/plugin-api/state.js";
import { seeded } from "../daemon/services/runs/journal/testing/recorded-files.js";
import { readDamage } from "../daemon/services/store/state-damage.js";
import { injure, kinds } from "../daemon/services/testing/injuries.js";
import { eventually } from "./support/eventually.js";

const rounds = Number(process.env.REEVE_INJURIES ?? kinds.length);
const seed = Number(process.env.REEVE_SEED ?? 1);

const configuration = `hook_server "main" { listen = "127.0.0.1:0" }
hook "x" {
  run = ["sh", "-c", "until [ -e go ]; do sleep 0.05; done; echo $0 >>ended", query.say]
  concurrency = 1
  queue = 100
  timeout = 10m
}
`;

async function recorded(daemon: RunningDaemon): Promise<readonly RunRecord[]> {
  const { body } = await daemon.get("/v1/runs?limit=200&subject=hook.x");
  return (JSON.parse(body) as { runs: RunRecord[] }).runs;
}

const isOpen = ({ state }: RunRecord): boolean => state === "queued" || state === "running";

const linesOf = ({ directory }: Site): readonly string[] => {
  const path = join(directory, "ended");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};

for (let first = 0; first < rounds; first += 6) {
  test.serial(`no command is changed or lost in silence, from round ${first}`, async (t) => {
    t.timeout(120_000);
    const random = seeded(seed * 30_000 + first);
    const folder = await site(t, configuration);
    const state = join(folder.directory, "state");
    const daemon = await run(t, folder);
    const [{ address } = { address: "" }] = daemon.said.listeners as { address: string }[];
    const accepted = new Map<string, string>();
    for (let number = 0; number < 12; number += 1) {
      const say = `word-${number}-${"x".repeat(number * 400)}`;
      const answer = await fetch(`http://${address}/hooks/x?say=${say}`, { method: "POST" });
      t.is(answer.status, 202);
      accepted.set(answer.headers.get("reeve-run") ?? "", say);
    }
    daemon.child.kill("SIGKILL");
    await daemon.exited;
    cpSync(state, join(folder.directory, "kept"), { recursive: true });

    for (let round = first; round < Math.min(first + 6, rounds); round += 1) {
      for (const name of ["state", "go", "ended"]) {
        rmSync(join(folder.directory, name), { recursive: true, force: true });
      }
      cpSync(join(folder.directory, "kept"), state, { recursive: true });
      const kind = kinds[round % kinds.length] ?? "";
      const where = `${kind}, ${injure(state, kind, random)}, round ${round}`;
      const next = await run(t, folder);
      t.deepEqual(next.said.code, undefined, where);
      writeFileSync(join(folder.directory, "go"), "");
      await eventually("the end of what waits", async () => !(await recorded(next)).some(isOpen));
      const records = new Map((await recorded(next)).map((record) => [record.id, record]));
      const findings = readDamage(state).map(({ what, runs = [] }) => [what, ...runs].join(" "));
      const done = linesOf(folder);
      const words = new Set(accepted.values());
      t.deepEqual(
        done.filter((line) => !words.has(line)),
        [],
        where,
      );
      t.is(new Set(done).size, done.length, where);
      for (const [id, say] of accepted) {
        const isKnown = done.includes(say) || records.get(id)?.reason !== undefined;
        if (!isKnown)
          t.true(findings.length > 0, `${where}: ${id} did not run: ${findings.join()}`);
      }
      next.child.kill("SIGKILL");
      await next.exited;
    }
  });
}
