/** Damage to a closed state directory: what was acknowledged is there, or the daemon says what is missing. `REEVE_INJURIES` sets the number of rounds. */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { type Random, seeded } from "../runs/journal/testing/recorded-files.js";
import { contextOf, kitFor, temporaryDirectory } from "../testing/services.js";

const rounds = Number(process.env.REEVE_INJURIES ?? 60);
const seed = Number(process.env.REEVE_SEED ?? 1);

type Injure = (path: string, random: Random) => void;

const injuries: Readonly<Record<string, Injure>> = {
  "a flipped bit": (path, random) => {
    const bytes = readFileSync(path);
    const at = Math.floor(random() * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
    writeFileSync(path, bytes);
  },
  "a page of zeros": (path, random) => {
    const bytes = readFileSync(path);
    const at = Math.floor((random() * bytes.length) / 4096) * 4096;
    writeFileSync(path, bytes.fill(0, at, Math.min(at + 4096, bytes.length)));
  },
  "a cut file": (path, random) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.floor(random() * bytes.length)));
  },
  "a missing file": (path) => rmSync(path),
};

/** Runs that were accepted, with their requests. */
async function filled(t: ExecutionContext): Promise<{
  readonly directory: string;
  readonly accepted: ReadonlyMap<string, string>;
}> {
  const directory = temporaryDirectory(t);
  const kit = await kitFor(t, {}, directory);
  const { runs, store } = contextOf(kit).context;
  const accepted = new Map<string, string>();
  for (let index = 0; index < 60; index += 1) {
    const body = `${index} ${"b".repeat(index * 20)}`;
    const run = await runs.start({
      ...{ kind: "hook", subject: "hook.a", state: "queued", durability: "disk" },
      ...{ resume: { index }, request: { body } },
    });
    accepted.set(run.id, body);
    if (index % 3 === 0) await run.finish({ state: "succeeded" });
    if (index % 10 === 0) await store.map("keys").set(String(index), body);
  }
  await kit.close();
  return { directory, accepted };
}

for (const [what, injure] of Object.entries(injuries)) {
  test(`${what} loses nothing in silence`, async (t) => {
    t.timeout(600_000);
    const random = seeded(seed);
    const { directory, accepted } = await filled(t);
    const names = readdirSync(join(directory, "state")).filter(
      (name) =>
        /^(reeve\.db|journal)/.test(name) && statSync(join(directory, "state", name)).size > 0,
    );
    let reported = 0;
    for (let round = 0; round < rounds / 4; round += 1) {
      const copy = temporaryDirectory(t);
      cpSync(directory, copy, { recursive: true });
      const name = names[round % names.length] ?? "";
      injure(join(copy, "state", name), random);
      const kit = await kitFor(t, {}, copy);
      const lost: string[] = [];
      for (const [id, body] of accepted) {
        const record = await kit.runs.get(id).catch(() => undefined);
        const request = record?.request as { readonly body?: string } | undefined;
        if (request?.body !== body) lost.push(id);
      }
      const map = contextOf(kit).context.store.map("keys");
      const keys = await map.entries().catch(() => []);
      const damage = kit.damage();
      if (lost.length > 0 || keys.length < 6) {
        t.true(
          damage.length > 0,
          `round ${round}, ${name}: ${lost.length} runs, ${keys.length} keys`,
        );
      }
      if (damage.length > 0) reported += 1;
      await kit.close();
      rmSync(copy, { recursive: true });
    }
    t.true(reported > 0);
  });
}
