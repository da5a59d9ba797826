import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder, reeve } from "../../testing/reeve.js";

const addFinding = (state: string): void =>
  writeFileSync(join(state, "damage.jsonl"), `${JSON.stringify(lost)}\n`);
const lost = { at: 1000, what: "The journal lacks the numbers 3 to 4.", missing: 2, runs: ["r1"] };

test("it lists what is missing, copies the evidence and accepts the loss", async (t) => {
  const cwd = folder(t, { "s/journal.mark": "m", "s/reeve.db.damaged-1": "d", "s/other": "o" });
  addFinding(join(cwd, "s"));
  const listed = await reeve(["state", "repair", "--state", "s"], { cwd });
  t.is(listed.code, 1);
  t.regex(listed.stdout, /^.*: The journal lacks the numbers 3 to 4\. Runs: r1\.\n$/);
  const json = await reeve(["state", "repair", "--state", "s", "--json"], { cwd });
  t.like(JSON.parse(json.stdout), { findings: [lost] });
  const words = ["state", "repair", "--state", "s", "--export", "out", "--accept"];
  const accepted = await reeve(words, { cwd });
  t.is(accepted.code, 0);
  t.deepEqual(readdirSync(join(cwd, "out")).toSorted(), [
    "damage.jsonl",
    "journal.mark",
    "reeve.db.damaged-1",
  ]);
  t.false(existsSync(join(cwd, "s", "damage.jsonl")));
  t.is((await reeve(["state", "repair", "--state", "s"], { cwd })).code, 0);
});

test("a copy that cannot be written is one sentence, and nothing is accepted", async (t) => {
  const cwd = folder(t, { "s/file": "" });
  addFinding(join(cwd, "s"));
  writeFileSync(join(cwd, "out"), "");
  const words = ["state", "repair", "--state", "s", "--export", "out", "--accept"];
  const { code, stderr } = await reeve(words, { cwd });
  t.is(code, 73);
  t.regex(stderr, /cannot copy to out: EEXIST/);
  t.true(existsSync(join(cwd, "s", "damage.jsonl")));
});
